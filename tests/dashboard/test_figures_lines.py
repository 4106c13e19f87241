"""Spending, the frontier, scaling, the day and the week, and the catalogue's points."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.figures import catalogue, day, fleet, frontier, marks, scaling, spend, week
from dashboard.figures.palette import LIGHT
from tests.dashboard.examples import (
    CATALOGUE,
    DAY,
    FLEET,
    FRAME,
    FRONTIER,
    SCALING,
    SPEND,
    WEEK,
    frontier_row,
    shown,
    trace,
)


def test_lines_of_spending_are_the_rows() -> None:
    fig = spend.figure(SPEND, FRAME, break_even_month=15.5)
    chosen = trace(fig, name="Own serving, rent training")
    assert tuple(chosen.y) == SPEND[0].usd
    assert chosen.line.width > trace(fig, name="Rent everything").line.width
    assert trace(fig, name="Rent everything").line.dash == "dash"
    # Half way between months 15 and 16: 286,000 + 15.5 × 13,200.
    ring = trace(fig, mode="markers")
    assert (ring.x[0], ring.y[0]) == pytest.approx((15.5, 490_600))


def test_final_sums_stand_at_the_ends_and_what_cannot_be_done_is_named() -> None:
    words = shown(spend.figure(SPEND, FRAME)).replace("<br>", " ")
    # 286,000 + 36 × 13,200 = 761,200.
    assert "<b>$761k</b>" in words
    assert "misses target" in words
    assert "Not drawn: One L4 family does not fit." in words
    assert "cheaper than" not in words


def test_frontier_draws_the_rows_and_rings_the_plan() -> None:
    fig = frontier.figure(FRONTIER, FRAME, target_ms=40)
    chosen = trace(fig, name="NVIDIA H200 SXM 141GB ×2")
    assert tuple(chosen.x) == FRONTIER[0].tpot_ms
    assert tuple(chosen.y) == FRONTIER[0].tokens_per_s
    # 128 users at 13 + 128 × 0.2 = 38.6 ms a token.
    ring = trace(fig, mode="markers")
    assert (ring.x[0], ring.y[0]) == pytest.approx((38.6, 128_000 / 38.6))
    assert "<b>128 in flight</b>" in shown(fig)
    assert trace(fig, name="NVIDIA L40S ×4").line.dash == "dot"


def test_frontier_shades_the_side_that_misses() -> None:
    shade, line = frontier.figure(FRONTIER, FRAME, target_ms=40).layout.shapes
    assert (shade.x0, shade.x1) == (40, 80)
    assert (line.x0, line.x1) == (40, 40)


def test_frontier_names_what_has_no_line() -> None:
    note = shown(frontier.figure(FRONTIER, FRAME, target_ms=40)).replace("<br>", " ")
    assert "NVIDIA A2 ×8 misses the target; NVIDIA L4 ×8 does not fit." in note
    many = [frontier_row(f"D{i} ×1", "fine", 10, 0.3, None) for i in range(9)]
    assert "3 more lines are in the table." in shown(frontier.figure(many, FRAME, target_ms=40))


def test_frontier_that_nothing_reaches_says_so() -> None:
    fig = frontier.figure(FRONTIER[1:], FRAME, target_ms=5)
    assert not fig.data
    assert "No device answers within 10" in fig.layout.annotations[0].text


def test_scaling_draws_hours_and_the_target() -> None:
    fig = scaling.figure(SCALING, FRAME)
    assert tuple(trace(fig, name="NVIDIA H200 SXM").y) == SCALING[0].value
    # 900 h / 16 + 2 h.
    ring = trace(fig, mode="markers")
    assert (ring.x[0], ring.y[0]) == (16, 58.25)
    assert "<b>16 devices</b><br>58.2\N{NO-BREAK SPACE}h" in shown(fig)
    assert "target 72\N{NO-BREAK SPACE}h" in shown(fig)
    assert fig.layout.shapes[0].y0 == 72
    assert "Not drawn: NVIDIA L4 does not fit." in shown(fig)


def test_week_shows_every_hour_on_one_scale() -> None:
    [heat] = week.figure(WEEK, FRAME).data
    assert [tuple(busy) for busy in heat.z] == [row.busy for row in WEEK]
    assert (heat.zmin, heat.zmax) == (0, 1)
    overfull = [replace(WEEK[0], busy=(1.5,) * 24)]
    assert "150%" in shown(week.figure(overfull, FRAME))


def test_week_can_show_the_share_of_another_whole() -> None:
    words = {"title": "Mean week of the file", "share": "Share of the busiest hour"}
    assert "Share of the busiest hour: 0%" in shown(week.figure(WEEK, FRAME, **words))
    assert week.alt_text(WEEK, **words).startswith(
        "Mean week of the file, share of the busiest hour by day: Mon at most 90% at 7:00;"
    )


def test_fleet_draws_steps_the_line_of_what_is_owned_and_what_is_rented_above() -> None:
    fig = fleet.figure(FLEET, FRAME)
    assert list(trace(fig, name="needed").y) == [row.needed for row in FLEET]
    assert set(trace(fig, name="owned").y) == {8}
    [rented] = [part for part in fig.data if part.fill == "toself"]
    assert (min(rented.y), max(rented.y)) == (8, 12)
    # from 19:30 to midnight, as hours are drawn around their marks
    above = [x for x, y in zip(rented.x, rented.y, strict=True) if y == 12]
    assert (min(above), max(above)) == (19.5, 47.5)
    assert [(night.x0, night.x1) for night in fig.layout.shapes] == [(-0.5, 7.5), (23.5, 31.5)]
    words = shown(fig)
    assert "16 h free to train" in words
    assert "rented by the hour" in words
    assert "owned 8" in words
    assert "12 devices needed at most, Mon 20:00; 2 at least, Mon 0:00" in fleet.alt_text(FLEET)


def test_fleet_without_owned_devices_has_no_such_label() -> None:
    rented = shown(fleet.figure([replace(row, owned=0.0) for row in FLEET], FRAME))
    assert "owned 0" not in rented
    owned = shown(fleet.figure([replace(row, owned=12.0) for row in FLEET], FRAME))
    assert "rented by the hour" not in owned


def test_day_draws_demand_under_capacity_and_shades_free_hours() -> None:
    fig = day.figure(DAY, FRAME)
    assert list(trace(fig, name="demand").y) == [4 + 2 * hour for hour in range(24)]
    assert list(trace(fig, name="capacity").y) == [52] * 24
    [night] = fig.layout.shapes
    assert (night.x0, night.x1, night.fillcolor) == (-0.5, 6.5, LIGHT.training)
    assert "7 h free to train" in shown(fig)
    assert "peak 50" in shown(fig)


def test_catalogue_places_devices_and_names_those_without_a_place() -> None:
    fig = catalogue.figure(CATALOGUE, FRAME)
    others, compared, chosen = fig.data
    assert (chosen.x[0], chosen.y[0]) == (4.8, 989)
    assert sorted(compared.x) == [0.3, 5.3]
    assert list(others.text) == ["Intel Arc B580"]
    assert chosen.marker.symbol[0] != compared.marker.symbol[-1]
    words = shown(fig).replace("<br>", " ")
    assert "Beyond the right edge: Cerebras WSE-3." in words
    assert "Without a published figure: 1" in words
    [blank] = [r for r in catalogue.data_table(CATALOGUE).rows if r["vendor"] == "Tenstorrent"]
    assert blank["bf16_tflop_per_s"] is None


def test_labels_in_a_margin_keep_the_count_of_devices() -> None:
    space = "\N{NO-BREAK SPACE}"
    assert marks.gutter(f"AMD Instinct MI300X{space}×1") == [f"MI300X{space}×1"]
    assert marks.gutter(f"NVIDIA RTX PRO 6000 Blackwell Workstation{space}×16", strong=True) == [
        "<b>RTX PRO</b>",
        f"<b>6000…{space}×16</b>",
    ]
    assert marks.gutter("Option & more") == ["Option &amp; more"]


labels = st.lists(
    st.tuples(st.floats(-50, 400), st.sampled_from([18.0, 34.0, 50.0])), min_size=1, max_size=6
)


@given(labels=labels)
def test_labels_never_overlap_and_stay_in_the_plot(labels: list[tuple[float, float]]) -> None:
    centres, sizes = zip(*labels, strict=True)
    placed = marks.apart(centres, sizes, 330)
    edges = sorted((p - s / 2, p + s / 2) for p, s in zip(placed, sizes, strict=True))
    assert edges[0][0] >= -1e-6
    assert edges[-1][1] <= 330 + 1e-6
    assert all(
        after[0] >= before[1] - 1e-6 for before, after in zip(edges, edges[1:], strict=False)
    )


def test_labels_that_have_room_are_not_moved() -> None:
    assert marks.apart([100, 20, 300], [18, 18, 34], 330) == [100, 20, 300]


def test_labels_that_want_one_place_share_the_way() -> None:
    assert marks.apart([100, 100], [20, 20], 330) == [90, 110]


def test_a_place_between_two_points_of_a_line() -> None:
    assert marks.between([0, 10, 20], [0, 5, 25], 14) == 13
    assert marks.between([5, 10], [1, 2], 0) == 1
    assert marks.between([5, 10], [1, 2], 99) == 2
