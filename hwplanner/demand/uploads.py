"""Demand from a file: a log of requests, or a table of counts, as the mean week of a clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from zoneinfo import ZoneInfo

from hwplanner.demand.columns import Line, find_columns
from hwplanner.demand.timed_table import read_times
from hwplanner.demand.uploaded import UploadedDemand
from hwplanner.demand.week_table import read_hours, read_numbers
from hwplanner.errors import DemandError
from hwplanner.files.csv_text import one_line, records

__all__ = ["UploadedDemand", "read_demand"]

MOST_BYTES = 50 * 10**6
MOST_LINES = 2_000_000
SAMPLED_LINES = 200


def read_demand(content: bytes, time_zone: str) -> UploadedDemand:
    r"""Read a file of requests or counts.

    Accepted are, with or without a heading and with further columns: a time for each request;
    times and counts; hours of the week (0 is Monday 0:00) and counts; weekdays, hours and counts;
    24 or 168 numbers. Times are ISO 8601 with or without an offset, or Unix time.

    Parameters
    ----------
    content
        The file: UTF-8 text with commas, semicolons or tabs.
    time_zone
        Clock of the week, and of times without an offset.

    Raises
    ------
    DemandError
        When the file cannot be used; the message says where, what it is, and what would be right.

    Examples
    --------
    >>> found = read_demand(b"2026-11-30 10:00,30\n2026-11-30 11:00,60\n", "UTC")
    >>> found.week[10:12].tolist(), found.requests
    ([30.0, 60.0], 90.0)
    """
    try:
        return _read(content, ZoneInfo(time_zone))
    except ValueError as fault:
        said = str(fault)
        place = f"L{said[1:]}" if said.startswith("line ") else f"The file {said}"
        raise DemandError(one_line(place)) from fault


def _read(content: bytes, zone: ZoneInfo) -> UploadedDemand:
    if not content.strip():
        raise ValueError("is empty")
    lines = _used(records(content, separators=",;\t", most_bytes=MOST_BYTES))
    sample = list(islice(lines, SAMPLED_LINES))
    if not sample:
        raise ValueError("has separators and nothing between them")
    columns = find_columns(sample, zone)
    body = islice(chain(sample, lines), int(columns.has_heading), None)
    match columns.kind:
        case "numbers":
            return read_numbers(body)
        case "week":
            return read_hours(body, columns)
        case _:
            return read_times(body, columns, zone)


def _used(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines with anything on them, up to the limit."""
    for read, (line, cells) in enumerate(lines):
        if read == MOST_LINES:
            raise ValueError(f"has more than {MOST_LINES:,} lines; count the requests of each hour")
        if any(text.strip() for text in cells):
            yield line, cells
