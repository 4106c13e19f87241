"""The serving fleet over the week: published idle hours, and laws between its figures."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from hwplanner.finance.fleet_week import FleetWeek, fleet_week
from hwplanner.plan import Plan
from tests.plans import owning_and_renting, plan_of, questions, renting, sharing
from tests.published import published


def week_of(plan: Plan) -> FleetWeek | None:
    """Week of the device that serves, if one does."""
    place = plan.serving_choice
    return None if place is None else fleet_week(plan, place)


def known_week(plan: Plan) -> FleetWeek:
    week = week_of(plan)
    assert week is not None
    return week


@pytest.mark.parametrize("case", published("own_base_rent_peaks.csv"), ids=lambda c: c["shape"])
def test_idle_hours_of_100_devices_sized_to_the_azure_peak(case: dict[str, str]) -> None:
    plan = plan_of(shape=case["shape"])
    load = plan.shape.relative_load
    week = FleetWeek(
        requests_per_s=load,
        needed_devices=100 * load,
        devices=100.0,
        owned_devices=100.0,
        busy_share=load,
        owned_usd_per_device_hour=2.09,
        nights=None,
    )
    idle = float(case["idle_device_hours_per_week"])
    assert week.idle_device_hours_per_week == pytest.approx(idle, abs=17)
    assert week.idle_usd_per_week == pytest.approx(2.09 * idle, rel=0.003)
    assert not week.is_free.any()


def test_a_request_a_second_all_week_is_2_6_million_a_month() -> None:
    week = known_week(plan_of(shape="flat", users=20, request_interval_seconds=20))
    assert week.requests_per_s.tolist() == [1.0] * 168
    assert week.requests_per_month == 365 * 86_400 / 12


def test_growth_leaves_the_first_month_as_it_is() -> None:
    once, grown = (
        known_week(plan_of(growth_percent_per_month=percent, shape="office")) for percent in (0, 5)
    )
    assert grown.requests_per_month == once.requests_per_month


def test_what_is_owned_follows_the_best_option() -> None:
    rented, shared, mixed = map(known_week, (renting(), sharing(), owning_and_renting()))
    assert rented.owned_devices == 0
    assert not rented.is_free.any()
    assert shared.owned_devices >= shared.needed_devices.max()
    assert mixed.owned_devices > 0


def test_training_finds_room_where_enough_devices_are_free_for_an_hour_or_more() -> None:
    week = known_week(plan_of(growth_percent_per_month=5))
    assert week.owned_devices > 0
    assert week.nights is not None
    run = week.nights.run
    assert run is not None
    assert 0 < week.is_free.sum() < 168
    free = week.nights.free_devices[week.is_free]
    assert (free >= run.devices).all()
    # not in the busiest hour, but on Sunday night
    assert not week.is_free[week.requests_per_s.argmax()]
    assert week.is_free[6 * 24 + 2]


def test_without_training_no_hour_is_free_for_it() -> None:
    assert known_week(plan_of(runs_per_month=0)).nights is None
    assert not known_week(plan_of(runs_per_month=0)).is_free.any()


@settings(max_examples=15)
@given(question=questions())
def test_work_and_idle_hours_make_up_the_week(question: dict[str, object]) -> None:
    week = week_of(plan_of(**question))
    if week is None:
        return
    assert (week.needed_devices <= week.devices * (1 + 1e-9)).all()
    assert week.busy_share.max() <= 1 + 1e-9
    worked = week.devices * week.busy_share.sum()
    assert worked + week.idle_device_hours_per_week == pytest.approx(168 * week.devices)
    assert week.owned_devices >= 0
    if math.isfinite(week.idle_usd_per_week):
        assert week.idle_usd_per_week >= 0
    assert np.argmax(week.busy_share) == np.argmax(week.requests_per_s)
