"""Figure of the ways to pay for a job: what is due at all hours, and what by the hour."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures import base, lanes
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import Column, Table, WayRow
from hwplanner.scenario import Job

TITLES: dict[Job, str] = {
    "serving": "Ways to pay for serving",
    "training": "Ways to pay for training",
}
OFF_SCALE = 4
"""A cost beyond this multiple of the least runs off the axis."""


def figure(rows: Sequence[WayRow], frame: base.Frame, *, job: Job) -> go.Figure:
    """Draw a bar for each way, the cheapest first."""
    priced = [row for row in rows if not math.isnan(_usd(row))]
    if not priced:
        return base.empty(
            frame,
            title=TITLES[job],
            message="No way of paying has a price. Add one of your own on the Prices page.",
        )
    palette = frame.palette
    end = 1.04 * min(max(map(_usd, priced)), OFF_SCALE * min(map(_usd, priced)))
    stack = lanes.stack([_lane(row, end) for row in rows], palette)
    ticks = base.steps(end, at_most=4)
    return base.compose(
        frame,
        title=TITLES[job],
        subtitle=[
            "US$ over the plan",
            *base.key({"due at all hours": palette.chosen, "by the hour": palette.others}),
        ],
        traces=[lanes.bars(_pieces(rows, stack.bars_px, palette), palette)],
        plot_px=stack.plot_px,
        xaxis=dict(range=[0, end], tickvals=ticks, ticktext=[wording.usd(tick) for tick in ticks]),
        yaxis=stack.axis,
        annotations=stack.names,
    )


def alt_text(rows: Sequence[WayRow], *, job: Job) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {row.reason if math.isnan(_usd(row)) else wording.usd(_usd(row))}"
        for row in rows
    ]
    return base.sentence(TITLES[job], facts)


def data_table(rows: Sequence[WayRow], *, job: Job) -> Table:
    """List both parts for every way."""
    return Table(
        key=f"ways_of_{job}",
        title=TITLES[job],
        columns=(
            Column("way", "Way of paying"),
            Column("remark", "Remark"),
            Column("fixed", "Due at all hours", "USD over the plan"),
            Column("hourly", "By the hour", "USD over the plan"),
            Column("total", "Total", "USD over the plan"),
        ),
        rows=tuple(
            {
                "way": row.label,
                "remark": row.reason,
                "fixed": row.fixed_usd,
                "hourly": row.hourly_usd,
                "total": _usd(row),
            }
            for row in rows
        ),
    )


def _usd(row: WayRow) -> float:
    return row.fixed_usd + row.hourly_usd


def _lane(row: WayRow, end: float) -> lanes.Lane:
    usd = _usd(row)
    if math.isnan(usd):
        return lanes.Lane(row.label, row.state, reason=row.reason)
    beyond = " →" if usd > end else ""
    return lanes.Lane(
        row.label,
        row.state,
        value=f"{base.safe(row.reason)},",
        strong=f"{wording.usd(usd)}{beyond}",
        bar_px=lanes.BAR_PX,
    )


def _pieces(
    rows: Sequence[WayRow], tops_px: Sequence[float], palette: Palette
) -> list[lanes.Piece]:
    pieces = []
    for row, top in zip(rows, tops_px, strict=True):
        start = 0.0
        for usd, color, words in (
            (row.fixed_usd, palette.chosen, "due at all hours"),
            (row.hourly_usd, palette.others, "by the hour"),
        ):
            if usd > 0:
                said = f"{base.safe(row.label)}: {wording.usd(usd)} {words}"
                pieces.append(lanes.Piece(top, start, usd, color, said))
                start += usd
    return pieces
