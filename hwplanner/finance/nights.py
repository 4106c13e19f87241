"""Runs in the hours that serving leaves idle: when they end, and what rent they save."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.demand.hours import free_devices_by_hour
from hwplanner.money.energy import most_share
from hwplanner.money.ownership import owned_cost
from hwplanner.money.serving_money import serving_devices_by_hour
from hwplanner.physics.power import working_share
from hwplanner.physics.time_parts import TimeParts
from hwplanner.plan import Plan
from hwplanner.serving.estimates import ServingEstimates
from hwplanner.training.goodput import Interruptions
from hwplanner.training.windows import hours_to_end, progress_by_hour
from hwplanner.units import (
    HOURS_PER_MONTH,
    HOURS_PER_WEEK,
    HOURS_PER_YEAR,
    MONTHS_PER_YEAR,
    SECONDS_PER_HOUR,
    Array,
)


@dataclass(frozen=True, slots=True, eq=False)
class NightRun:
    """A run that works only while its devices are free.

    Attributes
    ----------
    layout
        Which of the layouts that were offered.
    devices
        Devices that it takes at once. [devices]
    run_hours
        Its time if it is never interrupted. [h]
    progress
        What it gets done in each hour of the week. [h, (168,)]
    end_hours
        From asking for it to its end, by the hour in which it is asked for. [h, (168,)]
    """

    layout: int
    devices: float
    run_hours: float
    progress: Array
    end_hours: Array

    @property
    def open_hours(self) -> int:
        """Hours of a week in which it works. [h]"""
        return int((self.progress > 0).sum())

    @property
    def mean_end_hours(self) -> float:
        """From asking for it to its end, on average over the week. [h]"""
        return float(self.end_hours.mean())

    @property
    def runs_per_month(self) -> float:
        """Runs that end in a month, one after the other. [runs/month]"""
        share = float(self.progress.sum()) / HOURS_PER_WEEK
        return share * HOURS_PER_MONTH / self.run_hours


@dataclass(frozen=True, slots=True, eq=False)
class Nights:
    """Idle hours of an owned serving fleet, and the planned runs in them.

    Attributes
    ----------
    place
        Which device of the comparison.
    owned_devices
        Size of the fleet in the first month. [devices]
    free_devices
        Those that serving leaves in each hour of the week. [devices, (168,)]
    run
        The layout that ends soonest in these hours; None where none ever finds its devices.
    window_hours, planned_runs_per_month
        Time that a run may take, and how often it is planned. [h], [runs/month]
    rented_hours
        Time of a run on devices rented for it; NaN where none are. [h]
    rent_usd_per_year
        Rent of all planned runs; NaN where it is not known. [USD/year]
    energy_usd_per_run
        Electricity that a run draws beyond idling. [USD/run]
    rent_is_kept
        Whether that rent is due all year, runs or not.
    """

    place: int
    owned_devices: float
    free_devices: Array
    run: NightRun | None
    window_hours: float
    planned_runs_per_month: float
    rented_hours: float
    rent_usd_per_year: float
    energy_usd_per_run: float
    rent_is_kept: bool

    @property
    def free_device_hours_per_week(self) -> float:
        """All that serving leaves, whether a run can use it or not. [device-hours/week]"""
        return float(self.free_devices.sum())

    @property
    def used_device_hours_per_week(self) -> float:
        """What of it brings a run further, if runs take all they can. [device-hours/week]"""
        return float(self.run.progress.sum()) * self.run.devices if self.run else 0.0

    @property
    def delay_hours(self) -> float:
        """How much later a run ends on average than on devices rented for it. [h]"""
        return self.run.mean_end_hours - self.rented_hours if self.run else np.inf

    @property
    def in_time_share(self) -> float:
        """Share of the hours of a week in which a run can be asked for and ends in time. [1]"""
        return float((self.run.end_hours <= self.window_hours).mean()) if self.run else 0.0

    @property
    def done_runs_per_month(self) -> float:
        """Planned runs that find room. [runs/month]"""
        return min(self.planned_runs_per_month, self.run.runs_per_month) if self.run else 0.0

    @property
    def left_usd_per_year(self) -> float:
        """Rent for the runs that find none. [USD/year]"""
        left = 1 - self.done_runs_per_month / self.planned_runs_per_month
        return self.rent_usd_per_year * (float(left > 0) if self.rent_is_kept else left)

    @property
    def saved_usd_per_year(self) -> float:
        """Rent that is saved, less the electricity of the runs. [USD/year]"""
        energy = self.done_runs_per_month * MONTHS_PER_YEAR * self.energy_usd_per_run
        return self.rent_usd_per_year - self.left_usd_per_year - energy


def night_run(
    *,
    free_devices: Array,
    layout_devices: Array,
    layout_hours: Array,
    restart_hours: float,
    checkpoint_hours: float,
) -> NightRun | None:
    """Choose the layout that ends soonest in the hours in which its devices are free.

    Parameters
    ----------
    free_devices
        Devices that are free in each hour of the week. [devices, (168,)]
    layout_devices, layout_hours
        Devices of each layout, and its time if it is never interrupted; infinite where it does not
        hold the run. [devices], [h]
    restart_hours, checkpoint_hours
        What it costs to go on when devices become free, and to stop before they are needed. [h]

    Returns
    -------
    NightRun or None
        None where no layout ever finds its devices.
    """
    progress = progress_by_hour(
        has_room=free_devices >= layout_devices[:, None],
        restart_hours=restart_hours,
        checkpoint_hours=checkpoint_hours,
    )
    of_week = progress.sum(axis=1)
    weeks = layout_hours / np.where(of_week > 0, of_week, np.nan)
    if not np.isfinite(weeks).any():
        return None
    best = int(np.nanargmin(weeks))
    run_hours = float(layout_hours[best])
    return NightRun(
        layout=best,
        devices=float(layout_devices[best]),
        run_hours=run_hours,
        progress=progress[best],
        end_hours=hours_to_end(progress=progress[best], run_hours=run_hours),
    )


def nights(plan: Plan) -> Nights | None:
    """Put the planned runs into the idle hours of the serving fleet, were it owned.

    The first month's demand is taken. None where nothing serves or no run is planned.
    """
    place, planned = plan.serving_choice, plan.scenario.all_runs_per_month
    if place is None or not planned:
        return None
    serve, owned_devices = _fleet(plan, place)
    free = free_devices_by_hour(
        owned_devices=owned_devices,
        devices_by_hour=serving_devices_by_hour(serve, plan.shape)[place],
    )
    candidates, cost = plan.jobs.training, Interruptions.of(plan.assumptions)
    run = night_run(
        free_devices=free,
        layout_devices=candidates.layout_devices,
        layout_hours=np.where(candidates.possible[place], candidates.held_hours[place], np.inf),
        restart_hours=cost.restart_seconds / SECONDS_PER_HOUR,
        checkpoint_hours=cost.checkpoint_seconds / SECONDS_PER_HOUR,
    )
    rented = next(option for option in plan.options if option.key == "own_and_rent")
    train, fleet = rented.training_device, plan.training_cost.rented
    return Nights(
        place=place,
        owned_devices=owned_devices,
        free_devices=free,
        run=run,
        window_hours=plan.scenario.window_hours,
        planned_runs_per_month=planned,
        rented_hours=rented.finish_hours,
        rent_usd_per_year=float("nan") if train is None else float(fleet.usd_per_year[train]),
        energy_usd_per_run=_energy_usd(plan, place, run) if run else 0.0,
        rent_is_kept=train is not None and bool(plan.prices.rent_is_kept[train]),
    )


def _fleet(plan: Plan, place: int) -> tuple[ServingEstimates, float]:
    """Layouts and size of what would be owned: for both jobs, a base, or all of serving."""
    if plan.best.key == "shared":
        return plan.shared.serving, float(plan.shared.fleet.devices[place])
    money = plan.serving_cost
    base = money.base if money.is_mixed[place] else None
    fleet = base or money.owned
    return fleet.estimates, float(fleet.devices[place])


def _energy_usd(plan: Plan, place: int, run: NightRun) -> float:
    """Electricity of a run beyond what its devices draw idle, as they do in the set-up. [USD]"""
    step = plan.jobs.training.grid.step
    parts = (step.compute, step.memory, step.communication, step.overhead)
    share = working_share(
        TimeParts(*(part[place, run.layout] for part in parts)),
        plan.terms.power_levels,
        most_share=most_share(plan.arrays)[place],
    )
    one = owned_cost(
        plan.terms,
        device_usd=0.0,
        device_watts=0.0,
        drawn_watts=(share - plan.terms.power_levels.idle) * plan.arrays.rated_watts[place],
        is_whole_machine=bool(plan.arrays.is_whole_machine[place]),
    )
    busy_hours = run.run_hours - plan.scenario.setup_hours
    return float(one.energy_usd_per_year) / HOURS_PER_YEAR * run.devices * busy_hours
