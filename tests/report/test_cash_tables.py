"""Cash by month and year, and options in today's money; both opened numbers."""

import math
import re

import numpy as np
import pytest

from hwplanner.finance.life import life
from hwplanner.report import cash_tables, explain_life
from hwplanner.report.chart_rows import break_even_month, spend_rows
from hwplanner.wording import SPACE
from tests.plans import option, plan_of, small_plan
from tests.report.test_explain import number, results, rounded


def test_rows_of_the_chart_sum_to_the_ledgers() -> None:
    plan = plan_of(growth_percent_per_month=5)
    for row, choice in zip(cash_tables.cash_rows(plan), plan.options, strict=True):
        cash = np.add(row.purchases_usd, row.regular_usd)
        assert cash == pytest.approx(choice.ledger.cash_usd)
        assert np.sum(list(row.parts_usd.values()), axis=0) == pytest.approx(cash)
        assert (row.state == "chosen") == (choice is plan.best)


@pytest.mark.parametrize(
    ("months", "names"),
    [
        (36, ["Year 1", "Year 2", "Year 3", "Total"]),
        (18, ["Year 1", "6 more months", "Total"]),
    ],
)
def test_years_have_columns(months: int, names: list[str]) -> None:
    plan = plan_of(horizon_months=months)
    assert [heading.label for heading in cash_tables.year_headings(plan)][1:] == names
    for record, choice in zip(cash_tables.year_records(plan), plan.options, strict=True):
        *years, total = (number(cell.text) for cell in record.cells[1:])
        assert sum(years) == rounded(choice.ledger.total_cash_usd)
        assert total == rounded(choice.ledger.total_cash_usd)


def test_worth_is_told_against_renting_and_the_lowest() -> None:
    plan = plan_of()
    rows = {row["option"]: row for row in cash_tables.worth_table(plan).rows}
    present = {label: row["present_usd"] for label, row in rows.items()}
    renting = option(plan, "rent_all").label
    for label, row in rows.items():
        assert row["more_usd"] == pytest.approx(present[label] - min(present.values()))
        if label != renting:
            assert row["worth_usd"] == pytest.approx(present[renting] - present[label])
    assert math.isnan(rows[renting]["worth_usd"])
    assert math.isnan(rows[renting]["payback_months"])


def test_payback_is_where_the_chart_of_spending_has_its_ring() -> None:
    plan = plan_of()
    assert plan.best.key == "own_and_rent"
    row = next(
        row for row in cash_tables.worth_table(plan).rows if row["option"] == plan.best.label
    )
    assert row["payback_months"] == pytest.approx(break_even_month(spend_rows(plan)))


def test_cells_say_never_and_none_where_there_is_no_number() -> None:
    plan = small_plan(purchase=10_000_000.0, rent=1.0)
    texts = {
        record.cells[0].text: [cell.text for cell in record.cells[1:]] or record.reason
        for record in cash_tables.worth_records(plan)
    }
    owning = texts[option(plan, "own_and_rent").label]
    assert owning[6] == "never"
    assert owning[5].startswith("−$")
    assert texts[option(plan, "rent_all").label][4:] == ["lowest", "–", "–", "–"]
    assert "only one compared device" in texts[option(plan, "two_owned").label]


def test_worth_without_a_rent_has_no_rival() -> None:
    plan = small_plan(purchase=10_000.0)
    record = next(r for r in cash_tables.worth_records(plan) if len(r.cells) > 1)
    assert [cell.text for cell in record.cells[6:]] == ["–", "–", "–"]
    (found, _) = explain_life.explanations(plan, life(plan))
    assert found.title.endswith(": net present cost")


def test_steps_to_a_present_value_add_up() -> None:
    plan = plan_of()
    found = explain_life.explanations(plan, life(plan))[0]
    said = results(found)
    parts = [number(said[part]) for part in ("Purchases less sales", "Rent and running cost")]
    assert sum(parts) - number(said["Value left"]) == rounded(number(said["Net present cost"]))
    assert found.value == pytest.approx(
        option(plan, "rent_all").ledger.net_present_cost_usd - plan.best.ledger.net_present_cost_usd
    )
    # 10 % over three years: 1 / 1.331.
    assert said["Worth today of a later dollar"] == "0.751"


def test_steps_to_the_crossing_multiply() -> None:
    plan = plan_of()
    found = explain_life.explanations(plan, life(plan))[1]
    assert found.value == 3 * 2e9
    assert "2401.00448" in found.steps[0].source
    month = next(step for step in found.steps if step.label == "A month of serving")
    requests, tokens = (number(text) for text in month.values.split(" × "))
    assert requests * tokens == pytest.approx(number(month.result), rel=0.01)
    days = {step.label: step.result.replace(SPACE, " ") for step in found.steps}["In arithmetic"]
    assert re.fullmatch(r"[\d.]+ days", days)
    assert float(days.split()[0]) == pytest.approx(6e9 / number(month.result) * 730 / 24, rel=0.02)


def test_nothing_is_opened_where_nothing_is_bought_or_trained() -> None:
    plan = small_plan(rent=1.0, runs_per_month=0)
    assert explain_life.explanations(plan, life(plan)) == ()
