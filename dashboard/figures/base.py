"""What all figures share: their frame of title, subtitle, notes and source line, and their axes.

Texts stand inside the figure, so that a downloaded picture keeps them. The width of a figure is
its reader's, from a phone to a projector; the height is ours.
"""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from dashboard.figures.palette import Palette

FONT = "Inter, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
TITLE_CHARACTERS = 42
SUBTITLE_CHARACTERS = 56
KEY_CHARACTERS = 57
KEY_MARK_CHARACTERS = 4
NOTE_CHARACTERS = 62
NAME_CHARACTERS = 34
MARGIN_PX = 8
NO_DEMAND = "There is no demand to show. Choose a number of users at once."
HOURS = tuple(range(24))
HOUR_TICKS = dict(tickvals=[0, 6, 12, 18], ticktext=["0:00", "6:00", "12:00", "18:00"])


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds every figure of a page: whose numbers, of when, and in which colours."""

    scenario: str
    date: str
    palette: Palette
    note: str = "estimated"


def clip(text: str, characters: int) -> str:
    """Shorten a text to one line of so many characters, marking the cut."""
    text = re.sub(r"[ \t\r\n]+", " ", text).strip()
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"


def safe(text: str, characters: int | None = NAME_CHARACTERS) -> str:
    """Keep plotly from reading a text from outside as markup, and shorten it."""
    return html.escape(text if characters is None else clip(text, characters), quote=False)


def wrapped(text: str, characters: int, lines: int = 4) -> list[str]:
    """Break a text from outside into escaped lines."""
    broken = textwrap.wrap(text, characters, max_lines=lines, placeholder="…")
    return [html.escape(line, quote=False) for line in broken]


def key(colors: Mapping[str, str]) -> list[str]:
    """Name the colours of a figure, in the order in which they are drawn, for its subtitle."""
    lines: list[list[str]] = []
    room = 0
    for name, color in colors.items():
        size = len(name) + KEY_MARK_CHARACTERS
        if size > room:
            lines.append([])
            room = KEY_CHARACTERS
        room -= size
        lines[-1].append(f'<span style="color:{color}">■</span>\N{NO-BREAK SPACE}{name}')
    return ["  ".join(line) for line in lines]


def finite(values: Iterable[float | None]) -> list[float]:
    """Keep the numbers that can be drawn."""
    return [value for value in values if value is not None and math.isfinite(value)]


def steps(high: float, at_most: int = 6) -> list[float]:
    """Choose round steps for an axis from zero to `high`, none right at its end."""
    if not high > 0:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(high / at_most))
    step = next(m * power for m in (1, 2, 2.5, 5, 10, 20) if high / (m * power) <= at_most)
    return [i * step for i in range(math.floor(0.97 * high / step) + 1)]


def decades(low: float, high: float, at_most: int = 6) -> list[float]:
    """Choose round steps for a logarithmic axis."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    marks: list[float] = []
    for digits in ((1, 2, 5), (1, 3), (1,)):
        marks = [d * 10.0**p for p in powers for d in digits if low <= d * 10.0**p <= high]
        if len(marks) <= at_most:
            return marks
    return marks[:: math.ceil(len(marks) / at_most)]


def axis_px(texts: Sequence[str]) -> int:
    """Width that the words of an upright axis need. [px]"""
    return 16 + round(6.7 * max(map(len, texts), default=0))


def compose(
    frame: Frame,
    *,
    title: str,
    subtitle: Sequence[str],
    traces: Sequence[Mapping[str, Any]],
    plot_px: int,
    xaxis: Mapping[str, Any],
    yaxis: Mapping[str, Any],
    annotations: Sequence[Mapping[str, Any]] = (),
    shapes: Sequence[Mapping[str, Any]] = (),
    note: str = "",
    left: int = MARGIN_PX,
    right: int = MARGIN_PX,
) -> go.Figure:
    """Put a figure together in one constructor call, which is what keeps it quick.

    Parameters
    ----------
    frame
        Scenario, date and colours.
    title
        What the figure shows, at most 42 characters; a longer one is cut.
    subtitle
        Lines under the title, already escaped: unit, meaning of the band, key of the colours.
    traces
        Plotly traces as plain mappings.
    plot_px
        Height of the plot alone; its texts make the figure taller. [px]
    xaxis, yaxis
        What differs from the common axis.
    annotations, shapes
        Labels and areas in the plot.
    note
        What is left out, told above the source line.
    left, right
        Margins beside the plot. [px]
    """
    palette = frame.palette
    source = safe(f"{clip(frame.scenario, 36)} · {frame.date} · {frame.note}", 80)
    foot = [*wrapped(note, NOTE_CHARACTERS), source]
    top = 40 + 18 * len(subtitle)
    ticks_px = 26 if xaxis.get("visible", True) else 6
    bottom = ticks_px + 15 * len(foot) + 4
    common = dict(
        fixedrange=True,
        showline=False,
        zeroline=False,
        gridcolor=palette.line,
        tickangle=0,
        ticks="outside",
        ticklen=5,
        tickcolor=palette.page,
        tickfont=dict(color=palette.soft_ink),
        automargin=False,
    )
    corner = dict(
        x=0, xref="paper", xanchor="left", xshift=-left, yref="paper", align="left",
        showarrow=False, borderpad=0,
    )  # fmt: skip
    texts = [
        dict(
            **corner, y=1, yanchor="bottom", yshift=8, text="<br>".join(subtitle),
            font=dict(size=12.5, color=palette.soft_ink),
        ),
        dict(
            **corner, y=0, yanchor="top", yshift=-ticks_px, text="<br>".join(foot),
            font=dict(size=11, color=palette.soft_ink),
        ),
    ]  # fmt: skip
    return go.Figure(
        data=list(traces),
        layout=dict(
            template="none",
            height=top + plot_px + bottom,
            margin=dict(l=left, r=right, t=top, b=bottom, pad=0),
            paper_bgcolor=palette.page,
            plot_bgcolor=palette.page,
            font=dict(family=FONT, size=12, color=palette.ink),
            title=dict(
                text=safe(title, TITLE_CHARACTERS),
                font=dict(size=15, weight=650),
                x=0, xref="container", xanchor="left",
                y=1, yref="container", yanchor="top", pad=dict(t=8),
            ),
            showlegend=False,
            dragmode=False,
            hovermode="closest",
            hoverlabel=dict(
                bgcolor=palette.panel,
                bordercolor=palette.line,
                align="left",
                font=dict(family=FONT, size=12, color=palette.ink),
            ),
            modebar=dict(
                bgcolor="rgba(0,0,0,0)", color=palette.soft_ink, activecolor=palette.ink
            ),
            xaxis={**common, **xaxis},
            yaxis={**common, **yaxis},
            annotations=[*annotations, *texts],
            shapes=list(shapes),
        ),
    )  # fmt: skip


def empty(frame: Frame, *, title: str, message: str) -> go.Figure:
    """Say in a figure's place what is missing and what to do about it."""
    hidden = dict(visible=False, range=[0, 1])
    words = dict(
        x=0.5, y=0.5, text="<br>".join(wrapped(message, 46)), showarrow=False,
        font=dict(size=14, color=frame.palette.soft_ink),
    )  # fmt: skip
    return compose(
        frame,
        title=title,
        subtitle=[],
        traces=[],
        plot_px=120,
        xaxis=hidden,
        yaxis=hidden,
        annotations=[words],
    )


def level(*figures: go.Figure) -> None:
    """Give figures that stand side by side the height of the tallest."""
    height = max(fig.layout.height for fig in figures)
    for fig in figures:
        fig.layout.height = height


def sentence(subject: str, facts: Sequence[str], at_most: int = 12) -> str:
    """Write one sentence for screen readers from the first facts of a figure."""
    said = list(facts[:at_most])
    if len(facts) > at_most:
        said.append(f"{len(facts) - at_most} more in the table")
    return f"{subject}: {'; '.join(said) or 'nothing to show'}."
