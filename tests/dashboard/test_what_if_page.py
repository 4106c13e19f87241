"""The What if page: its finding, its figures, and cases that are drawn when asked for."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.test_frame import APP, html

DRAW = "Draw 10,000 cases"


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60)
    for key, text in query.items():
        app.query_params[key] = text
    app.run()
    return app.switch_page("dashboard/pages/what_if.py").run()


def draw(app: AppTest) -> AppTest:
    (button,) = (button for button in app.button if button.label == DRAW)
    return button.click().run()


def charts(app: AppTest) -> list[str]:
    """Titles of the figures on the page."""
    return [chart.proto.figure.spec for chart in app.get("plotly_chart")]


def test_the_page_opens_with_what_flips_the_answer() -> None:
    app = opened()
    assert not app.exception
    shown = html(app)
    assert "costs least unless" in shown
    assert "The cost moves most with" in shown
    assert "Break-even" in shown
    assert "hp-error" not in shown
    assert len(app.get("plotly_chart")) == 4


def test_cases_are_drawn_when_asked_for_and_belong_to_their_inputs() -> None:
    app = opened()
    assert "10,000 cases" not in html(app)
    app = draw(app)
    assert not app.exception
    assert "of 10,000 cases" in html(app)
    assert len(app.get("plotly_chart")) == 5
    # Other inputs put them aside, the same inputs bring them back.
    app.select_slider(key="users").set_value(256).run()
    assert "drawn for other inputs" in html(app)
    assert len(app.get("plotly_chart")) == 4
    app.select_slider(key="users").set_value(128).run()
    assert "of 10,000 cases" in html(app)
    assert "drawn for other inputs" not in html(app)


@pytest.mark.parametrize(
    "query",
    [
        {"runs": "0"},
        {"market": "reserved_1y", "growth": "3"},
        {"market": "scale_to_zero"},
        {"tpot": "5"},
        {"devices": "amd-mi300x"},
        {"colo": "180"},
        {"schedule": "continuous"},
    ],
    ids=str,
)
def test_every_kind_of_plan_has_its_page(query: dict[str, str]) -> None:
    app = draw(opened(**query))
    assert not app.exception
    shown = html(app)
    assert "hp-error" not in shown
    assert "nan" not in shown


def test_without_a_plan_the_page_says_why() -> None:
    app = opened(params="2000", devices="nvidia-l4")
    assert not app.exception
    assert "No plan yet" in html(app)
    assert not app.get("plotly_chart")
