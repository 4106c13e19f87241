"""What training costs on each device, month by month; one entry a device."""

from __future__ import annotations

import numpy as np

from hwplanner.money.energy import training_draw_hours
from hwplanner.money.fleets import Market, no_fleet, whole_units
from hwplanner.money.job_money import JobMoney
from hwplanner.serving.estimates import whole_servers
from hwplanner.training.candidates import TrainingCandidates
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.training.windows import billed_hours
from hwplanner.units import HOURS_PER_MONTH, MONTHS_PER_YEAR, Array, Quantity


def training_money(
    candidates: TrainingCandidates,
    on_rent: TrainingCandidates,
    runs_per_month: float,
    market: Market,
) -> JobMoney[TrainingEstimates]:
    """Cost of runs: owned, or rented for the hours of each run in whole blocks.

    Where only a reserved rent is known it is due all year, as no one reserves for a night.

    Parameters
    ----------
    candidates, on_rent
        Layouts to choose from, with their times on owned and on rented devices.
    runs_per_month
        How often the run is repeated. [runs/month]
    market
        Prices and terms.
    """
    layouts = training_layouts(candidates, on_rent, runs_per_month, market)
    return priced_training(*layouts, runs_per_month=runs_per_month, market=market)


def training_layouts(
    candidates: TrainingCandidates,
    on_rent: TrainingCandidates,
    runs_per_month: float,
    market: Market,
) -> tuple[TrainingEstimates, TrainingEstimates]:
    """Layouts of devices that are owned, and of those that are rented; prices play no part."""
    held = candidates.layout_devices * _fleets(candidates.run_hours, runs_per_month)
    rented_devices = whole_units(on_rent.layout_devices, market.prices.rent_unit_devices[:, None])
    block = market.rents.billing_block_hours
    billed = rented_devices * billed_hours(hours=on_rent.held_hours, block_hours=block)
    kept_devices = rented_devices * _fleets(on_rent.held_hours, runs_per_month)
    kept = market.prices.rent_is_kept[:, None]
    return (
        candidates.least(whole_servers(held, market.arrays)),
        on_rent.least(np.where(kept, kept_devices, billed)),
    )


def priced_training(
    owned: TrainingEstimates,
    rented: TrainingEstimates,
    *,
    runs_per_month: Quantity,
    market: Market,
) -> JobMoney[TrainingEstimates]:
    """Cost of runs in the layouts of `training_layouts`."""
    months = market.calendar.months
    if not np.any(runs_per_month):
        return JobMoney(no_fleet(owned, months), no_fleet(rented, months))

    def by_month(values: Array) -> Array:
        return np.repeat(values[:, None], months, axis=1)

    arrays, levels = market.arrays, market.terms.power_levels
    runs_per_year = runs_per_month * MONTHS_PER_YEAR
    hours = billed_hours(hours=rented.held_hours, block_hours=market.rents.billing_block_hours)
    devices = whole_units(rented.devices, market.prices.rent_unit_devices)
    return JobMoney(
        owned=market.owned(
            owned,
            devices_by_month=by_month(
                owned.devices * fleets_of_runs(owned.run_hours, runs_per_month)
            ),
            worked_device_hours=owned.device_hours * runs_per_year,
            draw_hours_by_month=by_month(
                training_draw_hours(owned, runs_per_year, arrays, levels) / MONTHS_PER_YEAR
            ),
            seconds=owned.run_seconds,
            meets_target=owned.meets_window,
        ),
        rented=market.rented(
            rented,
            devices_by_month=by_month(devices * fleets_of_runs(rented.held_hours, runs_per_month)),
            worked_device_hours=rented.device_hours * runs_per_year,
            taken_hours_by_month=by_month(devices * hours * runs_per_month),
            draw_hours_by_month=by_month(
                training_draw_hours(rented, runs_per_year, arrays, levels) / MONTHS_PER_YEAR
            ),
            seconds=rented.run_seconds,
            meets_target=rented.meets_window,
        ),
    )


def fleets_of_runs(run_hours: Array, runs_per_month: Quantity) -> Array:
    """Fleets that runs keep busy, one after the other. [fleets]"""
    return np.ceil(run_hours * runs_per_month / HOURS_PER_MONTH * (1 - 1e-9))


def _fleets(run_hours: Array, runs_per_month: float) -> Array:
    return np.maximum(fleets_of_runs(run_hours, runs_per_month), 1.0)
