"""Draw by state: means worked out by hand, and what no load or cap can do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.assumptions import load_assumptions
from hwplanner.physics.power import PowerLevels, mean_share, working_share
from hwplanner.physics.time_parts import TimeParts

LEVELS = PowerLevels(idle=0.2, waiting=0.4, memory=0.8, compute=1.0)
parts = st.floats(0.001, 10)


def time(*seconds: float) -> TimeParts:
    """Time by compute, memory, communication and overhead."""
    return TimeParts(*(np.array(part) for part in seconds))


def test_links_and_overhead_are_waiting() -> None:
    # (2 × 1.0 + 4 × 0.8 + 3 × 0.4 + 1 × 0.4) / 10
    assert working_share(time(2, 4, 3, 1), LEVELS) == pytest.approx(0.68)


@pytest.mark.parametrize(("cap", "drawn"), [(0.5, 0.5), (0.9, 0.68), (math.nan, 0.68)])
def test_a_cap_holds_only_what_lies_above_it(cap: float, drawn: float) -> None:
    assert working_share(time(2, 4, 3, 1), LEVELS, most_share=cap) == pytest.approx(drawn)


def test_half_of_the_time_at_work() -> None:
    assert mean_share(idle_share=0.2, working_share=0.8, busy_share=0.5) == pytest.approx(0.5)


@given(parts, parts, parts, parts)
def test_the_draw_lies_between_the_levels(a: float, b: float, c: float, d: float) -> None:
    share = working_share(time(a, b, c, d), LEVELS)
    assert LEVELS.waiting - 1e-9 <= share <= LEVELS.compute + 1e-9
    assert working_share(time(a + 1, b, c, d), LEVELS) >= share - 1e-9


def test_the_shipped_levels_rise_with_the_work() -> None:
    levels = PowerLevels.of(load_assumptions())
    assert 0 < levels.idle < levels.waiting < levels.memory < levels.compute <= 1
