"""Which price points count, and what their summary says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.catalog.catalog import Catalog, PricePoint
from hwplanner.catalog.prices import Offer, PriceSummary, price_summary


def point(provider: str, usd: float, **changes: object) -> PricePoint:
    """Return a current on-demand price of a neocloud, but for the changes."""
    offer = PricePoint(
        device_id="acme-one",
        provider=provider,
        instance="",
        kind="on_demand",
        market="neocloud",
        term="",
        usd=usd,
        devices_per_offer=None,
        region="",
        date="2026-09-17",
        use=True,
        source="A page",
        note="",
    )
    return offer._replace(**changes)


def summary(*points: PricePoint, kind: str = "on_demand", **choice: object) -> PriceSummary | None:
    """Summarise the prices of a catalogue that holds these points."""
    catalog = Catalog(devices=(), sources=(), prices=points)
    return price_summary(catalog, "acme-one", kind, **choice)


def test_the_typical_price_is_the_median_of_the_providers() -> None:
    found = summary(point("A", 2.0), point("B", 3.0), point("C", 10.0))
    assert found is not None
    assert (found.low_usd, found.typical_usd, found.high_usd) == (2.0, 3.0, 10.0)
    assert found.providers == ("A", "B", "C")
    assert (found.newest_date, found.points) == ("2026-09-17", 3)
    assert (found.estimated, found.unit_devices) == (False, None)


def test_no_price_is_none_and_not_zero() -> None:
    assert summary() is None
    assert summary(point("A", 2.0), kind="spot") is None
    assert summary(point("A", 2.0), markets=("hyperscaler",)) is None
    assert summary(point("A", 2.0, use=False)) is None


def test_a_provider_with_many_offers_has_one_vote() -> None:
    found = summary(*(point("A", 9.0, instance=str(size)) for size in range(7)), point("B", 1.0))
    assert found is not None
    assert found.typical_usd == 5.0
    assert found.points == 8


def test_the_newest_offers_of_a_provider_replace_its_older_ones() -> None:
    found = summary(point("A", 5.0, date="2026-01-21"), point("A", 7.0), point("A", 8.0))
    assert found is not None
    assert (found.low_usd, found.typical_usd) == (7.5, 7.5)


def test_prices_of_another_age_are_left_out() -> None:
    found = summary(point("A", 5.0), point("B", 1.0, date="2025-02"), point("C", 1.0, date=""))
    assert found is not None
    assert found.providers == ("A",)


@pytest.mark.parametrize("date", ["2025-03-19", "2025-03", "2025"])
def test_a_month_or_a_year_counts_as_its_last_day(date: str) -> None:
    found = summary(point("A", 5.0), point("B", 1.0, date=date))
    assert found is not None
    assert found.providers == ("A", "B")


def test_undated_prices_count_where_there_are_no_others() -> None:
    found = summary(point("A", 5.0, date=""))
    assert found is not None
    assert (found.typical_usd, found.newest_date) == (5.0, "")


def test_an_estimate_counts_only_without_offers_and_says_so() -> None:
    estimate = point("Analyst", 1.0, market="estimate")
    with_offer = summary(estimate, point("A", 5.0))
    assert with_offer is not None
    assert (with_offer.typical_usd, with_offer.estimated) == (5.0, False)
    alone = summary(estimate)
    assert alone is not None
    assert (alone.typical_usd, alone.estimated) == (1.0, True)


def test_each_provider_keeps_the_date_of_its_own_offer() -> None:
    found = summary(point("A", 5.0, date="2026-01-21"), point("B", 7.0), point("B", 8.0))
    assert found is not None
    assert found.offers == (Offer("A", 5.0, "2026-01-21"), Offer("B", 7.5, "2026-09-17"))
    assert found.newest_date == "2026-09-17"


def test_the_smallest_machine_on_offer_is_known_where_one_states_its_size() -> None:
    offers = (point("A", 2.0, devices_per_offer=8), point("B", 2.0, devices_per_offer=4))
    found = summary(*offers, point("C", 2.0))
    assert found is not None
    assert found.unit_devices == 4


def test_terms_of_a_reservation_are_told_apart() -> None:
    year = point("A", 3.0, kind="reserved", term="1y")
    block = point("A", 5.0, kind="reserved", term="capacity block")
    found = summary(year, block, kind="reserved", term="1y")
    assert found is not None
    assert found.typical_usd == 3.0


@given(st.lists(st.floats(0.01, 200), min_size=1, max_size=8))
def test_low_typical_and_high_are_in_order_and_seen_or_between_seen(prices: list[float]) -> None:
    found = summary(*(point(f"provider {i}", usd) for i, usd in enumerate(prices)))
    assert found is not None
    assert min(prices) == found.low_usd <= found.typical_usd <= found.high_usd == max(prices)
