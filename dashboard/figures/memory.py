"""Figure of memory: what a job keeps on its devices, part by part, against what is usable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks
from dashboard.figures.base import Frame
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.tables import MEMORY_PARTS, Column, Job, MemoryRow, Table

TITLES: Mapping[Job, str] = {"serving": "Serving memory", "training": "Training memory"}
PART_NAMES: Mapping[str, str] = {
    **{part: part for part in MEMORY_PARTS},
    "kv_cache": "KV cache",
}
BAR_PX = 22
OFF_SCALE = 3
"""Usable memory beyond this multiple of the largest need runs off the axis."""
FADED = 0.35
WORD_SHARE = 0.17
"""Share of a phone's width that the word "usable" takes."""


def memory_by_device(
    rows: Sequence[MemoryRow], frame: Frame, *, job: Job = "serving", detail: str = ""
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
        return base.empty(frame, title=TITLES[job], message=base.NO_DEVICE)
    palette = frame.palette
    shown, note = base.choose(rows)
    lanes = marks.lanes([_lane(row) for row in shown], palette)
    drawn = [
        (row, top + BAR_PX / 2)
        for row, top in zip(shown, lanes.bars_px, strict=True)
        if _needed(row)
    ]
    end = _axis_end([row for row, _ in drawn])
    ticks = base.steps(end)
    used = {part for row, _ in drawn for part in MEMORY_PARTS if row.parts_gib.get(part, 0) > 0}
    subtitle = f"GiB, all devices together. {detail}"
    return base.figure(
        frame,
        title=TITLES[job],
        subtitle=[
            *base.wrapped(subtitle, base.SUBTITLE_CHARACTERS, lines=2),
            *base.key({PART_NAMES[p]: palette.part(p) for p in MEMORY_PARTS if p in used}),
        ],
        traces=[_bars(drawn, end, palette), _usable(drawn, end, palette)] if drawn else [],
        plot_px=lanes.plot_px,
        xaxis=dict(
            visible=bool(drawn),
            range=[0, end],
            tickvals=ticks,
            ticktext=[wording.significant(tick) for tick in ticks],
        ),
        yaxis=dict(visible=False, range=[lanes.plot_px, 0]),
        annotations=[*lanes.names, *_usable_word(drawn, end, palette)],
        note=note,
    )


def memory_by_device_alt(rows: Sequence[MemoryRow], *, job: Job = "serving") -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {row.reason or base.STATE_WORDS[row.state]}"
        if row.state == "does_not_fit" or not _needed(row)
        else f"{row.label} needs {wording.gib(_needed(row))} of {wording.gib(row.usable_gib)}, "
        f"most of it {PART_NAMES[max(row.parts_gib, key=lambda part: row.parts_gib[part])]}"
        for row in base.choose(rows)[0]
    ]
    return base.sentence(f"{TITLES[job]} by device", facts)


def memory_by_device_table(rows: Sequence[MemoryRow], *, job: Job = "serving") -> Table:
    """List the numbers of the figure for every device."""
    return Table(
        key=f"memory_{job}",
        title=TITLES[job],
        columns=(
            *base.DEVICE_COLUMNS,
            Column("reason", "Reason"),
            *(Column(f"{part}_gib", PART_NAMES[part], "GiB") for part in MEMORY_PARTS),
            Column("needed_gib", "Needed", "GiB"),
            Column("usable_gib", "Usable", "GiB"),
        ),
        rows=tuple(
            {
                **base.device_cells(row),
                "reason": row.reason,
                **{f"{part}_gib": row.parts_gib.get(part) for part in MEMORY_PARTS},
                "needed_gib": _needed(row) or None,
                "usable_gib": row.usable_gib,
            }
            for row in rows
        ),
    )


def _needed(row: MemoryRow) -> float:
    """Sum of the parts that are known. [GiB]"""
    return sum(base.finite(row.parts_gib.values()))


def _lane(row: MemoryRow) -> marks.Lane:
    if not _needed(row):
        reason = row.reason or base.STATE_WORDS[row.state]
        return marks.Lane(row.label, row.state, reason=reason)
    need = f"needs {wording.significant(_needed(row))} of {wording.gib(row.usable_gib)}"
    reason = (row.reason or need) if row.state == "does_not_fit" else ""
    return marks.Lane(row.label, row.state, value=need, reason=reason, below_px=BAR_PX)


def _axis_end(rows: Sequence[MemoryRow]) -> float:
    if not rows:
        return 1.0
    need = max(map(_needed, rows))
    usable = max(base.finite(row.usable_gib for row in rows), default=0.0)
    return 1.04 * max(need, min(usable, OFF_SCALE * need))


def _bars(
    drawn: Sequence[tuple[MemoryRow, float]], end: float, palette: Palette
) -> dict[str, Any]:
    """Draw every part of every row, and the free rest, as pieces of one trace."""
    pieces: list[tuple[float, float, float, str, float, str]] = []
    for row, y in drawn:
        start, opacity = 0.0, FADED if row.state == "does_not_fit" else 1.0
        label = base.safe(row.label)
        for part in MEMORY_PARTS:
            gib = row.parts_gib.get(part, 0.0)
            if gib > 0:
                words = f"{label}<br>{PART_NAMES[part]} {wording.gib(gib)}"
                pieces.append((y, start, gib, palette.part(part), opacity, words))
                start += gib
        free = min(row.usable_gib, end) - start
        if free > 0:
            words = f"{label}<br>free {wording.gib(row.usable_gib - start)}"
            pieces.append((y, start, free, palette.line, 0.55, words))
    y, start, width, color, opacity, words = map(list, zip(*pieces, strict=True))
    return dict(
        type="bar",
        orientation="h",
        y=y,
        base=start,
        x=width,
        width=BAR_PX,
        marker=dict(color=color, opacity=opacity, line=dict(color=palette.page, width=1.5)),
        hovertext=words,
        hoverinfo="text",
    )


def _usable(
    drawn: Sequence[tuple[MemoryRow, float]], end: float, palette: Palette
) -> dict[str, Any]:
    lines = [(row.usable_gib, y) for row, y in drawn if 0 < row.usable_gib <= end]
    return dict(
        type="scatter",
        mode="markers",
        x=[usable for usable, _ in lines],
        y=[y for _, y in lines],
        marker=dict(
            symbol="line-ns", size=BAR_PX + 10, line=dict(color=palette.target, width=3), opacity=1
        ),
        hovertext=[f"usable {wording.gib(usable)}" for usable, _ in lines],
        hoverinfo="text",
        cliponaxis=False,
    )


def _usable_word(
    drawn: Sequence[tuple[MemoryRow, float]], end: float, palette: Palette
) -> list[dict[str, Any]]:
    """Name the upright line once, at the first row that has room for the word beside it."""
    room = WORD_SHARE * end
    for row, y in drawn:
        left = row.usable_gib <= end and row.usable_gib - _needed(row) > room
        if left or 0 < row.usable_gib < end - room and _needed(row) < row.usable_gib:
            return [
                dict(
                    x=row.usable_gib,
                    xanchor="right" if left else "left",
                    xshift=-4 if left else 4,
                    y=y,
                    yanchor="middle",
                    text="usable",
                    showarrow=False,
                    font=dict(size=12, color=palette.ink),
                )
            ]
    return []
