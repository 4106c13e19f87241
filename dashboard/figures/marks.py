"""Pieces that several figures draw: lines, bands, targets, rings, and labels that keep apart.

The width of a figure is not known here, its height is: labels are kept apart vertically, in
pixels, which holds from a phone to a projector.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Literal

from dashboard.figures.base import safe, wrapped
from dashboard.figures.palette import Palette
from dashboard.figures.selection import Row
from hwplanner import wording
from hwplanner.report.tables import State

GUTTER_CHARACTERS = 15
GUTTER_PX = 116
LINE_PX = 16
MOVED_PX = 5
RING_LIFT_PX = 32
RING_GAP_PX = 14
CHARACTER_PX = 7
PHONE_PLOT_PX = 190
"""Width of a plot with both margins on the narrowest screen."""
COUNTED = re.compile(r"(.*\S)\s*(×[\d,]{1,7})", re.DOTALL)


def ink(state: State, palette: Palette) -> str:
    """Colour of a text on a row: soft where the device does not do the job."""
    return palette.ink if state in ("chosen", "fine") else palette.soft_ink


def style(state: State, palette: Palette, *, dash: str | None = None) -> dict[str, Any]:
    """Style one candidate's line: the chosen one is strong, one that misses is dotted."""
    if state == "chosen":
        return dict(color=palette.chosen, width=3, dash=dash or "solid")
    return dict(
        color=palette.others, width=1.8, dash=dash or ("dot" if state == "misses" else "solid")
    )


def line(row: Row, x: Sequence[float], y: Sequence[float], palette: Palette) -> dict[str, Any]:
    """Draw one candidate's line with a dot at each point that was worked out."""
    stroke = style(row.state, palette)
    return dict(
        type="scatter",
        mode="lines+markers",
        name=safe(row.label),
        x=x,
        y=y,
        line=stroke,
        marker=dict(size=5 if row.state == "chosen" else 4, color=stroke["color"]),
    )


def missed(
    axis: Literal["x", "y"], target: float, end: float, palette: Palette
) -> list[dict[str, Any]]:
    """Draw the line of a target on an axis, and shade from there to the end that misses it."""
    across = "y" if axis == "x" else "x"
    at = {f"{axis}0": target, f"{axis}1": target}
    common = {f"{across}ref": "paper", f"{across}0": 0, f"{across}1": 1, "layer": "below"}
    shade = dict(type="rect", fillcolor=palette.ink, opacity=0.05, line=dict(width=0))
    rule = dict(type="line", line=dict(color=palette.target, width=2))
    return [{**common, **at, f"{axis}1": end, **shade}, {**common, **at, **rule}]


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


def free_hours(is_free: Sequence[bool], palette: Palette) -> list[dict[str, Any]]:
    """Shade each run of hours in which serving leaves devices to training."""
    hours = groupby(enumerate(is_free), lambda pair: pair[1])
    runs = [[hour for hour, _ in run] for free, run in hours if free]
    return [
        dict(
            type="rect",
            layer="below",
            x0=run[0] - 0.5,
            x1=run[-1] + 0.5,
            yref="paper",
            y0=0,
            y1=1,
            fillcolor=palette.training,
            opacity=0.16,
            line=dict(width=0),
        )
        for run in runs
    ]


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


@dataclass(frozen=True, slots=True)
class Tag:
    """A label beside a point.

    Parameters
    ----------
    x, y
        The point, in coordinates of the axes.
    lines
        Escaped text.
    color
        Colour of the text.
    left
        Whether it stands left of the point rather than right.
    gap_px
        Distance from the point. [px]
    lift_px
        How far above the height of the point it had better stand. [px]
    """

    x: float
    y: float
    lines: Sequence[str]
    color: str
    left: bool = False
    gap_px: float = 10
    lift_px: float = 0


def end_tag(row: Row, x: float, y: float, palette: Palette) -> Tag:
    """Label the end of one candidate's line."""
    return Tag(x, y, gutter(row.label, strong=row.state == "chosen"), ink(row.state, palette))


def ring_tag(
    x: float,
    y: float,
    lines: Sequence[str],
    palette: Palette,
    *,
    across: float,
    falling: bool = False,
) -> Tag:
    """Explain a ring on a line, where the line leaves room.

    That is above a rising line on the left and below it on the right, if a phone has no room on
    the left; for a falling line it is the other way round.

    Parameters
    ----------
    x, y
        The ring, in coordinates of the axes.
    lines
        Escaped text; the longest decides the room that it needs.
    palette
        Colours.
    across
        Place of the ring between the left and the right end of the plot. [share]
    falling
        Whether the line falls.
    """
    needed_px = RING_GAP_PX + CHARACTER_PX * max(len(re.sub("<.*?>", "", line)) for line in lines)
    left = across * PHONE_PLOT_PX > needed_px
    lift = RING_LIFT_PX if left != falling else -RING_LIFT_PX
    return Tag(x, y, lines, palette.ink, left=left, gap_px=RING_GAP_PX, lift_px=lift)


def split_count(label: str) -> tuple[str, str]:
    """Part a device's label in its name and how many there are, if it says so."""
    match = COUNTED.fullmatch(label)
    return (match[1], f"\N{NO-BREAK SPACE}{match[2]}") if match else (label, "")


def gutter(label: str, *, strong: bool = False) -> list[str]:
    """Break a device's label in two lines for the margin right of a plot, keeping its count."""
    name, count = split_count(wording.short(label))
    lines = wrapped(name + count, GUTTER_CHARACTERS, lines=3)
    if len(lines) > 2:
        lines = wrapped(name, GUTTER_CHARACTERS - len(count), lines=2)
        lines[-1] += count
    return [f"<b>{line}</b>" for line in lines] if strong else lines


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
            result.append(_beside(tag, palette, want=want - point, place=place - point))
            if half is halves[0]:
                result[-1]["bgcolor"] = palette.veil
    return result


def _beside(tag: Tag, palette: Palette, *, want: float, place: float) -> dict[str, Any]:
    """Set one label so many pixels above its point, with a leader if that is not where it wants."""
    side, gap = ("right", -tag.gap_px) if tag.left else ("left", tag.gap_px)
    label = dict(
        x=tag.x,
        y=tag.y,
        text="<br>".join(tag.lines),
        font=dict(color=tag.color),
        align=side,
        xanchor=side,
        yanchor="middle",
    )
    if abs(place - want) <= MOVED_PX:
        return {**label, "showarrow": False, "xshift": gap, "yshift": place}
    leader = dict(arrowhead=0, arrowwidth=1, arrowcolor=palette.others, standoff=2)
    return {**label, "ax": gap, "ay": -place, **leader}


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
