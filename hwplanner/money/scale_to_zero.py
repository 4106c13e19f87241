"""Rented copies of a model that come and go with the demand, and what their starts cost.

A copy that is scaled to zero is given back after some time without a request, and started anew by
the next one, which waits for it. Requests that come at random meet it up, starting or gone.

Each request keeps the copy for the time of its answer and the idle time after it, as a customer
keeps a place in a queue that has room for all: without cold starts the copy is gone for
exp(-rate x time) of the hours. A cycle is the wait for a request, a cold start, and the time until
no request is left.
"""

from __future__ import annotations

import numpy as np

from hwplanner.units import SECONDS_PER_HOUR, Array, Quantity


def paid_share(
    *, requests_per_s: Quantity, kept_seconds: Quantity, cold_start_seconds: Quantity = 0.0
) -> Quantity:
    """Share of the time in which a copy is up or starting, and paid for.

    Parameters
    ----------
    requests_per_s
        Rate at which requests arrive at random. [requests/s]
    kept_seconds
        Time for which a request keeps the copy: that of its answer, and the idle time after which
        the copy is given back. [s]
    cold_start_seconds
        From the request that starts a copy until it serves. [s]

    Returns
    -------
    float or ndarray
        [share]

    Notes
    -----
    With infinitely many servers a busy period lasts (exp(rate x time) - 1) / rate [1]_; requests
    that come during the cold start are answered together at its end.

    References
    ----------
    .. [1] L. Takács, "Introduction to the Theory of Queues", Oxford University Press 1962.

    Examples
    --------
    A request every ten minutes that keeps the copy for five: it is gone for exp(-1/2) of the time.

    >>> round(float(paid_share(requests_per_s=1 / 600, kept_seconds=300)), 4)
    0.3935
    """
    return 1 - _gone_share(requests_per_s, kept_seconds, cold_start_seconds)


def cold_starts_per_hour(
    *, requests_per_s: Quantity, kept_seconds: Quantity, cold_start_seconds: Quantity = 0.0
) -> Quantity:
    """How often such a copy is started.

    Parameters
    ----------
    requests_per_s, kept_seconds, cold_start_seconds
        As in `paid_share`.

    Returns
    -------
    float or ndarray
        One for each request that finds the copy gone. [1/h]

    Examples
    --------
    Of six requests an hour, those that come in exp(-1/2) of the time.

    >>> round(float(cold_starts_per_hour(requests_per_s=1 / 600, kept_seconds=300)), 4)
    3.6392
    """
    gone = _gone_share(requests_per_s, kept_seconds, cold_start_seconds)
    return requests_per_s * gone * SECONDS_PER_HOUR


def delayed_share(
    *, requests_per_s: Quantity, kept_seconds: Quantity, cold_start_seconds: Quantity
) -> Quantity:
    """Share of the requests that wait for a cold start, or for what is left of it.

    Parameters
    ----------
    requests_per_s, kept_seconds, cold_start_seconds
        As in `paid_share`.

    Returns
    -------
    float or ndarray
        [share of the requests]

    Examples
    --------
    The request that starts a copy, and those that come while it starts: another half.

    >>> round(float(delayed_share(requests_per_s=1 / 600, kept_seconds=300,
    ...                           cold_start_seconds=300)), 4)
    0.6981
    """
    gone = _gone_share(requests_per_s, kept_seconds, cold_start_seconds)
    return gone * (1 + requests_per_s * cold_start_seconds)


def _gone_share(
    requests_per_s: Quantity, kept_seconds: Quantity, cold_start_seconds: Quantity
) -> Quantity:
    """Share of the time in which there is no copy: of a cycle, the wait for a request."""
    without_starts = np.exp(-requests_per_s * kept_seconds)
    share: Quantity = without_starts / (1 + requests_per_s * cold_start_seconds * without_starts)
    return share


def paid_copies_by_hour(
    *,
    copies_needed: Array,
    requests_per_s: Array,
    kept_seconds: Quantity,
    cold_start_seconds: Quantity,
) -> Array:
    """Copies that each hour of a week is billed for, of a fleet that may fall to zero.

    Parameters
    ----------
    copies_needed
        Copies that the demand of each hour needs. [copies, (…, hours)]
    requests_per_s
        Demand of each hour. [requests/s, (…, hours)]
    kept_seconds, cold_start_seconds
        As in `paid_share`, with the axes before the hours. [s, (…)]

    Returns
    -------
    ndarray
        A part of one copy in hours that need no more than one; whole copies in others, with the
        cold start of each that the hour before did not have. [copies, (…, hours)]

    Examples
    --------
    A quiet hour, an hour without requests, and one of three copies, of which two are started.

    >>> paid_copies_by_hour(copies_needed=np.array([0.1, 0.0, 3.0]),
    ...                     requests_per_s=np.array([1 / 600, 0.0, 0.5]),
    ...                     kept_seconds=300.0, cold_start_seconds=360.0).round(3)
    array([0.555, 0.   , 3.2  ])
    """
    cold_start = np.asarray(cold_start_seconds)[..., None]
    part = paid_share(
        requests_per_s=requests_per_s,
        kept_seconds=np.asarray(kept_seconds)[..., None],
        cold_start_seconds=cold_start,
    )
    copies = np.maximum(np.ceil(copies_needed), 1.0)
    starting = started(copies) * cold_start / SECONDS_PER_HOUR
    return np.asarray(np.where(copies > 1, copies, part) + starting)


def started(copies_by_hour: Array) -> Array:
    """Copies or devices of a fleet that follows the demand that are started for each hour.

    Parameters
    ----------
    copies_by_hour
        Held in each hour of a week that is like the one before. [copies, (…, hours)]

    Returns
    -------
    ndarray
        What the hour before did not have; for the first hour, the last. [copies, (…, hours)]

    Examples
    --------
    >>> started(np.array([1.0, 3.0, 2.0, 4.0])).tolist()
    [0.0, 2.0, 0.0, 2.0]
    """
    return np.maximum(copies_by_hour - np.roll(copies_by_hour, 1, axis=-1), 0.0)
