"""`predict` and `score` from a terminal."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from typing import Any

from hwplanner.evidence.measurements import KINDS
from hwplanner.evidence.predict import predict, write_predictions
from hwplanner.evidence.rows import read_run_rows
from hwplanner.evidence.score import SCHEMES, Report, Score, kind_of_file, score_file, score_stored
from hwplanner.files.csv_text import one_line

MOST_FAULTS_SHOWN = 10
_SHOWN: Sequence[tuple[str, str]] = (
    ("answered", ".1%"),
    ("mdape", ".1%"),
    ("in20", ".0%"),
    ("in25", ".0%"),
    ("in30", ".0%"),
    ("bias", "+.1%"),
    ("cover80", ".0%"),
    ("width", ".2f"),
    ("mean", ".1%"),
    ("right", ".0%"),
)


def predict_lines(options: argparse.Namespace) -> Iterator[str]:
    """Predict a file of runs into another, and say how many were answered."""
    rows = read_run_rows(options.rows)
    predictions = predict(options.kind, rows)
    write_predictions(options.out, predictions)
    faults = [row.fault for row in rows if row.fault]
    for fault in faults[:MOST_FAULTS_SHOWN]:
        yield one_line(f"note: {options.rows.name} {fault}")
    if len(faults) > MOST_FAULTS_SHOWN:
        yield f"note: {len(faults) - MOST_FAULTS_SHOWN} more rows have such faults"
    counts = {status: predictions.statuses.count(status) for status in predictions.statuses}
    told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    yield one_line(f"{options.out}: {len(rows)} rows, {told}")


def score_reports(options: argparse.Namespace) -> list[Report]:
    """Score a file, or what the last calibration stored."""
    if options.rows:
        return [score_file(options.kind or kind_of_file(options.rows), options.rows)]
    kinds = [options.kind] if options.kind else KINDS
    return [score_stored(kind, scheme) for kind in kinds for scheme in SCHEMES]


def score_answer(reports: Sequence[Report]) -> dict[str, Any]:
    """Scores as JSON has them; `overall` names its figure; None where there is none."""
    answer: dict[str, Any] = {}
    for report in reports:
        groups: dict[str, Any] = {
            heading: {name: _cells(score) for name, score in named.items()}
            for heading, named in report.groups.items()
        }
        for figure, cells in groups.pop("overall").items():
            groups = {"overall": {"figure": figure, **cells}, **groups}
        answer[report.title] = groups
    return answer


def score_lines(reports: Sequence[Report]) -> Iterator[str]:
    """Scores as tables."""
    for report in reports:
        yield report.title
        for heading, named in report.groups.items():
            width = max(len(heading), *map(len, named))
            heads = " ".join(f"{name:>8}" for name, _ in _SHOWN)
            yield f"  {heading.replace('_', ' '):{width}} {'n':>6} {heads}"
            for name, score in named.items():
                cells = " ".join(
                    f"{_said(getattr(score, field), form):>8}" for field, form in _SHOWN
                )
                yield f"  {name:{width}} {score.n:6d} {cells}"
        yield ""


def _said(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else "–"


def _cells(score: Score) -> dict[str, float | None]:
    return {
        field: value if math.isfinite(value) else None for field, value in score._asdict().items()
    }
