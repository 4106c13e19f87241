"""Cost, memory and limits by device: bars with a name above each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dashboard.figures import cost, lanes, limits, memory
from dashboard.figures.palette import LIGHT
from hwplanner.report.tables import CostRow, MemoryRow
from hwplanner.units import Interval
from hwplanner.wording import SPACE
from tests.dashboard.examples import COST, FRAME, LIMIT, MEMORY, NAN, shown, trace


def test_bands_and_dots_are_the_costs_of_devices_that_do_the_job() -> None:
    fig = cost.figure(COST, FRAME)
    dots, bands = trace(fig, mode="markers"), trace(fig, type="bar")
    # Of the verdicts "chosen", "fine" and "misses", the cheaper first within each.
    assert list(dots.x) == [0.92, 1.04, 1.47, 1.12]
    assert list(bands.base) == [0.74, 0.71, 0.98, 0.80]
    assert [low + x for low, x in zip(bands.base, bands.x, strict=True)] == pytest.approx(
        [1.21, 1.58, 2.35, 1.71]
    )
    assert list(dots.marker.line.color) == [LIGHT.chosen, *[LIGHT.others] * 3]


def test_a_miss_is_hollow() -> None:
    dots = trace(cost.figure(COST, FRAME), mode="markers")
    assert list(dots.marker.color) == [LIGHT.chosen, LIGHT.others, LIGHT.others, LIGHT.page]


def test_devices_that_cannot_do_the_job_stand_last_with_their_reason() -> None:
    names = [label.text for label in cost.figure(COST, FRAME).layout.annotations]
    assert names[0] == f"<b>NVIDIA H200 SXM 141GB{SPACE}×2</b>   rented, 7 of 10 draws"
    assert names[3].endswith("<i>too slow, 74 ms a token</i>")
    assert names[4] == f"Apple M3 Ultra{SPACE}×1   <i>no price known</i>"
    assert names[5] == f"NVIDIA L4{SPACE}×8   <i>6.5 GiB short on 8 devices</i>"


def test_a_device_without_a_price_is_never_drawn_as_zero() -> None:
    unpriced = [CostRow("A ×1", "no_price", "", None), CostRow("B ×1", "fine", "", None)]
    fig = cost.figure(unpriced, FRAME)
    assert not fig.data
    assert "<i>has no price</i>" in shown(fig)
    not_a_number = CostRow("C ×1", "fine", "", Interval(NAN, NAN, NAN))
    assert not cost.figure([not_a_number], FRAME).data


def test_a_device_far_dearer_runs_off_the_axis_with_its_number() -> None:
    dear = CostRow("Dear ×1", "fine", "", Interval(30, 46, 60))
    fig = cost.figure([*COST, dear], FRAME)
    # It lies beyond five times the best cost, so the axis ends at the next dearest band.
    assert fig.layout.xaxis.range[1] == pytest.approx(2.35 * 1.24)
    assert " $46 →" in trace(fig, mode="text").text


@pytest.mark.parametrize("misses", [0, 3, 20])
def test_of_many_devices_the_best_are_shown_and_the_others_counted(misses: int) -> None:
    good = [CostRow(f"Good {i} ×1", "fine", "", Interval(i, i, i)) for i in range(30, 0, -1)]
    bad = [CostRow(f"Bad {i} ×1", "does_not_fit", "", None) for i in range(misses)]
    fig = cost.figure([*bad, *good], FRAME)
    names = [label.text for label in fig.layout.annotations if "×1" in label.text]
    assert len(names) == 8
    assert names[0].startswith("Good 1")
    assert sum(name.startswith("Bad") for name in names) == min(misses, 2)
    left = {0: "22 meet the target", 3: "24 meet the target, 1 does not fit"}
    rest = left.get(misses, "24 meet the target, 18 do not fit")
    assert f"Also in the table: {rest}." in shown(fig).replace("<br>", " ")


def test_parts_of_memory_are_stacked_in_order_up_to_the_usable_line() -> None:
    fig = memory.figure(MEMORY, FRAME)
    bars, usable = trace(fig, type="bar"), trace(fig, type="scatter", mode="markers")
    height = bars.y[0]
    pieces = [(b, x) for y, b, x in zip(bars.y, bars.base, bars.x, strict=True) if y == height]
    # Weights, cache, activations, overhead, and the free rest of 260 GiB.
    assert pieces == [(0, 66), (66, 80), (146, 5), (151, 6), (157, 103)]
    assert list(bars.marker.color[:4]) == [
        LIGHT.weights, LIGHT.kv_cache, LIGHT.activations, LIGHT.overhead,
    ]  # fmt: skip
    # 20,000 GiB lies beyond the axis: no line there.
    assert list(usable.x) == [260, 171.5]
    # 157 GiB are needed, 0.9 to 1.2 times as much in 8 of 10 cases.
    whisker = trace(fig, mode="lines+markers")
    assert list(whisker.x) == pytest.approx([141.3, 188.4, None])
    assert "needs 146 of 20,000\N{NO-BREAK SPACE}GiB" in shown(fig)


def test_what_does_not_fit_is_faded_and_says_why() -> None:
    fig = memory.figure(MEMORY, FRAME)
    opacity = trace(fig, type="bar").marker.opacity
    assert list(opacity[-2:]) == [memory.FADED, memory.FADED]
    assert "<i>6.5 GiB short</i>" in shown(fig)
    assert "<i>no software for this model</i>" in shown(fig)


def test_every_part_of_memory_is_named_once() -> None:
    key = memory.figure(MEMORY, FRAME).layout.annotations[-2].text
    assert [key.count(part) for part in ("weights", "KV cache", "activations", "overhead")] == [
        1, 1, 1, 1,
    ]  # fmt: skip
    assert "optimizer" not in key


def test_memory_without_known_parts_draws_no_bar() -> None:
    fig = memory.figure([MemoryRow("A ×1", "unsupported", "", {}, NAN)], FRAME)
    assert not fig.data
    assert "<i>is not supported</i>" in shown(fig)


def test_limits_fill_the_bar_and_narrow_shares_carry_no_number() -> None:
    fig = limits.figure(LIMIT, FRAME, device="NVIDIA H200 SXM 141GB ×2")
    bars, numbers = trace(fig, type="bar"), trace(fig, mode="text")
    assert list(bars.x) == [0.7, 0.1, 0.15, 0.05, 0.04, 0.9, 0.06]
    assert [b + x for b, x in zip(bars.base, bars.x, strict=True)][3] == pytest.approx(1)
    assert list(numbers.text) == ["70%", "10%", "15%", "90%"]
    assert "limited by <b>compute</b>" in shown(fig)
    assert fig.layout.title.text == f"What limits NVIDIA H200 SXM 141GB{SPACE}×2"


def test_a_long_device_keeps_its_count() -> None:
    label = "NVIDIA RTX PRO 6000 Blackwell Workstation ×16"
    assert lanes.device(label, 30) == f"NVIDIA RTX PRO 6000 Black…{SPACE}×16"
    assert lanes.device("NVIDIA L4 ×8", 30) == f"NVIDIA L4{SPACE}×8"


def test_a_long_reason_gets_a_line_of_its_own() -> None:
    reason = "needs 157 GiB on 4 devices, 85.6 GiB are usable"
    [name, *_] = cost.figure([replace(COST[4], reason=reason)], FRAME).layout.annotations
    assert name.text == f"NVIDIA L4{SPACE}×8<br><i>{reason}</i>"


def test_data_says_what_the_figure_shows() -> None:
    rows = cost.data_table(COST).rows
    assert rows[0]["typical_usd"] == 0.92
    assert rows[4]["typical_usd"] is None
    assert rows[4]["reason"] == "6.5 GiB short on 8 devices"
    needed = memory.data_table(MEMORY).rows[0]
    assert (needed["weights_gib"], needed["needed_gib"], needed["usable_gib"]) == (66, 157, 260)
    assert [column.unit for column in memory.data_table(MEMORY).columns[3:]] == ["GiB"] * 10


def test_sentences_for_screen_readers() -> None:
    assert cost.alt_text(COST[:1]).replace("\N{NO-BREAK SPACE}", " ") == (
        "Cost of serving, by device, US$ per 1M output tokens: "
        "NVIDIA H200 SXM 141GB ×2 $0.92, is chosen."
    )
    assert "NVIDIA L4 ×8 6.5 GiB short" in memory.alt_text(MEMORY)
    assert "needs 157\N{NO-BREAK SPACE}GiB of 260\N{NO-BREAK SPACE}GiB, most of it KV cache" in (
        memory.alt_text(MEMORY)
    )
    assert "limited by memory bandwidth, compute 4%" in limits.alt_text(LIMIT, device="H200")
