"""Figures of utilization: how busy the week is, and the busiest day against the capacity."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks
from dashboard.figures.base import Frame
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.tables import Column, DayRow, Table, WeekRow

WEEK_TITLE = "How busy the serving devices are"
DAY_TITLE = "Demand over a day against capacity"
NO_DEMAND = "No demand to show. Set the users at once above zero."
CELL_PX = 34
DAY_PLOT_PX = 7 * CELL_PX
HOURS = [0, 6, 12, 18]


def week(rows: Sequence[WeekRow], frame: Frame) -> go.Figure:
    """Draw the busy share of every hour of the week, from pale to full."""
    if not rows:
        return base.empty(frame, title=WEEK_TITLE, message=NO_DEMAND)
    palette = frame.palette
    squares = "".join(f'<span style="color:{color}">■</span>' for color in palette.scale[1::2])
    top = max(1.0, *(busy for row in rows for busy in base.finite(row.busy)))
    return base.figure(
        frame,
        title=WEEK_TITLE,
        subtitle=[f"Busy share of capacity, local time: 0% {squares} {wording.percent(top)}"],
        traces=[
            dict(
                type="heatmap",
                z=[row.busy for row in rows],
                x=list(range(24)),
                y=[row.day for row in rows],
                zmin=0,
                zmax=top,
                colorscale=[
                    [i / (len(palette.scale) - 1), color] for i, color in enumerate(palette.scale)
                ],
                showscale=False,
                xgap=2,
                ygap=2,
                hovertemplate="%{y} %{x}:00<br>%{z:.0%} busy<extra></extra>",
            )
        ],
        plot_px=CELL_PX * len(rows),
        xaxis=dict(
            range=[-0.5, 23.5],
            showgrid=False,
            tickvals=HOURS,
            ticktext=[f"{hour}:00" for hour in HOURS],
        ),
        yaxis=dict(autorange="reversed", type="category", showgrid=False),
        left=44,
    )


def week_alt(rows: Sequence[WeekRow]) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.day} at most {wording.percent(max(row.busy))} at {row.busy.index(max(row.busy))}:00"
        for row in rows
    ]
    return base.sentence(f"{WEEK_TITLE}, share of capacity by day", facts)


def week_table(rows: Sequence[WeekRow]) -> Table:
    """List the busy share of every hour."""
    return Table(
        key="week",
        title=WEEK_TITLE,
        columns=(
            Column("day", "Day"),
            *(Column(f"hour_{hour}", f"{hour}:00", "share") for hour in range(24)),
        ),
        rows=tuple(
            {"day": row.day, **{f"hour_{hour}": busy for hour, busy in enumerate(row.busy)}}
            for row in rows
        ),
    )


def day(rows: Sequence[DayRow], frame: Frame) -> go.Figure:
    """Draw the demand of the busiest day under the line of the capacity, and the free hours."""
    if not rows:
        return base.empty(frame, title=DAY_TITLE, message=NO_DEMAND)
    palette = frame.palette
    hours = [row.hour for row in rows]
    high = 1.12 * (max(max(row.demand_per_s, row.capacity_per_s) for row in rows) or 1.0)
    free = sum(row.free_for_training for row in rows)
    ticks = base.steps(high)
    said = [wording.significant(tick) for tick in ticks]
    last, peak = rows[-1], max(rows, key=lambda row: row.demand_per_s)
    subtitle = ["Requests per second."]
    if free:
        subtitle = [f"Requests per second. {base.key({f'{free} h free to train': palette.training})[0]}"]
    return base.figure(
        frame,
        title=DAY_TITLE,
        subtitle=subtitle,
        traces=[
            _line(hours, [row.capacity_per_s for row in rows], "capacity", palette.target, 2),
            _line(hours, [row.demand_per_s for row in rows], "demand", palette.serving, 3),
        ],
        plot_px=DAY_PLOT_PX,
        xaxis=dict(
            range=[hours[0] - 0.5, hours[-1] + 0.5],
            tickvals=HOURS,
            ticktext=[f"{hour}:00" for hour in HOURS],
        ),
        yaxis=dict(range=[0, high], tickvals=ticks, ticktext=said),
        annotations=marks.tags(
            [
                marks.Tag(
                    last.hour + 0.5,
                    last.capacity_per_s,
                    ["capacity", wording.significant(last.capacity_per_s)],
                    palette.ink,
                ),
                marks.Tag(
                    last.hour + 0.5,
                    last.demand_per_s,
                    ["<b>demand</b>", f"peak {wording.significant(peak.demand_per_s)}"],
                    palette.serving,
                ),
            ],
            palette,
            x=(0, 23),
            y=(0, high),
            plot_px=DAY_PLOT_PX,
        ),
        shapes=_free_hours(rows, palette),
        left=base.axis_px(said),
        right=80,
    )


def day_alt(rows: Sequence[DayRow]) -> str:
    """Say the figure in one sentence."""
    if not rows:
        return base.sentence(DAY_TITLE, [])
    peak = max(rows, key=lambda row: row.demand_per_s)
    facts = [
        f"demand peaks at {wording.rate(peak.demand_per_s, 'requests/s')} at {peak.hour}:00",
        f"capacity then is {wording.rate(peak.capacity_per_s, 'requests/s')}",
        f"{sum(row.free_for_training for row in rows)} hours are free for training",
    ]
    return base.sentence(DAY_TITLE, facts)


def day_table(rows: Sequence[DayRow]) -> Table:
    """List demand and capacity of every hour."""
    return Table(
        key="day",
        title=DAY_TITLE,
        columns=(
            Column("hour", "Hour", "h"),
            Column("demand_per_s", "Demand", "requests/s"),
            Column("capacity_per_s", "Capacity", "requests/s"),
            Column("free_for_training", "Free for training"),
        ),
        rows=tuple(
            {
                "hour": row.hour,
                "demand_per_s": row.demand_per_s,
                "capacity_per_s": row.capacity_per_s,
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


def _free_hours(rows: Sequence[DayRow], palette: Palette) -> list[dict[str, Any]]:
    """Shade each run of hours in which serving leaves devices to training."""
    runs = (list(run) for free, run in groupby(rows, lambda row: row.free_for_training) if free)
    return [
        dict(
            type="rect",
            layer="below",
            x0=run[0].hour - 0.5,
            x1=run[-1].hour + 0.5,
            yref="paper",
            y0=0,
            y1=1,
            fillcolor=palette.training,
            opacity=0.16,
            line=dict(width=0),
        )
        for run in runs
    ]
