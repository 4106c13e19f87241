"""Time of a run on the calendar: what is billed of it, and when it ends if it must often wait.

Arrays by hour carry the 168 hours of a week, from Monday 0:00, on their last axis; weeks repeat.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hwplanner.units import Array, Quantity

NEARLY = 1 - 1e-9  # a whole number of blocks must not round up over the last binary digit


def billed_hours(*, hours: Quantity, block_hours: Quantity) -> Quantity:
    """Hours that are billed where time is rented in whole blocks.

    Parameters
    ----------
    hours
        Time for which devices are held. [h]
    block_hours
        Least time that is billed. [h]

    Returns
    -------
    float or ndarray
        [h]

    Examples
    --------
    Thirty hours are two days where devices are rented by the day.

    >>> float(billed_hours(hours=30, block_hours=24))
    48.0
    """
    return np.ceil(hours / block_hours * NEARLY) * block_hours


def progress_by_hour(
    *, has_room: NDArray[np.bool_], restart_hours: Quantity, checkpoint_hours: Quantity
) -> Array:
    """Progress that a run makes in each hour if it works only while it finds its devices.

    Parameters
    ----------
    has_room
        Hours in which its devices are free. [(…, hours)]
    restart_hours
        Time of starting again when they become free; of an hour, what lies beyond is not counted.
        [h]
    checkpoint_hours
        Time of the checkpoint before they are needed again. [h]

    Returns
    -------
    ndarray
        Hours of a run that is never interrupted. [h, (…, hours)]

    Examples
    --------
    >>> progress_by_hour(has_room=np.array([True, True, True, False]),
    ...                  restart_hours=0.25, checkpoint_hours=0.05)
    array([0.75, 1.  , 0.95, 0.  ])
    """
    starts = has_room & ~np.roll(has_room, 1, axis=-1)
    stops = has_room & ~np.roll(has_room, -1, axis=-1)
    progress = has_room - starts * restart_hours - stops * checkpoint_hours
    return np.asarray(np.maximum(progress, 0.0))


def hours_to_end(*, progress: Array, run_hours: float) -> Array:
    """Time from asking for a run, at each hour of the week, to its end.

    Parameters
    ----------
    progress
        What the run gets done in each hour of the week. [h, (hours,)]
    run_hours
        Time of the run if it is never interrupted. [h]

    Returns
    -------
    ndarray
        By the hour in which it is asked for, at whose start; infinite if it never works. [h]

    Examples
    --------
    Two of four hours are free. A run of two hours that is asked for with the first of them ends
    with the second; asked for an hour later, it waits for the first of the next round.

    >>> hours_to_end(progress=np.array([1.0, 1.0, 0.0, 0.0]), run_hours=2)
    array([2., 4., 4., 3.])
    """
    hours = len(progress)
    of_week = float(progress.sum())
    if not of_week:
        return np.full(hours, np.inf)
    whole_weeks = np.ceil(run_hours / of_week * NEARLY) - 1
    done = np.concatenate([[0.0], np.cumsum(np.tile(progress, 2))])
    rest = run_hours - whole_weeks * of_week
    end = np.minimum(done[:hours] + rest, done[hours : 2 * hours])
    hour = np.searchsorted(done, end)
    part = (end - done[hour - 1]) / (done[hour] - done[hour - 1])
    return np.asarray(whole_weeks * hours + hour - 1 + part - np.arange(hours))
