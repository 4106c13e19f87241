"""Figure of the evidence: what we say of published runs against what was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import CheckRow, Column, Table

TITLE = "Predicted against measured"
PLOT_PX = 420
BANDS = (0.2, 0.3)
DRAWN = 1200
"""Points that a browser draws at once without delay; of more, every second or third is left out."""
ROOM = 0.06
"""Free space around the points, as a share of the axes."""


def figure(rows: Sequence[CheckRow], frame: base.Frame, *, unit: str = "") -> go.Figure:
    """Draw each published figure on axes on which equal steps are equal ratios.

    Parameters
    ----------
    rows
        One per published figure.
    frame
        Scenario, date and colours.
    unit
        Unit of both axes.
    """
    known = _drawable(rows)
    if not known:
        return base.empty(
            frame, title=TITLE, message="No published run matches. Choose fewer filters."
        )
    palette = frame.palette
    drawn, note = _thinned(known)
    values = [value for row in known for value in (row.measured, row.predicted)]
    low, high = math.log10(min(values)), math.log10(max(values))
    room = ROOM * (high - low) or 0.3
    ends = (low - room, high + room)
    ticks = base.decades(10 ** ends[0], 10 ** ends[1])
    said = [wording.significant(tick) for tick in ticks]
    common = dict(type="log", range=ends, tickvals=ticks, ticktext=said)
    others = [row for row in drawn if not row.is_of_plan]
    own = [row for row in drawn if row.is_of_plan]
    return base.compose(
        frame,
        title=TITLE,
        subtitle=[
            *base.wrapped(
                f"Predicted upright, measured across, {unit}. Bands: within 20% and 30%.",
                base.SUBTITLE_CHARACTERS,
                lines=2,
            ),
            *base.key({"device of this plan": palette.chosen, "others": palette.others}),
        ],
        traces=[
            *(_within(share, ends, palette) for share in reversed(BANDS)),
            _identity(ends, palette),
            *(
                _points(some, color, palette, unit)
                for some, color in ((others, palette.others), (own, palette.chosen))
                if some
            ),
        ],
        plot_px=PLOT_PX,
        xaxis=common,
        yaxis=common,
        note=note,
        left=base.axis_px(said),
        right=16,
    )


def alt_text(rows: Sequence[CheckRow], *, unit: str = "") -> str:
    """Say the figure in one sentence."""
    known = _drawable(rows)
    errors = [abs(row.predicted / row.measured - 1) for row in known]
    facts = [f"{len(known)} published figures in {unit}" if unit else f"{len(known)} figures"]
    facts += [
        f"{sum(error <= share for error in errors)} within {wording.percent(share)}"
        for share in BANDS
    ]
    return base.sentence(TITLE, facts if known else [])


def data_table(rows: Sequence[CheckRow]) -> Table:
    """List every published figure beside what we say of it."""
    return Table(
        key="evidence",
        title=TITLE,
        columns=(
            Column("run", "Published run"),
            Column("software", "Software"),
            Column("source", "Source"),
            Column("date", "Date"),
            Column("measured", "Measured"),
            Column("low", "Low, 1 in 10 is below"),
            Column("predicted", "Predicted"),
            Column("high", "High, 1 in 10 is above"),
            Column("of_plan", "On a device of this plan"),
        ),
        rows=tuple(
            {
                "run": row.label,
                "software": row.engine,
                "source": row.source,
                "date": row.date,
                "measured": row.measured,
                "low": row.low,
                "predicted": row.predicted,
                "high": row.high,
                "of_plan": row.is_of_plan,
            }
            for row in rows
        ),
    )


def _drawable(rows: Sequence[CheckRow]) -> list[CheckRow]:
    """Keep the figures that a logarithmic axis can show."""
    return [
        row
        for row in rows
        if row.measured > 0 and math.isfinite(row.predicted) and row.predicted > 0
    ]


def _thinned(rows: Sequence[CheckRow]) -> tuple[Sequence[CheckRow], str]:
    """Leave out every so many points where there are too many, and say so."""
    every = math.ceil(len(rows) / DRAWN)
    if every == 1:
        return rows, ""
    drawn = [row for place, row in enumerate(rows) if row.is_of_plan or place % every == 0]
    return drawn, f"{len(drawn):,} of {len(rows):,} points are drawn; the data have all."


def _within(share: float, ends: tuple[float, float], palette: Palette) -> dict[str, Any]:
    """Shade what lies within a share of the measurement."""
    across = [10**end for end in ends]
    low = [(1 - share) * x for x in across]
    high = [(1 + share) * x for x in across]
    return {**marks.band(across, low, high, palette.others), "opacity": 0.16}


def _identity(ends: tuple[float, float], palette: Palette) -> dict[str, Any]:
    across = [10**end for end in ends]
    return dict(
        type="scatter",
        mode="lines",
        x=across,
        y=across,
        line=dict(color=palette.target, width=1.5),
        hoverinfo="skip",
    )


def _points(rows: Sequence[CheckRow], color: str, palette: Palette, unit: str) -> dict[str, Any]:
    shown = base.safe(unit.partition(",")[0], 20)
    return dict(
        type="scatter",
        mode="markers",
        x=[row.measured for row in rows],
        y=[row.predicted for row in rows],
        marker=dict(size=7, color=color, opacity=0.6, line=dict(width=0.5, color=palette.page)),
        text=[
            f"{base.safe(row.label, 70)}<br>{base.safe(row.engine, 40)}"
            f"<br>{base.safe(row.source, 60)}, {base.safe(row.date, 24)}"
            for row in rows
        ],
        hovertemplate="%{text}<br>measured %{x:,.3~r}, we say %{y:,.3~r} "
        + f"{shown}<extra></extra>",
    )
