"""Every compared device in one job, as a page prints it and a file holds it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from hwplanner.evidence.intervals import TIERS
from hwplanner.report.chart_rows import device_label
from hwplanner.report.device_tables import (
    DEVICE_HEADINGS,
    device_records,
    device_table,
    token_cost_table,
    yearly_cost_table,
)
from hwplanner.report.tables import Table
from hwplanner.report.verdicts import TESTS, verdicts
from hwplanner.scenario import Job
from hwplanner.wording import SPACE
from tests.plans import place_of, plan_of, questions

JOBS: tuple[Job, ...] = ("serving", "training")


def row_of(table: Table, name: str) -> dict[str, object]:
    (row,) = (row for row in table.rows if row["device"] == name)
    return dict(row)


@given(question=questions())
@settings(max_examples=25)
def test_every_device_has_a_row_with_all_columns(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    for job in JOBS:
        for table in (device_table(plan, job), yearly_cost_table(plan), token_cost_table(plan)):
            names = {column.name for column in table.columns}
            assert all(set(row) == names for row in table.rows)
        assert len(device_table(plan, job).rows) == len(plan.devices)
        states = [row["state"] for row in device_table(plan, job).rows]
        out = [found in ("does not fit", "unsupported") for found in states]
        assert out == sorted(out)


def test_figures_of_a_device_are_those_of_the_plan() -> None:
    plan = plan_of()
    place = place_of(plan, "nvidia-l40s")
    row = row_of(device_table(plan, "serving"), "NVIDIA L40S")
    serving = plan.serving
    assert row["devices"] == serving.devices[place]
    assert row["copies"] * serving.layout_devices[place] == row["devices"]
    assert row["tensor"] * row["pipeline"] == serving.layout_devices[place]
    assert row["tpot_ms"] == pytest.approx(serving.tpot_seconds[place] * 1000)
    assert row["memory_gib"] == pytest.approx(serving.used_bytes[place] / 2**30)
    assert row["owned_usd"] == plan.serving_cost.owned.usd_per_year[place]
    assert row["rented_usd"] == plan.serving_cost.rented.usd_per_year[place]
    assert row["usd_per_million"] == plan.usd("serving")[place]
    assert row["price_basis"].startswith("bought: ")
    assert "; neocloud, on demand: " in row["price_basis"]
    row = row_of(device_table(plan, "training"), "NVIDIA L40S")
    assert row["devices"] == plan.training.devices[place]
    assert row["run_hours"] == pytest.approx(plan.training.run_seconds[place] / 3600)
    set_up = plan.scenario.setup_hours
    assert row["run_hours"] == pytest.approx(set_up + row["work_hours"] / row["goodput"])
    assert row["usd_per_run"] == pytest.approx(plan.fleet("training").usd_per_year[place] / 12)


def test_what_does_not_fit_has_reasons_and_no_figures() -> None:
    plan = plan_of()
    row = row_of(device_table(plan, "training"), "NVIDIA L4")
    assert row["state"] == "does not fit"
    assert row["reason"].startswith("does not fit: ")
    for name in ("devices", "run_hours", "mfu", "usd_per_run", "owned_usd", "rented_usd"):
        assert math.isnan(row[name])
    assert row["memory_gib"] > row["usable_gib"]


def test_a_device_without_prices_says_so() -> None:
    plan = plan_of(all_devices=True)
    name = device_label(plan, place_of(plan, "nvidia-h200-nvl"))
    row = row_of(device_table(plan, "serving"), name)
    assert row["state"] == "no price"
    assert row["price_basis"] == "no price known"
    assert math.isnan(row["usd_per_million"])


def test_verdicts_stand_in_their_columns() -> None:
    plan = plan_of()
    row = row_of(device_table(plan, "serving"), "NVIDIA L40S")
    for found in verdicts(plan, place_of(plan, "nvidia-l40s"), "serving"):
        assert row[found.test] == f"{found.level}: {found.reason}"


def test_records_carry_the_four_verdicts_in_words() -> None:
    plan = plan_of()
    for job in JOBS:
        records = device_records(plan, job)
        assert len(records) == len(plan.devices)
        assert [record.chosen for record in records].count(True) == 1
        for record in records:
            assert len(record.cells) == len(DEVICE_HEADINGS) == 3 + len(TESTS)
            assert all(cell.verdict == cell.status and cell.note for cell in record.cells[3:])
            assert record.cells[2].confidence in TIERS
    place = plan.serving_choice
    chosen = next(record for record in device_records(plan, "serving") if record.chosen)
    count = plan.fleet("serving").devices[place]
    assert chosen.cells[0].text == device_label(plan, place, count)
    assert chosen.cells[0].text.endswith(f"{SPACE}×{count:.0f}")
    assert chosen.cells[0].note == ""


def test_without_runs_devices_are_not_counted() -> None:
    for record in device_records(plan_of(runs_per_month=0), "training"):
        assert "×" not in record.cells[0].text
        assert record.cells[1].text == "–"


@given(question=questions())
@settings(max_examples=25)
def test_parts_of_owning_sum_to_what_owning_costs(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    rows = yearly_cost_table(plan).rows
    assert len(rows) == plan.serving.fits.sum()
    for row in rows:
        parts = sum(row[part] for part in plan.serving_cost.owned.parts_usd_per_year)
        assert parts == pytest.approx(row["owned"], nan_ok=True)
        assert row["devices"] >= 1
        known = [row[way] for way in ("owned", "rented", "mix") if np.isfinite(row[way])]
        assert row["month"] == pytest.approx(min(known, default=np.nan) / 12, rel=1e-5, nan_ok=True)


@given(question=questions())
@settings(max_examples=25)
def test_tokens_cost_what_requests_cost(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    cost, rows = plan.request_cost, token_cost_table(plan).rows
    assert len(rows) == np.isfinite(plan.fleet("serving").usd_per_year).sum()
    for row in rows:
        prompt = row["input"] * cost.input_tokens / 1e6
        answer = row["output"] * cost.output_tokens / 1e6
        assert prompt + answer == pytest.approx(row["request"])
        assert row["all_in"] == pytest.approx(row["request"] / cost.output_tokens * 1e6)
        assert row["all_in"] >= row["output"]
