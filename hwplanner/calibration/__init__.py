"""Fitting constants of the estimates to published measurements, as `scripts/calibrate` does."""
