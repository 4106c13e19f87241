"""Where one job overtakes the other: worked by hand, and what holds of every crossing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.finance.crossing import crossing

STEADY = np.ones(4)


def test_serving_that_doubles_overtakes_training_by_hand() -> None:
    # So far 1, 3, 7, 15 against 3, 6, 9, 12: from 2 behind to 3 ahead in month 4.
    found = crossing(np.array([1.0, 2.0, 4.0, 8.0]), 3 * STEADY, growth=2)
    assert (found.leader, found.months) == ("serving", pytest.approx(3.4))
    assert found.ratio == 15 / 12
    assert math.isnan(found.later_months)


def test_a_job_that_leads_from_the_first_month() -> None:
    found = crossing(5 * STEADY, STEADY, growth=1)
    assert (found.leader, found.ratio, found.months) == ("serving", 5, 0)
    assert math.isnan(found.later_months)


def test_a_crossing_beyond_the_plan_is_told_as_such() -> None:
    # 4 × 3 against 1 + 2 + 4 + 8 = 15 would have crossed; up to month 3 it is 9 against 7.
    # Month 4 would bring 8 against 3: level after 2 of its 5.
    found = crossing(np.array([1.0, 2.0, 4.0]), 3 * STEADY[:3], growth=2)
    assert (found.leader, found.months) == ("training", 0)
    assert found.ratio == 9 / 7
    assert found.later_months == pytest.approx(3.4)


def test_a_job_that_shrinks_is_overtaken() -> None:
    # So far 8, 12, 14, 15 against 4, 8, 12, 16.
    found = crossing(np.array([8.0, 4.0, 2.0, 1.0]), 4 * STEADY, growth=0.5)
    assert (found.leader, found.months) == ("training", pytest.approx(3 + 2 / 3))


def test_no_training_is_no_rival() -> None:
    found = crossing(STEADY, 0 * STEADY, growth=1)
    assert (found.leader, found.ratio, found.months) == ("serving", math.inf, 0)


@given(
    serving=st.lists(st.floats(0.1, 100), min_size=3, max_size=36),
    training=st.floats(0.1, 100),
)
def test_both_jobs_have_come_to_the_same_where_they_cross(
    serving: list[float], training: float
) -> None:
    found = crossing(np.array(serving), np.full(len(serving), training), growth=1)
    if found.months:
        ends = np.arange(len(serving) + 1)
        so_far = np.interp(found.months, ends, np.append(0, np.cumsum(serving)))
        assert so_far == pytest.approx(training * found.months)
    assert found.ratio >= 1
