"""Figure of both jobs: what each has cost so far, and where one overtakes the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks, months
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import Column, JobSpendRow, Table

TITLE = "Training and serving, cost so far"
PLOT_PX = 270
GUTTER_PX = 80


def figure(
    rows: Sequence[JobSpendRow], frame: base.Frame, *, crossing_months: float = 0
) -> go.Figure:
    """Draw what each job has cost so far.

    Parameters
    ----------
    rows
        One per job.
    frame
        Scenario, date and colours.
    crossing_months
        Time after which the job that costs more in the end does so; 0 if it does from the start.
    """
    if not rows:
        return base.empty(
            frame, title=TITLE, message="No way of paying has all its prices. Add one of your own."
        )
    palette = frame.palette
    last = rows[0].months[-1]
    high = 1.05 * max(base.finite(row.usd[-1] for row in rows), default=1.0) or 1.0
    ticks = base.steps(high)
    said = [wording.usd(tick) for tick in ticks]
    leader = max(rows, key=lambda row: row.usd[-1])
    rings = [_crossing(leader, crossing_months, palette)] if crossing_months else []
    return base.compose(
        frame,
        title=TITLE,
        subtitle=["US$; purchases are spread over their lives."],
        traces=[
            *(_line(row, palette) for row in rows),
            *(marks.ring(tag.x, tag.y, palette) for tag in rings),
        ],
        plot_px=PLOT_PX,
        xaxis=dict(range=[0, last], **months.axis(last)),
        yaxis=dict(range=[0, high], tickvals=ticks, ticktext=said),
        annotations=marks.tags(
            [*(_sum(row, palette) for row in rows), *rings],
            palette,
            x=(0, last),
            y=(0, high),
            plot_px=PLOT_PX,
        ),
        left=base.axis_px(said),
        right=GUTTER_PX,
    )


def alt_text(rows: Sequence[JobSpendRow], *, crossing_months: float = 0) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.job} {wording.usd(row.usd[-1])} after {row.months[-1]:g} months" for row in rows
    ]
    if rows and crossing_months:
        facts.append(f"the lines cross after {wording.significant(crossing_months)} months")
    return base.sentence(TITLE, facts)


def data_table(rows: Sequence[JobSpendRow]) -> Table:
    """List the numbers of the figure, one line per job and month."""
    return Table(
        key="job_spend",
        title=TITLE,
        columns=(
            Column("job", "Job"),
            Column("month", "After", "months"),
            Column("usd", "Cost so far", "USD"),
        ),
        rows=tuple(
            {"job": row.job, "month": month, "usd": usd}
            for row in rows
            for month, usd in zip(row.months, row.usd, strict=True)
        ),
    )


def _line(row: JobSpendRow, palette: Palette) -> dict[str, Any]:
    return dict(
        type="scatter",
        mode="lines",
        name=row.job,
        x=row.months,
        y=row.usd,
        line=dict(color=getattr(palette, row.job), width=3),
        hovertemplate="after %{x:.0f} months<br>$%{y:,.3~s}<extra>%{fullData.name}</extra>",
    )


def _sum(row: JobSpendRow, palette: Palette) -> marks.Tag:
    lines = [f"<b>{row.job}</b>", wording.usd(row.usd[-1])]
    return marks.Tag(row.months[-1], row.usd[-1], lines, getattr(palette, row.job))


def _crossing(leader: JobSpendRow, at: float, palette: Palette) -> marks.Tag:
    return marks.ring_tag(
        at,
        marks.between(leader.months, leader.usd, at),
        [f"{leader.job} has cost", f"more from <b>month {int(at) + 1}</b>"],
        palette,
        across=at / leader.months[-1],
    )
