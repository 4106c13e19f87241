"""What an uploaded file says of demand."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import numpy as np

from hwplanner.demand.columns import Kind
from hwplanner.demand.mean_week import filled
from hwplanner.units import HOURS_PER_DAY, HOURS_PER_WEEK, SECONDS_PER_HOUR, Array

WEEKEND = slice(5 * HOURS_PER_DAY, None)


@dataclass(frozen=True, slots=True, eq=False)
class UploadedDemand:
    """Demand of a mean week, and what is known of where it comes from.

    Attributes
    ----------
    kind
        A line for each request; counts at times; counts at hours of the week; plain numbers.
    week
        Mean of each hour from Monday 0:00, on the clock asked for. [requests/h, or the file's
        unit, (168,)]
    are_requests
        Whether the numbers are requests an hour.
    lines
        Lines that were read. [lines]
    hours_seen
        Hours of the week that the file covers; the others are filled. [h]
    notes
        What was assumed, left out or filled, in sentences.
    first, last
        First and last time; None where a file has no times.
    requests
        All requests of the file. [requests]
    busiest_requests_per_s
        In the busiest of all hours. [requests/s]
    minute_over_hour
        Requests of the busiest minute over the mean of its hour. [ratio]
    """

    kind: Kind
    week: Array
    are_requests: bool
    lines: int
    hours_seen: int
    notes: tuple[str, ...]
    first: datetime.datetime | None = None
    last: datetime.datetime | None = None
    requests: float | None = None
    busiest_requests_per_s: float | None = None
    minute_over_hour: float | None = None

    @property
    def peak_requests_per_s(self) -> float | None:
        """Requests in the busiest hour of the mean week. [requests/s]"""
        return float(self.week.max()) / SECONDS_PER_HOUR if self.are_requests else None


def whole_week(events: Array) -> tuple[Array, tuple[str, ...]]:
    """Fill the hours that were never seen, and say so.

    Parameters
    ----------
    events
        NaN where an hour was never seen. [(168,)]

    Raises
    ------
    ValueError
        When there is no demand in any hour.
    """
    if not np.nansum(events) > 0:
        raise ValueError("has no demand: every count is 0")
    week, ways = filled(events)
    missing = int(np.isnan(events).sum())
    if not missing:
        return week, ()
    taken = ", ".join(f"{hours} take {way}" for way, hours in ways.items() if hours)
    notes = [f"{missing} of {HOURS_PER_WEEK} hours of the week were never seen: {taken}."]
    if np.isnan(events[WEEKEND]).all():
        notes.append(
            "Nothing was seen of Saturday and Sunday; they are taken like working days, which is "
            "more than most services get."
        )
    return week, tuple(notes)
