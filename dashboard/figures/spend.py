"""Figure of spending: what each way of paying has cost so far, and where the chosen pays off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks, selection
from dashboard.figures import months as calendar
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import Column, SpendRow, Table

TITLE = "Money spent so far, by way of paying"
PLOT_PX = 330


def figure(
    rows: Sequence[SpendRow], frame: base.Frame, *, break_even_month: float | None = None
) -> go.Figure:
    """Draw what each option has cost so far, month by month.

    Parameters
    ----------
    rows
        One per option.
    frame
        Scenario, date and colours.
    break_even_month
        When the chosen option becomes cheaper than renting; none if it never does.
    """
    ways = selection.ranked(rows)
    drawn = [row for row in ways if row.state in selection.WITH_VALUE and row.months]
    if not drawn:
        return base.empty(
            frame,
            title=TITLE,
            message="No way of paying has all its prices. Add your own on the Prices page.",
        )
    palette = frame.palette
    months = max(row.months[-1] for row in drawn)
    tops = (row.usd_high if row.state == "chosen" else row.usd for row in drawn)
    high = 1.05 * max(base.finite(usd for top in tops for usd in top), default=1.0) or 1.0
    ticks = base.steps(high)
    said = [wording.usd(tick) for tick in ticks]
    rings = [
        _paid_off(drawn[0], month, months, palette) for month in base.finite([break_even_month])
    ]
    return base.compose(
        frame,
        title=TITLE,
        subtitle=[f"US$ over {months:g} months. Dashed: rented. Band: 8 of 10 cases."],
        traces=[
            *(
                marks.band(row.months, row.usd_low, row.usd_high, palette.chosen)
                for row in drawn
                if row.state == "chosen"
            ),
            *(_line(row, palette) for row in reversed(drawn)),
            *(marks.ring(tag.x, tag.y, palette) for tag in rings),
        ],
        plot_px=PLOT_PX,
        xaxis=dict(range=[0, months], **calendar.axis(months)),
        yaxis=dict(range=[0, high], tickvals=ticks, ticktext=said),
        annotations=marks.tags(
            [*(_sum(row, palette) for row in drawn), *rings],
            palette,
            x=(0, months),
            y=(0, high),
            plot_px=PLOT_PX,
        ),
        note=selection.absent([row for row in ways if row not in drawn]),
        left=base.axis_px(said),
        right=marks.GUTTER_PX,
    )


def alt_text(rows: Sequence[SpendRow], *, break_even_month: float | None = None) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {wording.usd(row.usd[-1])} after {row.months[-1]:g} months"
        if row.usd and row.state in selection.WITH_VALUE
        else f"{row.label} {selection.verdict(row)}"
        for row in selection.ranked(rows)
    ]
    if break_even_month is not None:
        facts.append(f"by month {break_even_month:.0f} the chosen way has cost less than renting")
    return base.sentence(TITLE, facts)


def data_table(rows: Sequence[SpendRow]) -> Table:
    """List the numbers of the figure, one line per option and month."""
    return Table(
        key="spend",
        title=TITLE,
        columns=(
            Column("option", "Option"),
            Column("verdict", "Verdict"),
            Column("month", "Month", "months"),
            Column("low_usd", "Low, 1 in 10 is cheaper", "USD"),
            Column("typical_usd", "Typical", "USD"),
            Column("high_usd", "High, 1 in 10 is dearer", "USD"),
        ),
        rows=tuple(
            {
                "option": row.label,
                "verdict": selection.verdict(row),
                "month": month,
                "low_usd": low,
                "typical_usd": usd,
                "high_usd": high,
            }
            for row in rows
            for month, low, usd, high in zip(
                row.months, row.usd_low, row.usd, row.usd_high, strict=True
            )
        ),
    )


def _line(row: SpendRow, palette: Palette) -> dict[str, Any]:
    return dict(
        type="scatter",
        mode="lines",
        name=base.safe(row.label),
        x=row.months,
        y=row.usd,
        line=marks.style(row.state, palette, dash="dash" if row.rented else "solid"),
        hovertemplate="month %{x:.0f}<br>$%{y:,.3~s}<extra>%{fullData.name}</extra>",
    )


def _sum(row: SpendRow, palette: Palette) -> marks.Tag:
    """Label a line at its end with the option and its final sum."""
    lines = [*base.wrapped(row.label, marks.GUTTER_CHARACTERS, lines=3), wording.usd(row.usd[-1])]
    if row.state == "chosen":
        lines = [f"<b>{line}</b>" for line in lines]
    if row.state == "misses":
        lines.append("<i>misses target</i>")
    return marks.Tag(row.months[-1], row.usd[-1], lines, marks.ink(row.state, palette))


def _paid_off(row: SpendRow, month: float, months: float, palette: Palette) -> marks.Tag:
    """Explain where the chosen way becomes the cheaper one."""
    return marks.ring_tag(
        month,
        marks.between(row.months, row.usd, month),
        ["cheaper than", "renting from", f"<b>month {month:.0f}</b>"],
        palette,
        across=month / (months or 1),
    )
