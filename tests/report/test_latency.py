"""Latency under load in words: the plan's numbers, and a reason wherever there is none."""

import math

import pytest
from hypothesis import given, settings

from hwplanner.plan import Plan
from hwplanner.report.answer import plan_answer
from hwplanner.report.explain_latency import explanations
from hwplanner.report.latency import (
    HEADINGS,
    PERCENTILES,
    RANGES,
    TIMES,
    held,
    latency_records,
    latency_table,
    load_rows,
    load_sentence,
    times_ms,
    without_times,
)
from tests.plans import plan_of, questions


def chosen(plan: Plan) -> int:
    assert plan.serving_choice is not None
    return plan.serving_choice


def test_times_are_the_plans() -> None:
    plan = plan_of()
    place = chosen(plan)
    times = times_ms(plan, place)
    assert times["ttft"]["p99"] == pytest.approx(1000 * plan.latency.ttft.p99[place])
    assert times["tpot"]["mean"] == pytest.approx(1000 * plan.latency.tpot.mean[place])
    low, high = plan.ranges.serving.token_time.at(place)
    assert times["tpot"]["mean_high"] == pytest.approx(high * times["tpot"]["mean"])
    # the range of a tail is wider than that of the mean, and holds both sources of doubt
    assert times["tpot"]["p99_high"] > high * times["tpot"]["p99"]
    assert times["tpot"]["p99_low"] < low * times["tpot"]["p99"]


@given(question=questions())
@settings(max_examples=25, deadline=None)
def test_every_device_has_times_or_a_reason(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    table = latency_table(plan)
    assert len(table.rows) == len(plan.devices)
    for record, row in zip(latency_records(plan), table.rows, strict=True):
        has_times = math.isfinite(row.get("tpot_mean", math.nan))
        assert has_times == (len(record.cells) == len(HEADINGS))
        assert has_times == (not record.reason)
        if not has_times:
            assert row["reason"] == record.reason
    assert load_sentence(plan)


def test_past_saturation_is_said_and_no_number_printed() -> None:
    plan = plan_of(demand_percent=1000)
    place = chosen(plan)
    assert "past saturation" in without_times(plan, place)
    assert "waits grow without end" in load_sentence(plan)
    assert "at 1000% of the planned demand" in load_sentence(plan)
    (row,) = (row for row in latency_table(plan).rows if row["state"] == "chosen")
    assert not {f"tpot_{name}" for name in (*PERCENTILES, *RANGES)} & row.keys()
    assert explanations(plan) == ()
    answer = plan_answer(plan)["devices"][place]["serving"]["under_load"]
    assert answer["saturated"]
    assert answer["ttft_seconds"]["p99"] is None


def busy(plan: Plan) -> Plan:
    """The same plan with demand at 92 % of the most that its device answers."""
    load = float(plan.latency.queue.load[chosen(plan)])
    return plan_of(demand_percent=round(100 * 0.92 / load))


def test_a_busy_device_has_no_tails_and_says_so() -> None:
    plan = busy(plan_of())
    place = chosen(plan)
    times = times_ms(plan, place)["tpot"]
    assert math.isfinite(times["mean"])
    assert math.isnan(times["p95"])
    assert math.isnan(times["p99_high"])
    assert "99 in 100" not in load_sentence(plan)
    (row,) = (row for row in latency_table(plan).rows if row["state"] == "chosen")
    assert row["reason"] == "above 85% of the most, tails are not known"
    assert explanations(plan) == ()


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ({"tpot_ms": 500, "ttft_ms": 120000}, "for 99 in 100"),
        ({"tpot_ms": 5, "ttft_ms": 50}, "for fewer than half"),
    ],
)
def test_for_how_many_targets_hold(targets: dict[str, float], words: str) -> None:
    plan = plan_of(devices=("nvidia-l4",), **targets)
    assert held(plan, 0)[1] == words


def test_charts_follow_the_load_to_the_plan() -> None:
    plan = plan_of()
    first, token = load_rows(plan)
    assert (first.key, token.key) == ("ttft", "tpot")
    assert first.target_ms == plan.scenario.ttft_ms
    assert token.planned == pytest.approx(plan.latency.queue.load[chosen(plan)])
    assert token.planned_ms == pytest.approx(1000 * plan.latency.tpot.mean[chosen(plan)])
    assert list(token.lines_ms["mean"]) == sorted(token.lines_ms["mean"])
    assert set(token.lines_ms) == {*PERCENTILES, *RANGES}


def test_explanations_end_at_the_plans_numbers() -> None:
    plan = plan_of()
    first, token = explanations(plan)
    assert first.value == plan.latency.ttft.p99[chosen(plan)]
    assert token.value == plan.latency.tpot.p99[chosen(plan)]
    for found in (first, token):
        assert found.steps[-1].result == found.result
        assert all(step.label and step.formula for step in found.steps)


def test_answer_for_programs_is_in_seconds() -> None:
    plan = plan_of()
    place = chosen(plan)
    answer = plan_answer(plan)["devices"][place]["serving"]["under_load"]
    assert answer["demand_share"] == 1
    assert answer["ttft_seconds"]["p99"] == pytest.approx(plan.latency.ttft.p99[place])
    assert set(TIMES) <= {name.removesuffix("_seconds") for name in answer}
