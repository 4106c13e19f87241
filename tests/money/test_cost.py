"""Capital, power, tokens and requests: numbers worked by hand, and laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.money.cost import (
    annualized_capital_usd_per_year,
    capital_recovery_factor,
    colocation_usd_per_year,
    energy_usd_per_year,
    request_cost,
    usd_per_million_tokens,
    usd_per_useful_hour,
)

amounts = st.floats(0.01, 1e6)
shares = st.floats(0, 1)


def test_capital_recovery_of_four_years_at_ten_percent() -> None:
    # 0.1 / (1 - 1 / 1.4641)
    factor = capital_recovery_factor(rate_per_year=0.10, years=4)
    assert factor == pytest.approx(0.315470804, rel=1e-8)


def test_without_interest_capital_is_recovered_evenly() -> None:
    assert capital_recovery_factor(rate_per_year=0.0, years=5) == 0.2


def test_a_tiny_rate_comes_close_to_none() -> None:
    assert capital_recovery_factor(rate_per_year=1e-12, years=4) == pytest.approx(0.25, rel=1e-11)


def test_rates_with_and_without_interest_share_one_array() -> None:
    factors = capital_recovery_factor(
        rate_per_year=np.array([0.0, 0.10]), years=np.array([4.0, 4.0])
    )
    assert factors == pytest.approx([0.25, 0.315470804], rel=1e-8)


@given(
    purchase_usd=amounts,
    residual_share=shares,
    rate_per_year=st.floats(0, 0.5),
    years=st.integers(1, 10),
)
def test_yearly_payments_and_the_sale_are_worth_the_purchase(
    purchase_usd: float, residual_share: float, rate_per_year: float, years: int
) -> None:
    residual_usd = residual_share * purchase_usd
    payment_usd = annualized_capital_usd_per_year(
        purchase_usd=purchase_usd,
        residual_usd=residual_usd,
        rate_per_year=rate_per_year,
        years=years,
    )
    worth_usd = sum(payment_usd / (1 + rate_per_year) ** year for year in range(1, years + 1))
    worth_usd += residual_usd / (1 + rate_per_year) ** years
    assert worth_usd == pytest.approx(purchase_usd)


def test_an_unknown_purchase_has_an_unknown_yearly_cost() -> None:
    payments_usd = annualized_capital_usd_per_year(
        purchase_usd=np.array([100.0, np.nan]), residual_usd=0.0, rate_per_year=0.0, years=4
    )
    assert payments_usd[0] == 25
    assert math.isnan(payments_usd[1])


def test_energy_of_a_kilowatt_for_a_year() -> None:
    # 0.5 kW × 2 × 8760 h × 0.10 USD
    assert energy_usd_per_year(drawn_watts=500, pue=2, usd_per_kwh=0.10) == pytest.approx(876)


def test_colocation_is_due_on_rated_power() -> None:
    assert colocation_usd_per_year(rated_watts=10_200, usd_per_kw_month=184.06) == pytest.approx(
        22_528.944
    )


def test_a_million_tokens_of_a_server() -> None:
    # 8 devices at 2.50 USD deliver 5,000 tokens/s: 18 million tokens an hour for 20 USD
    assert usd_per_million_tokens(usd_per_hour=20, tokens_per_s=5000) == pytest.approx(20 / 18)


@given(usd_per_hour=amounts, tokens_per_s=amounts, factor=st.floats(0.01, 100))
def test_more_devices_for_as_many_more_tokens_keep_the_price_of_a_token(
    usd_per_hour: float, tokens_per_s: float, factor: float
) -> None:
    one, several = (
        usd_per_million_tokens(usd_per_hour=scale * usd_per_hour, tokens_per_s=scale * tokens_per_s)
        for scale in (1, factor)
    )
    assert several == pytest.approx(one)


def test_idle_hours_are_borne_by_the_others() -> None:
    # A device at 2 USD that works a fifth of the hours delivers a fifth of 1,000 tokens/s.
    useful_usd_per_hour = usd_per_useful_hour(usd_per_hour=2.0, useful_share=0.2)
    assert useful_usd_per_hour == 10
    assert usd_per_million_tokens(usd_per_hour=2.0, tokens_per_s=200) == pytest.approx(
        usd_per_million_tokens(usd_per_hour=useful_usd_per_hour, tokens_per_s=1000)
    )


def test_a_request_is_split_by_the_time_of_its_phases() -> None:
    # 876 USD/year over 876,000 requests: 0.001 USD, a fifth of it prefill
    cost = request_cost(
        usd_per_year=876,
        requests_per_year=876_000,
        prefill_seconds=0.1,
        decode_seconds=0.4,
        input_tokens=1000,
        output_tokens=200,
    )
    assert cost.usd == pytest.approx(0.001)
    assert cost.usd_per_million_input_tokens == pytest.approx(0.20)
    assert cost.usd_per_million_output_tokens == pytest.approx(4.00)


@given(
    usd_per_year=amounts,
    requests_per_year=amounts,
    prefill_seconds=amounts,
    decode_seconds=amounts,
    input_tokens=st.integers(1, 10**6),
    output_tokens=st.integers(1, 10**5),
)
def test_input_and_output_tokens_add_up_to_the_request(
    usd_per_year: float,
    requests_per_year: float,
    prefill_seconds: float,
    decode_seconds: float,
    input_tokens: int,
    output_tokens: int,
) -> None:
    cost = request_cost(
        usd_per_year=usd_per_year,
        requests_per_year=requests_per_year,
        prefill_seconds=prefill_seconds,
        decode_seconds=decode_seconds,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
    )
    tokens_usd = (
        input_tokens * cost.usd_per_million_input_tokens
        + output_tokens * cost.usd_per_million_output_tokens
    ) / 1e6
    assert tokens_usd == pytest.approx(usd_per_year / requests_per_year)
    assert tokens_usd == pytest.approx(cost.usd)
