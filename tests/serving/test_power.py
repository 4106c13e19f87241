"""Draw of serving by load: the ends by hand, and the laws of energy for each token."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.physics.power import PowerLevels
from hwplanner.physics.time_parts import TimeParts
from hwplanner.serving.power import LOADS, hours_by_load, serving_power_share
from hwplanner.serving.time import ServingTimes

LEVELS = PowerLevels(idle=0.2, waiting=0.4, memory=0.8, compute=1.0)
OUTPUT_TOKENS = 100
CAPACITY = 1 / (OUTPUT_TOKENS * 0.001 + 0.1)  # requests/s of a batch without end


def share_at(requests_per_s: float, most_share: float = 1.0) -> float:
    """Draw when a step reads weights for 10 ms and a cache for 1 ms, and a prompt takes 100 ms."""

    def part(compute: float, memory: float) -> TimeParts:
        none = np.zeros((1, 1))
        return TimeParts(none + compute, none + memory, none, none)

    times = ServingTimes(
        fixed=part(0.0, 0.010),
        per_sequence=part(0.0, 0.001),
        experts=part(0.0, 0.0),
        cache_seconds=np.array([[0.001]]),
        prefill=part(0.1, 0.0),
        first_token_seconds=np.array([[0.1]]),
        stages=np.array([1.0]),
        output_tokens=OUTPUT_TOKENS,
        expert_count=0.0,
        experts_per_token=0.0,
        routing_skew=0.5,
    )
    share = serving_power_share(times, requests_per_s, LEVELS, most_share=most_share)
    return float(np.asarray(share)[0, 0])


def test_without_requests_a_device_idles() -> None:
    assert share_at(0.0) == pytest.approx(0.2)


def test_one_request_in_flight_by_hand() -> None:
    # An answer takes 100 × 11 ms and its prompt 100 ms: back to back they are 1/1.2 a second.
    # 1.1 s of 1.2 read memory, 0.1 s computes.
    assert share_at(1 / 1.2) == pytest.approx((1.1 * 0.8 + 0.1 * 1.0) / 1.2)


def test_a_batch_without_end_reads_caches_and_computes_prompts() -> None:
    # 100 tokens read for 1 ms each, against a prompt of 100 ms.
    assert share_at(0.9999 * CAPACITY) == pytest.approx((0.8 + 1.0) / 2, abs=1e-3)


loads = st.floats(0.01, 0.98)


@given(loads, loads)
def test_more_load_draws_more_power_and_less_energy_for_each_token(a: float, b: float) -> None:
    low, high = sorted((a * CAPACITY, b * CAPACITY))
    assert share_at(high) >= share_at(low) - 1e-9
    assert share_at(high) / high <= share_at(low) / low * (1 + 1e-9)


@given(loads, st.floats(0.3, 1.0))
def test_a_cap_never_raises_the_draw(load: float, cap: float) -> None:
    capped = share_at(load * CAPACITY, most_share=cap)
    assert capped <= min(share_at(load * CAPACITY), max(cap, LEVELS.idle)) + 1e-9


@given(st.lists(st.floats(0, 1), min_size=1, max_size=168))
def test_hours_by_load_keep_their_number_and_their_mean(relative_load: list[float]) -> None:
    shares = hours_by_load(np.array(relative_load))
    assert shares.sum() == pytest.approx(1)
    assert shares @ LOADS == pytest.approx(np.mean(relative_load))
