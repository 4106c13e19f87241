"""The money of an option month by month: worked by hand, and laws that hold for every plan."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.money.ledger import (
    FleetLedger,
    Ledger,
    left_usd,
    life_in_months,
    purchases,
)
from hwplanner.money.ownership import OwnershipTerms
from hwplanner.plan import Plan, make_plan
from hwplanner.scenario import Scenario
from tests.plans import PLAIN, option, plan_of, questions, small_plan

YEARS_4 = replace(PLAIN, rate_per_year=0.10, residual_share=0.2)
"""The server of the published example: 380,000 USD, 20 % residual value, 4 years, 10 % interest."""


def owned(
    devices: list[float], *, each: float = 100.0, life: int = 48, capital: float = 0.0
) -> FleetLedger:
    """Owned devices at 10 USD of staff a month each, sold for a fifth of their price."""
    held = np.array(devices)
    bought, sold = purchases(held, life)
    none = np.zeros_like(held)
    return FleetLedger(
        job="serving",
        way="owned",
        place=0,
        devices=held,
        bought=bought,
        sold=sold,
        purchase_usd_each=each,
        residual_usd_each=0.2 * each,
        capital_usd=held * capital,
        running_usd={"staff": held * 10, "energy": none},
        drawn_watts=none,
        rent_device_hours=none,
        rent_usd_per_hour=none,
        left_usd=0.0,
    )


def rented(hours: list[float], usd_per_hour: float = 2.0) -> FleetLedger:
    """Devices that are rented for so many hours a month."""
    taken = np.array(hours)
    none = np.zeros_like(taken)
    return replace(
        owned([1.0] * len(hours)),
        way="rented",
        bought=none,
        sold=none,
        capital_usd=none,
        running_usd={},
        rent_device_hours=taken,
        rent_usd_per_hour=none + usd_per_hour,
    )


def ledger(*fleets: FleetLedger, rate: float = 0.0) -> Ledger:
    return Ledger(fleets, rate_per_year=rate, months=len(fleets[0].devices))


# Worked by hand


def test_a_fleet_that_grows_and_is_renewed_buys_and_sells() -> None:
    bought, sold = purchases(np.array([8.0, 8.0, 16.0, 16.0, 16.0, 24.0, 24.0]), 3)
    # The first 8 are replaced in months 4 and 7, the next 8 in month 6, which adds 8 more.
    assert bought.tolist() == [8, 0, 8, 8, 0, 16, 8]
    assert sold.tolist() == [0, 0, 0, 8, 0, 8, 8]


def test_cash_of_a_month_is_what_is_paid_less_what_is_received() -> None:
    fleet = owned([2.0, 2.0, 3.0], life=2)
    # 2 at 100; then 3 at 100 less 2 sold at 20; 10 a device and month for staff.
    assert fleet.cash_usd.tolist() == [200 + 20, 20, 300 - 40 + 30]
    peaks = rented([5.0, 0.0, 10.0])
    assert peaks.cash_usd.tolist() == peaks.cost_usd.tolist() == [10, 0, 20]
    both = ledger(fleet, peaks)
    assert both.cash_usd.tolist() == [230, 20, 310]
    assert both.total_cash_usd == 560


def test_purchases_fall_due_at_the_start_of_a_month_and_the_rest_at_its_end() -> None:
    book = ledger(owned([2.0, 2.0, 3.0], life=2), rented([5.0, 0.0, 10.0]))
    assert book.flows_usd.tolist() == [200, 30, 20 + 260, 50]
    assert book.spent_usd.tolist() == [200, 230, 510, 560]


def test_cost_spreads_purchases() -> None:
    book = ledger(owned([2.0, 2.0], capital=5.0), rented([1.0, 2.0]))
    assert book.cost_usd.tolist() == [10 + 20 + 2, 10 + 20 + 4]
    assert book.total_cost_usd == 66


def test_present_cost_of_a_rent_is_that_of_an_annuity() -> None:
    # 100 a month for 36 months at 10 % a year: 100 (1 - v^36) / i with 1 + i = 1.1^(1/12).
    book = ledger(rented([50.0] * 36), rate=0.10)
    monthly = 1.1 ** (1 / 12) - 1
    assert book.net_present_cost_usd == pytest.approx(100 * (1 - 1.1**-3) / monthly)


def test_present_cost_of_a_purchase_is_its_price_less_the_value_left() -> None:
    fleet = replace(owned([1.0] * 24, each=1210.0), running_usd={}, left_usd=605.0)
    assert ledger(fleet, rate=0.10).net_present_cost_usd == pytest.approx(1210 - 605 / 1.21)


def test_value_left_is_what_the_payments_have_not_paid_off() -> None:
    bought = np.zeros(36)
    bought[0] = 1
    # One more payment of 103,503 and the sale for 76,000, a year away.
    left = left_usd(bought, YEARS_4, purchase_usd_each=380_000)
    assert left == pytest.approx((103_503 + 76_000) / 1.1, rel=1e-5)
    full = left_usd(np.array([*bought, *np.zeros(12)]), YEARS_4, purchase_usd_each=380_000)
    assert full == pytest.approx(76_000)
    gone = left_usd(np.array([*bought, *np.zeros(13)]), YEARS_4, purchase_usd_each=380_000)
    assert gone == 0


def test_a_life_is_at_least_a_month() -> None:
    assert life_in_months(replace(PLAIN, years=2.5)) == 30
    assert life_in_months(replace(PLAIN, years=0.01)) == 1


# Laws


@given(
    steps=st.lists(st.integers(0, 3), min_size=1, max_size=120),
    life=st.integers(1, 60),
)
def test_what_is_bought_and_not_yet_sold_is_held(steps: list[int], life: int) -> None:
    devices = np.cumsum(np.array(steps, dtype=float))
    bought, sold = purchases(devices, life)
    assert np.cumsum(bought - sold) == pytest.approx(devices)
    assert (bought >= 0).all()
    assert sold[life:] == pytest.approx(bought[:-life] if life < len(bought) else [])
    assert not sold[:life].any()


@given(
    growth=st.lists(st.integers(0, 2), min_size=1, max_size=100),
    years=st.integers(1, 8),
    share=st.floats(0, 0.8),
)
def test_without_interest_cash_less_the_value_left_is_the_cost(
    growth: list[int], years: int, share: float
) -> None:
    terms = replace(PLAIN, years=years, residual_share=share)
    devices = np.cumsum(np.array(growth, dtype=float))
    bought, sold = purchases(devices, life_in_months(terms))
    left = left_usd(bought, terms, purchase_usd_each=100.0)
    cash = (bought - sold * share).sum() * 100
    straight_line = devices.sum() * 100 * (1 - share) / years / 12
    assert cash - left == pytest.approx(straight_line, abs=1e-6)


@given(years=st.integers(1, 8), horizon=st.integers(1, 10), rate=st.floats(0, 0.4))
def test_a_fleet_costs_today_what_its_yearly_payments_do(
    years: int, horizon: int, rate: float
) -> None:
    terms = replace(YEARS_4, years=years, rate_per_year=rate)
    fleet = owned([1.0] * 12 * horizon, life=life_in_months(terms))
    left = left_usd(fleet.bought, terms, purchase_usd_each=100.0)
    book = ledger(replace(fleet, running_usd={}, left_usd=left), rate=rate)
    payment = _yearly_payment(terms)
    paid = sum(payment * (1 + rate) ** -year for year in range(1, horizon + 1))
    assert book.net_present_cost_usd == pytest.approx(paid, abs=1e-6)


def _yearly_payment(terms: OwnershipTerms) -> float:
    """Payment that pays off 100 less its sale: their worth over that of a dollar a year."""
    v = 1 / (1 + terms.rate_per_year)
    years = range(1, round(terms.years) + 1)
    return 100 * (1 - terms.residual_share * v**terms.years) / sum(v**year for year in years)


# Ledgers of plans


def check(plan: Plan) -> None:
    for choice in plan.options:
        book = choice.ledger
        if book is None:
            assert not choice.exists
            continue
        months = plan.scenario.horizon_months
        assert book.months == months
        assert book.total_cost_usd == pytest.approx(choice.usd_per_year.typical * months / 12)
        assert book.flows_usd.sum() == pytest.approx(book.total_cash_usd)
        assert book.spent_usd[-1] == pytest.approx(book.total_cash_usd)
        for fleet in book.fleets:
            assert np.cumsum(fleet.bought - fleet.sold) == pytest.approx(
                fleet.devices if fleet.way == "owned" else np.zeros(months)
            )


@given(
    question=questions(),
    growth=st.sampled_from([-5, 0, 3, 12]),
    horizon=st.sampled_from([12, 30, 60]),
    trend=st.sampled_from([-20, 0, 10]),
)
@settings(max_examples=25)
def test_ledgers_of_every_option_come_to_its_cost(
    question: dict[str, object], growth: float, horizon: int, trend: float
) -> None:
    check(
        plan_of(
            **question,
            growth_percent_per_month=growth,
            horizon_months=horizon,
            rent_change_percent_per_year=trend,
        )
    )


@pytest.mark.parametrize("growth", [0, 6])
def test_without_interest_every_option_costs_its_cash_less_what_is_left(growth: float) -> None:
    plan = make_plan(
        Scenario(cost_of_capital_percent=0, growth_percent_per_month=growth, horizon_months=60)
    )
    for choice in plan.options:
        assert choice.ledger is not None
        book = choice.ledger
        assert book.total_cash_usd - book.left_usd == pytest.approx(book.total_cost_usd)
        assert book.net_present_cost_usd == pytest.approx(book.total_cost_usd)


def test_hardware_that_outlives_its_life_is_sold_and_bought_again() -> None:
    plan = small_plan(purchase=10_000.0, horizon_months=60, depreciation_years=2)
    (fleet,) = option(plan, "shared").ledger.fleets
    assert np.flatnonzero(fleet.bought).tolist() == [0, 24, 48]
    assert np.flatnonzero(fleet.sold).tolist() == [24, 48]
    # Half again for server, network and installation; a fifth comes back.
    assert fleet.purchase_usd_each == pytest.approx(15_000)
    assert fleet.sale_usd[24] == pytest.approx(fleet.devices[0] * 3_000)


def test_rents_follow_their_trend() -> None:
    book = option(small_plan(rent=2.0, rent_change_percent_per_year=-20), "rent_all").ledger
    (fleet,) = (fleet for fleet in book.fleets if fleet.job == "serving")
    assert fleet.rent_usd_per_hour[[0, 12, 24]] == pytest.approx([2.0, 1.6, 1.28])
