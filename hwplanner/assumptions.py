"""Numbers that no data sheet gives, each with its range and its source.

`data/assumptions.csv` holds what is set by hand; of constants that `scripts/calibrate` fits, that
is what is believed before any measurement. `data/calibration.csv` holds the fitted values.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from hwplanner.errors import AssumptionError
from hwplanner.files.columns import did_you_mean
from hwplanner.files.csv_files import DATA_DIR, Row, read_rows, refuse

Place: TypeAlias = tuple[str, str]
"""Name and key of an assumption."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """One number that no data sheet gives."""

    name: str
    key: str
    low: float
    typical: float
    high: float
    unit: str
    meaning: str
    source: str
    date: str


@dataclass(frozen=True, eq=False)  # equal only to itself, so that it can key a cache
class Assumptions:
    """All assumptions, found by name and, where a name has several, key."""

    by_name_and_key: Mapping[Place, Assumption]

    def get(self, name: str, key: str = "") -> Assumption:
        """Assumption with its unit, meaning and source."""
        try:
            return self.by_name_and_key[name, key]
        except KeyError:
            raise AssumptionError(self._missing(name, key)) from None

    def typical(self, name: str, key: str = "") -> float:
        """Most likely value."""
        return self.get(name, key).typical

    def range(self, name: str, key: str = "") -> tuple[float, float, float]:
        """Low, typical and high value."""
        assumption = self.get(name, key)
        return assumption.low, assumption.typical, assumption.high

    def keys(self, name: str) -> tuple[str, ...]:
        """Keys that a name has, in the order of the file."""
        return tuple(key for known, key in self.by_name_and_key if known == name)

    def replaced(self, typical: Mapping[Place, float]) -> "Assumptions":
        """Assumptions with other typical values, by name and key; ranges stay.

        Raises
        ------
        AssumptionError
            When there is no such name and key.
        """
        changed = {
            place: replace(self.get(*place), typical=value) for place, value in typical.items()
        }
        return Assumptions({**self.by_name_and_key, **changed})

    def _missing(self, name: str, key: str) -> str:
        keys = self.keys(name)
        if keys:
            return f"assumptions.csv: {name} has no key {key!r}; it has {', '.join(keys)}"
        near = did_you_mean(name, {known for known, _ in self.by_name_and_key})
        return f"assumptions.csv: there is no row {name!r}; add it with its source{near}"


@lru_cache
def load_priors(path: Path = DATA_DIR / "assumptions.csv") -> Assumptions:
    """Read what is set by hand; a file is read once."""
    rows = read_rows(path, error=AssumptionError)
    refuse(assumption_faults(rows), AssumptionError)
    return Assumptions({_place(row): _assumption(row) for row in rows})


@lru_cache
def load_assumptions(path: Path = DATA_DIR / "calibration.csv") -> Assumptions:
    """Read what is set by hand with the fitted values of the last calibration in their places.

    Raises
    ------
    AssumptionError
        When a file is faulty, or a fitted constant has no row of its own among the assumptions.
    """
    priors = load_priors()
    rows = read_rows(path, error=AssumptionError)
    refuse(assumption_faults(rows, file=path.name), AssumptionError)
    fitted = {_place(row): _fitted(row, priors.get(*_place(row))) for row in rows}
    return Assumptions({**priors.by_name_and_key, **fitted})


def assumption_faults(rows: Iterable[Row], *, file: str = "assumptions.csv") -> list[str]:
    """Find what no single cell shows: a name and key used twice, a range out of order.

    Holds for `assumptions.csv` and for `calibration.csv`, whose rows have the same first columns.
    """
    faults = []
    seen: dict[Place, int] = {}
    for row in rows:
        name_and_key = _place(row)
        low, typical, high = _range(row)
        place = f"{file} line {row.line}, {' '.join(name_and_key)}".rstrip()
        if not low <= typical <= high:
            values = f"{low:g}, {typical:g}, {high:g}"
            faults.append(f"{place}: low, typical, high are {values}; put them in this order")
        first = seen.setdefault(name_and_key, row.line)
        if first != row.line:
            faults.append(f"{place}: repeats line {first}; keep one of the two")
    return faults


def _place(row: Row) -> Place:
    return row.text("name"), row.text("key")


def _range(row: Row) -> tuple[float, float, float]:
    return float(row.text("low")), float(row.text("typical")), float(row.text("high"))


def _assumption(row: Row) -> Assumption:
    name, key = _place(row)
    low, typical, high = _range(row)
    return Assumption(
        name=name,
        key=key,
        low=low,
        typical=typical,
        high=high,
        unit=row.text("unit"),
        meaning=row.text("meaning"),
        source=row.text("source"),
        date=row.text("date"),
    )


def _fitted(row: Row, prior: Assumption) -> Assumption:
    low, typical, high = _range(row)
    counts = f"{row.text('n')} published measurements of {row.text('sources')} sources"
    return replace(prior, low=low, typical=typical, high=high, source=f"fitted to {counts}")
