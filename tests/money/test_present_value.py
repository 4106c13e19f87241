"""Money of later months in today's money: worked by hand, and against the yearly payments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.money.calendar import calendar_of
from hwplanner.money.cost import annualized_capital_usd_per_year
from hwplanner.money.present_value import (
    buying_over_renting_usd,
    discount_factors,
    net_present_value_usd,
)
from hwplanner.scenario import Scenario
from hwplanner.units import Array

rates = st.floats(0, 0.4)
horizons = st.integers(1, 120)


def test_a_year_discounts_by_the_rate() -> None:
    factors = discount_factors(0.10, 24)
    assert factors.shape == (25,)
    assert factors[[0, 12, 24]] == pytest.approx([1, 1 / 1.1, 1 / 1.21])
    # twelve equal steps
    assert factors[1:] / factors[:-1] == pytest.approx([1.1 ** (-1 / 12)] * 24)


def test_several_rates_in_one_call() -> None:
    factors = discount_factors(np.array([0.0, 0.10]), 12)
    assert factors[0].tolist() == [1] * 13
    assert factors[1] == pytest.approx(discount_factors(0.10, 12))


@given(rate=rates, years=st.integers(1, 8), purchase_usd=st.floats(1, 1e6), share=st.floats(0, 1))
def test_yearly_payments_are_worth_the_purchase_less_its_sale(
    rate: float, years: int, purchase_usd: float, share: float
) -> None:
    """The annuity of `cost`, paid at the end of each year, has the present value of what it is."""
    residual_usd = share * purchase_usd
    start_usd, end_usd = np.zeros((2, 12 * years))
    start_usd[0] = purchase_usd
    end_usd[11::12] = -annualized_capital_usd_per_year(
        purchase_usd=purchase_usd,
        residual_usd=residual_usd,
        rate_per_year=rate,
        years=years,
    )
    worth_usd = net_present_value_usd(
        start_usd=start_usd, end_usd=end_usd, rate_per_year=rate, left_usd=-residual_usd
    )
    assert worth_usd == pytest.approx(0, abs=1e-6 * purchase_usd)


# 1,000 USD that spare 100 a month for a year and then sell for 100; by hand, month by month.
@pytest.mark.parametrize(
    ("rate", "change_percent", "usd"),
    [
        (0.0, 0.0, 12 * 100 + 100 - 1000),
        (0.10, 0.0, sum(100 * 1.1 ** (-m / 12) for m in range(1, 13)) + 100 / 1.1 - 1000),
        # the rent of the last month is 150 x 0.6^(11/12), the running cost stays at 50
        (0.10, -40.0, sum(
            (150 * 0.6 ** ((m - 1) / 12) - 50) * 1.1 ** (-m / 12) for m in range(1, 13)
        ) + 100 / 1.1 - 1000),
    ],
)  # fmt: skip
def test_buying_against_a_rent_that_stays_or_falls(
    rate: float, change_percent: float, usd: float
) -> None:
    calendar = calendar_of(Scenario(horizon_months=12, rent_change_percent_per_year=change_percent))
    assert buying_over_renting_usd(
        purchase_usd=1000.0,
        residual_usd=100.0,
        running_usd=np.full(12, 50.0),
        rent_usd=150.0 * calendar.rent,
        rate_per_year=rate,
    ) == pytest.approx(usd)


def buying(rent_usd: Array, rate: float) -> float:
    months = len(rent_usd)
    return float(
        buying_over_renting_usd(
            purchase_usd=1000.0,
            residual_usd=100.0,
            running_usd=np.full(months, 5.0),
            rent_usd=rent_usd,
            rate_per_year=rate,
        )
    )


@given(rent_usd=st.floats(0, 1000), more_usd=st.floats(0, 100), rate=rates, months=horizons)
def test_a_higher_rent_never_makes_renting_more_attractive(
    rent_usd: float, more_usd: float, rate: float, months: int
) -> None:
    assert buying(np.full(months, rent_usd + more_usd), rate) >= buying(
        np.full(months, rent_usd), rate
    )


@given(rent_usd=st.floats(5, 1000), rate=rates, months=horizons, change=st.integers(-60, 60))
def test_renting_gains_where_rents_fall_and_loses_where_they_rise(
    rent_usd: float, rate: float, months: int, change: int
) -> None:
    rents = rent_usd * (1 + change / 100) ** (np.arange(months) / 12)
    gain_usd = buying(rents, rate) - buying(np.full(months, rent_usd), rate)
    assert gain_usd * change >= 0


def test_an_unknown_price_stays_unknown() -> None:
    values = buying_over_renting_usd(
        purchase_usd=np.array([10.0, np.nan]),
        residual_usd=0.0,
        running_usd=np.zeros((2, 12)),
        rent_usd=np.ones((2, 12)),
        rate_per_year=0.0,
    )
    assert values[0] == 2
    assert np.isnan(values[1])
