"""What a device costs, from the price points of the catalogue."""

import datetime
import statistics
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from hwplanner.catalog.catalog import Catalog, PricePoint
from hwplanner.files.columns import last_day

MAX_AGE = datetime.timedelta(days=548)
"""Points older than 18 months before the newest one are no longer a market."""
STALE_AFTER = datetime.timedelta(days=183)
"""Prices move by tenths in half a year; older ones are marked."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What one provider asks: the median of its newest day. [USD or USD/device/h]"""

    provider: str
    usd: float
    date: str


@dataclass(frozen=True, slots=True)
class PriceSummary:
    """Spread of the prices of one device for one way of paying."""

    offers: tuple[Offer, ...]
    """One of each provider."""
    points: int
    estimated: bool
    """All points are an analyst's figures, not offers."""
    unit_devices: int | None
    """Fewest devices that an offer comes with, None where none says it. [devices]"""

    @property
    def low_usd(self) -> float:
        """Lowest offer. [USD or USD/device/h]"""
        return min(offer.usd for offer in self.offers)

    @property
    def typical_usd(self) -> float:
        """Median of the offers. [USD or USD/device/h]"""
        return statistics.median(offer.usd for offer in self.offers)

    @property
    def high_usd(self) -> float:
        """Highest offer. [USD or USD/device/h]"""
        return max(offer.usd for offer in self.offers)

    @property
    def providers(self) -> tuple[str, ...]:
        """Who asks these prices."""
        return tuple(offer.provider for offer in self.offers)

    @property
    def newest_date(self) -> str:
        """Date of the newest offer; empty where none is dated."""
        return max((offer.date for offer in self.offers), key=_last_day)


def price_summary(
    catalog: Catalog,
    device_id: str,
    kind: str,
    *,
    markets: Collection[str] | None = None,
    term: str | None = None,
) -> PriceSummary | None:
    """Low, typical and high price of a device, None where no price is known.

    Parameters
    ----------
    catalog
        Catalogue with the prices.
    device_id
        Device.
    kind
        "purchase", or one of the rents "on_demand", "reserved" and "spot".
    markets
        Kinds of seller to look at; all of them if None.
    term
        Term of a reservation, such as "1y"; all of them if None.

    Returns
    -------
    PriceSummary or None
        Per device to buy, per device and hour to rent. [USD or USD/device/h]

    Notes
    -----
    Points marked as not for use are left out, and so are those more than 18 months older than
    the newest; an undated point counts only beside other undated ones. Estimates of analysts
    count only where no offer is known. Each provider then has one vote, the median of its newest
    day, and the typical price is the median of the votes.
    """
    points = [
        point
        for point in catalog.prices_for(device_id)
        if point.use
        and point.kind == kind
        and (markets is None or point.market in markets)
        and (term is None or point.term == term)
    ]
    offers = [point for point in points if point.market != "estimate"]
    current = _current(offers or points)
    if not current:
        return None
    by_provider: dict[str, list[PricePoint]] = {}
    for point in current:
        by_provider.setdefault(point.provider, []).append(point)
    units = [point.devices_per_offer for point in current if point.devices_per_offer is not None]
    return PriceSummary(
        offers=tuple(_newest(provider, points) for provider, points in by_provider.items()),
        points=len(current),
        estimated=not offers,
        unit_devices=min(units, default=None),
    )


def is_stale(date: str, day: str) -> bool:
    """Whether what is of a date is older than six months, or of an unknown age, on a day.

    Examples
    --------
    >>> is_stale("2026-05-30", "2026-11-30"), is_stale("2026-06", "2026-11-30")
    (True, False)
    >>> is_stale("", "2026-11-30")
    True
    """
    return _last_day(day) - _last_day(date) > STALE_AFTER


def _current(points: Sequence[PricePoint]) -> list[PricePoint]:
    """Points of the last 18 months before the newest."""
    newest = max(map(_day, points), default=datetime.date.min)
    return [point for point in points if newest - _day(point) <= MAX_AGE]


def _newest(provider: str, points: Sequence[PricePoint]) -> Offer:
    newest = max(map(_day, points))
    latest = [point for point in points if _day(point) == newest]
    return Offer(provider, statistics.median(point.usd for point in latest), latest[0].date)


def _day(point: PricePoint) -> datetime.date:
    return _last_day(point.date)


def _last_day(date: str) -> datetime.date:
    return last_day(date) if date else datetime.date.min
