"""Formulas that both jobs share: rooflines, collectives, what time is spent on."""
