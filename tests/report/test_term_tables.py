"""The terms of a plan: its own values beside what is usual, with source, date and age."""

from hwplanner.assumptions import load_assumptions
from hwplanner.report.tables import Table
from hwplanner.report.term_tables import ASKED, GIVEN, term_records, terms_table
from hwplanner.scenario import controls
from tests.plans import plan_of


def row_of(table: Table, term: str) -> dict[str, object]:
    (row,) = (row for row in table.rows if row["term"] == term)
    return dict(row)


def test_every_term_has_its_value_range_source_and_date() -> None:
    rows = terms_table(plan_of()).rows
    assert len(rows) == len(ASKED) + len(GIVEN)
    for row in rows:
        assert row["low"] <= row["typical"] <= row["high"], row["term"]
        assert row["source"]
        assert row["date"]
        assert row["unit"]
        assert row["meaning"]


def test_every_question_about_money_that_has_a_usual_range_is_among_them() -> None:
    usual = {name for name, key in load_assumptions().by_name_and_key if not key}
    asked = {name for name, control in controls().items() if control.group == "money"} & usual
    assert asked <= set(ASKED)
    assert len(asked) > 10


def test_what_the_reader_changes_is_shown_as_theirs() -> None:
    table = terms_table(plan_of(electricity_usd_per_kwh=0.3, pue=1.2))
    electricity = row_of(table, "Electricity ($/kWh)")
    assert (electricity["value"], electricity["set_by"]) == (0.3, "you")
    assert (electricity["low"], electricity["typical"], electricity["high"]) == (0.06, 0.0872, 0.2)
    assert electricity["mark"] == "outside its range, older than 6 months"
    assert row_of(table, "PUE")["mark"] == "older than 6 months"
    assert row_of(table, "Cold start (min)")["set_by"] == "default"


def test_what_is_left_out_of_a_plan_is_not_outside_its_range() -> None:
    colocation = row_of(terms_table(plan_of()), "Colocation ($/kW-month)")
    assert (colocation["value"], colocation["low"]) == (0, 150)
    assert "outside" not in str(colocation["mark"])


def test_a_term_is_old_six_months_after_its_source() -> None:
    """Electricity is of April 2025: its last day and 183 more are 30 October 2025."""
    marks = [
        row_of(terms_table(plan_of(plan_date=day)), "Electricity ($/kWh)")["mark"]
        for day in ("2025-10-30", "2025-10-31")
    ]
    assert marks == ["", "older than 6 months"]


def test_discounts_that_nobody_is_asked_for_are_shown() -> None:
    discount = row_of(terms_table(plan_of()), "Reserved 1 year, off on demand (share)")
    assert (discount["value"], discount["low"], discount["high"]) == (0.35, 0.2, 0.47)
    assert discount["set_by"] == "assumption"


def test_the_page_says_what_the_table_says() -> None:
    table = terms_table(plan_of(electricity_usd_per_kwh=0.3))
    term, value, usual, source = term_records(table)[0].cells
    assert (term.text, value.text, value.note, value.strong) == (
        *("Electricity ($/kWh)", "0.3", "you", True),
    )
    assert (usual.text, usual.note) == ("0.0872", "0.06 to 0.2")
    assert source.text.startswith("EIA, Electric Power Monthly")
    assert source.verdict == "outside its range, older than 6 months"
