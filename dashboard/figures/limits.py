"""Figure of limits: what takes the time of each activity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks
from dashboard.figures.base import Frame
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.tables import LIMITS, Column, LimitRow, Table

BAR_PX = 22
SHARE_PX = 18
LABELLED_FROM = 0.08
"""A smaller share has no room for its number on a phone."""


def limits_by_activity(rows: Sequence[LimitRow], frame: Frame, *, device: str) -> go.Figure:
    """Divide the time of each activity among the limits of speed."""
    title = f"What limits {marks.device(device, base.TITLE_CHARACTERS - 12)}"
    if not rows:
        return base.empty(frame, title=title, message="No job runs on this device.")
    palette = frame.palette
    lanes = marks.lanes(
        [
            marks.Lane(
                row.label,
                "fine",
                value="limited by",
                strong=_short(row.limited_by),
                below_px=BAR_PX + SHARE_PX,
            )
            for row in rows
        ],
        palette,
    )
    return base.figure(
        frame,
        title=title,
        subtitle=[
            "Share of the time. Capacity takes none: see Memory.",
            *base.key({_short(limit): palette.limit(limit) for limit in LIMITS}),
        ],
        traces=_pieces(rows, lanes.bars_px, palette),
        plot_px=lanes.plot_px,
        xaxis=dict(visible=False, range=[0, 1]),
        yaxis=dict(visible=False, range=[lanes.plot_px, 0]),
        annotations=lanes.names,
    )


def limits_by_activity_alt(rows: Sequence[LimitRow], *, device: str) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} limited by {row.limited_by}, "
        + ", ".join(f"{limit} {wording.percent(row.shares.get(limit))}" for limit in LIMITS)
        for row in rows
    ]
    return base.sentence(f"What limits each job on {device}", facts)


def limits_by_activity_table(rows: Sequence[LimitRow]) -> Table:
    """List the shares of the figure."""
    return Table(
        key="limits",
        title="What limits each job",
        columns=(
            Column("activity", "Activity"),
            Column("limited_by", "Limited by"),
            *(Column(limit.replace(" ", "_"), limit.capitalize(), "share") for limit in LIMITS),
        ),
        rows=tuple(
            {
                "activity": row.label,
                "limited_by": row.limited_by,
                **{limit.replace(" ", "_"): row.shares.get(limit) for limit in LIMITS},
            }
            for row in rows
        ),
    )


def _short(limit: str) -> str:
    return limit.removeprefix("memory ")


def _pieces(
    rows: Sequence[LimitRow], tops: Sequence[float], palette: Palette
) -> list[dict[str, Any]]:
    """Draw all pieces as one trace, and the numbers under those that are wide enough."""
    pieces: list[tuple[float, float, float, str, str]] = []
    for row, top in zip(rows, tops, strict=True):
        start = 0.0
        for limit in LIMITS:
            share = row.shares.get(limit, 0.0)
            if share > 0:
                words = f"{base.safe(row.label)}<br>{limit} {wording.percent(share)}"
                pieces.append((top, start, share, palette.limit(limit), words))
                start += share
    return [
        dict(
            type="bar",
            orientation="h",
            y=[top + BAR_PX / 2 for top, *_ in pieces],
            base=[start for _, start, *_ in pieces],
            x=[share for _, _, share, *_ in pieces],
            width=BAR_PX,
            marker=dict(
                color=[color for *_, color, _ in pieces], line=dict(color=palette.page, width=1.5)
            ),
            hovertext=[words for *_, words in pieces],
            hoverinfo="text",
        ),
        dict(
            type="scatter",
            mode="text",
            x=[start + share / 2 for _, start, share, *_ in pieces if share >= LABELLED_FROM],
            y=[
                top + BAR_PX + SHARE_PX / 2
                for top, _, share, *_ in pieces
                if share >= LABELLED_FROM
            ],
            text=[
                wording.percent(share) for _, _, share, *_ in pieces if share >= LABELLED_FROM
            ],
            textfont=dict(size=12, color=palette.soft_ink),
            hoverinfo="skip",
        ),
    ]
