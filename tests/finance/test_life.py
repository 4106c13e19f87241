"""The life of a product: unit cost, split of a shared fleet, growth of fleets."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.finance.life import Life, life
from tests.plans import option, plan_of, questions, renting, sharing, small_plan


def lived(**changes: object) -> Life:
    """Life of the best option of the worked example, with changes."""
    found = life(plan_of(**changes))
    assert found is not None
    return found


# Lives of plans


@given(question=questions(), growth=st.sampled_from([-6, 0, 4, 15]))
@settings(max_examples=25)
def test_both_jobs_make_up_the_ledger_and_hours_the_idle_share(
    question: dict[str, object], growth: float
) -> None:
    plan = plan_of(**question, growth_percent_per_month=growth)
    for choice in plan.options:
        found = life(plan, choice)
        if found is None:
            assert not choice.exists
            continue
        assert found.serving_usd + found.training_usd == pytest.approx(choice.ledger.cost_usd)
        assert (found.serving_usd > 0).all()
        assert found.requests.mean() * 12 == pytest.approx(plan.requests_per_year)
        worked = found.serving_hours + found.training_hours
        idle = 1 - worked.sum() / (worked / found.busy_share).sum()
        assert max(idle, 0) == pytest.approx(choice.idle_share)
        assert (found.owned_devices.sum() > 0) == (choice.owned_devices > 0)


def test_a_steady_month_costs_what_the_year_says() -> None:
    plan = plan_of()
    found = lived()
    parts = plan.best.parts_usd_per_year
    serving = sum(usd for name, usd in parts.items() if name.startswith("serving"))
    assert found.serving_usd == pytest.approx(np.full(36, serving / 12))
    assert found.usd_per_million_output_tokens == pytest.approx(
        np.full(36, float(plan.usd_per_million_output_tokens(serving)))
    )
    assert found.usd_per_request[0] == pytest.approx(serving / plan.requests_per_year)


def test_tokens_count_up_from_requests() -> None:
    found = lived(growth_percent_per_month=10)
    plan = plan_of(growth_percent_per_month=10)
    assert found.requests[2] / found.requests[0] == pytest.approx(1.21)
    written = plan.serving.times.output_tokens
    assert found.generated_tokens[1] == pytest.approx(2.1 * found.requests[0] * written)
    # Of 8,192 tokens of context the answer is written and half of the prompt found in the cache.
    half = lived(prefix_reuse_percent=50)
    assert half.new_tokens == pytest.approx((8192 - written) / 2 + written)


def test_a_run_computes_three_tokens_for_each_one_served() -> None:
    """The rule of arXiv 2401.00448, and its counterpart for frozen weights."""
    full, adapter = lived(method="full"), lived(method="lora")
    assert full.run_flop_tokens == 3 * 2e9
    assert adapter.run_flop_tokens == 2 * 2e9
    served = full.served_tokens[0]
    assert full.run_flop_months == pytest.approx(6e9 / served)
    assert full.served_by(full.run_flop_months) == pytest.approx(6e9)
    # All runs against all serving: constant months keep their ratio.
    assert full.flop_crossing.ratio == pytest.approx(served / 6e9)


def test_a_run_is_paid_for_by_so_much_serving() -> None:
    found = lived()
    assert found.run_usd == pytest.approx(found.training_usd[0])
    assert found.run_paid_months == pytest.approx(found.run_usd / found.serving_usd[0])


def test_what_serving_does_not_reach_within_the_plan_is_not_known() -> None:
    found = lived(training_tokens_million=20_000_000, users=1, runs_per_month=1)
    assert math.isnan(found.run_flop_months)


def test_without_runs_there_is_nothing_to_compare() -> None:
    found = lived(runs_per_month=0)
    assert not found.training_usd.any()
    assert math.isnan(found.run_usd)


def test_a_shared_fleet_is_split_by_hours_at_work() -> None:
    plan = sharing()
    found = life(plan)
    assert found is not None
    share = found.serving_hours / (found.serving_hours + found.training_hours)
    assert found.serving_usd == pytest.approx(plan.best.ledger.cost_usd * share)
    assert 0 < found.training_hours[0] < found.serving_hours[0]
    assert found.training_hours[0] * 12 == pytest.approx(
        plan.shared.fleet.estimates.device_hours[0] * 12
    )


# Fleets


def test_an_owned_fleet_grows_when_its_peak_no_longer_fits() -> None:
    plan = small_plan(purchase=10_000.0, runs_per_month=0, growth_percent_per_month=20, users=64)
    found = life(plan, option(plan, "shared"))
    assert found is not None
    first = found.growing_months[0]
    assert first == found.short_from_month
    assert found.owned_devices[first - 1] > found.owned_devices[first - 2]
    assert found.bought_to_grow.sum() == found.owned_devices[-1]
    assert found.copies_growth >= 1


def test_a_fleet_that_outlives_the_plan_is_told_how_long_it_lasts() -> None:
    plan = small_plan(purchase=10_000.0, runs_per_month=0, growth_percent_per_month=1, users=1)
    found = life(plan, option(plan, "shared"))
    assert found is not None
    assert found.growing_months == ()
    month = found.short_from_month
    assert month > 36
    assert 1.01 ** (month - 2) <= found.copies_growth < 1.01 ** (month - 1)
    steady = small_plan(purchase=10_000.0, runs_per_month=0, users=1)
    assert life(steady, option(steady, "shared")).short_from_month == math.inf


def test_rented_devices_follow_the_peak_and_never_run_short() -> None:
    plan = renting()
    found = life(plan)
    assert found is not None
    assert math.isnan(found.copies_growth)
    assert not found.owned_devices.any()
    assert found.rented_from_month(1) == 1
    assert found.rented_from_month(1e9) is None


def test_the_peak_passes_a_server_when_demand_has_grown() -> None:
    found = lived(growth_percent_per_month=5)
    month = found.rented_from_month(8)
    assert month is not None
    assert found.serving_rented[month - 1] >= 8 > found.serving_rented[month - 2]


def test_renewals_are_told_from_growth() -> None:
    plan = small_plan(purchase=10_000.0, horizon_months=60, depreciation_years=2)
    found = life(plan, option(plan, "shared"))
    assert found is not None
    assert np.flatnonzero(found.renewed).tolist() == [24, 48]
    assert found.growing_months == ()


def test_twice_the_demand_and_money_leave_the_cost_of_a_request() -> None:
    found = lived(growth_percent_per_month=3)
    twice = replace(found, requests=2 * found.requests, serving_usd=2 * found.serving_usd)
    assert twice.usd_per_million_output_tokens == pytest.approx(found.usd_per_million_output_tokens)


def test_an_option_that_does_not_exist_has_no_life() -> None:
    plan = small_plan(rent=1.0)
    assert life(plan, option(plan, "shared")) is None
