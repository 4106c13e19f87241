"""The table in which a reader keeps prices of their own.

Each edit acts at once, as every control does: rows that can be used go to the address, the others
stay in the table and say what they lack.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from dashboard import controls, parts, state
from hwplanner.links.names import shipped_names
from hwplanner.quote import LONGEST_NOTE, Quote
from hwplanner.report.own_prices import (
    KIND_NAMES,
    LABELS,
    OwnPrices,
    price_row,
    read_price_rows,
)

BASE, SHOWN, EDITOR = "own_prices_base", "own_prices_shown", "own_prices_editor"
DAYS = ("rate_date", "date")


def draw() -> None:
    """Show the editor, and below it what keeps rows from being used."""
    quotes, key = state.scenario().quotes, _key()
    # The table starts anew where the prices changed elsewhere, or where the page is opened again.
    if st.session_state.get(SHOWN) != quotes or key not in st.session_state:
        st.session_state[EDITOR] = st.session_state.get(EDITOR, 0) + 1
        st.session_state[BASE] = [price_row(quote, shipped_names()) for quote in quotes]
        st.session_state[SHOWN], key = quotes, _key()
    rows = st.session_state[BASE]
    st.data_editor(
        {name: _column(name, rows) for name in LABELS},
        key=key,
        num_rows="dynamic",
        hide_index=True,
        placeholder="",
        column_config=_columns(),
        on_change=_take,
        args=(key,),
    )
    faults = _edited(key).faults
    if faults:
        parts.notices(faults)


def add(quote: Quote) -> None:
    """Add a price to those of the scenario; for callbacks."""
    controls.write_table("quotes", (*state.scenario().quotes, quote))


def rows_after(rows: Sequence[Mapping[str, Any]], changes: Mapping[str, Any]) -> list[Any]:
    """Rows of a table after what a data editor reports of edits.

    Examples
    --------
    >>> rows_after([{"a": 1}, {"a": 2}], {"edited_rows": {0: {"a": 9}}, "deleted_rows": [1],
    ...                                   "added_rows": [{"a": 3}]})
    [{'a': 9}, {'a': 3}]
    """
    edited, deleted = changes.get("edited_rows", {}), changes.get("deleted_rows", ())
    kept = [{**row, **edited.get(at, {})} for at, row in enumerate(rows) if at not in deleted]
    return [*kept, *changes.get("added_rows", ())]


def _key() -> str:
    return f"{EDITOR}_{st.session_state.get(EDITOR, 0)}"


def _take(key: str) -> None:
    quotes = _edited(key).quotes
    st.session_state[SHOWN] = quotes
    controls.write_table("quotes", quotes)


def _edited(key: str) -> OwnPrices:
    changes = st.session_state.get(key, {})
    return read_price_rows(rows_after(st.session_state[BASE], changes), shipped_names())


def _column(name: str, rows: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """Cells of a column as objects, since an empty list would be taken for numbers."""
    values = [row[name] for row in rows]
    if name in DAYS:
        values = [datetime.date.fromisoformat(day) if day else None for day in values]
    return np.array(values, dtype=object)


def _columns() -> dict[str, Any]:
    names = shipped_names()
    column = st.column_config
    return {
        "device": column.SelectboxColumn(
            LABELS["device"],
            options=[spoken[0] for spoken in names.devices.values()],
            width=150,
        ),
        "kind": column.SelectboxColumn(
            LABELS["kind"], options=list(KIND_NAMES.values()), width=120
        ),
        "amount": column.NumberColumn(
            LABELS["amount"], help="Of one device, or of one device for an hour.", width=85
        ),
        "currency": column.TextColumn(
            LABELS["currency"], help="Three letters.", max_chars=3, default="USD", width=90
        ),
        "usd_per_unit": column.NumberColumn(
            LABELS["usd_per_unit"],
            help="US dollars for one unit of the currency; empty for US dollars.",
            width=105,
        ),
        "rate_date": column.DateColumn(LABELS["rate_date"], width=100),
        "discount_percent": column.NumberColumn(LABELS["discount_percent"], width=105),
        "date": column.DateColumn(LABELS["date"], width=100),
        "note": column.TextColumn(LABELS["note"], max_chars=LONGEST_NOTE, width=110),
    }
