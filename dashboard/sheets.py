"""Long tables that a reader scrolls, sorts and searches."""

from __future__ import annotations

import streamlit as st

from hwplanner.report.tables import Table

ROWS_SHOWN, ROW_PX = 12, 35
DIGITS = "%.4g"


def sheet(table: Table) -> None:
    """Show a long table; numbers keep their digits, what is not known stays blank."""
    columns = {
        column.name: f"{column.label} [{column.unit}]" if column.unit else column.label
        for column in table.columns
    }
    values = {name: [row.get(name) for row in table.rows] for name in columns}
    st.dataframe(
        values,
        column_config={
            name: st.column_config.NumberColumn(label, format=DIGITS)
            if any(isinstance(value, float) for value in values[name])
            else label
            for name, label in columns.items()
        },
        hide_index=True,
        height=(1 + min(len(table.rows), ROWS_SHOWN)) * ROW_PX + 3,
        key=f"{table.key}_sheet",
    )
