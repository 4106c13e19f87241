"""Figure of latency under load: mean and percentiles as demand grows to what can be answered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import Column, LoadRow, Table

TITLES = {
    "ttft": "First token as the load grows",
    "tpot": "Time per token as the load grows",
}
LINES = {"p50": "half", "mean": "mean", "p95": "95 in 100", "p99": "99 in 100"}
WIDTHS = {"mean": 3.0, "p50": 1.4, "p95": 1.4, "p99": 1.8}
PLOT_PX = 260
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
END = 1.0
REACH = 8.0
"""Times the target up to which lines are followed."""


def figure(rows: Sequence[LoadRow], frame: base.Frame) -> go.Figure:
    """Draw one time of one device; equal steps of the upright axis are equal ratios."""
    if not rows:
        return base.empty(
            frame,
            title=TITLES["tpot"],
            message="No compared device holds the model. Compare others or choose a smaller model.",
        )
    row, palette = rows[0], frame.palette
    y = _range(row)
    ticks = base.decades(10 ** y[0], 10 ** y[1], at_most=6)
    said = [wording.ms(tick) for tick in ticks]
    is_steady = row.planned < END and math.isfinite(row.planned_ms)
    tags = [_end_tag(row, name, y, palette) for name in LINES]
    if is_steady:
        tags.append(
            marks.ring_tag(
                row.planned,
                math.log10(row.planned_ms),
                [f"<b>{wording.ms(row.planned_ms)}</b>", f"at {wording.percent(row.planned)}"],
                palette,
                across=row.planned,
                falling=True,
            )
        )
    return base.compose(
        frame,
        title=TITLES[row.key],
        subtitle=[
            base.safe(row.label),
            "By load. Band: where 99 in 100 lies in 8 of 10 cases.",
        ],
        traces=[
            marks.band(row.load, row.lines_ms["p99_low"], row.lines_ms["p99_high"], palette.chosen),
            *(_curve(row, name, palette) for name in reversed(LINES)),
            *([marks.ring(row.planned, row.planned_ms, palette)] if is_steady else []),
        ],
        plot_px=PLOT_PX,
        xaxis=dict(
            range=[0, END], tickvals=TICKS, ticktext=[wording.percent(tick) for tick in TICKS]
        ),
        yaxis=dict(type="log", range=y, tickvals=ticks, ticktext=said),
        annotations=[
            *marks.tags(tags, palette, x=(0, END), y=y, plot_px=PLOT_PX),
            _target_word(row, y, palette),
        ],
        shapes=[
            *marks.missed("y", row.target_ms, 10 ** y[1], palette),
            *marks.missed("x", row.unsure_from, END, palette)[:1],
        ],
        note=_note(row),
        left=base.axis_px(said),
        right=marks.GUTTER_PX - 36,
    )


def alt_text(rows: Sequence[LoadRow]) -> str:
    """Say the figure in one sentence."""
    if not rows:
        return base.sentence(TITLES["tpot"], [])
    row = rows[0]
    middle, last = len(row.load) // 2, len(row.load) - 1
    facts = [
        f"at {wording.percent(row.load[i])} of the most {wording.ms(row.lines_ms['mean'][i])} on "
        f"average, {wording.ms(row.lines_ms['p99'][i])} for 99 in 100"
        for i in (0, middle, last)
    ]
    subject = f"{TITLES[row.key]}, {row.label}, target {wording.ms(row.target_ms)}"
    return base.sentence(subject, [*facts, *([_plan(row)] if math.isfinite(row.planned) else [])])


def data_table(rows: Sequence[LoadRow]) -> Table:
    """List every point of every line."""
    names = {**LINES, "mean_low": "mean, low", "mean_high": "mean, high"}
    names |= {"p99_low": "99 in 100, low", "p99_high": "99 in 100, high"}
    key = rows[0].key if rows else "tpot"
    return Table(
        key=f"load_{key}",
        title=TITLES[key],
        columns=(
            Column("device", "Device"),
            Column("load", "Load", "share of the most"),
            Column("requests_per_s", "Arriving, all copies", "requests/s"),
            *(Column(name, words.capitalize(), "ms") for name, words in names.items()),
            Column("target_ms", "Target", "ms"),
            Column("unsure", "Tails unsure"),
        ),
        rows=tuple(
            {
                "device": row.label,
                "load": row.load[i],
                "requests_per_s": row.requests_per_s[i],
                **{name: row.lines_ms[name][i] for name in names},
                "target_ms": row.target_ms,
                "unsure": row.load[i] > row.unsure_from,
            }
            for row in rows
            for i in range(len(row.load))
        ),
    )


def _range(row: LoadRow) -> tuple[float, float]:
    """Logarithms of the ends of the upright axis. [ms]"""
    known = base.finite(value for name in LINES for value in row.lines_ms[name])
    low = min(*known, row.target_ms)
    high = min(max(*known, row.target_ms), max(REACH * row.target_ms, 2 * known[0]))
    return math.log10(low) - 0.08, math.log10(high) + 0.12


def _curve(row: LoadRow, name: str, palette: Palette) -> dict[str, Any]:
    return dict(
        type="scatter",
        mode="lines",
        name=LINES[name],
        x=row.load,
        y=row.lines_ms[name],
        line=dict(
            color=palette.chosen,
            width=WIDTHS[name],
            dash="solid" if name == "mean" else "dot" if name == "p50" else "dash",
        ),
        hovertemplate="%{x:.0%} of the most<br>%{y:,.3~r} ms<extra>%{fullData.name}</extra>",
    )


def _end_tag(row: LoadRow, name: str, y: tuple[float, float], palette: Palette) -> marks.Tag:
    """Label a line where it leaves the plot."""
    height = min(max(math.log10(row.lines_ms[name][-1]), y[0]), y[1])
    text = f"<b>{LINES[name]}</b>" if name == "mean" else LINES[name]
    return marks.Tag(END, height, [text], palette.ink)


def _target_word(row: LoadRow, y: tuple[float, float], palette: Palette) -> dict[str, Any]:
    return dict(
        x=0,
        xanchor="left",
        xshift=4,
        y=math.log10(row.target_ms),
        yanchor="bottom",
        text=f"target {wording.ms(row.target_ms)}",
        showarrow=False,
        font=dict(color=palette.ink),
    )


def _plan(row: LoadRow) -> str:
    load = wording.percent(row.planned)
    if row.planned >= END:
        return f"the demand asked for is {load} of the most, so waits grow without end"
    return f"the demand asked for is {load} of the most"


def _note(row: LoadRow) -> str:
    if row.planned >= END:
        return f"Past saturation: {_plan(row)}."
    return (
        f"Shaded right: from {wording.percent(row.unsure_from)} on tails are not known. "
        "At 100% waits grow without end."
    )
