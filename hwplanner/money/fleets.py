"""Devices that do a job and are paid in one way, and the market that prices them.

One entry a device of the comparison. A missing price leaves NaN, which no ranking takes for cheap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from hwplanner.catalog.device import DeviceArrays
from hwplanner.money.calendar import Calendar
from hwplanner.money.device_prices import DevicePrices
from hwplanner.money.ownership import OwnedCost, OwnershipTerms, owned_cost
from hwplanner.money.rent_terms import RentTerms
from hwplanner.serving.estimates import ServingEstimates, whole_servers
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.units import HOURS_PER_MONTH, MONTHS_PER_YEAR, Array

Mask = NDArray[np.bool_]
Estimates = TypeVar("Estimates", ServingEstimates, TrainingEstimates)


@dataclass(frozen=True, eq=False)
class Fleet(Generic[Estimates]):
    """Devices that do a job and are paid in one way, one entry a device of the comparison.

    Attributes
    ----------
    estimates
        The layouts that suit this way of paying.
    devices_by_month
        Devices at the peak of each month, or during its runs; NaN where they cannot hold the job.
        [devices, (devices, months)]
    worked_device_hours
        Hours at work, as a mean over the months. [device-hours/year]
    paid_hours_by_month
        Hours paid for. [device-hours/month, (devices, months)]
    power_share_by_month
        Mean draw of the devices in the hours paid for, NaN in a month without any.
        [share of rating, (devices, months)]
    purchase_usd
        Paid at the start; 0 for rent. [USD]
    parts_usd_by_month
        Cost by part: capital, energy and what else is due for owned devices, or rent.
        [USD/month, (devices, months)]
    seconds
        Time of a token, or of a run from its start to its end. [s]
    meets_target
        Whether the latency targets are met, or a run ends in its window.
    """

    estimates: Estimates
    devices_by_month: Array
    worked_device_hours: Array
    paid_hours_by_month: Array
    power_share_by_month: Array
    purchase_usd: Array
    parts_usd_by_month: Mapping[str, Array]
    seconds: Array
    meets_target: Mask

    @property
    def devices(self) -> Array:
        """Devices in the first month. [devices]"""
        return self.devices_by_month[:, 0]

    @property
    def paid_device_hours(self) -> Array:
        """Hours paid for, as a mean over the months. [device-hours/year]"""
        return np.asarray(self.paid_hours_by_month.mean(axis=1) * MONTHS_PER_YEAR)

    @property
    def power_share(self) -> Array:
        """Mean draw of the devices in all hours paid for. [share of rating]"""
        hours = self.paid_hours_by_month.sum(axis=1)
        drawn = np.nan_to_num(self.power_share_by_month) * self.paid_hours_by_month
        return np.asarray(drawn.sum(axis=1) / np.where(hours > 0, hours, np.nan))

    @property
    def parts_usd_per_year(self) -> Mapping[str, Array]:
        """Cost by part, as a mean over the months. [USD/year]"""
        parts = self.parts_usd_by_month
        return {part: usd.mean(axis=1) * MONTHS_PER_YEAR for part, usd in parts.items()}

    @cached_property
    def usd_per_year(self) -> Array:
        """Sum of all parts; NaN where a price is not known. [USD/year]"""
        return sum(self.parts_usd_per_year.values(), np.zeros(len(self.devices_by_month)))

    @property
    def running_usd_per_year(self) -> Array:
        """What is paid out every year: all but the capital. [USD/year]"""
        return self.usd_per_year - self.parts_usd_per_year.get("capital", 0.0)

    @property
    def usd_per_device_hour(self) -> Array:
        """Cost of an hour that is paid for, worked or not. [USD/h]"""
        return self.usd_per_year / self.paid_device_hours


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
        none = np.zeros_like(next(iter((*chosen.values(), *other.values())), np.zeros(len(mask))))
        names = dict.fromkeys((*chosen, *other))
        return {n: pick(mask, chosen.get(n, none), other.get(n, none)) for n in names}
    if isinstance(chosen, np.ndarray) and chosen.shape[:1] == mask.shape:
        return np.where(mask.reshape(-1, *[1] * (chosen.ndim - 1)), chosen, other)
    return chosen


def together(one: Fleet[Estimates], other: Fleet[Estimates]) -> Fleet[Estimates]:
    """Two fleets that do a job between them, in the same layouts."""
    names = dict.fromkeys((*one.parts_usd_by_month, *other.parts_usd_by_month))
    none = np.zeros_like(one.devices_by_month)
    hours = one.paid_hours_by_month + other.paid_hours_by_month
    drawn = [
        np.nan_to_num(fleet.power_share_by_month) * fleet.paid_hours_by_month
        for fleet in (one, other)
    ]
    return replace(
        one,
        devices_by_month=one.devices_by_month + other.devices_by_month,
        worked_device_hours=one.worked_device_hours + other.worked_device_hours,
        paid_hours_by_month=hours,
        power_share_by_month=(drawn[0] + drawn[1]) / hours,
        parts_usd_by_month={
            name: one.parts_usd_by_month.get(name, none) + other.parts_usd_by_month.get(name, none)
            for name in names
        },
    )


@dataclass(frozen=True, slots=True, eq=False)
class Market:
    """What the compared devices cost, and on what terms they are owned and rented.

    Attributes
    ----------
    arrays, prices
        Devices, and their prices where they are rented.
    peak_prices
        Prices at which single hours are rented.
    terms, rents
        Terms of ownership and of renting.
    calendar
        Growth of demand, and change of rents.
    """

    arrays: DeviceArrays
    prices: DevicePrices
    peak_prices: DevicePrices
    terms: OwnershipTerms
    rents: RentTerms
    calendar: Calendar

    @property
    def purchase_usd_each(self) -> Array:
        """Price of a device with all that is bought around it. [USD, (devices,)]"""
        idle = np.zeros((len(self.arrays.ids), 1))
        return np.asarray(self.unit_cost(idle).purchase_usd)[:, 0]

    def unit_cost(self, power_share: Array) -> OwnedCost:
        """Cost of owning one device, at a mean draw. [(devices, months)]

        Parameters
        ----------
        power_share
            Mean draw of a device in a month. [share of rating, (devices, months)]
        """
        arrays = self.arrays
        return owned_cost(
            self.terms,
            device_usd=self.prices.purchase_usd[:, None],
            device_watts=arrays.tdp_watts[:, None],
            drawn_watts=power_share * arrays.rated_watts[:, None],
            is_whole_machine=arrays.is_whole_machine[:, None],
        )

    def owned(
        self,
        estimates: Estimates,
        *,
        devices_by_month: Array,
        worked_device_hours: Array,
        draw_hours_by_month: Array,
        seconds: Array,
        meets_target: Mask,
    ) -> Fleet[Estimates]:
        """Whole servers that are bought, work so many hours a year and idle in the others.

        The draw is what they draw beyond idling: shares of the rating times hours. A fleet that
        has grown stays.
        """
        devices = np.maximum.accumulate(whole_servers(devices_by_month, self.arrays), axis=1)
        hours = devices * HOURS_PER_MONTH
        power_share = self._power_share(draw_hours_by_month, hours)
        one = self.unit_cost(power_share)
        parts = {"capital": one.capital_usd_per_year, **one.running_parts_usd_per_year}
        return Fleet(
            estimates=estimates,
            devices_by_month=devices,
            worked_device_hours=worked_device_hours,
            paid_hours_by_month=hours,
            power_share_by_month=power_share,
            purchase_usd=devices[:, 0] * np.asarray(one.purchase_usd)[:, 0],
            parts_usd_by_month={
                part: devices * usd / MONTHS_PER_YEAR for part, usd in parts.items()
            },
            seconds=seconds,
            meets_target=meets_target,
        )

    def rented(
        self,
        estimates: Estimates,
        *,
        devices_by_month: Array,
        worked_device_hours: Array,
        taken_hours_by_month: Array,
        draw_hours_by_month: Array,
        seconds: Array,
        meets_target: Mask,
        is_peak: bool = False,
    ) -> Fleet[Estimates]:
        """Devices that are rented for so many hours, or at all hours where they are reserved."""
        prices = self.peak_prices if is_peak else self.prices
        kept = prices.rent_is_kept[:, None]
        calendar = self.calendar
        held = np.maximum.accumulate(devices_by_month, axis=1)
        hours = np.where(kept, held * HOURS_PER_MONTH, taken_hours_by_month)
        term_months = self.rents.term_months
        trend = np.where(kept, calendar.kept_rent(term_months), calendar.rent)
        # In hours that are not taken, nothing is drawn.
        power_share = self._power_share(draw_hours_by_month, np.where(hours > 0, hours, np.nan))
        return Fleet(
            estimates=estimates,
            devices_by_month=np.where(kept, held, devices_by_month),
            worked_device_hours=worked_device_hours,
            paid_hours_by_month=hours,
            power_share_by_month=power_share,
            purchase_usd=np.zeros(len(hours)),
            parts_usd_by_month={"rent": hours * prices.rent_usd_per_hour[:, None] * trend},
            seconds=seconds,
            meets_target=meets_target,
        )

    def _power_share(self, draw_hours: Array, paid_hours: Array) -> Array:
        return np.asarray(self.terms.power_levels.idle + draw_hours / paid_hours)


def whole_units(devices: Array, unit: Array) -> Array:
    """Round devices up to the number that is rented at once. [devices]"""
    return np.asarray(np.ceil(devices / unit * (1 - 1e-9)) * unit)


def no_fleet(estimates: Estimates, months: int) -> Fleet[Estimates]:
    """No devices for a job that is not planned: it costs nothing, whatever the prices."""
    places = len(estimates.devices)
    nothing = np.zeros((places, months))
    return Fleet(
        estimates=estimates,
        devices_by_month=nothing,
        worked_device_hours=np.zeros(places),
        paid_hours_by_month=nothing,
        power_share_by_month=np.full((places, months), np.nan),
        purchase_usd=np.zeros(places),
        parts_usd_by_month={},
        seconds=np.full(places, np.nan),
        meets_target=np.full(places, True),
    )
