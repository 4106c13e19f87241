import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.physics.roofline import (
    activation_traffic_bytes,
    attention_flop,
    queue_wait_seconds,
    touched_expert_share,
)

TOKENS = st.floats(0, 1e6)


def attention(new: float, cached: float = 0, reach: float = np.inf) -> float:
    """Pairs of tokens that meet: operations of width 1/4 in one layer."""
    return float(
        attention_flop(
            width=0.25, layers=1, new_tokens=new, cached_tokens=cached, reach_tokens=reach
        )
    )


def test_a_prompt_of_a_70b_model() -> None:
    # 80 layers x 64 heads x 128: 4 x 8192 x 80 x 8192^2 / 2.
    flop = attention_flop(width=8192, layers=80, new_tokens=8192, cached_tokens=0)
    assert flop == 4 * 8192 * 80 * 8192 * 8192 / 2


def test_one_new_token_meets_what_is_cached() -> None:
    assert attention(1, cached=1000) == pytest.approx(1000, rel=1e-3)


def test_a_window_stops_the_growth() -> None:
    # 100 tokens meet 50 on average, 900 meet 100; all 1000 meet 100 if a window is cached.
    assert attention(1000, reach=100) == 100 * 50 + 900 * 100
    assert attention(1000, cached=5000, reach=100) == 1000 * 100


@given(first=TOKENS, second=TOKENS, reach=st.floats(1, 1e6))
def test_a_prompt_in_two_parts_costs_what_it_costs_at_once(
    first: float, second: float, reach: float
) -> None:
    apart = attention(first, reach=reach) + attention(second, cached=first, reach=reach)
    assert apart == pytest.approx(attention(first + second, reach=reach), rel=1e-6, abs=1)


@given(new=TOKENS, cached=TOKENS, reach=st.floats(1, 1e6))
def test_a_window_never_costs_more_than_full_attention(
    new: float, cached: float, reach: float
) -> None:
    assert attention(new, cached, reach) <= attention(new, cached) * (1 + 1e-9)


def test_experts_that_few_tokens_touch() -> None:
    def mixtral(tokens: float, skew: float = 1.0) -> float:
        return float(
            touched_expert_share(tokens=tokens, experts=8, experts_per_token=2, routing_skew=skew)
        )

    assert mixtral(1) == 0.25
    assert mixtral(2) == 1 - 0.75**2
    assert mixtral(100) == pytest.approx(1)
    assert mixtral(100, skew=0.0) == 0.25


@given(tokens=st.floats(1, 1e4), skew=st.floats(0, 1))
def test_more_tokens_touch_no_fewer_experts(tokens: float, skew: float) -> None:
    fewer, more = touched_expert_share(
        tokens=np.array([tokens, tokens + 1]), experts=256, experts_per_token=8, routing_skew=skew
    )
    assert fewer * (1 + 1e-9) >= 8 / 256
    assert fewer <= more <= 1


def test_activations_of_one_token_of_an_8b_model() -> None:
    # 32 layers x (10 x 4096 + 3 x 14336) numbers of 2 bytes.
    traffic = activation_traffic_bytes(
        layers=32, hidden=4096, active_ffn=14336, expert_visits=0, bytes_per_value=2
    )
    assert traffic == 5_373_952


def test_an_expert_takes_a_copy_and_returns_one() -> None:
    more = activation_traffic_bytes(
        layers=1, hidden=100, active_ffn=0, expert_visits=8, bytes_per_value=2
    )
    assert more == 2 * (10 * 100 + 2 * 8 * 100)


def test_the_wait_of_the_worked_example() -> None:
    # DistServe: prompts of 0.1 s, 5 a second, first token after 0.15 s.
    assert queue_wait_seconds(requests_per_s=5, service_seconds=0.1) == pytest.approx(0.05)


def test_nobody_waits_where_nobody_else_comes() -> None:
    assert queue_wait_seconds(requests_per_s=0, service_seconds=0.1) == 0


def test_the_wait_has_no_end_where_too_much_comes() -> None:
    waits = queue_wait_seconds(requests_per_s=np.array([10.0, 11.0]), service_seconds=0.1)
    assert waits.tolist() == [np.inf, np.inf]


@given(rate=st.floats(0, 9), service=st.floats(1e-6, 0.1))
def test_faster_service_never_waits_longer(rate: float, service: float) -> None:
    slow, fast = queue_wait_seconds(
        requests_per_s=rate, service_seconds=np.array([service, service / 2])
    )
    assert fast <= slow
