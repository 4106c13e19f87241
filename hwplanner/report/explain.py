"""Headline numbers opened: each as steps of formula, values with units, result and source.

The steps restate what the engine computed for one device; a test holds their results equal to the
plan's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from hwplanner import wording
from hwplanner.plan import Plan
from hwplanner.report import expected
from hwplanner.report.energy import energy_per_token
from hwplanner.report.explain_cost import cost_per_request, cost_per_run, option_cost, serving_cost
from hwplanner.report.explain_serving import (
    serving_devices,
    serving_memory,
    time_per_token,
    time_to_first_token,
)
from hwplanner.report.explain_training import run_time, training_memory
from hwplanner.report.statements import CONFIDENCE_WORDS, Explanation
from hwplanner.report.story import horizon_usd
from hwplanner.scenario import Job
from hwplanner.units import Interval

Words = Callable[[float | None], str]


def explanations(plan: Plan) -> tuple[Explanation, ...]:
    """Explain every headline number of a plan, for the devices that it chooses."""
    serve, train = plan.serving_choice, plan.training_choice
    found: list[Explanation] = []
    if serve is not None:
        found += _of_serving(plan, serve)
    if train is not None:
        found += _of_training(plan, train)
    if plan.best.exists:
        usd = plan.best.usd_per_year
        ends = (horizon_usd(plan, end) for end in (usd.low, usd.typical, usd.high))
        found.append(
            _sure(option_cost(plan), Interval(*ends), wording.usd, "both jobs drawn together")
        )
    return tuple(found)


def _of_serving(plan: Plan, place: int) -> Iterator[Explanation]:
    basis = _basis(plan, "serving", place)
    numbers: tuple[tuple[Explanation, Interval, Words], ...] = (
        (serving_memory(plan, place), expected.memory_gib(plan, "serving", place), wording.gib),
        (time_per_token(plan, place), expected.token_ms(plan, place), wording.ms),
        (time_to_first_token(plan, place), expected.first_token_ms(plan, place), wording.ms),
        (serving_devices(plan, place), expected.devices(plan, "serving", place), wording.count),
    )
    for explained, interval, words in numbers:
        yield _sure(explained, interval, words, basis)
    for explained in (serving_cost(plan, place), cost_per_request(plan, place)):
        usd = expected.cost(plan, "serving", place, explained.value)
        yield _sure(explained, usd, wording.usd, basis)
    if np.isfinite(plan.arrays.rated_watts[place]):
        yield energy_per_token(plan, place)


def _of_training(plan: Plan, place: int) -> Iterator[Explanation]:
    basis = _basis(plan, "training", place)
    memory = expected.memory_gib(plan, "training", place)
    yield _sure(training_memory(plan, place), memory, wording.gib, basis)
    yield _sure(run_time(plan, place), expected.run_hours(plan, place), wording.hours, basis)
    if plan.scenario.all_runs_per_month:
        explained = cost_per_run(plan, place)
        usd = expected.cost(plan, "training", place, explained.value)
        yield _sure(explained, usd, wording.usd, basis)


def _sure(found: Explanation, interval: Interval, words: Words, basis: str) -> Explanation:
    """Say the range beside a number, and what it rests on."""
    ends = wording.interval(interval.low, interval.high, words)
    return replace(found, sureness=f"8 of 10 cases: {ends} ({basis}).")


def _basis(plan: Plan, job: Job, place: int) -> str:
    return CONFIDENCE_WORDS[plan.ranges.of(job).tiers[place]][1]
