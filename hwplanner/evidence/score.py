"""How well estimates agree with measurements, in all and by groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from hwplanner.catalog.catalog import load_catalog
from hwplanner.errors import EvidenceError
from hwplanner.evidence.intervals import Tier, load_intervals
from hwplanner.evidence.measurements import (
    FILES,
    KINDS,
    MEASURED,
    Kind,
    Measurement,
    load_measurements,
    measurements_of,
)
from hwplanner.evidence.predict import (
    FITS,
    Estimates,
    interval_factors,
    predict,
    prepared_runs,
)
from hwplanner.evidence.rows import RunRow, read_run_rows
from hwplanner.files.csv_files import DATA_DIR, read_rows
from hwplanner.files.csv_text import one_line, read_bytes, records
from hwplanner.units import Array

Scheme = Literal["group", "source", "device"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

# What the left-out prediction of a scheme knows of the row decides which interval it deserves.

THROUGHPUT = "throughput"
"""Speed of a serving run, however it was printed: one figure a row."""

_THROUGHPUTS = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s")
_HEADLINES = (THROUGHPUT, "tokens_per_s_per_device", "value")
ARRIVAL_DRIVEN = "server_rate"


class Observed(NamedTuple):
    """One measured figure beside its estimate; NaN where there is none."""

    row: int
    figure: str
    measured: float
    predicted: float
    low: float
    high: float


class Stored(NamedTuple):
    """Shipped runs of a kind, what each belongs to by heading, and what was said of them."""

    runs: tuple[Measurement, ...]
    groups: Mapping[str, Sequence[str]]
    observed: tuple[Observed, ...]


class Score(NamedTuple):
    """Agreement of a group of figures.

    A figure without an estimate counts as wrong in `mdape` and the shares; `bias`, `cover80` and
    `width` are those of the figures that have one.
    """

    n: int
    answered: float
    """Share that has an estimate."""
    mdape: float
    """Median of the absolute error over the measurement."""
    in20: float
    """Share within 20 % of the measurement."""
    in25: float
    in30: float
    bias: float
    """Median of estimate over measurement, less 1."""
    cover80: float
    """Share inside the 80 % interval."""
    width: float
    """Median of the interval's high end over its low one."""
    mean: float
    """Mean of the absolute error over the measurement, of the figures that have an estimate."""
    right: float
    """Of yes-or-no questions the share told right."""


@cache
def _left_out_predictions() -> Mapping[
    tuple[str, str], Mapping[tuple[str, str], tuple[float, Tier]]
]:
    """Stored predictions and their tiers by kind and scheme, then by run and figure."""
    found: dict[tuple[str, str], dict[tuple[str, str], tuple[float, Tier]]] = {
        (kind, scheme): {} for kind in KINDS for scheme in SCHEMES
    }
    for row in read_rows(DATA_DIR / "cross_validation.csv", error=EvidenceError):
        of_scheme = found[row.text("kind"), row.text("scheme")]
        of_scheme[row.text("id"), row.text("figure")] = (
            float(row.text("predicted")),
            cast(Tier, row.text("tier")),
        )
    return found


@dataclass(frozen=True, slots=True)
class Report:
    """Scores by heading and group."""

    title: str
    groups: Mapping[str, Mapping[str, Score]]


def kind_of_file(path: Path) -> Kind:
    """Kind of measurement that the columns of a file speak of."""
    try:
        _, header = next(records(read_bytes(path)))
    except ValueError as fault:
        raise EvidenceError(one_line(f"{path.name} {fault}")) from fault
    is_memory, is_training = "quantity" in header, "method" in header
    if is_memory:
        return "training-memory" if is_training else "serving-memory"
    return "training" if is_training else "serving"


def score_file(kind: Kind, path: Path) -> Report:
    """Predict the rows of a file and hold them against its measured columns.

    Raises
    ------
    EvidenceError
        When the file is not a table of runs.
    """
    rows = read_run_rows(path)
    predictions = predict(kind, rows)
    observed = [
        seen
        for row, measured in enumerate(_measured(path, MEASURED[kind]))
        for seen in _observed(row, rows[row], measured, predictions.figures)
    ]
    return _report(f"{kind}, {path.name}", rows, predictions.groups, observed)


@cache
def stored(kind: Kind, scheme: Scheme) -> Stored:
    """Put the stored predictions of the last calibration beside the shipped measurements.

    Each was made by a fit that had not seen what belongs with its row under the scheme.
    """
    runs = [run for run in measurements_of(kind) if run.is_reliable]
    prepared = prepared_runs(kind, runs, load_catalog())
    place = {run.id: row for row, run in enumerate(runs)}
    typical = {figure: np.full(len(runs), np.nan) for figure in prepared.regimes}
    tiers: list[Tier] = ["extrapolated"] * len(runs)  # those without a prediction do not count
    for (run_id, figure), (predicted, tier) in _left_out_predictions()[kind, scheme].items():
        if run_id in place and figure in typical:
            typical[figure][place[run_id]] = predicted
            tiers[place[run_id]] = tier
    factors = interval_factors(kind, prepared, tiers, load_intervals())
    figures = {
        figure: Estimates(values, values * factors[figure][0], values * factors[figure][1])
        for figure, values in typical.items()
        if np.isfinite(values).any()
    }
    observed = [
        seen
        for row, run in enumerate(runs)
        for seen in _observed(row, run, _independent(run.measured), figures)
    ]
    files = {run.id: name for name in FILES[kind] for run in load_measurements(name)}
    groups = {**prepared.groups, "file": tuple(files[run.id] for run in runs)}
    return Stored(tuple(runs), groups, tuple(observed))


def score_stored(kind: Kind, scheme: Scheme) -> Report:
    """Score the stored predictions of the last calibration."""
    title = f"{kind}, stored cross-validation, left out together: {LEFT_OUT[scheme]}"
    return _report(title, *stored(kind, scheme))


def _independent(measured: Mapping[str, float]) -> Mapping[str, float]:
    """Measured figures without the throughputs that follow from the first."""
    first = next((figure for figure in _THROUGHPUTS if figure in measured), "")
    return {
        figure: value
        for figure, value in measured.items()
        if figure == first or figure not in _THROUGHPUTS
    }


LEFT_OUT: Mapping[Scheme, str] = {
    "group": "rows of one source, device and model",
    "source": "rows of one source",
    "device": "rows of one device",
}


def _measured(path: Path, figures: Sequence[str]) -> Iterator[dict[str, float]]:
    """Measured figures of each row of a file; a cell without a number measures nothing."""
    table = records(read_bytes(path))
    header = [name.strip().lower() for name in next(table)[1]]
    for _, texts in table:
        if any(text.strip() for text in texts):
            cells = dict(zip(header, texts, strict=True))
            numbers = {figure: _float(cells.get(figure, "")) for figure in figures}
            yield {figure: value for figure, value in numbers.items() if np.isfinite(value)}


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def _observed(
    row: int, run: RunRow, measured: Mapping[str, float], figures: Mapping[str, Estimates]
) -> Iterator[Observed]:
    """Figures of one row, and its throughput once more under that name."""
    is_yes_or_no = run.text("quantity") == FITS
    seen = {
        figure: Observed(
            row,
            figure,
            value,
            *(
                float(ends[row])
                for ends in (figures[figure].typical, figures[figure].low, figures[figure].high)
            ),
        )
        for figure, value in measured.items()
        if figure in figures and (value > 0 or is_yes_or_no)
    }
    yield from seen.values()
    # Totals and requests follow from tokens generated; prompts alone have a total only.
    if throughput := next((seen[name] for name in _THROUGHPUTS if name in seen), None):
        yield throughput._replace(figure=THROUGHPUT)


def _report(
    title: str,
    rows: Sequence[RunRow],
    headings: Mapping[str, Sequence[str]],
    observed: Sequence[Observed],
) -> Report:
    """Split what was measured by figure and, of the headline figure, by group."""
    figures = [seen.figure for seen in observed]
    headline = next((name for name in _HEADLINES if name in figures), figures[0] if figures else "")
    fits = [seen for seen in observed if rows[seen.row].text("quantity") == FITS]
    others = [seen for seen in observed if seen not in fits] if fits else list(observed)
    main = [seen for seen in others if seen.figure == headline]
    steady = [seen for seen in main if rows[seen.row].text("mode") != ARRIVAL_DRIVEN]
    groups: dict[str, Mapping[str, Score]] = {"overall": {headline: score(steady)}}
    for heading, names in headings.items():
        is_driven = heading == "mode"  # the only group that holds arrival-driven runs
        counted = main if is_driven else steady
        groups[heading] = _by_name(counted, [names[seen.row] for seen in counted])
    fields = [rows[seen.row].text("quantity") or seen.figure for seen in observed]
    groups["measured_field"] = _by_name(observed, fields, yes_or_no=FITS)
    if files := headings.get("file"):
        both = [f"{field}, {files[seen.row]}" for field, seen in zip(fields, observed, strict=True)]
        groups["measured_field_of_file"] = _by_name(observed, both)
    return Report(title, {heading: named for heading, named in groups.items() if named})


def _by_name(
    observed: Sequence[Observed], names: Sequence[str], *, yes_or_no: str = ""
) -> Mapping[str, Score]:
    """Score of each group, the largest first."""
    members: dict[str, list[Observed]] = {}
    for seen, name in zip(observed, names, strict=True):
        members.setdefault(name or "not known", []).append(seen)
    largest = sorted(members, key=lambda name: (-len(members[name]), name))
    return {name: score(members[name], is_yes_or_no=name == yes_or_no) for name in largest}


def score(observed: Sequence[Observed], *, is_yes_or_no: bool = False) -> Score:
    """Agreement of some figures with what was measured."""
    values = np.array([seen[2:] for seen in observed], dtype=float).reshape(-1, 4)
    measured, predicted, low, high = values.T
    told = np.isfinite(predicted)
    if is_yes_or_no:
        right = _share(told & (predicted == measured))
        covered = _share(((low <= measured) & (measured <= high))[told])
        return Score(
            n=len(observed),
            answered=_share(told),
            cover80=covered,
            right=right,
            **dict.fromkeys(("mdape", "in20", "in25", "in30", "bias", "width", "mean"), np.nan),
        )
    error = np.where(told, np.abs(predicted / measured - 1), np.inf)
    return Score(
        n=len(observed),
        answered=_share(told),
        mdape=_median(error),
        in20=_share(error <= 0.20),
        in25=_share(error <= 0.25),
        in30=_share(error <= 0.30),
        bias=_median((predicted / measured)[told]) - 1,
        cover80=_share(((low <= measured) & (measured <= high))[told]),
        width=_median((high / low)[told]),
        mean=float(np.mean(error[told])) if told.any() else np.nan,
        right=np.nan,
    )


def _share(is_so: NDArray[np.bool_]) -> float:
    return float(np.mean(is_so)) if is_so.size else np.nan


def _median(values: Array) -> float:
    return float(np.median(values)) if values.size else np.nan
