"""Numbers set by hand, each with its range and its source: `data/assumptions.csv`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hwplanner.errors import AssumptionError
from hwplanner.files.columns import did_you_mean
from hwplanner.files.csv_files import DATA_DIR, Row, read_rows, refuse


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


@dataclass(frozen=True, slots=True)
class Assumptions:
    """All assumptions, found by name and, where a name has several, key."""

    by_name_and_key: Mapping[tuple[str, str], Assumption]

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

    def _missing(self, name: str, key: str) -> str:
        keys = self.keys(name)
        if keys:
            return f"assumptions.csv: {name} has no key {key!r}; it has {', '.join(keys)}"
        near = did_you_mean(name, {known for known, _ in self.by_name_and_key})
        return f"assumptions.csv: there is no row {name!r}; add it with its source{near}"


@lru_cache
def load_assumptions(path: Path = DATA_DIR / "assumptions.csv") -> Assumptions:
    """Read the assumptions; a file is read once."""
    rows = read_rows(path, error=AssumptionError)
    refuse(assumption_faults(rows), AssumptionError)
    return Assumptions({(row.text("name"), row.text("key")): _assumption(row) for row in rows})


def assumption_faults(rows: Iterable[Row], *, file: str = "assumptions.csv") -> list[str]:
    """Find what no single cell shows: a name and key used twice, a range out of order."""
    faults = []
    seen: dict[tuple[str, str], int] = {}
    for row in rows:
        assumption = _assumption(row)
        place = f"{file} line {row.line}, {assumption.name} {assumption.key}".rstrip()
        if not assumption.low <= assumption.typical <= assumption.high:
            values = f"{assumption.low:g}, {assumption.typical:g}, {assumption.high:g}"
            faults.append(f"{place}: low, typical, high are {values}; put them in this order")
        first = seen.setdefault((assumption.name, assumption.key), row.line)
        if first != row.line:
            faults.append(f"{place}: repeats line {first}; keep one of the two")
    return faults


def _assumption(row: Row) -> Assumption:
    return Assumption(
        name=row.text("name"),
        key=row.text("key"),
        low=float(row.text("low")),
        typical=float(row.text("typical")),
        high=float(row.text("high")),
        unit=row.text("unit"),
        meaning=row.text("meaning"),
        source=row.text("source"),
        date=row.text("date"),
    )
