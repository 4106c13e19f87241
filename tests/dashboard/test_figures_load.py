"""The figure of latency against load, and the part of the Speed page that shows it."""

from __future__ import annotations

from dataclasses import replace

from streamlit.testing.v1 import AppTest

from dashboard.figures import load
from tests.dashboard.examples import FRAME, LOAD, shown, trace
from tests.dashboard.test_frame import html, opened

(ROW,) = LOAD


def speed(**query: str) -> AppTest:
    """Open the Speed page at a query, all groups of the sidebar shut."""
    app = opened({key: [text] for key, text in query.items()})
    return app.switch_page("dashboard/pages/speed.py").run()


def test_lines_are_the_rows_and_the_ring_is_the_plan() -> None:
    fig = load.figure(LOAD, FRAME)
    for name, words in load.LINES.items():
        assert tuple(trace(fig, name=words).y) == ROW.lines_ms[name]
    ring = trace(fig, mode="markers")
    assert (ring.x[0], ring.y[0]) == (0.6, 36)
    assert "at 60%" in shown(fig)
    assert "target 40" in shown(fig)


def test_past_saturation_there_is_no_ring_and_the_figure_says_why() -> None:
    fig = load.figure([replace(ROW, planned=1.3, planned_ms=float("nan"))], FRAME)
    assert not [part for part in fig.data if part.mode == "markers"]
    words = shown(fig).replace("<br>", " ")
    assert "Past saturation: the demand asked for is 130% of the most" in words


def test_load_from_which_tails_are_unsure_is_shaded_and_marked_in_the_data() -> None:
    shades = [shape for shape in load.figure(LOAD, FRAME).layout.shapes if shape.type == "rect"]
    assert (shades[-1].x0, shades[-1].x1) == (0.85, 1.0)
    rows = load.data_table(LOAD).rows
    assert [row["load"] for row in rows if row["unsure"]] == [0.9, 0.95]


def test_speed_page_shows_percentiles_of_every_device() -> None:
    app = speed()
    assert not app.exception
    words = html(app)
    assert "Under load" in words
    assert "99 in 100" in words
    assert "Both targets hold" in words
    assert "past saturation" not in words
    assert "First token for 99 in 100" in str(app.get("button_group"))


def test_speed_page_says_past_saturation_in_words_and_prints_no_time() -> None:
    app = speed(surge="1000")
    assert not app.exception
    words = html(app)
    assert "past saturation" in words
    assert "waits grow without end" in words
    assert "half " not in words.partition("Under load")[2]
    assert "First token for 99 in 100" not in str(app.get("button_group"))


def test_speed_page_without_a_device_that_fits() -> None:
    app = speed(params="2000", weights="32-bit", devices="nvidia-l4")
    assert not app.exception
    assert "No compared device holds the model" in html(app)
