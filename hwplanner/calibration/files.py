"""The files that a calibration writes; `data/columns.csv` says what their columns hold."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import cast

import numpy as np

from hwplanner.calibration.cross_validation import Scheme
from hwplanner.calibration.fit import Fit
from hwplanner.calibration.interval_fit import FittedInterval
from hwplanner.calibration.study import Names, Study
from hwplanner.evidence.intervals import Tier
from hwplanner.units import Array

DIGITS = 4
ANY_TIER: Tier = "calibrated"  # of runs whose interval is the same at each


@dataclass(frozen=True, slots=True)
class FittedConstant:
    """One row of `data/calibration.csv`."""

    name: str
    key: str
    low: float
    typical: float
    high: float
    kind: str
    n: int
    sources: int


@dataclass(frozen=True, slots=True)
class LeftOutPrediction:
    """One row of `data/cross_validation.csv`."""

    kind: str
    id: str
    figure: str
    scheme: Scheme
    tier: Tier
    predicted: float


def fitted_constants(fit: Fit) -> Iterator[FittedConstant]:
    """Rows of a fit's constants."""
    for place, (name, key) in enumerate(fit.study.constants):
        low, typical, high = fit.range(place)
        yield FittedConstant(
            name=name,
            key=key,
            low=low,
            typical=typical,
            high=high,
            kind=fit.study.kind,
            n=int(fit.counts[place]),
            sources=int(fit.sources[place]),
        )


def left_out_rows(
    study: Study, left_out: Mapping[Scheme, Array], tiers: Mapping[Scheme, Names]
) -> Iterator[LeftOutPrediction]:
    """Rows of all predictions of a study that were made without the row's like."""
    seen = study.observations
    for scheme, predicted in left_out.items():
        for place in np.flatnonzero(np.isfinite(predicted)):
            yield LeftOutPrediction(
                kind=study.kind,
                id=str(seen.ids[place]),
                figure=str(seen.figure[place]),
                scheme=scheme,
                tier=cast(Tier, str(tiers[scheme][place]) or ANY_TIER),
                predicted=float(predicted[place]),
            )


def write_rows(
    path: Path, rows: Iterable[FittedConstant | FittedInterval | LeftOutPrediction]
) -> None:
    """Write rows of one kind with their header; numbers with four digits."""
    listed: Sequence[FittedConstant | FittedInterval | LeftOutPrediction] = list(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(listed[0]))
        for row in listed:
            writer.writerow(
                f"{cell:.{DIGITS}g}" if isinstance(cell, float) else cell for cell in astuple(row)
            )
