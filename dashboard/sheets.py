"""Long tables that a reader scrolls, sorts and searches."""

from __future__ import annotations

import streamlit as st

from hwplanner.report.tables import Table

ROWS_SHOWN, ROW_PX = 12, 35
DIGITS, WHOLE = "%.4g", "%,.0f"
WHOLE_FROM = 10_000  # a column that reaches this is read by its size


def sheet(table: Table) -> None:
    """Show a long table; numbers keep their digits, what is not known is a dash."""
    columns = {
        column.name: f"{column.label} [{column.unit}]" if column.unit else column.label
        for column in table.columns
    }
    values = {name: [row.get(name) for row in table.rows] for name in columns}
    st.dataframe(
        values,
        column_config={
            name: st.column_config.NumberColumn(label, format=_digits(values[name]))
            if any(isinstance(value, float) for value in values[name])
            else label
            for name, label in columns.items()
        },
        hide_index=True,
        height=(1 + min(len(table.rows), ROWS_SHOWN)) * ROW_PX + 3,
        key=f"{table.key}_sheet",
        placeholder="\N{EN DASH}",
    )


def _digits(values: list[object]) -> str:
    numbers = [value for value in values if isinstance(value, float)]
    return WHOLE if max(numbers) >= WHOLE_FROM else DIGITS
