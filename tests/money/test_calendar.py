"""The months of a plan: growth and rents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.money.calendar import Calendar, calendar_of
from hwplanner.scenario import Scenario


def test_growth_compounds_monthly_and_rents_yearly() -> None:
    calendar = calendar_of(
        Scenario(growth_percent_per_month=10, rent_change_percent_per_year=21, horizon_months=24)
    )
    assert calendar.months == 24
    assert calendar.growth[:4] == pytest.approx([1, 1.1, 1.21, 1.331])
    assert calendar.rent[[0, 6, 12]] == pytest.approx([1, 1.1, 1.21])


def test_a_kept_rent_is_agreed_anew_at_the_end_of_its_term() -> None:
    calendar = Calendar(growth=np.ones(5), rent=np.array([1.0, 0.9, 0.8, 0.7, 0.6]))
    assert calendar.kept_rent(2).tolist() == [1.0, 1.0, 0.8, 0.8, 0.6]
    assert calendar.kept_rent(1).tolist() == calendar.rent.tolist()
    assert calendar.kept_rent(12).tolist() == [1.0] * 5


@given(growth=st.floats(-20, 50), months=st.sampled_from([12, 36, 120]))
def test_every_month_finds_its_demand_among_the_levels(growth: float, months: int) -> None:
    calendar = calendar_of(Scenario(growth_percent_per_month=growth, horizon_months=months))
    levels, level_of_month = calendar.levels()
    assert levels[level_of_month].tolist() == calendar.growth.tolist()
    assert len(set(levels.tolist())) == len(levels)
    assert calendar.growth[0] == 1


def test_steady_demand_has_one_level() -> None:
    levels, level_of_month = calendar_of(Scenario()).levels()
    assert levels.tolist() == [1]
    assert set(level_of_month.tolist()) == {0}
