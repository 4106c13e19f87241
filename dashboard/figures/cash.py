"""Figure of cash: what each way of paying takes out of the bank, month by month."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, months, selection
from dashboard.figures.lanes import Lane, Lanes, stack
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import CashRow, Column, Table

TITLE = "Cash by month, by way of paying"
BAR_PX, PURCHASE_PX, LABEL_PX = 34, 30, 17
LABEL_SHARE = 0.2
"""Least distance between the labels of two purchases, as a phone needs it. [share of the axis]"""


def figure(rows: Sequence[CashRow], frame: base.Frame) -> go.Figure:
    """Draw what is due every month as bars, and purchases as marks with their sum.

    Parameters
    ----------
    rows
        One per option.
    frame
        Scenario, date and colours.
    """
    ways = selection.ranked(rows)
    if not ways:
        return base.empty(
            frame, title=TITLE, message="No way of paying has all its prices. Add one of your own."
        )
    palette = frame.palette
    last = len(ways[0].regular_usd)
    lanes = stack([_lane(row) for row in ways], palette)
    high = max((usd for row in ways for usd in row.regular_usd), default=0.0) or 1.0
    return base.compose(
        frame,
        title=TITLE,
        subtitle=[
            f"US$. Bars: rent and running cost, the tallest {wording.usd(high)}.",
            "▼ purchases, less what old devices bring; not to scale.",
        ],
        traces=[_bars(ways, lanes, high, palette), _purchases(ways, lanes, palette)],
        plot_px=lanes.plot_px,
        xaxis=dict(range=[0.5, last + 0.5], showgrid=False, **months.axis(last, start=1)),
        yaxis=lanes.axis,
        annotations=[*lanes.names, *_sums(ways, lanes, palette)],
        right=30,
    )


def alt_text(rows: Sequence[CashRow]) -> str:
    """Say the figure in one sentence."""
    facts = []
    for row in selection.ranked(rows):
        bought = wording.usd(sum(row.purchases_usd))
        facts.append(f"{row.label} {bought} of purchases and {_in_words(row)[1]}")
    return base.sentence(TITLE, facts)


def data_table(rows: Sequence[CashRow]) -> Table:
    """List cash by what it is paid for, one line per option and month."""
    parts = list(dict.fromkeys(part for row in rows for part in row.parts_usd))
    return Table(
        key="cash_by_month",
        title=TITLE,
        columns=(
            Column("option", "Option"),
            Column("month", "Month"),
            *(Column(part, part.capitalize(), "USD") for part in parts),
            Column("cash", "Cash", "USD"),
            Column("so_far", "Cash so far", "USD"),
        ),
        rows=tuple(line for row in rows for line in _lines(row, parts)),
    )


def _lines(row: CashRow, parts: Sequence[str]) -> list[dict[str, object]]:
    so_far = 0.0
    lines: list[dict[str, object]] = []
    for month, usd in enumerate(
        a + b for a, b in zip(row.purchases_usd, row.regular_usd, strict=True)
    ):
        so_far += usd
        of_parts = {part: row.parts_usd[part][month] for part in parts}
        lines.append(
            {"option": row.label, "month": month + 1, **of_parts, "cash": usd, "so_far": so_far}
        )
    return lines


def _lane(row: CashRow) -> Lane:
    first, strong = _in_words(row)
    room = BAR_PX + (PURCHASE_PX if any(row.purchases_usd) else 0)
    return Lane(row.label, row.state, value=first, strong=strong, bar_px=room)


def _in_words(row: CashRow) -> tuple[str, str]:
    """Sum of several purchases, and what is due in a month."""
    times = sum(usd != 0 for usd in row.purchases_usd)
    bought = f"{wording.usd(sum(row.purchases_usd))} in {times} purchases," if times > 1 else ""
    monthly = sum(row.regular_usd) / len(row.regular_usd)
    return bought, f"{wording.usd(monthly)} a month"


def _bars(rows: Sequence[CashRow], lanes: Lanes, high: float, palette: Palette) -> dict[str, Any]:
    """Draw the bars of all lanes as one trace, which costs less than one for each."""
    drawn = [
        (month + 1, lane + _lane(row).bar_px, usd, row)
        for row, lane in zip(rows, lanes.bars_px, strict=True)
        for month, usd in enumerate(row.regular_usd)
    ]
    return dict(
        type="bar",
        x=[month for month, _, _, _ in drawn],
        base=[foot for _, foot, _, _ in drawn],
        y=[-BAR_PX * usd / high for _, _, usd, _ in drawn],
        width=0.6,
        marker=dict(
            color=[_color(row, palette) for _, _, _, row in drawn],
            opacity=[0.5 if row.state == "misses" else 1.0 for _, _, _, row in drawn],
        ),
        hovertext=[f"month {month}<br>{wording.usd(usd)}" for month, _, usd, _ in drawn],
        hoverinfo="text",
    )


def _purchases(rows: Sequence[CashRow], lanes: Lanes, palette: Palette) -> dict[str, Any]:
    drawn = [
        (month + 1, lane, usd, row)
        for row, lane in zip(rows, lanes.bars_px, strict=True)
        for month, usd in enumerate(row.purchases_usd)
        if usd
    ]
    return dict(
        type="scatter",
        mode="markers",
        x=[month for month, _, _, _ in drawn],
        y=[lane + LABEL_PX + 6 for _, lane, _, _ in drawn],
        marker=dict(
            symbol="triangle-down", size=11, color=[_color(row, palette) for *_, row in drawn]
        ),
        hovertext=[f"month {month}<br>bought for {wording.usd(usd)}" for month, _, usd, _ in drawn],
        hoverinfo="text",
    )


def _sums(rows: Sequence[CashRow], lanes: Lanes, palette: Palette) -> list[dict[str, Any]]:
    """Write the sums of purchases above their marks, the largest first, none over another."""
    labels = []
    for row, lane in zip(rows, lanes.bars_px, strict=True):
        last = len(row.purchases_usd)
        taken: list[int] = []
        for month in sorted(range(last), key=lambda m: (-row.purchases_usd[m], m)):
            is_free = all(abs(month - other) >= LABEL_SHARE * last for other in taken)
            if not row.purchases_usd[month] or not is_free:
                continue
            taken.append(month)
            labels.append(
                dict(
                    x=month + 1,
                    y=lane + LABEL_PX,
                    text=wording.usd(row.purchases_usd[month]),
                    showarrow=False,
                    xanchor=_side(month / last),
                    yanchor="bottom",
                    font=dict(color=palette.ink),
                )
            )
    return labels


def _side(share: float) -> str:
    """Side on which a label hangs, so that it stays in the plot."""
    return (
        "left" if share < LABEL_SHARE / 2 else "right" if share > 1 - LABEL_SHARE / 2 else "center"
    )


def _color(row: CashRow, palette: Palette) -> str:
    return palette.chosen if row.state == "chosen" else palette.others
