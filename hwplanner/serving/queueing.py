"""Requests that arrive at random at one copy of a model: how many it holds, how long they wait.

A copy answers the faster in all the more requests are in its batch, so the queue is a chain of
states: k requests are there, and they leave at the rate at which a batch of k is answered.
Arrivals of a Poisson process find a place in the batch or wait for one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.units import Array, Quantity

MOST_REQUESTS = 4096
"""States that are looked at: a copy with more places or users is taken to have so many."""


@dataclass(frozen=True, slots=True)
class BatchQueue:
    """A queue in equilibrium, one entry for each copy and rate; NaN where there is no rate.

    Attributes
    ----------
    requests_per_s
        Rate of arrival. [requests/s]
    most_requests_per_s
        What a copy answers with all its places taken. [requests/s]
    answered_per_s
        Requests that are let in: fewer than arrive while all users wait already. [requests/s]
    in_service
        Requests in the batch, on average over time. [requests]
    wait_chance
        Share of the requests that find no place in the batch. [1]
    mean_wait_seconds
        Wait for a place, on average over all requests. [s]
    variability
        Wait against that of Poisson arrivals and exponential service. [1]
    """

    requests_per_s: Array
    most_requests_per_s: Array
    answered_per_s: Array
    in_service: Array
    wait_chance: Array
    mean_wait_seconds: Array
    variability: float

    @property
    def load(self) -> Array:
        """Rate of arrival over the most that a copy answers. [1]"""
        return self.requests_per_s / self.most_requests_per_s

    @property
    def is_saturated(self) -> NDArray[np.bool_]:
        """Whether more arrives than can be answered, so that no time is the usual one."""
        saturated: NDArray[np.bool_] = self.load >= 1
        return saturated

    @property
    def service_seconds(self) -> Array:
        """Mean time in the batch, by Little's law. [s]"""
        return self.in_service / self.answered_per_s

    def wait_seconds(self, share: float) -> Array:
        """Wait for a place that a share of the requests does not exceed. [s]

        Those who wait do so for an exponential time, as in a queue with many servers.
        """
        spare = np.where(self.is_saturated, np.nan, self.most_requests_per_s - self.requests_per_s)
        with np.errstate(divide="ignore"):  # nobody waits
            seconds = np.log(self.wait_chance / (1 - share)) / spare
        return self.variability * np.maximum(seconds, 0.0)


def batch_queue(
    *,
    requests_per_s: Array,
    places: Array,
    users: Array,
    answers: Callable[[Array], Array],
    variability: float = 1.0,
) -> BatchQueue:
    """Work out the queue of each copy.

    Parameters
    ----------
    requests_per_s
        Rate of arrival at each copy. [requests/s]
    places
        Requests that a copy works on at once, at least one. [requests]
    users
        Who asks, each for one answer at a time; a part of one asks as part of the time. [users]
    answers
        Requests per second that a batch is answered at, for batches along the last axis.
    variability
        Allowance for arrivals and lengths, as `wait_variability` gives it. [1]

    Returns
    -------
    BatchQueue
        One entry for each rate.

    Notes
    -----
    The birth-death chain of [1]_: with answers mu(k), k limited to the places, the chance of k
    requests is proportional to the product of requests_per_s / mu(j) up to k. Logarithms keep it
    within the range of numbers.

    References
    ----------
    .. [1] Ramani and Tantawi 2026, llm-inferno/queue-analysis: state-dependent M/M/1 queue.

    Examples
    --------
    Two servers that each answer one request a second, at one request a second: Erlang's formula
    says that a third of the requests wait.

    >>> queue = batch_queue(requests_per_s=np.array([1.0]), places=np.array([2.0]),
    ...                     users=np.array([200.0]), answers=lambda batch: batch)
    >>> round(float(queue.wait_chance[0]), 6)
    0.333333
    """
    population = np.clip(users, 1.0, MOST_REQUESTS)[:, None]
    room = np.clip(np.floor(places), 1.0, MOST_REQUESTS)[:, None]
    requests = np.arange(1.0 + np.ceil(population.max(initial=1.0)))
    free = np.clip(population - requests, 0.0, 1.0)
    batch = np.minimum(requests, room)
    chances = _chances(requests_per_s[:, None] * free[:, :-1], answers(batch[:, 1:]))
    arriving = chances * free
    let_in = arriving.sum(axis=1)
    answered_per_s = requests_per_s * let_in
    waiting = (chances * (requests - batch)).sum(axis=1)
    return BatchQueue(
        requests_per_s=requests_per_s,
        most_requests_per_s=np.broadcast_to(answers(room), room.shape)[:, 0],
        answered_per_s=answered_per_s,
        in_service=(chances * batch).sum(axis=1),
        wait_chance=np.where(requests >= room, arriving, 0.0).sum(axis=1) / let_in,
        mean_wait_seconds=variability * waiting / answered_per_s,
        variability=variability,
    )


def _chances(arriving_per_s: Array, answered_per_s: Array) -> Array:
    """Chance of every number of requests, none first: what arrives over what is answered."""
    with np.errstate(divide="ignore"):  # nobody is left who could ask
        steps = np.log(arriving_per_s / answered_per_s)
    logs = np.concatenate([np.zeros((len(steps), 1)), np.cumsum(steps, axis=1)], axis=1)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def wait_variability(*, arrival_variation: Quantity, service_variation: Quantity) -> Quantity:
    """Wait in a queue against that of Poisson arrivals and exponential service.

    Parameters
    ----------
    arrival_variation, service_variation
        Squared coefficient of variation of the times between arrivals, and of service. [1]

    Returns
    -------
    float or ndarray
        Factor on waits. [1]

    References
    ----------
    .. [1] Allen 1990, "Probability, Statistics and Queueing Theory" (Allen-Cunneen).

    Examples
    --------
    Fixed service halves the wait.

    >>> wait_variability(arrival_variation=1.0, service_variation=0.0)
    0.5
    """
    return (arrival_variation + service_variation) / 2
