"""The building blocks of a page: escaping, marks, and numbers as a page says them."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import parts


def _page_of_hostile_texts() -> None:
    from dashboard import parts
    from hwplanner.report.statements import (
        Cell,
        Explanation,
        Heading,
        JobRow,
        KeyFigure,
        Record,
        Step,
    )
    from hwplanner.report.story import Finding, Phrase
    from hwplanner.report.tables import Column, Table

    bad = "<script>alert('x')</script>&\"'"
    cell = Cell(bad, bad, strong=True, status="near", verdict=bad)
    parts.heading(bad, Finding((Phrase(bad), Phrase(bad, strong=True)), bad))
    parts.section(bad, bad)
    parts.two_jobs([JobRow(bad, cell, Cell(confidence="measured", verdict=bad))])
    parts.key_figures([KeyFigure(bad, bad, bad, bad)])
    parts.records([Heading(bad), Heading(bad)], [Record((cell,), reason=bad)])
    parts.table(Table("t", bad, (Column("c", bad, bad),), ({"c": bad},)))
    parts.facts([(bad, bad)])
    parts.remarks([bad])
    parts.note(bad)
    parts.empty(bad, bad)
    parts.error(bad, title=bad)
    parts.notices([bad])
    parts.explanations([Explanation(bad, bad, 1.0, (Step(bad, bad, bad, bad, bad),))])


def test_no_text_becomes_markup() -> None:
    app = AppTest.from_function(_page_of_hostile_texts, default_timeout=60).run()
    app.pills(key="open_number").set_value("<script>alert('x')</script>&\"'").run()
    assert not app.exception
    bodies = " ".join(element.proto.body for element in app.get("html"))
    assert bodies.count("&lt;script&gt;") >= 30
    assert "<script" not in bodies
    attributes = re.findall(r'(?:data-l|class|scope|role|colspan)="([^"]*)"', bodies)
    assert all("<" not in value and ">" not in value for value in attributes)


def test_a_label_cannot_hold_markdown() -> None:
    app = AppTest.from_function(_page_of_hostile_texts, default_timeout=60).run()
    assert "\\<script\\>" in app.pills(key="open_number").options[0]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        (float("nan"), "–"),
        ("", "–"),
        (True, "yes"),
        (False, "no"),
        (4800.0, "4,800"),
        (8.5123, "8.51"),
        (70553706496, "70,553,706,496"),
        ("HBM3", "HBM3"),
    ],
)
def test_values_as_a_page_says_them(value: object, words: str) -> None:
    assert parts.said(value) == words


def test_a_verdict_has_sign_and_word_and_colour() -> None:
    assert (
        parts.status("poor", "run 24 h late") == '<span class="hp-poor">✕\xa0run 24 h late</span>'
    )
    assert parts.status("good", "58.1 h").startswith('<span class="hp-good">✓')


def test_a_badge_has_sign_and_word() -> None:
    assert parts.badge("extrapolated") == (
        '<span class="hp-badge extrapolated"><i>○</i>extrapolated</span>'
    )
