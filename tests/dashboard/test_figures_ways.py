"""The figure of ways to pay."""

import pytest

from dashboard.figures import ways
from hwplanner.finance.ways import ways_to_pay
from hwplanner.report.ways import way_rows
from tests.dashboard.examples import FRAME
from tests.plans import plan_of, small_plan


def rows(plan):  # noqa: ANN001, ANN201
    return way_rows(plan, ways_to_pay(plan, "serving", plan.serving_choice))


def test_each_bar_is_the_cost_of_its_way() -> None:
    found = rows(plan_of())
    (trace,) = ways.figure(found, FRAME, job="serving").data
    priced = [row for row in found if row.fixed_usd + row.hourly_usd > 0]
    assert sum(trace.x) == pytest.approx(sum(row.fixed_usd + row.hourly_usd for row in priced))
    names = [note.text for note in ways.figure(found, FRAME, job="serving").layout.annotations]
    assert all(any(row.label[:20] in name for name in names) for row in found)


def test_without_a_price_the_figure_says_so() -> None:
    plan = small_plan()
    found = way_rows(plan, ways_to_pay(plan, "serving", 0))
    figure = ways.figure(found, FRAME, job="serving")
    assert not figure.data
    assert "no price known" in ways.alt_text(found, job="serving")


def test_the_table_holds_both_parts() -> None:
    found = rows(plan_of())
    table = ways.data_table(found, job="serving")
    for row, cells in zip(found, table.rows, strict=True):
        if row.fixed_usd == row.fixed_usd:
            assert cells["fixed"] + cells["hourly"] == cells["total"]
