"""What each device costs to buy and to rent in a scenario, as arrays; a missing price is NaN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions, load_assumptions
from hwplanner.catalog.catalog import Catalog
from hwplanner.catalog.prices import is_stale
from hwplanner.money.price import (
    RENTS,
    Price,
    Range,
    purchase_price,
    quotes_in_use,
    rent_price,
)
from hwplanner.quote import Quote
from hwplanner.scenario import Scenario
from hwplanner.units import Array


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """Prices of several devices for one way of paying, one entry each; see `Price`.

    Attributes
    ----------
    basis
        Where each comes from, in words; empty where there is none.
    is_stale
        Whether a price is older than six months on the day of the plan.
    """

    low_usd: Array
    typical_usd: Array
    high_usd: Array
    basis: tuple[str, ...]
    providers: tuple[tuple[str, ...], ...]
    date: tuple[str, ...]
    unit_devices: Array
    is_own: NDArray[np.bool_]
    is_assumed: NDArray[np.bool_]
    is_stale: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class DevicePrices:
    """Prices of several devices, one entry each.

    Attributes
    ----------
    purchase
        Of a device alone. [USD/device]
    rent
        Of a device with all that belongs to it. [USD/device/h]
    rent_is_kept
        Whether the rent is due at all hours (reserved), not only for hours taken.
    """

    purchase: Prices
    rent: Prices
    rent_is_kept: NDArray[np.bool_]

    @property
    def purchase_usd(self) -> Array:
        """Typical price of a device alone. [USD/device]"""
        return self.purchase.typical_usd

    @property
    def rent_usd_per_hour(self) -> Array:
        """Typical rent of a device with all that belongs to it. [USD/device/h]"""
        return self.rent.typical_usd

    @property
    def rent_unit_devices(self) -> Array:
        """Devices that must be rented at once, such as a server or a rack of them. [devices]"""
        return self.rent.unit_devices

    @property
    def purchase_basis(self) -> tuple[str, ...]:
        """Where each purchase price comes from, in words; empty where there is none."""
        return self.purchase.basis

    @property
    def rent_basis(self) -> tuple[str, ...]:
        """Where each rent comes from, in words; empty where there is none."""
        return self.rent.basis


def device_prices(
    scenario: Scenario,
    device_ids: tuple[str, ...],
    catalog: Catalog,
    *,
    market: str | None = None,
    assumptions: Assumptions | None = None,
) -> DevicePrices:
    """Prices of devices in a scenario: one's own, else published ones, else assumed discounts.

    Parameters
    ----------
    scenario
        Market, prices of one's own, and the day of the plan.
    device_ids
        Devices.
    catalog
        Catalogue with the published prices.
    market
        Where hours are rented; that of the scenario by default.
    assumptions
        Usual discounts; the shipped ones by default.

    Notes
    -----
    What nobody offers at neoclouds is priced at its own maker's cloud. Nothing stands in for the
    rent of a hyperscaler. A reserved or interruptible rent that is not published is that on demand
    less an assumed discount, whose range widens that of the rent.

    Devices are rented in the smallest number that an offer of that market states; one by one where
    none does, but racks as a whole, as the one provider that says how rents them [1]_.

    References
    ----------
    .. [1] "GB200 NVL72-Powered Instances", docs.coreweave.com/docs/platform/instances/gb200
       (read 2026-12-01): full racks of 18 nodes only.
    """
    market = market or scenario.market
    assumed = RENTS[market].discount
    discount = (assumptions or load_assumptions()).range(*assumed) if assumed else None
    return _prices(
        device_ids, market, discount, scenario.quotes, scenario.plan_date or catalog.date, catalog
    )


@lru_cache(maxsize=256)
def _prices(
    device_ids: tuple[str, ...],
    market: str,
    discount: Range | None,
    quotes: tuple[Quote, ...],
    day: str,
    catalog: Catalog,
) -> DevicePrices:
    own = quotes_in_use(quotes)
    purchases = [purchase_price(catalog, device_id, own) for device_id in device_ids]
    rents = [rent_price(catalog, device_id, own, market, discount) for device_id in device_ids]
    return DevicePrices(
        purchase=_arrays(purchases, day),
        rent=_arrays(rents, day),
        rent_is_kept=np.array([RENTS[market].is_kept and rent.way != "" for rent in rents]),
    )


def _arrays(prices: Sequence[Price], day: str) -> Prices:
    return Prices(
        low_usd=np.array([price.low_usd for price in prices]),
        typical_usd=np.array([price.typical_usd for price in prices]),
        high_usd=np.array([price.high_usd for price in prices]),
        basis=tuple(price.basis for price in prices),
        providers=tuple(price.providers for price in prices),
        date=tuple(price.date for price in prices),
        unit_devices=np.array([float(price.unit_devices) for price in prices]),
        is_own=np.array([price.is_own for price in prices]),
        is_assumed=np.array([price.is_assumed for price in prices]),
        is_stale=np.array([_is_marked(price, day) for price in prices]),
    )


def _is_marked(price: Price, day: str) -> bool:
    """Whether a price is too old; one's own without a date is taken to be of today."""
    return price.way != "" and not (price.is_own and not price.date) and is_stale(price.date, day)
