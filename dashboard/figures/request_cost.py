"""Figure of what a request is paid for, by device: weights, cache, prefill, decode, idle."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures import base, lanes, selection
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.request_parts import PART_NAMES
from hwplanner.report.tables import REQUEST_PARTS, Column, RequestRow, Table

TITLE = "What a request is paid for, by device"
MISS_CHARACTERS = 34
OFF_SCALE = 3
"""A cost beyond this multiple of the chosen one, or of the least, runs off the axis."""
FADED = 0.35


def figure(rows: Sequence[RequestRow], frame: base.Frame) -> go.Figure:
    """Stack the parts of the cost of a request for each device."""
    if not rows:
        return base.empty(frame, title=TITLE, message=selection.NO_DEVICE)
    palette = frame.palette
    shown, note = selection.choose(rows, _usd)
    end = _axis_end([_usd(row) for row in shown if row.parts_usd])
    stack = lanes.stack([_lane(row, end) for row in shown], palette)
    drawn = [(row, top) for row, top in zip(shown, stack.bars_px, strict=True) if row.parts_usd]
    ticks = base.steps(end, at_most=4)
    return base.compose(
        frame,
        title=TITLE,
        subtitle=[
            "US$ per average request, idle hours included",
            *base.key({PART_NAMES[part]: palette.cost_part(part) for part in REQUEST_PARTS}),
        ],
        traces=[lanes.bars(_pieces(drawn, palette), palette)] if drawn else [],
        plot_px=stack.plot_px,
        xaxis=dict(
            visible=bool(drawn),
            range=[0, end],
            tickvals=ticks,
            ticktext=[wording.usd(tick) for tick in ticks],
        ),
        yaxis=stack.axis,
        annotations=stack.names,
        note=note,
    )


def alt_text(rows: Sequence[RequestRow]) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {wording.usd(_usd(row))}, most of it {PART_NAMES[_largest(row)]}"
        if row.parts_usd
        else f"{row.label} {row.reason or selection.verdict(row)}"
        for row in selection.ranked(rows, _usd)
    ]
    return base.sentence(TITLE, facts)


def data_table(rows: Sequence[RequestRow]) -> Table:
    """List the parts for every device."""
    return Table(
        key="request_cost",
        title=TITLE,
        columns=(
            *selection.DEVICE_COLUMNS,
            Column("reason", "Reason"),
            *(Column(f"{part}_usd", PART_NAMES[part], "USD/request") for part in REQUEST_PARTS),
            Column("request_usd", "Request", "USD/request"),
            Column("held_usd", "Of the KV cache, holding it", "USD/request"),
        ),
        rows=tuple(
            {
                **selection.device_cells(row),
                "reason": row.reason,
                **{f"{part}_usd": row.parts_usd.get(part) for part in REQUEST_PARTS},
                "request_usd": sum(row.parts_usd.values()) if row.parts_usd else None,
                "held_usd": row.held_usd if row.parts_usd else None,
            }
            for row in rows
        ),
    )


def _usd(row: RequestRow) -> float:
    return sum(row.parts_usd.values())


def _largest(row: RequestRow) -> str:
    return max(row.parts_usd, key=lambda part: row.parts_usd[part])


def _lane(row: RequestRow, end: float) -> lanes.Lane:
    if not row.parts_usd:
        return lanes.Lane(row.label, row.state, reason=row.reason or selection.verdict(row))
    usd = f"{wording.usd(_usd(row))}{' →' if _usd(row) > end else ''}"
    return lanes.Lane(
        row.label,
        row.state,
        value="" if row.state == "misses" else f"{base.safe(row.reason)},",
        strong="" if row.state == "misses" else usd,
        reason=f"{usd}, {base.clip(row.reason, MISS_CHARACTERS)}" if row.state == "misses" else "",
        bar_px=lanes.BAR_PX,
    )


def _axis_end(usd: Sequence[float]) -> float:
    """End the axis at the dearest bar that does not squeeze all the others. [USD]"""
    if not usd:
        return 1.0
    limit = OFF_SCALE * max(usd[0], min(usd))
    return 1.04 * min(max(usd), limit) or 1.0


def _pieces(drawn: Sequence[tuple[RequestRow, float]], palette: Palette) -> list[lanes.Piece]:
    pieces = []
    for row, top in drawn:
        start, label, total = 0.0, base.safe(row.label), _usd(row)
        opacity = FADED if row.state == "misses" else 1.0
        for part in REQUEST_PARTS:
            usd = row.parts_usd[part]
            if usd > 0:
                words = (
                    f"{label}<br>{PART_NAMES[part]} {wording.usd(usd)}, "
                    f"{wording.percent(usd / total)}"
                )
                color = palette.cost_part(part)
                pieces.append(lanes.Piece(top, start, usd, color, words, opacity))
                start += usd
    return pieces
