"""The building blocks of a page: each takes plain words and writes one piece of HTML.

All text goes through `plain`, so nothing from outside can become markup.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import streamlit as st

from hwplanner.evidence.intervals import Tier
from hwplanner.report.statements import (
    CONFIDENCE_WORDS,
    STATUS_MARKS,
    Cell,
    Explanation,
    Heading,
    JobRow,
    KeyFigure,
    Record,
    Status,
    Step,
)
from hwplanner.report.story import Finding
from hwplanner.report.tables import Column, Table
from hwplanner.wording import NONE, significant

STYLE = Path(__file__).with_name("style.css")


def plain(text: object) -> str:
    """Escape a text."""
    return html.escape(str(text))


def style() -> None:
    """Load the style sheet; call it once, before everything else."""
    st.html(STYLE)


def heading(context: str, finding: Finding, cautions: Sequence[str] = ()) -> None:
    """Open a page: what the numbers rest on, the finding, one line below it, and cautions."""
    headline = "".join(
        f"<b>{plain(phrase.text)}</b>" if phrase.strong else plain(phrase.text)
        for phrase in finding.headline
    )
    detail = f"<p>{plain(finding.detail)}</p>" if finding.detail else ""
    _hold(
        f'<header class="hp-heading"><p class="context">{plain(context)}</p>'
        f"<h1>{headline}</h1>{detail}</header>",
        key="heading",
        height_px=141,
    )
    if cautions:
        notices(cautions)


def section(title: str, note: str = "") -> None:
    """Open a part of a page."""
    below = f"<p>{plain(note)}</p>" if note else ""
    st.html(f'<div class="hp-section"><h2>{plain(title)}</h2>{below}</div>')


def two_jobs(rows: Sequence[JobRow]) -> None:
    """Set training and serving side by side, one question a line."""
    lines = "".join(
        f'<tr><th scope="row">{plain(row.label)}</th>'
        f"<td>{_cell(row.training)}</td><td>{_cell(row.serving)}</td></tr>"
        for row in rows
    )
    _hold(
        '<table class="hp-jobs"><thead><tr><td></td><th scope="col" class="training">Training</th>'
        f'<th scope="col" class="serving">Serving</th></tr></thead><tbody>{lines}</tbody></table>',
        key="two_jobs",
        height_px=430,
    )


def key_figures(figures: Sequence[KeyFigure]) -> None:
    """Show up to five numbers in a strip."""
    items = "".join(
        f"<div><dt>{plain(figure.label)}</dt>"
        f"<dd><b>{plain(figure.value)}</b> <span>{plain(figure.unit)}</span>"
        f"<small>{plain(figure.note)}</small></dd></div>"
        for figure in figures
    )
    _hold(f'<dl class="hp-figures">{items}</dl>', key="key_figures", height_px=98)


def records(headings: Sequence[Heading], rows: Sequence[Record]) -> None:
    """Show a table of cells; on a phone each row becomes a block."""
    st.html(_records(headings, rows))


def table(content: Table, *, chosen: Iterable[int] = ()) -> None:
    """Show a table of values as it is, numbers with three significant digits."""
    marked = set(chosen)
    number = [_is_number(content, column) for column in content.columns]
    headings = [
        Heading(f"{column.label} [{column.unit}]" if column.unit else column.label, is_number)
        for column, is_number in zip(content.columns, number, strict=True)
    ]
    rows = [
        Record(
            tuple(Cell(said(row.get(column.name))) for column in content.columns),
            chosen=place in marked,
        )
        for place, row in enumerate(content.rows)
    ]
    st.html(f"<h3 class='hp-title'>{plain(content.title)}</h3>{_records(headings, rows)}")


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """List a few facts, each with its name."""
    lines = "".join(
        f'<tr><th scope="row">{plain(name)}</th><td>{plain(fact)}</td></tr>' for name, fact in pairs
    )
    st.html(f'<table class="hp-facts"><tbody>{lines}</tbody></table>')


def remarks(texts: Iterable[str]) -> None:
    """Set sentences apart with a line at their left."""
    st.html(f'<div class="hp-remarks">{"".join(f"<p>{plain(text)}</p>" for text in texts)}</div>')


def note(text: str) -> None:
    """Add a quiet line."""
    st.html(f'<p class="hp-note">{plain(text)}</p>')


def empty(title: str, remedy: str) -> None:
    """Say what is missing, what to do, and what is used meanwhile."""
    st.html(f'<div class="hp-empty"><b>{plain(title)}</b><p>{plain(remedy)}</p></div>')


def error(message: str, *, title: str = "This cannot be worked out as it is") -> None:
    """Say what is wrong and what to do about it."""
    st.html(
        f'<div class="hp-error" role="alert"><b>{plain(title)}</b><p>{plain(message)}</p></div>'
    )


def explanations(paths: Sequence[Explanation]) -> None:
    """Let a reader open numbers: formula, values, result and source of each step.

    Only the one that is asked for is sent, so the others cost nothing.
    """
    section("Open a number", "Choose one to see its formula, values with units, and sources.")
    by_title = {path.title: path for path in paths}
    chosen = st.pills(
        "Open a number",
        list(by_title),
        format_func=lambda title: f"{_markdown(title)}: {_markdown(by_title[title].result)}",
        key="open_number",
        label_visibility="collapsed",
    )
    if chosen:
        path = by_title[chosen]
        st.html(f'<ol class="hp-steps">{"".join(map(_step, path.steps))}</ol>')
        if path.sureness:
            note(path.sureness)


def notices(texts: Iterable[str]) -> None:
    """List what a reader should know before reading on."""
    items = "".join(f"<li>{plain(text)}</li>" for text in texts)
    st.html(f'<ul class="hp-notices" role="status">{items}</ul>')


def badge(confidence: Tier, text: str = "") -> str:
    """Mark how far a number can be trusted. Returns HTML for use in another block."""
    mark, words = CONFIDENCE_WORDS[confidence]
    return f'<span class="hp-badge {confidence}"><i>{mark}</i>{plain(text or words)}</span>'


def status(kind: Status, text: str) -> str:
    """Mark a verdict by sign, word and colour. Returns HTML for use in another block."""
    return f'<span class="hp-{kind}">{STATUS_MARKS[kind]}\N{NO-BREAK SPACE}{plain(text)}</span>'


def said(value: object) -> str:
    """Say a value of a table: text as it is, numbers rounded, a dash for what is not known."""
    if value is None or value == "":
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return significant(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _hold(markup: str, *, key: str, height_px: int) -> None:
    """Write HTML that holds its place while the page loads; then style.css lifts the height."""
    with st.container(key=f"hold_{key}", height=height_px, border=False):
        st.html(markup)


def _cell(cell: Cell) -> str:
    text = plain(cell.text)
    pieces = [f"<b>{text}</b>" if cell.strong else text]
    if cell.status:
        pieces.append(status(cell.status, cell.verdict))
    if cell.confidence:
        pieces.append(badge(cell.confidence, cell.verdict))
    below = f"<small>{plain(cell.note)}</small>" if cell.note else ""
    return " ".join(pieces) + below


def _records(headings: Sequence[Heading], rows: Sequence[Record]) -> str:
    head = "".join(
        f'<th scope="col"{_number(heading)}>{plain(heading.label)}</th>' for heading in headings
    )
    body = "".join(_record(headings, row) for row in rows)
    return f'<table class="hp-records"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _record(headings: Sequence[Heading], row: Record) -> str:
    cells = "".join(
        f'<td data-l="{plain(heading.label)}"{_number(heading)}>{_cell(cell)}</td>'
        for heading, cell in zip(headings, row.cells, strict=False)
    )
    missing = len(headings) - len(row.cells)
    if missing > 0:
        cells += f'<td colspan="{missing}" class="reason">{plain(row.reason)}</td>'
    return f"<tr{' class=chosen' if row.chosen else ''}>{cells}</tr>"


def _number(heading: Heading) -> str:
    return ' class="number"' if heading.is_number else ""


def _is_number(content: Table, column: Column) -> bool:
    values = [row.get(column.name) for row in content.rows]
    known = [value for value in values if value is not None and value != ""]
    return bool(known) and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) for value in known
    )


def _step(step: Step) -> str:
    source = f'<p class="source">{plain(step.source)}</p>' if step.source else ""
    return (
        f"<li><b>{plain(step.label)}</b><code>{plain(step.formula)}</code>"
        f'<p>{plain(step.values)}</p><p class="result">= {plain(step.result)}</p>{source}</li>'
    )


def _markdown(text: str) -> str:
    """Escape a text for a label, which Streamlit reads as Markdown."""
    return re.sub(r"([\\`*_\[\]<>$:#~|])", r"\\\1", text)
