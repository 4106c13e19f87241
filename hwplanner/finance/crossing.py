"""Where what one job comes to passes what the other does, in dollars or in arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.scenario import Job
from hwplanner.units import Array

LATEST_MONTHS = 120
"""How far beyond the plan its last month is carried on."""
NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Crossing:
    """Which of the two jobs has come to more in all, and since when.

    Attributes
    ----------
    leader
        The job that has come to more by the end of the plan.
    ratio
        How many times as much as the other; infinite where the other comes to nothing. [ratio]
    months
        Time after which it leads for good; 0 where it leads from the start. [months]
    later_months
        Time after which the other would overtake it, were the last month's pace and growth to go
        on; NaN where it does not within ten more years. [months]
    """

    leader: Job
    ratio: float
    months: float
    later_months: float = NAN


def crossing(serving: Array, training: Array, *, growth: float) -> Crossing:
    """Find when what one job comes to in all passes the other.

    Parameters
    ----------
    serving, training
        What each comes to in each month, in any one unit.
    growth
        Serving of a month over that of the month before, to carry the last month on. [ratio]

    Examples
    --------
    >>> crossing(np.array([1.0, 2.0, 4.0, 8.0]), np.full(4, 3.0), growth=2.0)
    Crossing(leader='serving', ratio=1.25, months=3.4, later_months=nan)
    """
    gap = np.cumsum(serving - training)
    if gap[-1] < 0 or (gap[-1] == 0 and not serving.any()):
        leader: Job = "training"
        gap, most, least = -gap, training.sum(), serving.sum()
    else:
        leader, most, least = "serving", serving.sum(), training.sum()
    behind = np.flatnonzero(gap < 0)
    months = 0.0
    if behind.size:
        last = int(behind[-1])
        months = last + 1 + float(gap[last] / (gap[last] - gap[last + 1]))
    return Crossing(
        leader=leader,
        ratio=float(most / least) if least else float("inf"),
        months=months,
        later_months=_later(gap, serving[-1], training[-1], leader, growth),
    )


def _later(gap: Array, serving: float, training: float, leader: Job, growth: float) -> float:
    """Time at which the lead is lost, the last month carried on; NaN if it is not. [months]"""
    paces = serving * growth ** np.arange(1.0, LATEST_MONTHS + 1) - training
    ahead = np.cumsum([gap[-1], *(paces if leader == "serving" else -paces)])
    lost = np.flatnonzero(ahead < 0)
    if not lost.size:
        return NAN
    first = int(lost[0])
    return len(gap) + first - float(ahead[first] / (ahead[first] - ahead[first - 1]))
