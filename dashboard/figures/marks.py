"""Pieces that several figures draw: lanes, lines, bands, rings, and labels that keep apart.

The width of a figure is not known here, its height is: labels are kept apart vertically, in
pixels, which holds from a phone to a projector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from dashboard.figures import base
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.tables import State

GUTTER_CHARACTERS = 15
GUTTER_PX = 116
LANE_CHARACTERS = 50
REASON_CHARACTERS = 54
NAME_PX = 17
LANE_GAP_PX = 11
LINE_PX = 16
MOVED_PX = 5
RING_LIFT_PX = 32
CLEAR = "rgba(0,0,0,0)"
TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class Tag:
    """A label of one or more lines beside a point, in coordinates of the axes."""

    x: float
    y: float
    lines: Sequence[str]
    color: str
    left: bool = False
    """Whether it stands left of the point."""
    gap_px: float = 10
    lift_px: float = 0
    """How far above the point's height it had better stand."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One row of a figure of bars: whose it is, and what it comes to or what speaks against it."""

    label: str
    state: State
    value: str = ""
    strong: str = ""
    """End of the value, in bold."""
    reason: str = ""
    below_px: float = 0
    """Room for the bar under the name."""

    @property
    def lines(self) -> list[str]:
        """Text above the bar: one line where a phone has the room, else two."""
        label = device(self.label, LANE_CHARACTERS)
        rest = base.clip(self.reason or f"{self.value} {self.strong}", REASON_CHARACTERS)
        one_line = len(label) + len(rest) <= LANE_CHARACTERS
        label = base.safe(label, LANE_CHARACTERS)
        label = f"<b>{label}</b>" if self.state == "chosen" else label
        rest = base.safe(rest, REASON_CHARACTERS)
        if self.reason:
            rest = f"<i>{rest}</i>"
        elif self.strong:
            rest = f"{self.value} <b>{self.strong}</b>"
        if not rest:
            return [label]
        return [f"{label}   {rest}"] if one_line else [label, rest]


@dataclass(frozen=True, slots=True)
class Lanes:
    """Lanes under one another, on an upright axis that counts pixels from the top."""

    names: list[dict[str, Any]]
    bars_px: list[float]
    """Upper edge of the room for each bar."""
    plot_px: int


def lanes(rows: Sequence[Lane], palette: Palette) -> Lanes:
    """Set names above their bars; the page's colour behind them interrupts the grid."""
    texts, bars, top = [], [], 2.0
    for row in rows:
        lines = row.lines
        texts.append(
            dict(
                x=0,
                xref="paper",
                xanchor="left",
                xshift=-2,
                y=top,
                yanchor="top",
                align="left",
                text="<br>".join(lines),
                showarrow=False,
                bgcolor=palette.page,
                borderpad=1,
                font=dict(size=13, color=ink(row.state, palette)),
            )
        )
        bars.append(top + NAME_PX * len(lines) + 2)
        top = bars[-1] + row.below_px + LANE_GAP_PX
    return Lanes(texts, bars, round(top))


def device(label: str, characters: int) -> str:
    """Shorten a device's label but keep how many there are."""
    name, times, count = label.rpartition(TIMES)
    if not times or len(label) <= characters:
        return base.clip(label, characters)
    count = f"\N{NO-BREAK SPACE}{times}{count}"
    return base.clip(name, max(8, characters - len(count))).rstrip() + base.clip(count, 12)


def ink(state: State, palette: Palette) -> str:
    """Colour of a text on a row: soft where the device does not do the job."""
    return palette.ink if state in ("chosen", "fine") else palette.soft_ink


def line(state: State, palette: Palette, *, dash: str | None = None) -> dict[str, Any]:
    """Style of one candidate's line: the chosen one is strong, one that misses is dotted."""
    if state == "chosen":
        return dict(color=palette.chosen, width=3, dash=dash or "solid")
    return dict(
        color=palette.others, width=1.8, dash=dash or ("dot" if state == "misses" else "solid")
    )


def dotted_line(
    row: base.Row, x: Sequence[float], y: Sequence[float], palette: Palette
) -> dict[str, Any]:
    """Draw one candidate's line with a dot at each point that was worked out."""
    style = line(row.state, palette)
    return dict(
        type="scatter",
        mode="lines+markers",
        name=base.safe(row.label),
        x=x,
        y=y,
        line=style,
        marker=dict(size=5 if row.state == "chosen" else 4, color=style["color"]),
    )


def missed(
    palette: Palette,
    *,
    x: float | None = None,
    x1: float | None = None,
    y: float | None = None,
    y1: float | None = None,
) -> list[dict[str, Any]]:
    """Draw the line of a target, upright at `x` or level at `y`, and shade the side that misses.

    The shade reaches from the line to `x1` or `y1`.
    """
    upright = dict(x0=x, x1=x, yref="paper", y0=0, y1=1)
    at = upright if x is not None else dict(y0=y, y1=y, xref="paper", x0=0, x1=1)
    side = {**at, "x1": x1} if x is not None else {**at, "y1": y1}
    return [
        dict(
            type="rect",
            layer="below",
            fillcolor=palette.ink,
            opacity=0.05,
            line=dict(width=0),
            **side,
        ),
        dict(type="line", layer="below", line=dict(color=palette.target, width=2), **at),
    ]


def band(
    x: Sequence[float], low: Sequence[float], high: Sequence[float], color: str
) -> dict[str, Any]:
    """Fill the range between two lines."""
    return dict(
        type="scatter",
        mode="lines",
        x=[*x, *reversed(x)],
        y=[*low, *reversed(high)],
        fill="toself",
        fillcolor=color,
        line=dict(width=0),
        opacity=0.14,
        hoverinfo="skip",
    )


def ring(x: float, y: float, palette: Palette) -> dict[str, Any]:
    """Mark the point that the text speaks of."""
    return dict(
        type="scatter",
        mode="markers",
        x=[x],
        y=[y],
        marker=dict(size=13, color=palette.page, line=dict(color=palette.chosen, width=3)),
        hoverinfo="skip",
    )


def between(x: Sequence[float], y: Sequence[float], at: float) -> float:
    """Height of a drawn line at a place between its points."""
    for (x0, y0), (x1, y1) in pairwise(zip(x, y, strict=True)):
        if x0 <= at <= x1:
            return y0 + (y1 - y0) * (at - x0) / ((x1 - x0) or 1.0)
    return y[0] if at < x[0] else y[-1]


def gutter(label: str, *, strong: bool = False) -> list[str]:
    """Break a device's label in two lines for the margin right of a plot, keeping its count."""
    name, times, number = wording.short(label).rpartition(TIMES)
    count = f"\N{NO-BREAK SPACE}{times}{number}" if times else ""
    name = name.strip() if times else number
    lines = base.wrapped(name + count, GUTTER_CHARACTERS)
    if len(lines) > 2:
        lines = base.wrapped(name, GUTTER_CHARACTERS - len(count), lines=2)
        lines[-1] += count
    return [f"<b>{line}</b>" for line in lines] if strong else lines


def end_tag(row: base.Row, x: float, y: float, palette: Palette) -> Tag:
    """Label the end of one candidate's line."""
    return Tag(x, y, gutter(row.label, strong=row.state == "chosen"), ink(row.state, palette))


def ring_tag(
    x: float,
    y: float,
    lines: Sequence[str],
    palette: Palette,
    *,
    left: bool = False,
    falling: bool = False,
) -> Tag:
    """Explain a ring where its line leaves room.

    That is above a rising line on the left and below it on the right; for a falling line it is
    the other way round.
    """
    lift = RING_LIFT_PX if left != falling else -RING_LIFT_PX
    return Tag(x, y, lines, palette.ink, left=left, gap_px=14, lift_px=lift)


def tags(
    labels: Sequence[Tag],
    palette: Palette,
    *,
    x: tuple[float, float],
    y: tuple[float, float],
    plot_px: int,
) -> list[dict[str, Any]]:
    """Set labels beside their points, none over another, with a thin leader where moved far.

    Labels in the left half never reach those that begin in the right half, not even on a phone;
    within a half, no two stand at one height.

    Parameters
    ----------
    labels
        What to set.
    palette
        Colours.
    x, y
        Ranges of the axes, as the labels count.
    plot_px
        Height of the plot. [px]
    """
    middle = (x[0] + x[1]) / 2
    halves = (
        [tag for tag in labels if tag.left or tag.x < middle],
        [tag for tag in labels if not tag.left and tag.x >= middle],
    )
    result = []
    for half in halves:
        points = [plot_px * (tag.y - y[0]) / (y[1] - y[0]) for tag in half]
        wanted = [point + tag.lift_px for point, tag in zip(points, half, strict=True)]
        places = apart(wanted, [LINE_PX * len(tag.lines) + 2.0 for tag in half], plot_px)
        for tag, point, want, place in zip(half, points, wanted, places, strict=True):
            side = "right" if tag.left else "left"
            moved = abs(place - want) > MOVED_PX
            result.append(
                dict(
                    x=tag.x,
                    y=tag.y,
                    text="<br>".join(tag.lines),
                    font=dict(size=12, color=tag.color),
                    align=side,
                    xanchor=side,
                    yanchor="middle",
                    ax=-tag.gap_px if tag.left else tag.gap_px,
                    ay=point - place,
                    showarrow=True,
                    arrowhead=0,
                    arrowwidth=1,
                    standoff=2,
                    arrowcolor=palette.others if moved else CLEAR,
                    bgcolor=palette.veil,
                )
            )
    return result


def apart(centres: Sequence[float], sizes: Sequence[float], length: float) -> list[float]:
    """Move labels along a line from 0 to `length`, as little as it takes to separate them.

    Where labels want the same place they share the way (pool adjacent violators): with the room
    of the labels before it taken off, each place must not be lower than the one before.
    """
    if not centres:
        return []
    order = sorted(range(len(centres)), key=lambda i: centres[i])
    taken = [sizes[order[0]] / 2]
    for before, here in pairwise(order):
        taken.append(taken[-1] + (sizes[before] + sizes[here]) / 2)
    pools: list[list[float]] = []
    for i, room in zip(order, taken, strict=True):
        pools.append([centres[i] - room])
        while len(pools) > 1 and _mean(pools[-2]) > _mean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    free = max(0.0, length - sum(sizes))
    wanted = [_mean(pool) for pool in pools for _ in pool]
    placed = [0.0] * len(centres)
    for i, room, place in zip(order, taken, wanted, strict=True):
        placed[i] = min(max(place, 0.0), free) + room
    return placed


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
