"""Figure of the busiest day: demand under the line of the capacity, and the hours left free."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks
from hwplanner import wording
from hwplanner.report.tables import Column, DayRow, Table

TITLE = "Demand over a day against capacity"
PLOT_PX = 238
HEADROOM = 1.12
GUTTER_PX = 80


def figure(rows: Sequence[DayRow], frame: base.Frame) -> go.Figure:
    """Draw demand and capacity hour by hour; hours free for training are shaded."""
    if not rows:
        return base.empty(frame, title=TITLE, message=base.NO_DEMAND)
    palette = frame.palette
    hours = [row.hour for row in rows]
    demand = [row.demand_per_s for row in rows]
    capacity = [row.capacity_per_s for row in rows]
    free = sum(row.free_for_training for row in rows)
    low, upper = (
        [row.capacity_low_per_s for row in rows],
        [row.capacity_high_per_s for row in rows],
    )
    high = HEADROOM * max(base.finite([*demand, *upper]), default=0.0) or 1.0
    ticks = base.steps(high)
    said = [wording.significant(tick) for tick in ticks]
    tags = [
        marks.Tag(hours[-1], y, lines, color)
        for y, lines, color in (
            (capacity[-1], ["capacity", wording.significant(capacity[-1])], palette.ink),
            (
                demand[-1],
                ["<b>demand</b>", f"peak {wording.significant(max(demand))}"],
                palette.serving,
            ),
        )
    ]
    key = base.key({f"{free} h free to train": palette.training}) if free else []
    return base.compose(
        frame,
        title=TITLE,
        subtitle=[" ".join(["Requests/s. Band: 8 of 10 cases.", *key])],
        traces=[
            marks.band(hours, low, upper, palette.target),
            _line(hours, capacity, "capacity", palette.target, 2),
            _line(hours, demand, "demand", palette.serving, 3),
        ],
        plot_px=PLOT_PX,
        xaxis=dict(range=[hours[0], hours[-1]], **base.HOUR_TICKS),
        yaxis=dict(range=[0, high], tickvals=ticks, ticktext=said),
        annotations=marks.tags(
            tags, palette, x=(hours[0], hours[-1]), y=(0, high), plot_px=PLOT_PX
        ),
        shapes=marks.free_hours([row.free_for_training for row in rows], palette),
        left=base.axis_px(said),
        right=GUTTER_PX,
    )


def alt_text(rows: Sequence[DayRow]) -> str:
    """Say the figure in one sentence."""
    if not rows:
        return base.sentence(TITLE, [])
    peak = max(rows, key=lambda row: row.demand_per_s)
    facts = [
        f"demand peaks at {wording.rate(peak.demand_per_s, 'requests/s')} at {peak.hour}:00",
        f"capacity then is {wording.rate(peak.capacity_per_s, 'requests/s')}",
        f"{sum(row.free_for_training for row in rows)} hours are free for training",
    ]
    return base.sentence(TITLE, facts)


def data_table(rows: Sequence[DayRow]) -> Table:
    """List demand and capacity of every hour."""
    return Table(
        key="day",
        title=TITLE,
        columns=(
            Column("hour", "Hour", "h"),
            Column("demand_per_s", "Demand", "requests/s"),
            Column("capacity_low_per_s", "Capacity, 1 in 10 is lower", "requests/s"),
            Column("capacity_per_s", "Capacity", "requests/s"),
            Column("capacity_high_per_s", "Capacity, 1 in 10 is higher", "requests/s"),
            Column("free_for_training", "Free for training"),
        ),
        rows=tuple(
            {
                "hour": row.hour,
                "demand_per_s": row.demand_per_s,
                "capacity_low_per_s": row.capacity_low_per_s,
                "capacity_per_s": row.capacity_per_s,
                "capacity_high_per_s": row.capacity_high_per_s,
                "free_for_training": row.free_for_training,
            }
            for row in rows
        ),
    )


def _line(
    hours: Sequence[int], values: Sequence[float], name: str, color: str, width: float
) -> dict[str, Any]:
    return dict(
        type="scatter",
        mode="lines",
        name=name,
        x=hours,
        y=values,
        line=dict(color=color, width=width),
        hovertemplate="%{x}:00<br>%{y:,.3~r} requests/s<extra>%{fullData.name}</extra>",
    )
