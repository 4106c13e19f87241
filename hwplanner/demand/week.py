"""The week of demand that a scenario asks for, on the clock of its users."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from zoneinfo import ZoneInfo

import numpy as np

from hwplanner.demand.shapes import DemandShape, load_demand_shapes
from hwplanner.scenario import Scenario
from hwplanner.units import SECONDS_PER_HOUR, Array

WITHOUT_OWN_WEEK = "flat"


def demand_shape(scenario: Scenario, day: str) -> DemandShape:
    """Shape that a scenario chooses, or its own week; what was recorded in UTC is turned.

    Parameters
    ----------
    scenario
        Its choice, its own week and its time zone. Without a week of its own, demand is flat.
    day
        Day whose offset from UTC counts, YYYY-MM-DD: summer time moves a trace by an hour. Without
        one, hours stay in UTC.
    """
    if scenario.shape == "own" and scenario.own_week:
        return own_shape(scenario.own_week)
    name = WITHOUT_OWN_WEEK if scenario.shape == "own" else scenario.shape
    shape = load_demand_shapes()[name]
    if shape.clock != "UTC" or not day:
        return shape
    offset_hours = utc_offset_hours(scenario.time_zone, day)
    if not offset_hours:
        return shape
    turned = turned_week(shape.relative_load, offset_hours)
    return replace(
        shape,
        relative_load=_kept(turned / turned.max()),
        clock=f"{scenario.time_zone}, {_utc(offset_hours)}",
    )


def own_shape(week: tuple[float, ...]) -> DemandShape:
    """Week that was drawn or uploaded, in the local time of the users."""
    loads = np.asarray(week, dtype=np.float64)
    return DemandShape(
        title="Your own week",
        relative_load=_kept(loads / loads.max()),
        clock="local",
        source="drawn or uploaded by you",
        licence="yours",
        date="",
        note="",
    )


def utc_offset_hours(time_zone: str, day: str) -> float:
    """Hours that a clock is ahead of UTC at noon of a day. [h]

    Examples
    --------
    >>> utc_offset_hours("Europe/Berlin", "2026-07-01"), utc_offset_hours("UTC", "2026-07-01")
    (2.0, 0.0)
    """
    noon = datetime.datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=ZoneInfo(time_zone))
    offset = noon.utcoffset() or datetime.timedelta()
    return offset.total_seconds() / SECONDS_PER_HOUR


def turned_week(hours: Array, offset_hours: float) -> Array:
    """Mean of each local hour of a week whose hours are in UTC.

    Parameters
    ----------
    hours
        Demand of the hours from Monday 0:00 UTC. [(168,)]
    offset_hours
        Hours that the local clock is ahead of UTC. [h]

    Returns
    -------
    ndarray
        Demand of the hours from Monday 0:00 local time. An offset that is no whole number, as
        India's 5.5, makes each local hour a mean of the two that it overlaps. [(168,)]

    Examples
    --------
    >>> turned_week(np.array([0.0, 4.0, 8.0]), 1).tolist()
    [8.0, 0.0, 4.0]
    >>> turned_week(np.array([0.0, 4.0, 8.0]), 0.5).tolist()
    [4.0, 2.0, 6.0]
    """
    whole = math.floor(offset_hours)
    part = offset_hours - whole
    turned: Array = (1 - part) * np.roll(hours, whole) + part * np.roll(hours, whole + 1)
    return turned


def _kept(load: Array) -> Array:
    load.flags.writeable = False
    return load


def _utc(offset_hours: float) -> str:
    hours, minutes = divmod(round(abs(offset_hours) * 60), 60)
    sign = "+" if offset_hours > 0 else "\N{MINUS SIGN}"
    return f"UTC{sign}{hours}" + (f":{minutes:02d}" if minutes else "")
