"""Published measurements: `data/measurements`, each row with its source, address and date."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from hwplanner.errors import EvidenceError
from hwplanner.evidence.rows import INPUTS, RunRow
from hwplanner.files.csv_files import DATA_DIR, Row, read_rows

FOLDER = DATA_DIR / "measurements"
INCONSISTENT = "[C]"  # grade with which the note of a training run begins

Kind = Literal["serving", "training", "training-memory", "serving-memory"]
KINDS: tuple[Kind, ...] = get_args(Kind)

FILES: Mapping[Kind, tuple[str, ...]] = {
    "serving": ("serving", "serving_latency", "fp8_tables"),
    "training": ("training",),
    "training-memory": ("training_memory",),
    "serving-memory": ("serving_memory",),
}
"""Files of each kind of measurement."""

MEASURED: Mapping[Kind, tuple[str, ...]] = {
    "serving": (
        "output_tokens_per_s",
        "total_tokens_per_s",
        "requests_per_s",
        "ttft_ms_mean",
        "tpot_ms_mean",
    ),
    "training": ("tokens_per_s_per_device", "step_time_s", "peak_memory_gb"),
    "training-memory": ("value",),
    "serving-memory": ("value",),
}
"""Measured columns that are also predicted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement(RunRow):
    """A published run: what was run, what was measured, and who says so."""

    measured: Mapping[str, float]
    """Measured figures by column, in the unit of the column; blank ones are left out."""
    source: str
    address: str
    date: str
    note: str
    is_reliable: bool
    """Measured, and not found to contradict itself: other rows are kept out of fits and scores."""


@lru_cache
def load_measurements(name: str) -> tuple[Measurement, ...]:
    """Rows of a file of runs, e.g. `serving` or `training_memory`; a file is read once.

    Raises
    ------
    EvidenceError
        When the file is faulty.
    """
    figures = {figure for known in MEASURED.values() for figure in known}
    return tuple(_measurement(row, figures & row.cells.keys()) for row in measurement_rows(name))


@lru_cache
def measurement_rows(name: str) -> tuple[Row, ...]:
    """Rows of any file of measurements, e.g. `energy` or `latency_percentiles`, as they stand."""
    return tuple(read_rows(FOLDER / f"{name}.csv", error=EvidenceError))


def measurements_of(kind: Kind) -> tuple[Measurement, ...]:
    """All runs of a kind."""
    return tuple(run for name in FILES[kind] for run in load_measurements(name))


def _measurement(row: Row, figures: set[str]) -> Measurement:
    numbers = {figure: row.number(figure) for figure in sorted(figures)}
    return Measurement(
        id=row.text("id"),
        line=row.line,
        cells={name: row.cells[name] for name in INPUTS & row.cells.keys()},
        measured={figure: value for figure, value in numbers.items() if value is not None},
        source=row.text("source"),
        address=row.text("source_url"),
        date=row.text("source_date"),
        note=row.text("note"),
        is_reliable=not row.text("note").startswith(INCONSISTENT)
        and row.cells.get("measured_or_estimated", "measured").startswith("measured"),
    )
