"""Strict reading and checking of the data files."""
