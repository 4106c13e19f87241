import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.serving.queueing import BatchQueue, batch_queue, wait_variability
from hwplanner.units import Array
from tests.published import published

CROWD = 3000.0
"""Users enough for a queue that nothing bounds."""


def erlang(rate: float, *, servers: int, users: float = CROWD) -> BatchQueue:
    """Servers that each answer one request a second."""
    return batch_queue(
        requests_per_s=np.array([rate]),
        places=np.array([float(servers)]),
        users=np.array([users]),
        answers=lambda batch: batch,
    )


def growing(rate: Array, *, places: float, users: float = CROWD, work: float = 0.2) -> BatchQueue:
    """One second for a request, and some work more for each in the batch."""
    return batch_queue(
        requests_per_s=rate,
        places=np.full_like(rate, places),
        users=np.full_like(rate, users),
        answers=lambda batch: batch / (1 + work * batch),
    )


@pytest.mark.parametrize("case", published("queues.csv"), ids=lambda case: case["case"])
def test_servers_of_one_speed_are_erlangs(case: dict[str, str]) -> None:
    queue = erlang(float(case["requests_per_s"]), servers=int(case["servers"]))
    assert [
        queue.wait_chance[0],
        queue.mean_wait_seconds[0],
        queue.wait_seconds(0.99)[0],
    ] == pytest.approx(
        [float(case[name]) for name in ("wait_chance", "mean_wait_seconds", "p99_wait_seconds")],
        rel=1e-5,
    )


def test_sakasegawas_approximation_is_close() -> None:
    """10 servers at a load of 0.8: 0.21945 of a service time, where 0.20459 is exact."""
    approximation = 0.8 ** (math.sqrt(2 * (10 + 1)) - 1) / (10 * (1 - 0.8))
    assert approximation == pytest.approx(0.21945, abs=5e-6)
    queue = erlang(8.0, servers=10)
    assert queue.mean_wait_seconds[0] == pytest.approx(approximation, rel=0.08)
    assert queue.wait_seconds(0.5)[0] == 0.0


def test_a_server_of_fixed_time_makes_requests_wait_half_as_long() -> None:
    """DistServe's prefill, M/D/1: D + R D^2 / (2 (1 - R D)) is 0.15 s for 5 requests/s of 0.1 s."""
    queue = batch_queue(
        requests_per_s=np.array([5.0]),
        places=np.array([1.0]),
        users=np.array([CROWD]),
        answers=lambda batch: 10 * batch,
        variability=float(wait_variability(arrival_variation=1.0, service_variation=0.0)),
    )
    assert queue.mean_wait_seconds[0] + queue.service_seconds[0] == pytest.approx(0.15)


def test_the_published_example_of_ramani_and_tantawi() -> None:
    """llm-inferno/queue-analysis: 128 tokens in, 512 out, 49 places, 128 more in the queue."""
    alpha, beta, gamma, tokens_in, tokens_out = 12.0, 0.05, 0.0005, 128, 512
    prompt = (beta + gamma) * tokens_in
    answer = tokens_out * (beta + gamma * (tokens_in + (tokens_out + 1) / 2))
    delta = (prompt + answer) / (1 + tokens_out)
    rate = 2.9715836 / 1000  # requests per millisecond
    queue = batch_queue(
        requests_per_s=np.array([rate]),
        places=np.array([49.0]),
        users=np.array([49.0 + 128.0]),
        answers=lambda batch: batch / ((1 + tokens_out) * (alpha + batch * delta)),
    )
    assert queue.mean_wait_seconds[0] == pytest.approx(12.018, abs=5e-4)
    assert queue.in_service[0] == pytest.approx(30.506, abs=5e-4)
    assert 1000 * queue.most_requests_per_s[0] == pytest.approx(3.9043, abs=5e-5)
    prefill = alpha + (queue.in_service[0] - 1) * delta + prompt
    per_token = (queue.service_seconds[0] - prefill) / tokens_out
    assert per_token == pytest.approx(20.0, abs=5e-5)
    first_token = queue.mean_wait_seconds[0] + prefill + per_token
    assert first_token == pytest.approx(57.9879, abs=5e-5)


def test_a_shared_processor_has_a_geometric_number_of_requests() -> None:
    """No fixed time and no end of places: M/M/1, whose mean is rho / (1 - rho)."""
    queue = batch_queue(
        requests_per_s=np.array([0.5]),
        places=np.array([CROWD]),
        users=np.array([CROWD]),
        answers=np.ones_like,
    )
    assert queue.in_service[0] == pytest.approx(1.0)
    assert queue.service_seconds[0] == pytest.approx(2.0)
    assert queue.wait_chance[0] == pytest.approx(0.0, abs=1e-12)


def test_a_lone_user_never_meets_another() -> None:
    queue = growing(np.array([0.7]), places=4, users=1)
    assert queue.service_seconds[0] == pytest.approx(1.2)
    assert queue.mean_wait_seconds[0] == 0.0
    # sends 0.7 a second while not waiting, is answered in 1.2 s
    assert queue.answered_per_s[0] == pytest.approx(0.7 / (1 + 0.7 * 1.2))


def test_more_arrivals_than_answers_are_no_equilibrium() -> None:
    queue = growing(np.array([2.4, 2.5, 2.6]), places=5)
    assert queue.most_requests_per_s == pytest.approx(2.5)
    assert queue.is_saturated.tolist() == [False, True, True]
    assert np.isnan(queue.wait_seconds(0.99)).tolist() == [False, True, True]


def test_a_copy_without_a_rate_has_no_figures_and_spoils_no_other() -> None:
    queue = growing(np.array([math.nan, 1.0]), places=5)
    assert np.isnan(queue.in_service[0])
    assert queue.in_service[1] == pytest.approx(growing(np.array([1.0]), places=5).in_service[0])


def test_steady_arrivals_and_lengths_halve_the_wait_and_bursts_double_it() -> None:
    assert wait_variability(arrival_variation=1.0, service_variation=1.0) == 1.0
    assert wait_variability(arrival_variation=3.0, service_variation=1.0) == 2.0
    plain = growing(np.array([2.0]), places=5)
    doubled = batch_queue(
        requests_per_s=np.array([2.0]),
        places=np.array([5.0]),
        users=np.array([CROWD]),
        answers=lambda batch: batch / (1 + 0.2 * batch),
        variability=2.0,
    )
    assert doubled.mean_wait_seconds == pytest.approx(2 * plain.mean_wait_seconds)
    assert doubled.wait_seconds(0.99) == pytest.approx(2 * plain.wait_seconds(0.99))


@given(
    shares=st.lists(st.floats(0.01, 0.99), min_size=2, max_size=2),
    places=st.integers(1, 200),
    users=st.integers(1, 400),
    work=st.floats(0.001, 2.0),
)
def test_nothing_gets_quicker_when_more_arrives(
    shares: list[float], places: int, users: int, work: float
) -> None:
    most = places / (1 + work * places)
    queue = growing(most * np.sort(shares), places=places, users=users, work=work)
    for values in (queue.in_service, queue.service_seconds, queue.mean_wait_seconds):
        assert values[0] <= values[1] * (1 + 1e-9)
    assert queue.answered_per_s[0] <= queue.answered_per_s[1] * (1 + 1e-9)
    assert queue.wait_chance[0] <= queue.wait_chance[1] + 1e-12


@given(share=st.floats(0.01, 0.99), places=st.integers(1, 200), users=st.integers(1, 400))
def test_what_goes_in_comes_out(share: float, places: int, users: int) -> None:
    """Requests are answered as fast as they are let in, and no batch is larger than its places."""
    most = places / (1 + 0.2 * places)
    queue = growing(np.array([share * most]), places=places, users=users)
    assert 0 < queue.in_service[0] <= min(places, users) * (1 + 1e-9)
    assert queue.answered_per_s[0] <= queue.requests_per_s[0] * (1 + 1e-12)
    # a batch answers at most what it answers when full, at least what one request alone gets
    assert queue.service_seconds[0] >= 1.2 * (1 - 1e-9)
    assert queue.service_seconds[0] <= (1 + 0.2 * places) * (1 + 1e-9)
    assert queue.wait_seconds(0.95)[0] <= queue.wait_seconds(0.99)[0]
