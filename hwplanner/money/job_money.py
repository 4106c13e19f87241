"""What each job costs a year on each device, owned or rented; one entry a device.

Each way of paying takes the layout that suits it: owned hardware is kept small, rented hours are
kept few. A missing price leaves NaN, which no ranking takes for cheap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from hwplanner.catalog.device import DeviceArrays
from hwplanner.money.demand import DemandShape
from hwplanner.money.device_prices import DevicePrices
from hwplanner.money.energy import (
    following_draw_hours,
    serving_draw_hours,
    training_draw_hours,
)
from hwplanner.money.ownership import OwnershipTerms, owned_cost
from hwplanner.serving.estimates import (
    ServingCandidates,
    ServingEstimates,
    copies_by_hour,
    whole_servers,
)
from hwplanner.training.estimates import TrainingCandidates, TrainingEstimates
from hwplanner.units import HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR, Array

Mask = NDArray[np.bool_]
Estimates = TypeVar("Estimates", ServingEstimates, TrainingEstimates)


@dataclass(frozen=True, slots=True, eq=False)
class Fleet(Generic[Estimates]):
    """Devices that do a job and are paid in one way, one entry a device of the comparison.

    Attributes
    ----------
    estimates
        The layouts that suit this way of paying.
    devices
        Devices at the peak, or during runs; NaN where they cannot hold the job. [devices]
    worked_device_hours, paid_device_hours
        Hours at work, and hours paid for. [device-hours/year]
    power_share
        Mean draw of the devices in the hours paid for. [share of rating]
    purchase_usd
        Paid at the start; 0 for rent. [USD]
    parts_usd_per_year
        Cost by part: capital, power, maintenance and staff, or rent. [USD/year]
    seconds
        Time of a token, or of a run from its start to its end. [s]
    meets_target
        Whether the latency targets are met, or a run ends in its window.
    """

    estimates: Estimates
    devices: Array
    worked_device_hours: Array
    paid_device_hours: Array
    power_share: Array
    purchase_usd: Array
    parts_usd_per_year: Mapping[str, Array]
    seconds: Array
    meets_target: Mask

    @property
    def usd_per_year(self) -> Array:
        """Sum of all parts; NaN where a price is not known. [USD/year]"""
        return sum(self.parts_usd_per_year.values(), np.zeros(len(self.devices)))

    @property
    def running_usd_per_year(self) -> Array:
        """What is paid out every year: all but the capital. [USD/year]"""
        return self.usd_per_year - self.parts_usd_per_year.get("capital", 0.0)

    @property
    def usd_per_device_hour(self) -> Array:
        """Cost of an hour that is paid for, worked or not. [USD/h]"""
        return self.usd_per_year / self.paid_device_hours


@dataclass(frozen=True, slots=True, eq=False)
class JobMoney(Generic[Estimates]):
    """One job on each device, in both ways of paying."""

    owned: Fleet[Estimates]
    rented: Fleet[Estimates]

    def paid(self, *, owned: bool) -> Fleet[Estimates]:
        """Fleet in one way of paying."""
        return self.owned if owned else self.rented

    @property
    def usd_per_year(self) -> Array:
        """Cost by the cheaper way; NaN where neither price is known. [USD/year]"""
        return np.fmin(self.owned.usd_per_year, self.rented.usd_per_year)

    @property
    def is_owned(self) -> Mask:
        """Whether owning is the cheaper way, or the only one with a price."""
        rent = np.nan_to_num(self.rented.usd_per_year, nan=np.inf)
        return np.asarray(self.owned.usd_per_year <= rent)

    def mixed(self, is_owned: Mask) -> Fleet[Estimates]:
        """Fleet of each device in a way of its own: owned where marked, else rented."""
        return cast(Fleet[Estimates], pick(is_owned, self.owned, self.rented))


def pick(mask: Mask, chosen: Any, other: Any) -> Any:
    """Take the entries of one structure of arrays where a mask holds, else those of another.

    Entries run along the first axis of every array, in nested dataclasses and mappings too; what
    is not an entry for each device is the same in both. A part that one of them lacks is 0.
    """
    if is_dataclass(chosen) and not isinstance(chosen, type):
        parts = {
            field.name: pick(mask, getattr(chosen, field.name), getattr(other, field.name))
            for field in fields(chosen)
            if field.init
        }
        return type(chosen)(**parts)
    if isinstance(chosen, Mapping):
        none = np.zeros(len(mask))
        names = dict.fromkeys((*chosen, *other))
        return {n: pick(mask, chosen.get(n, none), other.get(n, none)) for n in names}
    if isinstance(chosen, np.ndarray) and chosen.shape[:1] == mask.shape:
        return np.where(mask.reshape(-1, *[1] * (chosen.ndim - 1)), chosen, other)
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class Market:
    """What the compared devices cost, and on what terms they are owned."""

    arrays: DeviceArrays
    prices: DevicePrices
    terms: OwnershipTerms

    def _power_share(self, draw_device_hours: Array, paid_device_hours: Array) -> Array:
        idle = self.terms.power_levels.idle
        return np.asarray(idle + draw_device_hours / paid_device_hours)

    def owned(
        self,
        estimates: Estimates,
        *,
        devices: Array,
        worked_device_hours: Array,
        draw_device_hours: Array,
        seconds: Array,
        meets_target: Mask,
    ) -> Fleet[Estimates]:
        """Whole servers that are bought, work so many hours a year and idle in the others.

        The draw is what they draw beyond idling: shares of the rating times hours.
        """
        devices = whole_servers(devices, self.arrays)
        hours = devices * HOURS_PER_YEAR
        power_share = self._power_share(draw_device_hours, hours)
        one = owned_cost(
            self.terms,
            device_usd=self.prices.purchase_usd,
            device_watts=self.arrays.tdp_watts,
            drawn_watts=power_share * self.arrays.rated_watts,
            is_whole_machine=self.arrays.is_whole_machine,
        )
        return Fleet(
            estimates=estimates,
            devices=devices,
            worked_device_hours=worked_device_hours,
            paid_device_hours=hours,
            power_share=power_share,
            purchase_usd=devices * one.purchase_usd,
            parts_usd_per_year={
                "capital": devices * one.capital_usd_per_year,
                "power": devices * one.power_usd_per_year,
                "maintenance": devices * one.maintenance_usd_per_year,
                "staff": devices * one.staff_usd_per_year,
            },
            seconds=seconds,
            meets_target=meets_target,
        )

    def rented(
        self,
        estimates: Estimates,
        *,
        devices: Array,
        worked_device_hours: Array,
        taken_device_hours: Array,
        draw_device_hours: Array,
        seconds: Array,
        meets_target: Mask,
    ) -> Fleet[Estimates]:
        """Devices that are rented for so many hours a year, or all year where they are reserved."""
        paid_device_hours = np.where(
            self.prices.rent_is_kept, devices * HOURS_PER_YEAR, taken_device_hours
        )
        return Fleet(
            estimates=estimates,
            devices=devices,
            worked_device_hours=worked_device_hours,
            paid_device_hours=paid_device_hours,
            power_share=self._power_share(draw_device_hours, paid_device_hours),
            purchase_usd=np.zeros_like(devices),
            parts_usd_per_year={"rent": paid_device_hours * self.prices.rent_usd_per_hour},
            seconds=seconds,
            meets_target=meets_target,
        )


def serving_money(
    candidates: ServingCandidates, devices_by_hour: Array, shape: DemandShape, market: Market
) -> JobMoney[ServingEstimates]:
    """Cost of serving: owned for the busiest hour, or rented by the hour.

    Reserved rents are paid at all hours for the whole fleet; others follow the demand in whole
    copies of the model, at least one.

    Parameters
    ----------
    candidates
        Layouts to choose from.
    devices_by_hour
        Devices that the hours of the week need in each layout, the busiest hour last. [devices]
    shape, market
        Demand over the week, prices and terms.
    """
    peak = devices_by_hour[..., -1]
    owned = candidates.least(whole_servers(peak, market.arrays))
    kept = market.prices.rent_is_kept[:, None]
    rented = candidates.least(np.where(kept, peak, devices_by_hour.mean(axis=-1)))
    taken = serving_devices_by_hour(rented, shape).mean(axis=-1) * HOURS_PER_YEAR
    arrays, levels = market.arrays, market.terms.power_levels
    return JobMoney(
        owned=market.owned(
            owned,
            devices=owned.devices,
            worked_device_hours=serving_device_hours(owned, shape),
            draw_device_hours=serving_draw_hours(owned, shape, arrays, levels),
            seconds=owned.tpot_seconds,
            meets_target=owned.meets_target,
        ),
        rented=market.rented(
            rented,
            devices=rented.devices,
            worked_device_hours=serving_device_hours(rented, shape),
            taken_device_hours=taken,
            draw_device_hours=following_draw_hours(rented, taken, shape, arrays, levels),
            seconds=rented.tpot_seconds,
            meets_target=rented.meets_target,
        ),
    )


def serving_device_hours(estimates: ServingEstimates, shape: DemandShape) -> Array:
    """Hours of a year that serving devices are at work. [device-hours/year]"""
    busy_share = shape.mean_over_peak * estimates.peak_utilization
    return estimates.devices * busy_share * HOURS_PER_YEAR


def serving_devices_by_hour(estimates: ServingEstimates, shape: DemandShape) -> Array:
    """Devices that serving needs in each hour of the week, in whole copies. [devices, (D, 168)]"""
    copies = copies_by_hour(estimates.load_in_copies, shape.relative_load)
    return copies * estimates.layout_devices[:, None]


def training_money(
    candidates: TrainingCandidates, runs_per_month: float, market: Market
) -> JobMoney[TrainingEstimates]:
    """Cost of a year of runs: owned, or rented for the whole hours of each run.

    Where only a reserved rent is known it is due all year, as no one reserves for a night.
    """
    fleets = np.maximum(fleets_of_runs(candidates.run_hours, runs_per_month), 1.0)
    held = candidates.layout_devices * fleets
    billed = candidates.layout_devices * np.ceil(candidates.run_hours)
    owned = candidates.least(whole_servers(held, market.arrays))
    rented = candidates.least(np.where(market.prices.rent_is_kept[:, None], held, billed))
    if not runs_per_month:
        return JobMoney(no_fleet(owned), no_fleet(rented))
    runs_per_year = runs_per_month * MONTHS_PER_YEAR
    arrays, levels = market.arrays, market.terms.power_levels
    return JobMoney(
        owned=market.owned(
            owned,
            devices=owned.devices * fleets_of_runs(owned.run_hours, runs_per_month),
            worked_device_hours=owned.device_hours * runs_per_year,
            draw_device_hours=training_draw_hours(owned, runs_per_year, arrays, levels),
            seconds=owned.run_seconds,
            meets_target=owned.meets_window,
        ),
        rented=market.rented(
            rented,
            devices=rented.devices * fleets_of_runs(rented.run_hours, runs_per_month),
            worked_device_hours=rented.device_hours * runs_per_year,
            taken_device_hours=rented.devices * np.ceil(rented.run_hours) * runs_per_year,
            draw_device_hours=training_draw_hours(rented, runs_per_year, arrays, levels),
            seconds=rented.run_seconds,
            meets_target=rented.meets_window,
        ),
    )


def fleets_of_runs(run_hours: Array, runs_per_month: float) -> Array:
    """Fleets that runs keep busy, one after the other. [fleets]"""
    return np.ceil(run_hours * runs_per_month / HOURS_PER_MONTH)


def no_fleet(estimates: Estimates) -> Fleet[Estimates]:
    """No devices for a job that is not planned: it costs nothing, whatever the prices."""
    nothing = np.zeros(len(estimates.devices))
    return Fleet(
        estimates=estimates,
        devices=nothing,
        worked_device_hours=nothing,
        paid_device_hours=nothing,
        power_share=np.full_like(nothing, np.nan),
        purchase_usd=nothing,
        parts_usd_per_year={},
        seconds=np.full_like(nothing, np.nan),
        meets_target=np.full(len(nothing), True),
    )
