"""Figure of drawn cases: what each option costs in them, and how often it is the cheapest."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures import base, cost, lanes, selection
from hwplanner import wording
from hwplanner.report.tables import Column, CostRow, Table

TITLE = "Cost of the options in all cases"


def figure(rows: Sequence[CostRow], frame: base.Frame) -> go.Figure:
    """Draw what half of the cases of each option cost less than, and where 8 of 10 lie."""
    known = [(row, row.usd) for row in rows if row.usd is not None]
    if not known:
        return base.empty(frame, title=TITLE, message="No option has all its prices.")
    stack = lanes.stack(
        [
            lanes.Lane(row.label, row.state, value=_words(row), bar_px=2 * cost.BAND_PX)
            for row, _ in known
        ],
        frame.palette,
    )
    priced = [
        (row, usd, top + cost.BAND_PX) for (row, usd), top in zip(known, stack.bars_px, strict=True)
    ]
    end = cost.axis_end([usd for _, usd in known])
    ticks = base.steps(end * cost.BEYOND)
    return base.compose(
        frame,
        title=TITLE,
        subtitle=["US$ over the plan. Dot: half of the cases cost less.", "Band: 8 of 10 cases."],
        traces=cost.intervals(priced, end, frame.palette),
        plot_px=stack.plot_px,
        xaxis=dict(
            range=[0, end * cost.BEYOND],
            tickvals=ticks,
            ticktext=[wording.usd(tick) for tick in ticks],
        ),
        yaxis=stack.axis,
        annotations=stack.names,
    )


def alt_text(rows: Sequence[CostRow]) -> str:
    """Say the figure in one sentence."""
    return base.sentence(
        TITLE,
        [
            f"{row.label} {wording.interval(row.usd.low, row.usd.high, wording.usd)}, {_words(row)}"
            for row in rows
            if row.usd is not None
        ],
    )


def data_table(rows: Sequence[CostRow]) -> Table:
    """List the numbers of the figure."""
    return Table(
        key="cases",
        title=TITLE,
        columns=(
            Column("option", "Option"),
            Column("verdict", "Verdict"),
            Column("cheapest_share", "Cheapest in", "share of cases"),
            Column("low_usd", "Low, 1 in 10 is cheaper", "USD over the plan"),
            Column("middle_usd", "Half are cheaper", "USD over the plan"),
            Column("high_usd", "High, 1 in 10 is dearer", "USD over the plan"),
        ),
        rows=tuple(
            {
                "option": row.label,
                "verdict": selection.verdict(row),
                "cheapest_share": row.cheapest_share,
                "low_usd": row.usd and row.usd.low,
                "middle_usd": row.usd and row.usd.typical,
                "high_usd": row.usd and row.usd.high,
            }
            for row in rows
        ),
    )


def _words(row: CostRow) -> str:
    won = f"cheapest in {wording.percent(row.cheapest_share)} of the cases"
    return base.safe(row.reason) or won
