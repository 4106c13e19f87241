"""What we say of published runs: every figure with its 80 % interval."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hwplanner.assumptions import Assumptions, load_assumptions
from hwplanner.catalog.catalog import Catalog, load_catalog
from hwplanner.errors import EvidenceError
from hwplanner.evidence.intervals import Intervals, Tier, load_intervals
from hwplanner.evidence.measurements import MEASURED, Kind
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.runs import Outcome, Runs, RunStatus
from hwplanner.evidence.tiers import run_tiers
from hwplanner.files.csv_text import one_line
from hwplanner.units import Array

FITS = "fits"
"""The quantity that is a yes (1) or a no (0)."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """One figure of all runs; NaN where there is none."""

    typical: Array
    low: Array
    high: Array


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What we say of runs, one entry a row.

    Attributes
    ----------
    ids, statuses, reasons, device_ids, model_ids
        Of each run; why it has no figures; ids are '' where a name is not known.
    figures
        Estimates by the name of their column.
    groups
        By heading (mode, device, engine, kind_of_model): what each run belongs to.
    """

    ids: tuple[str, ...]
    statuses: tuple[RunStatus, ...]
    reasons: tuple[str, ...]
    device_ids: tuple[str, ...]
    model_ids: tuple[str, ...]
    figures: Mapping[str, Estimates]
    groups: Mapping[str, tuple[str, ...]]


def predict(
    kind: Kind, rows: Sequence[RunRow], *, assumptions: Assumptions | None = None
) -> Predictions:
    """Estimate published runs of one kind."""
    catalog = load_catalog()
    runs = prepared_runs(kind, rows, catalog)
    outcome = _faulty_left_out(runs.outcome(assumptions or load_assumptions()), rows)
    tiers = run_tiers(kind, rows, catalog)
    ranges = interval_factors(kind, runs, tiers, load_intervals())
    ok = np.array([status == "ok" for status in outcome.statuses])
    figures = {
        name: _estimates(np.where(ok, outcome.figures[name], np.nan), *ranges[name])
        for name in MEASURED[kind]
        if name in outcome.figures
    }
    if "value" in figures:
        is_yes_or_no = np.array([row.text("quantity") == FITS for row in rows])
        figures["value"] = _yes_or_no(figures["value"], is_yes_or_no)
    return Predictions(
        ids=tuple(row.id for row in rows),
        statuses=outcome.statuses,
        reasons=outcome.reasons,
        device_ids=runs.device_ids,
        model_ids=runs.model_ids,
        figures=figures,
        groups=runs.groups,
    )


def prepared_runs(kind: Kind, rows: Sequence[RunRow], catalog: Catalog) -> Runs:
    """Runs of a kind, read once."""
    # Each kind brings its half of the engine along, which takes time to load.
    match kind:
        case "serving":
            from hwplanner.evidence.serving_runs import ServingRuns

            return ServingRuns.prepare(rows, catalog)
        case "training":
            from hwplanner.evidence.training_runs import TrainingRuns

            return TrainingRuns.prepare(rows, catalog)
        case "training-memory":
            from hwplanner.evidence.training_memory_runs import TrainingMemoryRuns

            return TrainingMemoryRuns.prepare(rows, catalog)
        case "serving-memory":
            from hwplanner.evidence.serving_memory_runs import ServingMemoryRuns

            return ServingMemoryRuns.prepare(rows, catalog)


def interval_factors(
    kind: Kind, runs: Runs, tiers: Sequence[Tier], intervals: Intervals
) -> Mapping[str, tuple[Array, Array]]:
    """Factors on each estimate by figure: those of its regime and of how near measurements are."""
    known = {names[:2] for names in intervals.ranges}
    factors: dict[str, tuple[Array, Array]] = {}
    for figure, regimes in runs.regimes.items():
        own = (kind, figure)
        of_kind, of_figure = own if own in known else _RANGE_OF.get(own, own)
        pairs = [
            intervals.range(of_kind, of_figure, regime, tier)
            for regime, tier in zip(regimes, tiers, strict=True)
        ]
        low, high = np.array(pairs, dtype=float).reshape(-1, 2).T
        is_inverse = own not in known and figure == STEP
        factors[figure] = (1 / high, 1 / low) if is_inverse else (low, high)
    return factors


STEP = "step_time_s"
# Figures that follow from another are not fitted by themselves: they share its range.
_RANGE_OF: Mapping[tuple[str, str], tuple[str, str]] = {
    ("serving", "total_tokens_per_s"): ("serving", "output_tokens_per_s"),
    ("serving", "requests_per_s"): ("serving", "output_tokens_per_s"),
    ("training", STEP): ("training", "tokens_per_s_per_device"),
    ("training", "peak_memory_gb"): ("training-memory", "value"),
}


def write_predictions(path: Path, predictions: Predictions) -> None:
    """Write one line for each row, in the order of the rows.

    Raises
    ------
    EvidenceError
        When the file cannot be written.
    """
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(_table(predictions))
    except OSError as fault:
        raise EvidenceError(one_line(f"{path} cannot be written: {fault.strerror}")) from fault


def _table(predictions: Predictions) -> Iterator[Sequence[str]]:
    names = predictions.figures
    heads = ("id", "status", "reason", "device_id", "model_id")
    yield (*heads, *(head for name in names for head in (name, f"{name}_low", f"{name}_high")))
    of_figures = [
        [_number(value) for value in values.tolist()]
        for figure in names.values()
        for values in (figure.typical, figure.low, figure.high)
    ]
    yield from zip(
        predictions.ids,
        predictions.statuses,
        predictions.reasons,
        predictions.device_ids,
        predictions.model_ids,
        *of_figures,
        strict=True,
    )


def _number(value: float) -> str:
    """Six digits; all of a whole number, as counts are exact; blank where there is no figure."""
    if not np.isfinite(value):
        return ""
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def _estimates(typical: Array, low: Array, high: Array) -> Estimates:
    ends = typical * low, typical * high  # of a negative figure in the other order
    return Estimates(typical=typical, low=np.minimum(*ends), high=np.maximum(*ends))


def _yes_or_no(values: Estimates, is_yes_or_no: Array) -> Estimates:
    """Take the estimate of a yes or no as the share of the room that is needed: yes below 1."""
    close = (values.low < 1) & (values.high > 1)
    told = np.where(np.isnan(values.typical), np.nan, (values.typical <= 1).astype(float))
    return Estimates(
        typical=np.where(is_yes_or_no, told, values.typical),
        low=np.where(is_yes_or_no, np.where(close, 0.0, told), values.low),
        high=np.where(is_yes_or_no, np.where(close, 1.0, told), values.high),
    )


def _faulty_left_out(outcome: Outcome, rows: Sequence[RunRow]) -> Outcome:
    """Say of a row with a number that is none what is wrong with it."""
    return replace(
        outcome,
        statuses=tuple(
            "unsupported" if row.fault else status
            for row, status in zip(rows, outcome.statuses, strict=True)
        ),
        reasons=tuple(
            row.fault or reason for row, reason in zip(rows, outcome.reasons, strict=True)
        ),
    )
