"""Which input moves the cost of a plan: one at a time, to both ends of its range.

Every option keeps its devices, so what is compared is the same hardware at another input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hwplanner.finance.cases import OFFERS, Basis, Case, Costs
from hwplanner.finance.ranges import input_range, uncertain_inputs
from hwplanner.money.option import OptionKey, owns
from hwplanner.plan import Plan
from hwplanner.scenario import Job
from hwplanner.training.goodput import Interruptions
from hwplanner.units import Array

BEYOND_INPUTS = ("purchase_price", "rents", "failures", "serving_speed", "training_speed")
"""What is no input of the scenario: published offers, assumptions, and how sure estimates are."""
NO_EFFECT = 1e-9


@dataclass(frozen=True, slots=True)
class Outcome:
    """The plan with one input at one end of its range.

    Attributes
    ----------
    value
        The input there; of an estimate, measured over estimated speed; NaN for offers and
        failures, which have several numbers.
    change
        Cost of the plan's best option over its cost as planned, less 1. [1]
    winner
        The option that wins then.
    meets_both
        Whether the plan's best option still meets both targets.
    """

    value: float
    change: float
    winner: OptionKey
    meets_both: bool


@dataclass(frozen=True, slots=True)
class Effect:
    """One input at both ends of its range.

    Attributes
    ----------
    name
        Input of the scenario, or one of `BEYOND_INPUTS`.
    low, high
        What comes of the two ends.
    """

    name: str
    low: Outcome
    high: Outcome

    @property
    def ends(self) -> tuple[Outcome, Outcome]:
        """Both ends."""
        return self.low, self.high

    @property
    def size(self) -> float:
        """The larger of both changes of the cost. [1]"""
        return max(abs(self.low.change), abs(self.high.change))


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """One input, its values at both ends of its range, and the cases that come of them."""

    name: str
    values: tuple[float, float]
    cases: tuple[Case, Case]


def effects(
    basis: Basis, probes: Sequence[Probe], planned: Costs, at_ends: Costs
) -> tuple[Effect, ...]:
    """Effects of inputs and of the speeds of both jobs, the largest first.

    Parameters
    ----------
    basis, probes
        The plan, and what is probed.
    planned, at_ends
        Cost of the unchanged case, and of both cases of each probe in turn.
    """
    best = basis.plan.best.key
    base_usd = float(planned.usd_per_year[best][0])
    usd, meets, winners = at_ends.usd_per_year[best], at_ends.meets_both[best], at_ends.winners

    def outcome(value: float, place: int) -> Outcome:
        change = float(usd[place] / base_usd - 1)
        change = change if abs(change) > NO_EFFECT else 0.0
        return Outcome(value, change, winners[place], bool(meets[place]))

    found = [
        Effect(
            probe.name,
            outcome(probe.values[0], 2 * place),
            outcome(probe.values[1], 2 * place + 1),
        )
        for place, probe in enumerate(probes)
    ]
    found += [_speed(basis, planned, "serving"), _speed(basis, planned, "training")]
    return tuple(sorted(found, key=lambda effect: -effect.size))


def probes(basis: Basis) -> Iterator[Probe]:
    """Every input that has a range, offers of devices, and failures of runs."""
    plan, unchanged = basis.plan, basis.unchanged
    scenario = plan.scenario
    for name in uncertain_inputs(scenario):
        value, ends = getattr(scenario, name), input_range(scenario, name, plan.assumptions)
        low, high = (unchanged if end == value else basis.case({name: end}) for end in ends)
        yield Probe(name, ends, (low, high))
    nan = float("nan"), float("nan")
    for name, rents in (("purchase_price", False), ("rents", True)):
        low, high = (replace(unchanged, market=basis.at_offers(end, rents=rents)) for end in OFFERS)
        yield Probe(name, nan, (low, high))
    worst, _, best = Interruptions.range_of(plan.assumptions)
    cases = basis.case({}, interruptions=worst), basis.case({}, interruptions=best)
    yield Probe("failures", nan, cases)


def _speed(basis: Basis, costs: Costs, job: Job) -> Effect:
    """Both ends of the range that holds the speed of a job in 8 of 10 cases."""
    plan, places = basis.plan, basis.places
    usd = {
        key: np.array([planned[0], *_at_speeds(plan, key, job, *places[key])])
        for key, planned in costs.usd_per_year.items()
    }
    meets = {key: np.repeat(planned[:1], 3) for key, planned in costs.meets_both.items()}
    at_speeds = Costs(usd, meets, costs.best)
    best = plan.best.key
    place = places[best][0] if job == "serving" else places[best][1]
    low, high = (
        Outcome(
            value=value,
            change=float(usd[best][end] / usd[best][0] - 1),
            winner=at_speeds.winners[end],
            meets_both=bool(meets[best][end]),
        )
        for end, value in enumerate(plan.ranges.of(job).speed.at(place), start=1)
    )
    return Effect(f"{job}_speed", low, high)


def _at_speeds(plan: Plan, key: OptionKey, job: Job, serve: int, train: int) -> Array:
    """Cost of an option if a job is as slow, and as fast, as in 8 of 10 cases at most."""
    draws, one = plan.draws, np.ones(2)
    place = serve if job == "serving" else train
    factors = np.array(plan.ranges.of(job).speed.at(place))
    if key == "shared":
        usd = plan.shared.fleet.usd_per_year[place]
        of_jobs = (factors, one) if job == "serving" else (one, factors)
        return np.asarray(usd * draws.shared_ratio(place, *of_jobs))
    total = np.zeros(2)
    jobs: tuple[tuple[Job, int], ...] = (("serving", serve), ("training", train))
    for its_job, its_place in jobs:
        fleets = draws.fleets_at(
            factors if its_job == job else one, its_job, its_place, owned=owns(key, its_job)
        )
        total += sum(fleet.usd_per_year[its_place] * ratio for fleet, ratio in fleets)
    return total
