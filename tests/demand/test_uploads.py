"""Files of demand: every format that is accepted, and laws between formats."""

import datetime
from collections.abc import Callable, Sequence
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.demand.uploads import read_demand
from hwplanner.demand.week import turned_week

MONDAY = datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)
HOUR = datetime.timedelta(hours=1)
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
COUNTS = tuple(range(1, 169))
counts = st.lists(st.integers(0, 10**6), min_size=168, max_size=168).filter(any)


def lines(*rows: Sequence[object], separator: str = ",") -> bytes:
    return "\n".join(separator.join(map(str, row)) for row in rows).encode()


def times(numbers: Sequence[float], style: Callable[[datetime.datetime], object] = str) -> bytes:
    """Counts of a week, one an hour."""
    return lines(*((style(MONDAY + i * HOUR), number) for i, number in enumerate(numbers)))


def naive(moment: datetime.datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S")


WEEKS = {
    "times with offset": times(COUNTS),
    "times without": times(COUNTS, naive),
    "Unix seconds": times(COUNTS, lambda moment: int(moment.timestamp())),
    "Unix milliseconds": times(COUNTS, lambda moment: int(moment.timestamp() * 1000)),
    "heading": b"timestamp,count\n" + times(COUNTS),
    "semicolons": times(COUNTS).replace(b",", b";"),
    "tabs and Windows": times(COUNTS).replace(b",", b"\t").replace(b"\n", b"\r\n"),
    "byte-order mark": b"\xef\xbb\xbfTime,Requests\n" + times(COUNTS),
    "further columns": lines(
        ("service", "hour starting", "region", "errors", "num_requests"),
        *(("chat", naive(MONDAY + i * HOUR), "eu", 0, n) for i, n in enumerate(COUNTS)),
    ),
    "not in order": lines(*reversed([(MONDAY + i * HOUR, n) for i, n in enumerate(COUNTS)])),
    "blank lines": times(COUNTS).replace(b"\n", b"\n\n,\n"),
    "two lines an hour": lines(
        ("time", "count"), *((MONDAY + i * HOUR, n / 2) for i, n in enumerate(COUNTS) for _ in "ab")
    ),
    "every ten minutes": lines(
        ("time", "count"), *((MONDAY + i * HOUR / 6, COUNTS[i // 6] / 6) for i in range(6 * 168))
    ),
    "every second day first": lines(
        *((DAYS[i // 24], i % 24, n) for i, n in enumerate(COUNTS) if i // 24 % 2),
        *((DAYS[i // 24], i % 24, n) for i, n in enumerate(COUNTS) if not i // 24 % 2),
    ),
    "weekday names": lines(
        ("weekday", "hour", "requests"), *((DAYS[i // 24], i % 24, n) for i, n in enumerate(COUNTS))
    ),
    "weekdays from 0": lines(*((i // 24, i % 24, n) for i, n in enumerate(COUNTS))),
    "weekdays from 1": lines(
        ("dow", "hour", "count"), *((1 + i // 24, i % 24, n) for i, n in enumerate(COUNTS))
    ),
    "hours of the week": lines(("hour_of_week", "hits"), *enumerate(COUNTS)),
    "hours of the week, no heading": lines(*enumerate(COUNTS)),
    "168 lines": lines(*((n,) for n in COUNTS)),
    "168 numbers on a line": lines(COUNTS),
    "a line a day": lines(*(COUNTS[24 * day : 24 * day + 24] for day in range(7))),
    "a line an hour": lines(*(COUNTS[hour::24] for hour in range(24))),
}


@pytest.mark.parametrize("content", WEEKS.values(), ids=WEEKS.keys())
def test_the_same_week_in_every_format(content: bytes) -> None:
    found = read_demand(content, "UTC")
    assert found.week == pytest.approx(COUNTS)
    assert found.hours_seen == 168


def test_counts_at_times_tell_all_that_is_known() -> None:
    found = read_demand(b"timestamp,count\n" + times(COUNTS), "Europe/Berlin")
    assert found.kind == "counts"
    assert found.first == MONDAY
    assert found.last == MONDAY + 168 * HOUR
    assert found.requests == 168 * 169 / 2
    assert found.busiest_requests_per_s == pytest.approx(168 / 3600)
    assert found.peak_requests_per_s == pytest.approx(168 / 3600)
    assert found.minute_over_hour is None
    assert found.notes == ()


def test_a_log_tells_its_busiest_minute_too() -> None:
    """2 requests a second for two hours, and 120 more within one minute."""
    even = [MONDAY + datetime.timedelta(seconds=i / 2) for i in range(2 * 7200 + 1)]
    burst = [MONDAY + 65 * HOUR / 60 + datetime.timedelta(seconds=i / 2) for i in range(120)]
    found = read_demand(lines(*((moment.isoformat(),) for moment in even + burst)), "UTC")
    assert found.kind == "requests"
    assert found.hours_seen == 2
    assert found.lines == found.requests == 14_521
    assert found.week[0] == pytest.approx(7200)
    assert found.week[1] == pytest.approx(7320)
    assert found.minute_over_hour == pytest.approx(240 / 122)
    assert found.busiest_requests_per_s == pytest.approx(7320 / 3600)
    assert "166 of 168 hours of the week were never seen" in found.notes[0]
    assert "Saturday and Sunday" in found.notes[1]


def test_the_public_trace_of_azure_is_a_log_though_it_has_columns_of_numbers() -> None:
    rows = "".join(
        f"2023-11-16 18:{minute:02}:03.97996{minute:02},4808,{minute}\n" for minute in range(60)
    )
    found = read_demand(f"TIMESTAMP,ContextTokens,GeneratedTokens\n{rows}".encode(), "UTC")
    assert (found.kind, found.lines, found.hours_seen) == ("requests", 60, 1)
    assert found.minute_over_hour == pytest.approx(59 / 60, rel=0.02)
    assert "chance" in found.notes[0]


def test_one_other_number_at_odd_times_is_no_count() -> None:
    rows = lines(
        *((f"2026-11-30 10:{m:02}:{m:02}", 250) for m in range(60)), ("2026-11-30 11:00:00", 9)
    )
    assert read_demand(b"time,latency_ms\n" + rows, "UTC").kind == "requests"
    # without a heading, the odd times tell
    assert read_demand(rows, "UTC").kind == "requests"


@pytest.mark.parametrize(
    ("heading", "factor"),
    [("requests per second", 3600), ("requests/s", 3600), ("rps", 3600), ("requests_per_min", 60),
     ("RPM", 60), ("requestsPerMinute", 60), ("requests per hour", 1), ("request_count", 1)],
)  # fmt: skip
def test_rates_become_requests_an_hour(heading: str, factor: float) -> None:
    for first, rows in (("time", times(COUNTS)), ("hour of week", lines(*enumerate(COUNTS)))):
        found = read_demand(f"{first},{heading}\n".encode() + rows, "UTC")
        assert found.are_requests
        assert found.week == pytest.approx(factor * np.array(COUNTS))


def test_numbers_of_another_kind_have_a_shape_and_no_unit() -> None:
    for content in (
        b"time,relative_load\n" + times(COUNTS),
        b"hour_of_week,relative_load\n" + lines(*enumerate(COUNTS)),
        lines(COUNTS),
    ):
        found = read_demand(content, "UTC")
        assert found.week == pytest.approx(COUNTS)
        assert found.requests is found.peak_requests_per_s is found.busiest_requests_per_s is None


def test_a_day_is_taken_for_every_day() -> None:
    day = range(24)
    for content in (lines(day), lines(("hour", "requests"), *enumerate(day))):
        found = read_demand(content, "UTC")
        assert (found.week.reshape(7, 24) == np.arange(24)).all()
        assert "all days" in found.notes[0]


def test_hours_without_a_line_had_no_request_unless_others_have_a_zero() -> None:
    quiet = read_demand(lines((MONDAY, 6), (MONDAY + HOUR, 3), (MONDAY + 3 * HOUR, 5)), "UTC")
    assert quiet.week[:4].tolist() == [6, 3, 0, 5]
    assert quiet.hours_seen == 4
    assert quiet.notes[0].endswith("last: 1; as none is 0, nothing was asked then.")
    told = read_demand(lines((MONDAY, 6), (MONDAY + HOUR, 0), (MONDAY + 3 * HOUR, 5)), "UTC")
    assert told.hours_seen == 3
    assert told.week[2] == pytest.approx(11 / 3)  # the mean of all: no other day has that hour
    assert "left out" in told.notes[0]


def test_weeks_are_averaged() -> None:
    week = 168 * HOUR
    rows = [(MONDAY + i * week + j * HOUR, 10 * i + j) for i in range(3) for j in range(168)]
    found = read_demand(lines(("time", "requests"), *rows), "UTC")
    assert found.week == pytest.approx(10 + np.arange(168))
    assert found.busiest_requests_per_s == pytest.approx(187 / 3600)


@pytest.mark.parametrize(
    ("day", "hours"), [("2026-10-25", 25), ("2026-03-29", 23)], ids=["back", "forward"]
)
@pytest.mark.parametrize("has_offset", [True, False])
def test_counts_over_a_change_of_clocks(day: str, hours: int, has_offset: bool) -> None:
    """Sixty an hour all day: the hour that comes twice is no busier, the one skipped is unseen."""
    berlin = ZoneInfo("Europe/Berlin")
    midnight = datetime.datetime.fromisoformat(day).replace(tzinfo=berlin).timestamp()
    moments = [datetime.datetime.fromtimestamp(midnight + 3600 * i, berlin) for i in range(hours)]
    rows = [(moment if has_offset else naive(moment), 60) for moment in moments]
    found = read_demand(lines(("time", "count"), *rows), "Europe/Berlin")
    assert found.week[6 * 24 :] == pytest.approx(60)
    assert found.hours_seen == min(hours, 24)
    assert found.requests == 60 * hours


@given(counts=counts)
def test_counts_come_back_as_the_week_that_they_were(counts: list[int]) -> None:
    hours = times([*counts])
    assert read_demand(b"time,count\n" + hours, "UTC").week == pytest.approx(counts, abs=1e-6)


@given(counts=counts, zone=st.sampled_from(["Asia/Tokyo", "America/Denver", "Asia/Kolkata"]))
def test_another_clock_turns_the_week(counts: list[int], zone: str) -> None:
    hours = {"Asia/Tokyo": 9, "America/Denver": -7, "Asia/Kolkata": 5.5}[zone]
    content = b"time,count\n" + times(counts)
    turned = turned_week(read_demand(content, "UTC").week, hours)
    assert read_demand(content, zone).week == pytest.approx(turned, abs=1e-6)


@given(counts=counts, factor=st.integers(1, 1000))
def test_more_requests_in_the_same_proportions_are_the_same_shape(
    counts: list[int], factor: int
) -> None:
    once, more = (
        read_demand(b"time,count\n" + times([scale * n for n in counts]), "UTC").week
        for scale in (1, factor)
    )
    assert more == pytest.approx(factor * once)


@given(hours=st.lists(st.integers(0, 167), min_size=2, max_size=60))
def test_a_log_and_its_counts_tell_the_same(hours: list[int]) -> None:
    """Requests at the middle of hours, with one at either end of the week."""
    moments = sorted([MONDAY, *(MONDAY + (hour + 0.5) * HOUR for hour in hours)])
    week = read_demand(lines(*((m,) for m in [*moments, MONDAY + 168 * HOUR])), "UTC").week
    expected = np.bincount([0, *hours], minlength=168)
    assert week == pytest.approx(expected)
