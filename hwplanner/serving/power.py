"""Power that serving devices draw at a load, and over a week of loads."""

from __future__ import annotations

import numpy as np

from hwplanner.physics.power import PowerLevels, mean_share, working_share
from hwplanner.serving.time import ServingTimes
from hwplanner.units import Array, Quantity

LOADS = np.linspace(0.0, 1.0, 5)
"""Loads over the busiest hour's at which the draw is worked out; it is a line in between."""


def serving_power_share(
    times: ServingTimes,
    requests_per_s: Quantity,
    levels: PowerLevels,
    *,
    most_share: Quantity = 1.0,
) -> Quantity:
    """Mean draw over rating of devices that answer so many requests.

    Parameters
    ----------
    times
        Coefficients of the times of one copy of the model. [s]
    requests_per_s
        What one copy answers. [requests/s]
    levels, most_share
        As in `working_share`. [share of rating]

    Returns
    -------
    float or ndarray
        Draw, idle times between requests included. [share of rating]

    Notes
    -----
    From one request in flight on, a copy steps without a pause; its batch is what finishes the
    requests as they come. Below, it is idle between them.
    """
    batch = times.batch_at(requests_per_s)
    running = np.maximum(batch, 1.0)
    request = times.decode(running) + times.prefill
    working = working_share(request, levels, most_share=most_share)
    return mean_share(
        idle_share=levels.idle, working_share=working, busy_share=np.minimum(batch, 1.0)
    )


def hours_by_load(relative_load: Array) -> Array:
    """Share of the hours at each of `LOADS`; an hour in between counts in part for both.

    Examples
    --------
    >>> hours_by_load(np.array([0.0, 0.5, 0.625, 1.0])).tolist()
    [0.25, 0.0, 0.375, 0.125, 0.25]
    """
    place = np.clip(relative_load, 0.0, 1.0) * (len(LOADS) - 1)
    near = 1 - np.abs(place[:, None] - np.arange(len(LOADS)))
    return np.asarray(np.maximum(near, 0.0).mean(axis=0))
