"""The money of an option month by month: what is bought, sold, rented and paid for running.

Purchases and sales happen at the start of a month; rent and running cost are due at its end. Cash
is what changes hands. Cost spreads each purchase over its life with interest instead, so that
months and options can be compared; what is still owned at the end of the plan keeps its value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from hwplanner.money.cost import capital_left_usd
from hwplanner.money.fleets import Fleet, Market
from hwplanner.money.ownership import OwnershipTerms
from hwplanner.money.present_value import discount_factors
from hwplanner.units import MONTHS_PER_YEAR, Array

FleetJob = Literal["serving", "training", "both"]
Way = Literal["owned", "rented"]


@dataclass(frozen=True, eq=False)
class FleetLedger:
    """One fleet of an option, one entry a month.

    Attributes
    ----------
    job, way
        What it is for, and whether it is owned or rented.
    place
        Device, by its place in the comparison.
    devices
        Held, or rented in the busiest hour. [devices]
    bought, sold
        Bought at the start of the month, to grow or to replace what is sold. [devices]
    purchase_usd_each, residual_usd_each
        Paid for one and received at the end of its life. [USD/device]
    capital_usd
        Purchases spread over their lives, with interest: a cost, no cash. [USD/month]
    running_usd
        Energy, colocation, maintenance, staff, licences. [USD/month]
    drawn_watts
        Mean draw of one with its share of the server; 0 for what is rented. [W/device]
    rent_device_hours, rent_usd_per_hour
        What is rented, and its price. [device-hours/month], [USD/h]
    left_usd
        Part of the purchases that is not paid off at the end of the plan. [USD]
    """

    job: FleetJob
    way: Way
    place: int
    devices: Array
    bought: Array
    sold: Array
    purchase_usd_each: float
    residual_usd_each: float
    capital_usd: Array
    running_usd: Mapping[str, Array]
    drawn_watts: Array
    rent_device_hours: Array
    rent_usd_per_hour: Array
    left_usd: float

    @property
    def purchase_usd(self) -> Array:
        """Paid for devices and what is bought with them. [USD]"""
        return self.bought * self.purchase_usd_each

    @property
    def sale_usd(self) -> Array:
        """Received for old devices. [USD]"""
        return self.sold * self.residual_usd_each

    @property
    def rent_usd(self) -> Array:
        """[USD/month]"""
        return self.rent_device_hours * self.rent_usd_per_hour

    @property
    def running_total_usd(self) -> Array:
        """[USD/month]"""
        return sum(self.running_usd.values(), np.zeros_like(self.devices))

    @property
    def cash_usd(self) -> Array:
        """What is paid, less what is received. [USD/month]"""
        return self.purchase_usd - self.sale_usd + self.rent_usd + self.running_total_usd

    @property
    def cost_usd(self) -> Array:
        """What the month costs, purchases spread over their lives. [USD/month]"""
        return self.capital_usd + self.rent_usd + self.running_total_usd


@dataclass(frozen=True, eq=False)
class Ledger:
    """All fleets of an option.

    Attributes
    ----------
    fleets
        Fleets of both jobs; a base that is owned and peaks that are rented are two.
    rate_per_year
        Cost of capital. [1/year]
    months
        Length of the plan. [months]
    """

    fleets: tuple[FleetLedger, ...]
    rate_per_year: float
    months: int

    @cached_property
    def cash_usd(self) -> Array:
        """What is paid, less what is received. [USD/month]"""
        return self._sum(fleet.cash_usd for fleet in self.fleets)

    @cached_property
    def cost_usd(self) -> Array:
        """What each month costs. [USD/month]"""
        return self._sum(fleet.cost_usd for fleet in self.fleets)

    @cached_property
    def flows_usd(self) -> Array:
        """Cash at the start, and at the end of each month with what is bought then for the next.

        [USD, (months + 1,)]
        """
        at_start = self._sum(fleet.purchase_usd - fleet.sale_usd for fleet in self.fleets)
        at_end = self._sum(fleet.rent_usd + fleet.running_total_usd for fleet in self.fleets)
        return np.asarray(np.append(at_start, 0.0) + np.append(0.0, at_end))

    @property
    def spent_usd(self) -> Array:
        """Cash paid so far: at the start, and by the end of each month. [USD, (months + 1,)]"""
        return np.cumsum(self.flows_usd)

    @property
    def total_cost_usd(self) -> float:
        """Cost over the plan. [USD]"""
        return float(self.cost_usd.sum())

    @property
    def total_cash_usd(self) -> float:
        """Cash over the plan. [USD]"""
        return float(self.cash_usd.sum())

    @property
    def left_usd(self) -> float:
        """Value still owned at the end. [USD]"""
        return sum(fleet.left_usd for fleet in self.fleets)

    @property
    def net_present_cost_usd(self) -> float:
        """Cash of the plan in today's money, less the value still owned at its end. [USD]"""
        worth = discount_factors(self.rate_per_year, self.months)
        return float(self.flows_usd @ worth - self.left_usd * worth[-1])

    def _sum(self, parts: Iterable[Array]) -> Array:
        return sum(parts, np.zeros(self.months))


def owned_ledger(fleet: Fleet[Any], place: int, job: FleetJob, market: Market) -> FleetLedger:
    """Ledger of the fleet of one device that is bought."""
    terms, devices = market.terms, fleet.devices_by_month[place]
    bought, sold = purchases(devices, life_in_months(terms))
    each = float(market.purchase_usd_each[place])
    parts = {part: usd[place] for part, usd in fleet.parts_usd_by_month.items()}
    none = np.zeros_like(devices)
    arrays = market.arrays
    server_ratio = 1.0 if arrays.is_whole_machine[place] else terms.server_draw_ratio
    drawn_watts = fleet.power_share_by_month[place] * arrays.rated_watts[place] * server_ratio
    return FleetLedger(
        job=job,
        way="owned",
        place=place,
        devices=devices,
        bought=bought,
        sold=sold,
        purchase_usd_each=each,
        residual_usd_each=each * terms.residual_share,
        capital_usd=parts.pop("capital"),
        running_usd=parts,
        drawn_watts=drawn_watts,
        rent_device_hours=none,
        rent_usd_per_hour=none,
        left_usd=left_usd(bought, terms, purchase_usd_each=each),
    )


def rented_ledger(fleet: Fleet[Any], place: int, job: FleetJob) -> FleetLedger:
    """Ledger of the fleet of one device that is rented."""
    hours, usd = fleet.paid_hours_by_month[place], fleet.parts_usd_by_month["rent"][place]
    none = np.zeros_like(hours)
    return FleetLedger(
        job=job,
        way="rented",
        place=place,
        devices=fleet.devices_by_month[place],
        bought=none,
        sold=none,
        purchase_usd_each=0.0,
        residual_usd_each=0.0,
        capital_usd=none,
        running_usd={},
        drawn_watts=none,
        rent_device_hours=hours,
        rent_usd_per_hour=np.divide(usd, hours, out=np.zeros_like(usd), where=hours > 0),
        left_usd=0.0,
    )


def purchases(devices: Array, life_months: int) -> tuple[Array, Array]:
    """Devices bought and sold in each month by a fleet that grows and is renewed.

    Parameters
    ----------
    devices
        Devices held in each month; never fewer than before. [devices]
    life_months
        Life after which devices are sold and replaced. [months]

    Returns
    -------
    bought, sold
        [devices]

    Examples
    --------
    >>> bought, sold = purchases(np.array([2.0, 2.0, 3.0, 3.0, 3.0]), 2)
    >>> bought.tolist(), sold.tolist()
    ([2.0, 0.0, 3.0, 0.0, 3.0], [0.0, 0.0, 2.0, 0.0, 3.0])
    """
    bought = np.diff(devices, prepend=0.0)
    sold = np.zeros_like(bought)
    for month in range(life_months, len(bought)):
        sold[month] = bought[month - life_months]
        bought[month] += sold[month]
    return bought, sold


def left_usd(bought: Array, terms: OwnershipTerms, *, purchase_usd_each: float) -> float:
    """Value that all purchases still have at the end of the last month. [USD]"""
    return float(left_by_month_usd(bought, terms, purchase_usd_each=purchase_usd_each).sum())


def left_by_month_usd(bought: Array, terms: OwnershipTerms, *, purchase_usd_each: float) -> Array:
    """Value that the purchases of each month still have at the end of the last month.

    Parameters
    ----------
    bought
        Devices bought at the start of each month. [devices]
    terms
        Life, residual value and cost of capital.
    purchase_usd_each
        Price of a device with all around it. [USD]

    Returns
    -------
    ndarray
        Nothing of devices that were sold before. [USD]
    """
    life_months = life_in_months(terms)
    age_months = np.arange(len(bought), 0, -1.0)
    is_held = age_months <= life_months
    each = capital_left_usd(
        purchase_usd=purchase_usd_each,
        residual_usd=purchase_usd_each * terms.residual_share,
        rate_per_year=terms.rate_per_year,
        years=terms.years,
        age_years=np.minimum(age_months, life_months) / MONTHS_PER_YEAR,
    )
    return np.asarray(bought * is_held * each)


def life_in_months(terms: OwnershipTerms) -> int:
    """Useful life in whole months. [months]"""
    return max(round(terms.years * MONTHS_PER_YEAR), 1)
