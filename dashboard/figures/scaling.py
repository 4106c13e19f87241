"""Figure of scaling: how soon a run finishes on more devices of a kind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks, selection
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import Column, ScaleRow, Table

TITLE = "Time to finish against number of devices"
PLOT_PX = 330
LINES = 6
ROUND_HOURS = (1 / 12, 0.25, 1, 3, 10, 24, 72, 240, 720, 2400, 8760, 26280, 87600)
TICKS = 6
WORDS_SHARE = 0.15
"""Room over the highest line for the words at the ring, as a share of the height."""


def figure(rows: Sequence[ScaleRow], frame: base.Frame) -> go.Figure:
    """Draw the time of a run on axes on which equal steps are equal ratios."""
    order = selection.ranked(rows)
    visible = [row for row in order if _points(row)]
    if not visible:
        return base.empty(
            frame,
            title=TITLE,
            message="No device can do this run. Allow more devices or choose another method.",
        )
    palette = frame.palette
    drawn = visible[:LINES]
    target = drawn[0].target
    plan = _used(drawn[0])
    counts = sorted({number for row in drawn for number, _ in _points(row)})
    hours = [target, *(value for row in drawn for _, value in _points(row))]
    x = (math.log10(counts[0]) - 0.05, math.log10(counts[-1]) + 0.05)
    low, high = math.log10(min(hours)), math.log10(max(hours))
    y = (low - 0.15, high + 0.15 + WORDS_SHARE * (high - low))
    ticks = _few([tick for tick in ROUND_HOURS if y[0] <= math.log10(tick) <= y[1]])
    said = [wording.hours(tick) for tick in ticks]
    doublings = _few([n for n in counts if math.log2(n / counts[0]).is_integer()])
    tags = [
        *(_end_tag(row, palette) for row in drawn),
        marks.Tag(x[1], math.log10(target), [f"target {wording.hours(target)}"], palette.ink),
    ]
    if plan:
        tags.append(_plan_tag(plan, x, palette))
    return base.compose(
        frame,
        title=TITLE,
        subtitle=["Time of a run, log scale. Band: 8 of 10 cases."],
        traces=[
            *(_band(row, palette) for row in drawn if row.state == "chosen"),
            *(_curve(row, palette) for row in reversed(drawn)),
            *([marks.ring(*plan, palette)] if plan else []),
        ],
        plot_px=PLOT_PX,
        xaxis=dict(
            type="log",
            range=x,
            tickvals=doublings,
            ticktext=[wording.count(number) for number in doublings],
        ),
        yaxis=dict(type="log", range=y, tickvals=ticks, ticktext=said),
        annotations=marks.tags(tags, palette, x=x, y=y, plot_px=PLOT_PX),
        shapes=marks.missed("y", target, 10 ** y[1], palette),
        note=selection.absent(
            [row for row in order if row not in visible], crowded=len(visible) - len(drawn)
        ),
        left=base.axis_px(said),
        right=marks.GUTTER_PX,
    )


def alt_text(rows: Sequence[ScaleRow]) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {wording.hours(points[0][1])} on {points[0][0]:,} and "
        f"{wording.hours(points[-1][1])} on {points[-1][0]:,}"
        if (points := _points(row))
        else f"{row.label} {selection.verdict(row)}"
        for row in selection.ranked(rows)
    ]
    target = f", target {wording.hours(rows[0].target)}" if rows else ""
    return base.sentence(f"{TITLE}{target}", facts)


def data_table(rows: Sequence[ScaleRow]) -> Table:
    """List every point of every line."""
    return Table(
        key="scaling",
        title=TITLE,
        columns=(
            *selection.DEVICE_COLUMNS,
            Column("devices", "Devices", "devices"),
            Column("low_hours", "Low, 1 in 10 is faster", "h"),
            Column("hours", "Typical time of a run", "h"),
            Column("high_hours", "High, 1 in 10 is slower", "h"),
            Column("target_hours", "Target", "h"),
            Column("planned", "The plan uses this number"),
        ),
        rows=tuple(
            {
                **selection.device_cells(row),
                "devices": number,
                "low_hours": row.low[i],
                "hours": value,
                "high_hours": row.high[i],
                "target_hours": row.target,
                "planned": i == row.operating,
            }
            for row in rows
            for i, (number, value) in enumerate(zip(row.devices, row.value, strict=True))
        ),
    )


def _points(row: ScaleRow) -> list[tuple[int, float]]:
    """Keep the numbers of devices with which the run can be done. [devices, h]"""
    pairs = zip(row.devices, row.value, strict=True)
    return [(number, value) for number, value in pairs if math.isfinite(value) and value > 0]


def _band(row: ScaleRow, palette: Palette) -> dict[str, Any]:
    points = [
        (number, low, high)
        for number, low, high in zip(row.devices, row.low, row.high, strict=True)
        if math.isfinite(low + high)
    ]
    numbers, low, high = zip(*points, strict=True)
    return marks.band(numbers, low, high, palette.chosen)


def _used(row: ScaleRow) -> tuple[int, float] | None:
    """Find the number of devices that the plan uses, and the time. [devices, h]"""
    if row.state != "chosen" or row.operating is None:
        return None
    return row.devices[row.operating], row.value[row.operating]


def _few(ticks: Sequence[float]) -> list[float]:
    return list(ticks[:: math.ceil(len(ticks) / TICKS) or 1])


def _curve(row: ScaleRow, palette: Palette) -> dict[str, Any]:
    return dict(
        **marks.line(row, row.devices, row.value, palette),
        hovertemplate="%{x:,} devices<br>%{y:,.3~r} h<extra>%{fullData.name}</extra>",
    )


def _end_tag(row: ScaleRow, palette: Palette) -> marks.Tag:
    number, hours = _points(row)[-1]
    return marks.end_tag(row, math.log10(number), math.log10(hours), palette)


def _plan_tag(plan: tuple[int, float], x: tuple[float, float], palette: Palette) -> marks.Tag:
    number, hours = plan
    at = math.log10(number)
    return marks.ring_tag(
        at,
        math.log10(hours),
        [f"<b>{number:,} devices</b>", wording.hours(hours)],
        palette,
        across=(at - x[0]) / (x[1] - x[0]),
        falling=True,
    )
