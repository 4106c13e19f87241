"""Figures of speed: throughput against time per token, and how a job scales with devices."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import base, marks
from dashboard.figures.base import Frame
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.tables import Column, FrontierRow, Job, ScaleRow, Table

FRONTIER_TITLE = "Throughput against time per token"
SCALE_TITLES: Mapping[Job, str] = {
    "serving": "Throughput against number of devices",
    "training": "Time to finish against number of devices",
}
SCALE_UNITS: Mapping[Job, str] = {
    "serving": "Tokens/s of all users",
    "training": "Time of one run",
}
PLOT_PX = 330
LINES = 6
TARGETS_WIDE = 2.0
"""Width of the frontier in targets: its right half is what misses."""
HEADROOM = 1.12
"""Height over the highest line, for the word at the target."""
RING_LEFT_FROM = 0.42
"""From this share of the width on, the words at the ring have room on its left."""
ROUND_HOURS = (1 / 12, 0.25, 1, 3, 10, 24, 72, 240, 720, 2400, 8760, 26280, 87600)


def frontier(rows: Sequence[FrontierRow], frame: Frame, *, target_ms: float) -> go.Figure:
    """Draw what a device gives all users against what one of them waits, as its batch grows."""
    palette = frame.palette
    ranked = base.choose(rows)[0]
    plan = _operating(ranked[0]) if ranked else None
    end = max(TARGETS_WIDE * target_ms, 1.25 * plan[0] if plan else 0.0)
    visible = [row for row in ranked if row.tpot_ms and row.tpot_ms[0] < end]
    if not visible:
        return base.empty(
            frame,
            title=FRONTIER_TITLE,
            message=f"No device answers within {wording.ms(end)} a token. "
            "Allow more time per token or compare other devices.",
        )
    drawn = visible[:LINES]
    high = HEADROOM * _highest(drawn, end)
    rates, times = base.steps(high), base.steps(end, at_most=4)
    said = [wording.significant(tick) for tick in rates]
    labels = [_end_tag(row, end, palette) for row in drawn]
    if plan:
        labels.append(_plan_tag(drawn[0], plan, end, palette))
    return base.figure(
        frame,
        title=FRONTIER_TITLE,
        subtitle=["Tokens/s, all users, by ms a token. Band: 8 of 10 cases."],
        traces=[
            *(
                marks.band(
                    row.tpot_ms, row.tokens_per_s_low, row.tokens_per_s_high, palette.chosen
                )
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
            *marks.tags(labels, palette, x=(0, end), y=(0, high), plot_px=PLOT_PX),
            _target_word(target_ms, palette),
        ],
        shapes=marks.missed(palette, x=target_ms, x1=end),
        note=_left_out(ranked, visible),
        left=base.axis_px(said),
        right=marks.GUTTER_PX,
    )


def frontier_alt(rows: Sequence[FrontierRow], *, target_ms: float) -> str:
    """Say the figure in one sentence."""
    facts = [
        f"{row.label} {wording.rate(row.tokens_per_s[row.operating])} for "
        f"{wording.count(row.users[row.operating])} users at "
        f"{wording.ms(row.tpot_ms[row.operating])} a token, {base.STATE_WORDS[row.state]}"
        if row.operating is not None
        else f"{row.label} {base.STATE_WORDS[row.state]}"
        for row in base.choose(rows)[0]
    ]
    return base.sentence(f"{FRONTIER_TITLE}, target {wording.ms(target_ms)}", facts)


def frontier_table(rows: Sequence[FrontierRow]) -> Table:
    """List every point of every line."""
    return Table(
        key="frontier",
        title=FRONTIER_TITLE,
        columns=(
            *base.DEVICE_COLUMNS,
            Column("users", "Users at once", "users"),
            Column("tpot_ms", "Time per output token", "ms"),
            Column("low_tokens_per_s", "Low, 1 in 10 is slower", "tokens/s"),
            Column("tokens_per_s", "Typical", "tokens/s"),
            Column("high_tokens_per_s", "High, 1 in 10 is faster", "tokens/s"),
            Column("planned", "The plan runs it here"),
        ),
        rows=tuple(
            {
                **base.device_cells(row),
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


def scale(rows: Sequence[ScaleRow], frame: Frame, *, job: Job = "training") -> go.Figure:
    """Draw what more devices of a kind bring, on axes on which equal steps are equal ratios."""
    palette = frame.palette
    ranked = base.choose(rows)[0]
    visible = [row for row in ranked if _points(row)]
    if not visible:
        return base.empty(
            frame, title=SCALE_TITLES[job], message="No device does this job in any number."
        )
    drawn = visible[:LINES]
    target = drawn[0].target
    counts = sorted({number for row in drawn for number, _ in _points(row)})
    values = [value for row in drawn for _, value in _points(row)] + base.finite([target])
    x = (math.log10(counts[0]) - 0.05, math.log10(2 * counts[-1]) - 0.25)
    y = (math.log10(min(values)) - 0.15, math.log10(max(values)) + 0.15)
    say = wording.hours if job == "training" else wording.tokens
    ticks = _ticks(job, 10 ** y[0], 10 ** y[1])
    said = [say(tick) for tick in ticks]
    numbers = [n for n in counts if math.log2(n / counts[0]).is_integer()]
    numbers = numbers[:: math.ceil(len(numbers) / 6)]
    plan = _used(ranked[0])
    labels = [
        *(marks.end_tag(row, *map(math.log10, _points(row)[-1]), palette) for row in drawn),
        *(_target_tag(t, x[1], say, palette) for t in base.finite([target])),
    ]
    if plan:
        words = [f"<b>{plan[0]:,} devices</b>", say(plan[1])]
        labels.append(
            marks.ring_tag(*map(math.log10, plan), words, palette, falling=job == "training")
        )
    return base.figure(
        frame,
        title=SCALE_TITLES[job],
        subtitle=[f"{SCALE_UNITS[job]}. Equal steps are equal ratios."],
        traces=[
            *(_scaling(row, job, palette) for row in reversed(drawn)),
            *([marks.ring(*plan, palette)] if plan else []),
        ],
        plot_px=PLOT_PX,
        xaxis=dict(
            type="log",
            range=x,
            tickvals=numbers,
            ticktext=[wording.count(number) for number in numbers],
        ),
        yaxis=dict(type="log", range=y, tickvals=ticks, ticktext=said),
        annotations=marks.tags(labels, palette, x=x, y=y, plot_px=PLOT_PX),
        shapes=marks.missed(palette, y=target, y1=10 ** y[job == "training"]),
        note=_left_out(ranked, visible),
        left=base.axis_px(said),
        right=marks.GUTTER_PX,
    )


def scale_alt(rows: Sequence[ScaleRow], *, job: Job = "training") -> str:
    """Say the figure in one sentence."""
    say = wording.hours if job == "training" else wording.rate
    facts = [
        f"{row.label} {say(points[0][1])} on {points[0][0]:,} and {say(points[-1][1])} "
        f"on {points[-1][0]:,}"
        if (points := _points(row))
        else f"{row.label} {base.STATE_WORDS[row.state]}"
        for row in base.choose(rows)[0]
    ]
    target = f", target {say(rows[0].target)}" if rows else ""
    return base.sentence(f"{SCALE_TITLES[job]}{target}", facts)


def scale_table(rows: Sequence[ScaleRow], *, job: Job = "training") -> Table:
    """List every point of every line."""
    unit = "h" if job == "training" else "tokens/s"
    return Table(
        key=f"scale_{job}",
        title=SCALE_TITLES[job],
        columns=(
            *base.DEVICE_COLUMNS,
            Column("devices", "Devices", "devices"),
            Column("value", "Time of a run" if job == "training" else "Throughput", unit),
            Column("target", "Target", unit),
            Column("planned", "The plan uses this number"),
        ),
        rows=tuple(
            {
                **base.device_cells(row),
                "devices": number,
                "value": value,
                "target": row.target,
                "planned": i == row.operating,
            }
            for row in rows
            for i, (number, value) in enumerate(zip(row.devices, row.value, strict=True))
        ),
    )


def _left_out(ranked: Sequence[base.Row], visible: Sequence[base.Row]) -> str:
    """Name what has no line, and count the lines there was no room for."""
    seen = set(map(id, visible))
    return base.absent(
        [row for row in ranked if id(row) not in seen], max(0, len(visible) - LINES)
    )


def _operating(row: FrontierRow) -> tuple[float, float] | None:
    """Find the point at which the plan runs the chosen device. [ms, tokens/s]"""
    if row.state != "chosen" or row.operating is None:
        return None
    return row.tpot_ms[row.operating], row.tokens_per_s[row.operating]


def _highest(drawn: Sequence[FrontierRow], end: float) -> float:
    """Find the highest drawn throughput left of the axis end. [tokens/s]"""
    tops = (row.tokens_per_s_high if row.state == "chosen" else row.tokens_per_s for row in drawn)
    points = (zip(row.tpot_ms, top, strict=True) for row, top in zip(drawn, tops, strict=True))
    return max(base.finite(y for line in points for x, y in line if x <= end), default=1.0)


def _curve(row: FrontierRow, palette: Palette) -> dict[str, Any]:
    return dict(
        **marks.dotted_line(row, row.tpot_ms, row.tokens_per_s, palette),
        customdata=row.users,
        hovertemplate="%{customdata:,.3~r} users<br>%{x:,.3~r} ms a token<br>"
        "%{y:,.3~r} tokens/s<extra>%{fullData.name}</extra>",
    )


def _end_tag(row: FrontierRow, end: float, palette: Palette) -> marks.Tag:
    x = min(row.tpot_ms[-1], end)
    return marks.end_tag(row, x, marks.between(row.tpot_ms, row.tokens_per_s, x), palette)


def _plan_tag(
    row: FrontierRow, plan: tuple[float, float], end: float, palette: Palette
) -> marks.Tag:
    users = row.users[row.operating or 0]
    lines = [f"<b>{wording.count(users)} users</b>", wording.rate(plan[1])]
    return marks.ring_tag(*plan, lines, palette, left=plan[0] > RING_LEFT_FROM * end)


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
        font=dict(size=12, color=palette.ink),
    )


def _points(row: ScaleRow) -> list[tuple[int, float]]:
    """Keep the numbers of devices with which the job can be done."""
    pairs = zip(row.devices, row.value, strict=True)
    return [(number, value) for number, value in pairs if math.isfinite(value) and value > 0]


def _used(row: ScaleRow) -> tuple[int, float] | None:
    """Find the number of devices that the plan uses, and what they bring."""
    if row.state != "chosen" or row.operating is None:
        return None
    return row.devices[row.operating], row.value[row.operating]


def _scaling(row: ScaleRow, job: Job, palette: Palette) -> dict[str, Any]:
    unit = "h" if job == "training" else "tokens/s"
    return dict(
        **marks.dotted_line(row, row.devices, row.value, palette),
        hovertemplate=f"%{{x:,}} devices<br>%{{y:,.3~r}} {unit}<extra>%{{fullData.name}}</extra>",
    )


def _ticks(job: Job, low: float, high: float) -> list[float]:
    """Choose steps of a logarithmic axis: round numbers, or times that people name."""
    if job == "serving":
        return base.decades(low, high)
    times = [hours for hours in ROUND_HOURS if low <= hours <= high]
    return times[:: math.ceil(len(times) / 6)] if times else []


def _target_tag(
    target: float, x: float, say: Callable[[float | None], str], palette: Palette
) -> marks.Tag:
    return marks.Tag(x, math.log10(target), [f"target {say(target)}"], palette.ink)
