"""How demand spreads over a week: the shapes of the data folder.

A week has 168 hours and starts on Monday at 0:00. Every shape peaks at 1, so the busiest hour
carries exactly the peak that the scenario asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from hwplanner.errors import DemandError
from hwplanner.files.csv_files import DATA_DIR, Row, read_rows, refuse
from hwplanner.units import HOURS_PER_WEEK, Array


@dataclass(frozen=True, slots=True, eq=False)
class DemandShape:
    """Demand of one week, and where the shape comes from."""

    title: str
    relative_load: Array
    """Demand of each hour over that of the busiest. [share, 168 hours, read-only]"""
    clock: str
    """`local`, or `UTC` where the shape was recorded all over the world."""
    source: str
    licence: str
    date: str
    note: str

    @property
    def mean_over_peak(self) -> float:
        """Share of a fleet of the peak's size that works on average. [share]"""
        return float(self.relative_load.mean())


def load_demand_shapes(directory: Path = DATA_DIR) -> Mapping[str, DemandShape]:
    """Read the shapes by name from `demand.csv` and `demand_shapes.csv`; a folder is read once.

    Raises
    ------
    DemandError
        When a cell is wrong, an hour is missing, a shape is all zero, or one of the files does
        not know a shape of the other.
    """
    return _load(directory)


@lru_cache
def _load(directory: Path) -> Mapping[str, DemandShape]:
    shape_rows = read_rows(directory / "demand_shapes.csv", error=DemandError)
    hour_rows = read_rows(directory / "demand.csv", error=DemandError)
    refuse(demand_faults(shape_rows, hour_rows), DemandError)
    load = {row.text("shape"): np.zeros(HOURS_PER_WEEK) for row in shape_rows}
    for row in hour_rows:
        load[row.text("shape")][int(row.text("hour_of_week"))] = float(row.text("relative_load"))
    return {row.text("shape"): _shape(row, load[row.text("shape")]) for row in shape_rows}


def _shape(row: Row, load: Array) -> DemandShape:
    relative_load = load / load.max()
    relative_load.flags.writeable = False
    said = {name: row.text(name) for name in ("title", "clock", "source", "licence", "date")}
    return DemandShape(relative_load=relative_load, note=row.text("note"), **said)


def demand_faults(shape_rows: Iterable[Row], hour_rows: Iterable[Row]) -> list[str]:
    """What no single cell shows: shapes without all their hours, or without any demand."""
    load: dict[str, dict[int, float]] = {row.text("shape"): {} for row in shape_rows}
    faults = []
    for row in hour_rows:
        shape, hour = row.text("shape"), int(row.text("hour_of_week"))
        if shape not in load:
            faults.append(
                f"demand.csv line {row.line}, {shape}: the shape is not in demand_shapes.csv; "
                "add it there with its source"
            )
        else:
            load[shape][hour] = float(row.text("relative_load"))
    for shape, by_hour in load.items():
        missing = sorted(set(range(HOURS_PER_WEEK)) - set(by_hour))
        if missing:
            faults.append(
                f"demand.csv, {shape}: {len(missing)} of {HOURS_PER_WEEK} hours are missing; "
                f"add hour_of_week {missing[0]}"
            )
        elif not any(by_hour.values()):
            faults.append(f"demand.csv, {shape}: relative_load is 0 throughout; raise one hour")
    return faults
