"""The months of a plan in words, tables and rows: each sentence against the life that it tells."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.finance.life import Life, life
from hwplanner.report import fleet_tables, over_time
from hwplanner.report.story import plain
from hwplanner.wording import SPACE
from tests.plans import option, plan_of, questions, small_plan

SMALL_BUT_GROWING = {
    "users": 8,
    "growth_percent_per_month": 10,
    "training_tokens_million": 10_000,
}
"""Serving that is small beside training at first."""


def lived(**changes: object) -> Life:
    found = life(plan_of(**changes))
    assert found is not None
    return found


def told(**changes: object) -> tuple[str, str]:
    """Headline and detail of a plan's months, with plain spaces."""
    found = over_time.finding(plan_of(**changes), lived(**changes))
    return plain(found.headline).replace(SPACE, " "), found.detail.replace(SPACE, " ")


def test_a_crossing_is_the_headline() -> None:
    headline, _ = told(**SMALL_BUT_GROWING)
    found = lived(**SMALL_BUT_GROWING).crossing
    month, times = re.match(
        r"Serving overtakes training in month (\d+); by month 36 it has cost ([\d.]+) times",
        headline,
    ).groups()
    so_far = np.cumsum(
        lived(**SMALL_BUT_GROWING).serving_usd - lived(**SMALL_BUT_GROWING).training_usd
    )
    assert so_far[int(month) - 2] < 0 < so_far[int(month) - 1]
    assert float(times) == pytest.approx(found.ratio, rel=0.01)


def test_a_job_that_always_costs_more_is_told_as_such() -> None:
    headline, detail = told()
    assert headline.startswith("Serving costs more than training from the first month: ")
    assert headline.endswith(" times as much in 36 months.")
    assert detail.startswith("A million output tokens costs $")
    assert "in every month" in detail


def test_without_runs_only_serving_is_told() -> None:
    headline, _ = told(runs_per_month=0)
    assert re.match(r"Serving costs \$\d+k in 36 months; no training is planned\.", headline)
    assert over_time.crossing_facts(lived(runs_per_month=0)) == ()
    assert [row.job for row in over_time.job_spend_rows(lived(runs_per_month=0))] == ["serving"]


def test_a_plan_that_is_not_there_says_why() -> None:
    plan = small_plan()
    assert not plan.best.exists
    found = over_time.finding(plan, life(plan))
    assert plan.best.reason in plain(found.headline)


def fleet_told(**changes: object) -> str:
    plan = small_plan(purchase=10_000.0, runs_per_month=0, **changes)
    found = life(plan, option(plan, "shared"))
    assert found is not None
    return over_time.finding(plan, found).detail


def test_purchases_are_told() -> None:
    assert re.search(
        r"first grows in month \d+, by 1 device, then \d+ more times\.",
        fleet_told(users=64, growth_percent_per_month=20),
    )


def test_how_long_a_fleet_lasts_is_told() -> None:
    detail = fleet_told(users=1, growth_percent_per_month=1)
    assert re.search(r"falls short in month [\d,]+, after the plan\.", detail)
    assert "times the peak of the first month." in fleet_told(users=1)


def test_rented_peaks_are_told_in_servers() -> None:
    changes = {"users": 96, "growth_percent_per_month": 1, "serve_on": "amd-mi300x"}
    _, detail = told(**changes)
    month = lived(**changes).rented_from_month(8)
    assert month > 1
    assert f"takes a rented server or more from month {month} on." in detail


def test_facts_of_the_crossing_are_those_of_the_life() -> None:
    found = lived()
    said = {name: words.replace(SPACE, " ") for name, words in over_time.crossing_facts(found)}
    assert said["Training"].endswith(": 72B tokens in 36 runs")
    assert "3 times its own" in said["A run computes"]
    assert "6B tokens served" in said["A run computes"]
    ratio = found.run_flop_months / found.run_paid_months
    assert float(said["Hence in dollars"].split()[0]) == pytest.approx(ratio, rel=0.01)
    assert " earlier: " in said["Hence in dollars"]
    later = replace(found, training_usd=100 * found.training_usd)
    assert " later: " in dict(over_time.crossing_facts(later))["Hence in dollars"]


def test_a_crossing_after_the_plan_is_said_to_be_one() -> None:
    found = lived(**SMALL_BUT_GROWING)
    assert found.flop_crossing.leader == "training"
    words = dict(over_time.crossing_facts(found))["In arithmetic"]
    month = math.floor(found.flop_crossing.later_months) + 1
    assert words.endswith(f"at the last month's pace serving would overtake it in month {month}")
    assert month > 36


def test_what_is_not_reached_in_the_plan_is_said() -> None:
    said = dict(over_time.crossing_facts(lived(training_tokens_million=20_000_000, users=1)))
    assert "more than 36 months of serving" in said["A run computes"]


def test_steady_months_are_one_row_and_grown_ones_the_ends_of_years() -> None:
    for changes, when in (
        ({}, ["Every month"]),
        ({"growth_percent_per_month": 1}, ["Month 1", "Month 12", "Month 24", "Month 36"]),
    ):
        found = lived(**changes)
        headings, records = fleet_tables.fleet_cells(found, fleet_tables.fleet_table(found))
        assert [r.cells[0].text.replace(SPACE, " ") for r in records] == when
        assert all(len(record.cells) == len(headings) for record in records)


def test_months_that_buy_are_shown() -> None:
    plan = small_plan(purchase=10_000.0, runs_per_month=0, horizon_months=60, depreciation_years=2)
    found = life(plan, option(plan, "shared"))
    assert fleet_tables.shown_months(found) == (0, 24, 48, 59)
    headings, records = fleet_tables.fleet_cells(found, fleet_tables.fleet_table(found))
    sold = [heading.label for heading in headings].index("Sold")
    assert [record.cells[sold].text for record in records] == ["–", "1", "1", "–"]
    assert "Rented at the peak" not in [heading.label for heading in headings]


@given(question=questions(), growth=st.sampled_from([-10, 0, 10]))
@settings(max_examples=20)
def test_tables_and_rows_are_those_of_the_life(question: dict[str, object], growth: float) -> None:
    plan = plan_of(**question, growth_percent_per_month=growth)
    found = life(plan)
    if found is None:
        return
    table = fleet_tables.fleet_table(found)
    assert len(table.rows) == found.months
    assert [row["owned"] for row in table.rows] == found.owned_devices.tolist()
    serving = over_time.job_spend_rows(found)[0]
    assert serving.usd[-1] == pytest.approx(found.serving_usd.sum())
    assert len(serving.usd) == len(serving.months) == found.months + 1
    costs = over_time.unit_cost_rows(found)
    assert costs[0].usd_per_million == pytest.approx(found.usd_per_million_output_tokens[0])
    assert costs[0].bought == 0
    text = " ".join(
        (
            over_time.finding(plan, found).detail,
            *(words for _, words in over_time.crossing_facts(found)),
        )
    )
    assert "nan" not in text
    assert "inf" not in text
