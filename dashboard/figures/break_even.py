"""Figures of break-even: what ways of paying cost as use, rents or users change."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go

from dashboard.figures import base, marks, selection
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import Column, CrossingMark, CurveRow, Table

Kind = Literal["use", "rent", "users"]
PLOT_PX = 250
USE_BEYOND = 2.6
"""Costs of an hour beyond this multiple of the rent run off the axis."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What one of the three figures is called, and how it says its levels."""

    title: str
    subtitle: str
    unit: str
    level_unit: str
    ticks: tuple[float, ...]
    words: Callable[[float], str]
    nothing: str = "No option has all its prices. Add your own on the Prices page."


KINDS = {
    "use": _Kind(
        "Own or rent, by use",
        "US$ a worked hour, by share of the hours.",
        "USD/h",
        "share of the hours",
        (0.25, 0.5, 1.0),
        wording.percent,
        "No purchase price or no rent is known. Add your own on the Prices page.",
    ),
    "rent": _Kind(
        "Cost by rents",
        "US$ over the plan, by rents over today's.",
        "USD over the plan",
        "ratio",
        (1.0, 2.0, 4.0),
        lambda level: f"{wording.TIMES}{wording.significant(level)}",
    ),
    "users": _Kind(
        "Cost by users",
        "US$ over the plan, by users; log scales.",
        "USD over the plan",
        "users",
        (),
        wording.count,
    ),
}


def figure(
    rows: Sequence[CurveRow],
    frame: base.Frame,
    *,
    job: Kind,
    planned: float | None = None,
    crossings: Sequence[CrossingMark] = (),
) -> go.Figure:
    """Draw each way of paying against the level of one input.

    Parameters
    ----------
    rows
        One per way of paying.
    frame
        Scenario, date and colours.
    job
        Which input changes.
    planned
        Level of the plan.
    crossings
        Where another way becomes the cheaper one.
    """
    kind, palette = KINDS[job], frame.palette
    drawn = [row for row in selection.ranked(rows) if base.finite(row.usd)]
    if not drawn:
        return base.empty(frame, title=kind.title, message=kind.nothing)
    is_log = job == "users"
    at: Callable[[float], float] = math.log10 if is_log else float
    usd = [value for row in drawn for value in base.finite(row.usd)]
    low, high = (min(usd) / 1.3, max(usd) * 1.2) if is_log else (0.0, _top(drawn, job))
    x = at(drawn[0].levels[0]), at(drawn[0].levels[-1])
    y = at(low), at(high)
    ticks = base.decades(low, high, at_most=5) if is_log else base.steps(high, at_most=5)
    said = [wording.usd(tick) for tick in ticks]
    levels = kind.ticks or _every_second(drawn[0].levels)
    rings = [_crossing(mark, at, x, palette) for mark in crossings if low <= mark.usd <= high]
    scale = "log" if is_log else "linear"
    return base.compose(
        frame,
        title=kind.title,
        subtitle=[kind.subtitle],
        traces=[
            *(_line(row, palette, kind) for row in reversed(drawn)),
            *_rings(crossings, palette),
        ],
        plot_px=PLOT_PX,
        xaxis=dict(
            type=scale,
            range=x,
            tickvals=levels,
            ticktext=[kind.words(level) for level in levels],
        ),
        yaxis=dict(type=scale, range=y, tickvals=ticks, ticktext=said),
        annotations=[
            *marks.tags(
                [*(_end(row, at, y, palette) for row in drawn), *rings],
                palette,
                x=x,
                y=y,
                plot_px=PLOT_PX,
            ),
            *_planned_word(planned, at, palette),
        ],
        shapes=_planned_line(planned, palette),
        left=base.axis_px(said),
        right=marks.GUTTER_PX,
    )


def alt_text(
    rows: Sequence[CurveRow],
    *,
    job: Kind,
    planned: float | None = None,
    crossings: Sequence[CrossingMark] = (),
) -> str:
    """Say the figure in one sentence."""
    kind = KINDS[job]
    facts = [
        f"{row.label} {wording.usd(row.usd[0])} at {kind.words(row.levels[0])} and "
        f"{wording.usd(row.usd[-1])} at {kind.words(row.levels[-1])}"
        for row in selection.ranked(rows)
        if base.finite(row.usd)
    ]
    facts += [f"another way is cheaper from {' '.join(mark.words)}" for mark in crossings]
    if planned is not None:
        facts.append(f"{kind.words(planned)} is planned")
    return base.sentence(kind.title, facts)


def data_table(rows: Sequence[CurveRow], *, job: Kind) -> Table:
    """List every point of every line."""
    kind = KINDS[job]
    return Table(
        key=f"break_even_{job}",
        title=kind.title,
        columns=(
            Column("way", "Way of paying"),
            Column("verdict", "Verdict"),
            Column("level", "Level", kind.level_unit),
            Column("usd", "Cost", kind.unit),
        ),
        rows=tuple(
            {
                "way": row.label,
                "verdict": selection.verdict(row),
                "level": level,
                "usd": usd,
            }
            for row in rows
            for level, usd in zip(row.levels, row.usd, strict=True)
        ),
    )


def _top(rows: Sequence[CurveRow], job: Kind) -> float:
    """End of the upright axis; a worked hour of a device that hardly works runs off it."""
    tops = [max(base.finite(row.usd)) for row in rows]
    return USE_BEYOND * min(tops) if job == "use" else 1.06 * max(tops)


def _every_second(levels: Sequence[float]) -> tuple[float, ...]:
    return tuple(levels[:: 2 if len(levels) > 4 else 1])


def _line(row: CurveRow, palette: Palette, kind: _Kind) -> dict[str, Any]:
    return dict(
        type="scatter",
        mode="lines",
        name=base.safe(row.label),
        x=row.levels,
        y=row.usd,
        line=marks.style(row.state, palette, dash="dash" if row.rented else "solid"),
        hovertext=[
            f"{base.safe(row.label)}<br>{kind.words(level)}: {wording.usd(usd)}"
            for level, usd in zip(row.levels, row.usd, strict=True)
        ],
        hoverinfo="text",
    )


def _rings(crossings: Sequence[CrossingMark], palette: Palette) -> list[dict[str, Any]]:
    """Mark all crossings by one trace."""
    if not crossings:
        return []
    ring = marks.ring(crossings[0].level, crossings[0].usd, palette)
    return [{**ring, "x": [m.level for m in crossings], "y": [m.usd for m in crossings]}]


def _end(
    row: CurveRow, at: Callable[[float], float], y: tuple[float, float], palette: Palette
) -> marks.Tag:
    """Label a line at its right end, or where it leaves the plot."""
    lines = base.wrapped(row.label, marks.GUTTER_CHARACTERS, lines=3)
    if row.state == "chosen":
        lines = [f"<b>{line}</b>" for line in lines]
    end = min(max(at(row.usd[-1]), y[0]), y[1])
    return marks.Tag(at(row.levels[-1]), end, lines, marks.ink(row.state, palette))


def _crossing(
    mark: CrossingMark,
    at: Callable[[float], float],
    x: tuple[float, float],
    palette: Palette,
) -> marks.Tag:
    words = [*(base.safe(word) for word in mark.words[:-1]), f"<b>{base.safe(mark.words[-1])}</b>"]
    across = (at(mark.level) - x[0]) / (x[1] - x[0])
    return marks.ring_tag(at(mark.level), at(mark.usd), words, palette, across=across)


def _planned_line(planned: float | None, palette: Palette) -> list[dict[str, Any]]:
    if planned is None:
        return []
    return [
        dict(
            type="line", x0=planned, x1=planned, y0=0, y1=1, yref="paper", layer="below",
            line=dict(color=palette.target, width=1.5, dash="dot"),
        )
    ]  # fmt: skip


def _planned_word(
    planned: float | None, at: Callable[[float], float], palette: Palette
) -> list[dict[str, Any]]:
    if planned is None:
        return []
    return [
        dict(
            x=at(planned), y=1, yref="paper", yanchor="top", xanchor="left", xshift=3,
            text="planned", showarrow=False, font=dict(size=11, color=palette.soft_ink),
        )
    ]  # fmt: skip
