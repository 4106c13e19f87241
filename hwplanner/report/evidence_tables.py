"""Estimates held against published measurements: rows, scores, runs like the scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hwplanner import wording
from hwplanner.catalog.catalog import load_catalog
from hwplanner.catalog.device import device_name
from hwplanner.evidence.measurements import Kind, Measurement
from hwplanner.evidence.predict import FITS
from hwplanner.evidence.score import THROUGHPUT, Observed, Scheme, Score, score, stored
from hwplanner.plan import Plan
from hwplanner.report.statements import CONFIDENCE_WORDS, Cell, Heading, Record
from hwplanner.report.story import Finding, Phrase
from hwplanner.report.tables import CheckRow, Column, Table

FEW = 10  # figures below which a group is not scored by itself
SHOWN = 12  # scores on the page; a file has all
NEW_SOURCE: Scheme = "source"
KNOWN_SOURCE: Scheme = "group"


@dataclass(frozen=True, slots=True)
class CheckedFigure:
    """One figure that is both estimated and measured in many published runs."""

    kind: Kind
    figure: str
    label: str
    unit: str


CHECKED: Mapping[str, CheckedFigure] = {
    "throughput": CheckedFigure(
        "serving", THROUGHPUT, "Serving throughput", "tokens/s or requests/s, as printed"
    ),
    "token": CheckedFigure("serving", "tpot_ms_mean", "Time per token", "ms"),
    "first_token": CheckedFigure("serving", "ttft_ms_mean", "First token", "ms"),
    "training": CheckedFigure(
        "training", "tokens_per_s_per_device", "Training speed", "tokens/s/device"
    ),
    "training_memory": CheckedFigure(
        "training-memory", "value", "Training memory", "GB on the fullest device"
    ),
    "serving_memory": CheckedFigure(
        "serving-memory", "value", "Serving memory", "GiB, tokens or parameters, as printed"
    ),
}
HEADINGS: Mapping[str, str] = {
    "device": "Device",
    "engine": "Engine",
    "mode": "Load",
    "kind_of_model": "Kind of model",
    "model": "Model",
    "quantity": "Quantity",
    "source": "Source",
}
MODES: Mapping[str, str] = {
    "single_stream": "one request at a time",
    "fixed_concurrency": "fixed number in flight",
    "offline_max": "everything queued",
    "server_rate": "random arrivals",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One figure of a published run beside our estimate, and what the run belongs to."""

    run: Measurement
    observed: Observed
    groups: Mapping[str, str]


@lru_cache(maxsize=16)
def checks(figure: str, scheme: Scheme) -> tuple[Check, ...]:
    """All runs that measure a figure, with the estimate of a fit that had not seen them.

    Parameters
    ----------
    figure
        A key of `CHECKED`.
    scheme
        What the fit had not seen.
    """
    asked = CHECKED[figure]
    data = stored(asked.kind, scheme)
    return tuple(
        Check(data.runs[seen.row], seen, _groups(data.runs, data.groups, seen.row))
        for seen in data.observed
        if seen.figure == asked.figure
        and seen.measured > 0
        and data.runs[seen.row].text("quantity") != FITS
    )


def _groups(
    runs: Sequence[Measurement], groups: Mapping[str, Sequence[str]], row: int
) -> Mapping[str, str]:
    run = runs[row]
    device_id = groups["device"][row]
    return {
        "device": device_name(load_catalog().device(device_id)) if device_id else "not known",
        "engine": groups["engine"][row] if "engine" in groups else "",
        "mode": MODES.get(run.text("mode"), run.text("mode")),
        "kind_of_model": groups["kind_of_model"][row] or "not known",
        "model": run.text("model"),
        "quantity": run.text("quantity").replace("_", " "),
        "source": run.source,
    }


def headings(found: Sequence[Check]) -> tuple[str, ...]:
    """Headings under which there is more than one group."""
    return tuple(heading for heading in HEADINGS if len(choices(found, heading)) > 1)


def choices(found: Sequence[Check], heading: str) -> tuple[str, ...]:
    """Groups under a heading, the largest first."""
    counts: dict[str, int] = {}
    for check in found:
        counts[check.groups[heading]] = counts.get(check.groups[heading], 0) + 1
    return tuple(sorted(filter(None, counts), key=lambda name: (-counts[name], name)))


def filtered(found: Sequence[Check], wanted: Mapping[str, str | None]) -> tuple[Check, ...]:
    """Keep the runs of the groups that are asked for; None or '' keeps all."""
    asked = {heading: name for heading, name in wanted.items() if name}
    return tuple(
        check
        for check in found
        if all(check.groups[heading] == name for heading, name in asked.items())
    )


def check_rows(found: Sequence[Check], plan: Plan) -> tuple[CheckRow, ...]:
    """Rows of the chart; those on a device that the plan chooses are marked."""
    names = {
        device_name(plan.devices[place])
        for place in (plan.serving_choice, plan.training_choice)
        if place is not None
    }
    return tuple(
        CheckRow(
            label=f"{check.run.text('model')} on {check.run.text('device')}",
            source=check.run.source,
            date=check.run.date,
            engine=f"{check.run.text('engine')} {check.run.text('engine_version')}".strip(),
            measured=check.observed.measured,
            predicted=check.observed.predicted,
            low=check.observed.low,
            high=check.observed.high,
            is_of_plan=check.groups["device"] in names,
        )
        for check in found
    )


def evidence_finding(figure: str, known: Sequence[Check], new: Sequence[Check]) -> Finding:
    """How far estimates are off where nothing of the run was seen, and how often ranges hold."""
    asked = CHECKED[figure]
    if not known:
        return Finding(
            (Phrase("No published run matches these filters."),),
            "Choose fewer of them below.",
        )
    seen, unseen = _score(known), _score(new)
    sources = len({check.run.source for check in known})
    of_sources = "one source" if sources == 1 else f"{sources} sources"
    return Finding(
        (
            Phrase(f"{asked.label}: half of {seen.n:,} published figures lie within "),
            Phrase(f"{wording.percent(seen.mdape)} of what we say", strong=True),
            Phrase(", without having seen them."),
        ),
        f"Ranges that should hold 80% hold {wording.percent(seen.cover80)}. Against {of_sources} "
        f"of which nothing was seen at all, half lie within {wording.percent(unseen.mdape)}.",
    )


def _score(found: Sequence[Check]) -> Score:
    return score([check.observed for check in found])


SCORE_HEADINGS = (
    Heading("Group"),
    Heading("Figures", is_number=True),
    Heading("Half within", is_number=True),
    Heading("Within 20%", is_number=True),
    Heading("Within 30%", is_number=True),
    Heading("Bias", is_number=True),
    Heading("80% range holds", is_number=True),
    Heading("Its width", is_number=True),
    Heading("New source: half within", is_number=True),
)
SCORE_COLUMNS = (
    Column("group", "Group"),
    Column("n", "Figures", "count"),
    Column("mdape", "Median error", "share of the measurement"),
    Column("in20", "Within 20 %", "share"),
    Column("in30", "Within 30 %", "share"),
    Column("bias", "Bias, median estimate over measurement less 1", "share"),
    Column("cover80", "Inside the 80 % range", "share"),
    Column("width", "Median width, high over low", "ratio"),
    Column("source_mdape", "Median error, source left out", "share of the measurement"),
    Column("source_in20", "Within 20 %, source left out", "share"),
    Column("source_cover80", "Inside the 80 % range, source left out", "share"),
    Column("source_width", "Median width, source left out", "ratio"),
)


def _scores(
    known: Sequence[Check], new: Sequence[Check], heading: str
) -> list[tuple[str, Score, Score]]:
    """Scores of all, and of each group under a heading that is large enough, under both schemes."""
    names = choices(known, heading)
    pairs = [("All", known, new)] + [
        (name, filtered(known, {heading: name}), filtered(new, {heading: name})) for name in names
    ]
    return [(name, _score(seen), _score(left)) for name, seen, left in pairs if len(seen) >= FEW]


def score_records(known: Sequence[Check], new: Sequence[Check], heading: str) -> tuple[Record, ...]:
    """Agreement of each group in words."""
    percent: Callable[[float | None], str] = wording.percent
    return tuple(
        Record(
            (
                Cell(name, strong=name == "All"),
                Cell(f"{seen.n:,}"),
                Cell(percent(seen.mdape)),
                Cell(percent(seen.in20)),
                Cell(percent(seen.in30)),
                Cell(signed(seen.bias)),
                Cell(percent(seen.cover80)),
                Cell(f"{wording.TIMES}{wording.significant(seen.width)}"),
                Cell(percent(new_.mdape)),
            )
        )
        for name, seen, new_ in _scores(known, new, heading)[:SHOWN]
    )


def signed(share: float) -> str:
    """Say a share with its sign."""
    words = wording.percent(share)
    return f"+{words}" if share > 0 else words


def score_table(known: Sequence[Check], new: Sequence[Check], heading: str) -> Table:
    """Agreement of each group as numbers."""
    rows = tuple(
        {
            "group": name,
            **{field: getattr(seen, field) for field in ("n", "mdape", "in20", "in30")},
            **{field: getattr(seen, field) for field in ("bias", "cover80", "width")},
            **{
                f"source_{field}": getattr(left, field)
                for field in ("mdape", "in20", "cover80", "width")
            },
        }
        for name, seen, left in _scores(known, new, heading)
    )
    title = f"Agreement by {HEADINGS[heading].lower()}"
    return Table("agreement", title, SCORE_COLUMNS, rows)


def badge_legend() -> tuple[tuple[str, str], ...]:
    """What the badges mean."""
    meanings = (
        "published runs on the same device, with the same software, weights of the same width and "
        "a model of up to three times more or fewer active parameters",
        "published runs on the device with quite other models or software, or on devices of its "
        "class",
        "no published run of either; the range is the widest",
    )
    return tuple(
        (f"{mark} {words}", meaning)
        for (mark, words), meaning in zip(CONFIDENCE_WORDS.values(), meanings, strict=True)
    )
