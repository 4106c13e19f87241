"""What devices cost: published, one's own, or assumed; how old that is; how many come at once."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.catalog.catalog import Catalog
from hwplanner.money.device_prices import DevicePrices, device_prices
from hwplanner.money.price import RENTS
from hwplanner.quote import Quote
from hwplanner.scenario import Scenario
from tests.devices import device
from tests.plans import SHIPPED, catalog, place_of, plan_of, price

ONE, OTHER = device(id="one"), device(id="other")


def prices(known: Catalog, **changes: object) -> DevicePrices:
    return device_prices(Scenario(**changes), ("one", "other"), known)


def test_the_chosen_market_is_asked_first() -> None:
    known = catalog(
        [ONE, OTHER],
        price("one", 2.0),
        price("one", 6.0, market="hyperscaler"),
        price("one", 1.0, "spot"),
        price("one", 3.0, "reserved", market="hyperscaler", term="1y"),
    )
    rents = {
        market: prices(known, market=market).rent_usd_per_hour[0]
        for market in ("neocloud", "hyperscaler", "spot", "reserved_1y")
    }
    assert rents == {"neocloud": 2.0, "hyperscaler": 6.0, "spot": 1.0, "reserved_1y": 3.0}


def test_the_makers_own_cloud_stands_in_for_neoclouds_and_is_said() -> None:
    known = catalog([ONE, OTHER], price("one", 6.0, market="hyperscaler"))
    found = prices(known, market="neocloud")
    assert found.rent_usd_per_hour[0] == 6.0
    assert found.rent_basis[0] == "hyperscaler, on demand: Somebody, 2026-11-01"


def test_nothing_stands_in_for_a_hyperscaler() -> None:
    found = prices(catalog([ONE, OTHER], price("one", 2.0)), market="hyperscaler")
    assert math.isnan(found.rent_usd_per_hour[0])
    assert found.rent_basis[0] == ""


@pytest.mark.parametrize(
    ("market", "low", "typical", "high", "words"),
    [  # assumptions.csv: 35 % (20 to 47), 50 % (30 to 60), 55 % (33 to 90) off $4 (2 to 5)
        ("reserved_1y", 1.06, 2.60, 4.00, "neocloud on demand less 35% (assumed): A, B, C"),
        ("reserved_3y", 0.80, 2.00, 3.50, "neocloud on demand less 50% (assumed): A, B, C"),
        ("spot", 0.20, 1.80, 3.35, "neocloud on demand less 55% (assumed): A, B, C"),
    ],
)
def test_what_nobody_publishes_is_the_rent_on_demand_less_a_discount(
    market: str, low: float, typical: float, high: float, words: str
) -> None:
    offers = [price("one", usd, provider=name) for name, usd in (("A", 2), ("B", 4), ("C", 5))]
    rent = prices(catalog([ONE, OTHER], *offers), market=market).rent
    assert (rent.low_usd[0], rent.typical_usd[0], rent.high_usd[0]) == pytest.approx(
        (low, typical, high)
    )
    assert rent.basis[0] == f"{words}, 2026-11-01"
    assert rent.is_assumed.tolist() == [True, False]
    assert math.isnan(rent.typical_usd[1])


def test_a_discount_is_off_the_makers_own_cloud_where_no_neocloud_has_the_device() -> None:
    rent = prices(
        catalog([ONE, OTHER], price("one", 6.0, market="hyperscaler")), market="reserved_3y"
    ).rent
    assert rent.typical_usd[0] == 3.0
    assert rent.basis[0] == "hyperscaler on demand less 50% (assumed): Somebody, 2026-11-01"


def test_only_reserved_rents_are_kept() -> None:
    known = catalog(
        [ONE, OTHER],
        price("one", 2.0),
        price("one", 1.5, "reserved", term="1y"),
        price("other", 1.0, "reserved", term="3y"),
    )
    assert prices(known).rent_is_kept.tolist() == [False, False]
    reserved = prices(known, market="reserved_1y")
    assert reserved.rent_usd_per_hour[0] == 1.5
    assert math.isnan(reserved.rent_usd_per_hour[1])  # three years are not one
    assert reserved.rent_is_kept.tolist() == [True, False]
    assert prices(known, market="spot").rent_is_kept.tolist() == [False, False]


def test_another_market_than_that_of_the_scenario_can_be_asked_for() -> None:
    known = catalog([ONE, OTHER], price("one", 2.0), price("one", 1.0, "spot"))
    found = device_prices(Scenario(market="spot"), ("one",), known, market="scale_to_zero")
    assert found.rent_usd_per_hour.tolist() == [2.0]


def test_low_and_high_are_the_cheapest_and_the_dearest_provider() -> None:
    offers = (price("one", usd, provider=name) for name, usd in (("A", 2), ("B", 3), ("C", 9)))
    rent = prices(catalog([ONE, OTHER], *offers)).rent
    assert (rent.low_usd[0], rent.typical_usd[0], rent.high_usd[0]) == (2, 3, 9)


def test_devices_come_in_the_smallest_number_that_an_offer_of_the_market_states() -> None:
    server = price("one", 2.0, provider="A", devices_per_offer=8)
    half = price("one", 2.0, provider="B", devices_per_offer=4)
    single = price("one", 6.0, market="hyperscaler", devices_per_offer=1)
    unstated = price("other", 2.0)
    known = catalog([ONE, OTHER], server, half, single, unstated)
    assert prices(known).rent_unit_devices.tolist() == [4, 1]
    assert prices(known, market="hyperscaler").rent_unit_devices[0] == 1
    assert prices(known, market="spot").rent_unit_devices[0] == 4  # that of the rent on demand


def test_a_rack_is_rented_whole_unless_an_offer_says_otherwise() -> None:
    rack = device(id="rack", form_factor="Superchip rack", devices_per_server=72)
    other = device(id="other", form_factor="Superchip rack", devices_per_server=72)
    known = catalog([rack, other], price("rack", 4.0), price("other", 4.0, devices_per_offer=36))
    found = device_prices(Scenario(), ("rack", "other"), known)
    assert found.rent_unit_devices.tolist() == [72, 36]


@pytest.mark.parametrize(
    ("date", "plan_date", "is_stale"),
    [
        ("2026-05-31", "2026-11-30", False),  # 183 days
        ("2026-05-30", "2026-11-30", True),  # 184 days
        ("2026-05", "2026-11-30", False),  # a month may mean its last day
        ("2026-11-01", "2027-06-01", True),
        ("", "2026-11-30", True),
    ],
)
def test_prices_older_than_six_months_on_the_day_of_the_plan_are_stale(
    date: str, plan_date: str, is_stale: bool
) -> None:
    known = catalog([ONE, OTHER], price("one", 2.0, date=date))
    found = prices(known, plan_date=plan_date)
    assert found.rent.is_stale.tolist() == [is_stale, False]


def test_the_plan_is_of_the_day_of_the_catalogue_where_it_names_none() -> None:
    known = catalog([ONE, OTHER], price("one", 2.0, date="2026-01-01"), price("other", 2.0))
    assert prices(known).rent.is_stale.tolist() == [True, False]


def test_a_missing_price_is_nan_and_has_no_basis() -> None:
    found = prices(catalog([ONE, OTHER], price("one", 2.0)))
    assert math.isnan(found.purchase_usd[0])
    assert math.isnan(found.rent_usd_per_hour[1])
    assert found.purchase_basis == ("", "")
    assert found.rent_basis[1] == ""


def test_an_analysts_estimate_is_called_so() -> None:
    known = catalog([ONE, OTHER], price("one", 9000.0, "purchase", market="estimate"))
    assert prices(known).purchase_basis[0] == "bought: analyst's estimate, 2026-11-01"


def test_more_than_three_providers_are_cut_short() -> None:
    offers = (price("one", 2.0, provider=name) for name in "ABCD")
    assert prices(catalog([ONE, OTHER], *offers)).rent_basis[0] == (
        "neocloud, on demand: A, B, C …, 2026-11-01"
    )


def quote(device_id: str = "one", **changes: object) -> Quote:
    """A rent on demand of one's own, but for the changes."""
    return Quote(**{"device": device_id, "kind": "on_demand", "amount": 1.5} | changes)


def test_a_price_of_ones_own_replaces_the_published_one_of_its_kind() -> None:
    known = catalog(
        [ONE, OTHER],
        price("one", 2.0),
        price("one", 30_000.0, "purchase"),
        price("other", 5.0),
    )
    bought = quote(kind="purchase", amount=25_000, date="2026-11-20", note="Acme")
    found = prices(known, quotes=(quote(), bought))
    assert found.rent_usd_per_hour.tolist() == [1.5, 5.0]
    assert found.rent.is_own.tolist() == [True, False]
    assert found.purchase_usd[0] == 25_000
    assert found.purchase.low_usd[0] == found.purchase.high_usd[0] == 25_000
    assert found.rent_basis[0] == "your price"
    assert found.purchase_basis[0] == "your price: Acme, 2026-11-20"
    # What is cached for the next scenario is as published.
    assert prices(known).rent_usd_per_hour.tolist() == [2.0, 5.0]


@pytest.mark.parametrize(
    ("kind", "markets"),
    [
        ("on_demand", {"neocloud", "hyperscaler", "scale_to_zero"}),
        ("reserved_1y", {"reserved_1y"}),
        ("reserved_3y", {"reserved_3y"}),
        ("spot", {"spot"}),
        ("purchase", set()),
    ],
)
def test_a_price_of_ones_own_counts_where_that_kind_is_rented(kind: str, markets: set[str]) -> None:
    known = catalog([ONE, OTHER], price("one", 2.0))
    own = {
        market
        for market in RENTS
        if prices(known, market=market, quotes=(quote(kind=kind),)).rent.is_own[0]
    }
    assert own == markets


def test_a_reserved_price_of_ones_own_is_kept() -> None:
    quotes = (quote(kind="reserved_3y"), quote(kind="spot"))
    known = catalog([ONE, OTHER])
    assert prices(known, market="reserved_3y", quotes=quotes).rent_is_kept.tolist() == [True, False]
    assert not prices(known, market="spot", quotes=quotes).rent_is_kept.any()


def test_a_discount_is_off_ones_own_rent_on_demand_where_there_is_one() -> None:
    known = catalog([ONE, OTHER], price("one", 2.0))
    rent = prices(known, market="reserved_3y", quotes=(quote(amount=3, note="Acme"),)).rent
    assert rent.typical_usd[0] == 1.5
    assert rent.basis[0] == "your price less 50% (assumed): Acme"
    assert (rent.is_own[0], rent.is_assumed[0]) == (False, True)


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [("2026-11-01", "2026-11-02", 9), ("2026-11-02", "2026-11-01", 1), ("2026-11-01", "", 1),
     ("", "", 9)],
)  # fmt: skip
def test_of_several_prices_of_ones_own_the_newest_counts_else_the_last(
    first: str, second: str, counts: float
) -> None:
    quotes = (quote(amount=1, date=first), quote(amount=9, date=second))
    known = catalog([ONE, OTHER])
    assert prices(known, quotes=quotes).rent_usd_per_hour[0] == counts


def test_a_price_of_ones_own_is_stale_by_its_date_and_fresh_without_one() -> None:
    quotes = (quote(date="2025-12-01"), quote("other"))
    found = prices(catalog([ONE, OTHER]), quotes=quotes, plan_date="2026-11-30")
    assert found.rent.is_stale.tolist() == [True, False]


def test_a_price_of_ones_own_for_another_device_changes_nothing() -> None:
    known = catalog([ONE, OTHER], price("one", 2.0))
    found = prices(known, quotes=(quote("elsewhere"),))
    assert found.rent_usd_per_hour[0] == 2.0
    assert not found.rent.is_own.any()


@given(st.floats(0.01, 1000), st.floats(0.01, 100), st.floats(0, 99))
def test_another_currency_at_its_rate_is_the_same_price(
    usd: float, usd_per_unit: float, discount_percent: float
) -> None:
    known = catalog([ONE, OTHER])
    dollars = quote(amount=usd, discount_percent=discount_percent)
    euros = quote(
        amount=usd / usd_per_unit,
        currency="EUR",
        usd_per_unit=usd_per_unit,
        discount_percent=discount_percent,
    )
    found = [prices(known, quotes=(own,)).rent_usd_per_hour[0] for own in (dollars, euros)]
    assert found[0] == pytest.approx(found[1])
    assert found[0] == pytest.approx(usd * (1 - discount_percent / 100))


def test_a_quote_makes_a_device_without_prices_comparable() -> None:
    device_id = "nvidia-rtx-pro-5000-72"
    question = {"devices": (device_id,), "model": "llama-3.1-8b"}
    without = plan_of(**question)
    assert math.isnan(without.serving_cost.usd_per_year[0])
    assert not without.best.exists
    quoted = plan_of(**question, quotes=(quote(device_id, amount=1.0),))
    assert quoted.serving_cost.rented.usd_per_device_hour[0] == pytest.approx(1.0)
    assert quoted.best.key == "rent_all"


def test_a_shipped_price_by_hand() -> None:
    # prices.csv, purchases of an H100: $30,000 list and $33,600 street; one vote each.
    plan = plan_of()
    place = place_of(plan, "nvidia-h100-sxm")
    assert plan.prices.purchase_usd[place] == 31_800
    assert SHIPPED.prices_for("nvidia-h100-sxm")
