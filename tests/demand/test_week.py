"""The week of a scenario: its shape or its own, on the clock of its users."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hwplanner.demand.shapes import load_demand_shapes
from hwplanner.demand.week import demand_shape, turned_week, utc_offset_hours
from hwplanner.scenario import Scenario
from hwplanner.units import Array

WINTER, SUMMER = "2026-11-30", "2026-07-01"
SHAPES = load_demand_shapes()
weeks = arrays(float, 168, elements=st.floats(0, 1000))


def busiest_hour(time_zone: str, day: str = WINTER) -> int:
    """Hour of the week at which the chat trace peaks, on a clock."""
    scenario = Scenario(shape="azure_conv", time_zone=time_zone)
    return int(demand_shape(scenario, day).relative_load.argmax())


def test_in_utc_a_trace_stays_as_it_was_recorded() -> None:
    assert demand_shape(Scenario(shape="azure_conv"), WINTER) is SHAPES["azure_conv"]


@pytest.mark.parametrize(
    ("time_zone", "day", "hours"),
    [
        ("Europe/Berlin", WINTER, 1),
        ("Europe/Berlin", SUMMER, 2),
        ("America/Los_Angeles", WINTER, -8),
        ("Asia/Tokyo", WINTER, 9),
        ("Pacific/Auckland", WINTER, 13),  # summer there
    ],
)
def test_a_trace_peaks_later_on_clocks_further_east(time_zone: str, day: str, hours: int) -> None:
    assert utc_offset_hours(time_zone, day) == hours
    assert busiest_hour(time_zone, day) == (busiest_hour("UTC") + hours) % 168


def test_a_turned_trace_says_its_clock() -> None:
    of = {
        zone: demand_shape(Scenario(shape="azure_code", time_zone=zone), WINTER).clock
        for zone in ("Europe/Berlin", "Asia/Kolkata", "America/New_York", "UTC")
    }
    assert of == {
        "Europe/Berlin": "Europe/Berlin, UTC+1",
        "Asia/Kolkata": "Asia/Kolkata, UTC+5:30",
        "America/New_York": "America/New_York, UTC−5",
        "UTC": "UTC",
    }


def test_half_an_hour_makes_means_of_two_hours_and_still_peaks_at_one() -> None:
    utc = SHAPES["azure_conv"].relative_load
    turned = demand_shape(Scenario(shape="azure_conv", time_zone="Asia/Kolkata"), WINTER)
    # 6:00 in India is 0:30 UTC: half of hour 0 and half of hour 1
    half = (utc[0] + utc[1]) / 2
    all_halves = (utc + np.roll(utc, 1)) / 2
    assert turned.relative_load[6] == pytest.approx(half / all_halves.max())
    assert turned.relative_load.max() == 1
    assert not turned.relative_load.flags.writeable


@pytest.mark.parametrize("shape", ["flat", "office"])
def test_assumed_shapes_are_in_local_time_everywhere(shape: str) -> None:
    assert demand_shape(Scenario(shape=shape, time_zone="Asia/Tokyo"), WINTER) is SHAPES[shape]


def test_a_week_of_ones_own_peaks_at_one_and_is_not_turned() -> None:
    week = tuple(float(hour) for hour in range(168))
    shape = demand_shape(Scenario(shape="own", own_week=week, time_zone="Asia/Tokyo"), WINTER)
    assert shape.relative_load == pytest.approx(np.arange(168) / 167)
    assert shape.relative_load.max() == 1
    assert shape.clock == "local"
    assert shape.title == "Your own week"


def test_without_a_week_of_ones_own_demand_is_flat() -> None:
    assert demand_shape(Scenario(shape="own"), WINTER) is SHAPES["flat"]


def test_another_shape_leaves_ones_own_week_unused() -> None:
    scenario = Scenario(shape="office", own_week=(1.0,) * 168)
    assert demand_shape(scenario, WINTER) is SHAPES["office"]


def test_without_a_day_the_offset_is_not_known_and_hours_stay_in_utc() -> None:
    scenario = Scenario(shape="azure_conv", time_zone="Asia/Tokyo")
    assert demand_shape(scenario, "") is SHAPES["azure_conv"]


@given(week=weeks, hours=st.integers(-12, 14))
def test_to_another_clock_and_back_is_where_one_was(week: Array, hours: int) -> None:
    assert (turned_week(turned_week(week, hours), -hours) == week).all()


@given(week=weeks, quarters=st.integers(-48, 56))
def test_turning_keeps_the_demand_of_the_week(week: Array, quarters: int) -> None:
    turned = turned_week(week, quarters / 4)
    assert turned.sum() == pytest.approx(week.sum())
    assert turned.max() <= week.max() * (1 + 1e-12)
