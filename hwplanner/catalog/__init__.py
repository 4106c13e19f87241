"""Devices, the witness of every figure, prices, and what software runs on them."""
