"""Draws of how fast devices are, carried to costs, and how often each is the cheapest."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.evidence.ranges import Band
from hwplanner.money.draws import (
    Rivals,
    cheapest_shares,
    factor_draws,
    is_near_tie,
    win_share,
)

NAN = math.nan
ONE = np.ones((1, 1))


def band(low: float, high: float, devices: int = 1) -> Band:
    return Band(np.full(devices, low), np.full(devices, high))


def factors(low: float, high: float, *, shared: float, ids: tuple[str, ...]) -> np.ndarray:
    return factor_draws(job="serving", ids=ids, band=band(low, high, len(ids)), shared_share=shared)


@given(low=st.floats(0.1, 1.0), high=st.floats(1.0, 5.0), shared=st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=30)
def test_draws_have_the_percentiles_of_the_band(low: float, high: float, shared: float) -> None:
    drawn = factors(low, high, shared=shared, ids=("a", "b"))
    for of_device in drawn:
        below, median, above = np.quantile(np.log(of_device), (0.1, 0.5, 0.9))
        assert below == pytest.approx(math.log(low), rel=0.12, abs=1e-9)
        assert median == pytest.approx(0, abs=0.1 * (math.log(high) - math.log(low)) + 1e-9)
        assert above == pytest.approx(math.log(high), rel=0.12, abs=1e-9)


def test_devices_share_a_part_of_their_errors() -> None:
    ids = tuple(map(str, range(40)))
    for shared in (0.0, 0.5, 1.0):
        logs = np.log(factors(0.5, 2.0, shared=shared, ids=ids))
        found = np.corrcoef(logs)[np.triu_indices(40, 1)].mean()
        assert found == pytest.approx(shared, abs=0.03)


def test_a_device_has_the_same_draws_in_every_comparison() -> None:
    few = factors(0.5, 2.0, shared=0.5, ids=("a", "b"))
    many = factors(0.5, 2.0, shared=0.5, ids=("c", "b", "a"))
    assert np.array_equal(few[0], many[2])
    assert np.array_equal(few[1], many[1])
    assert not np.array_equal(few[0], few[1])


def test_a_range_without_the_estimate_is_not_turned_round() -> None:
    drawn = factors(1.1, 1.5, shared=0.0, ids=("a",))
    assert drawn.min() == 1  # what lies below 1 is cut, not mirrored


def test_shares_by_hand() -> None:
    usd = np.array(
        [
            [1.0, 2.0, 3.0, 4.0],
            [2.0, 2.0, 2.0, 5.0],  # ties once, wins once
            [9.0, 9.0, 9.0, 9.0],  # never
            [NAN, NAN, NAN, NAN],  # has no price
        ]
    )
    assert cheapest_shares(usd).tolist() == [0.625, 0.375, 0, 0]
    assert cheapest_shares(usd[3:]).tolist() == [0]
    assert win_share(usd[0], usd[1]) == 0.625
    assert win_share(usd[1], usd[0]) == 0.375


@given(
    usd=st.lists(st.lists(st.floats(1, 1e6), min_size=5, max_size=5), min_size=1, max_size=6).map(
        np.array
    )
)
def test_shares_sum_to_one(usd: np.ndarray) -> None:
    assert cheapest_shares(usd).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("usd", "other_usd", "wins", "tied"),
    [
        (100, 104, 0.9, True),  # the difference is inside the noise
        (100, 130, 0.6, True),  # the draws are even
        (130, 100, 0.4, True),
        (100, 130, 0.7, False),
        (100, 130, 0.2, False),  # an upset is no tie
    ],
)
def test_near_ties(usd: float, other_usd: float, wins: float, tied: bool) -> None:
    assert is_near_tie(usd=usd, other_usd=other_usd, wins=wins) is tied


def test_rivals_name_their_ties() -> None:
    draws = np.array([[10.0, 12.0], [11.0, 11.0], [50.0, 60.0], [NAN, NAN]])
    rivals = Rivals(np.array([10.0, 11.0, 55.0, np.inf]), draws)
    assert rivals.ties(0) == (1,)
    assert rivals.ties(2) == ()
    assert rivals.ties(3) == ()
