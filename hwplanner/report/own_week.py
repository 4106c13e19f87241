"""A week of demand of one's own: what an uploaded file says, and the table that one edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hwplanner import wording
from hwplanner.demand.uploads import UploadedDemand
from hwplanner.links.tables import scaled_week
from hwplanner.report.chart_rows import DAYS
from hwplanner.report.tables import Column, Table, WeekRow
from hwplanner.scenario import MOST_LOAD, USERS, Scenario, controls
from hwplanner.serving.estimates import peak_requests_per_s
from hwplanner.units import HOURS_PER_DAY, HOURS_PER_WEEK, Array

PERCENT = 100
TENTHS = MOST_LOAD / PERCENT
TIME = "%H:%M"


def sentences(found: UploadedDemand, time_zone: str) -> tuple[str, ...]:
    """Say what was found in a file."""
    return (*_contents(found, time_zone), *_peaks(found), *found.notes)


def _contents(found: UploadedDemand, time_zone: str) -> tuple[str, ...]:
    seen = f"{found.hours_seen} of {HOURS_PER_WEEK} hours of the week are covered."
    if found.first is None or found.last is None:
        return (f"Read {wording.count(found.lines)} lines; {seen}",)
    what = f"{wording.count(found.lines)} counts"
    if found.requests is not None:
        what = f"{wording.count(found.requests)} requests"
    first, last = (
        f"{wording.day(moment.date())} {moment.strftime(TIME)}"
        for moment in (found.first, found.last)
    )
    return (f"{what} from {first} to {last} ({time_zone}); {seen}",)


def _peaks(found: UploadedDemand) -> tuple[str, ...]:
    busiest = int(found.week.argmax())
    when = f"{DAYS[busiest // HOURS_PER_DAY]} {busiest % HOURS_PER_DAY}:00"
    over_mean = wording.significant(float(found.week.max() / found.week.mean()))
    if found.peak_requests_per_s is None:
        return (f"The busiest hour is {when}, {over_mean} times the mean of the week.",)
    rate = wording.rate(found.peak_requests_per_s, "requests/s")
    said = [f"The busiest hour is {when} with {rate}, {over_mean} times the mean of the week."]
    busiest_rate = found.busiest_requests_per_s
    if busiest_rate is not None and busiest_rate > found.peak_requests_per_s * 1.005:
        said.append(
            f"The busiest single hour had {wording.rate(busiest_rate, 'requests/s')}; the plan is "
            "made for the mean week, so leave headroom for it."
        )
    if found.minute_over_hour is not None:
        said.append(
            f"The busiest minute had {wording.significant(found.minute_over_hour)} times the "
            "requests of its hour."
        )
    return tuple(said)


def matching_users(scenario: Scenario, requests_per_s: float) -> int | None:
    """Fewest users that can be chosen and ask so often in the busiest hour; None if too many."""
    of_a_user = peak_requests_per_s(scenario) / scenario.users
    return next((users for users in USERS if users * of_a_user >= requests_per_s), None)


def users_offer(scenario: Scenario, users: int) -> str:
    """Say what choosing so many users means, short enough for a phone."""
    rate = peak_requests_per_s(scenario) / scenario.users * users
    return f"Set users at once to {wording.count(users)} ({wording.rate(rate, 'requests/s')})"


def matching_burst(minute_over_hour: float) -> float:
    """Burst factor that an input can hold, in tenths."""
    low, high = controls()["burst_factor"].bounds or (1.0, 1.0)
    return float(np.clip(round(minute_over_hour, 1), low, high))


def editor_columns(relative_load: Array) -> dict[str, list[object]]:
    """Table to edit: 24 hours by 7 days, in percent of the busiest hour, to tenths."""
    percent = np.round(relative_load * MOST_LOAD) / TENTHS
    by_day = percent.reshape(len(DAYS), HOURS_PER_DAY)
    hours: list[object] = [f"{hour}:00" for hour in range(HOURS_PER_DAY)]
    return {"Hour": hours} | {
        day: list(loads) for day, loads in zip(DAYS, by_day.tolist(), strict=True)
    }


def edited_week(columns: Mapping[str, Sequence[object]]) -> tuple[float, ...]:
    """Week of an edited table, in any unit, as a scenario holds it.

    Raises
    ------
    ValueError
        When a cell is no number from 0 on, or all are 0; the message says which.
    """
    loads = []
    for day in DAYS:
        for hour, value in enumerate(columns[day]):
            if not isinstance(value, (int, float)) or not np.isfinite(value) or value < 0:
                raise ValueError(f"{day} {hour}:00 has no number of 0 or more; write one")
            loads.append(float(value))
    if not any(loads):
        raise ValueError("Every hour is 0; one must have demand")
    return scaled_week(loads)


def week_table(found: UploadedDemand) -> Table:
    """Mean week of a file, in the form of a file that can be uploaded again."""
    label = "Requests" if found.are_requests else "Demand"
    days = found.week.reshape(len(DAYS), HOURS_PER_DAY).tolist()
    return Table(
        key="uploaded_week",
        title="Mean week of the file",
        columns=(Column("weekday", "Weekday"), Column("hour", "Hour"), Column("demand", label)),
        rows=tuple(
            {"weekday": day, "hour": hour, "demand": load}
            for day, loads in zip(DAYS, days, strict=True)
            for hour, load in enumerate(loads)
        ),
    )


def week_rows(found: UploadedDemand) -> tuple[WeekRow, ...]:
    """Demand of each hour over that of the busiest, to draw. [share]"""
    days = (found.week / found.week.max()).reshape(len(DAYS), HOURS_PER_DAY).tolist()
    return tuple(WeekRow(day, tuple(loads)) for day, loads in zip(DAYS, days, strict=True))
