"""Power and energy of a plan, in tables, facts and steps, with low and high."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hwplanner import wording
from hwplanner.catalog.device import DeviceArrays, with_power_cap
from hwplanner.money.energy import Energy, energy_of, share_at_load, training_power_share
from hwplanner.physics.power import NAME
from hwplanner.plan import Plan
from hwplanner.report.chart_rows import device_label
from hwplanner.report.sources import witness
from hwplanner.report.statements import Explanation, Step
from hwplanner.report.tables import Column, Table
from hwplanner.scenario import Job
from hwplanner.units import SECONDS_PER_HOUR, Interval

KWH = 1000 * SECONDS_PER_HOUR
MWH = 1000 * KWH
BOUNDARY = (
    "On the devices: the boards alone. At the meter: with the rest of their servers, which draws "
    "half as much again, times PUE."
)


def year_energy(plan: Plan, place: int, job: Job) -> Energy:
    """Energy of a job's devices in a year, idle hours that are paid for included. [J]"""
    fleet = plan.fleet(job)
    hours = float(fleet.paid_device_hours[place])
    return _energy(plan, place, float(fleet.power_share[place]) * hours, hours)


def run_energy(plan: Plan, place: int) -> Energy:
    """Energy of one training run while it works. [J]"""
    hours = float(plan.training.busy_device_hours[place])
    return _energy(plan, place, run_share(plan, place) * hours, hours)


def request_energy(plan: Plan, place: int) -> Energy:
    """Energy of an average request: that of a year over its requests. [J]"""
    return year_energy(plan, place, "serving").each(plan.requests_per_year)


def token_energy(plan: Plan, place: int) -> Energy:
    """Energy of an output token, its share of the prompt included. [J]"""
    return request_energy(plan, place).each(float(plan.serving.times.output_tokens))


def peak_share(plan: Plan, place: int, arrays: DeviceArrays | None = None) -> float:
    """Draw over rating in the busiest hour, of the plan's devices or with other power caps."""
    ones = np.ones((len(plan.devices), 1))
    share = share_at_load(plan.serving, ones, arrays or plan.arrays, plan.terms.power_levels)
    return float(share[place, 0])


def free_peak_watts(plan: Plan, place: int) -> float:
    """What a device would draw in the busiest hour without a power cap. [W]"""
    return peak_share(plan, place, with_power_cap(plan.arrays, 0)) * float(
        plan.arrays.rated_watts[place]
    )


def run_share(plan: Plan, place: int) -> float:
    """Draw over rating during a run. [share of rating]"""
    share = training_power_share(plan.training, plan.arrays, plan.terms.power_levels)
    return float(share[place])


def _energy(plan: Plan, place: int, full_hours: float, hours: float) -> Energy:
    arrays, assumptions = plan.arrays, plan.assumptions
    ratio = Interval(*assumptions.range("server_draw_ratio"))
    if arrays.is_whole_machine[place]:
        ratio = Interval(1.0, 1.0, 1.0)
    low, _, high = assumptions.range("power_band")
    return energy_of(
        full_hours * float(arrays.rated_watts[place]) * SECONDS_PER_HOUR,
        most_joules=hours * float(arrays.tdp_watts[place]) * SECONDS_PER_HOUR,
        power_band=(low, high),
        server_draw_ratio=ratio,
        pue=plan.scenario.pue,
    )


def energy_table(plan: Plan) -> Table:
    """Power and energy of every device that holds a job, cheapest serving first."""
    columns = (
        Column("device", "Device"),
        Column("peak_watts", "Draw at the peak", "W/device"),
        Column("mean_watts", "Mean draw", "W/device"),
        *_interval_columns("token", "Output token", "J on the devices"),
        *_interval_columns("request", "Request", "Wh at the meter"),
        *_interval_columns("year", "Year of serving", "MWh at the meter"),
        Column("run_watts", "Draw during a run", "W/device"),
        *_interval_columns("run", "Training run", "kWh at the meter"),
    )
    rows = []
    for place in plan.order("serving"):
        serves, trains = plan.fits("serving")[place], plan.fits("training")[place]
        if not (serves or trains):
            continue
        row: dict[str, object] = {"device": device_label(plan, place)}
        rated_watts = float(plan.arrays.rated_watts[place])
        if serves:
            share = float(plan.fleet("serving").power_share[place])
            row |= {
                "peak_watts": peak_share(plan, place) * rated_watts,
                "mean_watts": share * rated_watts,
                **_interval("token", token_energy(plan, place).devices, 1),
                **_interval("request", request_energy(plan, place).facility, SECONDS_PER_HOUR),
                **_interval("year", year_energy(plan, place, "serving").facility, MWH),
            }
        if trains:
            row |= {
                "run_watts": run_share(plan, place) * rated_watts,
                **_interval("run", run_energy(plan, place).facility, KWH),
            }
        rows.append(row)
    return Table("energy", "Power and energy", columns, tuple(rows))


def _interval_columns(name: str, label: str, unit: str) -> tuple[Column, Column, Column]:
    return (
        Column(name, label, unit),
        Column(f"{name}_low", "low", unit),
        Column(f"{name}_high", "high", unit),
    )


def _interval(name: str, interval: Interval, unit: float) -> dict[str, float]:
    return {
        name: interval.typical / unit,
        f"{name}_low": interval.low / unit,
        f"{name}_high": interval.high / unit,
    }


def energy_facts(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Power and energy of the devices that the plan chooses, in words."""
    serve, train = plan.serving_choice, plan.training_choice
    facts: list[tuple[str, str]] = []
    if serve is not None and math.isfinite(plan.arrays.rated_watts[serve]):
        rated_watts = float(plan.arrays.rated_watts[serve])
        token, request = token_energy(plan, serve), request_energy(plan, serve)
        year = year_energy(plan, serve, "serving")
        mean = float(plan.fleet("serving").power_share[serve])
        facts += [
            (
                "Draw of a device",
                f"{_watts(peak_share(plan, serve) * rated_watts)} at the peak, "
                f"{_watts(mean * rated_watts)} on average, rated {_watts(rated_watts)}",
            ),
            ("Output token", f"{_said(token.devices, _joules)} on the devices"),
            (
                "Request",
                f"{_said(request.devices, _watt_hours)} on the devices, "
                f"{_said(request.facility, _watt_hours)} at the meter",
            ),
            (
                "Year of serving",
                f"{_said(year.devices, _megawatt_hours)} on the devices, "
                f"{_said(year.facility, _megawatt_hours)} at the meter",
            ),
        ]
    if train is not None and math.isfinite(plan.arrays.rated_watts[train]):
        run = run_energy(plan, train)
        facts.append(
            (
                "Training run",
                f"{_said(run.devices, _kilowatt_hours)} on the devices, "
                f"{_said(run.facility, _kilowatt_hours)} at the meter",
            )
        )
    return tuple(facts)


def energy_per_token(plan: Plan, place: int) -> Explanation:
    """Energy of an output token on the devices. [J]"""
    fleet, arrays = plan.fleet("serving"), plan.arrays
    share, rated_watts = float(fleet.power_share[place]), float(arrays.rated_watts[place])
    hours = float(fleet.paid_device_hours[place])
    year = year_energy(plan, place, "serving").devices.typical
    tokens = plan.requests_per_year * float(plan.serving.times.output_tokens)
    joules = year / tokens
    levels = plan.terms.power_levels
    return Explanation(
        title="Energy of an output token",
        result=_joules(joules),
        value=joules,
        steps=(
            Step(
                "Mean draw over rating",
                "idle, waiting, reading memory and computing, each with its share of the time",
                ", ".join(
                    f"{state} {wording.percent(getattr(levels, state))}"
                    for state in ("idle", "waiting", "memory", "compute")
                ),
                wording.percent(share),
                plan.assumptions.get(NAME, "memory").source,
            ),
            Step(
                "Draw of a device",
                "rating × mean draw over rating",
                f"{_watts(rated_watts)} × {wording.percent(share)}",
                _watts(rated_watts * share),
                witness(plan, place, "tdp_w"),
            ),
            Step(
                "Energy of a year",
                "draw × device-hours paid for",
                f"{_watts(rated_watts * share)} × {wording.count(hours)} h",
                _megawatt_hours(year),
            ),
            Step(
                "Output token",
                "energy of a year ÷ tokens of a year",
                f"{_megawatt_hours(year)} ÷ {wording.tokens(tokens)}",
                _joules(joules),
            ),
        ),
    )


def _said(interval: Interval, words: Callable[[float | None], str]) -> str:
    """Say a value with its range of 8 of 10 cases."""
    return f"{words(interval.typical)} ({wording.interval(interval.low, interval.high, words)})"


def _in_unit(size: float, unit: str) -> Callable[[float | None], str]:
    """Words for energies in joules, or for watts, in a unit of such a size."""

    def words(value: float | None) -> str:
        return wording.quantity(None if value is None else value / size, unit)

    return words


_watts = _in_unit(1, "W")
_joules = _in_unit(1, "J")
_watt_hours = _in_unit(SECONDS_PER_HOUR, "Wh")
_kilowatt_hours = _in_unit(KWH, "kWh")
_megawatt_hours = _in_unit(MWH, "MWh")
