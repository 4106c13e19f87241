"""Rows of a figure of bars: each name stands above its bar, so a phone needs no left margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.figures.base import clip, safe
from dashboard.figures.marks import ink, split_count
from dashboard.figures.palette import Palette
from hwplanner.report.tables import State

LANE_CHARACTERS = 47
"""What a phone has room for in one line."""
REASON_CHARACTERS = 54
LINE_PX, GAP_PX, BAR_PX = 17, 11, 22


@dataclass(frozen=True, slots=True)
class Lane:
    """One row: whose it is, what it comes to or what speaks against it, and room for its bar.

    Parameters
    ----------
    label, state
        The device and the verdict on it.
    value, strong
        What it comes to, and the end of that in bold; our own words.
    reason
        What speaks against it, in place of a value.
    bar_px
        Height of the room under the name. [px]
    """

    label: str
    state: State
    value: str = ""
    strong: str = ""
    reason: str = ""
    bar_px: float = 0


@dataclass(frozen=True, slots=True)
class Lanes:
    """Lanes under one another, on an upright axis that counts pixels from the top.

    Parameters
    ----------
    names
        Annotations above the bars.
    bars_px
        Upper edge of the room for each bar. [px]
    plot_px
        Height of all. [px]
    """

    names: list[dict[str, Any]]
    bars_px: list[float]
    plot_px: int

    @property
    def axis(self) -> dict[str, Any]:
        """The upright axis."""
        return dict(visible=False, range=[self.plot_px, 0])


def stack(rows: Sequence[Lane], palette: Palette) -> Lanes:
    """Set names above their bars; the page's colour behind them interrupts the grid."""
    names, bars, top = [], [], 2.0
    for row in rows:
        lines = _lines(row)
        names.append(
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
        bars.append(top + LINE_PX * len(lines) + 2)
        top = bars[-1] + row.bar_px + GAP_PX
    return Lanes(names, bars, round(top))


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a bar: the upper edge of its bar, where it starts, how long it is. [px, axis]"""

    top_px: float
    start: float
    length: float
    color: str
    words: str
    opacity: float = 1.0


def bars(pieces: Sequence[Piece], palette: Palette) -> dict[str, Any]:
    """Draw the pieces of all bars as one trace, which costs less than one for each colour."""
    return dict(
        type="bar",
        orientation="h",
        y=[piece.top_px + BAR_PX / 2 for piece in pieces],
        base=[piece.start for piece in pieces],
        x=[piece.length for piece in pieces],
        width=BAR_PX,
        marker=dict(
            color=[piece.color for piece in pieces],
            opacity=[piece.opacity for piece in pieces],
            line=dict(color=palette.page, width=1.5),
        ),
        hovertext=[piece.words for piece in pieces],
        hoverinfo="text",
    )


def device(label: str, characters: int) -> str:
    """Shorten a device's label but keep how many there are."""
    name, count = split_count(label)
    return clip(name, characters - len(count)) + count


def _lines(row: Lane) -> list[str]:
    """Write the text above a bar: one line where a phone has the room, else two."""
    name = device(row.label, LANE_CHARACTERS)
    rest = clip(row.reason or f"{row.value} {row.strong}", REASON_CHARACTERS)
    separate = len(name) + len(rest) > LANE_CHARACTERS
    name = f"<b>{safe(name, None)}</b>" if row.state == "chosen" else safe(name, None)
    if not rest:
        return [name]
    if row.reason:
        rest = f"<i>{safe(rest, None)}</i>"
    elif row.strong:
        rest = f"{row.value} <b>{row.strong}</b>"
    return [name, rest] if separate else [f"{name}   {rest}"]
