"""Whole copies of the model that each hour of the week needs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hwplanner.serving.estimates import copies_by_hour, load_in_copies
from hwplanner.units import Array

shares = arrays(float, 168, elements=st.floats(0, 1))


def load(requests_per_s: float, *, headroom: float = 0.0, burst_factor: float = 1.0) -> float:
    """Copies, in parts of one, where a copy answers 10 requests/s and caches do not count."""
    copies = load_in_copies(
        users=1,
        requests_per_s=requests_per_s,
        cached_users=np.array([1e9]),
        copy_requests_per_s=np.array([10.0]),
        headroom=headroom,
        burst_factor=burst_factor,
    )
    return float(copies[0])


def test_copies_are_whole_with_headroom_and_never_none() -> None:
    # 8 of 10 requests/s are used: 0, 8, 8.1 and 16 of them take 1, 1, 2 and 2 copies
    peak = load(16, headroom=0.2)
    hours = copies_by_hour(np.array(peak), np.array([0, 8, 8.1, 16]) / 16)
    assert hours.tolist() == [1, 1, 2, 2]


def test_the_burst_inside_the_hour_takes_its_share_of_copies() -> None:
    assert load(10, burst_factor=1.2) == pytest.approx(1.2)
    assert load(8, burst_factor=2.5, headroom=0.2) == pytest.approx(2.5)


@given(copies=st.integers(1, 5000), headroom=st.floats(0, 0.6), burst=st.floats(1, 6))
def test_demand_that_fills_its_copies_needs_no_further_one(
    copies: int, headroom: float, burst: float
) -> None:
    peak = load(copies * 10 * (1 - headroom) / burst, headroom=headroom, burst_factor=burst)
    assert copies_by_hour(np.array(peak), np.ones(1)).tolist() == [copies]


@given(peak=st.floats(0.01, 5000), relative_load=shares)
def test_no_hour_has_fewer_copies_than_it_needs_or_one_too_many(
    peak: float, relative_load: Array
) -> None:
    needed, copies = peak * relative_load, copies_by_hour(np.array(peak), relative_load)
    assert (copies >= needed * (1 - 1e-8)).all()
    assert ((copies - 1 < needed) | (copies == 1)).all()
    assert (copies == np.round(copies)).all()
