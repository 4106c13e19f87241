"""What a column of a data file may hold, and what to write where a cell breaks the rule.

`data/columns.csv` has one row for each column of each data file; a row becomes a `Column`.
"""

import calendar
import datetime
import difflib
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

ColumnType: TypeAlias = Literal["text", "number", "integer", "choice", "date", "flag", "list"]

LONGEST_GUESS = 100

_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", re.ASCII)
_SEPARATED = re.compile(r"[+-]?\d+([ .,'_\u00a0\u202f]\d+)+")
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?", re.ASCII)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`, did you mean 'x'?` for a near miss, else nothing."""
    matches = difflib.get_close_matches(word[:LONGEST_GUESS].lower(), list(known), n=3)
    return f", did you mean {' or '.join(map(repr, matches))}?" if matches else ""


def first_day(date: str) -> datetime.date:
    """First day that a date can mean.

    Examples
    --------
    >>> first_day("2026"), first_day("2026-02")
    (datetime.date(2026, 1, 1), datetime.date(2026, 2, 1))
    """
    return datetime.date.fromisoformat(f"{date}-01-01"[: len("2026-02-28")])


def last_day(date: str) -> datetime.date:
    """Last day that a date means; a year or a month alone is read as all of it.

    Examples
    --------
    >>> last_day("2026-02")
    datetime.date(2026, 2, 28)
    """
    if len(date) == len("2026-02-28"):
        return datetime.date.fromisoformat(date)
    year, _, month_text = date.partition("-")
    month = int(month_text or 12)
    return datetime.date(int(year), month, calendar.monthrange(int(year), month)[1])


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a data file."""

    name: str
    type: ColumnType
    meaning: str
    unit: str = ""
    required: bool = False
    key: bool = False
    """Identifies the row, together with the other key columns."""
    minimum: float = -math.inf
    minimum_excluded: bool = False
    maximum: float = math.inf
    choices: tuple[str, ...] = ()

    def remedy(self, text: str) -> str | None:
        """Say what to write instead of a cell's text; None where the text is fine."""
        if not text:
            return f"write {self.wanted}" if self.required else None
        if self._accepts(text):
            return None
        numeric = self.type in ("number", "integer")
        if numeric and _SEPARATED.fullmatch(text) and not _NUMBER.fullmatch(text):
            return "write the digits without separators, with a point before decimals"
        blank = "" if self.required else ", or leave it blank if not published"
        near = did_you_mean(text, self.choices) if self.type == "choice" else ""
        return f"write {self.wanted}{blank}{near}"

    @property
    def wanted(self) -> str:
        """What the column holds, in words."""
        match self.type:
            case "number" | "integer":
                noun = "a number" if self.type == "number" else "a whole number"
                return f"{noun} {' and '.join(self._bounds())}".rstrip()
            case "choice":
                return f"one of {', '.join(self.choices)}"
            case "date":
                return "a date such as 2026-11-30, 2026-11 or 2026"
            case "flag":
                return "yes or no"
            case "list":
                return "names separated by ';', each once"
            case _:
                return "a text that begins with a letter or a digit" if self.key else "a text"

    def _bounds(self) -> list[str]:
        bounds = []
        if math.isfinite(self.minimum):
            word = "above" if self.minimum_excluded else "of at least"
            bounds.append(f"{word} {self.minimum:g}")
        if math.isfinite(self.maximum):
            bounds.append(f"at most {self.maximum:.10g}")
        return bounds

    def _accepts(self, text: str) -> bool:
        match self.type:
            case "number" | "integer":
                return self._accepts_number(text)
            case "choice":
                return text in self.choices
            case "date":
                return _is_date(text)
            case "flag":
                return text in ("yes", "no")
            case "list":
                names = [name.strip() for name in text.split(";")]
                return all(names) and len(set(names)) == len(names)
            case _:  # a spreadsheet takes a name that begins with = + - @ for a formula
                return not self.key or text[0].isalnum()

    def _accepts_number(self, text: str) -> bool:
        if not _NUMBER.fullmatch(text):
            return False
        value = float(text)
        if not math.isfinite(value) or (self.type == "integer" and not value.is_integer()):
            return False
        above = value > self.minimum if self.minimum_excluded else value >= self.minimum
        return above and value <= self.maximum


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        last_day(text)
    except ValueError:
        return False
    return True
