"""Which rows a figure draws, in which order, and how it says what it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from dashboard.figures.base import NAME_CHARACTERS, clip
from hwplanner.report.tables import Column, State

SHOWN_AT_MOST = 9
SHOWN_OF_MANY = 8
BEST_OF_MANY = 6
VERDICTS: Mapping[State, tuple[str, str]] = {
    "chosen": ("is chosen", "are chosen"),
    "fine": ("meets the target", "meet the target"),
    "misses": ("misses the target", "miss the target"),
    "no_price": ("has no price", "have no price"),
    "does_not_fit": ("does not fit", "do not fit"),
    "unsupported": ("is not supported", "are not supported"),
}
"""Each verdict in the words for one device and for several, in the order of display."""
WITH_VALUE: tuple[State, ...] = ("chosen", "fine", "misses")
DEVICE_COLUMNS = (Column("device", "Device"), Column("verdict", "Verdict"))
NO_DEVICE = "No device is compared. Choose some under Devices."


class Row(Protocol):
    """A row of one candidate, as most figures take it."""

    @property
    def label(self) -> str:
        """Device and count."""

    @property
    def state(self) -> State:
        """Verdict on it."""


AnyRow = TypeVar("AnyRow", bound=Row)


def verdict(row: Row) -> str:
    """Say the verdict on one row."""
    return VERDICTS[row.state][0]


def device_cells(row: Row) -> dict[str, object]:
    """Fill the columns of `DEVICE_COLUMNS`."""
    return {"device": row.label, "verdict": verdict(row)}


def ranked(
    rows: Sequence[AnyRow], value: Callable[[AnyRow], float] = lambda row: 0.0
) -> list[AnyRow]:
    """Order rows by verdict, the chosen one first; then by value, lowest first; else as given."""
    order = list(VERDICTS)
    return sorted(rows, key=lambda row: (order.index(row.state), value(row)))


def choose(
    rows: Sequence[AnyRow], value: Callable[[AnyRow], float] = lambda row: 0.0
) -> tuple[list[AnyRow], str]:
    """Pick the rows to draw, best first, and say what is left out.

    Up to nine rows are all drawn. Of more, eight: the best six that meet the target, then those
    that do not, which are never dropped altogether; the others are counted by verdict.
    """
    order = ranked(rows, value)
    if len(order) <= SHOWN_AT_MOST:
        return order, ""
    good = [row for row in order if row.state in ("chosen", "fine")]
    rest = order[len(good) :]
    best = max(BEST_OF_MANY, SHOWN_OF_MANY - len(rest))
    shown = good[:best]
    others = SHOWN_OF_MANY - len(shown)
    left = good[best:] + rest[others:]
    return shown + rest[:others], f"Also in the table: {_counted(left)}."


def absent(rows: Sequence[Row], *, crowded: int = 0) -> str:
    """Say which rows have no line, each with its verdict, and how many there is no room for."""
    said = [f"{clip(row.label, NAME_CHARACTERS)} {verdict(row)}" for row in rows[:2]]
    if len(rows) > len(said):
        said.append(f"{len(rows) - len(said)} more")
    sentences = [f"Not drawn: {'; '.join(said)}."] if said else []
    if crowded:
        sentences.append(
            f"{crowded} more {'line is' if crowded == 1 else 'lines are'} in the table."
        )
    return " ".join(sentences)


def _counted(rows: Sequence[Row]) -> str:
    counts = Counter(row.state for row in rows)
    return ", ".join(
        f"{counts[state]} {words[counts[state] > 1]}"
        for state, words in VERDICTS.items()
        if counts[state]
    )
