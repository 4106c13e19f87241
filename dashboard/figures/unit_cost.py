"""Figure of the cost of tokens month by month, with the months in which the fleet grows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks, months
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import Column, Table, UnitCostRow

TITLE = "Cost of a million output tokens, by month"
PLOT_PX = 270
HEADROOM = 1.2
GUTTER_PX = 80
KEY_PX = 18


def figure(rows: Sequence[UnitCostRow], frame: base.Frame) -> go.Figure:
    """Draw what serving costs a token month by month.

    Parameters
    ----------
    rows
        One per month.
    frame
        Scenario, date and colours.
    """
    if not rows:
        return base.empty(
            frame, title=TITLE, message="No way of paying has all its prices. Add one of your own."
        )
    palette = frame.palette
    last = rows[-1].month
    usd = [row.usd_per_million for row in rows]
    high = HEADROOM * max(base.finite(usd), default=1.0) or 1.0
    ticks = base.steps(high)
    said = [wording.usd(tick) for tick in ticks]
    bought = [row for row in rows if row.bought > 0]
    more = [row for before, row in pairwise(rows) if row.devices > before.devices]
    rented = [row for row in more if row.bought == 0]
    key = {"devices bought": palette.chosen} if bought else {}
    if rented:
        key["more rented at the peak"] = palette.others
    keys = base.key(key)
    plot_px = PLOT_PX - KEY_PX * len(keys)
    return base.compose(
        frame,
        title=TITLE,
        subtitle=[
            f"US$, all cost of serving. {wording.usd(usd[0])} in the first month.",
            *keys,
        ],
        traces=[
            _line(rows, palette),
            _points(rented, 6, palette.others, palette),
            _points(bought, 10, palette.chosen, palette),
        ],
        plot_px=plot_px,
        xaxis=dict(range=[0.5, last], **months.axis(last, start=1)),
        yaxis=dict(range=[0, high], tickvals=ticks, ticktext=said),
        annotations=marks.tags(
            [
                *(_step(row, palette, last) for row in bought[:1]),
                marks.Tag(
                    last, usd[-1], [f"<b>{wording.usd(usd[-1])}</b>", "in the last"], palette.ink
                ),
            ],
            palette,
            x=(0.5, last),
            y=(0, high),
            plot_px=plot_px,
        ),
        left=base.axis_px(said),
        right=GUTTER_PX,
    )


def alt_text(rows: Sequence[UnitCostRow]) -> str:
    """Say the figure in one sentence."""
    if not rows:
        return base.sentence(TITLE, [])
    facts = [
        f"{wording.usd(row.usd_per_million)} in month {row.month}" for row in (rows[0], rows[-1])
    ]
    facts += [
        f"{wording.device_count(row.bought)} bought in month {row.month}"
        for row in rows
        if row.bought > 0
    ]
    return base.sentence(TITLE, facts)


def data_table(rows: Sequence[UnitCostRow]) -> Table:
    """List the numbers of the figure, one line per month."""
    return Table(
        key="unit_cost",
        title=TITLE,
        columns=(
            Column("month", "Month"),
            Column("usd_per_million", "Output tokens", "USD per million"),
            Column("usd_per_request", "Request", "USD"),
            Column("devices", "Devices in the busiest hour"),
            Column("bought", "Bought to grow", "devices"),
        ),
        rows=tuple(
            {
                "month": row.month,
                "usd_per_million": row.usd_per_million,
                "usd_per_request": row.usd_per_request,
                "devices": row.devices,
                "bought": row.bought,
            }
            for row in rows
        ),
    )


def _line(rows: Sequence[UnitCostRow], palette: Palette) -> dict[str, Any]:
    return dict(
        type="scatter",
        mode="lines",
        x=[row.month for row in rows],
        y=[row.usd_per_million for row in rows],
        line=dict(color=palette.serving, width=3),
        hovertemplate="month %{x}<br>$%{y:,.3~r} a million output tokens<extra></extra>",
    )


def _points(
    rows: Sequence[UnitCostRow], size: float, color: str, palette: Palette
) -> dict[str, Any]:
    return dict(
        type="scatter",
        mode="markers",
        x=[row.month for row in rows],
        y=[row.usd_per_million for row in rows],
        marker=dict(size=size, color=color, line=dict(color=palette.page, width=1.5)),
        text=[f"{wording.device_count(row.devices)} in the busiest hour" for row in rows],
        hovertemplate="month %{x}<br>%{text}<extra></extra>",
    )


def _step(row: UnitCostRow, palette: Palette, last: int) -> marks.Tag:
    """Say how many devices the first purchase after the start adds."""
    return marks.ring_tag(
        row.month,
        row.usd_per_million,
        [f"+{wording.device_count(row.bought)}", f"month {row.month}"],
        palette,
        across=row.month / last,
        falling=True,
    )
