"""A table with a column for each option, the best first, whose money links to their sheets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hwplanner.money.ledger import Ledger
from hwplanner.money.option import Option
from hwplanner.workbook.months import Months
from hwplanner.workbook.page import NOT_KNOWN, Page

LABEL, UNIT, FIRST = range(3)
"""Columns: label, unit, the best option."""
Written = Sequence[tuple[Option, Months | None]]
"""Options with the rows of their sheets, which those that do not exist lack."""


@dataclass
class OptionColumns:
    """The table, filled from a row on."""

    page: Page
    options: Written
    row: int

    @property
    def last(self) -> int:
        """Column of the last option."""
        return FIRST + len(self.options) - 1

    def heads(self) -> int:
        """Write the names of the options; returns their row."""
        labels = ("", "Unit", *(option.label for option, _ in self.options))
        self.page.head(self.row, labels, numbers=range(FIRST, self.last + 1))
        return self._next()

    def section(self, title: str) -> None:
        """Open a part of the table."""
        self.page.section(self.row, title)
        self.row += 1

    def texts(self, label: str, words: Callable[[Option], str]) -> None:
        """Add a line of words."""
        said = [words(option) for option, _ in self.options]
        self.page.text(self.row, LABEL, label, "part")
        for column, text in enumerate(said, FIRST):
            self.page.text(self.row, column, text, "estimate")
        self.page.fit_height(self.row, said, FIRST)
        self.row += 1

    def numbers(
        self, label: str, unit: str, value: Callable[[Option], float], form: str = "usd"
    ) -> int:
        """Add a line of results of the planner; returns its row."""
        self._labels(label, unit)
        for column, (option, _) in enumerate(self.options, FIRST):
            self.page.number(self.row, column, value(option), form)
        return self._next()

    def linked(
        self,
        label: str,
        unit: str,
        formula: Callable[[Months], str],
        value: Callable[[Ledger], float],
        *,
        total: bool = False,
    ) -> int:
        """Add a line of formulas on the sheets of the options; returns its row."""
        return self._formulas(label, unit, lambda months, _: formula(months), value, total=total)

    def totals(self, label: str, rows: range, value: Callable[[Ledger], float]) -> int:
        """Add the sums of the rows above; returns their row."""

        def summed(_: Months, column: int) -> str:
            return f"SUM({self._cell(rows[0], column)}:{self._cell(rows[-1], column)})"

        return self._formulas(label, "USD", summed, value, total=True)

    def differences(self, label: str, row: int, from_row: int) -> None:
        """Add what a row of totals has moved away from a row of numbers, to the cent."""

        def difference(_: Months, column: int) -> str:
            return f"ROUND({self._cell(row, column)}-{self._cell(from_row, column)},2)"

        self._formulas(label, "USD", difference, lambda _: 0.0)

    def _formulas(
        self,
        label: str,
        unit: str,
        formula: Callable[[Months, int], str],
        value: Callable[[Ledger], float],
        *,
        total: bool = False,
    ) -> int:
        self._labels(label, unit, total=total)
        for column, (option, months) in enumerate(self.options, FIRST):
            if months is None or option.ledger is None:
                self.page.text(self.row, column, NOT_KNOWN, "estimate", total=total)
            else:
                said, worth = formula(months, column), value(option.ledger)
                self.page.formula(self.row, column, said, worth, total=total)
        return self._next()

    def _cell(self, row: int, column: int) -> str:
        return self.page.ref(row, column, here=True)

    def _labels(self, label: str, unit: str, *, total: bool = False) -> None:
        self.page.text(self.row, LABEL, label, "text" if total else "part", total=total)
        self.page.text(self.row, UNIT, unit, "unit", total=total)

    def _next(self) -> int:
        self.row += 1
        return self.row - 1
