"""The charts of the workbook, drawn by the program that opens it from the cells of its sheets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.chart import Chart

from hwplanner.units import HOURS_PER_DAY, HOURS_PER_WEEK, MONTHS_PER_YEAR
from hwplanner.workbook.months import Months
from hwplanner.workbook.styles import FONT, INK, LINE, PARTS, SERIES, SOFT_INK

Cells = Sequence[str | int]
"""Sheet, first row and column, last row and column; or sheet, row and column of one cell."""
SIZE = (610, 360)


def cost_chart(book: Workbook, title: str, options: Cells, parts: Mapping[str, Cells]) -> Chart:
    """Draw the cost of each option, stacked by part.

    Parameters
    ----------
    book
        The workbook.
    title
        Title of the chart.
    options
        Cells with the names of the options, side by side.
    parts
        Cells with each part of their costs, below one another; the label stands two cells before.
    """
    chart = book.add_chart({"type": "column", "subtype": "stacked"})
    for part, cells in parts.items():
        sheet, row, column, *_ = cells
        chart.add_series(
            {
                "name": [sheet, row, int(column) - 2],
                "categories": list(options),
                "values": list(cells),
                "fill": {"color": PARTS[part]},
                "gap": 60,
            }
        )
    return _finished(chart, title, _axis(""), "USD")


def cash_chart(book: Workbook, options: Sequence[tuple[Cells, Months]]) -> Chart:
    """Draw the cash so far over the months, the best option first, by the cells of their names."""
    chart = book.add_chart({"type": "line"})
    for place, (name, months) in enumerate(options):
        chart.add_series(
            {
                "name": list(name),
                "categories": list(months.month_range("month")),
                "values": list(months.month_range("spent")),
                "line": {"color": SERIES[place], "width": 3 if place == 0 else 1.75},
            }
        )
    most = max(months.months for _, months in options)
    across = _axis("Month") | {"interval_unit": max(most // MONTHS_PER_YEAR, 1)}
    return _finished(chart, "Cash paid so far", across, "USD")


def week_chart(book: Workbook, title: str, hours: Cells, needed: Cells, fleet: Cells) -> Chart:
    """Draw the devices that each hour of the week needs, below the fleet."""
    chart = book.add_chart({"type": "scatter", "subtype": "straight"})
    for name, cells, colour, width in (
        ("Needed in the hour", needed, SERIES[0], 1.5),
        ("Fleet", fleet, SOFT_INK, 2.25),
    ):
        chart.add_series(
            {
                "name": name,
                "categories": list(hours),
                "values": list(cells),
                "line": {"color": colour, "width": width},
            }
        )
    across = _axis("Hour of the week, from Monday 0:00")
    across |= {"min": 0, "max": HOURS_PER_WEEK, "major_unit": HOURS_PER_DAY}
    return _finished(chart, title, across, "Devices")


def _axis(title: str, form: str = "General") -> dict[str, Any]:
    font = {"name": FONT, "size": 9, "color": SOFT_INK, "bold": False}
    return {
        "name": title,
        "name_font": font,
        "num_font": font,
        "num_format": form,
        "line": {"color": LINE},
        "major_gridlines": {"visible": False},
    }


def _finished(chart: Chart, title: str, across: dict[str, Any], up: str) -> Chart:
    """Give a chart its title, its axes with units, its legend and its size."""
    font = {"name": FONT, "size": 12, "color": INK, "bold": True}
    chart.set_title({"name": title, "name_font": font})
    chart.set_x_axis(across)
    lines = {"major_gridlines": {"visible": True, "line": {"color": LINE}}}
    chart.set_y_axis(_axis(up, "#,##0") | lines)
    chart.set_legend({"position": "bottom", "font": {"name": FONT, "size": 9}})
    chart.set_chartarea({"border": {"color": LINE}})
    width, height = SIZE
    chart.set_size({"width": width, "height": height})
    return chart
