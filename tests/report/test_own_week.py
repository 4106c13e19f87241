"""What an uploaded file says in sentences, and the table of a week to edit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hwplanner.demand.uploads import UploadedDemand, read_demand
from hwplanner.report.own_week import (
    edited_week,
    editor_columns,
    matching_burst,
    matching_users,
    sentences,
    users_offer,
    week_rows,
)
from hwplanner.scenario import Scenario
from hwplanner.units import Array
from hwplanner.wording import SPACE


def read(text: str, time_zone: str = "UTC") -> UploadedDemand:
    return read_demand(text.encode(), time_zone)


def said(found: UploadedDemand, time_zone: str = "UTC") -> list[str]:
    return [sentence.replace(SPACE, " ") for sentence in sentences(found, time_zone)]


def test_counts_at_times_are_described() -> None:
    rows = "".join(f"2026-11-{2 + h // 24:02} {h % 24:02}:00,{3600 + h}\n" for h in range(168))
    assert said(read(f"time,requests\n{rows}", "Europe/Berlin"), "Europe/Berlin") == [
        "618,828 requests from 2 Nov 2026 00:00 to 9 Nov 2026 00:00 (Europe/Berlin); 168 of 168 "
        "hours of the week are covered.",
        "The busiest hour is Sun 23:00 with 1.05 requests/s, 1.02 times the mean of the week.",
    ]


def test_a_single_hour_far_above_the_mean_week_is_told() -> None:
    week = 168 * 3600
    rows = "".join(
        f"{1793577600 + week * i + 3600 * h},{7200 if (i, h) == (1, 10) else 3600}\n"
        for i in range(2)
        for h in range(168)
    )
    busiest = said(read(f"time,requests\n{rows}"))[2]
    assert busiest.startswith("The busiest single hour had 2 requests/s; the plan is made for the")


def test_numbers_without_a_unit_have_no_rate() -> None:
    assert said(read("\n".join(map(str, range(168)))))[:2] == [
        "Read 168 lines; 168 of 168 hours of the week are covered.",
        "The busiest hour is Sun 23:00, 2 times the mean of the week.",
    ]


def test_the_busiest_minute_and_notes_follow() -> None:
    log = [f"2026-11-30 10:{m:02}:00" for m in range(60)] * 60 + ["2026-11-30 11:00:00"]
    words = said(read("\n".join(log)))
    assert "The busiest minute had 1 times the requests of its hour." in words
    assert any("167 of 168 hours of the week were never seen" in word for word in words)


def test_users_that_ask_as_often_as_the_file() -> None:
    scenario = Scenario(request_interval_seconds=20)
    # 2 requests a second take 40 users, which can be chosen; a little more takes the next choice.
    assert matching_users(scenario, 2.0) == 40
    assert matching_users(scenario, 2.01) == 48
    assert matching_users(scenario, 16384 / 20) == 16384
    assert matching_users(scenario, 820) is None
    offer = users_offer(scenario, 48).replace(SPACE, " ")
    assert offer == "Set users at once to 48 (2.4 requests/s)"


def test_bursts_are_held_within_the_input() -> None:
    assert [matching_burst(ratio) for ratio in (1.234, 0.99, 26.7)] == [1.2, 1.0, 6.0]


def test_the_table_has_hours_below_and_days_across() -> None:
    columns = editor_columns(np.arange(168) / 167)
    assert list(columns) == ["Hour", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert columns["Hour"][:2] == ["0:00", "1:00"]
    assert columns["Sun"][23] == 100
    assert columns["Mon"][1] == 0.6


@given(week=st.lists(st.integers(0, 999), min_size=167, max_size=167))
def test_a_table_that_nobody_edits_is_the_week_that_it_was(week: list[int]) -> None:
    own = tuple(float(load) for load in [*week, 1000])
    assert edited_week(editor_columns(np.array(own) / 1000)) == own


@given(week=arrays(float, 168, elements=st.floats(0.001, 1e6)), factor=st.floats(0.01, 100))
def test_any_unit_means_the_same_week(week: Array, factor: float) -> None:
    once, scaled = (edited_week({"Hour": [], **_by_day(scale * week)}) for scale in (1.0, factor))
    # a half of the last digit may round either way
    assert np.abs(np.subtract(once, scaled)).max() <= 1


def _by_day(week: Array) -> dict[str, list[float]]:
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    return dict(zip(days, week.reshape(7, 24).tolist(), strict=True))


@pytest.mark.parametrize("value", [None, "", -1.0, float("nan"), float("inf")])
def test_a_cell_without_demand_is_named(value: object) -> None:
    columns = editor_columns(np.ones(168))
    columns["Thu"][17] = value
    with pytest.raises(ValueError, match="Thu 17:00 has no number of 0 or more; write one"):
        edited_week(columns)


def test_a_table_of_zeros_is_no_week() -> None:
    with pytest.raises(ValueError, match="Every hour is 0"):
        edited_week(editor_columns(np.zeros(168)))


def test_rows_to_draw_are_shares_of_the_busiest_hour() -> None:
    rows = week_rows(read(",".join(map(str, range(168)))))
    assert rows[6].busy[23] == 1
    assert rows[0].busy[1] == pytest.approx(1 / 167)
    assert [row.day for row in rows] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
