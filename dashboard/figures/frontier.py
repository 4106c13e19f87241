"""Figure of the frontier: throughput of all users against the time that one waits for a token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks, selection
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import Column, FrontierRow, Table

TITLE = "Throughput against time per token"
PLOT_PX = 330
LINES = 6
TARGETS_WIDE = 2.0
"""Width of the axis in targets: its right half is what misses."""
HEADROOM = 1.12
"""Height over the highest line, for the word at the target."""


def figure(rows: Sequence[FrontierRow], frame: base.Frame, *, target_ms: float) -> go.Figure:
    """Draw how throughput and waiting grow together with the batch of each device.

    Parameters
    ----------
    rows
        One per device.
    frame
        Scenario, date and colours.
    target_ms
        Time per output token that a user may wait. [ms]
    """
    palette = frame.palette
    order = selection.ranked(rows)
    plan = _operating(order[0]) if order else None
    end = max(TARGETS_WIDE * target_ms, 1.25 * plan[0] if plan else 0.0)
    visible = [row for row in order if row.tpot_ms and row.tpot_ms[0] < end]
    if not visible:
        return base.empty(
            frame,
            title=TITLE,
            message=f"No device answers within {wording.ms(end)} a token. "
            "Allow more time per token or compare other devices.",
        )
    drawn = visible[:LINES]
    high = HEADROOM * _highest(drawn, end)
    rates, times = base.steps(high), base.steps(end, at_most=4)
    said = [wording.significant(tick) for tick in rates]
    tags = [_end_tag(row, end, palette) for row in drawn]
    if plan:
        tags.append(_plan_tag(drawn[0], plan, end, palette))
    return base.compose(
        frame,
        title=TITLE,
        subtitle=["Tokens/s, all users, by ms a token. Band: 8 of 10 cases."],
        traces=[
            *(
                marks.band(row.tpot_ms, row.tokens_per_s_low, row.tokens_per_s_high, palette.chosen)
                for row in drawn
                if row.state == "chosen"
            ),
            *(_curve(row, palette) for row in reversed(drawn)),
            *([marks.ring(*plan, palette)] if plan else []),
        ],
        plot_px=PLOT_PX,
        xaxis=dict(
            range=[0, end],
            tickvals=times,
            ticktext=[*(wording.significant(tick) for tick in times[:-1]), wording.ms(times[-1])],
        ),
        yaxis=dict(range=[0, high], tickvals=rates, ticktext=said),
        annotations=[
            *marks.tags(tags, palette, x=(0, end), y=(0, high), plot_px=PLOT_PX),
            _target_word(target_ms, palette),
        ],
        shapes=marks.missed("x", target_ms, end, palette),
        note=selection.absent(
            [row for row in order if row not in visible], crowded=len(visible) - len(drawn)
        ),
        left=base.axis_px(said),
        right=marks.GUTTER_PX,
    )


def alt_text(rows: Sequence[FrontierRow], *, target_ms: float) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {wording.rate(row.tokens_per_s[row.operating])} for "
        f"{wording.significant(row.users[row.operating])} requests in flight at "
        f"{wording.ms(row.tpot_ms[row.operating])} a token, {selection.verdict(row)}"
        if row.operating is not None
        else f"{row.label} {selection.verdict(row)}"
        for row in selection.ranked(rows)
    ]
    return base.sentence(f"{TITLE}, target {wording.ms(target_ms)}", facts)


def data_table(rows: Sequence[FrontierRow]) -> Table:
    """List every point of every line."""
    return Table(
        key="frontier",
        title=TITLE,
        columns=(
            *selection.DEVICE_COLUMNS,
            Column("users", "In flight", "requests"),
            Column("tpot_ms", "Time per output token", "ms"),
            Column("low_tokens_per_s", "Low, 1 in 10 is slower", "tokens/s"),
            Column("tokens_per_s", "Typical", "tokens/s"),
            Column("high_tokens_per_s", "High, 1 in 10 is faster", "tokens/s"),
            Column("planned", "The plan runs it here"),
        ),
        rows=tuple(
            {
                **selection.device_cells(row),
                "users": row.users[i],
                "tpot_ms": row.tpot_ms[i],
                "low_tokens_per_s": row.tokens_per_s_low[i],
                "tokens_per_s": row.tokens_per_s[i],
                "high_tokens_per_s": row.tokens_per_s_high[i],
                "planned": i == row.operating,
            }
            for row in rows
            for i in range(len(row.tpot_ms))
        ),
    )


def _operating(row: FrontierRow) -> tuple[float, float] | None:
    """Find the point at which the plan runs the chosen device. [ms, tokens/s]"""
    if row.state != "chosen" or row.operating is None:
        return None
    return row.tpot_ms[row.operating], row.tokens_per_s[row.operating]


def _highest(drawn: Sequence[FrontierRow], end: float) -> float:
    """Find the highest drawn throughput left of the axis end. [tokens/s]"""
    tops = (row.tokens_per_s_high if row.state == "chosen" else row.tokens_per_s for row in drawn)
    lines = (zip(row.tpot_ms, top, strict=True) for row, top in zip(drawn, tops, strict=True))
    return max(base.finite(y for line in lines for x, y in line if x <= end), default=0.0) or 1.0


def _curve(row: FrontierRow, palette: Palette) -> dict[str, Any]:
    return dict(
        **marks.line(row, row.tpot_ms, row.tokens_per_s, palette),
        customdata=row.users,
        hovertemplate="%{customdata:,.3~r} in flight<br>%{x:,.3~r} ms a token<br>"
        "%{y:,.3~r} tokens/s<extra>%{fullData.name}</extra>",
    )


def _end_tag(row: FrontierRow, end: float, palette: Palette) -> marks.Tag:
    x = min(row.tpot_ms[-1], end)
    return marks.end_tag(row, x, marks.between(row.tpot_ms, row.tokens_per_s, x), palette)


def _plan_tag(
    row: FrontierRow, plan: tuple[float, float], end: float, palette: Palette
) -> marks.Tag:
    users = row.users[row.operating or 0]
    lines = [f"<b>{wording.significant(users)} in flight</b>", f"{wording.significant(plan[1])}/s"]
    return marks.ring_tag(*plan, lines, palette, across=plan[0] / end)


def _target_word(target_ms: float, palette: Palette) -> dict[str, Any]:
    return dict(
        x=target_ms,
        xanchor="left",
        xshift=4,
        y=1,
        yref="paper",
        yanchor="top",
        text=f"target {wording.ms(target_ms)}",
        showarrow=False,
        font=dict(color=palette.ink),
    )
