"""What a device costs, from the price points of the catalogue."""

import datetime
import statistics
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from hwplanner.catalog.catalog import Catalog, PricePoint
from hwplanner.files.columns import last_day

MAX_AGE = datetime.timedelta(days=548)
"""Points older than 18 months before the newest one are no longer a market."""


@dataclass(frozen=True, slots=True)
class PriceSummary:
    """Spread of the prices of one device for one way of paying."""

    low_usd: float
    typical_usd: float
    high_usd: float
    providers: tuple[str, ...]
    newest_date: str
    points: int
    estimated: bool
    """All points are an analyst's figures, not offers."""


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
    votes = [_newest_usd(its_points) for its_points in by_provider.values()]
    return PriceSummary(
        low_usd=min(votes),
        typical_usd=statistics.median(votes),
        high_usd=max(votes),
        providers=tuple(by_provider),
        newest_date=max(current, key=_day).date,
        points=len(current),
        estimated=not offers,
    )


def _current(points: Sequence[PricePoint]) -> list[PricePoint]:
    """Points of the last 18 months before the newest."""
    newest = max(map(_day, points), default=datetime.date.min)
    return [point for point in points if newest - _day(point) <= MAX_AGE]


def _newest_usd(points: Sequence[PricePoint]) -> float:
    newest = max(map(_day, points))
    return statistics.median(point.usd for point in points if _day(point) == newest)


def _day(point: PricePoint) -> datetime.date:
    return last_day(point.date) if point.date else datetime.date.min
