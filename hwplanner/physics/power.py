"""Power that a device draws, by what its time is spent on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.physics.time_parts import TimeParts
from hwplanner.units import Quantity

NAME = "power_share_of_rating"


@dataclass(frozen=True, slots=True)
class PowerLevels:
    """Draw of a device over its rating in each of its states. [share of rating]

    Attributes
    ----------
    idle
        A model is loaded and no request is there.
    waiting
        At work, but held up by other devices, by the host or by the start of kernels.
    memory, compute
        Reading memory, and computing.
    """

    idle: float
    waiting: float
    memory: float
    compute: float

    @classmethod
    def of(cls, assumptions: Assumptions) -> PowerLevels:
        """Look up the typical levels."""
        get = assumptions.typical
        return cls(
            idle=get(NAME, "idle"),
            waiting=get(NAME, "waiting"),
            memory=get(NAME, "memory"),
            compute=get(NAME, "compute"),
        )


def working_share(time: TimeParts, levels: PowerLevels, *, most_share: Quantity = 1.0) -> Quantity:
    """Mean draw over rating while a device works.

    Parameters
    ----------
    time
        What its time is spent on. [s]
    levels
        Draw in each state. [share of rating]
    most_share
        Power cap over rating, 1 or NaN for none. [share of rating]

    Returns
    -------
    float or ndarray
        Mean of the levels, weighted with the time in each, at most the cap. [share of rating]

    Notes
    -----
    All devices are taken to draw the same shares of their ratings as those that were measured,
    H100 and B200. What a cap costs in time is not part of this formula.

    References
    ----------
    .. [1] ML.ENERGY benchmark v3, power of vLLM by batch, github.com/ml-energy/leaderboard.

    Examples
    --------
    Three quarters of a step read memory, the rest computes:

    >>> step = TimeParts(np.array(1.0), np.array(3.0), np.array(0.0), np.array(0.0))
    >>> levels = PowerLevels(idle=0.2, waiting=0.5, memory=0.8, compute=1.0)
    >>> round(float(working_share(step, levels)), 3)
    0.85
    >>> float(working_share(step, levels, most_share=0.7))
    0.7
    """
    drawn = (
        levels.compute * time.compute
        + levels.memory * time.memory
        + levels.waiting * (time.communication + time.overhead)
    )
    return np.fmin(drawn / time.total, most_share)


def mean_share(*, idle_share: Quantity, working_share: Quantity, busy_share: Quantity) -> Quantity:
    """Mean draw over rating of a device that works in a part of its time.

    Parameters
    ----------
    idle_share, working_share
        Draw without work, and at work. [share of rating]
    busy_share
        Part of the time at work. [share]

    Returns
    -------
    float or ndarray
        Mean draw over rating. [share of rating]

    Examples
    --------
    >>> mean_share(idle_share=0.25, working_share=0.75, busy_share=0.5)
    0.5
    """
    return idle_share + (working_share - idle_share) * busy_share
