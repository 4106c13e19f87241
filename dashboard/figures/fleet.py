"""Figure of the week: devices that serving needs in each hour, over those that are owned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks
from hwplanner import wording
from hwplanner.report.tables import Column, FleetHourRow, Table
from hwplanner.units import HOURS_PER_DAY

TITLE = "Devices needed and owned over the week"
PLOT_PX = 190
HEADROOM = 1.15
GUTTER_PX = 88


def figure(rows: Sequence[FleetHourRow], frame: base.Frame) -> go.Figure:
    """Draw the steps of the devices needed, and the line of those owned."""
    if not rows:
        return base.empty(frame, title=TITLE, message=base.NO_DEMAND)
    palette = frame.palette
    hours, days = list(range(len(rows))), [base.safe(row.day, 12) for row in rows]
    needed, owned = [row.needed for row in rows], rows[0].owned
    free = sum(row.free_for_training for row in rows)
    high = HEADROOM * max(*needed, owned)
    ticks = [tick for tick in base.steps(high) if tick == round(tick)]
    said = [wording.count(tick) for tick in ticks]
    peak = [f"peak {wording.count(max(needed))}"]
    tags = [marks.Tag(hours[-1], needed[-1], ["<b>needed</b>", *peak], palette.serving)]
    if owned:
        line = [f"owned {wording.count(owned)}"]
        tags.append(marks.Tag(hours[-1], owned, line, palette.ink))
    keys = {"rented by the hour": palette.serving} if owned < max(needed) else {}
    if free:
        keys |= {f"{free} h free to train": palette.training}
    # Each hour is a step, from half an hour before its mark to half an hour after.
    edges = [edge for hour in hours for edge in (hour - 0.5, hour + 0.5)]
    rented = [max(devices, owned) for devices in needed for _ in range(2)]
    middays = range(HOURS_PER_DAY // 2, len(rows), HOURS_PER_DAY)
    return base.compose(
        frame,
        title=TITLE,
        subtitle=["Devices, in whole copies with headroom and spare.", *base.key(keys)],
        traces=[
            _line(hours, [owned] * len(rows), "owned", palette.target),
            marks.band(edges, [owned] * len(edges), rented, palette.serving),
            _line(hours, needed, "needed", palette.serving)
            | dict(
                hoverinfo=None,
                text=[f"{day} {row.hour}:00" for day, row in zip(days, rows, strict=True)],
                hovertemplate="%{text}<br>%{y:,.0f} devices needed<extra></extra>",
            ),
        ],
        plot_px=PLOT_PX,
        xaxis=dict(
            range=[-0.5, len(rows) - 0.5],
            showgrid=False,
            tickvals=list(middays),
            ticktext=[days[hour] for hour in middays],
        ),
        yaxis=dict(range=[0, high], tickvals=ticks, ticktext=said),
        annotations=marks.tags(
            tags, palette, x=(hours[0], hours[-1]), y=(0, high), plot_px=PLOT_PX
        ),
        shapes=marks.free_hours([row.free_for_training for row in rows], palette),
        left=base.axis_px(said),
        right=GUTTER_PX,
    )


def _line(hours: Sequence[int], values: Sequence[float], name: str, color: str) -> dict[str, Any]:
    return dict(
        type="scatter",
        mode="lines",
        name=name,
        x=hours,
        y=values,
        line=dict(color=color, width=2, shape="hvh"),
        hoverinfo="skip",
    )


def alt_text(rows: Sequence[FleetHourRow]) -> str:
    """Say the figure in one sentence."""
    if not rows:
        return base.sentence(TITLE, [])
    most, least = (choose(rows, key=lambda row: row.needed) for choose in (max, min))
    facts = [
        f"{wording.device_count(most.needed)} needed at most, {most.day} {most.hour}:00",
        f"{wording.count(least.needed)} at least, {least.day} {least.hour}:00",
        f"{wording.count(rows[0].owned)} owned",
        f"{sum(row.free_for_training for row in rows)} hours are free for training",
    ]
    return base.sentence(TITLE, facts)


def data_table(rows: Sequence[FleetHourRow]) -> Table:
    """List demand and devices of every hour."""
    return Table(
        key="fleet_week",
        title=TITLE,
        columns=(
            Column("day", "Weekday"),
            Column("hour", "Hour"),
            Column("requests_per_s", "Demand", "requests/s"),
            Column("needed", "Devices needed", "devices"),
            Column("owned", "Devices owned", "devices"),
            Column("free_for_training", "Free for training"),
        ),
        rows=tuple(
            {
                "day": row.day,
                "hour": row.hour,
                "requests_per_s": row.requests_per_s,
                "needed": row.needed,
                "owned": row.owned,
                "free_for_training": row.free_for_training,
            }
            for row in rows
        ),
    )
