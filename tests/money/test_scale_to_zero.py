"""Copies that come and go: a simulation, numbers by hand, and laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.money.scale_to_zero import (
    cold_starts_per_hour,
    delayed_share,
    paid_copies_by_hour,
    paid_share,
    started,
)

rates = st.floats(1e-6, 1.0)
seconds = st.floats(0, 3600)


def simulated(
    *, requests_per_s: float, kept_seconds: float, cold_start_seconds: float, requests: int
) -> tuple[float, float, float]:
    """Share paid for, starts per hour and share of delayed requests of a simulated copy."""
    random = np.random.default_rng(20261130)
    arrivals = np.cumsum(random.exponential(1 / requests_per_s, requests)).tolist()
    paid_seconds = started = delayed = 0.0
    ready = gone = -math.inf
    for arrival in arrivals:
        starts_it = arrival >= gone
        if starts_it:
            started += 1
            gone = ready = arrival + cold_start_seconds
            paid_seconds += cold_start_seconds
        delayed += starts_it or arrival < ready
        kept_until = max(arrival, ready) + kept_seconds
        paid_seconds += max(kept_until - gone, 0.0)
        gone = max(kept_until, gone)
    hours = arrivals[-1] / 3600
    return paid_seconds / 3600 / hours, started / hours, delayed / requests


@pytest.mark.parametrize(
    ("requests_per_s", "kept_seconds", "cold_start_seconds"),
    [(1 / 600, 320, 300), (1 / 120, 320, 300), (1 / 60, 75, 600), (1 / 600, 320, 0)],
)
def test_a_simulated_copy_agrees(
    requests_per_s: float, kept_seconds: float, cold_start_seconds: float
) -> None:
    paid, starts, delayed = simulated(
        requests_per_s=requests_per_s,
        kept_seconds=kept_seconds,
        cold_start_seconds=cold_start_seconds,
        requests=40_000,
    )
    terms = {
        "requests_per_s": requests_per_s,
        "kept_seconds": kept_seconds,
        "cold_start_seconds": cold_start_seconds,
    }
    assert paid_share(**terms) == pytest.approx(paid, rel=0.02)
    assert cold_starts_per_hour(**terms) == pytest.approx(starts, rel=0.04)
    assert delayed_share(**terms) == pytest.approx(delayed, rel=0.04)


def test_one_request_an_hour_by_hand() -> None:
    """Kept for 36 s and started in 36 s, each time: a fiftieth of the hours, nearly."""
    terms = {"requests_per_s": 1 / 3600, "kept_seconds": 36.0}
    gone = math.exp(-0.01)
    assert paid_share(**terms) == pytest.approx(1 - gone)
    assert cold_starts_per_hour(**terms) == pytest.approx(gone)
    # A cycle: the wait of an hour, the cold start, and exp(0.01) - 1 of an hour until all left.
    cycle_hours = 1 + 0.01 + (math.exp(0.01) - 1)
    assert paid_share(cold_start_seconds=36.0, **terms) == pytest.approx(1 - 1 / cycle_hours)
    assert cold_starts_per_hour(cold_start_seconds=36.0, **terms) == pytest.approx(1 / cycle_hours)


def test_without_requests_nothing_is_paid() -> None:
    terms = {"requests_per_s": 0.0, "kept_seconds": 300.0, "cold_start_seconds": 300.0}
    assert paid_share(**terms) == 0
    assert cold_starts_per_hour(**terms) == 0


@given(rate=rates, kept=seconds, cold_start=seconds)
def test_a_copy_is_up_starting_or_gone(rate: float, kept: float, cold_start: float) -> None:
    terms = {"requests_per_s": rate, "kept_seconds": kept, "cold_start_seconds": cold_start}
    paid, starts, delayed = (
        formula(**terms) for formula in (paid_share, cold_starts_per_hour, delayed_share)
    )
    assert 0 <= paid <= 1
    assert 0 <= delayed <= 1 + 1e-12
    # Each cycle waits 1 / rate for its first request; nobody starts a copy that is not paid for.
    assert starts / 3600 / rate == pytest.approx(1 - paid, abs=1e-12)
    assert starts / 3600 * cold_start <= paid + 1e-9


@given(rates=st.tuples(rates, rates), kept=seconds, cold_start=seconds)
def test_more_requests_pay_for_more_time_and_are_delayed_less(
    rates: tuple[float, float], kept: float, cold_start: float
) -> None:
    few, many = sorted(rates)
    terms = {"kept_seconds": kept, "cold_start_seconds": cold_start}
    assert paid_share(requests_per_s=few, **terms) <= paid_share(requests_per_s=many, **terms)
    assert (
        delayed_share(requests_per_s=few, **terms)
        >= delayed_share(requests_per_s=many, **terms) - 1e-12
    )


@given(rate=rates, kept=st.tuples(seconds, seconds), cold_start=seconds)
def test_a_longer_idle_time_costs_more_and_delays_fewer(
    rate: float, kept: tuple[float, float], cold_start: float
) -> None:
    short, long = (
        {"requests_per_s": rate, "kept_seconds": each, "cold_start_seconds": cold_start}
        for each in sorted(kept)
    )
    assert paid_share(**short) <= paid_share(**long)
    assert delayed_share(**short) >= delayed_share(**long)


def test_a_week_of_two_devices() -> None:
    copies = paid_copies_by_hour(
        copies_needed=np.array([[0.0, 0.2, 2.0, 1.5], [0.0, 0.1, 0.9, 0.6]]),
        requests_per_s=np.array([0.0, 1e-3, 1e-2, 7e-3]),
        kept_seconds=np.array([100.0, 1000.0]),
        cold_start_seconds=np.array([0.0, 0.0]),
    )
    assert copies[0] == pytest.approx([0, 1 - math.exp(-0.1), 2, 2])
    assert copies[1] == pytest.approx([0, 1 - math.exp(-1), 1 - math.exp(-10), 1 - math.exp(-7)])


def test_starts_of_further_copies_are_billed() -> None:
    terms = {"copies_needed": np.array([1.0, 4.0, 3.0]), "requests_per_s": np.full(3, 10.0)}
    paid = [
        paid_copies_by_hour(kept_seconds=300.0, cold_start_seconds=cold_start, **terms)
        for cold_start in (0.0, 600.0)
    ]
    assert paid[0] == pytest.approx([1, 4, 3])
    # three copies of ten minutes
    assert paid[1] - paid[0] == pytest.approx([0, 0.5, 0], abs=1e-9)


def test_starts_of_a_week_go_round() -> None:
    assert started(np.array([5.0, 2.0, 2.0, 4.0])).tolist() == [1, 0, 0, 2]
    assert not started(np.full(168, 7.0)).any()
    assert started(np.array([[1.0, 2.0], [4.0, 1.0]])).tolist() == [[0, 1], [3, 0]]


@given(copies=st.lists(st.integers(0, 50), min_size=2, max_size=168))
def test_a_week_stops_as_many_copies_as_it_starts(copies: list[int]) -> None:
    by_hour = np.array(copies, dtype=float)
    assert started(by_hour).sum() == started(by_hour[::-1]).sum()
    assert started(by_hour).sum() >= by_hour.max() - by_hour.min()
