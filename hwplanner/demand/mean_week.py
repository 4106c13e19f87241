"""From events in time to the mean week of a clock, with what was seen of it and what was not."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from hwplanner.units import HOURS_PER_DAY, HOURS_PER_WEEK, SECONDS_PER_HOUR, Array

DAYS_PER_WEEK = 7
WORKING_DAYS = 5
SECONDS_PER_MINUTE = 60
MINUTES_PER_HOUR = SECONDS_PER_HOUR // SECONDS_PER_MINUTE
SLOT_SECONDS = 900  # every clock of the world is whole quarters of an hour off UTC
THURSDAY_HOURS = 3 * HOURS_PER_DAY  # 1 January 1970 was a Thursday
LEAST_SEEN_HOURS = 0.5
UNRECORDED_SECONDS = HOURS_PER_WEEK * SECONDS_PER_HOUR
"""Time without any event from which nothing is taken to have been recorded."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class MeanWeek:
    """Mean of each hour of the week over all weeks that were seen.

    Attributes
    ----------
    events
        Monday 0:00 first; NaN where an hour was never seen. [events/h, (168,)]
    busiest_hour
        Events of the busiest of all hours. [events/h]
    minute_over_hour
        Events of the busiest minute over the mean of its hour. [ratio]
    unrecorded_hours
        Left out since nothing happened for a week or longer. [h]
    """

    events: Array
    busiest_hour: float
    minute_over_hour: float
    unrecorded_hours: float


def mean_week(
    seconds: Array, events: Array, *, zone: ZoneInfo, length_seconds: float, gaps_are_quiet: bool
) -> MeanWeek:
    """Sort events by the hour of the week that a clock showed, and take the mean.

    An hour at the edge that was seen by less than half is left out, else scaled to a whole one.
    Clocks that are set forward or back give an hour of that day no time, or twice the time.

    Parameters
    ----------
    seconds
        Beginning of each count in ascending order, since 1970 UTC. [s]
    events
        What was counted. [events]
    zone
        The clock.
    length_seconds
        Time that a count lasts; 0 for events of which each is noted. [s]
    gaps_are_quiet
        Whether time without a count, up to a week, was seen and had no event.

    Raises
    ------
    ValueError
        When less than half an hour of any hour was seen.
    """
    begin = np.floor(seconds[0] / SLOT_SECONDS)
    end = seconds[-1] + length_seconds
    edges = np.arange(begin, np.ceil(end / SLOT_SECONDS) + 1) * SLOT_SECONDS
    slot = (seconds / SLOT_SECONDS - begin).astype(np.intp)
    slots = max(len(edges) - 1, int(slot[-1]) + 1)
    starts = (begin + np.arange(slots)) * SLOT_SECONDS
    count = np.bincount(slot, events, slots)
    if gaps_are_quiet:
        covered = np.minimum(starts + SLOT_SECONDS, end) - np.maximum(starts, seconds[0])
        seen = np.maximum(covered, 0.0)
    else:
        once = np.unique(seconds)
        each = np.bincount((once / SLOT_SECONDS - begin).astype(np.intp), minlength=slots)
        seen = np.minimum(each * length_seconds, SLOT_SECONDS)
    is_recorded = _is_recorded(seconds, starts)
    unrecorded_hours = float(seen[~is_recorded].sum()) / SECONDS_PER_HOUR
    seen = np.where(is_recorded, seen, 0.0)

    local_hours, hour = np.unique(_local_hours(starts, zone), return_inverse=True)
    seen_hours = np.bincount(hour, seen / SECONDS_PER_HOUR)
    count_of_hour = np.bincount(hour, count)
    is_seen = seen_hours >= LEAST_SEEN_HOURS
    if not is_seen.any():
        minutes = seen_hours.sum() * SECONDS_PER_HOUR / SECONDS_PER_MINUTE
        raise ValueError(
            f"spans {minutes:.0f} min; at least half of one hour must be seen, a week at best"
        )
    of_week = (local_hours[is_seen].astype(np.intp) + THURSDAY_HOURS) % HOURS_PER_WEEK
    total = np.bincount(of_week, count_of_hour[is_seen], HOURS_PER_WEEK)
    time = np.bincount(of_week, seen_hours[is_seen], HOURS_PER_WEEK)
    rate = np.divide(count_of_hour, seen_hours, out=np.zeros_like(count_of_hour), where=is_seen)
    return MeanWeek(
        events=np.divide(total, time, out=np.full(HOURS_PER_WEEK, np.nan), where=time > 0),
        busiest_hour=float(rate.max()),
        minute_over_hour=_minute_over_hour(seconds, events, rate[hour[slot]], length_seconds),
        unrecorded_hours=unrecorded_hours,
    )


def _local_hours(starts: Array, zone: ZoneInfo) -> Array:
    """Hours since 1970 that a clock shows at the beginning of each slot. [h]"""
    hours, hour = np.unique(np.floor(starts / SECONDS_PER_HOUR), return_inverse=True)
    offsets = [
        _offset_seconds(datetime.datetime.fromtimestamp(begin * SECONDS_PER_HOUR, zone))
        for begin in hours.tolist()
    ]
    return np.asarray(np.floor((starts + np.array(offsets)[hour]) / SECONDS_PER_HOUR))


def _offset_seconds(moment: datetime.datetime) -> float:
    return (moment.utcoffset() or datetime.timedelta()).total_seconds()


def _is_recorded(seconds: Array, starts: Array) -> Mask:
    """Whether slots lie outside all gaps of a week or longer."""
    is_recorded = np.ones(len(starts), dtype=bool)
    for before in np.flatnonzero(np.diff(seconds) >= UNRECORDED_SECONDS):
        in_gap = (starts > seconds[before]) & (starts + SLOT_SECONDS <= seconds[before + 1])
        is_recorded &= ~in_gap
    return is_recorded


def _minute_over_hour(seconds: Array, events: Array, hourly: Array, length_seconds: float) -> float:
    """Busiest minute over its hour; NaN where minutes are not told apart. [ratio]"""
    if length_seconds > SECONDS_PER_MINUTE:
        return float("nan")
    _, first, minute = np.unique(
        np.floor(seconds / SECONDS_PER_MINUTE), return_index=True, return_inverse=True
    )
    per_minute = np.where(hourly[first] > 0, np.bincount(minute, events), 0.0)
    busiest = int(per_minute.argmax())
    return float(per_minute[busiest] * MINUTES_PER_HOUR / hourly[first][busiest])


def filled(events: Array) -> tuple[Array, Mapping[str, int]]:
    """Fill hours that were never seen, and count how many were filled from where.

    An hour takes the mean of the same hour on days of its kind (Monday to Friday, or the weekend);
    without one, on any day; without that, the mean of all hours that were seen.

    Parameters
    ----------
    events
        NaN where an hour was never seen. [events/h, (168,)]

    Examples
    --------
    >>> monday = np.append(np.arange(24.0), np.full(144, np.nan))
    >>> week, ways = filled(monday)
    >>> week[24:27].tolist(), ways["the same hour of any day"]
    ([0.0, 1.0, 2.0], 48)
    """
    days = events.reshape(DAYS_PER_WEEK, HOURS_PER_DAY)
    of_kind = np.concatenate([_mean_day(days[:WORKING_DAYS]), _mean_day(days[WORKING_DAYS:])])
    all_hours = np.full_like(days, np.nanmean(days))
    ways = {}
    for way, source in (
        ("the same hour of days of their kind", of_kind),
        ("the same hour of any day", _mean_day(days)),
        ("the mean of all hours", all_hours),
    ):
        taken = np.isnan(days) & ~np.isnan(source)
        ways[way] = int(taken.sum())
        days = np.where(taken, source, days)
    return days.reshape(HOURS_PER_WEEK), ways


def _mean_day(days: Array) -> Array:
    """Mean of each hour over the days that have it, for each of these days. [(days, 24)]"""
    is_known = ~np.isnan(days)
    known = is_known.sum(axis=0)
    total = np.where(is_known, days, 0.0).sum(axis=0)
    mean = np.divide(total, known, out=np.full(HOURS_PER_DAY, np.nan), where=known > 0)
    return np.broadcast_to(mean, days.shape)
