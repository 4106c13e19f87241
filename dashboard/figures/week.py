"""Figure of the week: how busy the serving devices are in each of its hours."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures import base
from hwplanner import wording
from hwplanner.report.tables import Column, Table, WeekRow

TITLE = "How busy the serving devices are"
BUSY = "Busy share of capacity"
CELL_PX = 34


def figure(
    rows: Sequence[WeekRow], frame: base.Frame, *, title: str = TITLE, share: str = BUSY
) -> go.Figure:
    """Draw the share of every hour, of capacity or of another whole, from pale to full."""
    if not rows:
        return base.empty(frame, title=title, message=base.NO_DEMAND)
    colors = frame.palette.scale
    days = [base.safe(row.day, 12) for row in rows]
    squares = "".join(f'<span style="color:{color}">■</span>' for color in colors[1::2])
    full = max(1.0, *base.finite(busy for row in rows for busy in row.busy))
    return base.compose(
        frame,
        title=title,
        subtitle=[f"{share}: 0% {squares} {wording.percent(full)}"],
        traces=[
            dict(
                type="heatmap",
                z=[row.busy for row in rows],
                x=base.HOURS,
                y=days,
                zmin=0,
                zmax=full,
                colorscale=[[i / (len(colors) - 1), color] for i, color in enumerate(colors)],
                showscale=False,
                xgap=2,
                ygap=2,
                hovertemplate="%{y} %{x}:00<br>%{z:.0%}<extra></extra>",
            )
        ],
        plot_px=CELL_PX * len(rows),
        xaxis=dict(range=[-0.5, 23.5], showgrid=False, **base.HOUR_TICKS),
        yaxis=dict(autorange="reversed", type="category", showgrid=False),
        left=base.axis_px(days),
    )


def alt_text(rows: Sequence[WeekRow], *, title: str = TITLE, share: str = BUSY) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.day} at most {wording.percent(max(row.busy))} at {row.busy.index(max(row.busy))}:00"
        for row in rows
    ]
    return base.sentence(f"{title}, {share[0].lower()}{share[1:]} by day", facts)


def data_table(rows: Sequence[WeekRow]) -> Table:
    """List the busy share of every hour."""
    return Table(
        key="week",
        title=TITLE,
        columns=(
            Column("day", "Day"),
            *(Column(f"hour_{hour}", f"{hour}:00", "share") for hour in base.HOURS),
        ),
        rows=tuple(
            {"day": row.day, **{f"hour_{hour}": busy for hour, busy in enumerate(row.busy)}}
            for row in rows
        ),
    )
