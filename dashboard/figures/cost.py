"""Figures of cost: what each device costs, and what each way of paying has cost so far."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks
from dashboard.figures.base import Frame
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.tables import Column, CostRow, Interval, Job, SpendRow, Table

TITLES: Mapping[Job, str] = {
    "serving": "Cost of serving, by device",
    "training": "Cost of a training run, by device",
}
UNITS: Mapping[Job, str] = {
    "serving": "US$ per 1M output tokens",
    "training": "US$ per run",
}
SPEND_TITLE = "Money spent so far, by way of paying"
SPEND_PLOT_PX = 330
BAND_PX = 9
BEYOND = 1.24
"""Axis end over the longest band: room for the number behind it."""
OFF_SCALE = 5
"""Beyond this multiple of the best typical cost a row runs off the axis, and says so."""


def cost_by_device(rows: Sequence[CostRow], frame: Frame, *, job: Job = "serving") -> go.Figure:
    """Draw the typical cost of each device inside the band that holds 8 of 10 cases."""
    if not rows:
        return base.empty(frame, title=TITLES[job], message=base.NO_DEVICE)
    palette = frame.palette
    shown, note = base.choose(rows, _typical)
    lanes = marks.lanes([_lane(row) for row in shown], palette)
    priced = [
        (row, usd, top + BAND_PX)
        for row, top in zip(shown, lanes.bars_px, strict=True)
        if (usd := _usd(row))
    ]
    end = _axis_end([usd for _, usd, _ in priced])
    ticks = base.steps(end * BEYOND)
    return base.figure(
        frame,
        title=TITLES[job],
        subtitle=[f"{UNITS[job]}. Band: 8 of 10 cases."],
        traces=_intervals(priced, end, palette) if priced else [],
        plot_px=lanes.plot_px,
        xaxis=dict(
            visible=bool(priced),
            range=[0, end * BEYOND],
            tickvals=ticks,
            ticktext=[wording.usd(tick) for tick in ticks],
        ),
        yaxis=dict(visible=False, range=[lanes.plot_px, 0]),
        annotations=lanes.names,
        note=note,
    )


def cost_by_device_alt(rows: Sequence[CostRow], *, job: Job = "serving") -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {wording.usd(usd.typical)}, {base.STATE_WORDS[row.state]}"
        if (usd := _usd(row))
        else f"{row.label} {row.reason or base.STATE_WORDS[row.state]}"
        for row in base.choose(rows, _typical)[0]
    ]
    return base.sentence(f"{TITLES[job]}, {UNITS[job]}", facts)


def cost_by_device_table(rows: Sequence[CostRow], *, job: Job = "serving") -> Table:
    """List the numbers of the figure for every device."""
    unit = "USD/1M output tokens" if job == "serving" else "USD/run"
    return Table(
        key=f"cost_{job}",
        title=TITLES[job],
        columns=(
            *base.DEVICE_COLUMNS,
            Column("reason", "Reason"),
            Column("low_usd", "Low, 1 in 10 is cheaper", unit),
            Column("typical_usd", "Typical", unit),
            Column("high_usd", "High, 1 in 10 is dearer", unit),
        ),
        rows=tuple(
            {
                **base.device_cells(row),
                "reason": row.reason,
                "low_usd": row.usd and row.usd.low,
                "typical_usd": row.usd and row.usd.typical,
                "high_usd": row.usd and row.usd.high,
            }
            for row in rows
        ),
    )


def _usd(row: CostRow) -> Interval | None:
    """Give the cost to draw; a device that cannot do the job has none."""
    known = row.usd is not None and math.isfinite(row.usd.typical)
    return row.usd if known and row.state in base.WITH_VALUE else None


def _lane(row: CostRow) -> marks.Lane:
    if row.state in ("chosen", "fine") and _usd(row):
        return marks.Lane(row.label, row.state, below_px=2 * BAND_PX)
    reason = row.reason or base.STATE_WORDS[row.state]
    return marks.Lane(
        row.label, row.state, reason=reason, below_px=2 * BAND_PX if _usd(row) else 0
    )


def _typical(row: CostRow) -> float:
    usd = _usd(row)
    return usd.typical if usd else math.inf


def _axis_end(costs: Sequence[Interval]) -> float:
    """End the axis at the dearest row, or earlier if that would squeeze all the others."""
    if not costs:
        return 1.0
    limit = OFF_SCALE * max(min(usd.typical for usd in costs), costs[0].typical)
    return min(max(usd.high for usd in costs), limit) or 1.0


def _intervals(
    priced: Sequence[tuple[CostRow, Interval, float]], end: float, palette: Palette
) -> list[dict[str, Any]]:
    """Draw a band, a dot and the number in words for each row."""
    y = [height for _, _, height in priced]
    misses = [row.state == "misses" for row, _, _ in priced]
    colors = [palette.chosen if row.state == "chosen" else palette.others for row, _, _ in priced]
    words = [
        f"<b>{wording.usd(usd.typical)}</b>" if row.state == "chosen" else wording.usd(usd.typical)
        for row, usd, _ in priced
    ]
    return [
        dict(
            type="bar",
            orientation="h",
            y=y,
            base=[usd.low for _, usd, _ in priced],
            x=[max(0.0, min(usd.high, end) - usd.low) for _, usd, _ in priced],
            width=BAND_PX,
            marker=dict(color=colors, opacity=[0.2 if miss else 0.35 for miss in misses]),
            hoverinfo="skip",
        ),
        dict(
            type="scatter",
            mode="markers",
            y=y,
            x=[usd.typical for _, usd, _ in priced],
            marker=dict(
                size=11,
                color=[
                    palette.page if miss else color
                    for miss, color in zip(misses, colors, strict=True)
                ],
                line=dict(color=colors, width=2),
                opacity=1,
            ),
            hovertext=[
                f"{base.safe(row.label)}<br>{wording.usd(usd.typical)}, 8 of 10 cases "
                f"{wording.interval(usd.low, usd.high, wording.usd)}"
                for row, usd, _ in priced
            ],
            hoverinfo="text",
        ),
        dict(
            type="scatter",
            mode="text",
            y=y,
            x=[min(max(usd.high, usd.typical), end) for _, usd, _ in priced],
            text=[
                f" {said} →" if usd.high > end else f" {said}"
                for (_, usd, _), said in zip(priced, words, strict=True)
            ],
            textposition="middle right",
            textfont=dict(
                size=13, color=[palette.soft_ink if miss else palette.ink for miss in misses]
            ),
            hoverinfo="skip",
        ),
    ]


def spend_over_time(
    rows: Sequence[SpendRow], frame: Frame, *, break_even_month: float | None = None
) -> go.Figure:
    """Draw what each way of paying has cost so far, and when the chosen one has paid off.

    Parameters
    ----------
    rows
        One per option, each with the same months.
    frame
        Scenario, date and colours.
    break_even_month
        When the chosen option becomes cheaper than its rented rival; none if it never does.
    """
    drawn = [row for row in base.choose(rows)[0] if row.state in base.WITH_VALUE and row.months]
    if not drawn:
        return base.empty(
            frame,
            title=SPEND_TITLE,
            message="No way of paying has all its prices. Add a quote of your own under Money.",
        )
    palette = frame.palette
    months = max(row.months[-1] for row in drawn)
    high = 1.05 * max(base.finite(v for row in drawn for v in (*row.usd, *_band_top(row))))
    paid_off = [
        _paid_off(drawn[0], month, months, palette)
        for month in base.finite([break_even_month])
    ]
    ticks = base.steps(high)
    money = [wording.usd(tick) for tick in ticks]
    return base.figure(
        frame,
        title=SPEND_TITLE,
        subtitle=[f"US$ over {months:g} months. Dashed: rented. Band: 8 of 10 cases."],
        traces=[
            *(_band(row, palette) for row in drawn if row.state == "chosen"),
            *(_line(row, palette) for row in reversed(drawn)),
            *(marks.ring(tag.x, tag.y, palette) for tag in paid_off),
        ],
        plot_px=SPEND_PLOT_PX,
        xaxis=dict(range=[0, months], **_months(months)),
        yaxis=dict(range=[0, high], tickvals=ticks, ticktext=money),
        annotations=marks.tags(
            [*(_sum(row, palette) for row in drawn), *paid_off],
            palette,
            x=(0, months),
            y=(0, high),
            plot_px=SPEND_PLOT_PX,
        ),
        note=base.absent([row for row in rows if row.state not in base.WITH_VALUE]),
        left=base.axis_px(money),
        right=marks.GUTTER_PX,
    )


def spend_over_time_alt(
    rows: Sequence[SpendRow], *, break_even_month: float | None = None
) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {wording.usd(row.usd[-1])} after {row.months[-1]:g} months"
        if row.usd and row.state in base.WITH_VALUE
        else f"{row.label} {base.STATE_WORDS[row.state]}"
        for row in base.choose(rows)[0]
    ]
    if break_even_month is not None:
        facts.append(f"the chosen way is cheaper than renting from month {break_even_month:.0f}")
    return base.sentence("Money spent so far", facts)


def spend_over_time_table(rows: Sequence[SpendRow]) -> Table:
    """List the numbers of the figure, one line per option and month."""
    return Table(
        key="spend",
        title=SPEND_TITLE,
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
                "verdict": base.STATE_WORDS[row.state],
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


def _band_top(row: SpendRow) -> Sequence[float]:
    return row.usd_high if row.state == "chosen" else ()


def _band(row: SpendRow, palette: Palette) -> dict[str, Any]:
    return marks.band(row.months, row.usd_low, row.usd_high, palette.chosen)


def _line(row: SpendRow, palette: Palette) -> dict[str, Any]:
    return dict(
        type="scatter",
        mode="lines",
        name=base.safe(row.label),
        x=row.months,
        y=row.usd,
        line=marks.line(row.state, palette, dash="dash" if row.rented else "solid"),
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
        left=month > 0.45 * months,
    )


def _months(months: float) -> dict[str, Any]:
    step = next(step for step in (1, 2, 3, 6, 12, 24) if months / step <= 5)
    ticks = list(range(0, math.floor(months) + 1, step))
    return dict(
        tickvals=ticks, ticktext=[f"month {t}" if t == ticks[-1] else f"{t}" for t in ticks]
    )
