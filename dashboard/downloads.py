"""Everything that a reader takes away: tables as CSV, figures as image and as data."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from types import ModuleType

import plotly.graph_objects as go
import streamlit as st

from dashboard import parts, state, theme
from hwplanner.plan import make_plan
from hwplanner.report.facts import facts_table
from hwplanner.report.tables import Table

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def image_format() -> None:
    """Draw the switch between the two kinds of image that a figure can be saved as."""
    st.segmented_control(
        "Charts are saved as",
        theme.IMAGE_FORMATS,
        default=theme.IMAGE_FORMATS[0],
        required=True,
        key="image_format",
        persist_state="session",
        help="PNG is 1,920 pixels wide, for slides. SVG stays sharp at any size and can be edited.",
    )


def chart(kind: ModuleType, rows: Sequence[object], **options: object) -> None:
    """Show rows as one kind of figure, a module of `dashboard.figures`, with its downloads."""
    of_job = {name: options[name] for name in ("job",) if name in options}
    figure(
        kind.figure(rows, state.frame(), **options),
        alt=kind.alt_text(rows, **options),
        data=kind.data_table(rows, **of_job),
    )


def figure(drawn: go.Figure, *, alt: str, data: Table) -> None:
    """Show a figure with its alternative text, its image button and its data.

    Figures drawn for one theme must not linger in the other, hence the theme in the key.
    """
    st.plotly_chart(
        drawn,
        theme=None,
        key=f"{data.key}-{'dark' if theme.is_dark() else 'light'}",
        alt=alt,
        config=theme.figure_config(
            file_stem=file_stem(data.key),
            image_format=st.session_state.get("image_format") or theme.IMAGE_FORMATS[0],
            height_px=drawn.layout.height,
        ),
    )
    table_button(data)


def table_button(table: Table) -> None:
    """Offer a table as a file, made when it is asked for."""
    origin = state.origin()
    st.download_button(
        "Data (CSV)",
        lambda: table_csv(table, origin),
        file_name=f"{file_stem(table.key)}.csv",
        mime="text/csv",
        key=f"{table.key}_csv",
        help=f"{table.title}: the numbers, with units, scenario and link",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
    )


def workbook_button() -> None:
    """Offer the whole plan as a workbook with live formulas, made when it is asked for."""
    scenario, origin = state.scenario(), state.origin()

    def made() -> bytes:
        # Its library takes a while to import, and few runs need it.
        from hwplanner.workbook import workbook

        return workbook(make_plan(scenario), origin)

    st.download_button(
        "Workbook (XLSX)",
        made,
        file_name=f"{file_stem('workbook')}.xlsx",
        mime="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        key="workbook_xlsx",
        help="Inputs, assumptions, prices and the cash of every month as formulas, with charts",
        on_click="ignore",
        type="tertiary",
        icon=":material/table_view:",
    )


def facts(key: str, title: str, pairs: Sequence[tuple[str, str]], note: str = "") -> None:
    """Show a part of a page that lists a few facts, with their download."""
    parts.section(title, note)
    parts.facts(pairs)
    table_button(facts_table(key, title, pairs))


def file_stem(what: str) -> str:
    """Name a download after its content, the scenario and the day of the catalogue."""
    words = re.findall(r"[^\W_]+", f"{what} {state.scenario().name}".lower())
    return "-".join([*words, state.catalogue_date()])


def table_csv(table: Table, origin: Sequence[tuple[str, str]]) -> bytes:
    """Write a table for a spreadsheet.

    The first row holds labels with units. Where the rows come from stands in further columns, so
    that rows of several scenarios can be put under one another. The mark at the start tells Excel
    that the text is UTF-8.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    labels = [f"{c.label} [{c.unit}]" if c.unit else c.label for c in table.columns]
    writer.writerow([*map(_cell, labels), *(name for name, _ in origin)])
    for row in table.rows:
        values = [row.get(column.name) for column in table.columns]
        writer.writerow([_cell(value) for value in (*values, *(text for _, text in origin))])
    return file.getvalue().encode("utf-8-sig")


def _cell(value: object) -> object:
    """Keep numbers as they are and text from being taken for a formula; blank if not known."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(FORMULA_STARTS) else value
