"""A table of hours of the week with counts, or a week as plain numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hwplanner.demand.cells import cell, count, whole
from hwplanner.demand.columns import WEEKDAYS, Columns, Line, weekday_of
from hwplanner.demand.uploaded import UploadedDemand, whole_week
from hwplanner.files.csv_text import quoted
from hwplanner.units import HOURS_PER_DAY, HOURS_PER_WEEK, SECONDS_PER_HOUR

DAYS = len(WEEKDAYS)


def read_hours(body: Iterable[Line], columns: Columns) -> UploadedDemand:
    """Mean of the counts that a table has for each hour of the week, Monday 0:00 first.

    Parameters
    ----------
    body
        Lines below the heading.
    columns
        What stands where.

    Raises
    ------
    ValueError
        When a line cannot be read.
    """
    assert columns.hour is not None
    assert columns.count is not None
    hours, days, numbers = [], [], []
    most = HOURS_PER_DAY if columns.weekday is not None or columns.is_day else HOURS_PER_WEEK
    for line, cells in body:
        hours.append(whole(line, cells, columns.hour, 0, most - 1, "hour"))
        numbers.append(count(line, cells, columns.count))
        if columns.weekday is not None:
            days.append(_day(line, cells, columns.weekday))
    notes = []
    place = np.array(hours)
    if columns.weekday is not None:
        first = _first_day(days)
        place = place + HOURS_PER_DAY * (np.array([day for day, _ in days]) - first)
        if not any(is_name for _, is_name in days):
            notes.append(f"Days are numbers; {first} is taken as Monday.")
    total = np.bincount(place, numbers, HOURS_PER_WEEK)
    times = np.bincount(place, minlength=HOURS_PER_WEEK)
    events = np.divide(total, times, out=np.full(HOURS_PER_WEEK, np.nan), where=times > 0)
    if columns.is_day:
        events = np.tile(events[:HOURS_PER_DAY], DAYS)
        notes.append("The hours are those of a day; all days are taken alike.")
    if times.max() > 1:
        notes.append("Hours that come several times are averaged.")
    if columns.count_seconds:
        events = events * (SECONDS_PER_HOUR / columns.count_seconds)
    week, filling = whole_week(events)
    return UploadedDemand(
        kind="week",
        week=week,
        are_requests=columns.are_requests,
        lines=len(numbers),
        hours_seen=int(np.isfinite(events).sum()),
        notes=(*notes, *filling),
    )


def _day(line: int, cells: Sequence[str], place: int) -> tuple[int, bool]:
    """Day of the week as a number, and whether it stands there as a name, Monday 0."""
    text = cell(line, cells, place)
    named = weekday_of(text)
    if named is not None:
        return named, True
    if text not in map(str, range(DAYS + 1)):
        raise ValueError(
            f"line {line}: {quoted(text)} is no day of the week; write Monday to Sunday, or 0 to 6"
        )
    return int(text), False


def _first_day(days: list[tuple[int, bool]]) -> int:
    """Number that stands for Monday: 1 where days go to 7, else 0."""
    numbers = {day for day, is_name in days if not is_name}
    if numbers and len(numbers) < len({day for day, _ in days}):
        raise ValueError("has days as names and as numbers; write all as names")
    if {0, DAYS} <= numbers:
        raise ValueError("has days from 0 to 7; write 0 (Monday) to 6, 1 (Monday) to 7, or names")
    return int(bool(numbers) and 0 not in numbers)


def read_numbers(body: Iterable[Line]) -> UploadedDemand:
    """A week of 168 numbers or a day of 24, in lines, columns, or as a table of both.

    Parameters
    ----------
    body
        Lines of numbers only.

    Raises
    ------
    ValueError
        When it is neither.
    """
    rows = [[count(line, cells, place) for place in range(len(cells))] for line, cells in body]
    if len({len(row) for row in rows}) != 1:
        raise ValueError("has lines of different lengths; write 24 or 168 numbers")
    table = np.array(rows)
    notes = []
    if table.size == HOURS_PER_DAY:
        events = np.tile(table.ravel(), DAYS)
        notes.append("One day was given; all days of the week are taken alike.")
    elif table.size == HOURS_PER_WEEK:
        events = (table.T if table.shape == (HOURS_PER_DAY, DAYS) else table).ravel()
    else:
        raise ValueError(
            f"has numbers without times, {table.size} of them; write 24 for a day or 168 for a week"
        )
    week, _ = whole_week(events)
    return UploadedDemand(
        kind="numbers",
        week=week,
        are_requests=False,
        lines=len(rows),
        hours_seen=HOURS_PER_WEEK,
        notes=tuple(notes),
    )
