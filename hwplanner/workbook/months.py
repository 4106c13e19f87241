"""A sheet with a column for each month, and formulas that name rows instead of cells.

A formula is written once for a whole row. In it ``{rent}`` stands for the cell of the row "rent" in
the same month, or for its only cell where it has one value for all months; ``{devices@before}`` for
the month before, ``{bought@so_far}`` for all months before, and ``{rent@fleets}`` for the sum of
all rows of that name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xlsxwriter.utility import xl_range_abs, xl_rowcol_to_cell

from hwplanner.units import MONTHS_PER_YEAR, Array
from hwplanner.workbook.page import Page

LABEL, UNIT, TOTAL, FIRST = range(4)
"""Columns: label, unit, total or the value for all months, first month."""
WIDTHS = (40.0, 12.0, 14.0)
MONTH_WIDTH = 11.0
PAGE_POINTS, ROW_POINTS = 480, 12.75
"""Height of a page of paper and of a row, to print the rows of a year on one page."""
_NAME = re.compile(r"\{(\w+)(?:@(\w+))?\}")


@dataclass(frozen=True, slots=True)
class Line:
    """Where a row stands, and whether it has one value for all months."""

    row: int
    constant: bool


class Months:
    """The rows of a sheet with months, from the top down."""

    def __init__(self, page: Page, months: int, row: int) -> None:
        """Start at a row with the heads of the columns."""
        page.sheet.set_default_row(ROW_POINTS)
        self.page = page
        self.months = months
        self.row = row
        self.lines: defaultdict[str, list[Line]] = defaultdict(list)
        page.head(row, ("Month", "Unit", "Total, or each"), numbers=(TOTAL,))
        style = page.styles.text("head", right=True)
        for month in range(months):
            page.sheet.write_number(row, FIRST + month, month + 1, style)
        self.lines["month"].append(Line(row, constant=False))
        self.row += 1

    def section(self, title: str) -> None:
        """Open a part of the sheet."""
        self.row += 1
        self.page.section(self.row, title)
        self.row += 1

    def given(self, name: str, label: str, unit: str, value: float, form: str = "usd") -> None:
        """Add a value for all months that the planner has worked out."""
        self._open(name, label, unit, constant=True)
        self.page.number(self.row, TOTAL, value, form)
        self.row += 1

    def each(
        self, name: str, label: str, unit: str, formula: str, value: float, form: str = "usd"
    ) -> None:
        """Add a formula for all months."""
        self._open(name, label, unit, constant=True)
        self.page.formula(self.row, TOTAL, self._resolved(formula, FIRST), value, form)
        self.row += 1

    def values(
        self, name: str, label: str, unit: str, values: Array, form: str = "count", *,
        summed: bool = False,
    ) -> None:  # fmt: skip
        """Add a row of values that the planner has worked out."""
        self._open(name, label, unit)
        for month, value in enumerate(values):
            self.page.number(self.row, FIRST + month, float(value), form)
        if summed:
            self._sum(values, form)
        self.row += 1

    def formulas(
        self, name: str, label: str, unit: str, formula: str, values: Array, form: str = "usd", *,
        first: str | None = None, summed: bool = True, total: bool = False,
    ) -> None:  # fmt: skip
        """Add a row of formulas with their values; the first month may have one of its own."""
        self._open(name, label, unit, total=total)
        for month, value in enumerate(values):
            column = FIRST + month
            said = first if month == 0 and first is not None else formula
            self.page.formula(
                self.row, column, self._resolved(said, column), float(value), form, total=total
            )
        if summed:
            self._sum(values, form, total=total)
        self.row += 1

    def total_of(self, name: str) -> str:
        """Address of the total of a row, for other sheets."""
        return self.page.ref(self.lines[name][-1].row, TOTAL)

    def month_range(self, name: str) -> tuple[str, int, int, int, int]:
        """Cells of a row's months, for charts."""
        row = self.lines[name][-1].row
        return self.page.name, row, FIRST, row, FIRST + self.months - 1

    def months_of(self, name: str) -> str:
        """Address of a row's months, for formulas of other sheets."""
        _, row, first, _, last = self.month_range(name)
        return f"'{self.page.name}'!{xl_range_abs(row, first, row, last)}"

    def last_of(self, name: str) -> str:
        """Address of a row's last month on this sheet."""
        return self.page.ref(self.lines[name][-1].row, FIRST + self.months - 1, here=True)

    def print_by_year(self, rows: int) -> None:
        """Print twelve months on a page, with labels, and with so many rows at its head."""
        sheet = self.page.sheet
        sheet.freeze_panes(rows, FIRST)
        sheet.fit_page = 0
        sheet.set_print_scale(int(min(52, max(40, PAGE_POINTS / ROW_POINTS / self.row * 100))))
        sheet.repeat_rows(0, rows - 1)
        sheet.repeat_columns(0, TOTAL)
        sheet.print_across()
        sheet.set_v_pagebreaks(range(FIRST + MONTHS_PER_YEAR, FIRST + self.months, MONTHS_PER_YEAR))

    def _open(
        self, name: str, label: str, unit: str, *, constant: bool = False, total: bool = False
    ) -> None:
        self.lines[name].append(Line(self.row, constant))
        self.page.text(self.row, LABEL, label, "text" if total else "part", total=total)
        self.page.text(self.row, UNIT, unit, "unit", total=total)
        if total:
            self.page.text(self.row, TOTAL, "", total=True)

    def _sum(self, values: Array, form: str, *, total: bool = False) -> None:
        first, last = (xl_rowcol_to_cell(self.row, FIRST + month) for month in (0, self.months - 1))
        self.page.formula(
            self.row, TOTAL, f"SUM({first}:{last})", float(np.sum(values)), form, total=total
        )

    def _resolved(self, formula: str, column: int) -> str:
        """Put cells of a month in the place of names."""

        def cells(match: re.Match[str]) -> str:
            name, which = match.groups()
            lines = self.lines[name]
            match which:
                case "fleets":
                    return "+".join(self._cell(line, column) for line in lines) or "0"
                case "before":
                    return self._cell(lines[-1], column - 1)
                case "so_far":
                    first = xl_rowcol_to_cell(lines[-1].row, FIRST, col_abs=True)
                    return f"{first}:{xl_rowcol_to_cell(lines[-1].row, column - 1)}"
                case _:
                    return self._cell(lines[-1], column)

        return _NAME.sub(cells, formula)

    def _cell(self, line: Line, column: int) -> str:
        if line.constant:
            return self.page.ref(line.row, TOTAL, here=True)
        cell: str = xl_rowcol_to_cell(line.row, column)
        return cell


def widths_of(months: int) -> Sequence[float]:
    """Widths of the columns of a sheet with months."""
    return (*WIDTHS, *[MONTH_WIDTH] * months)
