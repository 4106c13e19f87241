"""Estimates with the range that holds 8 of 10 cases."""

import pytest
from hypothesis import given, settings

from hwplanner.report import expected
from hwplanner.report.expected import draws_in_words
from tests.plans import plan_of, questions, small_plan


def test_times_and_memory_by_hand() -> None:
    plan = small_plan(purchase=10_000.0)
    low, high = plan.ranges.serving.token_time.at(0)
    ms = float(plan.serving.tpot_seconds[0]) * 1000
    found = expected.token_ms(plan, 0)
    assert (found.low, found.typical, found.high) == pytest.approx((low * ms, ms, high * ms))
    slow, fast = plan.ranges.training.speed.at(0)
    hours = expected.run_hours(plan, 0, 10.0)
    # An hour of set-up is no estimate.
    assert (hours.low, hours.typical, hours.high) == pytest.approx((1 + 9 / fast, 10, 1 + 9 / slow))
    memory = expected.memory_gib(plan, "training", 0)
    assert memory.typical == pytest.approx(plan.training.memory.total_bytes[0] / 2**30)


@given(question=questions())
@settings(max_examples=20)
def test_ranges_hold_their_estimates(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    for job in ("serving", "training"):
        for place in plan.order(job):
            if not plan.fits(job)[place]:
                continue
            found = [
                expected.memory_gib(plan, job, place),
                expected.cost(plan, job, place),
                expected.token_ms(plan, place),
                expected.busy_share(plan, place),
            ]
            for interval in found:
                if interval.typical == interval.typical:
                    assert interval.low <= interval.typical * (1 + 1e-9)
                    assert interval.high >= min(interval.typical, 1.0) * (1 - 1e-9)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "no draw"),
        (0.02, "1 of 50 draws"),
        (0.05, "1 of 10 draws"),
        (0.68, "7 of 10 draws"),
        (0.97, "9 of 10 draws"),
        (0.996, "nearly all draws"),
        (1.0, "all draws"),
    ],
)
def test_draws_in_words(share: float, words: str) -> None:
    assert draws_in_words(share) == words
