"""Every way of paying beside each other, and that the plan's own way costs there what it costs."""

import math

import pytest
from hypothesis import given, settings

from hwplanner.finance.ways import OF_SERVING, OF_TRAINING, ways_to_pay
from tests.plans import place_of, plan_of, questions, small_plan


@pytest.mark.parametrize("market", OF_SERVING)
def test_the_way_of_the_plan_costs_what_the_plan_says(market: str) -> None:
    plan = plan_of(market=market)
    place = place_of(plan, "nvidia-h200-sxm")
    for job in ("serving", "training"):
        money = plan.money(job)
        found = {way.key: way.usd_per_year for way in ways_to_pay(plan, job, place)}
        assert found["owned"] == pytest.approx(money.owned.usd_per_year[place], nan_ok=True)
        if market in found:
            rented = money.rented.usd_per_year[place]
            assert found[market] == pytest.approx(rented, nan_ok=True)
    mix = {way.key: way for way in ways_to_pay(plan, "serving", place)}["mix"]
    assert mix.usd_per_year == pytest.approx(plan.serving_cost.mix.usd_per_year[place])


def test_ways_of_each_job() -> None:
    plan = plan_of()
    serving = {way.key for way in ways_to_pay(plan, "serving", plan.serving_choice)}
    training = {way.key for way in ways_to_pay(plan, "training", plan.training_choice)}
    assert serving == {*OF_SERVING, "owned", "mix", "reserved_mix"}
    assert training == {*OF_TRAINING, "owned"}


def test_a_reserved_device_is_paid_at_all_hours_and_a_rented_one_as_it_is_needed() -> None:
    plan = small_plan(rent=2.0, purchase=40_000.0, users=1024, shape="office")
    ways = {way.key: way for way in ways_to_pay(plan, "serving", 0)}
    discount = plan.assumptions.typical("reserved_discount", "1y")
    reserved = ways["reserved_1y"]
    assert reserved.usd_per_device_hour == pytest.approx(2.0 * (1 - discount))
    assert reserved.usd_per_year == pytest.approx(
        reserved.devices * 8760 * reserved.usd_per_device_hour
    )
    assert reserved.fixed_usd_per_year == reserved.usd_per_year
    assert ways["neocloud"].fixed_usd_per_year == 0
    assert ways["neocloud"].idle_share < reserved.idle_share
    mix = ways["mix"]
    assert 0 < mix.fixed_usd_per_year < mix.usd_per_year
    assert mix.base_devices < mix.devices


def test_without_a_price_a_way_comes_last_and_has_no_cost() -> None:
    plan = small_plan(rent=2.0)
    ways = ways_to_pay(plan, "serving", 0)
    assert math.isnan(ways[-1].usd_per_year)
    assert {way.key for way in ways if math.isnan(way.usd_per_year)} == {
        "owned",
        "mix",
        "hyperscaler",
    }


@given(question=questions())
@settings(max_examples=15)
def test_ways_are_in_order_and_no_mix_of_bases_beats_its_parts(
    question: dict[str, object],
) -> None:
    plan = plan_of(**question)
    place = plan.serving_choice
    if place is None:
        return
    ways = ways_to_pay(plan, "serving", place)
    usd = [way.usd_per_year for way in ways if not math.isnan(way.usd_per_year)]
    assert usd == sorted(usd)
    for way in ways:
        assert not way.usd_per_year < way.fixed_usd_per_year * (1 - 1e-9)
        assert 0 <= way.idle_share < 1 or math.isnan(way.idle_share)


def test_interruptions_make_a_spot_run_longer() -> None:
    plan = plan_of()
    ways = {way.key: way for way in ways_to_pay(plan, "training", plan.training_choice)}
    assert ways["spot"].finish_hours > ways["neocloud"].finish_hours
    assert ways["spot"].finish_hours < 1.5 * ways["neocloud"].finish_hours
