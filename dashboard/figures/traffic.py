"""Figure of one's own devices against an API: what tokens cost at any traffic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import Column, Table, TrafficRow

TITLE = "Own devices against an API, by traffic"
PLOT_PX = 330
BOLD = 2
"""Letters less of a bold label that fit beside a line."""
SHOWN_TIMES = 20
"""Costs beyond this multiple of the API's, or of the least, run off the axis."""


def figure(
    rows: Sequence[TrafficRow],
    frame: base.Frame,
    *,
    break_even: float | None = None,
    planned: float | None = None,
) -> go.Figure:
    """Draw cost against traffic on axes on which equal steps are equal ratios.

    Parameters
    ----------
    rows
        One's own devices, the chosen way of paying first, and the API.
    frame
        Scenario, date and colours.
    break_even
        Traffic from which the chosen way stays cheaper than the API; none if it never does, or
        always is. [requests/month]
    planned
        Traffic of the plan. [requests/month]
    """
    drawn = [row for row in rows if base.finite(row.usd)]
    if not drawn:
        return base.empty(
            frame, title=TITLE, message="No cost to show. Add the prices of an API under Money."
        )
    palette = frame.palette
    least = min(min(base.finite(row.usd)) for row in drawn)
    api = next((row.usd[0] for row in drawn if row.is_api), least)
    high = SHOWN_TIMES * max(api, least)
    traffic = drawn[0].requests_per_month
    x = (math.log10(traffic[0]), math.log10(traffic[-1]))
    y = (math.log10(min(least, *base.finite(drawn[0].usd_low))) - 0.08, math.log10(high))
    ticks = base.decades(10 ** y[0], high)
    said = [wording.usd(tick) for tick in ticks]
    months = base.decades(traffic[0], traffic[-1], at_most=5)
    rings = [_even(point, api, x, palette) for point in base.finite([break_even])]
    return base.compose(
        frame,
        title=TITLE,
        subtitle=[
            "US$ per 1M output tokens, prompts included, by requests",
            "a month; log scales. Band: 8 of 10 cases.",
        ],
        traces=[
            *(
                marks.band(row.requests_per_month, row.usd_low, row.usd_high, palette.chosen)
                for row in drawn
                if row.state == "chosen"
            ),
            *(_line(row, palette) for row in reversed(drawn)),
            *(marks.ring(10**tag.x, 10**tag.y, palette) for tag in rings),
        ],
        plot_px=PLOT_PX,
        xaxis=dict(
            type="log",
            range=x,
            tickvals=months,
            ticktext=[wording.tokens(tick) for tick in months],
        ),
        yaxis=dict(type="log", range=y, tickvals=ticks, ticktext=said),
        annotations=[
            *marks.tags(
                [*(_end(row, palette) for row in drawn), *rings],
                palette,
                x=x,
                y=y,
                plot_px=PLOT_PX,
            ),
            *_planned_word(planned, palette),
        ],
        shapes=_planned_line(planned, palette),
        left=base.axis_px(said),
        right=marks.GUTTER_PX,
    )


def alt_text(
    rows: Sequence[TrafficRow], *, break_even: float | None = None, planned: float | None = None
) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {wording.usd(row.usd[0])} at {wording.tokens(row.requests_per_month[0])} "
        f"requests a month and {wording.usd(row.usd[-1])} at "
        f"{wording.tokens(row.requests_per_month[-1])}"
        if base.finite(row.usd)
        else f"{row.label} has no price"
        for row in rows
    ]
    if break_even is not None:
        facts.append(f"the chosen way stays cheaper than the API from {wording.tokens(break_even)}")
    if planned is not None:
        facts.append(f"{wording.tokens(planned)} are planned")
    return base.sentence(TITLE, facts)


def data_table(rows: Sequence[TrafficRow]) -> Table:
    """List every point of every line."""
    unit = "USD/1M output tokens"
    return Table(
        key="traffic",
        title=TITLE,
        columns=(
            Column("way", "Way"),
            Column("requests_per_month", "Requests", "requests/month"),
            Column("low_usd", "Low, 1 in 10 is cheaper", unit),
            Column("usd", "Typical", unit),
            Column("high_usd", "High, 1 in 10 is dearer", unit),
        ),
        rows=tuple(
            {
                "way": row.label,
                "requests_per_month": requests,
                "low_usd": low,
                "usd": usd,
                "high_usd": high,
            }
            for row in rows
            for requests, low, usd, high in zip(
                row.requests_per_month, row.usd_low, row.usd, row.usd_high, strict=True
            )
        ),
    )


def _line(row: TrafficRow, palette: Palette) -> dict[str, Any]:
    return dict(
        type="scatter",
        mode="lines",
        name=base.safe(row.label),
        x=row.requests_per_month,
        y=row.usd,
        line=marks.style(row.state, palette, dash="dash" if row.is_api else "solid"),
        hovertemplate="%{x:,.3~s} requests a month<br>$%{y:,.3~r}<extra>%{fullData.name}</extra>",
    )


def _end(row: TrafficRow, palette: Palette) -> marks.Tag:
    """Label a line at its end with what it is and its last cost."""
    room = marks.GUTTER_CHARACTERS - (BOLD if row.state == "chosen" else 0)
    lines = [*base.wrapped(wording.short(row.label), room, lines=3)]
    lines.append(wording.usd(row.usd[-1]))
    if row.state == "chosen":
        lines = [f"<b>{line}</b>" for line in lines]
    return marks.Tag(
        math.log10(row.requests_per_month[-1]),
        math.log10(row.usd[-1]),
        lines,
        marks.ink(row.state, palette),
    )


def _even(requests: float, usd: float, x: tuple[float, float], palette: Palette) -> marks.Tag:
    """Explain where one's own devices become the cheaper ones for good."""
    at = math.log10(requests)
    return marks.ring_tag(
        at,
        math.log10(usd),
        ["stays cheaper", "from", f"<b>{wording.tokens(requests)} a month</b>"],
        palette,
        across=(at - x[0]) / (x[1] - x[0]),
        falling=True,
    )


def _planned_line(planned: float | None, palette: Palette) -> list[dict[str, Any]]:
    rule = dict(type="line", layer="below", yref="paper", y0=0, y1=1)
    return [
        dict(**rule, x0=at, x1=at, line=dict(color=palette.target, width=2))
        for at in base.finite([planned])
    ]


def _planned_word(planned: float | None, palette: Palette) -> list[dict[str, Any]]:
    return [
        dict(
            x=math.log10(at),
            xanchor="left",
            xshift=4,
            y=1,
            yref="paper",
            yanchor="top",
            text="planned",
            showarrow=False,
            font=dict(color=palette.ink),
        )
        for at in base.finite([planned])
    ]
