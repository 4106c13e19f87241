"""Serving: memory, time and the best layout of each device."""
