"""One's own devices against an API: prices by hand, and where the two meet."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.finance.api_price import (
    TRAFFIC,
    ApiComparison,
    api_comparison,
    api_request_usd,
    stays_at_most,
)
from tests.plans import plan_of

PRICES = {"api_input_usd_per_million": 0.2, "api_output_usd_per_million": 0.8}


def compared(**changes: object) -> ApiComparison:
    found = api_comparison(plan_of(**(PRICES | changes)))
    assert found is not None
    return found


BY_HAND = ApiComparison(
    place=0,
    is_owned=True,
    api_usd=0.005,
    own_usd=0.010,
    requests_per_year=12_000.0,
    worked_share=0.3,
    requests_per_month=np.array([500.0, 1000, 2000, 4000, 8000]),
    own_usd_by_traffic=np.array([0.020, 0.010, 0.005, 0.006, 0.004]),
    other_usd_by_traffic=np.full(5, np.nan),
    own_usd_by_month=np.array([10.0, 10, 12, 12]),
    api_usd_by_month=np.array([8.0, 11, 11.5, 13]),
)


def test_request_of_an_api_by_hand() -> None:
    # 7,792 input tokens at 0.20 and 400 output tokens at 0.80 a million.
    assert compared().api_usd == pytest.approx(0.0018784)
    usd = api_request_usd(
        input_tokens=np.array([1e6, 0.0]),
        output_tokens=np.array([0.0, 2e6]),
        input_usd_per_million=3.0,
        output_usd_per_million=15.0,
    )
    assert usd.tolist() == [3, 30]


def test_break_evens_by_hand() -> None:
    assert BY_HAND.cost_ratio == pytest.approx(2)
    # At twice the work a request costs half as much: as much as the API asks.
    assert BY_HAND.break_even_utilization == pytest.approx(0.6)
    # Cheaper at 2,000, but dearer again at 4,000 for one more copy.
    assert BY_HAND.break_even_requests_per_month == 8000
    assert BY_HAND.planned_requests_per_month == 1000
    assert (BY_HAND.is_never_cheaper, BY_HAND.is_always_cheaper) == (False, False)
    # Cheaper in month 2, not in month 3.
    assert BY_HAND.first_cheaper_month == 4


def test_never_and_always_are_told_apart() -> None:
    never = replace(BY_HAND, api_usd=0.003)
    always = replace(BY_HAND, api_usd=0.030)
    assert (never.is_never_cheaper, never.is_always_cheaper) == (True, False)
    assert (always.is_never_cheaper, always.is_always_cheaper) == (False, True)
    assert never.break_even_requests_per_month is always.break_even_requests_per_month is None
    assert replace(BY_HAND, api_usd_by_month=np.zeros(4)).first_cheaper_month is None


@given(values=st.lists(st.floats(0, 10), min_size=1), limit=st.floats(0, 10))
def test_a_stay_below_a_limit_lasts_to_the_end_and_could_not_start_before(
    values: list[float], limit: float
) -> None:
    first = stays_at_most(np.array(values), limit)
    if first is None:
        assert values[-1] > limit
    else:
        assert all(value <= limit for value in values[first:])
        assert first == 0 or values[first - 1] > limit


def test_an_unknown_value_is_never_at_most_a_limit() -> None:
    assert stays_at_most(np.array([1.0, np.nan]), 5.0) is None


def test_the_plan_lies_on_the_line_against_traffic() -> None:
    found = compared()
    planned = int(np.flatnonzero(TRAFFIC == 1)[0])
    assert found.requests_per_month[planned] == pytest.approx(found.planned_requests_per_month)
    assert found.own_usd_by_traffic[planned] == pytest.approx(found.own_usd)


def test_at_the_break_even_the_line_crosses_the_price() -> None:
    found = compared()
    start = found.break_even_requests_per_month
    after = found.requests_per_month >= start
    assert (found.own_usd_by_traffic[after] <= found.api_usd).all()
    assert found.own_usd_by_traffic[~after][-1] > found.api_usd


def test_prices_times_the_ratio_cost_the_same() -> None:
    ratio = compared().cost_ratio
    even = compared(**{name: price * ratio for name, price in PRICES.items()})
    assert even.cost_ratio == pytest.approx(1)
    assert even.break_even_utilization == pytest.approx(even.worked_share)


def test_a_dearer_api_is_met_at_less_traffic() -> None:
    cheap, dear = (
        compared(api_input_usd_per_million=usd, api_output_usd_per_million=4 * usd)
        for usd in (0.15, 0.6)
    )
    assert dear.break_even_requests_per_month < cheap.break_even_requests_per_month


def test_growth_reaches_the_break_even_in_some_month() -> None:
    growing = compared(users=8, growth_percent_per_month=10)
    month = growing.first_cheaper_month
    assert month > 1
    own, api = growing.own_usd_by_month, growing.api_usd_by_month
    assert own[month - 2] > api[month - 2]
    assert (own[month - 1 :] <= api[month - 1 :]).all()
    # Traffic compounds: twelve months on, 1.1 to the power of 12.
    assert api[12] / api[0] == pytest.approx(3.138428)
    assert api.sum() / 3 == pytest.approx(growing.api_usd * growing.requests_per_year)


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"api_input_usd_per_million": 0.2},
        PRICES | {"model": "llama-3.1-405b", "weight_format": "bf16", "devices": ("nvidia-l4",)},
    ],
)
def test_without_prices_or_devices_nothing_is_compared(question: dict[str, object]) -> None:
    assert api_comparison(plan_of(**question)) is None
