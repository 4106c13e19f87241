"""Figures of the months: both jobs' cost so far, the cost of tokens, cash by option."""

from __future__ import annotations

import pytest

from dashboard.figures import cash, job_spend, months, unit_cost
from dashboard.figures.palette import LIGHT
from tests.dashboard.examples import (
    CASH,
    FRAME,
    JOB_SPEND,
    UNIT_COST,
    cash_row,
    shown,
    trace,
)


def test_jobs_keep_their_colours_and_the_crossing_is_ringed() -> None:
    # 500 m² = 10,000 m at m = 20.
    fig = job_spend.figure(JOB_SPEND, FRAME, crossing_months=20.0)
    assert trace(fig, name="serving").line.color == LIGHT.serving
    assert tuple(trace(fig, name="training").y) == JOB_SPEND[1].usd
    ring = trace(fig, mode="markers")
    assert (ring.x[0], ring.y[0]) == pytest.approx((20, 200_000))
    assert "serving has cost<br>more from <b>month 21</b>" in shown(fig)
    assert "$648k" in shown(fig)


def test_jobs_that_do_not_cross_have_no_ring() -> None:
    fig = job_spend.figure(JOB_SPEND, FRAME)
    assert [line.mode for line in fig.data] == ["lines", "lines"]
    assert "cross" not in job_spend.alt_text(JOB_SPEND)


def test_months_that_buy_are_told_from_those_that_rent_more() -> None:
    fig = unit_cost.figure(UNIT_COST, FRAME)
    rented, bought = (part for part in fig.data if part.mode == "markers")
    assert list(bought.x) == [4]
    assert bought.marker.color == LIGHT.chosen
    assert list(rented.x) == [9, 18, 27, 36]
    assert "+8 devices<br>month 4" in shown(fig)
    assert "$3.00 in the first month" in shown(fig)
    assert "8 devices bought in month 4" in unit_cost.alt_text(UNIT_COST)


def test_a_cost_that_never_steps_has_no_key() -> None:
    steady = [row for row in UNIT_COST if row.month < 4]
    assert "■" not in shown(unit_cost.figure(steady, FRAME))


def test_bars_of_cash_share_one_scale_and_purchases_stand_apart() -> None:
    fig = cash.figure(CASH, FRAME)
    bars, purchases = fig.data
    assert len(bars.x) == 3 * 36
    tallest = min(bars.y)
    assert bars.y[0] / tallest == pytest.approx(13.2 / 31.4)
    assert list(purchases.x) == [1, 30, 1]
    words = shown(fig)
    for said in ("$286k", "$40k", "$412k", "$326k in 2 purchases", "$31.4k a month"):
        assert said in words
    chosen = [color for color, month in zip(bars.marker.color, bars.x, strict=True) if month == 1]
    assert chosen.count(LIGHT.chosen) == 1


def test_of_many_purchases_the_largest_keep_their_labels() -> None:
    row = cash_row("Own", "chosen", {month: 1000.0 * month for month in range(1, 37)}, 1.0)
    labels = [
        a.text for a in cash.figure([row], FRAME).layout.annotations if a.text.startswith("$")
    ]
    assert labels[0] == "$36k"
    assert len(labels) == 5  # a fifth of 36 months apart: 36, 28, 20, 12, 4
    assert "$2,800" not in labels


def test_data_of_cash_sums_its_parts() -> None:
    table = cash.data_table(CASH)
    assert len(table.rows) == 3 * 36
    first, *_, last = table.rows[:36]
    assert first["cash"] == first["purchases"] + first["rent"] == 299_200
    assert last["so_far"] == pytest.approx(286_000 + 40_000 + 36 * 13_200)


@pytest.mark.parametrize(
    ("length", "start", "ticks"),
    [
        (36, 0, [0, 12, 24, 36]),
        (36, 1, [1, 12, 24, 36]),
        (12, 1, [1, 3, 6, 9, 12]),
        (120, 0, [0, 24, 48, 72, 96, 120]),
    ],
)
def test_few_months_are_marked(length: int, start: int, ticks: list[int]) -> None:
    axis = months.axis(length, start)
    assert axis["tickvals"] == ticks
    assert axis["ticktext"][-1] == f"month {ticks[-1]}"
