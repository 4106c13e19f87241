"""A table of times: a line for each request, or counts at times."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from zoneinfo import ZoneInfo

import numpy as np

from hwplanner.demand.cells import cell, count
from hwplanner.demand.columns import Columns, Line
from hwplanner.demand.instants import EXAMPLES, Style, read_instant
from hwplanner.demand.mean_week import MINUTES_PER_HOUR, MeanWeek, mean_week
from hwplanner.demand.uploaded import UploadedDemand, whole_week
from hwplanner.files.csv_text import quoted
from hwplanner.units import HOURS_PER_YEAR, SECONDS_PER_HOUR, Array

MOST_YEARS = 5
FEW_PER_MINUTE = 60  # below, the busiest minute of an hour owes much to chance
FINEST_SECONDS = 900


def read_times(body: Iterable[Line], columns: Columns, zone: ZoneInfo) -> UploadedDemand:
    """Mean week of requests or counts at times.

    Parameters
    ----------
    body
        Lines below the heading.
    columns
        What stands where.
    zone
        Clock of the week, and of times without an offset.

    Raises
    ------
    ValueError
        When a line cannot be read, or all of them make no week.
    """
    seconds, numbers = _instants(body, columns, zone)
    if np.ptp(seconds) > MOST_YEARS * HOURS_PER_YEAR * SECONDS_PER_HOUR:
        first, last = (_moment(second, zone).year for second in (seconds.min(), seconds.max()))
        raise ValueError(f"has times from {first} to {last}; give at most {MOST_YEARS} years")
    length_seconds, gaps_are_quiet, notes = 0.0, True, []
    if columns.kind == "counts":
        length_seconds = _length_seconds(seconds)
        if columns.count_seconds:
            numbers = numbers * (length_seconds / columns.count_seconds)
        # Whoever counts with a database gets no line for an hour without requests.
        gaps_are_quiet = bool(numbers.min() > 0)
        notes += _on_gaps(seconds, length_seconds, gaps_are_quiet)
        seconds, numbers, length_seconds = _split(seconds, numbers, length_seconds)
    order = np.argsort(seconds, kind="stable")
    seconds, numbers = seconds[order], numbers[order]
    found = mean_week(
        seconds,
        numbers,
        zone=zone,
        length_seconds=length_seconds,
        gaps_are_quiet=gaps_are_quiet,
    )
    week, filling = whole_week(found.events)
    are_requests = columns.are_requests
    has_minutes = are_requests and np.isfinite(found.minute_over_hour)
    return UploadedDemand(
        kind=columns.kind,
        week=week,
        are_requests=are_requests,
        lines=len(order),
        hours_seen=int(np.isfinite(found.events).sum()),
        notes=(*notes, *_on_recording(found, has_minutes), *filling),
        first=_moment(seconds[0], zone),
        last=_moment(seconds[-1] + length_seconds, zone),
        requests=float(numbers.sum()) if are_requests else None,
        busiest_requests_per_s=found.busiest_hour / SECONDS_PER_HOUR if are_requests else None,
        minute_over_hour=found.minute_over_hour if has_minutes else None,
    )


def _instants(body: Iterable[Line], columns: Columns, zone: ZoneInfo) -> tuple[Array, Array]:
    """Times and counts of all lines, a count of 1 for a request. [s], [requests]"""
    assert columns.time is not None
    seconds, numbers = [], []
    style: Style | None = None
    for line, cells in body:
        text = cell(line, cells, columns.time)
        read = read_instant(text, zone)
        if read is None:
            raise ValueError(f"line {line}: {quoted(text)} is no time; write it as {EXAMPLES}")
        if read[0] != (style := style or read[0]):
            raise ValueError(
                f"line {line}: {quoted(text)} is a time {read[0]}, those before are {style}; write "
                "all alike"
            )
        seconds.append(read[1])
        numbers.append(1.0 if columns.count is None else count(line, cells, columns.count))
    return np.array(seconds), np.array(numbers)


def _length_seconds(seconds: Array) -> float:
    """Time that each line counts over: the smallest step between times. [s]"""
    steps = np.diff(np.unique(seconds))
    if not len(steps):
        return float(SECONDS_PER_HOUR)
    length = float(steps.min())
    if length > SECONDS_PER_HOUR:
        raise ValueError(
            f"has counts {length / SECONDS_PER_HOUR:g} h apart; give a count for each hour"
        )
    if SECONDS_PER_HOUR % length or (steps % length).any():
        raise ValueError(
            f"has counts at uneven times, at the closest {length:g} s apart; give one for each hour"
        )
    return length


def _split(seconds: Array, numbers: Array, length_seconds: float) -> tuple[Array, Array, float]:
    """Spread counts evenly over parts of a quarter of an hour or less, as clocks differ by such."""
    part_seconds = float(np.gcd(round(length_seconds), FINEST_SECONDS))
    parts = round(length_seconds / part_seconds)
    begins = seconds[:, None] + part_seconds * np.arange(parts)
    return begins.ravel(), np.repeat(numbers / parts, parts), part_seconds


def _on_gaps(seconds: Array, length_seconds: float, gaps_are_quiet: bool) -> list[str]:
    times = np.unique(seconds)
    missing = round(float(np.ptp(times)) / length_seconds) + 1 - len(times)
    notes = []
    if missing:
        why = "as none is 0, nothing was asked then" if gaps_are_quiet else "left out"
        notes.append(f"Counts missing between the first and the last: {missing}; {why}.")
    if len(times) < len(seconds):
        notes.append(
            f"Lines that repeat a time: {len(seconds) - len(times)}; their counts are added."
        )
    return notes


def _on_recording(found: MeanWeek, has_minutes: bool) -> list[str]:
    notes = []
    if found.unrecorded_hours:
        notes.append(
            f"{found.unrecorded_hours:.0f} hours lie in gaps of a week or longer: taken as not "
            "recorded."
        )
    if has_minutes and found.busiest_hour < FEW_PER_MINUTE * MINUTES_PER_HOUR:
        notes.append(
            f"At fewer than {FEW_PER_MINUTE} requests a minute, chance makes up part of the "
            "busiest minute."
        )
    return notes


def _moment(seconds: float, zone: ZoneInfo) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(float(seconds), zone)
