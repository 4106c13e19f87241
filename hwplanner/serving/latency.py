"""Latency under load: mean and percentiles of the first token and of the time per token.

The plan works with means at an even flow. Here requests arrive at random: batches are uneven,
prompts come in bunches, and who finds no place in the batch waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.physics.roofline import queue_wait_seconds
from hwplanner.serving.estimates import ServingEstimates
from hwplanner.serving.queueing import BatchQueue, batch_queue, wait_variability
from hwplanner.serving.time import ServingTimes
from hwplanner.units import Array, Quantity

Share = Literal["p50", "p95", "p99"]
SHARES: dict[Share, float] = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
UNSURE_LOAD = 0.85
"""Share of the most from which tails are known to an order of magnitude only."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and percentiles of a time, with the range of the 99th percentile. [s]"""

    mean: Array
    p50: Array
    p95: Array
    p99: Array
    p99_low: Array
    p99_high: Array


@dataclass(frozen=True, slots=True)
class LatencyUnderLoad:
    """Times of requests that arrive at random, one entry for each copy and rate.

    Attributes
    ----------
    queue
        Requests in a copy, and their wait for a place.
    ttft, tpot
        Time to the first token, waits included, and per output token; NaN past saturation. [s]
    """

    queue: BatchQueue
    ttft: Spread
    tpot: Spread

    @property
    def is_unsure(self) -> NDArray[np.bool_]:
        """Whether the copy is so busy that the tails are only of this order of magnitude."""
        unsure: NDArray[np.bool_] = self.queue.load > UNSURE_LOAD
        return unsure


def latency_under_load(
    *,
    times: ServingTimes,
    requests_per_s: Array,
    places: Array,
    users: Array,
    assumptions: Assumptions,
) -> LatencyUnderLoad:
    """Work out the times of each device, or of one device at several rates.

    Parameters
    ----------
    times
        One row for each entry of the rest, or a single row; one column.
    requests_per_s, places, users
        As in `batch_queue`, for one copy. [requests/s], [requests], [users]
    assumptions
        How requests vary, and what was measured of tails.

    Notes
    -----
    A request waits for a place, if all are taken; then for the step that runs and for the prompts
    before its own. The mean is that of `ServingTimes` with half a round of the others and uneven
    prompts added. Its spread is log-normal, with the quantile of the wait for a place on top.
    Percentiles of the time per token are measured ratios to its mean: over the tokens of an
    answer, uneven steps average out.
    """
    get = assumptions.typical
    queue = batch_queue(
        requests_per_s=requests_per_s,
        places=places,
        users=users,
        answers=lambda batch: times.requests_per_s(batch, times.step_seconds(batch)),
        variability=float(
            wait_variability(
                arrival_variation=get("arrival_variation"),
                service_variation=get("answer_length_variation") ** 2,
            )
        ),
    )
    rate, step = requests_per_s[:, None], times.step_seconds(queue.in_service[:, None])
    prefill = times.prefill.total
    uneven = get("first_token_variation") ** 2
    round_seconds = _round_seconds(rate, step, prefill)
    wait = queue_wait_seconds(requests_per_s=rate, service_seconds=prefill)
    mean = times.ttft_seconds(rate, step) + uneven * wait + round_seconds / 2
    variance = first_token_variance(
        requests_per_s=rate,
        prefill_seconds=prefill,
        own_seconds=times.first_token_seconds,
        round_seconds=round_seconds,
        squared_variation=uneven,
    )
    writing = (queue.service_seconds[:, None] - prefill) / times.output_tokens
    steady = ~queue.is_saturated
    return LatencyUnderLoad(
        queue=queue,
        ttft=_first_token(
            queue,
            mean=np.where(steady, mean[:, 0], np.nan),
            variance=variance[:, 0],
            assumptions=assumptions,
        ),
        tpot=_per_token(np.where(steady, writing[:, 0], np.nan), assumptions),
    )


def devices_under_load(
    serving: ServingEstimates, *, demand_share: float, assumptions: Assumptions
) -> LatencyUnderLoad:
    """Work out the times of each device of a plan when a share of the planned demand arrives.

    Parameters
    ----------
    serving
        Devices, each with the copies that carry the busiest hour.
    demand_share
        Users and their requests, over those of the plan. [1]
    assumptions
        As above.
    """
    fits = serving.fits
    planned = serving.peak_requests_per_s / np.where(fits, serving.copies, np.nan)
    return latency_under_load(
        times=serving.times,
        requests_per_s=demand_share * planned,
        places=np.where(fits, serving.memory_batch, 1.0),
        users=np.where(fits, demand_share * serving.users_per_copy, 1.0),
        assumptions=assumptions,
    )


def device_by_load(
    serving: ServingEstimates, place: int, *, loads: Array, assumptions: Assumptions
) -> LatencyUnderLoad:
    """Work out the times of one device of a plan at shares of the most that its copies carry.

    Parameters
    ----------
    serving, place
        Devices, and which of them.
    loads
        Demand over the most that can be answered. [1]
    assumptions
        As above.
    """
    times, places = serving.times.of_device(place), float(serving.memory_batch[place])
    planned = serving.peak_requests_per_s / float(serving.copies[place])
    most = float(times.requests_per_s(places, times.step_seconds(places))[0, 0])
    return latency_under_load(
        times=times,
        requests_per_s=loads * most,
        places=np.full_like(loads, places),
        users=loads * most / planned * float(serving.users_per_copy[place]),
        assumptions=assumptions,
    )


def _round_seconds(requests_per_s: Array, step_seconds: Array, prefill_seconds: Array) -> Array:
    """Time of a step and of the prompts that come with it, NaN where they never end. [s]"""
    idle_share = 1 - requests_per_s * prefill_seconds
    return np.asarray(step_seconds / np.where(idle_share > 0, idle_share, np.nan))


def _first_token(
    queue: BatchQueue, *, mean: Array, variance: Array, assumptions: Assumptions
) -> Spread:
    def percentile(name: Share, factor: float) -> Array:
        share = SHARES[name]
        seconds = lognormal_quantile(mean=mean, variance=variance, share=share)
        return np.asarray(factor * seconds + queue.wait_seconds(share))

    low, typical, high = assumptions.range("first_token_percentile", "p99")
    return Spread(
        mean=mean + queue.mean_wait_seconds,
        p50=percentile("p50", 1.0),
        p95=percentile("p95", assumptions.typical("first_token_percentile", "p95")),
        p99=percentile("p99", typical),
        p99_low=percentile("p99", low),
        p99_high=percentile("p99", high),
    )


def _per_token(mean: Array, assumptions: Assumptions) -> Spread:
    low, typical, high = assumptions.range("token_time_percentile", "p99")
    return Spread(
        mean=mean,
        p50=mean * assumptions.typical("token_time_percentile", "p50"),
        p95=mean * assumptions.typical("token_time_percentile", "p95"),
        p99=mean * typical,
        p99_low=mean * low,
        p99_high=mean * high,
    )


def first_token_variance(
    *,
    requests_per_s: Quantity,
    prefill_seconds: Quantity,
    own_seconds: Quantity,
    round_seconds: Quantity,
    squared_variation: float,
) -> Array:
    """Variance of the time to the first token of a request that finds a place.

    Parameters
    ----------
    requests_per_s
        Rate of arrival. [requests/s]
    prefill_seconds
        Device time of one prompt, on average. [s]
    own_seconds
        Time of a prompt that finds the devices free. [s]
    round_seconds
        A step and the prompts that come with it, of which the rest is waited for. [s]
    squared_variation
        Squared coefficient of variation of the times of prompts, taken as log-normal. [1]

    Returns
    -------
    ndarray
        NaN where prompts alone take all the time. [s^2]

    Notes
    -----
    Three parts: the own prompt; the prompts before it, W² + R E[D³] / (3 (1 - R E[D])) with W
    their mean wait [1]_; the rest of a round, which is uniform.

    References
    ----------
    .. [1] Takács 1962, "A single-server queue with Poisson input", for the M/G/1 queue.

    Examples
    --------
    Half busy with prompts of one second, all alike: W is 0.5 s and E[D³] is 1.

    >>> variance = first_token_variance(requests_per_s=0.5, prefill_seconds=1.0, own_seconds=1.0,
    ...                                 round_seconds=0.0, squared_variation=0.0)
    >>> round(float(variance), 6)
    0.583333
    """
    uneven = 1 + squared_variation
    idle_share = 1 - np.asarray(requests_per_s * prefill_seconds)
    spare = np.where(idle_share > 0, idle_share, np.nan)
    wait = requests_per_s * np.square(prefill_seconds) * uneven / (2 * spare)
    return np.asarray(
        squared_variation * np.square(own_seconds)
        + np.square(wait)
        + requests_per_s * np.power(prefill_seconds * uneven, 3) / (3 * spare)
        + np.square(round_seconds) / 12
    )


def lognormal_quantile(*, mean: Quantity, variance: Quantity, share: float) -> Array:
    """Value that a share of a log-normal quantity does not exceed.

    Parameters
    ----------
    mean, variance
        Of the quantity.
    share
        Between 0 and 1.

    Examples
    --------
    >>> round(float(lognormal_quantile(mean=1.0, variance=0.16, share=0.99)), 2)
    2.27
    """
    log_variance = np.log1p(variance / np.square(mean))
    deviations = NormalDist().inv_cdf(share)
    return np.asarray(mean * np.exp(deviations * np.sqrt(log_variance) - log_variance / 2))
