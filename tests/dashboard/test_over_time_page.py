"""The page of the months: what it says with and without growth, with nothing to say, and files."""

import re

import pytest

from hwplanner.links.link import read_link
from tests.dashboard.test_frame import html
from tests.dashboard.test_power_and_software import page, text


def test_steady_demand_says_how_to_see_it_grow() -> None:
    app = page("over_time")
    assert not app.exception
    said = text(app)
    assert "Serving costs more than training from the first month" in said
    assert "Nothing changes from month to month" in said
    assert "Set Growth under Demand" in said
    assert "Every month" in said
    assert "Net present value over 36 months" in said


def test_growth_shows_the_cost_of_tokens_and_the_fleet_of_years() -> None:
    app = page("over_time", {"v": ["2"], "growth": ["5"]})
    assert not app.exception
    said = text(app)
    assert "Nothing changes" not in said
    assert "in the first month and" in said
    assert "Month 36" in said


@pytest.mark.parametrize(
    "query",
    [
        {"runs": ["0"], "growth": ["10"], "horizon": ["120"], "shape": ["flat"]},
        {"growth": ["-20"], "market": ["reserved_3y"], "trend": ["-60"]},
        {"method": ["pretrain"], "tokens": ["20M"], "horizon": ["18"]},
    ],
)
def test_the_page_stands_whatever_is_asked(query: dict[str, list[str]]) -> None:
    query = {"v": ["2"], **query}
    assert read_link(query).notes == ()
    app = page("over_time", query)
    assert not app.exception
    assert "hp-error" not in html(app)
    assert not re.search(r"\b(nan|inf|None)\b", text(app))


def test_without_a_plan_the_page_says_why() -> None:
    app = page("over_time", {"v": ["2"], "devices": ["cerebras-wse3"]})
    assert not app.exception
    assert "hp-error" not in html(app)
    assert "No plan yet" in text(app)


def test_every_table_can_be_taken_away() -> None:
    app = page("over_time", {"v": ["2"], "growth": ["5"]})
    keys = {button.key for button in app.get("download_button")}
    assert {"job_spend_csv", "unit_cost_csv", "crossing_csv", "fleet_csv"} <= keys
    assert {"cash_by_month_csv", "worth_csv"} <= keys


def test_a_number_can_be_opened() -> None:
    app = page("over_time")
    app.pills(key="open_number").set_value("Serving as much as a run computes").run()
    assert not app.exception
    assert "arXiv 2401.00448" in text(app)
    assert "time in which serving costs as much as a run" in text(app)
