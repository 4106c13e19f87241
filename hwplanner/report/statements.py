"""What a page says in tables of words: cells with a verdict, the two-job table, key figures.

These are the words before they are drawn, so that a page and a brief draw the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hwplanner.evidence.intervals import Tier

Status = Literal["good", "near", "poor"]

STATUS_MARKS: Mapping[Status, str] = {
    "good": "\N{CHECK MARK}",
    "near": "\N{BLACK UP-POINTING TRIANGLE}",
    "poor": "\N{MULTIPLICATION X}",
}
CONFIDENCE_WORDS: Mapping[Tier, tuple[str, str]] = {
    "measured": ("\N{BLACK CIRCLE}", "measured nearby"),
    "calibrated": ("\N{CIRCLE WITH LEFT HALF BLACK}", "calibrated class"),
    "extrapolated": ("\N{WHITE CIRCLE}", "extrapolated"),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: a text, a marked verdict or badge after it, a quieter second line."""

    text: str = ""
    note: str = ""
    strong: bool = False
    status: Status | None = None
    verdict: str = ""
    confidence: Tier | None = None


@dataclass(frozen=True, slots=True)
class JobRow:
    """One line of the table that sets the two jobs side by side."""

    label: str
    training: Cell
    serving: Cell


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One number of the strip below the table: `value` in big type, its unit, a line below."""

    label: str
    value: str
    unit: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """One column of a table of cells."""

    label: str
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a table of cells; `reason` fills the columns for which there is no cell."""

    cells: tuple[Cell, ...]
    chosen: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a calculation: what, how, with which values, what comes out, says who."""

    label: str
    formula: str
    values: str
    result: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A number with the steps that lead to it; `value` is in base units.

    `sureness` says the range that holds 8 of 10 cases, and what it rests on.
    """

    title: str
    result: str
    value: float
    steps: tuple[Step, ...]
    sureness: str = ""
