"""Demand: its shape over a week, its growth, and what it asks of a fleet."""
