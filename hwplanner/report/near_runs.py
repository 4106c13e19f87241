"""Published runs like the scenario: what was measured, and what we say of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hwplanner import wording
from hwplanner.evidence.measurements import Measurement
from hwplanner.evidence.nearby import asked_features
from hwplanner.evidence.nearest import Asked, NearRun, nearest_runs
from hwplanner.evidence.score import Observed
from hwplanner.plan import Plan
from hwplanner.report.evidence_tables import CHECKED, KNOWN_SOURCE, MODES, checks, signed
from hwplanner.report.statements import Cell, Heading, Record
from hwplanner.report.tables import Column, Table
from hwplanner.scenario import Job

NEAREST = 6
SOURCE_CHARACTERS = 60

NEAR_HEADINGS = (
    Heading("Published run"),
    Heading("Setting"),
    Heading("Measured", is_number=True),
    Heading("We say", is_number=True),
    Heading("Off by", is_number=True),
)
NEAR_COLUMNS = (
    Column("run", "Run"),
    Column("model", "Model"),
    Column("device", "Device"),
    Column("devices", "Devices", "count"),
    Column("software", "Software"),
    Column("setting", "Setting"),
    Column("figure", "Figure"),
    Column("measured", "Measured"),
    Column("predicted", "We say, without having seen it"),
    Column("low", "Low, 1 in 10 is below"),
    Column("high", "High, 1 in 10 is above"),
    Column("distance", "Distance"),
    Column("source", "Source"),
    Column("address", "Address"),
    Column("date", "Date"),
)
_FIRST_FIGURES: Mapping[Job, tuple[str, ...]] = {
    "serving": ("throughput", "token", "first_token"),
    "training": ("training",),
}


def runs_like(plan: Plan, job: Job) -> tuple[NearRun, ...]:
    """Published runs that are most like what the plan does on the device that it chooses."""
    place = plan.choice(job)
    if place is None:
        return ()
    scenario = plan.scenario
    features = asked_features(job, scenario, plan.workload, plan.arrays)[place]
    if job == "training":
        asked = Asked(
            features=features,
            input_tokens=scenario.sequence_tokens,
            output_tokens=0.0,
            requests=0.0,
            devices=float(plan.training.devices[place]),
        )
    else:
        answer = float(plan.serving.times.output_tokens)
        asked = Asked(
            features=features,
            input_tokens=scenario.context_tokens - answer,
            output_tokens=answer,
            requests=float(plan.serving.batch[place]),
            devices=float(plan.serving.layout_devices[place]),
        )
    return nearest_runs(job, asked, NEAREST)


def _observed_of(job: Job) -> Mapping[tuple[str, str], Observed]:
    """Estimates of published runs by run and figure."""
    return {
        (check.run.id, figure): check.observed
        for figure in _FIRST_FIGURES[job]
        for check in checks(figure, KNOWN_SOURCE)
    }


def near_records(near: Sequence[NearRun], job: Job) -> tuple[Record, ...]:
    """Runs like the scenario: what was measured, and what we say of each."""
    observed = _observed_of(job)
    return tuple(_near_record(one, job, observed) for one in near)


def _near_record(one: NearRun, job: Job, observed: Mapping[tuple[str, str], Observed]) -> Record:
    run = one.run
    about = Cell(f"{run.text('model')} on {_devices(one)}", f"{_source(run)}, {run.date}")
    setting = Cell(_setting(run, job), _software(run))
    for figure in _FIRST_FIGURES[job]:
        seen = observed.get((run.id, figure))
        if seen is not None:
            unit = "" if figure == "throughput" else f" {CHECKED[figure].unit}"
            ends = wording.interval(seen.low, seen.high)
            return Record(
                (
                    about,
                    setting,
                    Cell(f"{wording.significant(seen.measured)}{unit}", _named(run, figure)),
                    Cell(f"{wording.significant(seen.predicted)}{unit}", ends),
                    Cell(signed(seen.predicted / seen.measured - 1)),
                )
            )
    return Record((about, setting), reason="not among the figures that are checked")


def _named(run: Measurement, figure: str) -> str:
    """What exactly was measured."""
    if figure != "throughput":
        return CHECKED[figure].label.lower()
    printed = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s")
    words = ("output tokens/s", "tokens/s, prompts too", "requests/s")
    return next(word for name, word in zip(printed, words, strict=True) if name in run.measured)


def near_table(near: Sequence[NearRun], job: Job) -> Table:
    """Runs like the scenario with all their figures."""
    observed = _observed_of(job)
    rows = tuple(
        {
            "run": one.run.id,
            "model": one.run.text("model"),
            "device": one.run.text("device"),
            "devices": one.run.number("n_devices"),
            "software": _software(one.run),
            "setting": _setting(one.run, job),
            "figure": CHECKED[figure].label,
            "measured": seen.measured,
            "predicted": seen.predicted,
            "low": seen.low,
            "high": seen.high,
            "distance": one.distance,
            "source": one.run.source,
            "address": one.run.address,
            "date": one.run.date,
        }
        for one in near
        for figure in _FIRST_FIGURES[job]
        for seen in (observed.get((one.run.id, figure)),)
        if seen is not None
    )
    return Table(f"runs_like_{job}", f"Published runs like yours, {job}", NEAR_COLUMNS, rows)


def _devices(one: NearRun) -> str:
    count = one.run.number("n_devices") or 1
    return (
        wording.devices(int(count), one.run.text("device")) if count > 1 else one.run.text("device")
    )


def _software(run: Measurement) -> str:
    name = run.text("engine") or run.text("framework")
    return f"{name} {run.text('engine_version')}".strip()


def _setting(run: Measurement, job: Job) -> str:
    """Lengths and load of a run, as far as it says them."""
    if job == "training":
        length, method = run.number("seq_len"), run.text("method")
        said = (method, f"{wording.tokens(length)} tokens a sequence" if length else "")
    else:
        lengths = run.number("input_tokens"), run.number("output_tokens")
        in_flight = run.number("concurrency")
        said = (
            ", ".join(
                f"{wording.tokens(length)} {way}"
                for length, way in zip(lengths, ("in", "out"), strict=True)
                if length is not None
            ),
            f"{wording.count(in_flight)} in flight"
            if in_flight
            else MODES.get(run.text("mode"), ""),
        )
    return "; ".join(filter(None, said))


def _source(run: Measurement) -> str:
    """Who published a run, in one line."""
    name = run.source
    is_short = len(name) <= SOURCE_CHARACTERS
    return name if is_short else f"{name[: SOURCE_CHARACTERS - 1].rstrip()}…"
