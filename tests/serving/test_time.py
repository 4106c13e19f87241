from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.physics.time_parts import TimeParts
from hwplanner.serving.time import ServingTimes


def times(**changes: object) -> ServingTimes:
    """One device in one layout: a step of 10 ms and 0.1 ms for each user, prompts of 200 ms."""

    def part(seconds: float) -> TimeParts:
        return TimeParts(*(np.array([[share * seconds]]) for share in (0.4, 0.3, 0.2, 0.1)))

    usual = {
        "fixed": part(0.010),
        "per_sequence": part(0.0001),
        "experts": part(0.0),
        "cache_seconds": np.array([[0.00002]]),
        "prefill": part(0.2),
        "first_token_seconds": np.array([[0.25]]),
        "stages": np.array([1.0]),
        "output_tokens": 100.0,
        "expert_count": 0.0,
        "experts_per_token": 0.0,
        "routing_skew": 0.5,
    }
    return ServingTimes(**(usual | changes))


def mixture(**changes: object) -> ServingTimes:
    """The same with 8 experts, 2 for each token, and 8 ms to read them all."""
    experts = TimeParts(*(np.array([[seconds]]) for seconds in (0.003, 0.005, 0.0, 0.0)))
    chosen = {"expert_count": 8.0, "experts_per_token": 2.0, "routing_skew": 1.0}
    return times(experts=experts, **(chosen | changes))


def test_reading_hides_behind_arithmetic_and_the_rest_is_a_line_in_the_batch() -> None:
    # 3 ms of reading and 50 x 0.04 ms of products; beside them 7 ms and 50 x 0.06 ms.
    together = (0.003**2 + 0.002**2) ** 0.5
    assert times().step_seconds(50.0)[0, 0] == pytest.approx(0.007 + 0.003 + together)


def test_parts_of_a_step_sum_to_it() -> None:
    batch = np.array([[50.0]])
    for one in (times(), mixture()):
        assert one.decode(batch).total == pytest.approx(one.step_seconds(batch) * 100 / batch)


@pytest.mark.parametrize("rate", [1.5, 2.5, 3.5])
def test_the_batch_of_a_rate_answers_that_rate(rate: float) -> None:
    for one in (times(), mixture()):
        batch = one.batch_at(np.array([[rate]]))
        answered = one.requests_per_s(batch, one.step_seconds(batch))
        assert answered[0, 0] == pytest.approx(rate, rel=1e-3)


def test_a_step_of_a_mixture_pays_for_the_experts_it_touches() -> None:
    touched = 1 - 0.75**2
    read, products = 0.003 + 0.005 * touched, 2 * 0.00004 + 0.003 * touched
    expected = 0.007 + 2 * 0.00006 + (read**2 + products**2) ** 0.5
    assert mixture().step_seconds(2.0)[0, 0] == pytest.approx(expected)


def test_stages_deal_the_batch_among_themselves() -> None:
    two = mixture(stages=np.array([2.0]))
    assert two.touched_share(2.0) == 0.25
    assert two.touched_share(1.0) == 0.25  # one sequence is one token in any stage


def test_others_prompts_delay_every_token() -> None:
    one = times()
    assert one.tpot_seconds(1.0, 0.015)[0, 0] == pytest.approx(0.015)
    assert one.tpot_seconds(51.0, 0.015)[0, 0] == pytest.approx(0.015 + 50 * 0.2 / 100)


def test_the_first_token_waits_for_prompts_of_others() -> None:
    # 2.5 requests/s of 0.2 s: half of the time is taken, so 0.5 x 0.2 / (2 x 0.5).
    assert times().ttft_seconds(2.5, 0.015)[0, 0] == pytest.approx(0.25 + 0.015 + 0.1)
    assert times().ttft_seconds(5.0, 0.015)[0, 0] == np.inf


def test_a_copy_alternates_between_answers_and_prompts() -> None:
    # 50 users: 100 steps of 15 ms and 50 prompts of 200 ms for 50 answers.
    assert times().requests_per_s(50.0, 0.015)[0, 0] == pytest.approx(50 / (1.5 + 10))


@given(batch=st.integers(1, 512), kind=st.sampled_from([times, mixture]))
def test_what_is_in_flight_follows_from_the_rate(
    batch: int, kind: Callable[[], ServingTimes]
) -> None:
    one = kind()
    rate = one.requests_per_s(batch, one.step_seconds(batch))
    assert one.batch_at(rate)[0, 0] == pytest.approx(batch, rel=1e-3)


@given(batch=st.integers(1, 512))
def test_the_time_of_a_request_is_its_part_of_every_step(batch: int) -> None:
    one = mixture()
    request = one.decode(np.array([[float(batch)]]))
    assert request.total[0, 0] * batch == pytest.approx(100 * one.step_seconds(batch)[0, 0])


@given(batch=st.floats(1, 90), more=st.floats(1, 2))
def test_a_larger_batch_is_slower_for_each_and_faster_for_all(batch: float, more: float) -> None:
    one = mixture()
    small, large = np.array([[batch]]), np.array([[batch * more]])
    assert one.step_seconds(large) >= one.step_seconds(small)
    for time in (one.tpot_seconds, one.ttft_seconds):
        assert time(large, one.step_seconds(large)) >= time(small, one.step_seconds(small))
    rates = [one.requests_per_s(size, one.step_seconds(size)) for size in (small, large)]
    assert rates[1] >= rates[0] * (1 - 1e-9)


def test_one_layout_is_kept_for_each_device() -> None:
    both = times(
        fixed=TimeParts(*(np.array([[1.0, 2.0], [3.0, 4.0]]) for _ in range(4))),
        per_sequence=TimeParts(*(np.zeros((2, 2)) for _ in range(4))),
        experts=TimeParts(*(np.zeros((2, 2)) for _ in range(4))),
        prefill=TimeParts(*(np.zeros((2, 2)) for _ in range(4))),
        cache_seconds=np.array([[0.1, 0.2], [0.3, 0.4]]),
        first_token_seconds=np.array([[1.0, 2.0], [3.0, 4.0]]),
        stages=np.array([1.0, 8.0]),
    )
    kept = both.take(np.array([1, 0]))
    assert kept.step_seconds(1.0).tolist() == [[8], [12]]
    assert kept.cache_seconds.tolist() == [[0.2], [0.3]]
    assert kept.first_token_seconds.tolist() == [[2], [3]]
    assert kept.stages.tolist() == [[8], [1]]
