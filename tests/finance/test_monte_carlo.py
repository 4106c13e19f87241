"""Cases drawn from the ranges of estimates, prices and terms: by hand and by law."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.assumptions import Assumptions, load_assumptions
from hwplanner.evidence.ranges import Band
from hwplanner.finance.cases import distinct_options
from hwplanner.finance.monte_carlo import DRAWN_TERMS, MonteCarlo, monte_carlo
from hwplanner.plan import Plan, make_plan
from hwplanner.scenario import Scenario
from tests.devices import device
from tests.plans import SMALL, catalog, plan_of, price, questions, renting, small_plan

TREND = "rent_change_percent_per_year"
CASES = 500


def with_ranges(plan: Plan, ranges: dict[str, tuple[float, float, float]]) -> Assumptions:
    """Assumptions of a plan with other ranges, by name."""
    known = dict(plan.assumptions.by_name_and_key)
    for name, (low, typical, high) in ranges.items():
        known[name, ""] = replace(known[name, ""], low=low, typical=typical, high=high)
    return Assumptions(known)


def certain(plan: Plan, **still_open: tuple[float, float, float]) -> Plan:
    """A plan without any doubt, but for the ranges that are given."""
    values = {name: getattr(plan.scenario, name) for name in (*DRAWN_TERMS, TREND)}
    ranges = {name: (value, value, value) for name, value in values.items()}
    assumptions = with_ranges(plan, {**ranges, "single_offer_price": (1, 1, 1), **still_open})
    return replace(plan, assumptions=assumptions, draws=replace(plan.draws, ranges=sure(plan)))


def sure(plan: Plan) -> object:
    """Speeds that are as estimated."""
    ones = np.ones(len(plan.devices))
    jobs = {
        job: replace(getattr(plan.ranges, job), speed=Band(ones, ones))
        for job in ("serving", "training")
    }
    return replace(plan.ranges, **jobs)


def drawn(plan: Plan, cases: int = CASES) -> MonteCarlo:
    found = monte_carlo(plan, cases)
    assert found is not None
    return found


@pytest.mark.parametrize("market", ["neocloud", "reserved_1y", "spot"])
def test_without_doubt_every_case_is_the_plan(market: str) -> None:
    plan = plan_of(market=market, growth_percent_per_month=1, rent_change_percent_per_year=-10)
    prices = {
        name: replace(
            getattr(plan.market, name),
            purchase=_alone(getattr(plan.market, name).purchase),
            rent=_alone(getattr(plan.market, name).rent),
        )
        for name in ("prices", "peak_prices")
    }
    plan = certain(replace(plan, market=replace(plan.market, **prices)))
    found = drawn(plan, 20)
    for option in distinct_options(plan):
        assert found.usd_per_year[option.key] == pytest.approx(
            np.full(20, option.usd_per_year.typical)
        )
    assert found.shares[plan.best.key] == 1
    assert sum(found.shares.values()) == 1


def _alone(prices: object) -> object:
    """Prices of one offer each."""
    return replace(prices, low_usd=prices.typical_usd, high_usd=prices.typical_usd)  # type: ignore


def test_rents_have_the_spread_of_their_offers() -> None:
    plan = certain(renting(), single_offer_price=(0.75, 1, 1.35))
    usd = plan.best.usd_per_year.typical
    interval = drawn(plan, 10_000).interval("rent_all")
    assert interval.low == pytest.approx(0.75 * usd, rel=0.01)
    assert interval.typical == pytest.approx(usd, rel=0.01)
    assert interval.high == pytest.approx(1.35 * usd, rel=0.01)


def test_a_trend_of_rents_adds_up_over_the_months() -> None:
    plan = certain(small_plan(rent=1.0, horizon_months=24), **{TREND: (-50, 0, 0)})
    usd = plan.best.usd_per_year.typical
    low = drawn(plan, 10_000).interval("rent_all").low
    months = np.arange(24)
    assert low == pytest.approx(usd * (0.5 ** (months / 12)).mean(), rel=0.01)


def test_electricity_moves_energy_alone() -> None:
    plan = certain(small_plan(purchase=10_000.0), electricity_usd_per_kwh=(0.09, 0.09, 0.18))
    parts = plan.shared.fleet.parts_usd_per_year
    planned = sum(float(usd[0]) for usd in parts.values())
    high = drawn(plan, 10_000).interval("shared").high
    assert high == pytest.approx(planned + float(parts["energy"][0]), rel=0.01)


def test_the_same_plan_gives_the_same_cases() -> None:
    first, again = (drawn(make_plan(Scenario())) for _ in range(2))
    for key, usd in first.usd_per_year.items():
        assert (usd == again.usd_per_year[key]).all()


def test_options_are_compared_in_the_same_world() -> None:
    # Two options that rent the same training differ in what they own alone.
    plan = certain(small_plan(purchase=10_000.0, rent=5.0), single_offer_price=(0.5, 1, 2))
    found = drawn(plan)
    gap = found.difference("rent_all", "own_and_rent")
    assert gap.low <= gap.typical <= gap.high
    wins = found.wins("own_and_rent", "rent_all")
    assert wins + found.wins("rent_all", "own_and_rent") == pytest.approx(1)


@given(question=questions())
@settings(max_examples=15, deadline=None)
def test_shares_sum_to_one(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    found = monte_carlo(plan, 200)
    if found is None:
        assert not plan.best.exists
        return
    assert sum(found.shares.values()) == pytest.approx(1)
    assert all(np.isfinite(usd).all() for usd in found.usd_per_year.values())
    assert found.cases == 200


@given(rent=st.floats(0.3, 20), higher=st.floats(1, 5))
@settings(max_examples=15, deadline=None)
def test_a_higher_rent_never_raises_the_share_of_renting(rent: float, higher: float) -> None:
    low, high = (drawn(small_plan(purchase=10_000.0, rent=usd)) for usd in (rent, rent * higher))
    assert high.shares["rent_all"] <= low.shares["rent_all"]


def test_prices_all_halved_leave_the_shares() -> None:
    names = ("electricity_usd_per_kwh", "staff_usd_per_device_year")
    assumed = load_assumptions()
    shares = []
    for factor in (1, 0.5):
        known = catalog(
            [device(id=name, tdp_watts=700, devices_per_server=1) for name in ("one", "other")],
            price("one", factor * 9000.0, "purchase"),
            price("one", factor * 2.0),
            price("other", factor * 12_000.0, "purchase"),
            price("other", factor * 1.5),
        )
        money = {name: factor * getattr(Scenario(), name) for name in names}
        ranges = {name: tuple(factor * end for end in assumed.range(name)) for name in names}
        plan = make_plan(Scenario(devices=("one", "other"), **SMALL, **money), catalog=known)
        shares.append(drawn(replace(plan, assumptions=with_ranges(plan, ranges))).shares)
    assert shares[0] == shares[1]
    assert max(shares[0].values()) < 1


def test_options_that_miss_what_the_best_meets_win_no_case() -> None:
    plan = plan_of()
    late = replace(plan.options[1], meets_training=False)
    found = drawn(replace(plan, options=(plan.options[0], late, *plan.options[2:])))
    assert found.shares[late.key] == 0
    assert late.key not in found.competing


def test_no_option_no_cases() -> None:
    assert monte_carlo(small_plan()) is None
