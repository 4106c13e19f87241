"""Figure of limits: what takes the time of each activity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, lanes
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.physics.time_parts import LIMITS
from hwplanner.report.tables import Column, LimitRow, Table

SHARE_PX = 18
LABELLED_FROM = 0.08
"""A smaller share has no room for its number on a phone."""


def figure(rows: Sequence[LimitRow], frame: base.Frame, *, device: str) -> go.Figure:
    """Divide the time of each activity among the limits of speed."""
    title = f"What limits {lanes.device(device, base.TITLE_CHARACTERS - 12)}"
    if not rows:
        return base.empty(frame, title=title, message="No job runs on this device.")
    palette = frame.palette
    stack = lanes.stack([_lane(row) for row in rows], palette)
    pieces = _pieces(rows, stack.bars_px, palette)
    return base.compose(
        frame,
        title=title,
        subtitle=[
            "Share of the time. Capacity takes none: see Memory.",
            *base.key({_short(limit): palette.limit(limit) for limit in LIMITS}),
        ],
        traces=[lanes.bars(pieces, palette), _numbers(pieces, palette)],
        plot_px=stack.plot_px,
        xaxis=dict(visible=False, range=[0, 1]),
        yaxis=stack.axis,
        annotations=stack.names,
    )


def alt_text(rows: Sequence[LimitRow], *, device: str) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} limited by {row.limited_by}, "
        + ", ".join(f"{limit} {wording.percent(row.shares.get(limit))}" for limit in LIMITS)
        for row in rows
    ]
    return base.sentence(f"What limits each job on {device}", facts)


def data_table(rows: Sequence[LimitRow]) -> Table:
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


def _lane(row: LimitRow) -> lanes.Lane:
    return lanes.Lane(
        row.label,
        "fine",
        value="limited by",
        strong=_short(row.limited_by),
        bar_px=lanes.BAR_PX + SHARE_PX,
    )


def _pieces(
    rows: Sequence[LimitRow], tops_px: Sequence[float], palette: Palette
) -> list[lanes.Piece]:
    pieces = []
    for row, top in zip(rows, tops_px, strict=True):
        start = 0.0
        for limit in LIMITS:
            share = row.shares.get(limit, 0.0)
            if share > 0:
                words = f"{base.safe(row.label)}<br>{limit} {wording.percent(share)}"
                pieces.append(lanes.Piece(top, start, share, palette.limit(limit), words))
                start += share
    return pieces


def _numbers(pieces: Sequence[lanes.Piece], palette: Palette) -> dict[str, Any]:
    """Write the share under each piece that is wide enough."""
    wide = [piece for piece in pieces if piece.length >= LABELLED_FROM]
    return dict(
        type="scatter",
        mode="text",
        x=[piece.start + piece.length / 2 for piece in wide],
        y=[piece.top_px + lanes.BAR_PX + SHARE_PX / 2 for piece in wide],
        text=[wording.percent(piece.length) for piece in wide],
        textfont=dict(size=12, color=palette.soft_ink),
        hoverinfo="skip",
    )
