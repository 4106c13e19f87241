"""One sheet of the workbook: cells are written here and nowhere else, so no text is a formula."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Mapping, Sequence
from textwrap import wrap

from xlsxwriter import Workbook
from xlsxwriter.utility import xl_rowcol_to_cell

from hwplanner.report.tables import Table
from hwplanner.workbook.styles import Kind, Styles

FORMULA_STARTS = ("=", "+", "-", "@")
LINE_HEIGHT = 13.5
LETTERS_PER_WIDTH = {"wrapped": 1.15, "small": 1.4}
"""Letters for one digit's width, by style: digits are wider than most letters."""
LONGEST_TEXT = 32_000  # a cell holds 32,767 characters
LONGEST_HEADER = 100  # header and footer hold 255 with their codes
LONGEST_URL = 2_000
NOT_KNOWN = "–"
SHARES = ("share", "share of draws")
_NOT_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def plain_text(text: str, longest: int = LONGEST_TEXT) -> str:
    r"""Leave out what no cell can hold: control characters, halves of characters, endless texts.

    Examples
    --------
    >>> plain_text("a\x00b\ud800"), plain_text("abcd", longest=3)
    ('ab', 'ab…')
    """
    kept = _NOT_TEXT.sub("", text)
    return kept if len(kept) <= longest else f"{kept[: longest - 1]}…"


class Page:
    """A sheet that is filled from the top."""

    def __init__(
        self,
        book: Workbook,
        styles: Styles,
        name: str,
        widths: Sequence[float],
        *,
        scenario: str,
        date: str,
    ) -> None:
        """Add a sheet with columns of these widths, set up for landscape printing."""
        self.name = name
        self.widths = widths
        self.styles = styles
        self.sheet = book.add_worksheet(name)
        self.sheet.hide_gridlines(2)
        for column, width in enumerate(widths):
            self.sheet.set_column(column, column, width, styles.text())
        self.sheet.set_landscape()
        self.sheet.set_paper(9)  # A4
        self.sheet.set_margins(left=0.4, right=0.4, top=0.7, bottom=0.6)
        self.sheet.fit_to_pages(1, 0)
        scenario = plain_text(scenario, LONGEST_HEADER).replace("&", "&&")
        self.sheet.set_header(f"&L&8{scenario}&R&8&A")
        self.sheet.set_footer(f"&L&8Prices to {date}, estimated&R&8Page &P of &N")

    def ref(self, row: int, column: int, *, here: bool = False) -> str:
        """Absolute address of a cell, for formulas of other sheets or of this one."""
        cell = xl_rowcol_to_cell(row, column, row_abs=True, col_abs=True)
        return cell if here else f"'{self.name}'!{cell}"

    def text(
        self,
        row: int,
        column: int,
        text: str,
        style: str = "text",
        *,
        total: bool = False,
        right: bool = False,
    ) -> None:
        """Write a text as a text, whatever it looks like."""
        kept = plain_text(text)
        raw = kept.startswith(FORMULA_STARTS)
        form = self.styles.text(style, total=total, right=right, raw=raw)
        self.sheet.write_string(row, column, kept, form)

    def number(
        self, row: int, column: int, value: float, form: str = "usd", kind: Kind = "estimate"
    ) -> None:
        """Write a number; one that is not known is a dash."""
        if math.isfinite(value):
            self.sheet.write_number(row, column, value, self.styles.number(form, kind))
        else:
            self.text(row, column, NOT_KNOWN, "estimate")

    def flag(self, row: int, column: int, value: bool, kind: Kind = "estimate") -> None:
        """Write yes or no as a value that formulas can test."""
        self.sheet.write_boolean(row, column, value, self.styles.number("flag", kind))

    def formula(
        self,
        row: int,
        column: int,
        formula: str,
        value: float | str,
        form: str = "usd",
        *,
        total: bool = False,
    ) -> None:
        """Write a formula with its value, for programs that show files without working them out."""
        style = self.styles.number(form, total=total)
        self.sheet.write_formula(row, column, f"={formula}", style, value)

    def head(
        self, row: int, labels: Sequence[str], column: int = 0, *, numbers: Container[int] = ()
    ) -> None:
        """Write headings side by side; those of columns with numbers stand at the right."""
        for place, label in enumerate(labels, column):
            self.text(row, place, label, "head", right=place in numbers)
        self.sheet.set_row(row, LINE_HEIGHT * self._lines(labels, column))

    def title(self, text: str) -> None:
        """Write the title of the sheet."""
        self.text(0, 0, text, "title")
        self.sheet.set_row(0, 24)

    def section(self, row: int, title: str, columns: int | None = None) -> None:
        """Write the title of a part, with a line across the columns."""
        for column in range(columns or len(self.widths)):
            self.text(row, column, title if column == 0 else "", "section")

    def fit_height(
        self, row: int, texts: Sequence[str], column: int = 0, style: str = "wrapped"
    ) -> None:
        """Make a row high enough for texts that are wrapped in columns side by side."""
        self.sheet.set_row(row, LINE_HEIGHT * self._lines(texts, column, style))

    def _lines(self, texts: Sequence[str], column: int, style: str = "wrapped") -> int:
        """Lines that the longest of some texts takes in its column."""
        lines = 1
        for place, text in enumerate(texts, column):
            letters = max(int(self.widths[place] * LETTERS_PER_WIDTH[style]), 1)
            lines = max(lines, len(wrap(text, letters)))
        return lines

    def link(self, row: int, column: int, address: str) -> None:
        """Write an address, to follow where it is one that spreadsheets follow."""
        kept = plain_text(address)
        if kept.startswith(("http://", "https://")) and len(kept) <= LONGEST_URL:
            self.sheet.write_url(row, column, kept, self.styles.text("link"), kept[:255])
        else:
            self.text(row, column, kept)

    def merged(self, row: int, text: str, style: str = "wrapped", columns: int = 0) -> None:
        """Write a text over several columns from the first on, as high as it needs."""
        columns = columns or len(self.widths)
        self.sheet.merge_range(row, 0, row, columns - 1, "", self.styles.text(style))
        self.text(row, 0, text, style)
        lines = len(wrap(text, int(sum(self.widths[:columns]) * LETTERS_PER_WIDTH["wrapped"]))) or 1
        self.sheet.set_row(row, LINE_HEIGHT * lines + 2)

    def table(self, row: int, table: Table) -> int:
        """Write a table with its title, and return the row after it."""
        self.section(row, table.title, len(table.columns))
        numbers = {
            place
            for place, column in enumerate(table.columns)
            if any(isinstance(cells.get(column.name), float) for cells in table.rows)
        }
        labels = [f"{c.label} [{c.unit}]" if c.unit else c.label for c in table.columns]
        self.head(row + 1, labels, numbers=numbers)
        for place, cells in enumerate(table.rows, row + 2):
            self._row(place, table, cells)
        return row + 2 + len(table.rows)

    def _row(self, row: int, table: Table, cells: Mapping[str, object]) -> None:
        for place, column in enumerate(table.columns):
            value = cells.get(column.name)
            if isinstance(value, bool):
                self.text(row, place, "yes" if value else "no", right=True)
            elif isinstance(value, (int, float)):
                self.number(row, place, float(value), _form(float(value), column.unit))
            else:
                self.text(row, place, "" if value is None else str(value), "wrapped")


def _form(value: float, unit: str) -> str:
    """Choose digits that suit a number of a table."""
    if unit in SHARES:
        return "share"
    size = abs(value)
    return "count" if size >= 1000 or value.is_integer() else "cents" if size >= 1 else "small"
