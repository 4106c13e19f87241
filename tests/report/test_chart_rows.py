"""Rows that figures draw: shares sum to 1, lines pass through the plan, nothing is dropped."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.physics.time_parts import LIMITS
from hwplanner.report.chart_rows import (
    break_even_month,
    catalogue_rows,
    cost_rows,
    day_rows,
    device_label,
    device_name,
    frontier_rows,
    leaders,
    limit_rows,
    memory_rows,
    scale_rows,
    spend_rows,
    state,
    week_rows,
)
from hwplanner.report.option_tables import cash_table
from hwplanner.report.tables import MEMORY_PARTS, SpendRow
from hwplanner.scenario import Job
from hwplanner.wording import SPACE
from tests.plans import SHIPPED, option, place_of, plan_of, questions, renting, sharing, small_plan

JOBS: tuple[Job, ...] = ("serving", "training")


# Names and states


@pytest.mark.parametrize(
    ("device_id", "name"),
    [
        ("nvidia-h100-sxm", "NVIDIA H100 SXM5 80GB"),
        ("amd-mi300x", "AMD Instinct MI300X"),
        ("google-tpu-v5e", "Google Cloud TPU v5e"),
    ],
)
def test_a_device_is_said_with_its_maker_once(device_id: str, name: str) -> None:
    assert device_name(SHIPPED.device(device_id)) == name


def test_remarks_in_brackets_are_left_out_of_names() -> None:
    for item in SHIPPED.devices:
        assert "(" not in device_name(item)
        assert device_name(item).startswith(item.vendor)


def test_a_number_of_devices_is_said_if_there_is_one() -> None:
    plan = plan_of()
    place = place_of(plan, "nvidia-h100-sxm")
    assert device_label(plan, place, 4.0).replace(SPACE, " ") == "NVIDIA H100 SXM5 80GB ×4"
    for count in (None, 0.0, math.nan):
        assert device_label(plan, place, count) == "NVIDIA H100 SXM5 80GB"


def test_states_by_what_happened() -> None:
    plan = plan_of()
    assert state(plan, plan.serving_choice, "serving") == "chosen"
    assert state(plan, place_of(plan, "nvidia-h100-sxm"), "serving") == "fine"
    assert state(plan_of(tpot_ms=5), place_of(plan, "nvidia-l4"), "serving") == "misses"
    everything = plan_of(all_devices=True)
    others = ("apple-m4-max", "nvidia-h200-nvl", "tenstorrent-galaxy-bh")
    assert [state(everything, place_of(everything, name), "serving") for name in others] == [
        "unsupported",
        "no_price",
        "does_not_fit",
    ]


# Cost and memory


def test_cost_rows_say_owned_or_rented_or_why_not() -> None:
    plan = plan_of(all_devices=True)
    reasons = dict(
        zip(plan.order("serving"), (row.reason for row in cost_rows(plan, "serving")), strict=True)
    )
    assert reasons[place_of(plan, "nvidia-h200-nvl")] == "no price known"
    assert reasons[place_of(plan, "apple-m4-max")].startswith("vLLM is not listed")
    assert [row.reason for row in cost_rows(sharing(), "serving")] == ["owned"]
    assert [row.reason for row in cost_rows(renting(), "serving")] == ["rented"]


@given(question=questions())
@settings(max_examples=30)
def test_cost_rows_hold_every_device_and_never_a_free_one(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    for job in JOBS:
        rows = cost_rows(plan, job)
        assert len(rows) == len(plan.devices)
        assert [row.state for row in rows].count("chosen") == (plan.choice(job) is not None)
        for row in rows:
            assert row.reason
            if row.usd is not None:
                assert 0 < row.usd.low <= row.usd.typical <= row.usd.high
            if row.state == "no_price":
                assert row.usd is None


def test_without_runs_no_run_has_a_cost() -> None:
    for row in cost_rows(plan_of(runs_per_month=0), "training"):
        assert row.usd is None
        assert row.reason


@given(question=questions())
@settings(max_examples=30)
def test_memory_bars_are_the_memory_of_the_estimates(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    serving, training = plan.serving, plan.training
    totals = {
        "serving": serving.used_bytes * serving.layout_devices,
        "training": training.memory.total_bytes * training.devices,
    }
    for job in JOBS:
        places = [place for place in plan.order(job) if plan.supported(job)[place]]
        rows = memory_rows(plan, job)
        assert len(rows) == len(places)
        for row, place in zip(rows, places, strict=True):
            assert set(row.parts_gib) <= set(MEMORY_PARTS)
            assert sum(row.parts_gib.values()) == pytest.approx(totals[job][place] / 2**30)
            if plan.fits(job)[place]:
                assert sum(row.parts_gib.values()) <= row.usable_gib
                assert row.state not in ("does_not_fit", "unsupported")


# Speed


@given(question=questions())
@settings(max_examples=30)
def test_the_frontier_passes_through_the_plan(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    places = [place for place in plan.order("serving") if plan.serving.fits[place]][:5]
    rows = frontier_rows(plan, list(range(len(plan.devices))))
    assert len(rows) == plan.serving.fits.sum()
    for row, place in zip(frontier_rows(plan, places), places, strict=True):
        at = row.operating
        assert at is not None
        assert row.tpot_ms[at] == pytest.approx(plan.serving.tpot_seconds[place] * 1000)
        # Tokens of a second are requests over the time that each of them waits for one.
        tokens = np.array(row.users) / np.array(row.tpot_ms) * 1000
        assert row.tokens_per_s == pytest.approx(tokens)
        assert row.users[0] == plan.serving.copies[place]
        assert list(row.tpot_ms) == sorted(row.tpot_ms)
        assert all(
            low < typical < high
            for low, typical, high in zip(
                row.tokens_per_s_low, row.tokens_per_s, row.tokens_per_s_high, strict=True
            )
        )


@given(question=questions())
@settings(max_examples=30)
def test_limit_shares_sum_to_one(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    rows = limit_rows(plan, plan.serving_choice, plan.training_choice)
    expected = 2 * (plan.serving_choice is not None) + (plan.training_choice is not None)
    assert len(rows) == expected
    for row in rows:
        assert set(row.shares) == set(LIMITS)
        assert sum(row.shares.values()) == pytest.approx(1)
        assert min(row.shares.values()) >= 0
        assert row.shares[row.limited_by] == max(row.shares.values())


def test_limits_of_nothing_are_no_rows() -> None:
    assert limit_rows(plan_of(), None, None) == ()


@given(question=questions())
@settings(max_examples=20)
def test_run_times_by_devices_pass_through_the_plan(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    places = leaders(plan, "training")
    for row, place in zip(scale_rows(plan, places), places, strict=True):
        assert row.operating is not None
        assert row.devices[row.operating] == plan.training.devices[place]
        assert row.value[row.operating] == pytest.approx(plan.training.run_hours[place])
        assert row.target == plan.scenario.window_hours


def test_leaders_are_the_chosen_device_and_the_next_that_fit() -> None:
    plan = plan_of()
    found = leaders(plan, "serving")
    assert found[0] == plan.serving_choice
    assert len(set(found)) == 4
    assert all(plan.serving.fits[place] for place in found)
    alone = plan_of(model="llama-3.1-405b", weight_format="bf16", devices=("nvidia-l4",))
    assert leaders(alone, "serving") == ()


# Money over time


def test_cash_by_hand() -> None:
    # One device of $10,000 that returns 20 % after a year, in a server of half its price.
    terms = {
        "depreciation_years": 1,
        "residual_percent": 20,
        "maintenance_percent": 0,
        "staff_usd_per_device_year": 1200,
        "electricity_usd_per_kwh": 0,
        "runs_per_month": 0,
        "horizon_months": 14,
    }
    plan = small_plan(purchase=10_000.0, **terms)
    row = next(row for row in spend_rows(plan) if row.label == "One shared family, owned")
    assert row.months == tuple(range(15))
    assert row.usd[:3] == (15_000, 15_100, 15_200)
    assert row.usd[11] == 15_000 + 1100
    # At the end of the year bought again, less what the old one returns.
    assert row.usd[12] == pytest.approx(15_000 + 12_000 + 1200)
    assert row.usd[13] == pytest.approx(15_000 + 12_000 + 1300)
    assert not row.rented


@given(question=questions(), horizon=st.integers(12, 120))
@settings(max_examples=40)
def test_lines_of_cash_end_at_the_cash_of_the_table(
    question: dict[str, object], horizon: int
) -> None:
    plan = plan_of(**question, horizon_months=horizon)
    paid = {row["option"]: row["cash"] for row in cash_table(plan).rows}
    rows = spend_rows(plan)
    assert len(rows) == len(paid)
    for row in rows:
        assert row.usd[-1] == pytest.approx(paid[row.label])
        assert row.usd[0] == pytest.approx(
            next(item.purchase_usd for item in plan.options if item.label == row.label)
        )
        assert list(row.usd) == sorted(row.usd)
        assert row.rented == (row.label == "Rent everything")
        for low, typical, high in zip(row.usd_low, row.usd, row.usd_high, strict=True):
            assert low <= typical <= high
    assert [row.state for row in rows].count("chosen") == plan.best.exists


def spending(usd: list[float], state: str, *, rented: bool = False) -> SpendRow:
    months = tuple(float(month) for month in range(len(usd)))
    return SpendRow("", state, rented, months, tuple(usd), tuple(usd), tuple(usd))


def test_break_even_is_where_the_lines_cross() -> None:
    owned, rent = (
        spending([10, 11, 12, 13], "chosen"),
        spending([0, 5, 10, 15], "fine", rented=True),
    )
    # Month 2: 12 against 10; month 3: 13 against 15. Half-way between.
    assert break_even_month([owned, rent]) == 2.5


def test_there_is_no_break_even_without_two_lines_that_cross() -> None:
    rent = spending([0, 5], "fine", rented=True)
    assert break_even_month([rent]) is None
    assert break_even_month([spending([0, 5], "chosen", rented=True)]) is None
    assert break_even_month([spending([10, 11], "chosen"), rent]) is None
    assert break_even_month([spending([0, 1], "chosen"), rent]) is None


# Utilization


def test_the_week_peaks_at_the_share_of_capacity_that_the_peak_takes() -> None:
    plan = plan_of()
    place = plan.serving_choice
    rows = week_rows(plan, place)
    busy = [share for row in rows for share in row.busy]
    assert [row.day for row in rows] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert len(busy) == 168
    assert max(busy) == pytest.approx(plan.serving.peak_utilization[place])
    assert busy[30] == rows[1].busy[6]
    assert np.mean(busy) == pytest.approx(max(busy) * plan.shape.mean_over_peak)


def test_the_busiest_day_reaches_the_peak_below_capacity() -> None:
    plan = plan_of(shape="office")
    rows = day_rows(plan, plan.serving_choice, np.zeros(168, dtype=bool))
    assert [row.hour for row in rows] == list(range(24))
    assert max(row.demand_per_s for row in rows) == pytest.approx(128 / 20)
    assert all(row.demand_per_s <= row.capacity_per_s for row in rows)
    assert not any(row.free_for_training for row in rows)


def test_the_busiest_day_shows_its_own_free_hours() -> None:
    week = (1.0,) * 72 + (5.0,) * 24 + (1.0,) * 72
    plan = plan_of(shape="own", own_week=week)
    is_free = np.arange(168) // 24 == 3  # Thursday, the busy day
    rows = day_rows(plan, plan.serving_choice, is_free)
    assert all(row.free_for_training for row in rows)
    assert not any(row.free_for_training for row in day_rows(plan, plan.serving_choice, ~is_free))


# Catalogue


def test_the_catalogue_map_holds_every_device_and_marks_the_compared() -> None:
    plan = plan_of()
    rows = catalogue_rows(plan)
    assert len(rows) == 140
    roles = [row.role for row in rows]
    chosen = {plan.serving_choice, plan.training_choice}
    assert roles.count("chosen") == len(chosen)
    assert roles.count("compared") == 24 - len(chosen)
    blank = next(row for row in rows if row.label == "Cerebras WSE-3")
    assert math.isfinite(blank.memory_gib)
    h100 = next(row for row in rows if row.label == "NVIDIA H100 SXM5 80GB")
    assert h100.bf16_tflop_per_s == pytest.approx(989.4, rel=1e-3)
    assert h100.bandwidth_gb_per_s == pytest.approx(3350, rel=1e-2)
    assert option(plan, plan.best.key) is plan.best
