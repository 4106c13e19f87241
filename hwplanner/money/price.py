"""What one device costs: in a price of one's own, published in a market, or by a usual discount."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from hwplanner import wording
from hwplanner.catalog.catalog import Catalog
from hwplanner.catalog.prices import PriceSummary, price_summary
from hwplanner.quote import Quote, QuoteKind

Range: TypeAlias = tuple[float, float, float]
Quotes: TypeAlias = Mapping[tuple[str, QuoteKind], Quote]
NAMED_AT_MOST = 3


class Rent(NamedTuple):
    """One way to rent.

    Parameters
    ----------
    words
        What it is called.
    kind, markets, term
        Which price points are of it; all markets and terms if None.
    quotes
        Which prices of one's own are.
    discount
        Name and key of the assumption that makes it from the rent on demand where nobody
        publishes it; None where nothing stands in for it.
    """

    words: str
    kind: str
    quotes: QuoteKind
    markets: Collection[str] | None = None
    term: str | None = None
    discount: tuple[str, str] | None = None

    @property
    def is_kept(self) -> bool:
        """Whether it is due at all hours, not only for hours taken."""
        return self.kind == "reserved"


_NEOCLOUD = Rent("neocloud, on demand", "on_demand", "on_demand", ("neocloud", "marketplace"))
RENTS: Mapping[str, Rent] = {
    "neocloud": _NEOCLOUD,
    "hyperscaler": Rent("hyperscaler, on demand", "on_demand", "on_demand", ("hyperscaler",)),
    "reserved_1y": Rent(
        "reserved for 1 year", "reserved", "reserved_1y", None, "1y", ("reserved_discount", "1y")
    ),
    "reserved_3y": Rent(
        "reserved for 3 years", "reserved", "reserved_3y", None, "3y", ("reserved_discount", "3y")
    ),
    "spot": Rent("spot", "spot", "spot", discount=("spot_discount", "")),
    "scale_to_zero": _NEOCLOUD,
}
# Some devices are rented out by their own maker's cloud alone.
FALLBACKS = {"neocloud": ("hyperscaler",), "scale_to_zero": ("hyperscaler",)}


class Price(NamedTuple):
    """Price of one device for one way of paying; NaN where there is none.

    Parameters
    ----------
    low_usd, typical_usd, high_usd
        Spread over the providers. [USD/device or USD/device/h]
    way
        What is paid for, or whose price it is; empty where there is none.
    providers
        Who asks it.
    date
        Day of the newest offer; empty if not known.
    unit_devices
        Fewest devices that are sold or rented at once. [devices]
    is_own, is_assumed
        Whether it is a price of one's own, or the rent on demand less an assumed discount.
    """

    low_usd: float = np.nan
    typical_usd: float = np.nan
    high_usd: float = np.nan
    way: str = ""
    providers: tuple[str, ...] = ()
    date: str = ""
    unit_devices: int = 1
    is_own: bool = False
    is_assumed: bool = False

    @property
    def basis(self) -> str:
        """Where it comes from, in words; empty where there is none."""
        more = " …" if len(self.providers) > NAMED_AT_MOST else ""
        offer = ", ".join(self.providers[:NAMED_AT_MOST]) + more
        source = ", ".join(filter(None, (offer, self.date)))
        return ": ".join(filter(None, (self.way, source)))


def quotes_in_use(quotes: Sequence[Quote]) -> Quotes:
    """Prices of one's own that count: of each device and kind the newest, else the last one."""
    return {(quote.device, quote.kind): quote for quote in sorted(quotes, key=lambda q: q.date)}


def purchase_price(catalog: Catalog, device_id: str, own: Quotes) -> Price:
    """Price of a device alone: one's own, else a published one."""
    if (device_id, "purchase") in own:
        return _own(own[device_id, "purchase"], 1)
    price = price_summary(catalog, device_id, "purchase")
    return Price() if price is None else _published("bought", price, 1)


def rent_price(
    catalog: Catalog, device_id: str, own: Quotes, market: str, discount: Range | None
) -> Price:
    """Rent in a market, else in one that may stand in for it, else that on demand for less.

    Parameters
    ----------
    catalog, device_id
        Catalogue with the published prices, and a device of it.
    own
        Prices of one's own that count.
    market
        One of `RENTS`.
    discount
        Low, typical and high discount off the rent on demand; None where nothing stands in. [share]
    """
    published = _published_rent(catalog, device_id, market)
    quote = own.get((device_id, RENTS[market].quotes))
    if quote is not None:
        # An offer of one's own does not say how many devices come at once.
        units = published.unit_devices if published else _rack_devices(catalog, device_id)
        return _own(quote, units)
    if published is not None:
        return published
    if discount is None:
        return Price()
    return _reduced(rent_price(catalog, device_id, own, "neocloud", None), discount)


def _published_rent(catalog: Catalog, device_id: str, market: str) -> Price | None:
    for name in (market, *FALLBACKS.get(market, ())):
        rent = RENTS[name]
        price = price_summary(catalog, device_id, rent.kind, markets=rent.markets, term=rent.term)
        if price is not None:
            return _published(rent.words, price, _rack_devices(catalog, device_id))
    return None


def _rack_devices(catalog: Catalog, device_id: str) -> int:
    """Devices that come at once where no offer says it: those of a rack, else one."""
    device = catalog.device(device_id)
    is_rack = device.form_factor.endswith("rack")
    return device.devices_per_server if is_rack and device.devices_per_server else 1


def _own(quote: Quote, unit_devices: int) -> Price:
    note = (quote.note,) if quote.note else ()
    return Price(
        *(quote.usd, quote.usd, quote.usd, "your price", note, quote.date, unit_devices),
        is_own=True,
    )


def _published(way: str, price: PriceSummary, unit_devices: int) -> Price:
    return Price(
        low_usd=price.low_usd,
        typical_usd=price.typical_usd,
        high_usd=price.high_usd,
        way=way,
        providers=("analyst's estimate",) if price.estimated else price.providers,
        date=price.newest_date,
        unit_devices=price.unit_devices or unit_devices,
    )


def _reduced(price: Price, discount: Range) -> Price:
    """Rent on demand less an assumed discount; the largest discount gives the lowest rent."""
    if not price.way:
        return price
    low, typical, high = discount
    return price._replace(
        low_usd=price.low_usd * (1 - high),
        typical_usd=price.typical_usd * (1 - typical),
        high_usd=price.high_usd * (1 - low),
        way=f"{price.way.replace(',', '')} less {wording.percent(typical)} (assumed)",
        is_own=False,
        is_assumed=True,
    )
