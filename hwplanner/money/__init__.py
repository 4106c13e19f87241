"""Prices, owning and renting, and the four ways to do both jobs."""
