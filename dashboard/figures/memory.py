"""Figure of memory: what a job keeps on its devices, part by part, against what is usable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, lanes, selection
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import MEMORY_PARTS, Column, MemoryRow, Table
from hwplanner.scenario import Job

TITLES: Mapping[Job, str] = {"serving": "Serving memory", "training": "Training memory"}
PART_NAMES: Mapping[str, str] = {
    **{part: part for part in MEMORY_PARTS},
    "kv_cache": "KV cache",
}
SCOPES: dict[Job, str] = {
    "training": "GiB, all devices of a run together",
    "serving": "GiB, all devices of one copy of the model",
}
OFF_SCALE = 3
"""Usable memory beyond this multiple of the largest need runs off the axis."""
FADED, FREE = 0.35, 0.55
WORD_SHARE = 0.17
"""Share of a phone's width that the word "usable" takes."""


def figure(
    rows: Sequence[MemoryRow], frame: base.Frame, *, job: Job = "serving", detail: str = ""
) -> go.Figure:
    """Stack the parts of memory for each device, up to the line of what is usable.

    Parameters
    ----------
    rows
        One per device, all its devices together.
    frame
        Scenario, date and colours.
    job
        Which job is meant.
    detail
        What the figure holds for, such as "8-bit weights, 48 users at 16k tokens".
    """
    if not rows:
        return base.empty(frame, title=TITLES[job], message=selection.NO_DEVICE)
    palette = frame.palette
    shown, note = selection.choose(rows)
    stack = lanes.stack([_lane(row) for row in shown], palette)
    drawn = [(row, top) for row, top in zip(shown, stack.bars_px, strict=True) if _needed(row)]
    end = _axis_end([row for row, _ in drawn])
    ticks = base.steps(end)
    used = {part for row, _ in drawn for part in MEMORY_PARTS if row.parts_gib.get(part, 0) > 0}
    subtitle = f"{SCOPES[job]}. Whisker: 8 of 10 cases. {detail}"
    return base.compose(
        frame,
        title=TITLES[job],
        subtitle=[
            *base.wrapped(subtitle, base.SUBTITLE_CHARACTERS, lines=2),
            *base.key({PART_NAMES[p]: palette.part(p) for p in MEMORY_PARTS if p in used}),
        ],
        traces=[
            lanes.bars(_pieces(drawn, end, palette), palette),
            _usable(drawn, end, palette),
            _whiskers(drawn, end, palette),
        ]
        if drawn
        else [],
        plot_px=stack.plot_px,
        xaxis=dict(
            visible=bool(drawn),
            range=[0, end],
            tickvals=ticks,
            ticktext=[wording.significant(tick) for tick in ticks],
        ),
        yaxis=stack.axis,
        annotations=[*stack.names, *_usable_word(drawn, end, palette)],
        note=note,
    )


def alt_text(rows: Sequence[MemoryRow], *, job: Job = "serving", detail: str = "") -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {row.reason or selection.verdict(row)}"
        if row.state == "does_not_fit" or not _needed(row)
        else f"{row.label} needs {wording.gib(_needed(row))} of {wording.gib(row.usable_gib)}, "
        f"most of it {PART_NAMES[max(row.parts_gib, key=lambda part: row.parts_gib[part])]}"
        for row in selection.ranked(rows)
    ]
    subject = f"{TITLES[job]} by device, {detail}" if detail else f"{TITLES[job]} by device"
    return base.sentence(subject.rstrip(". "), facts)


def data_table(rows: Sequence[MemoryRow], *, job: Job = "serving") -> Table:
    """List the numbers of the figure for every device."""
    return Table(
        key=f"memory_{job}",
        title=TITLES[job],
        columns=(
            *selection.DEVICE_COLUMNS,
            Column("reason", "Reason"),
            *(Column(f"{part}_gib", PART_NAMES[part], "GiB") for part in MEMORY_PARTS),
            Column("low_gib", "Needed, low", "GiB"),
            Column("needed_gib", "Needed", "GiB"),
            Column("high_gib", "Needed, high", "GiB"),
            Column("usable_gib", "Usable", "GiB"),
        ),
        rows=tuple(
            {
                **selection.device_cells(row),
                "reason": row.reason,
                **{f"{part}_gib": row.parts_gib.get(part) for part in MEMORY_PARTS},
                "low_gib": _needed(row) * row.needed_over[0] or None,
                "needed_gib": _needed(row) or None,
                "high_gib": _needed(row) * row.needed_over[1] or None,
                "usable_gib": row.usable_gib,
            }
            for row in rows
        ),
    )


def _needed(row: MemoryRow) -> float:
    """Sum of the parts that are known. [GiB]"""
    return sum(base.finite(row.parts_gib.values()))


def _lane(row: MemoryRow) -> lanes.Lane:
    if not _needed(row):
        reason = row.reason or selection.verdict(row)
        return lanes.Lane(row.label, row.state, reason=reason)
    need = f"needs {wording.significant(_needed(row))} of {wording.gib(row.usable_gib)}"
    reason = (row.reason or need) if row.state == "does_not_fit" else ""
    return lanes.Lane(row.label, row.state, value=need, reason=reason, bar_px=lanes.BAR_PX)


def _axis_end(rows: Sequence[MemoryRow]) -> float:
    if not rows:
        return 1.0
    need = max(map(_needed, rows))
    usable = max(base.finite(row.usable_gib for row in rows), default=0.0)
    return 1.04 * max(need, min(usable, OFF_SCALE * need))


def _pieces(
    drawn: Sequence[tuple[MemoryRow, float]], end: float, palette: Palette
) -> list[lanes.Piece]:
    """Divide each bar into its parts and the free rest."""
    pieces = []
    for row, top in drawn:
        start, opacity = 0.0, FADED if row.state == "does_not_fit" else 1.0
        label = base.safe(row.label)
        for part in MEMORY_PARTS:
            gib = row.parts_gib.get(part, 0.0)
            if gib > 0:
                words = f"{label}<br>{PART_NAMES[part]} {wording.gib(gib)}"
                pieces.append(lanes.Piece(top, start, gib, palette.part(part), words, opacity))
                start += gib
        free = min(row.usable_gib, end) - start
        if free > 0:
            words = f"{label}<br>free {wording.gib(row.usable_gib - start)}"
            pieces.append(lanes.Piece(top, start, free, palette.line, words, FREE))
    return pieces


def _usable(
    drawn: Sequence[tuple[MemoryRow, float]], end: float, palette: Palette
) -> dict[str, Any]:
    """Draw the upright lines of what is usable."""
    lines = [(row.usable_gib, top) for row, top in drawn if 0 < row.usable_gib <= end]
    return dict(
        type="scatter",
        mode="markers",
        x=[usable for usable, _ in lines],
        y=[top + lanes.BAR_PX / 2 for _, top in lines],
        marker=dict(
            symbol="line-ns",
            size=lanes.BAR_PX + 10,
            line=dict(color=palette.target, width=3),
            opacity=1,
        ),
        hovertext=[f"usable {wording.gib(usable)}" for usable, _ in lines],
        hoverinfo="text",
    )


def _whiskers(
    drawn: Sequence[tuple[MemoryRow, float]], end: float, palette: Palette
) -> dict[str, Any]:
    """Draw the range of the whole need, as one line with gaps."""
    x: list[float | None] = []
    y: list[float | None] = []
    for row, top in drawn:
        if row.needed_over != (1.0, 1.0):
            low, high = (min(_needed(row) * over, end) for over in row.needed_over)
            x += [low, high, None]
            y += [top + lanes.BAR_PX / 2] * 2 + [None]
    return dict(
        type="scatter",
        mode="lines+markers",
        x=x,
        y=y,
        line=dict(color=palette.ink, width=1.4),
        marker=dict(symbol="line-ns", size=9, line=dict(color=palette.ink, width=1.4), opacity=1),
        hovertemplate="%{x:,.3~r} GiB, end of 8 of 10 cases<extra></extra>",
    )


def _usable_word(
    drawn: Sequence[tuple[MemoryRow, float]], end: float, palette: Palette
) -> list[dict[str, Any]]:
    """Name the upright line once, at the first row that has room for the word beside it."""
    room = WORD_SHARE * end
    for row, top in drawn:
        high = _needed(row) * row.needed_over[1]
        left = row.usable_gib <= end and row.usable_gib - high > room
        if left or 0 < row.usable_gib < end - room and high < row.usable_gib:
            return [
                dict(
                    x=row.usable_gib,
                    xanchor="right" if left else "left",
                    xshift=-4 if left else 4,
                    y=top + lanes.BAR_PX / 2,
                    yanchor="middle",
                    text="usable",
                    showarrow=False,
                    font=dict(color=palette.ink),
                )
            ]
    return []
