"""Which columns of an uploaded table hold times, hours of the week and counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal
from zoneinfo import ZoneInfo

from hwplanner.demand.instants import EXAMPLES, read_instant
from hwplanner.files.csv_text import quoted
from hwplanner.units import HOURS_PER_DAY

Kind = Literal["requests", "counts", "week", "numbers"]
Line = tuple[int, Sequence[str]]

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MOST = 0.5  # a column holds what most of its cells hold; the others are faults
COUNTS = {"count", "counts", "requests", "reqs", "hits", "calls", "queries", "rps", "qps", "rpm"}
NO_COUNTS = {"token", "tokens", "byte", "bytes", "id", "status"}
RATES = {"s": 1, "sec": 1, "second": 1, "rps": 1, "qps": 1, "min": 60, "minute": 60, "rpm": 60}
WHOLE_MINUTE_SECONDS = 60
_NUMBER = re.compile(r"\+?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DATA_START = re.compile(r"\s*[-+.\d]")


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a table has what, by places of its columns.

    Attributes
    ----------
    kind
        A line for each request; counts at times; counts at hours of the week; plain numbers.
    has_heading
        Whether the first line names the columns.
    time, weekday, hour, count
        Places; None where a table has no such column.
    count_seconds
        Time that a number is counted over, if it is a rate; None if its line says so. [s]
    are_requests
        Whether the numbers are known to be requests, or may be in any unit.
    is_day
        Whether the hours are those of a day, the same every day.
    """

    kind: Kind
    has_heading: bool = False
    time: int | None = None
    weekday: int | None = None
    hour: int | None = None
    count: int | None = None
    count_seconds: float | None = None
    are_requests: bool = False
    is_day: bool = False


def is_number(text: str) -> bool:
    """Whether a cell is a number that is not negative."""
    return _NUMBER.fullmatch(text.strip()) is not None


def weekday_of(text: str) -> int | None:
    """Number of a day of the week by its English name or the first three letters, Monday 0."""
    name = text.strip().lower().rstrip(".")
    return next((i for i, day in enumerate(WEEKDAYS) if name in (day, day[:3])), None)


def find_columns(lines: Sequence[Line], zone: ZoneInfo) -> Columns:
    """Recognize columns by their content, and by the words of a heading if there is one.

    Parameters
    ----------
    lines
        The first lines of the table, at least one.
    zone
        Clock of times without an offset.

    Raises
    ------
    ValueError
        When the table holds nothing of what is looked for.
    """
    sample = _Sample(lines, zone)
    if not sample.body:
        raise ValueError("has a heading and nothing below it")
    found = _with_times(sample) or _with_hours(sample)
    if found is not None:
        return found
    if len(sample.columns(is_number)) == len(sample.words):
        return Columns("numbers", sample.has_heading)
    line, cells = lines[0]
    raise ValueError(
        f"has no column of times such as {EXAMPLES}, none of hours with a count, and is not 24 or "
        f"168 numbers; line {line} begins with {quoted(cells[0])}"
    )


class _Sample:
    """The first lines of a table, to ask what most cells of a column are."""

    def __init__(self, lines: Sequence[Line], zone: ZoneInfo) -> None:
        first = lines[0][1]
        self.zone = zone
        self.has_heading = not any(
            _DATA_START.match(text) or weekday_of(text) is not None for text in first
        )
        self.words = [_words(text) if self.has_heading else set() for text in first]
        self.body = [cells for _, cells in lines[self.has_heading :]]

    def cells(self, place: int) -> list[str]:
        """Cells of a column that have anything in them."""
        texts = (row[place].strip() for row in self.body if place < len(row))
        return [text for text in texts if text]

    def columns(self, test: Callable[[str], bool]) -> list[int]:
        """Places of the columns most of whose cells pass a test."""
        most = MOST * len(self.body)
        return [
            place for place in range(len(self.words)) if sum(map(test, self.cells(place))) >= most
        ]

    def named(self, test: Callable[[set[str]], bool]) -> int | None:
        """Place of the first column whose heading passes a test."""
        return next((place for place, words in enumerate(self.words) if test(words)), None)

    def instants(self, place: int) -> list[float]:
        """Times of a column, as far as they can be read. [s]"""
        read = (read_instant(text, self.zone) for text in self.cells(place))
        return [instant[1] for instant in read if instant]


def _with_times(sample: _Sample) -> Columns | None:
    """Tell counts at times from requests that have a time and other numbers each."""
    times = sample.columns(lambda text: read_instant(text, sample.zone) is not None)
    if not times:
        return None
    count = sample.named(_is_count)
    are_requests = count is not None or not sample.has_heading
    numbers = [place for place in sample.columns(is_number) if place not in times]
    if count is None and len(numbers) == 1 and _are_of_counts(sample.instants(times[0])):
        (count,) = numbers
    if count is None:
        return Columns("requests", sample.has_heading, time=times[0], are_requests=True)
    return Columns(
        "counts",
        sample.has_heading,
        time=times[0],
        count=count,
        count_seconds=_rate_seconds(sample.words[count]),
        are_requests=are_requests,
    )


def _are_of_counts(seconds: Sequence[float]) -> bool:
    """Whether times are whole minutes and none comes twice; those of requests are odd seconds."""
    is_whole = all(second % WHOLE_MINUTE_SECONDS == 0 for second in seconds)
    return is_whole and len(set(seconds)) == len(seconds) > 1


def _with_hours(sample: _Sample) -> Columns | None:
    """Find hours of the week, or weekdays and hours of the day, with a count each."""
    weekday = sample.named(lambda words: bool(words & {"weekday", "dow"}))
    if weekday is None:
        weekday = next(iter(sample.columns(lambda text: weekday_of(text) is not None)), None)
    count = sample.named(_is_count)
    hour = sample.named(lambda words: "hour" in words and not _is_count(words))
    numbers = [place for place in sample.columns(is_number) if place not in (weekday, hour)]
    if not sample.has_heading and len(sample.body) >= HOURS_PER_DAY and 2 <= len(numbers) <= 3:
        *days, hour, count = numbers
        weekday = days[0] if days else weekday
    elif count is None and numbers and hour is not None:
        count = next((place for place in numbers if place > hour), numbers[-1])
    if hour is None or count is None:
        return None
    hours = [float(text) for text in sample.cells(hour) if is_number(text)]
    return Columns(
        "week",
        sample.has_heading,
        weekday=weekday,
        hour=hour,
        count=count,
        count_seconds=_rate_seconds(sample.words[count]),
        are_requests=_is_count(sample.words[count]),
        is_day=weekday is None
        and "week" not in sample.words[hour]
        and max(hours, default=0) < HOURS_PER_DAY,
    )


def _is_count(words: set[str]) -> bool:
    return bool(words & COUNTS) and not words & NO_COUNTS


def _rate_seconds(words: set[str]) -> float | None:
    """Time over which the numbers of a heading such as `requests per second` are counted. [s]"""
    return next((seconds for word, seconds in RATES.items() if word in words), None)


def _words(heading: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(heading)}
