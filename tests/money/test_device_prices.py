import math

import pytest

from hwplanner.catalog.catalog import Catalog
from hwplanner.money.device_prices import DevicePrices, device_prices
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


@pytest.mark.parametrize("market", ["hyperscaler", "spot", "reserved_1y"])
def test_nothing_else_stands_in_for_another_market(market: str) -> None:
    found = prices(catalog([ONE, OTHER], price("one", 2.0)), market=market)
    assert math.isnan(found.rent_usd_per_hour[0])
    assert found.rent_basis[0] == ""


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


def test_a_quote_of_ones_own_replaces_the_published_price() -> None:
    known = catalog(
        [ONE, OTHER],
        price("one", 2.0),
        price("one", 30_000.0, "purchase"),
        price("other", 5.0),
    )
    found = prices(
        known, quote_device="one", quote_rent_usd_per_hour=1.5, quote_purchase_usd=25_000
    )
    assert found.rent_usd_per_hour.tolist() == [1.5, 5.0]
    assert found.purchase_usd[0] == 25_000
    assert found.rent_basis[0] == found.purchase_basis[0] == "your quote"
    # What is cached for the next scenario is as published.
    assert prices(known).rent_usd_per_hour.tolist() == [2.0, 5.0]


def test_a_quote_of_zero_or_for_another_device_changes_nothing() -> None:
    known = catalog([ONE, OTHER], price("one", 2.0))
    for quote in (
        {"quote_device": "one"},
        {"quote_device": "elsewhere", "quote_rent_usd_per_hour": 1.0},
        {"quote_rent_usd_per_hour": 1.0},
    ):
        found = prices(known, **quote)
        assert found.rent_usd_per_hour[0] == 2.0
        assert found.rent_basis[0] != "your quote"


@pytest.mark.parametrize(("market", "is_kept"), [("reserved_1y", True), ("spot", False)])
def test_a_quoted_rent_is_one_of_the_chosen_market(market: str, is_kept: bool) -> None:
    known = catalog([ONE, OTHER], price("one", 2.0))
    quoted = prices(known, market=market, quote_device="one", quote_rent_usd_per_hour=1.0)
    assert quoted.rent_is_kept[0] == is_kept


def test_a_quote_makes_a_device_without_prices_comparable() -> None:
    device_id = "nvidia-rtx-pro-5000-72"
    question = {"devices": (device_id,), "model": "llama-3.1-8b"}
    without = plan_of(**question)
    assert math.isnan(without.serving_cost.usd_per_year[0])
    assert not without.best.exists
    quoted = plan_of(**question, quote_device=device_id, quote_rent_usd_per_hour=1.0)
    assert quoted.serving_cost.rented.usd_per_device_hour[0] == pytest.approx(1.0)
    assert quoted.best.key == "rent_all"


def test_a_shipped_price_by_hand() -> None:
    # prices.csv, purchases of an H100: $30,000 list and $33,600 street; one vote each.
    plan = plan_of()
    place = place_of(plan, "nvidia-h100-sxm")
    assert plan.prices.purchase_usd[place] == 31_800
    assert SHIPPED.prices_for("nvidia-h100-sxm")
