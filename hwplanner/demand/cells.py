"""Cells of an uploaded table; ValueError says where, what stands there, and what would be right."""

from __future__ import annotations

from collections.abc import Sequence

from hwplanner.demand.columns import is_number
from hwplanner.files.csv_text import quoted

LARGEST_COUNT = 1e12


def cell(line: int, cells: Sequence[str], place: int) -> str:
    """Text of a cell, without blanks around it."""
    if place >= len(cells):
        raise ValueError(
            f"line {line} has {len(cells)} {'cell' if len(cells) == 1 else 'cells'}; what is read "
            f"stands in column {place + 1}"
        )
    return cells[place].strip()


def count(line: int, cells: Sequence[str], place: int) -> float:
    """Number of requests: not negative, with a point before decimals."""
    text = cell(line, cells, place)
    if not is_number(text) or float(text) > LARGEST_COUNT:
        found = f"{quoted(text)} is no count" if text else f"column {place + 1} is blank"
        raise ValueError(
            f"line {line}: {found}; write a number from 0 to {LARGEST_COUNT:.0e}, with digits and "
            "a point only"
        )
    return float(text)


def whole(line: int, cells: Sequence[str], place: int, low: int, high: int, what: str) -> int:
    """Whole number in a range, such as an hour."""
    text = cell(line, cells, place)
    if not (is_number(text) and float(text).is_integer() and low <= float(text) <= high):
        raise ValueError(
            f"line {line}: {quoted(text)} is no {what}; write a whole number from {low} to {high}"
        )
    return int(float(text))
