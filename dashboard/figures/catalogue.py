"""Figure of the catalogue: what the devices are published to do, one mark for each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal

import plotly.graph_objects as go

from dashboard.figures import base, marks
from dashboard.figures.base import Frame
from hwplanner import wording
from hwplanner.tables import CatalogueRow, Column, Table

Measure = Literal["compute", "memory"]

TITLES: Mapping[Measure, str] = {
    "compute": "Arithmetic against memory bandwidth",
    "memory": "Memory against memory bandwidth",
}
UNITS: Mapping[Measure, str] = {
    "compute": "bf16 peak, dense TFLOP/s, against TB/s",
    "memory": "Memory of one device, GB, against TB/s",
}
SYMBOLS = {"circle": "●", "square": "■", "triangle-up": "▲", "diamond": "◆", "cross": "✚"}
PLOT_PX = 400
LABELS = 12
OUTLIER = 30
"""Bandwidths beyond this multiple of the median leave the picture."""
ROLES = ("chosen", "compared", "other")


def devices(
    rows: Sequence[CatalogueRow], frame: Frame, *, measure: Measure = "compute"
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
    known, note = _near(published)
    known.sort(key=lambda row: ROLES.index(row.role))
    symbols = _symbols(rows)
    xs = [row.bandwidth_gb_per_s / 1000 for row in known]
    ys = [_height(row, measure) for row in known]
    x, y = _range(xs), _range(ys)
    colors = {"chosen": palette.chosen, "compared": palette.ink, "other": palette.others}
    xticks, yticks = base.decades(10 ** x[0], 10 ** x[1]), base.decades(10 ** y[0], 10 ** y[1])
    said = [wording.significant(tick) for tick in yticks]
    if blank := len(rows) - len(published):
        note += f" Without a published figure: {blank}, in the table."
    return base.figure(
        frame,
        title=TITLES[measure],
        subtitle=[f"{UNITS[measure]}. Logarithmic.", _shapes(symbols)],
        traces=[
            dict(
                type="scatter",
                mode="markers",
                x=xs[::-1],
                y=ys[::-1],
                marker=dict(
                    size=[8 if row.role == "other" else 11 for row in reversed(known)],
                    symbol=[symbols.get(row.vendor, "cross") for row in reversed(known)],
                    color=[colors[row.role] for row in reversed(known)],
                    opacity=[0.55 if row.role == "other" else 1.0 for row in reversed(known)],
                    line=dict(width=1, color=palette.page),
                ),
                text=[base.safe(row.label, 60) for row in reversed(known)],
                hovertemplate="%{text}<br>%{x:,.3~r} TB/s<br>%{y:,.3~r} "
                f"{'TFLOP/s' if measure == 'compute' else 'GB'}<extra></extra>",
            )
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
            [
                marks.Tag(
                    math.log10(a),
                    math.log10(b),
                    [_name(row)],
                    palette.chosen_text if row.role == "chosen" else palette.ink,
                    left=math.log10(a) > (x[0] + x[1]) / 2,
                )
                for row, a, b in zip(known[:LABELS], xs, ys, strict=False)
                if row.role != "other"
            ],
            palette,
            x=x,
            y=y,
            plot_px=PLOT_PX,
        ),
        note=note,
        left=base.axis_px(said),
        right=16,
    )


def devices_alt(rows: Sequence[CatalogueRow], *, measure: Measure = "compute") -> str:
    """Say the figure in one sentence."""
    unit = "TFLOP/s" if measure == "compute" else "GB"
    facts = [
        f"{row.label} {wording.quantity(_height(row, measure), unit, wording.NOT_PUBLISHED)} and "
        f"{wording.quantity(row.bandwidth_gb_per_s, 'GB/s', wording.NOT_PUBLISHED)}"
        for row in sorted(rows, key=lambda row: ROLES.index(row.role))
    ]
    return base.sentence(TITLES[measure], facts)


def devices_table(rows: Sequence[CatalogueRow]) -> Table:
    """List the published figures; what is not published stays blank."""
    return Table(
        key="devices",
        title="Devices of the catalogue",
        columns=(
            Column("device", "Device"),
            Column("vendor", "Maker"),
            Column("memory_gb", "Memory", "GB"),
            Column("bandwidth_gb_per_s", "Memory bandwidth", "GB/s"),
            Column("bf16_tflop_per_s", "bf16 peak, dense", "TFLOP/s"),
        ),
        rows=tuple(
            {
                "device": row.label,
                "vendor": row.vendor,
                "memory_gb": _or_blank(row.memory_gb),
                "bandwidth_gb_per_s": _or_blank(row.bandwidth_gb_per_s),
                "bf16_tflop_per_s": _or_blank(row.bf16_tflop_per_s),
            }
            for row in rows
        ),
    )


def _height(row: CatalogueRow, measure: Measure) -> float:
    return row.bf16_tflop_per_s if measure == "compute" else row.memory_gb


def _is_known(row: CatalogueRow, measure: Measure) -> bool:
    figures = base.finite([row.bandwidth_gb_per_s, _height(row, measure)])
    return len(figures) == 2 and min(figures) > 0


def _near(rows: Sequence[CatalogueRow]) -> tuple[list[CatalogueRow], str]:
    """Leave out, and name, memory on the chip: it is so fast that all others would crowd."""
    limit = OUTLIER * median(row.bandwidth_gb_per_s for row in rows)
    beyond = [row for row in rows if row.bandwidth_gb_per_s > limit and row.role == "other"]
    near = [row for row in rows if row not in beyond]
    names = "; ".join(base.clip(row.label, base.NAME_CHARACTERS) for row in beyond)
    return near, f"Beyond the right edge: {names}." if beyond else ""


def _or_blank(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _range(values: Sequence[float]) -> tuple[float, float]:
    return math.log10(min(values)) - 0.15, math.log10(max(values)) + 0.15


def _symbols(rows: Sequence[CatalogueRow]) -> dict[str, str]:
    """Give a shape of their own to the makers with most devices; the others share the last."""
    makers = [maker for maker, _ in Counter(row.vendor for row in rows).most_common()]
    return dict(zip(makers, list(SYMBOLS)[:-1], strict=False))


def _shapes(symbols: Mapping[str, str]) -> str:
    named = [f"{SYMBOLS[symbol]} {base.safe(maker, 12)}" for maker, symbol in symbols.items()]
    return "   ".join([*named, f"{SYMBOLS['cross']} others"])


def _name(row: CatalogueRow) -> str:
    name = base.safe(wording.short(row.label), 22)
    return f"<b>{name}</b>" if row.role == "chosen" else name
