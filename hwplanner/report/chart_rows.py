"""A plan as the rows that figures draw. Arithmetic ends here; a figure only places marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hwplanner import wording
from hwplanner.catalog.device import device_name
from hwplanner.finance.cash import payback_months
from hwplanner.money.ledger import Ledger
from hwplanner.money.option import Option
from hwplanner.physics.time_parts import LIMITS
from hwplanner.plan import Plan
from hwplanner.report import expected
from hwplanner.report.tables import (
    CatalogueRow,
    CostRow,
    DayRow,
    FrontierRow,
    LimitRow,
    MemoryRow,
    ScaleRow,
    SpendRow,
    State,
    WeekRow,
)
from hwplanner.report.verdicts import why_not
from hwplanner.scenario import Job
from hwplanner.training.scaling import training_time_by_devices
from hwplanner.units import (
    GB,
    GIB,
    HOURS_PER_DAY,
    SECONDS_PER_HOUR,
    TERA,
    Array,
)

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FRONTIER_POINTS = 12


def device_label(plan: Plan, place: int, count: float | None = None) -> str:
    """Say a compared device, and how many of it, if any."""
    name = device_name(plan.devices[place])
    return wording.devices(int(count), name) if count and np.isfinite(count) else name


def state(plan: Plan, place: int, job: Job) -> State:
    """Where a device stands in a job."""
    if not plan.supported(job)[place]:
        return "unsupported"
    if not plan.fits(job)[place]:
        return "does_not_fit"
    if place == plan.choice(job):
        return "chosen"
    if not plan.meets_target(job)[place]:
        return "misses"
    return "fine" if np.isfinite(plan.fleet(job).usd_per_year[place]) else "no_price"


def cost_rows(plan: Plan, job: Job) -> tuple[CostRow, ...]:
    """Cost by device: a million output tokens, or a training run. [USD]"""
    devices, usd = plan.fleet(job).devices, plan.usd(job)
    shares = plan.cheapest_shares(job)
    return tuple(
        CostRow(
            label=device_label(plan, place, devices[place]),
            state=state(plan, place, job),
            reason=why_not(plan, place, job) or _basis(plan, place, job),
            usd=plan.cost_band(job).around(usd[place], place) if np.isfinite(usd[place]) else None,
            cheapest_share=float(shares[place]),
        )
        for place in plan.order(job)
    )


def _basis(plan: Plan, place: int, job: Job) -> str:
    """What the cost of a device that does the job is, in a word or two."""
    if np.isfinite(plan.usd(job)[place]):
        return paid(plan, place, job)
    is_priced = np.isfinite(plan.fleet(job).usd_per_year[place])
    return "no run is planned" if is_priced else "no price known"


def paid(plan: Plan, place: int, job: Job) -> str:
    """How a job on a device is paid for, as it is shown."""
    if not plan.is_owned(job)[place]:
        return "rented"
    return "owned, peaks rented" if plan.money(job).is_mixed[place] else "owned"


def memory_parts_bytes(plan: Plan, job: Job) -> Mapping[str, Array]:
    """Memory of one device by part, named as in `tables.MEMORY_PARTS`. [bytes/device]"""
    if job == "serving":
        serving = plan.serving
        return {
            "weights": serving.weights_bytes,
            "kv_cache": serving.cache_bytes,
            "activations": serving.activations_bytes,
            "overhead": serving.overhead_bytes,
        }
    memory = plan.training.memory
    return {
        "weights": memory.weights_bytes,
        "gradients": memory.gradients_bytes,
        "optimizer": memory.optimizer_bytes,
        "activations": memory.activations_bytes + memory.logits_bytes,
        "overhead": memory.buffers_bytes + memory.overhead_bytes,
    }


def memory_rows(plan: Plan, job: Job) -> tuple[MemoryRow, ...]:
    """Memory by part: all devices of a run, or of one copy of the served model. [GiB]"""
    parts = memory_parts_bytes(plan, job)
    if job == "serving":
        count, usable_bytes = plan.serving.layout_devices, plan.serving.usable_bytes
    else:
        count, usable_bytes = plan.training.devices, plan.training.usable_bytes
    return tuple(
        MemoryRow(
            label=device_label(plan, place, count[place]),
            state=state(plan, place, job),
            reason=why_not(plan, place, job),
            parts_gib={
                name: float(values[place] * count[place] / GIB) for name, values in parts.items()
            },
            usable_gib=float(usable_bytes[place] * count[place] / GIB),
            needed_over=plan.ranges.of(job).memory.at(place),
        )
        for place in plan.order(job)
        if plan.supported(job)[place]
    )


def frontier_rows(plan: Plan, places: Sequence[int]) -> tuple[FrontierRow, ...]:
    """Throughput of the whole fleet against time per token, as each copy's batch grows."""
    serving = plan.serving
    rows = []
    for place in places:
        if not serving.fits[place]:
            continue
        operating_batch = float(serving.batch[place])
        batches = _batches(float(serving.memory_batch[place]), operating_batch)
        tpot, tokens = _frontier(plan, place, batches)
        low, high = plan.ranges.serving.speed.at(place)
        rows.append(
            FrontierRow(
                label=device_label(plan, place, serving.devices[place]),
                state=state(plan, place, "serving"),
                tpot_ms=tuple(tpot * 1000),
                tokens_per_s=tuple(tokens),
                users=tuple(batches * float(serving.copies[place])),
                tokens_per_s_low=tuple(tokens * low),
                tokens_per_s_high=tuple(tokens * high),
                operating=int(np.flatnonzero(batches == operating_batch)[0]),
            )
        )
    return tuple(rows)


def _batches(most: float, operating: float) -> Array:
    """Batches from one to what memory holds, with the operating one among them."""
    grown = np.round(np.geomspace(1, max(most, operating, 1), FRONTIER_POINTS))
    return np.unique(np.append(grown, operating))


def _frontier(plan: Plan, place: int, batches: Array) -> tuple[Array, Array]:
    """Time per token and tokens per second of the fleet at several batches."""
    times = plan.serving.times
    step = times.step_seconds(batches[None, :])
    tpot = np.asarray(times.tpot_seconds(batches[None, :], step))[place]
    return tpot, float(plan.serving.copies[place]) * batches / tpot


def limit_rows(plan: Plan, serve: int | None, train: int | None) -> tuple[LimitRow, ...]:
    """What takes the time of reading a prompt, writing a token and a training step."""
    activities = []
    if serve is not None and plan.serving.fits[serve]:
        activities += [
            ("Serving: reading the prompt", plan.serving.prefill, (serve,)),
            ("Serving: writing each token", plan.serving.decode, (serve,)),
        ]
    if train is not None and plan.training.fits[train]:
        activities.append(("Training: one step", plan.training.step, (train,)))
    rows = []
    for label, parts, index in activities:
        seconds = [
            float(values[index])
            for values in (parts.compute, parts.memory, parts.communication, parts.overhead)
        ]
        shares = {name: value / sum(seconds) for name, value in zip(LIMITS, seconds, strict=True)}
        rows.append(LimitRow(label, shares, max(shares, key=lambda name: shares[name])))
    return tuple(rows)


def spend_rows(plan: Plan) -> tuple[SpendRow, ...]:
    """Cash paid out by each option so far: at the start, and at the end of each month. [USD]"""
    return tuple(
        _spend_row(option, option.ledger, "chosen" if option is plan.best else "fine")
        for option in plan.options
        if option.ledger is not None
    )


def _spend_row(option: Option, ledger: Ledger, state: State) -> SpendRow:
    usd = ledger.spent_usd
    down = option.usd_per_year.low / option.usd_per_year.typical
    up = option.usd_per_year.high / option.usd_per_year.typical
    return SpendRow(
        label=option.label,
        state=state,
        rented=option.owned_devices == 0,
        months=tuple(np.arange(ledger.months + 1, dtype=np.float64)),
        usd=tuple(usd),
        usd_low=tuple(usd * down),
        usd_high=tuple(usd * up),
    )


def week_rows(plan: Plan, place: int) -> tuple[WeekRow, ...]:
    """Busy share of a serving fleet in each hour of the week."""
    busy = plan.shape.relative_load * float(plan.serving.peak_utilization[place])
    return tuple(
        WeekRow(day, tuple(hours))
        for day, hours in zip(DAYS, busy.reshape(len(DAYS), HOURS_PER_DAY).tolist(), strict=True)
    )


def day_rows(plan: Plan, place: int, is_free: NDArray[np.bool_]) -> tuple[DayRow, ...]:
    """Demand against capacity on the busiest day, and which of the week's hours can train."""
    by_day = plan.shape.relative_load.reshape(len(DAYS), HOURS_PER_DAY)
    day = int(by_day.max(axis=1).argmax())
    free = is_free.reshape(len(DAYS), HOURS_PER_DAY)[day]
    capacity = plan.ranges.serving.speed.around(plan.serving.capacity_requests_per_s[place], place)
    return tuple(
        DayRow(
            hour=hour,
            demand_per_s=float(by_day[day, hour] * plan.serving.peak_requests_per_s),
            capacity_per_s=capacity.typical,
            capacity_low_per_s=capacity.low,
            capacity_high_per_s=capacity.high,
            free_for_training=bool(free[hour]),
        )
        for hour in range(HOURS_PER_DAY)
    )


def scale_rows(plan: Plan, places: Sequence[int]) -> tuple[ScaleRow, ...]:
    """Hours of a run against the number of devices. [h]"""
    rows = []
    for place in places:
        if not plan.training.fits[place]:
            continue
        devices, hours = training_time_by_devices(
            plan.scenario,
            plan.workload.numbers,
            plan.arrays,
            place,
            plan.assumptions,
            queue_hours=float(plan.training.queue_seconds[place]) / SECONDS_PER_HOUR,
            interruptions_per_hour=float(plan.training.interruptions_per_hour[place]),
        )
        used = np.flatnonzero(devices == plan.training.devices[place])
        ranges = [expected.run_hours(plan, place, one) for one in hours]
        rows.append(
            ScaleRow(
                label=device_label(plan, place),
                state=state(plan, place, "training"),
                devices=tuple(int(count) for count in devices),
                value=tuple(hours),
                low=tuple(one.low for one in ranges),
                high=tuple(one.high for one in ranges),
                target=plan.scenario.window_hours,
                operating=int(used[0]) if used.size else None,
            )
        )
    return tuple(rows)


def catalogue_rows(plan: Plan) -> tuple[CatalogueRow, ...]:
    """Every device of the catalogue as published."""
    compared = {device.id for device in plan.devices}
    chosen = {
        plan.devices[place].id
        for place in (plan.serving_choice, plan.training_choice)
        if place is not None
    }

    def published(value: float | None, unit: float) -> float:
        return float("nan") if value is None else value / unit

    return tuple(
        CatalogueRow(
            label=device_name(device),
            vendor=device.vendor,
            role="chosen"
            if device.id in chosen
            else "compared"
            if device.id in compared
            else "other",
            memory_gib=device.memory_bytes / GIB,
            bandwidth_gb_per_s=published(device.memory_bandwidth_bytes_per_s, GB),
            bf16_tflop_per_s=published(device.bf16_flop_per_s, TERA),
        )
        for device in plan.catalog.devices
    )


def leaders(plan: Plan, job: Job, at_most: int = 4) -> tuple[int, ...]:
    """Places worth a line in a crowded chart: the chosen device, then the next that fit."""
    fits, choice = plan.fits(job), plan.choice(job)
    order = sorted(plan.order(job), key=lambda place: place != choice)
    return tuple(place for place in order if fits[place])[:at_most]


def break_even_month(rows: Sequence[SpendRow]) -> float | None:
    """Month from which the chosen option has cost less cash than renting everything."""
    chosen = next((row for row in rows if row.state == "chosen"), None)
    rent = next((row for row in rows if row.rented), None)
    if chosen is None or rent is None or chosen is rent:
        return None
    months = payback_months(np.subtract(rent.usd, chosen.usd))
    return months if np.isfinite(months) else None
