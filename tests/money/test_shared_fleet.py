"""One fleet for both jobs: how large it is, and when a run ends on it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.money.shared_fleet import shared_devices
from hwplanner.units import HOURS_PER_MONTH
from tests.plans import plan_of, questions

# Serving takes 10 devices by day, 4 in the evening and 2 at night.
WEEK = np.repeat([2.0, 4.0, 10.0], [42, 42, 84])[None, None, :]


def devices_for(run_devices: float, run_hours: float, window: float, runs: float = 1) -> float:
    found = shared_devices(
        serving_devices_by_hour=WEEK,
        run_devices=np.array([run_devices]),
        run_hours=np.array([[run_hours]]),
        window_hours=window,
        runs_per_month=runs,
    )
    return float(found[0, 0, 0])


def test_a_small_run_finds_room_at_night() -> None:
    # 8 devices are free in a quarter of the hours: 10 hours of work take 40.
    assert devices_for(8, run_hours=10, window=40) == 10


def test_a_shorter_window_takes_the_evening_too_and_then_the_day() -> None:
    # Half of the hours leave 6 of 10 devices, so 8 more take 12; by day it is 18.
    assert devices_for(8, run_hours=10, window=20) == 12
    assert devices_for(8, run_hours=10, window=19) == 18


def test_runs_must_not_run_into_each_other() -> None:
    # Three runs of 100 hours need 300 of the 730 hours of a month, more than a quarter.
    assert devices_for(8, run_hours=100, window=8760, runs=1) == 10
    assert devices_for(8, run_hours=100, window=8760, runs=3) == 12


def test_a_run_larger_than_the_serving_fleet_sets_the_size() -> None:
    assert devices_for(32, run_hours=10, window=40) == 32 + 2


def test_runs_that_fill_more_than_the_month_get_fleets_of_their_own() -> None:
    # Ten runs of 100 hours keep two fleets busy.
    assert devices_for(8, run_hours=100, window=200, runs=10) == 10 + 2 * 8


def test_a_run_that_misses_its_window_anyway_gets_devices_of_its_own() -> None:
    assert devices_for(8, run_hours=100, window=72) == 18


def test_what_does_not_fit_has_no_size() -> None:
    assert math.isnan(devices_for(8, run_hours=math.nan, window=72))


@given(
    week=st.lists(st.integers(1, 20), min_size=24, max_size=24),
    run_devices=st.integers(1, 32),
    run_hours=st.floats(0.1, 100),
    window=st.floats(1, 300),
    runs=st.integers(1, 10),
)
def test_the_fleet_is_the_smallest_that_gives_the_run_its_hours(
    week: list[int], run_devices: int, run_hours: float, window: float, runs: int
) -> None:
    by_hour = np.array(week, dtype=float)
    found = float(
        shared_devices(
            serving_devices_by_hour=np.sort(by_hour)[None, None, :],
            run_devices=np.array([run_devices], dtype=float),
            run_hours=np.array([[run_hours]]),
            window_hours=window,
            runs_per_month=runs,
        )[0, 0, 0]
    )

    def is_enough(fleet: float) -> bool:
        free_share = (fleet - by_hour >= run_devices).mean()
        waiting = run_hours / free_share if free_share else math.inf
        in_time = waiting <= window * (1 + 1e-6)
        return fleet >= by_hour.max() and in_time and waiting * runs <= HOURS_PER_MONTH * (1 + 1e-6)

    # Tried one by one, up to all devices of both jobs.
    most = int(by_hour.max()) + run_devices
    enough = [fleet for fleet in range(1, most + 1) if is_enough(fleet)]
    if enough:
        assert found == pytest.approx(enough[0])
    else:
        assert found >= most


def test_every_serving_layout_is_joined_with_every_run() -> None:
    # Whole copies that follow the demand leave room at night, one large copy does not.
    many_copies, one_copy = np.array([2.0, 4, 10]), np.array([9.0, 9, 9])
    found = shared_devices(
        serving_devices_by_hour=np.stack([many_copies, one_copy])[None],
        run_devices=np.array([8.0, 1.0]),
        run_hours=np.array([[10.0, 30.0]]),
        window_hours=30,
        runs_per_month=1,
    )
    assert found.tolist() == [[[10, 11], [17, 10]]]


@given(question=questions())
@settings(max_examples=30)
def test_a_shared_fleet_is_no_larger_than_two(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    shared = plan.shared.fleet
    serving, training = plan.serving_cost.owned, plan.training_cost.owned
    fits = np.isfinite(shared.devices) & training.meets_target
    assert (shared.devices[fits] >= serving.devices[fits]).all()
    assert (shared.devices[fits] <= (serving.devices + training.devices)[fits]).all()
    in_time = shared.meets_target & np.isfinite(shared.seconds)
    window_seconds = plan.scenario.window_hours * 3600
    assert (shared.seconds[in_time] <= window_seconds * (1 + 1e-6)).all()
    # It holds what serving needs at its peak, in the layout that it serves in.
    assert (plan.shared.serving.devices[fits] <= shared.devices[fits]).all()


def test_what_does_not_fit_or_has_no_software_shares_nothing() -> None:
    plan = plan_of(all_devices=True)
    out = ~(plan.shared.serving.fits & plan.shared.fleet.estimates.fits)
    assert out.any()
    assert np.isnan(plan.shared.fleet.devices[out]).all()


def test_without_runs_the_shared_fleet_is_that_of_serving() -> None:
    plan = plan_of(runs_per_month=0)
    alone, shared = plan.serving_cost.owned, plan.shared.fleet
    assert shared.devices == pytest.approx(alone.devices, nan_ok=True)
    assert shared.usd_per_year == pytest.approx(alone.usd_per_year, nan_ok=True)


def test_a_run_still_ends_on_a_fleet_whose_demand_shrinks() -> None:
    # It is as large as the first month needs, when demand is highest, not as the last.
    shared = plan_of(growth_percent_per_month=-10).shared.fleet
    holds = np.isfinite(shared.devices)
    assert holds.any()
    assert np.isfinite(shared.seconds[holds]).all()
