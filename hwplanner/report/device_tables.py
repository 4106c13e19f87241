"""Every compared device in one job: verdicts, figures, costs."""

from __future__ import annotations

import numpy as np

from hwplanner import wording
from hwplanner.plan import Plan
from hwplanner.report.chart_rows import device_label, state
from hwplanner.report.statements import (
    Cell,
    Heading,
    Record,
)
from hwplanner.report.tables import Column, Table
from hwplanner.report.verdicts import TESTS, verdicts, why_not
from hwplanner.scenario import Job
from hwplanner.units import GIB, MONTHS_PER_YEAR, SECONDS_PER_HOUR

DEVICE_HEADINGS = (
    Heading("Device"),
    Heading("Cost", is_number=True),
    *(Heading(test.capitalize()) for test in TESTS),
)


def device_records(plan: Plan, job: Job) -> tuple[Record, ...]:
    """Every compared device in one job with its four verdicts in words, in order of cost."""
    usd, devices = plan.usd(job), plan.fleet(job).devices
    return tuple(
        Record(
            cells=(
                Cell(device_label(plan, place, devices[place]), why_not(plan, place, job)),
                Cell(wording.usd(float(usd[place]))),
                *(
                    Cell(status=verdict.level, verdict=verdict.level, note=verdict.reason)
                    for verdict in verdicts(plan, place, job)
                ),
            ),
            chosen=place == plan.choice(job),
        )
        for place in plan.order(job)
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


_DEVICE_COLUMNS = (
    Column("device", "Device"),
    Column("state", "State"),
    Column("reason", "Why not"),
    Column("devices", "Devices", "count"),
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
    Column("memory_gib", "Memory used", "GiB/device"),
    Column("usable_gib", "Usable", "GiB/device"),
    Column("tpot_ms", "Time per token", "ms"),
    Column("ttft_ms", "First token", "ms"),
    Column("busy_share", "Busy at peak", "share"),
    Column("usd_per_million", "Cost", "USD per 1M output tokens"),
    *_PAID_COLUMNS,
)


def _device_and_paid(plan: Plan, place: int, job: Job) -> dict[str, object]:
    money = plan.money(job)
    return {
        "device": device_label(plan, place),
        "state": state(plan, place, job).replace("_", " "),
        "reason": why_not(plan, place, job),
        "owned_usd": float(money.owned.usd_per_year[place]),
        "rented_usd": float(money.rented.usd_per_year[place]),
        "price_basis": _price_basis(plan, place),
    }


def _serving_row(plan: Plan, place: int) -> dict[str, object]:
    serving = plan.serving
    fits = bool(serving.fits[place])

    def only_if_fits(value: float) -> float:
        return float(value) if fits else float("nan")

    usd = plan.usd("serving")[place]
    return {
        **_device_and_paid(plan, place, "serving"),
        "devices": only_if_fits(serving.devices[place]),
        "copies": only_if_fits(serving.copies[place]),
        "tensor": only_if_fits(serving.tensor[place]),
        "pipeline": only_if_fits(serving.pipeline[place]),
        "memory_gib": float(serving.used_bytes[place] / GIB),
        "usable_gib": float(serving.usable_bytes[place] / GIB),
        "tpot_ms": only_if_fits(serving.tpot_seconds[place] * 1000),
        "ttft_ms": only_if_fits(serving.ttft_seconds[place] * 1000),
        "busy_share": only_if_fits(serving.peak_utilization[place]),
        "usd_per_million": float(usd),
    }


_TRAINING_COLUMNS = (
    *_DEVICE_COLUMNS,
    Column("tensor", "Tensor split", "devices"),
    Column("pipeline", "Pipeline", "stages"),
    Column("replicas", "Replicas", "count"),
    Column("memory_gib", "Memory used", "GiB/device"),
    Column("usable_gib", "Usable", "GiB/device"),
    Column("run_hours", "Run", "h"),
    Column("tokens_per_s_per_device", "Speed", "tokens/s/device"),
    Column("mfu", "Model FLOP utilization", "share"),
    Column("usd_per_run", "Cost", "USD a run"),
    *_PAID_COLUMNS,
)


def _training_row(plan: Plan, place: int) -> dict[str, object]:
    training = plan.training
    fits = bool(training.fits[place])

    def only_if_fits(value: float) -> float:
        return float(value) if fits else float("nan")

    return {
        **_device_and_paid(plan, place, "training"),
        "devices": only_if_fits(training.devices[place]),
        "tensor": only_if_fits(training.layout.tensor[place]),
        "pipeline": only_if_fits(training.layout.pipeline[place]),
        "replicas": only_if_fits(training.layout.replicas[place]),
        "memory_gib": float(training.memory.total_bytes[place] / GIB),
        "usable_gib": float(training.usable_bytes[place] / GIB),
        "run_hours": only_if_fits(training.run_seconds[place] / SECONDS_PER_HOUR),
        "tokens_per_s_per_device": only_if_fits(training.tokens_per_s_per_device[place]),
        "mfu": only_if_fits(training.mfu[place]),
        "usd_per_run": float(plan.usd_per_run[place]),
    }


def yearly_cost_table(plan: Plan) -> Table:
    """What serving costs a year on each device by each way of paying, part by part."""
    owned, rented = plan.serving_cost.owned, plan.serving_cost.rented
    columns = (
        Column("device", "Device"),
        Column("devices", "Devices", "count"),
        *(Column(part, part.capitalize(), "USD a year") for part in owned.parts_usd_per_year),
        Column("owned", "Owned", "USD a year"),
        Column("rented", "Rented", "USD a year"),
        Column("month", "Cheaper way", "USD a month"),
        Column("price_basis", "Price from"),
    )
    rows = tuple(
        {
            "device": device_label(plan, place),
            "devices": int(owned.devices[place]),
            **{part: float(usd[place]) for part, usd in owned.parts_usd_per_year.items()},
            "owned": float(owned.usd_per_year[place]),
            "rented": float(rented.usd_per_year[place]),
            "month": float(plan.serving_cost.usd_per_year[place]) / MONTHS_PER_YEAR,
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
        Column("request", "Request", "USD"),
        Column("input", "Input", "USD per 1M tokens"),
        Column("output", "Output", "USD per 1M tokens"),
        Column("all_in", "Output, prompts included", "USD per 1M tokens"),
    )
    all_in = plan.usd("serving")
    rows = tuple(
        {
            "device": device_label(plan, place),
            "request": float(cost.usd),
            "input": float(cost.usd_per_million_input_tokens),
            "output": float(cost.usd_per_million_output_tokens),
            "all_in": float(all_in[place]),
        }
        for place in plan.order("serving")
        if np.isfinite(all_in[place])
        for cost in (plan.request_cost.on(place),)
    )
    return Table("token_cost", "Cost of a request and of tokens", columns, rows)
