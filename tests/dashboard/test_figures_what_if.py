"""Figures of the What if page: the tornado, break-even, and drawn cases."""

from dataclasses import replace

import pytest

from dashboard.figures import break_even, cases, tornado
from tests.dashboard.examples import CASES, CROSSINGS, CURVES, EFFECTS, FRAME, shown


def test_a_tornado_writes_both_ends_and_where_another_option_wins() -> None:
    fig = tornado.figure(EFFECTS, FRAME)
    text = shown(fig)
    assert "half <b>−31%</b>" in text
    assert "double <b>+44%</b>" in text
    assert "<i>half: renting everything wins</i>" in text
    assert "1 more input is in the table" in text


def test_bars_start_at_the_plan_and_point_to_what_they_do() -> None:
    bars = tornado.figure(EFFECTS, FRAME).data[0]
    assert bars.base == 0
    assert sorted(bars.x) == pytest.approx(sorted([0.6, -0.31, 0.44, -0.36, 0.4, -0.1, -0.2]))
    opacity = dict(zip(bars.x, bars.marker.opacity, strict=True))
    assert opacity[-0.31] < opacity[0.44] == 1


def test_a_bar_that_would_squeeze_the_others_runs_off_with_an_arrow() -> None:
    fig = tornado.figure(EFFECTS, FRAME)
    # The third largest effect is 0.4; beyond one and a half times that the bar ends.
    assert max(fig.data[0].x) == pytest.approx(1.5 * 0.4)
    (words,) = (text for text in fig.data[2].text if "+160%" in text)
    assert words.endswith("→")
    assert not any("→" in text for text in tornado.figure(EFFECTS[1:3], FRAME).data[2].text)


def test_two_ends_on_one_side_stand_opposite_the_larger_first() -> None:
    left, right = tornado.figure(EFFECTS[3:4], FRAME).data[1:]
    assert right.text is None or right.text == ()
    assert left.text == (" double <b>−20%</b>, half <b>−10%</b>",)
    assert (left.x, left.textposition) == ((0.0,), ("middle right",))


def test_at_most_twelve_inputs_are_drawn() -> None:
    many = [replace(EFFECTS[1], label=f"Input {place}") for place in range(20)]
    fig = tornado.figure(many, FRAME)
    assert len(fig.data[0].x) == 24
    assert "8 more inputs are in the table." in shown(fig)


def test_nothing_that_moves_is_said() -> None:
    fig = tornado.figure(EFFECTS[4:], FRAME)
    assert not fig.data
    assert "No input moves the cost" in shown(fig)


def test_the_table_holds_every_input_with_both_ends() -> None:
    rows = tornado.data_table(EFFECTS).rows
    assert [row["input"] for row in rows] == [effect.label for effect in EFFECTS]
    assert rows[1]["low_change"] == pytest.approx(-31)
    assert rows[4]["high"] == "1.6"


def test_break_even_rings_crossings_and_marks_the_plan() -> None:
    fig = break_even.figure(CURVES, FRAME, job="rent", planned=1.0, crossings=CROSSINGS)
    lines = [trace for trace in fig.data if trace.mode == "lines"]
    assert [line.line.dash for line in lines if line.name == "Rent everything"] == ["dash"]
    assert len(lines) == 3  # the one without a price is left out
    ring = fig.data[-1]
    assert (ring.x, ring.y) == ((0.8,), (420_000,))
    assert "<b>rents ×0.80</b>" in shown(fig)
    assert fig.layout.shapes[0].x0 == 1.0
    assert "planned" in shown(fig)


def test_users_stand_on_axes_of_equal_ratios() -> None:
    fig = break_even.figure(CURVES, FRAME, job="users", planned=1.0)
    assert (fig.layout.xaxis.type, fig.layout.yaxis.type) == ("log", "log")
    assert fig.layout.xaxis.range == pytest.approx((-0.60206, 0.60206))


def test_an_hour_that_is_hardly_worked_runs_off_the_axis() -> None:
    rows = [
        replace(CURVES[0], label="Owned", levels=(0.1, 1.0), usd=(11.0, 1.1)),
        replace(CURVES[1], label="Rented", levels=(0.1, 1.0), usd=(2.0, 2.0)),
    ]
    fig = break_even.figure(rows, FRAME, job="use")
    assert fig.layout.yaxis.range == pytest.approx((0, 2.6 * 2))
    assert "10%" in break_even.alt_text(rows, job="use")


def test_cases_show_their_band_and_how_often_they_win() -> None:
    fig = cases.figure(CASES, FRAME)
    text = shown(fig)
    assert "cheapest in 54% of the cases" in text
    assert "misses a target" in text
    band, dots = fig.data[0], fig.data[1]
    assert band.base == (330e3, 222e3, 6e5)
    assert dots.x == (456e3, 484e3, 9e5)
    assert cases.data_table(CASES).rows[1]["cheapest_share"] == 0.46
