"""The prices of a plan, each with its range, source and age."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hwplanner import wording
from hwplanner.catalog.device import device_name
from hwplanner.money.device_prices import Prices, device_prices
from hwplanner.money.price import RENTS
from hwplanner.plan import Plan
from hwplanner.quote import Quote, QuoteKind
from hwplanner.report.statements import Cell, Heading, Record
from hwplanner.report.story import Finding, Phrase, Sentence
from hwplanner.report.tables import Column, Table
from hwplanner.scenario import Scenario

WAYS: Mapping[str, str] = {
    "purchase": "Buy",
    "neocloud": "Neocloud, on demand",
    "hyperscaler": "Hyperscaler, on demand",
    "reserved_1y": "Reserved 1 year",
    "reserved_3y": "Reserved 3 years",
    "spot": "Spot",
}
"""Ways to pay, each with prices of its own; renting by scale to zero takes those on demand."""
OLD = "older than 6 months"
NAMED_AT_MOST = 3

Kind = Literal["own", "published", "assumed", "missing"]
_KIND_MARKS: Mapping[Kind, str] = {
    "own": "yours",
    "assumed": "assumed discount",
    "missing": wording.NOT_PUBLISHED,
}


@dataclass(frozen=True, slots=True)
class PriceInUse:
    """One price of a plan. [USD/device or USD/device/h]"""

    device: str
    way: str
    low_usd: float
    typical_usd: float
    high_usd: float
    providers: tuple[str, ...]
    date: str
    unit_devices: int
    kind: Kind
    is_stale: bool

    @property
    def mark(self) -> str:
        """What a reader should know of it, in words."""
        kind = _KIND_MARKS.get(self.kind, "")
        return ", ".join(filter(None, (kind, OLD if self.is_stale else "")))


def ways_in_use(plan: Plan) -> tuple[str, ...]:
    """Ways to pay that decide the plan; what is reserved takes its peaks from a neocloud."""
    market = {"scale_to_zero": "neocloud"}.get(plan.scenario.market, plan.scenario.market)
    peaks = "neocloud" if RENTS[market].is_kept else market
    return tuple(dict.fromkeys(("purchase", market, peaks)))


def prices_of(plan: Plan, ways: tuple[str, ...]) -> tuple[PriceInUse, ...]:
    """Prices of the compared devices, device by device, for some ways to pay."""
    by_way = {way: _prices(plan, way) for way in ways}
    return tuple(
        _price(device_name(device), way, prices, place)
        for place, device in enumerate(plan.devices)
        for way, prices in by_way.items()
    )


def _prices(plan: Plan, way: str, scenario: Scenario | None = None) -> Prices:
    market = None if way == "purchase" else way
    found = device_prices(
        scenario or plan.scenario,
        plan.arrays.ids,
        plan.catalog,
        market=market,
        assumptions=plan.assumptions,
    )
    return found.purchase if way == "purchase" else found.rent


def _price(device: str, way: str, prices: Prices, place: int) -> PriceInUse:
    kind: Kind = "published"
    if prices.is_own[place]:
        kind = "own"
    elif prices.is_assumed[place]:
        kind = "assumed"
    elif not prices.basis[place]:
        kind = "missing"
    return PriceInUse(
        device=device,
        way=WAYS[way],
        low_usd=float(prices.low_usd[place]),
        typical_usd=float(prices.typical_usd[place]),
        high_usd=float(prices.high_usd[place]),
        providers=prices.providers[place],
        date=prices.date[place],
        unit_devices=int(prices.unit_devices[place]),
        kind=kind,
        is_stale=bool(prices.is_stale[place]),
    )


def price_finding(plan: Plan) -> Finding:
    """How many of the prices that decide the plan are one's own, published, assumed, old."""
    found = prices_of(plan, ways_in_use(plan))
    priced = [price for price in found if price.kind != "missing"]
    if not priced:
        return Finding(
            (Phrase("Nobody publishes a price of these devices."),), "Add your own below."
        )
    old = [price for price in priced if price.is_stale]
    age = "none is" if not old else f"{len(old)} {'is' if len(old) == 1 else 'are'}"
    return Finding(
        (*_of_kinds(priced), Phrase(f"; {age} {OLD}.")),
        " ".join((*_of_old(old), *_of_missing(len(found) - len(priced)))),
    )


_KIND_WORDS: Mapping[Kind, str] = {
    "own": "yours",
    "published": "published",
    "assumed": "assumed from a discount",
}


def _of_kinds(priced: Sequence[PriceInUse]) -> Sentence:
    numbers = {kind: sum(price.kind == kind for price in priced) for kind in _KIND_WORDS}
    words = [(number, _KIND_WORDS[kind]) for kind, number in numbers.items() if number]
    if len(words) == 1:
        number, word = words[0]
        whole = "The one price in use is " if number == 1 else f"All {number} prices in use are "
        return Phrase(whole), Phrase(word, strong=True)
    verb = "is" if words[0][0] == 1 else "are"
    parts = [f"{number} {word}" for number, word in words]
    parts[0] = f"{words[0][0]} {verb} {words[0][1]}"
    return Phrase(f"Of {len(priced)} prices in use, "), Phrase(listed(parts), strong=True)


def _of_old(old: Sequence[PriceInUse]) -> Iterator[str]:
    if old:
        named = [f"{wording.short(price.device)} ({price.way.lower()})" for price in old]
        more = len(named) - NAMED_AT_MOST
        if more > 0:
            named[NAMED_AT_MOST:] = [f"{more} more"]
        yield f"Ask anew for {listed(named)}."


def _of_missing(number: int) -> Iterator[str]:
    if number:
        yield f"{number} more {'is' if number == 1 else 'are'} not published and not ranked."


def listed(texts: Sequence[str]) -> str:
    """Join texts as a sentence does.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def price_records(plan: Plan, ways: tuple[str, ...]) -> tuple[Record, ...]:
    """Prices of the compared devices: a row for each, a column for each way to pay."""
    found = iter(prices_of(plan, ways))
    chosen = (plan.serving_choice, plan.training_choice)
    return tuple(
        Record(
            (Cell(device_name(device)), *(_cell(next(found)) for _ in ways)), chosen=place in chosen
        )
        for place, device in enumerate(plan.devices)
    )


def price_headings(ways: tuple[str, ...]) -> tuple[Heading, ...]:
    """Headings of `price_records`."""
    return tuple(Heading(label) for label in ("Device", *(WAYS[way] for way in ways)))


def _cell(price: PriceInUse) -> Cell:
    if price.kind == "missing":
        return Cell(wording.NONE, note=wording.NOT_PUBLISHED)
    spread = wording.interval(price.low_usd, price.high_usd, wording.usd)
    note = (
        _KIND_MARKS.get(price.kind, "") if price.is_stale or price.kind == "assumed" else "",
        spread if wording.DASH in spread else "",
        ", ".join(price.providers),
        _day(price.date),
        f"at least {price.unit_devices}" if price.unit_devices > 1 else "",
    )
    is_own = price.kind == "own"
    return Cell(
        wording.usd(price.typical_usd),
        note=" · ".join(filter(None, note)),
        strong=is_own,
        status="near" if price.is_stale else "good" if is_own else None,
        verdict=OLD if price.is_stale else _KIND_MARKS["own"],
    )


def _day(date: str) -> str:
    """Say a date that may be a year or a month alone, without a break in it."""
    return wording.day(date).replace(" ", wording.SPACE) if _is_day(date) else date


def _is_day(date: str) -> bool:
    return len(date) == len("2026-11-30")


def price_table(plan: Plan) -> Table:
    """Prices of the compared devices by every way to pay, as a file holds them."""
    columns = (
        Column("device", "Device"),
        Column("way", "Way to pay"),
        Column("typical_usd", "Typical", "USD"),
        Column("low_usd", "Low", "USD"),
        Column("high_usd", "High", "USD"),
        Column("per", "For"),
        Column("mark", "Mark"),
        Column("date", "Date"),
        Column("providers", "From"),
        Column("unit_devices", "Come in", "devices"),
    )
    rows = tuple(
        {
            "device": price.device,
            "way": price.way,
            "typical_usd": price.typical_usd,
            "low_usd": price.low_usd,
            "high_usd": price.high_usd,
            "per": "a device" if price.way == WAYS["purchase"] else "a device-hour",
            "mark": price.mark,
            "date": price.date,
            "providers": ", ".join(price.providers),
            "unit_devices": price.unit_devices if price.kind != "missing" else None,
        }
        for price in prices_of(plan, tuple(WAYS))
    )
    return Table("prices_in_use", "Prices of the compared devices", columns, rows)


def published_quote(plan: Plan, device_id: str, kind: QuoteKind) -> Quote | None:
    """Published typical price as one of one's own, to be edited; None where there is none."""
    way: str = kind
    if kind == "on_demand":
        way = "hyperscaler" if plan.scenario.market == "hyperscaler" else "neocloud"
    as_published = plan.scenario.model_copy(update={"quotes": ()})
    place = plan.arrays.ids.index(device_id)
    price = _price(device_id, way, _prices(plan, way, as_published), place)
    if price.kind == "missing":
        return None
    return Quote(
        device=device_id,
        kind=kind,
        amount=price.typical_usd,
        date=price.date if _is_day(price.date) else "",
        note="as published" if price.kind == "published" else "assumed discount",
    )
