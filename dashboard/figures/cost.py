"""Figure of cost by device: a typical value inside the band that holds 8 of 10 cases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, lanes, selection
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.expected import draws_in_words
from hwplanner.report.tables import Column, CostRow, Table
from hwplanner.scenario import Job
from hwplanner.units import Interval

TITLES: Mapping[Job, str] = {
    "serving": "Cost of serving, by device",
    "training": "Cost of a training run, by device",
}
UNITS: Mapping[Job, str] = {
    "serving": "US$ per 1M output tokens",
    "training": "US$ per run",
}
BAND_PX = 9
BEYOND = 1.24
"""Axis end over the longest band: room for the number behind it."""
SELDOM = 0.05
"""Share of the draws below which nothing is said."""
OFF_SCALE = 5
"""A cost beyond this multiple of the best one lies off the axis; an arrow says so."""


def figure(rows: Sequence[CostRow], frame: base.Frame, *, job: Job = "serving") -> go.Figure:
    """Draw the cost of each device; one that cannot do the job stands last, with the reason."""
    if not rows:
        return base.empty(frame, title=TITLES[job], message=selection.NO_DEVICE)
    shown, note = selection.choose(rows, _typical)
    stack = lanes.stack([_lane(row) for row in shown], frame.palette)
    priced = [
        (row, usd, top + BAND_PX)
        for row, top in zip(shown, stack.bars_px, strict=True)
        if (usd := _usd(row))
    ]
    end = axis_end([usd for _, usd, _ in priced])
    ticks = base.steps(end * BEYOND)
    return base.compose(
        frame,
        title=TITLES[job],
        subtitle=[
            f"{UNITS[job]}. Band: 8 of 10 cases.",
            "In words: in how many draws from the bands it is cheapest.",
        ],
        traces=intervals(priced, end, frame.palette) if priced else [],
        plot_px=stack.plot_px,
        xaxis=dict(
            visible=bool(priced),
            range=[0, end * BEYOND],
            tickvals=ticks,
            ticktext=[wording.usd(tick) for tick in ticks],
        ),
        yaxis=stack.axis,
        annotations=stack.names,
        note=note,
    )


def alt_text(rows: Sequence[CostRow], *, job: Job = "serving") -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {wording.usd(usd.typical)}, {selection.verdict(row)}"
        if (usd := _usd(row))
        else f"{row.label} {row.reason or selection.verdict(row)}"
        for row in selection.ranked(rows, _typical)
    ]
    return base.sentence(f"{TITLES[job]}, {UNITS[job]}", facts)


def data_table(rows: Sequence[CostRow], *, job: Job = "serving") -> Table:
    """List the numbers of the figure for every device."""
    unit = "USD/1M output tokens" if job == "serving" else "USD/run"
    return Table(
        key=f"cost_{job}",
        title=TITLES[job],
        columns=(
            *selection.DEVICE_COLUMNS,
            Column("reason", "Reason"),
            Column("low_usd", "Low, 1 in 10 is cheaper", unit),
            Column("typical_usd", "Typical", unit),
            Column("high_usd", "High, 1 in 10 is dearer", unit),
            Column("cheapest_share", "Cheapest in", "share of draws"),
        ),
        rows=tuple(
            {
                **selection.device_cells(row),
                "reason": row.reason,
                "low_usd": row.usd and row.usd.low,
                "typical_usd": row.usd and row.usd.typical,
                "high_usd": row.usd and row.usd.high,
                "cheapest_share": row.cheapest_share,
            }
            for row in rows
        ),
    )


def _usd(row: CostRow) -> Interval | None:
    """Give the cost to draw; a device that cannot do the job has none."""
    known = row.usd is not None and math.isfinite(row.usd.typical)
    return row.usd if known and row.state in selection.WITH_VALUE else None


def _typical(row: CostRow) -> float:
    usd = _usd(row)
    return usd.typical if usd else math.inf


def _lane(row: CostRow) -> lanes.Lane:
    usd = _usd(row)
    bar_px = 2 * BAND_PX if usd else 0
    if usd and row.state != "misses":
        words = [base.safe(row.reason), draws_in_words(row.cheapest_share)]
        seldom = row.cheapest_share < SELDOM
        value = ", ".join(filter(None, words[:1] if seldom else words))
        return lanes.Lane(row.label, row.state, value=value, bar_px=bar_px)
    reason = row.reason or selection.verdict(row)
    return lanes.Lane(row.label, row.state, reason=reason, bar_px=bar_px)


def axis_end(costs: Sequence[Interval]) -> float:
    """End the axis at the dearest row that does not squeeze all the others. [USD]"""
    if not costs:
        return 1.0
    limit = OFF_SCALE * max(min(usd.typical for usd in costs), costs[0].typical)
    return max(min(usd.high, limit) for usd in costs if usd.typical <= limit) or 1.0


def intervals(
    priced: Sequence[tuple[CostRow, Interval, float]], end: float, palette: Palette
) -> list[dict[str, Any]]:
    """Draw a band, a dot and the number in words for each row."""
    rows, costs, y = zip(*priced, strict=True)
    misses = [row.state == "misses" for row in rows]
    colors = [palette.chosen if row.state == "chosen" else palette.others for row in rows]
    return [
        dict(
            type="bar",
            orientation="h",
            y=y,
            base=[usd.low for usd in costs],
            x=[max(0.0, min(usd.high, end) - usd.low) for usd in costs],
            width=BAND_PX,
            marker=dict(color=colors, opacity=[0.2 if miss else 0.35 for miss in misses]),
            hoverinfo="skip",
        ),
        dict(
            type="scatter",
            mode="markers",
            y=y,
            x=[usd.typical for usd in costs],
            marker=dict(
                size=11,
                color=[
                    palette.page if miss else color
                    for miss, color in zip(misses, colors, strict=True)
                ],
                line=dict(color=colors, width=2),
                opacity=1,
            ),
            hovertext=[
                f"{base.safe(row.label)}<br>{wording.usd(usd.typical)}, 8 of 10 cases "
                f"{wording.interval(usd.low, usd.high, wording.usd)}"
                for row, usd in zip(rows, costs, strict=True)
            ],
            hoverinfo="text",
        ),
        dict(
            type="scatter",
            mode="text",
            y=y,
            x=[min(max(usd.high, usd.typical), end) for usd in costs],
            text=[_number(row, usd, end) for row, usd in zip(rows, costs, strict=True)],
            textposition="middle right",
            textfont=dict(
                size=13, color=[palette.soft_ink if miss else palette.ink for miss in misses]
            ),
            hoverinfo="skip",
        ),
    ]


def _number(row: CostRow, usd: Interval, end: float) -> str:
    number = wording.usd(usd.typical)
    number = f"<b>{number}</b>" if row.state == "chosen" else number
    return f" {number} →" if usd.high > end else f" {number}"
