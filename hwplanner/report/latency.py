"""Latency under load in words, tables and rows of charts: mean and percentiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from hwplanner import wording
from hwplanner.plan import Plan
from hwplanner.report.chart_rows import device_label, state
from hwplanner.report.statements import Cell, Heading, Record, Status
from hwplanner.report.tables import Column, LoadRow, Table
from hwplanner.report.verdicts import why_not
from hwplanner.serving.latency import UNSURE_LOAD, LatencyUnderLoad, Spread, device_by_load
from hwplanner.units import Array

MILLISECONDS = 1000
Time = Literal["ttft", "tpot"]
TIMES: Mapping[Time, str] = {"ttft": "First token", "tpot": "Time per token"}
PERCENTILES = {"mean": "mean", "p50": "half", "p95": "95 in 100", "p99": "99 in 100"}
RANGES = {
    "mean_low": "mean, low",
    "mean_high": "mean, high",
    "p99_low": "99 in 100, low",
    "p99_high": "99 in 100, high",
}
TAILS = ("p95", "p99")
HEADINGS = (
    Heading("Device"),
    Heading("Load", is_number=True),
    *(
        Heading(words, is_number=True)
        for time in ("First token", "Per token")
        for words in (f"{time}, mean", "… 95 in 100", "… 99 in 100")
    ),
    Heading("Targets hold"),
)
HELD: tuple[tuple[str, Status, str], ...] = (
    ("p99", "good", "for 99 in 100"),
    ("p95", "good", "for 95 in 100"),
    ("mean", "near", "on average"),
    ("p50", "poor", "for half"),
)
LOADS = np.linspace(0.05, 0.98, 25)


def without_times(plan: Plan, place: int) -> str:
    """Why a device has no times under this load; '' where it has."""
    if not plan.supported("serving")[place] or not plan.fits("serving")[place]:
        return why_not(plan, place, "serving")
    queue = plan.latency.queue
    if not queue.is_saturated[place]:
        return ""
    copies = float(plan.serving.copies[place])
    answer = "its copy answers" if copies == 1 else f"its {copies:,.0f} copies answer"
    return (
        f"past saturation: {wording.percent(float(queue.load[place]))} of what {answer} arrives, "
        "so waits grow without end"
    )


def times_ms(plan: Plan, place: int) -> dict[Time, dict[str, float]]:
    """Times of a device under load, by name in `PERCENTILES` and `RANGES`. [ms]

    Tails that are not known are NaN, as is everything past saturation.
    """
    unsure = bool(plan.latency.is_unsure[place])
    return {
        time: {
            name: float("nan") if unsure and name.startswith(TAILS) else float(ms[place])
            for name, ms in _lines_ms(plan, place, time, spread).items()
        }
        for time, spread in _both(plan.latency)
    }


def _both(latency: LatencyUnderLoad) -> tuple[tuple[Time, Spread], ...]:
    return ("ttft", latency.ttft), ("tpot", latency.tpot)


def _lines_ms(plan: Plan, place: int, time: Time, spread: Spread) -> dict[str, Array]:
    """Times with the ranges of one device: how far its mean may be off, and of p99 its tail too."""
    ranges = plan.ranges.serving
    low, high = (ranges.first_token_time if time == "ttft" else ranges.token_time).at(place)
    lines = {
        **{name: getattr(spread, name) for name in PERCENTILES},
        "mean_low": spread.mean * low,
        "mean_high": spread.mean * high,
        "p99_low": spread.p99 * np.exp(-np.hypot(np.log(low), np.log(spread.p99_low / spread.p99))),
        "p99_high": spread.p99
        * np.exp(np.hypot(np.log(high), np.log(spread.p99_high / spread.p99))),
    }
    return {name: seconds * MILLISECONDS for name, seconds in lines.items()}


def _targets_ms(plan: Plan) -> dict[Time, float]:
    return {"ttft": plan.scenario.ttft_ms, "tpot": plan.scenario.tpot_ms}


def held(plan: Plan, place: int) -> tuple[Status, str]:
    """For how many requests both latency targets hold."""
    times = times_ms(plan, place)
    for name, status, words in HELD:
        if all(times[time][name] <= target for time, target in _targets_ms(plan).items()):
            return status, words
    return "poor", "for fewer than half"


def load_sentence(plan: Plan) -> str:
    """What the chosen device does under this load, in words."""
    place = plan.serving_choice
    if place is None:
        return "No compared device holds the model, so there is no latency to show."
    reason, name = without_times(plan, place), device_label(plan, place)
    demand = plan.scenario.demand_percent
    asked = "" if demand == 100 else f" at {demand:g}% of the planned demand"
    if reason:
        return f"{name}{asked}: {reason}."
    times, has_tails = times_ms(plan, place), not plan.latency.is_unsure[place]
    first, token = (
        f"{wording.ms(times[time]['mean'])} on average"
        + (f" and {wording.ms(times[time]['p99'])} for 99 in 100" if has_tails else "")
        for time in TIMES
    )
    load = wording.percent(float(plan.latency.queue.load[place]))
    return (
        f"{name}{asked} is at {load} of the most that it answers: the first token takes {first}, "
        f"each further one {token}. Both targets hold {held(plan, place)[1]}."
    )


def latency_records(plan: Plan) -> tuple[Record, ...]:
    """Every compared device with its times under load, or the reason why it has none."""
    return tuple(_record(plan, place) for place in plan.order("serving"))


def _record(plan: Plan, place: int) -> Record:
    load = float(plan.latency.queue.load[place])
    cells = [
        Cell(device_label(plan, place, plan.serving.devices[place])),
        Cell(wording.percent(load) if wording.known(load) else wording.NONE),
    ]
    chosen, reason = place == plan.choice("serving"), without_times(plan, place)
    if reason:
        return Record(tuple(cells), chosen=chosen, reason=reason)
    for times in times_ms(plan, place).values():
        tail = wording.interval(times["p99_low"], times["p99_high"], wording.ms)
        cells += [
            Cell(wording.ms(times["mean"]), note=f"half {wording.ms(times['p50'])}"),
            Cell(wording.ms(times["p95"])),
            Cell(wording.ms(times["p99"]), note=tail if wording.known(times["p99"]) else ""),
        ]
    status, words = held(plan, place)
    cells.append(Cell(status=status, verdict=words, note=_unsure(plan, place)))
    return Record(tuple(cells), chosen=chosen)


def _unsure(plan: Plan, place: int) -> str:
    if not plan.latency.is_unsure[place]:
        return ""
    return f"above {wording.percent(UNSURE_LOAD)} of the most, tails are not known"


def latency_table(plan: Plan) -> Table:
    """Every compared device with its times under load, for a file."""
    names = {**PERCENTILES, **RANGES}
    columns = (
        Column("device", "Device"),
        Column("state", "State"),
        Column("load", "Load", "share of the most"),
        Column("requests_per_s", "Arriving at a copy", "requests/s"),
        Column("most_requests_per_s", "Most that a copy answers", "requests/s"),
        Column("wait_chance", "Wait for a place", "share of requests"),
        *(
            Column(f"{time}_{name}", f"{label}, {words}", "ms")
            for time, label in TIMES.items()
            for name, words in names.items()
        ),
        Column("held", "Targets hold"),
        Column("reason", "Why no figure"),
    )
    return Table(
        key="latency",
        title="Latency under load",
        columns=columns,
        rows=tuple(_row(plan, place) for place in plan.order("serving")),
    )


def _row(plan: Plan, place: int) -> dict[str, object]:
    queue, reason = plan.latency.queue, without_times(plan, place)
    row: dict[str, object] = {
        "device": device_label(plan, place),
        "state": state(plan, place, "serving").replace("_", " "),
        "load": float(queue.load[place]),
        "requests_per_s": float(queue.requests_per_s[place]),
        "reason": reason or _unsure(plan, place),
    }
    if reason:
        return row
    return row | {
        "most_requests_per_s": float(queue.most_requests_per_s[place]),
        "wait_chance": float(queue.wait_chance[place]),
        "held": held(plan, place)[1],
        **{
            f"{time}_{name}": figure
            for time, figures in times_ms(plan, place).items()
            for name, figure in figures.items()
        },
    }


def load_rows(plan: Plan) -> tuple[LoadRow, ...]:
    """Both times of the chosen device against its load; nothing if no device fits."""
    place = plan.serving_choice
    if place is None:
        return ()
    curve = device_by_load(plan.serving, place, loads=LOADS, assumptions=plan.assumptions)
    return tuple(
        LoadRow(
            key=time,
            label=device_label(plan, place, plan.serving.devices[place]),
            load=tuple(map(float, LOADS)),
            requests_per_s=tuple(
                map(float, curve.queue.requests_per_s * float(plan.serving.copies[place]))
            ),
            lines_ms={
                name: tuple(map(float, ms))
                for name, ms in _lines_ms(plan, place, time, spread).items()
            },
            target_ms=_targets_ms(plan)[time],
            planned=float(plan.latency.queue.load[place]),
            planned_ms=times_ms(plan, place)[time]["mean"],
            unsure_from=UNSURE_LOAD,
        )
        for time, spread in _both(curve)
    )


def latency_answer(plan: Plan, place: int) -> dict[str, Any]:
    """Times of a device under load for other programs: in seconds, with the load. [s]"""
    queue = plan.latency.queue
    return {
        "demand_share": plan.scenario.demand_percent / 100,
        "load": float(queue.load[place]),
        "saturated": bool(queue.is_saturated[place]),
        "reason": without_times(plan, place) or _unsure(plan, place),
        **{
            f"{time}_seconds": {name: ms / MILLISECONDS for name, ms in figures.items()}
            for time, figures in times_ms(plan, place).items()
        },
    }
