"""Figure of what moves the cost: each input at both ends of its range, the largest effect first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, lanes
from dashboard.figures.palette import Palette
from hwplanner.report.tables import Column, EffectRow, Table
from hwplanner.report.what_if import change_in_words

TITLE = "What moves the cost of the plan"
SHOWN_AT_MOST = 12
BAR_PX = 15
ROOM = 0.6
"""Room for the words on each side of the bars, over the length of both longest."""
BEYOND = 1.5
"""A change beyond this multiple of the third largest runs off the axis; an arrow says so."""
PALE = 0.45
End = tuple[str, float]


def figure(rows: Sequence[EffectRow], frame: base.Frame) -> go.Figure:
    """Draw a bar for each end of a range at which the cost moves."""
    moved = [row for row in rows if any(row.ends)]
    shown, palette = moved[:SHOWN_AT_MOST], frame.palette
    if not shown:
        return base.empty(frame, title=TITLE, message="No input moves the cost of this plan.")
    stack = lanes.stack(
        [lanes.Lane(row.label, "fine", reason=row.remark, bar_px=BAR_PX) for row in shown], palette
    )
    most = _most(shown)
    low = max(-most, min(0.0, *(change for row in shown for change in row.changes)))
    high = min(most, max(0.0, *(change for row in shown for change in row.changes)))
    room = ROOM * (high - low)
    middles = [top + BAR_PX / 2 for top in stack.bars_px]
    return base.compose(
        frame,
        title=TITLE,
        subtitle=[
            "Change of its cost, one input at a time.",
            "In italics: where another option wins.",
        ],
        traces=[
            _bars(shown, middles, most, palette),
            *(_words(shown, middles, most, side, palette) for side in (-1, 1)),
        ],
        plot_px=stack.plot_px,
        xaxis=dict(visible=False, range=[low - room, high + room]),
        yaxis=stack.axis,
        annotations=stack.names,
        shapes=[
            dict(
                type="line", x0=0, x1=0, y0=0, y1=1, yref="paper", layer="below",
                line=dict(color=palette.target, width=1.5),
            )
        ],
        note=_left_out(len(rows) - len(shown)),
    )  # fmt: skip


def alt_text(rows: Sequence[EffectRow]) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {_said([*_on_side(row, -1), *_on_side(row, 1)])}"
        for row in rows
        if any(row.ends)
    ]
    return base.sentence(TITLE, facts)


def data_table(rows: Sequence[EffectRow]) -> Table:
    """List all inputs with what each end of their range does."""
    return Table(
        key="what_moves",
        title="All inputs",
        columns=(
            Column("input", "Input"),
            Column("planned", "Planned"),
            Column("low", "Low end"),
            Column("low_change", "Change at low", "%"),
            Column("high", "High end"),
            Column("high_change", "Change at high", "%"),
            Column("remark", "Then"),
        ),
        rows=tuple(
            {
                "input": row.label,
                "planned": row.planned,
                "low": row.tried[0],
                "low_change": 100 * row.changes[0],
                "high": row.tried[1],
                "high_change": 100 * row.changes[1],
                "remark": row.remark,
            }
            for row in rows
        ),
    )


def _left_out(count: int) -> str:
    if not count:
        return ""
    return f"{count} more input{' is' if count == 1 else 's are'} in the table."


def _most(rows: Sequence[EffectRow]) -> float:
    """Longest bar that does not squeeze the others."""
    sizes = sorted((max(map(abs, row.changes)) for row in rows), reverse=True)
    return min(sizes[0], BEYOND * sizes[min(2, len(sizes) - 1)])


def _on_side(row: EffectRow, side: int) -> list[End]:
    """Ends of a row that raise the cost, or lower it, the larger change first."""
    ends = [
        (words, change)
        for words, change in zip(row.ends, row.changes, strict=True)
        if words and change * side > 0
    ]
    return sorted(ends, key=lambda end: -abs(end[1]))


def _bars(
    rows: Sequence[EffectRow], middles: Sequence[float], most: float, palette: Palette
) -> dict[str, Any]:
    """Draw all bars as one trace: what lowers the cost is pale, what raises it full."""
    pieces = [
        (middle, change, f"{base.safe(row.label)}, {base.safe(words)}: {change_in_words(change)}")
        for row, middle in zip(rows, middles, strict=True)
        for side in (-1, 1)
        for words, change in _on_side(row, side)
    ]
    return dict(
        type="bar",
        orientation="h",
        base=0,
        y=[middle for middle, _, _ in pieces],
        x=[max(-most, min(change, most)) for _, change, _ in pieces],
        width=BAR_PX,
        marker=dict(
            color=palette.chosen,
            opacity=[PALE if change < 0 else 1 for _, change, _ in pieces],
            line=dict(color=palette.page, width=1.5),
        ),
        hovertext=[words for _, _, words in pieces],
        hoverinfo="text",
    )


def _words(
    rows: Sequence[EffectRow],
    middles: Sequence[float],
    most: float,
    side: int,
    palette: Palette,
) -> dict[str, Any]:
    """Write the ends on one side beside their bars, or where both lie there, opposite to them."""
    labels = [
        (middle, *_label(ends, side, most))
        for row, middle in zip(rows, middles, strict=True)
        if (ends := _on_side(row, side))
    ]
    return dict(
        type="scatter",
        mode="text",
        x=[at for _, at, _, _ in labels],
        y=[middle for middle, _, _, _ in labels],
        text=[text for _, _, text, _ in labels],
        textposition=[position for _, _, _, position in labels],
        textfont=dict(size=12, color=palette.soft_ink),
        cliponaxis=False,
        hoverinfo="skip",
    )


def _label(ends: Sequence[End], side: int, most: float) -> tuple[float, str, str]:
    """Place on the axis, words, and the side of the place on which they stand."""
    change = ends[0][1]
    at = max(-most, min(change, most))
    said = _said(ends, bold=True)
    if len(ends) > 1:
        at, side = 0.0, -side
    elif at != change:
        said = f"{said} →" if side > 0 else f"← {said}"
    return (at, f" {said}", "middle right") if side > 0 else (at, f"{said} ", "middle left")


def _said(ends: Sequence[End], *, bold: bool = False) -> str:
    """Say ends with their changes; bold is for a figure, which also needs the words escaped."""
    if bold:
        return ", ".join(
            f"{base.safe(words)} <b>{change_in_words(change)}</b>" for words, change in ends
        )
    return ", ".join(f"{words} {change_in_words(change)}" for words, change in ends)
