"""Cash by part and by year, payback, and rates of return."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.finance.cash import (
    by_year_usd,
    cash_parts_usd,
    internal_rate_per_year,
    payback_months,
    worth,
)
from tests.money.test_ledger import ledger, owned, rented
from tests.plans import option, plan_of, questions


def test_parts_of_a_ledger_made_by_hand() -> None:
    parts = cash_parts_usd(ledger(owned([2.0, 2.0, 3.0], life=2), rented([5.0, 0.0, 10.0])))
    assert {name: usd.tolist() for name, usd in parts.items()} == {
        "purchases": [200, 0, 300],
        "sales": [0, 0, -40],
        "rent": [10, 0, 20],
        "energy": [0, 0, 0],
        "colocation": [0, 0, 0],
        "maintenance": [0, 0, 0],
        "staff": [20, 20, 30],
        "licences": [0, 0, 0],
    }


@given(question=questions(), growth=st.sampled_from([-5, 0, 8]))
@settings(max_examples=20)
def test_parts_sum_to_the_cash_and_years_to_the_total(
    question: dict[str, object], growth: float
) -> None:
    for choice in plan_of(**question, growth_percent_per_month=growth).options:
        if choice.ledger is None:
            continue
        cash = choice.ledger.cash_usd
        parts = cash_parts_usd(choice.ledger)
        assert np.sum(list(parts.values()), axis=0) == pytest.approx(cash)
        assert by_year_usd(cash).sum() == pytest.approx(choice.ledger.total_cash_usd)


def test_a_last_year_may_be_short() -> None:
    assert by_year_usd(np.arange(1.0, 31.0)).tolist() == [78, 222, 165]


def test_a_purchase_against_a_rent_by_hand() -> None:
    # 100 now and 10 a month spare 20 a month: even after ten months.
    book, renting = ledger(owned([1.0] * 24), rate=0.1), ledger(rented([10.0] * 24), rate=0.1)
    found = worth(book, renting)
    assert found.payback_months == pytest.approx(10)
    assert found.cash_usd == 100 + 240
    v = 1.1 ** (-1 / 12)
    saved = 10 * sum(v**month for month in range(1, 25))
    assert found.net_present_value_usd == pytest.approx(saved - 100)
    # At the rate found, twenty-four months of 10 are worth 100.
    v = (1 + found.rate_per_year) ** (-1 / 12)
    assert 10 * sum(v**month for month in range(1, 25)) == pytest.approx(100)


def test_renting_has_nothing_to_pay_back() -> None:
    renting = ledger(rented([10.0] * 12))
    found = worth(renting, renting)
    assert math.isnan(found.payback_months)
    assert math.isnan(found.net_present_value_usd)
    assert found.net_present_cost_usd == 240


def test_worth_is_the_difference_of_present_costs_for_every_option() -> None:
    plan = plan_of(growth_percent_per_month=3)
    renting = option(plan, "rent_all").ledger
    for choice in plan.options:
        found = worth(choice.ledger, renting)
        assert found.cash_usd - found.left_usd <= found.cost_usd * (1 + 1e-9)
        if choice.key != "rent_all":
            assert found.net_present_value_usd == pytest.approx(
                renting.net_present_cost_usd - found.net_present_cost_usd
            )


@pytest.mark.parametrize(
    ("saved", "months"),
    [
        ([-100, -50, 0, 50], 2),
        ([-100, -50, 50, -20, 10], 1.5),  # the first time counts
        ([-100, -90, -80], math.nan),
        ([0, 10], math.nan),
        ([5, 10], math.nan),
    ],
)
def test_payback_is_where_the_saving_reaches_the_purchase(
    saved: list[float], months: float
) -> None:
    assert payback_months(np.array(saved, dtype=float)) == pytest.approx(months, nan_ok=True)


@pytest.mark.parametrize(
    "flows",
    [
        [-100, 200, -50],  # two rates
        [-100, -10],  # never comes back
        [100, -50],  # received first
        [0, 0, 0],
    ],
)
def test_no_rate_of_return_where_there_is_none_or_more_than_one(flows: list[float]) -> None:
    assert math.isnan(internal_rate_per_year(np.array(flows, dtype=float)))


@given(
    rate=st.floats(-0.5, 3),
    received=st.lists(st.floats(0, 100), min_size=1, max_size=60).filter(lambda usd: sum(usd) > 1),
)
def test_money_that_is_worth_its_price_earns_the_rate(rate: float, received: list[float]) -> None:
    months = np.arange(1, len(received) + 1)
    price = (received * (1 + rate) ** (-months / 12)).sum()
    flows = np.array([-price, *received])
    assert internal_rate_per_year(flows) == pytest.approx(rate, abs=1e-6)
