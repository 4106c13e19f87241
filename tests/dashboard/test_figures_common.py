"""What every figure promises, whatever it shows."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dashboard.figures import base
from dashboard.figures.palette import DARK, LIGHT, palette
from tests.dashboard.examples import FIGURES, FRAME, TEXTS, Figure, renamed, shown, texts

HOSTILE = [
    "<script>alert(1)</script>",
    "<b>bold</b>",
    '<a href="x">y</a>',
    "%{x} <extra>",
    "x" * 500,
    "A ×<b>2" + "y" * 99,
]

every_figure = pytest.mark.parametrize(("rows", "draw"), FIGURES.values(), ids=FIGURES)
every_text = pytest.mark.parametrize(("rows", "alt_text", "data_table"), TEXTS.values(), ids=TEXTS)


@every_figure
@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_frame_of_every_figure(rows: Any, draw: Figure, colors: Any) -> None:
    fig = draw(rows, base.Frame("Support assistant", "30 Nov 2026", colors))
    layout = fig.layout
    assert 0 < len(layout.title.text) <= 42
    assert layout.showlegend is False
    assert layout.xaxis.fixedrange
    assert layout.yaxis.fixedrange
    assert isinstance(layout.height, int)
    assert layout.width is None
    assert layout.paper_bgcolor == colors.page
    assert "Support assistant · 30 Nov 2026 · estimated" in shown(fig)


@every_figure
def test_no_template_travels_with_a_figure(rows: Any, draw: Figure) -> None:
    assert len(draw(rows, FRAME).to_json()) < 12_000


@every_figure
@pytest.mark.parametrize("name", HOSTILE)
def test_texts_from_outside_are_never_markup(rows: Any, draw: Figure, name: str) -> None:
    fig = draw(renamed(rows, name), base.Frame(name, name, LIGHT))
    for text in texts(fig.to_plotly_json()):
        # What plotly reads as markup is ours alone.
        for tag in re.findall(r"</?(\w*)", text):
            assert tag in {"b", "i", "br", "span", "extra"}
        assert "<b>bold" not in text
        assert "%{x} <extra>" not in text
        assert len(text) < 400


@every_figure
def test_nothing_to_draw_says_what_to_do(rows: Any, draw: Figure) -> None:
    fig = draw([], FRAME)
    assert not fig.data
    words = fig.layout.annotations[0].text
    assert re.match(r"(No|There is no) ", words)
    assert fig.layout.title.text == draw(rows, FRAME).layout.title.text


@every_text
def test_alt_text_is_one_sentence(rows: Any, alt_text: Any, data_table: Any) -> None:
    sentence = alt_text(rows)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert "nan" not in sentence
    assert alt_text([]).endswith("nothing to show.")


@every_text
def test_data_has_a_cell_for_every_column(rows: Any, alt_text: Any, data_table: Any) -> None:
    table = data_table(rows)
    names = {column.name for column in table.columns}
    assert len(names) == len(table.columns)
    assert table.rows
    assert all(row.keys() == names for row in table.rows)
    assert data_table([]).rows == ()


def test_side_by_side_figures_get_one_height() -> None:
    low = base.empty(FRAME, title="Low", message="No row.")
    rows, draw = FIGURES["memory"]
    high = draw(rows, FRAME)
    base.level(low, high)
    assert low.layout.height == high.layout.height == draw(rows, FRAME).layout.height


def test_a_long_title_and_scenario_name_are_cut() -> None:
    frame = base.Frame("A name that somebody typed without ever thinking of charts", "today", LIGHT)
    fig = base.empty(frame, title="word " * 20, message="No row.")
    assert len(fig.layout.title.text) <= 42
    assert "A name that somebody typed without… · today" in shown(fig)


def test_theme_of_the_browser_chooses_the_colours() -> None:
    assert palette("dark") is DARK
    assert palette("light") is palette(None) is LIGHT


@pytest.mark.parametrize(
    ("high", "expected"),
    [
        (2.9, [0, 0.5, 1, 1.5, 2, 2.5]),
        (80, [0, 20, 40, 60]),
        (1.2e6, [0, 2e5, 4e5, 6e5, 8e5, 1e6]),
        (0, [0]),
    ],
)
def test_steps_are_round(high: float, expected: list[float]) -> None:
    assert base.steps(high) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.09, 1.1, [0.1, 0.2, 0.5, 1]),
        (0.07, 30, [0.1, 0.3, 1, 3, 10, 30]),
        (1, 1e6, [1, 100, 1e4, 1e6]),
    ],
)
def test_steps_of_a_logarithmic_axis(low: float, high: float, expected: list[float]) -> None:
    assert base.decades(low, high) == pytest.approx(expected)
