"""Every compared device in one job: verdicts, figures, costs."""

from __future__ import annotations

import numpy as np

from hwplanner import wording
from hwplanner.plan import Plan
from hwplanner.report import expected
from hwplanner.report.chart_rows import device_label, state
from hwplanner.report.expected import draws_in_words
from hwplanner.report.statements import CONFIDENCE_WORDS, Cell, Heading, Record
from hwplanner.report.tables import Column, Table
from hwplanner.report.verdicts import TESTS, verdicts, why_not
from hwplanner.scenario import Job
from hwplanner.units import GIB, MONTHS_PER_YEAR, SECONDS_PER_HOUR, Interval

NOTHING = Interval(float("nan"), float("nan"), float("nan"))

DEVICE_HEADINGS = (
    Heading("Device"),
    Heading("Cost", is_number=True),
    Heading("Confidence"),
    *(Heading(test.capitalize()) for test in TESTS),
)


def device_records(plan: Plan, job: Job) -> tuple[Record, ...]:
    """Every compared device in one job with its four verdicts in words, in order of cost."""
    devices, tiers = plan.fleet(job).devices, plan.ranges.of(job).tiers
    shares = plan.cheapest_shares(job)
    return tuple(
        Record(
            cells=(
                Cell(device_label(plan, place, devices[place]), why_not(plan, place, job)),
                _cost_cell(plan, job, place),
                Cell(
                    confidence=tiers[place],
                    note=f"cheapest in {draws_in_words(float(shares[place]))}"
                    if shares[place] >= NOTED_SHARE
                    else "",
                ),
                *(
                    Cell(status=verdict.level, verdict=verdict.level, note=verdict.reason)
                    for verdict in verdicts(plan, place, job)
                ),
            ),
            chosen=place == plan.choice(job),
        )
        for place in plan.order(job)
    )


def _cost_cell(plan: Plan, job: Job, place: int) -> Cell:
    usd = expected.cost(plan, job, place)
    return Cell(
        wording.usd(usd.typical),
        wording.interval(usd.low, usd.high, wording.usd).strip(wording.NONE),
    )


def device_table(plan: Plan, job: Job) -> Table:
    """Every compared device in one job: layout, figures, verdicts and reasons."""
    build = _serving_row if job == "serving" else _training_row
    columns = _SERVING_COLUMNS if job == "serving" else _TRAINING_COLUMNS
    return Table(
        key=f"{job}_devices",
        title=f"Devices for {job}",
        columns=(*columns, *(Column(test, test.capitalize()) for test in TESTS)),
        rows=tuple(
            build(plan, place) | _verdict_cells(plan, place, job) for place in plan.order(job)
        ),
    )


def _verdict_cells(plan: Plan, place: int, job: Job) -> dict[str, object]:
    return {
        verdict.test: f"{verdict.level}: {verdict.reason}" for verdict in verdicts(plan, place, job)
    }


def _price_basis(plan: Plan, place: int) -> str:
    found = [plan.prices.purchase_basis[place], plan.prices.rent_basis[place]]
    return "; ".join(filter(None, found)) or "no price known"


NOTED_SHARE = 0.05  # of the draws; a device that is cheapest more seldom goes without a word


def _with_ends(name: str, label: str, unit: str) -> tuple[Column, Column, Column]:
    """Columns of an estimate and of the ends of the range that holds 8 of 10 cases."""
    return (
        Column(name, label, unit),
        Column(f"{name}_low", f"{label}, low", unit),
        Column(f"{name}_high", f"{label}, high", unit),
    )


def _ends(name: str, interval: Interval) -> dict[str, object]:
    """Cells of these columns."""
    return {
        name: interval.typical,
        f"{name}_low": interval.low,
        f"{name}_high": interval.high,
    }


_DEVICE_COLUMNS = (
    Column("device", "Device"),
    Column("state", "State"),
    Column("reason", "Why not"),
    Column("devices", "Devices", "count"),
    *_with_ends("fleet", "Whole fleet", "count"),
    Column("confidence", "Confidence"),
    Column("cheapest_share", "Cheapest in", "share of draws"),
)
_PAID_COLUMNS = (
    Column("owned_usd", "Owned", "USD a year"),
    Column("rented_usd", "Rented", "USD a year"),
    Column("price_basis", "Price from"),
)

_SERVING_COLUMNS = (
    *_DEVICE_COLUMNS,
    Column("copies", "Copies", "count"),
    Column("tensor", "Tensor split", "devices"),
    Column("pipeline", "Pipeline", "stages"),
    *_with_ends("memory_gib", "Memory used", "GiB/device"),
    Column("usable_gib", "Usable", "GiB/device"),
    *_with_ends("tpot_ms", "Time per token", "ms"),
    *_with_ends("ttft_ms", "First token", "ms"),
    Column("busy_share", "Busy at peak", "share"),
    *_with_ends("usd_per_million", "Cost", "USD per 1M output tokens"),
    *_PAID_COLUMNS,
)


def _device_and_paid(plan: Plan, place: int, job: Job) -> dict[str, object]:
    money = plan.money(job)
    return {
        "device": device_label(plan, place),
        "state": state(plan, place, job).replace("_", " "),
        "reason": why_not(plan, place, job),
        "confidence": CONFIDENCE_WORDS[plan.ranges.of(job).tiers[place]][1],
        "cheapest_share": float(plan.cheapest_shares(job)[place]),
        "owned_usd": float(money.owned.usd_per_year[place]),
        "rented_usd": float(money.rented.usd_per_year[place]),
        "price_basis": _price_basis(plan, place),
    }


def _serving_row(plan: Plan, place: int) -> dict[str, object]:
    serving = plan.serving
    fits = bool(serving.fits[place])

    def only_if_fits(value: float) -> float:
        return float(value) if fits else float("nan")

    def if_fits(interval: Interval) -> Interval:
        return interval if fits else NOTHING

    return {
        **_device_and_paid(plan, place, "serving"),
        "devices": only_if_fits(serving.devices[place]),
        **_ends("fleet", if_fits(expected.devices(plan, "serving", place))),
        "copies": only_if_fits(serving.copies[place]),
        "tensor": only_if_fits(serving.tensor[place]),
        "pipeline": only_if_fits(serving.pipeline[place]),
        **_ends("memory_gib", expected.memory_gib(plan, "serving", place)),
        "usable_gib": float(serving.usable_bytes[place] / GIB),
        **_ends("tpot_ms", if_fits(expected.token_ms(plan, place))),
        **_ends("ttft_ms", if_fits(expected.first_token_ms(plan, place))),
        "busy_share": only_if_fits(serving.peak_utilization[place]),
        **_ends("usd_per_million", expected.cost(plan, "serving", place)),
    }


_TRAINING_COLUMNS = (
    *_DEVICE_COLUMNS,
    Column("tensor", "Tensor split", "devices"),
    Column("pipeline", "Pipeline", "stages"),
    Column("replicas", "Replicas", "count"),
    *_with_ends("memory_gib", "Memory used", "GiB/device"),
    Column("usable_gib", "Usable", "GiB/device"),
    *_with_ends("run_hours", "Run", "h"),
    Column("work_hours", "Steps of a run", "h"),
    Column("goodput", "Goodput", "share"),
    *_with_ends("tokens_per_s_per_device", "Speed", "tokens/s/device"),
    Column("mfu", "Model FLOP utilization", "share"),
    *_with_ends("usd_per_run", "Cost", "USD a run"),
    *_PAID_COLUMNS,
)


def _training_row(plan: Plan, place: int) -> dict[str, object]:
    training = plan.training
    fits = bool(training.fits[place])

    def only_if_fits(value: float) -> float:
        return float(value) if fits else float("nan")

    def if_fits(interval: Interval) -> Interval:
        return interval if fits else NOTHING

    return {
        **_device_and_paid(plan, place, "training"),
        "devices": only_if_fits(training.devices[place]),
        **_ends("fleet", if_fits(expected.devices(plan, "training", place))),
        "tensor": only_if_fits(training.layout.tensor[place]),
        "pipeline": only_if_fits(training.layout.pipeline[place]),
        "replicas": only_if_fits(training.layout.replicas[place]),
        **_ends("memory_gib", expected.memory_gib(plan, "training", place)),
        "usable_gib": float(training.usable_bytes[place] / GIB),
        **_ends("run_hours", if_fits(expected.run_hours(plan, place))),
        "work_hours": only_if_fits(training.work_seconds[place] / SECONDS_PER_HOUR),
        "goodput": only_if_fits(training.goodput[place]),
        **_ends("tokens_per_s_per_device", if_fits(expected.training_speed(plan, place))),
        "mfu": only_if_fits(training.mfu[place]),
        **_ends("usd_per_run", expected.cost(plan, "training", place)),
    }


def yearly_cost_table(plan: Plan) -> Table:
    """What serving costs a year on each device by each way of paying, part by part."""
    money = plan.serving_cost
    owned, rented, mix = money.owned, money.rented, money.mix
    ends = plan.draws.ends("serving", is_owned=plan.serving_cost.is_owned)
    low, cheaper, high = (
        usd / MONTHS_PER_YEAR
        for usd in (ends.usd_per_year[0], plan.serving_cost.usd_per_year, ends.usd_per_year[1])
    )
    columns = (
        Column("device", "Device"),
        Column("devices", "Devices", "count"),
        *(Column(part, part.capitalize(), "USD a year") for part in owned.parts_usd_per_year),
        Column("owned", "Owned", "USD a year"),
        Column("rented", "Rented", "USD a year"),
        Column("mix", "Base owned, peaks rented", "USD a year"),
        *_with_ends("month", "Cheapest way", "USD a month"),
        Column("price_basis", "Price from"),
    )
    rows = tuple(
        {
            "device": device_label(plan, place),
            "devices": int(owned.devices[place]),
            **{part: float(usd[place]) for part, usd in owned.parts_usd_per_year.items()},
            "owned": float(owned.usd_per_year[place]),
            "rented": float(rented.usd_per_year[place]),
            "mix": float(mix.usd_per_year[place]) if money.has_peaks[place] else float("nan"),
            **_ends("month", Interval(low[place], cheaper[place], high[place])),
            "price_basis": _price_basis(plan, place),
        }
        for place in plan.order("serving")
        if plan.serving.fits[place]
    )
    return Table("yearly_cost", "Serving for a year, owned and rented", columns, rows)


def token_cost_table(plan: Plan) -> Table:
    """Cost of a request, of input and of output tokens on each device."""
    columns = (
        Column("device", "Device"),
        *_with_ends("request", "Request", "USD"),
        *_with_ends("input", "Input", "USD per 1M tokens"),
        *_with_ends("output", "Output", "USD per 1M tokens"),
        *_with_ends("all_in", "Output, prompts included", "USD per 1M tokens"),
    )
    all_in, around = plan.usd("serving"), plan.cost_band("serving").around
    rows = tuple(
        {
            "device": device_label(plan, place),
            **_ends("request", around(cost.usd, place)),
            **_ends("input", around(cost.usd_per_million_input_tokens, place)),
            **_ends("output", around(cost.usd_per_million_output_tokens, place)),
            **_ends("all_in", around(all_in[place], place)),
        }
        for place in plan.order("serving")
        if np.isfinite(all_in[place])
        for cost in (plan.request_cost.on(place),)
    )
    return Table("token_cost", "Cost of a request and of tokens", columns, rows)
