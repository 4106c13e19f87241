"""The four options as a page prints them and a file holds them; from cash to cost."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.report.option_tables import (
    OPTION_HEADINGS,
    cash_table,
    option_records,
    option_targets,
    options_table,
    owned_kw,
)
from hwplanner.report.story import hardware
from hwplanner.wording import SPACE
from tests.plans import option, plan_of, questions, small_plan


def test_records_follow_the_options_best_first() -> None:
    plan = plan_of()
    records = option_records(plan)
    assert [record.cells[0].text for record in records] == [item.label for item in plan.options]
    assert [record.chosen for record in records] == [True, False, False, False]
    assert all(len(record.cells) == len(OPTION_HEADINGS) for record in records)
    best, usd = records[0].cells, plan.best.usd_per_year
    assert best[1].text == hardware(plan, plan.best)
    assert best[2].text == f"${usd.typical * 3 / 1000:.0f}k"
    assert best[2].strong
    assert best[2].note == f"${usd.low * 3 / 1000:.0f}k–${usd.high * 3 / 1000:.0f}k"
    assert plan.best.ledger is not None
    assert best[3].text == f"${plan.best.ledger.net_present_cost_usd / 1000:.0f}k"
    assert best[4].text.endswith(" draws")
    assert best[5].text == f"{plan.best.idle_share:.0%}"
    assert (best[7].status, best[7].verdict) == ("good", "both met")


def test_power_is_the_rating_of_what_is_owned() -> None:
    # Servers label 1.82 times the power of their devices of 1,000 W.
    plan = small_plan(purchase=10_000.0, runs_per_month=0)
    assert owned_kw(plan, plan.best) == pytest.approx(1.82)
    rented = small_plan(rent=1.0)
    assert owned_kw(rented, rented.best) == 0


def test_an_option_that_cannot_be_gives_its_reason_in_place_of_figures() -> None:
    plan = small_plan(rent=1.0)
    record = next(item for item in option_records(plan) if item.reason)
    assert len(record.cells) == 2
    assert "known purchase price" in record.reason
    row = next(row for row in options_table(plan).rows if row["remark"] == record.reason)
    assert math.isnan(row["total_usd"])


def test_targets_that_are_missed_are_named() -> None:
    plan = plan_of(tpot_ms=5, window_hours=1, devices=("nvidia-l40s",))
    words = option_targets(plan, plan.best).replace(SPACE, " ")
    assert words.startswith("too slow, ")
    assert words.endswith(" late")
    late = plan.best.finish_hours - 1
    assert f"run {float(f'{late:.3g}'):g} h late" in words


@given(question=questions(), horizon=st.integers(12, 120))
@settings(max_examples=40)
def test_the_file_holds_what_the_options_hold(question: dict[str, object], horizon: int) -> None:
    plan = plan_of(**question, horizon_months=horizon)
    table = options_table(plan)
    assert len(table.rows) == 4
    for row, item in zip(table.rows, plan.options, strict=True):
        assert set(row) == {column.name for column in table.columns}
        assert row["option"] == item.label
        if item.exists:
            assert row["total_usd"] == pytest.approx(item.usd_per_year.typical * horizon / 12)
            assert row["low_usd"] <= row["total_usd"] <= row["high_usd"]
            assert (row["remark"] == "both met") == item.meets_both


# Cash


def test_cash_becomes_cost_by_hand() -> None:
    # $10,000 and a server of half of that, no interest, worth a fifth after 4 years. After 3 of
    # them three quarters of the loss of 12,000 are written off: 6,000 of 15,000 are left.
    terms = {
        "cost_of_capital_percent": 0,
        "electricity_usd_per_kwh": 0,
        "maintenance_percent": 0,
        "staff_usd_per_device_year": 1200,
        "runs_per_month": 0,
    }
    plan = small_plan(purchase=10_000.0, **terms)
    (row,) = (row for row in cash_table(plan).rows if row["option"].startswith("One shared"))
    assert row["purchase"] == 15_000
    assert row["running"] == 3600
    assert row["cash"] == 18_600
    assert row["left"] == pytest.approx(-6000)
    assert row["interest"] == pytest.approx(0, abs=1e-6)
    assert row["total"] == pytest.approx(12_600)


def test_interest_is_what_annuities_charge_by_hand() -> None:
    # $110 lent at 10 % for a year is paid back as 121: 11 of interest.
    terms = {
        "cost_of_capital_percent": 10,
        "depreciation_years": 1,
        "residual_percent": 0,
        "server_percent": 0,
        "network_percent": 0,
        "install_percent": 0,
        "electricity_usd_per_kwh": 0,
        "maintenance_percent": 0,
        "staff_usd_per_device_year": 0,
        "horizon_months": 12,
        "runs_per_month": 0,
    }
    plan = small_plan(purchase=110.0, **terms)
    row = cash_table(plan).rows[0]
    assert row["interest"] == pytest.approx(11)
    assert row["total"] == pytest.approx(121)


@given(
    question=questions(),
    terms=st.fixed_dictionaries(
        {
            "horizon_months": st.integers(12, 120),
            "cost_of_capital_percent": st.sampled_from([0.0, 10.0, 40.0]),
            "depreciation_years": st.integers(1, 8),
            "residual_percent": st.sampled_from([0.0, 20.0, 80.0]),
        }
    ),
)
@settings(max_examples=60)
def test_cash_less_what_is_left_plus_interest_is_the_cost(
    question: dict[str, object], terms: dict[str, object]
) -> None:
    plan = plan_of(**question, **terms)
    rows = cash_table(plan).rows
    assert len(rows) == sum(item.exists for item in plan.options)
    for row in rows:
        item = next(item for item in plan.options if item.label == row["option"])
        assert row["purchase"] + row["running"] == pytest.approx(row["cash"])
        assert row["cash"] + row["left"] + row["interest"] == pytest.approx(row["total"])
        assert row["total"] == pytest.approx(
            item.usd_per_year.typical * terms["horizon_months"] / 12
        )
        small = 1e-9 * row["cash"]
        assert row["left"] <= small
        # Money that is bound never earns: interest is due, and none without a rate.
        assert row["interest"] >= -small
        if not terms["cost_of_capital_percent"] or item.key == "rent_all":
            assert row["interest"] == pytest.approx(0, abs=1e-6 * row["cash"])


def test_all_that_is_rented_is_cash_at_once() -> None:
    plan = plan_of()
    row = next(row for row in cash_table(plan).rows if row["option"] == "Rent everything")
    assert row["purchase"] == row["left"] == 0
    assert row["cash"] == pytest.approx(option(plan, "rent_all").usd_per_year.typical * 3)
