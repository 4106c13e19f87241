"""Many scenarios beside that of a plan, worked out at once on the devices of its options.

Layouts are worked out case by case, where a case changes any. Money is worked out for all cases
together: each brings its own devices, as if they were so many more devices of one comparison. A
case therefore costs what a plan of its scenario costs on these devices, to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from hwplanner.catalog.device import DeviceArrays
from hwplanner.demand.shapes import DemandShape
from hwplanner.finance.candidates import (
    CHANGEABLE,
    DEMAND,
    MONEY,
    MONTHS,
    RUNS,
    SERVING,
    TRAINING,
    serving_of,
    training_of,
)
from hwplanner.finance.ranges import offer_range
from hwplanner.finance.stacks import stacked_estimates, stacked_markets
from hwplanner.money.device_prices import DevicePrices, Prices
from hwplanner.money.fleets import Market, Mask
from hwplanner.money.option import Option, OptionKey, owns
from hwplanner.money.serving_money import priced_serving, serving_layouts
from hwplanner.money.shared_fleet import priced_shared, shared_layouts
from hwplanner.money.training_money import priced_training, training_layouts
from hwplanner.plan import Jobs, Plan, arrays_of, market_of
from hwplanner.scenario import Scenario
from hwplanner.serving.estimates import ServingCandidates, ServingEstimates
from hwplanner.training.candidates import TrainingCandidates
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.training.goodput import Interruptions
from hwplanner.units import Array

OFFERS: tuple[Literal["low", "high"], ...] = ("low", "high")


class Layouts(NamedTuple):
    """Layouts of both jobs: owned and rented, and of serving and training on a shared fleet."""

    serving: tuple[ServingEstimates, ServingEstimates]
    training: tuple[TrainingEstimates, TrainingEstimates]
    shared: tuple[ServingEstimates, TrainingEstimates]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One scenario in its layouts, before it is paid for."""

    scenario: Scenario
    layouts: Layouts
    market: Market


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """What the options cost in each case, one entry a case.

    Attributes
    ----------
    usd_per_year
        By option, as a mean over the months; NaN where a price is not known. [USD/year]
    meets_both
        By option: whether both jobs meet their targets.
    best
        The option that wins in the plan, which only a better one replaces.
    """

    usd_per_year: Mapping[OptionKey, Array]
    meets_both: Mapping[OptionKey, Mask]
    best: OptionKey

    def part(self, cases: slice) -> Costs:
        """The same for some of the cases."""
        return Costs(
            {key: usd[cases] for key, usd in self.usd_per_year.items()},
            {key: meets[cases] for key, meets in self.meets_both.items()},
            self.best,
        )

    @property
    def winners(self) -> tuple[OptionKey, ...]:
        """The option of each case that meets both targets at the lowest cost, or comes nearest."""
        keys = sorted(self.usd_per_year, key=lambda key: key != self.best)
        usd = np.array([np.nan_to_num(self.usd_per_year[key], nan=np.inf) for key in keys])
        misses = np.array([~self.meets_both[key] for key in keys])
        misses &= ~misses.all(axis=0)
        ranked = np.where(misses, np.inf, usd)
        ranked[0] *= 1 - 1e-9  # options that cost the same do not win over the plan's
        return tuple(keys[place] for place in ranked.argmin(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """A plan on the devices of its options, from which cases are made and priced.

    Attributes
    ----------
    plan
        The plan.
    places, choices
        Devices of each option, which it keeps in every case: what serves and what trains, by their
        places in the plan, and in `arrays`.
    arrays
        The devices of all options.
    jobs
        Every layout of both jobs.
    unchanged
        The plan's own scenario as a case.
    """

    plan: Plan
    places: Mapping[OptionKey, tuple[int, int]]
    choices: Mapping[OptionKey, tuple[int, int]]
    arrays: DeviceArrays
    jobs: Jobs
    unchanged: Case

    @classmethod
    def of(cls, plan: Plan) -> Basis:
        """Keep of a plan the devices of its options."""
        pairs: dict[OptionKey, tuple[int, int]] = {}
        for option in distinct_options(plan):
            serve, train = option.serving_device, option.training_device
            assert serve is not None
            pairs[option.key] = (serve, serve if train is None else train)
        used = sorted({place for pair in pairs.values() for place in pair})
        ids = tuple(plan.arrays.ids[place] for place in used)
        arrays = arrays_of(ids, plan.scenario.power_cap_watts, plan.catalog)
        market = market_of(plan.scenario, plan.catalog, arrays, plan.assumptions)
        scenario, known = plan.scenario, (ids, plan.catalog, plan.assumptions)
        jobs = _jobs(
            scenario, serving_of(scenario, known), training_of(scenario, known), plan.shape, market
        )
        return cls(
            plan=plan,
            places=pairs,
            choices={key: (used.index(s), used.index(t)) for key, (s, t) in pairs.items()},
            arrays=arrays,
            jobs=jobs,
            unchanged=Case(plan.scenario, _layouts(jobs, plan.scenario, market), market),
        )

    def case(
        self, changes: Mapping[str, float], *, interruptions: Interruptions | None = None
    ) -> Case:
        """Change inputs of the scenario.

        Parameters
        ----------
        changes
            Inputs by name, of those in `CHANGEABLE`.
        interruptions
            What interrupts runs, if not what the plan assumes.
        """
        names = frozenset(changes)
        assert names <= CHANGEABLE
        plan, base = self.plan, self.unchanged
        scenario = plan.scenario.model_copy(update=changes)
        market = market_of(scenario, plan.catalog, self.arrays, plan.assumptions)
        if names <= MONEY and interruptions is None:
            return Case(scenario, base.layouts, market)
        serves_alike = not names & (SERVING | DEMAND | MONTHS)
        trains_alike = not names & (TRAINING | RUNS) and interruptions is None
        known = self.arrays.ids, plan.catalog, plan.assumptions
        jobs = _jobs(
            scenario,
            self.jobs.serving if serves_alike else serving_of(scenario, known),
            self.jobs.training if trains_alike else training_of(scenario, known, interruptions),
            plan.shape,
            market,
        )
        return Case(
            scenario,
            _layouts(
                jobs,
                scenario,
                market,
                serving=base.layouts.serving if serves_alike else None,
                training=base.layouts.training if trains_alike else None,
            ),
            market,
        )

    def at_offers(self, end: Literal["low", "high"], *, rents: bool) -> Market:
        """Market in which all devices are sold, or rented out, at one end of their offers."""

        def at_end(prices: Prices) -> Prices:
            low_usd, high_usd = offer_range(prices, self.plan.assumptions)
            return replace(prices, typical_usd=low_usd if end == "low" else high_usd)

        return _with_prices(self.unchanged.market, at_end, rents=rents)

    def at_rents(self, ratio: float) -> Market:
        """Market in which all rents are so many times as high."""

        def times(prices: Prices) -> Prices:
            return replace(prices, typical_usd=prices.typical_usd * ratio)

        return _with_prices(self.unchanged.market, times, rents=True)

    def costs(self, cases: Sequence[Case]) -> Costs:
        """Pay for cases: those with the same months and way of renting at once."""
        groups: dict[object, list[int]] = {}
        for place, case in enumerate(cases):
            rents = replace(case.market.rents, cold_start_seconds=0.0)
            same = (case.market.calendar.growth.tobytes(), rents)
            groups.setdefault(same, []).append(place)
        usd = {key: np.empty(len(cases)) for key in self.choices}
        meets = {key: np.empty(len(cases), dtype=np.bool_) for key in self.choices}
        for places in groups.values():
            priced = self._priced([cases[place] for place in places])
            for key, (its_usd, its_meets) in priced.items():
                usd[key][places], meets[key][places] = its_usd, its_meets
        return Costs(usd, meets, self.plan.best.key)

    def _priced(self, cases: Sequence[Case]) -> dict[OptionKey, tuple[Array, Mask]]:
        """Cost of the options, and whether they meet both targets, one entry a case."""
        entries, shape = len(self.arrays), self.plan.shape
        serving, training, shared = (
            [stacked_estimates(estimates, entries) for estimates in zip(*ways, strict=True)]
            for ways in zip(*(case.layouts for case in cases), strict=True)
        )
        market = stacked_markets([case.market for case in cases], entries)
        runs = np.repeat([case.scenario.all_runs_per_month for case in cases], entries)
        window = np.repeat([case.scenario.window_hours for case in cases], entries)
        of_serving = priced_serving(*serving, shape=shape, market=market)
        of_training = priced_training(*training, runs_per_month=runs, market=market)
        of_both = priced_shared(
            *shared, shape=shape, window_hours=window, runs_per_month=runs, market=market
        )

        def option(key: OptionKey, serve: int, train: int) -> tuple[Array, Mask]:
            of_serve, of_train = np.s_[serve::entries], np.s_[train::entries]
            if key == "shared":
                fleet = of_both.fleet
                meets = fleet.meets_target & of_both.serving.meets_target
                return fleet.usd_per_year[of_serve], meets[of_serve]
            serves = of_serving.paid(owned=owns(key, "serving"))
            trains = of_training.paid(owned=owns(key, "training"))
            return (
                serves.usd_per_year[of_serve] + trains.usd_per_year[of_train],
                serves.meets_target[of_serve] & trains.meets_target[of_train],
            )

        return {key: option(key, *pair) for key, pair in self.choices.items()}


def distinct_options(plan: Plan) -> tuple[Option, ...]:
    """Options that exist, best first; without runs only the better of those that own to serve."""
    options = [option for option in plan.options if option.exists]
    if plan.scenario.all_runs_per_month:
        return tuple(options)
    best_by_way = {option.owns("serving"): option.key for option in reversed(options)}
    return tuple(option for option in options if option.key in best_by_way.values())


def _jobs(
    scenario: Scenario,
    serving: ServingCandidates,
    training: TrainingCandidates,
    shape: DemandShape,
    market: Market,
) -> Jobs:
    load = np.sort(shape.relative_load) * market.calendar.growth.mean()
    return Jobs(
        serving=serving,
        training=training,
        devices_by_hour=serving.devices_by_hour(load),
        shape=shape,
        runs_per_month=scenario.all_runs_per_month,
    )


def _layouts(
    jobs: Jobs,
    scenario: Scenario,
    market: Market,
    *,
    serving: tuple[ServingEstimates, ServingEstimates] | None = None,
    training: tuple[TrainingEstimates, TrainingEstimates] | None = None,
) -> Layouts:
    """Layouts of both jobs in each way of paying; those that are known already stay."""
    rents, runs = market.rents, jobs.runs_per_month
    on_rent = jobs.training.rented(rents.queue_hours, rents.interruptions_per_hour)
    return Layouts(
        serving=serving or serving_layouts(jobs.serving, jobs.devices_by_hour, market),
        training=training or training_layouts(jobs.training, on_rent, runs, market),
        shared=shared_layouts(
            jobs.serving,
            jobs.training,
            devices_by_hour=jobs.devices_by_hour,
            window_hours=scenario.window_hours,
            runs_per_month=runs,
            market=market,
        ),
    )


def _with_prices(market: Market, change: Callable[[Prices], Prices], *, rents: bool) -> Market:
    def changed(prices: DevicePrices) -> DevicePrices:
        if rents:
            return replace(prices, rent=change(prices.rent))
        return replace(prices, purchase=change(prices.purchase))

    return replace(market, prices=changed(market.prices), peak_prices=changed(market.peak_prices))
