"""The prices of a plan in sentences and tables: whose they are, how old, what is missing."""

import math

import pytest

from hwplanner.plan import Plan, make_plan
from hwplanner.quote import Quote
from hwplanner.report.price_tables import (
    WAYS,
    listed,
    price_finding,
    price_headings,
    price_records,
    price_table,
    prices_of,
    published_quote,
    ways_in_use,
)
from hwplanner.report.story import plain
from hwplanner.scenario import Scenario
from tests.devices import device
from tests.plans import catalog, plan_of, price

OWN = Quote(device="one", kind="purchase", amount=9000, date="2026-11-02", note="Acme")
QUESTION = {"devices": ("one", "other"), "model": "llama-3.1-8b", "plan_date": "2026-11-30"}


def plan(**changes: object) -> Plan:
    """Two devices: one for sale and for rent by two providers, one with an old rent alone."""
    devices = [device(id="one", name="One"), device(id="other", name="Other")]
    known = catalog(
        devices,
        price("one", 10_000.0, "purchase", provider="Shop"),
        price("one", 2.0, provider="A", devices_per_offer=8),
        price("one", 4.0, provider="B"),
        price("other", 1.0, date="2026-01-01"),
    )
    return make_plan(Scenario(**QUESTION | changes), catalog=known)


def row_of(made: Plan, name: str, way: str) -> dict[str, object]:
    (row,) = (r for r in price_table(made).rows if (r["device"], r["way"]) == (name, way))
    return dict(row)


def test_the_table_has_every_way_to_pay_of_every_device() -> None:
    rows = price_table(plan()).rows
    assert [(row["device"], row["way"]) for row in rows] == [
        (name, way) for name in ("Nobody One", "Nobody Other") for way in WAYS.values()
    ]


def test_a_published_price_has_its_range_its_providers_and_its_date() -> None:
    assert row_of(plan(), "Nobody One", "Neocloud, on demand") == {
        "device": "Nobody One",
        "way": "Neocloud, on demand",
        "typical_usd": 3.0,
        "low_usd": 2.0,
        "high_usd": 4.0,
        "per": "a device-hour",
        "mark": "",
        "date": "2026-11-01",
        "providers": "A, B",
        "unit_devices": 8,
    }


def test_a_price_of_ones_own_an_assumed_an_old_and_a_missing_one_are_marked() -> None:
    made = plan(quotes=(OWN,))
    own = row_of(made, "Nobody One", "Buy")
    assert (own["typical_usd"], own["mark"], own["providers"]) == (9000, "yours", "Acme")
    assumed = row_of(made, "Nobody One", "Reserved 3 years")
    assert (assumed["typical_usd"], assumed["mark"]) == (1.5, "assumed discount")
    old = row_of(made, "Nobody Other", "Neocloud, on demand")
    assert old["mark"] == "older than 6 months"
    both = row_of(made, "Nobody Other", "Spot")
    assert both["mark"] == "assumed discount, older than 6 months"
    missing = row_of(made, "Nobody Other", "Buy")
    assert math.isnan(missing["typical_usd"])
    assert (missing["mark"], missing["unit_devices"]) == ("not published", None)


@pytest.mark.parametrize(
    ("market", "ways"),
    [
        ("neocloud", ("purchase", "neocloud")),
        ("scale_to_zero", ("purchase", "neocloud")),
        ("hyperscaler", ("purchase", "hyperscaler")),
        ("spot", ("purchase", "spot")),
        ("reserved_3y", ("purchase", "reserved_3y", "neocloud")),
    ],
)
def test_the_ways_that_decide_a_plan_follow_its_market(market: str, ways: tuple[str, ...]) -> None:
    assert ways_in_use(plan(market=market)) == ways


@pytest.mark.parametrize(
    ("changes", "headline", "detail"),
    [
        (
            {},
            "All 3 prices in use are published; 1 is older than 6 months.",
            "Ask anew for Nobody Other (neocloud, on demand). 1 more is not published and not "
            "ranked.",
        ),
        (
            {"quotes": (OWN,)},
            "Of 3 prices in use, 1 is yours and 2 published; 1 is older than 6 months.",
            "Ask anew for Nobody Other (neocloud, on demand). 1 more is not published and not "
            "ranked.",
        ),
        (
            {"quotes": (OWN,), "market": "reserved_3y", "plan_date": "2026-01-01"},
            "Of 5 prices in use, 1 is yours, 2 published and 2 assumed from a discount; none is "
            "older than 6 months.",
            "1 more is not published and not ranked.",
        ),
        (
            {"devices": ("other",), "plan_date": "2026-01-01"},
            "The one price in use is published; none is older than 6 months.",
            "1 more is not published and not ranked.",
        ),
        (
            {"devices": ("other",), "market": "hyperscaler"},
            "Nobody publishes a price of these devices.",
            "Add your own below.",
        ),
    ],
)
def test_the_finding_counts_prices_by_whose_they_are(
    changes: dict[str, object], headline: str, detail: str
) -> None:
    found = price_finding(plan(**changes))
    assert (plain(found.headline), found.detail) == (headline, detail)


def test_a_row_of_the_page_says_the_same_as_the_table() -> None:
    made, ways = plan(quotes=(OWN,)), ("purchase", "neocloud", "spot")
    assert [heading.label for heading in price_headings(ways)] == [
        *("Device", "Buy", "Neocloud, on demand", "Spot")
    ]
    one, other = price_records(made, ways)
    name, bought, rented, spot = one.cells
    assert (name.text, bought.text, bought.verdict, bought.strong) == (
        *("Nobody One", "$9,000", "yours", True),
    )
    assert bought.note == "Acme · 2\N{NO-BREAK SPACE}Nov\N{NO-BREAK SPACE}2026"
    assert rented.text == "$3.00"
    assert rented.note.startswith("$2.00–$4.00 · A, B · 1")
    assert rented.note.endswith(" · at least 8")
    assert spot.note.startswith("assumed discount · $0.20–$2.68 · A, B")  # 90 to 33 % off
    assert [cell.note for cell in other.cells[1:2]] == ["not published"]
    assert other.cells[2].status == "near"
    assert other.cells[2].verdict == "older than 6 months"


def test_a_published_price_becomes_one_of_ones_own_that_changes_nothing() -> None:
    before = plan()
    quote = published_quote(before, "one", "on_demand")
    assert quote == Quote(
        device="one", kind="on_demand", amount=3, date="2026-11-01", note="as published"
    )
    after = plan(quotes=(quote,))
    assert after.prices.rent_usd_per_hour[0] == before.prices.rent_usd_per_hour[0]
    assert after.best.usd_per_year.typical == pytest.approx(before.best.usd_per_year.typical)


def test_the_published_price_is_asked_for_also_where_there_is_one_of_ones_own() -> None:
    quote = published_quote(plan(quotes=(OWN,)), "one", "purchase")
    assert quote is not None
    assert quote.amount == 10_000
    spot = published_quote(plan(), "one", "spot")
    assert spot is not None
    assert (spot.amount, spot.note) == (pytest.approx(1.35), "assumed discount")


def test_what_nobody_publishes_cannot_be_edited() -> None:
    assert published_quote(plan(), "other", "purchase") is None
    assert published_quote(plan(market="hyperscaler"), "one", "on_demand") is None


def test_another_currency_at_its_rate_leaves_the_plan_as_it_is() -> None:
    """By hand: 9,000 USD at 1.25 USD a euro are 7,200 EUR."""
    euros = OWN.model_copy(update={"amount": 7200.0, "currency": "EUR", "usd_per_unit": 1.25})
    dollars, other = (plan(quotes=(quote,)) for quote in (OWN, euros))
    assert other.prices.purchase_usd[0] == dollars.prices.purchase_usd[0] == 9000
    assert other.best.usd_per_year == dollars.best.usd_per_year


def test_shipped_prices_are_all_in_order() -> None:
    for found in prices_of(plan_of(), tuple(WAYS)):
        if found.kind != "missing":
            assert 0 < found.low_usd <= found.typical_usd <= found.high_usd
            assert found.providers
            assert found.unit_devices >= 1


def test_texts_are_joined_as_a_sentence_joins_them() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
