"""Figure of the catalogue: what the devices are published to do, one mark for each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Literal

import plotly.graph_objects as go

from dashboard.figures import base, marks
from dashboard.figures.palette import Palette
from hwplanner import wording
from hwplanner.report.tables import CatalogueRow, Column, Table

Measure = Literal["compute", "memory"]
Point = tuple[CatalogueRow, float, float]

TITLES: Mapping[Measure, str] = {
    "compute": "Arithmetic against memory bandwidth",
    "memory": "Memory against memory bandwidth",
}
UNITS: Mapping[Measure, str] = {
    "compute": "bf16 peak, dense TFLOP/s, against TB/s",
    "memory": "Memory of one device, GiB, against TB/s",
}
SYMBOLS = {0: "●", 1: "■", 5: "▲", 2: "◆", 3: "✚"}
"""Plotly's numbers of shapes, which it checks faster than their names, and the same in text."""
OTHERS = 3
PLOT_PX = 400
LABELS = 10
OUTLIER = 30
"""Bandwidths beyond this multiple of the median leave the picture."""
ROLES = ("other", "compared", "chosen")


def figure(
    rows: Sequence[CatalogueRow], frame: base.Frame, *, measure: Measure = "compute"
) -> go.Figure:
    """Place every device by two published figures; the shape tells the maker.

    Parameters
    ----------
    rows
        One per device of the catalogue.
    frame
        Scenario, date and colours.
    measure
        What stands upright: "compute" (bf16 peak) or "memory".
    """
    palette = frame.palette
    published = [row for row in rows if _is_known(row, measure)]
    if not published:
        return base.empty(
            frame, title=TITLES[measure], message="No device here has both figures published."
        )
    near, note = _near(published)
    if blank := len(rows) - len(published):
        note += f" Without a published figure: {blank}, in the table."
    near.sort(key=lambda row: ROLES.index(row.role))
    points = [(row, row.bandwidth_gb_per_s / 1000, _height(row, measure)) for row in near]
    x, y = _range([across for _, across, _ in points]), _range([up for _, _, up in points])
    xticks, yticks = base.decades(10 ** x[0], 10 ** x[1]), base.decades(10 ** y[0], 10 ** y[1])
    said = [wording.significant(tick) for tick in yticks]
    symbols = _symbols(rows)
    colors = dict(zip(ROLES, (palette.others, palette.ink, palette.chosen), strict=True))
    return base.compose(
        frame,
        title=TITLES[measure],
        subtitle=[f"{UNITS[measure]}. Logarithmic.", _shapes(symbols)],
        traces=[
            _marks(
                [point for point in points if point[0].role == role],
                symbols,
                measure,
                color,
                palette.page,
            )
            for role, color in colors.items()
        ],
        plot_px=PLOT_PX,
        xaxis=dict(
            type="log",
            range=x,
            tickvals=xticks,
            ticktext=[wording.significant(tick) for tick in xticks],
        ),
        yaxis=dict(type="log", range=y, tickvals=yticks, ticktext=said),
        annotations=marks.tags(
            [_tag(point, x, palette) for point in points[-LABELS:] if point[0].role != "other"],
            palette,
            x=x,
            y=y,
            plot_px=PLOT_PX,
        ),
        note=note,
        left=base.axis_px(said),
        right=16,
    )


def alt_text(rows: Sequence[CatalogueRow], *, measure: Measure = "compute") -> str:
    """Say the figure in one sentence."""
    unit = "TFLOP/s" if measure == "compute" else "GiB"
    facts = [
        f"{row.label} {wording.quantity(_height(row, measure), unit, wording.NOT_PUBLISHED)} and "
        f"{wording.quantity(row.bandwidth_gb_per_s, 'GB/s', wording.NOT_PUBLISHED)}"
        for row in sorted(rows, key=lambda row: ROLES.index(row.role), reverse=True)
    ]
    return base.sentence(TITLES[measure], facts)


def data_table(rows: Sequence[CatalogueRow]) -> Table:
    """List the published figures; what is not published stays blank."""
    return Table(
        key="devices",
        title="Devices of the catalogue",
        columns=(
            Column("device", "Device"),
            Column("vendor", "Maker"),
            Column("memory_gib", "Memory", "GiB"),
            Column("bandwidth_gb_per_s", "Memory bandwidth", "GB/s"),
            Column("bf16_tflop_per_s", "bf16 peak, dense", "TFLOP/s"),
        ),
        rows=tuple(
            {
                "device": row.label,
                "vendor": row.vendor,
                "memory_gib": _or_blank(row.memory_gib),
                "bandwidth_gb_per_s": _or_blank(row.bandwidth_gb_per_s),
                "bf16_tflop_per_s": _or_blank(row.bf16_tflop_per_s),
            }
            for row in rows
        ),
    )


def _height(row: CatalogueRow, measure: Measure) -> float:
    return row.bf16_tflop_per_s if measure == "compute" else row.memory_gib


def _is_known(row: CatalogueRow, measure: Measure) -> bool:
    both = base.finite([row.bandwidth_gb_per_s, _height(row, measure)])
    return len(both) == 2 and min(both) > 0


def _near(rows: Sequence[CatalogueRow]) -> tuple[list[CatalogueRow], str]:
    """Leave out, and name, memory on the chip: it is so fast that all others would crowd."""
    limit = OUTLIER * median(row.bandwidth_gb_per_s for row in rows)
    near = [row for row in rows if row.bandwidth_gb_per_s <= limit or row.role != "other"]
    names = [
        base.clip(row.label, base.NAME_CHARACTERS)
        for row in rows
        if row.bandwidth_gb_per_s > limit and row.role == "other"
    ]
    return near, f"Beyond the right edge: {'; '.join(names)}." if names else ""


def _or_blank(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _range(values: Sequence[float]) -> tuple[float, float]:
    return math.log10(min(values)) - 0.15, math.log10(max(values)) + 0.15


def _symbols(rows: Sequence[CatalogueRow]) -> dict[str, int]:
    """Give a shape of their own to the makers with most devices; the others share the last."""
    makers = [maker for maker, _ in Counter(row.vendor for row in rows).most_common()]
    return dict(zip(makers, list(SYMBOLS)[:-1], strict=False))


def _shapes(symbols: Mapping[str, int]) -> str:
    named = [f"{SYMBOLS[symbol]} {base.safe(maker, 12)}" for maker, symbol in symbols.items()]
    return "   ".join([*named, f"{SYMBOLS[OTHERS]} others"])


def _marks(
    points: Sequence[Point],
    symbols: Mapping[str, int],
    measure: Measure,
    color: str,
    edge: str,
) -> dict[str, Any]:
    """Draw the devices of one role; one colour for each trace is quicker than one a mark."""
    unit = "TFLOP/s" if measure == "compute" else "GiB"
    compared = any(row.role != "other" for row, _, _ in points)
    return dict(
        type="scatter",
        mode="markers",
        x=[across for _, across, _ in points],
        y=[up for _, _, up in points],
        marker=dict(
            size=11 if compared else 8,
            symbol=[symbols.get(row.vendor, OTHERS) for row, _, _ in points],
            color=color,
            opacity=1.0 if compared else 0.55,
            line=dict(width=1, color=edge),
        ),
        text=[base.safe(row.label, 60) for row, _, _ in points],
        hovertemplate="%{text}<br>%{x:,.3~r} TB/s<br>%{y:,.3~r} " + f"{unit}<extra></extra>",
    )


def _tag(point: Point, x: tuple[float, float], palette: Palette) -> marks.Tag:
    row, across, up = point[0], math.log10(point[1]), math.log10(point[2])
    name = base.safe(wording.short(row.label), 22)
    left = across > (x[0] + x[1]) / 2
    if row.role == "chosen":
        return marks.Tag(across, up, [f"<b>{name}</b>"], palette.chosen_text, left=left)
    return marks.Tag(across, up, [name], palette.ink, left=left)
