"""What follows from a scenario's inputs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.money.training_money import fleets_of_runs
from hwplanner.scenario import Scenario
from hwplanner.units import HOURS_PER_MONTH
from tests.plans import plan_of


def test_a_week_comes_four_and_a_third_times_a_month() -> None:
    # 365 days in weeks of 7, over 12 months.
    weekly = Scenario(schedule="weekly", runs_per_month=60)
    assert weekly.all_runs_per_month == pytest.approx(365 / 7 / 12)
    assert weekly.all_runs_per_month == pytest.approx(4.345, abs=5e-4)


@given(window=st.floats(1, 8760))
def test_continuous_runs_fill_every_hour(window: float) -> None:
    scenario = Scenario(schedule="continuous", window_hours=window, runs_per_month=0)
    assert scenario.all_runs_per_month * window == pytest.approx(HOURS_PER_MONTH)
    # One fleet is kept busy by runs that take all of their window.
    assert fleets_of_runs(np.array([window]), scenario.all_runs_per_month).tolist() == [1]


def test_as_many_runs_as_set() -> None:
    assert Scenario(runs_per_month=3).all_runs_per_month == 3
    assert Scenario(runs_per_month=0).all_runs_per_month == 0


def test_rent_follows_the_schedule() -> None:
    monthly, weekly = (
        plan_of(schedule=schedule, runs_per_month=1).training_cost.rented
        for schedule in ("per_month", "weekly")
    )
    by_the_hour = ~plan_of().prices.rent_is_kept & monthly.estimates.fits
    assert weekly.usd_per_year[by_the_hour] == pytest.approx(
        monthly.usd_per_year[by_the_hour] * 365 / 84, nan_ok=True
    )
