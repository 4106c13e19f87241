"""Percentiles under load: worked numbers, laws, and a simulation of continuous batching."""

from __future__ import annotations

import heapq
import math
from collections import deque
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.assumptions import load_assumptions
from hwplanner.physics.time_parts import TimeParts
from hwplanner.serving.latency import (
    UNSURE_LOAD,
    LatencyUnderLoad,
    Spread,
    device_by_load,
    devices_under_load,
    first_token_variance,
    latency_under_load,
    lognormal_quantile,
)
from hwplanner.serving.time import ServingTimes
from hwplanner.units import Array
from tests.plans import plan_of, questions

ASSUMPTIONS = load_assumptions()
CROWD = 3000.0


@dataclass(frozen=True)
class Server:
    """A copy of a model, its times in seconds."""

    fixed: float = 0.010
    per_sequence: float = 0.0001
    prefill: float = 0.2
    output_tokens: int = 100
    places: int = 60

    @property
    def times(self) -> ServingTimes:
        def part(seconds: float) -> TimeParts:
            return TimeParts(*(np.full((1, 1), share * seconds) for share in (0.4, 0.3, 0.2, 0.1)))

        known = {
            "fixed": part(self.fixed),
            "per_sequence": part(self.per_sequence),
            "experts": part(0.0),
            "prefill": part(self.prefill),
            "first_token_seconds": np.array([[self.prefill]]),
            "stages": np.array([[1.0]]),
            "output_tokens": float(self.output_tokens),
        }
        return ServingTimes(**({field.name: 0.0 for field in fields(ServingTimes)} | known))

    def step_seconds(self, sequences: float) -> float:
        """Reading (3 of 10 parts) and products (4 of 10) at once, the rest one after the other."""
        together = math.hypot(0.3 * self.fixed, 0.4 * self.per_sequence * sequences)
        return 0.7 * self.fixed + 0.6 * self.per_sequence * sequences + together

    @property
    def most(self) -> float:
        """Requests that it answers with all places taken. [requests/s]"""
        step = self.step_seconds(self.places)
        return self.places / (self.output_tokens * step + self.places * self.prefill)

    def at(self, loads: Array, *, users: float = CROWD) -> LatencyUnderLoad:
        """Latency at shares of the most."""
        return latency_under_load(
            times=self.times,
            requests_per_s=loads * self.most,
            places=np.full_like(loads, self.places),
            users=np.full_like(loads, users),
            assumptions=ASSUMPTIONS,
        )


def servers() -> st.SearchStrategy[Server]:
    return st.builds(
        Server,
        fixed=st.floats(0.002, 0.05),
        per_sequence=st.floats(1e-5, 0.002),
        prefill=st.floats(0.001, 5.0),
        output_tokens=st.integers(1, 2000),
        places=st.integers(1, 300),
    )


def both(latency: LatencyUnderLoad) -> tuple[Spread, Spread]:
    return latency.ttft, latency.tpot


# Worked numbers


def test_a_lone_user_waits_for_nobody() -> None:
    server = Server()
    latency = server.at(np.array([1e-6]), users=1.0)
    # 10 ms, of which 3 ms read weights while 0.04 ms of products hide behind them, and 0.06 ms;
    # then the prompt, a step, half a step that may run.
    step = 0.007 + (0.003**2 + 0.00004**2) ** 0.5 + 0.00006
    assert latency.tpot.mean[0] == pytest.approx(step)
    assert latency.ttft.mean[0] == pytest.approx(0.2 + 1.5 * step, rel=1e-4)
    assert latency.queue.wait_chance[0] == pytest.approx(0.0, abs=1e-9)


def test_percentiles_of_tokens_are_the_measured_ratios() -> None:
    tpot = Server().at(np.array([0.5])).tpot
    low, typical, high = ASSUMPTIONS.range("token_time_percentile", "p99")
    assert tpot.p99[0] == pytest.approx(typical * tpot.mean[0])
    assert tpot.p99_low[0] == pytest.approx(low * tpot.mean[0])
    assert tpot.p99_high[0] == pytest.approx(high * tpot.mean[0])


def test_a_log_normal_through_known_points() -> None:
    # log has deviation 0.5 and median 1: mean exp(0.125), variance mean² (exp(0.25) - 1)
    mean, variance = math.exp(0.125), math.exp(0.25) * (math.exp(0.25) - 1)
    assert lognormal_quantile(mean=mean, variance=variance, share=0.5) == pytest.approx(1.0)
    expected = math.exp(0.5 * 2.326348)
    assert lognormal_quantile(mean=mean, variance=variance, share=0.99) == pytest.approx(expected)


def test_past_saturation_there_is_no_time() -> None:
    latency = Server().at(np.array([0.99, 1.0, 1.5]))
    for spread in both(latency):
        for values in (spread.mean, spread.p50, spread.p95, spread.p99, spread.p99_high):
            assert np.isfinite(values).tolist() == [True, False, False]


def test_tails_of_a_busy_copy_are_unsure() -> None:
    latency = Server().at(np.array([UNSURE_LOAD - 0.01, UNSURE_LOAD + 0.01]))
    assert latency.is_unsure.tolist() == [False, True]


# Laws


@given(server=servers(), loads=st.lists(st.floats(0.01, 0.97), min_size=2, max_size=2))
def test_more_load_never_helps(server: Server, loads: list[float]) -> None:
    latency = server.at(np.sort(np.array(loads)))
    for values in (latency.ttft.mean, latency.ttft.p95, latency.ttft.p99, latency.tpot.mean):
        assert values[0] <= values[1] * (1 + 1e-9)


@given(server=servers(), load=st.floats(0.01, 0.97), users=st.integers(1, 500))
def test_percentiles_stand_in_order(server: Server, load: float, users: int) -> None:
    latency = server.at(np.array([load]), users=float(users))
    for spread in both(latency):
        assert 0 < spread.p50[0] <= spread.p95[0] <= spread.p99[0]
        # Long waits of fewer than 5 in 100 raise the mean and not the 95th percentile.
        assert spread.mean[0] - latency.queue.mean_wait_seconds[0] <= spread.p95[0]
        assert spread.p99_low[0] <= spread.p99[0] <= spread.p99_high[0]


@given(server=servers(), load=st.floats(0.01, 0.97))
def test_littles_law_holds_for_the_batch(server: Server, load: float) -> None:
    """Requests in the batch: those let in a second times prompt and answer."""
    latency = server.at(np.array([load]))
    seconds = server.prefill + server.output_tokens * latency.tpot.mean[0]
    in_batch = latency.queue.answered_per_s[0] * seconds
    assert latency.queue.in_service[0] == pytest.approx(in_batch)


@given(question=questions())
@settings(max_examples=25, deadline=None)
def test_devices_of_any_plan_have_times_or_are_saturated(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    latency, fits = plan.latency, plan.serving.fits
    steady = fits & ~latency.queue.is_saturated
    for spread in both(latency):
        assert np.isfinite(spread.p99).tolist() == steady.tolist()
    # a plan keeps headroom, so what it places on a device is carried
    assert (latency.queue.load[plan.meets_target("serving")] <= UNSURE_LOAD + 1e-9).all()


def test_one_device_by_load_passes_through_the_plan() -> None:
    plan = plan_of()
    place = plan.serving_choice
    load = plan.latency.queue.load[place]
    curve = device_by_load(
        plan.serving, place, loads=np.array([load, 1.2]), assumptions=plan.assumptions
    )
    assert curve.ttft.p99[0] == pytest.approx(plan.latency.ttft.p99[place])
    assert curve.tpot.mean[0] == pytest.approx(plan.latency.tpot.mean[place])
    assert curve.queue.is_saturated.tolist() == [False, True]


def test_more_demand_on_the_same_devices_is_slower() -> None:
    plan = plan_of()
    slower = devices_under_load(plan.serving, demand_share=1.3, assumptions=plan.assumptions)
    place = plan.serving_choice
    assert slower.queue.load[place] == pytest.approx(1.3 * plan.latency.queue.load[place])
    assert slower.tpot.mean[place] > plan.latency.tpot.mean[place]
    assert slower.ttft.p99[place] > plan.latency.ttft.p99[place]


# Against a simulation


def simulated(server: Server, load: float, *, to_a_step: float, variation: float) -> Array:
    """Time to the first token and per token of requests that come at random. [s, (2, requests)]

    Prompts are read in the order of arrival, up to `to_a_step` average ones in a step; lengths of
    prompts vary and those of answers are exponential.
    """
    random, count = np.random.default_rng(1), 4000
    arrival = np.cumsum(random.exponential(1 / (load * server.most), count)).tolist()
    log = math.log1p(variation**2)
    unread = (server.prefill * np.exp(random.normal(-log / 2, math.sqrt(log), count))).tolist()
    tokens = np.maximum(np.round(random.exponential(server.output_tokens, count)), 1).tolist()
    first, last = [0.0] * count, [0.0] * count
    prompts: deque[int] = deque()
    writing: list[tuple[float, int]] = []
    now, steps, come = 0.0, 0, 0
    while come < count or prompts or writing:
        if not prompts and not writing:
            now = max(now, arrival[come])
        while come < count and arrival[come] <= now and len(writing) + len(prompts) < server.places:
            prompts.append(come)
            come += 1
        room, read = to_a_step * server.prefill, []
        now += server.step_seconds(len(writing))
        while prompts and room > 1e-12:
            piece = min(unread[prompts[0]], room)
            unread[prompts[0]] -= piece
            room -= piece
            now += piece
            if unread[prompts[0]] <= 1e-12:
                read.append(prompts.popleft())
        steps += 1
        for request in read:
            first[request] = now
            heapq.heappush(writing, (steps + tokens[request], request))
        while writing and writing[0][0] <= steps:
            last[heapq.heappop(writing)[1]] = now
    steady = slice(count // 10, count - count // 10)
    begun = np.array(first)
    per_token = (np.array(last) - begun).sum() / sum(tokens)
    waits = (begun - np.array(arrival))[steady]
    return np.stack([waits, np.full_like(waits, per_token)])


SIMULATED = [
    (Server(), 2.6),
    (Server(fixed=0.02, per_sequence=0.0002, prefill=0.5, output_tokens=300), 2.6),
    (Server(fixed=0.012, per_sequence=0.0004, prefill=0.0065, output_tokens=512, places=99), 20.0),
]


@pytest.mark.parametrize(("server", "to_a_step"), SIMULATED)
@pytest.mark.parametrize("load", [0.3, 0.6])
def test_simulated_servers_agree(server: Server, to_a_step: float, load: float) -> None:
    variation = ASSUMPTIONS.typical("first_token_variation")
    waits, per_token = simulated(server, load, to_a_step=to_a_step, variation=variation)
    latency = server.at(np.array([load]))
    assert latency.tpot.mean[0] == pytest.approx(per_token[0], rel=0.08)
    assert latency.ttft.mean[0] == pytest.approx(waits.mean(), rel=0.15)
    assert latency.ttft.p50[0] == pytest.approx(np.quantile(waits, 0.5), rel=0.15)
    assert latency.ttft.p95[0] == pytest.approx(np.quantile(waits, 0.95), rel=0.25)
    assert latency.ttft.p99[0] == pytest.approx(np.quantile(waits, 0.99), rel=0.3)


def test_the_variance_of_a_first_token_that_waits_for_nobody_is_its_own() -> None:
    variance = first_token_variance(
        requests_per_s=np.array(0.0),
        prefill_seconds=np.array(0.1),
        own_seconds=np.array(0.2),
        round_seconds=np.array(0.0),
        squared_variation=0.25,
    )
    assert variance == pytest.approx(0.25 * 0.2**2)
    assert replace(Server(), places=1).most == pytest.approx(1 / (100 * 0.01006027 + 0.2))
