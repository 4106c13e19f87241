"""What each device costs to buy and to rent in a scenario, as arrays; a missing price is NaN."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from hwplanner.catalog.catalog import Catalog
from hwplanner.catalog.prices import PriceSummary, price_summary
from hwplanner.scenario import Scenario
from hwplanner.units import Array

Scalar = TypeVar("Scalar", bound=np.generic)


class _Rent(NamedTuple):
    """One way to rent: its words, and where its price points are found."""

    words: str
    kind: str
    markets: Collection[str] | None
    term: str | None = None


RENTS = {
    "neocloud": _Rent("neocloud, on demand", "on_demand", ("neocloud", "marketplace")),
    "hyperscaler": _Rent("hyperscaler, on demand", "on_demand", ("hyperscaler",)),
    "reserved_1y": _Rent("reserved for 1 year", "reserved", None, "1y"),
    "spot": _Rent("spot", "spot", None),
}
# Some devices are rented out by their own maker's cloud alone.
FALLBACKS = {"neocloud": ("hyperscaler",)}


@dataclass(frozen=True, slots=True, eq=False)
class DevicePrices:
    """Prices of several devices, one entry each.

    Attributes
    ----------
    purchase_usd
        Of a device alone. [USD/device]
    rent_usd_per_hour
        Of a device with all that belongs to it. [USD/device/h]
    rent_is_kept
        Whether the rent is due at all hours (reserved), not only for hours taken.
    purchase_basis, rent_basis
        Where each price comes from, in words; '' where there is none.
    """

    purchase_usd: Array
    rent_usd_per_hour: Array
    rent_is_kept: NDArray[np.bool_]
    purchase_basis: tuple[str, ...]
    rent_basis: tuple[str, ...]


def device_prices(
    scenario: Scenario, device_ids: tuple[str, ...], catalog: Catalog
) -> DevicePrices:
    """Prices of a scenario: published medians, with the quote of one's own in their place."""
    prices = _published(device_ids, scenario.market, catalog)
    if scenario.quote_device not in device_ids:
        return prices
    place = device_ids.index(scenario.quote_device)
    if scenario.quote_rent_usd_per_hour > 0:
        prices = replace(
            prices,
            rent_usd_per_hour=_put(
                prices.rent_usd_per_hour, place, scenario.quote_rent_usd_per_hour
            ),
            rent_is_kept=_put(prices.rent_is_kept, place, scenario.market == "reserved_1y"),
            rent_basis=_put_words(prices.rent_basis, place, "your quote"),
        )
    if scenario.quote_purchase_usd > 0:
        prices = replace(
            prices,
            purchase_usd=_put(prices.purchase_usd, place, scenario.quote_purchase_usd),
            purchase_basis=_put_words(prices.purchase_basis, place, "your quote"),
        )
    return prices


@lru_cache(maxsize=64)
def _published(device_ids: tuple[str, ...], market: str, catalog: Catalog) -> DevicePrices:
    purchases = [price_summary(catalog, device_id, "purchase") for device_id in device_ids]
    rents = [_rent(catalog, device_id, market) for device_id in device_ids]
    return DevicePrices(
        purchase_usd=_typical_usd(purchases),
        rent_usd_per_hour=_typical_usd([None if rent is None else rent[1] for rent in rents]),
        rent_is_kept=np.array(
            [rent is not None and RENTS[rent[0]].kind == "reserved" for rent in rents]
        ),
        purchase_basis=tuple(_basis("bought", price) for price in purchases),
        rent_basis=tuple(
            "" if rent is None else _basis(RENTS[rent[0]].words, rent[1]) for rent in rents
        ),
    )


def _rent(catalog: Catalog, device_id: str, market: str) -> tuple[str, PriceSummary] | None:
    """Rent in the chosen market, else in one that may stand in for it."""
    for name in (market, *FALLBACKS.get(market, ())):
        _, kind, markets, term = RENTS[name]
        price = price_summary(catalog, device_id, kind, markets=markets, term=term)
        if price is not None:
            return name, price
    return None


def _basis(words: str, price: PriceSummary | None) -> str:
    """Say where a price comes from."""
    if price is None:
        return ""
    providers = ", ".join(price.providers[:3]) + (" …" if len(price.providers) > 3 else "")
    offer = "analyst's estimate" if price.estimated else providers
    return f"{words}: {offer}, {price.newest_date}"


def _typical_usd(prices: Sequence[PriceSummary | None]) -> Array:
    return np.array([np.nan if price is None else price.typical_usd for price in prices])


def _put(values: NDArray[Scalar], place: int, value: float | bool) -> NDArray[Scalar]:
    changed = values.copy()
    changed[place] = value
    return changed


def _put_words(words: tuple[str, ...], place: int, word: str) -> tuple[str, ...]:
    return (*words[:place], word, *words[place + 1 :])
