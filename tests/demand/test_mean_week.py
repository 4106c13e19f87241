"""Events sorted by the hour of a week, worked by hand."""

import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from hwplanner.demand.mean_week import MeanWeek, filled, mean_week
from hwplanner.units import Array

UTC, BERLIN = ZoneInfo("UTC"), ZoneInfo("Europe/Berlin")
HOUR, MINUTE = 3600, 60
MONDAY = datetime.datetime(2026, 11, 30, tzinfo=UTC).timestamp()
SUNDAY_HOUR_2 = 6 * 24 + 2


def log(*seconds: float, zone: ZoneInfo = UTC) -> MeanWeek:
    """Mean week of single events at times after Monday, 30 November 2026, 0:00 UTC."""
    times = MONDAY + np.sort(np.array(seconds, dtype=np.float64))
    return mean_week(times, np.ones(len(times)), zone=zone, length_seconds=0, gaps_are_quiet=True)


def seen(week: MeanWeek) -> dict[int, float]:
    return {hour: events for hour, events in enumerate(week.events) if np.isfinite(events)}


def test_hours_between_the_first_and_the_last_event_are_seen() -> None:
    week = log(0, 10, 20, 2 * HOUR, 3 * HOUR)
    # hour 3 was seen for no time at all, though an event begins it
    assert seen(week) == {0: 3, 1: 0, 2: 1}
    assert week.busiest_hour == 3


def test_an_edge_counts_from_half_an_hour_on_and_is_scaled() -> None:
    # 20 minutes of hour 0, all of hour 1, 45 minutes of hour 2 with 3 events
    week = log(40 * MINUTE, 90 * MINUTE, 125 * MINUTE, 126 * MINUTE, 165 * MINUTE)
    assert seen(week) == pytest.approx({1: 1, 2: 3 / 0.75})


def test_less_than_half_an_hour_is_too_little() -> None:
    with pytest.raises(ValueError, match="spans 29 min; at least half of one hour"):
        log(0, 29 * MINUTE)


def test_the_mean_is_over_the_weeks_that_saw_an_hour() -> None:
    week = 168 * HOUR
    once = [*range(0, HOUR, 60), HOUR]  # 60 events in hour 0, one at the beginning of hour 1
    again = [week, week + HOUR]
    found = log(*once, 2 * HOUR, 2 * 24 * HOUR, 4 * 24 * HOUR, *again)
    assert found.events[0] == (60 + 1) / 2
    assert found.events[1] == 1  # seen once: the second week ends as it begins
    assert found.busiest_hour == 60
    assert found.unrecorded_hours == 0


def test_a_week_without_any_event_was_not_recorded() -> None:
    week = 168 * HOUR
    found = log(0, HOUR, 10 * week, 10 * week + HOUR)
    assert seen(found) == {0: 1}
    # Of the slots between, the first of hour 1 is kept: its event lies at its beginning.
    assert found.unrecorded_hours == 10 * 168 - 1 - 0.25


def test_the_busiest_minute_is_held_against_its_hour() -> None:
    even = range(0, HOUR, MINUTE)  # one a minute
    burst = (10, 11, 12)
    week = log(*even, *burst, HOUR)
    assert week.minute_over_hour == pytest.approx(4 * 60 / 63)


@pytest.mark.parametrize(
    ("day", "hours"),
    [
        ("2026-10-25", 2),  # 3:00 is set back to 2:00, so the hour lasts twice as long
        ("2026-03-29", 0),  # 2:00 is set forward to 3:00
    ],
)
def test_an_event_a_minute_gives_sixty_an_hour_when_clocks_change(day: str, hours: int) -> None:
    begin = datetime.datetime.fromisoformat(day).replace(tzinfo=BERLIN)
    end = begin + datetime.timedelta(days=1)
    times = np.arange(begin.timestamp(), end.timestamp() + 1, MINUTE)
    assert len(times) == (24 + hours - 1) * 60 + 1
    week = mean_week(times, np.ones(len(times)), zone=BERLIN, length_seconds=0, gaps_are_quiet=True)
    sunday = week.events[6 * 24 :]
    assert np.isnan(week.events[: 6 * 24]).all()
    assert np.isnan(sunday[2]) == (hours == 0)
    assert np.delete(sunday, 2) == pytest.approx(60)
    if hours:
        assert sunday[2] == pytest.approx(60)


def test_counts_of_an_hour_are_spread_over_a_clock_half_an_hour_off() -> None:
    quarters = MONDAY + np.arange(0, HOUR, 900)
    week = mean_week(
        quarters,
        np.full(4, 10.0),
        zone=ZoneInfo("Asia/Kolkata"),
        length_seconds=900,
        gaps_are_quiet=True,
    )
    # 0:00 to 1:00 UTC are 5:30 to 6:30 there: half an hour of each, at 40 an hour
    assert seen(week) == {5: 40, 6: 40}


def monday_only() -> Array:
    week = np.full(168, np.nan)
    week[:24] = np.arange(24)
    return week


def test_hours_never_seen_take_the_same_hour_of_days_of_their_kind_first() -> None:
    week = monday_only()
    week[5 * 24 + 9] = 100.0  # Saturday 9:00
    full, ways = filled(week)
    assert (full[24:120].reshape(4, 24) == np.arange(24)).all()
    assert full[6 * 24 + 9] == 100  # Sunday 9:00 like Saturday
    assert full[5 * 24 + 10] == 10  # Saturday 10:00 like any day
    assert list(ways.values()) == [4 * 24 + 1, 2 * 23, 0]


def test_hours_of_the_day_that_no_day_has_seen_take_the_mean() -> None:
    week = np.full(168, np.nan)
    week[10], week[11] = 2.0, 4.0
    full, ways = filled(week)
    assert full[0] == full[167] == 3
    assert list(ways.values()) == [2 * 4, 2 * 2, 168 - 2 - 8 - 4]


def test_a_week_that_was_seen_whole_stays() -> None:
    week = np.arange(168.0)
    full, ways = filled(week)
    assert (full == week).all()
    assert not any(ways.values())
