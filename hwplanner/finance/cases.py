"""Many scenarios beside that of a plan, worked out at once on the devices of its options.

Layouts are worked out case by case, where a case changes any. Money is worked out for all cases
together: each brings its own devices, as if they were so many more devices of one comparison. A
case therefore costs what a plan of its scenario costs on these devices, to the last digit.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.catalog import Catalog
from hwplanner.catalog.device import DeviceArrays
from hwplanner.control import Group
from hwplanner.demand.shapes import DemandShape
from hwplanner.finance.ranges import offer_range
from hwplanner.finance.traffic import taken
from hwplanner.model.workload import workload
from hwplanner.money.device_prices import DevicePrices, Prices
from hwplanner.money.fleets import Market, Mask
from hwplanner.money.options import Option, OptionKey, owns
from hwplanner.money.serving_money import priced_serving, serving_layouts
from hwplanner.money.shared_fleet import priced_shared, shared_layouts
from hwplanner.money.training_money import priced_training, training_layouts
from hwplanner.plan import Jobs, Plan, arrays_of, market_of
from hwplanner.scenario import Scenario, controls
from hwplanner.serving.estimates import (
    ServingCandidates,
    ServingEstimates,
    serving_candidates,
)
from hwplanner.training.candidates import TrainingCandidates, training_candidates
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.training.goodput import Interruptions
from hwplanner.units import Array

OFFERS: tuple[Literal["low", "high"], ...] = ("low", "high")

SERVING = frozenset(
    {"context_tokens", "output_tokens", "prefix_reuse_percent", "tpot_ms", "ttft_ms"}
)
"""Inputs that change what a copy of the model holds or answers."""
DEMAND = frozenset(
    {"users", "request_interval_seconds", "headroom_percent", "burst_factor", "spare_copies"}
)
"""Inputs that change how many copies there are."""
TRAINING = frozenset({"training_tokens_million", "batch_sequences", "sequence_tokens"})
"""Inputs that change how long a run works."""
RUNS = frozenset({"runs_per_month", "window_hours", "setup_hours"})
"""Inputs that change how runs lie in the calendar."""
MONTHS = frozenset({"growth_percent_per_month", "horizon_months"})
MONEY = frozenset(
    {
        "depreciation_years", "residual_percent", "cost_of_capital_percent", "server_percent",
        "network_percent", "install_percent", "electricity_usd_per_kwh", "pue",
        "colocation_usd_per_kw_month", "maintenance_percent", "staff_usd_per_device_year",
        "licence_usd_per_device_year", "rent_change_percent_per_year", "cold_start_minutes",
    }
)  # fmt: skip
"""Inputs that leave all layouts as they are."""
CHANGEABLE = SERVING | DEMAND | TRAINING | RUNS | MONTHS | MONEY


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
            scenario, _serving(scenario, known), _training(scenario, known), plan.shape, market
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
            self.jobs.serving if serves_alike else _serving(scenario, known),
            self.jobs.training if trains_alike else _training(scenario, known, interruptions),
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
            [_stacked_estimates(estimates, entries) for estimates in zip(*ways, strict=True)]
            for ways in zip(*(case.layouts for case in cases), strict=True)
        )
        market = _stacked_markets([case.market for case in cases], entries)
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


Known: TypeAlias = tuple[tuple[str, ...], Catalog, Assumptions]
"""Devices by id, and what is known of them."""


@cache
def _defaults(*groups: Group, without: frozenset[str] = frozenset()) -> Mapping[str, object]:
    """Defaults of all inputs but those of some parts of the scenario."""
    defaults = Scenario()
    return {
        name: getattr(defaults, name)
        for name, control in controls().items()
        if control.group not in groups or name in without
    }


def _serving(scenario: Scenario, known: Known) -> ServingCandidates:
    """Layouts of serving, which a change of another input leaves as they are."""
    others = _defaults("headline", "serving", "demand", "devices", without=frozenset({"name"}))
    return _serving_at_demand(scenario.model_copy(update=others), known)


@lru_cache(maxsize=256)
def _serving_at_demand(scenario: Scenario, known: Known) -> ServingCandidates:
    demand = _defaults("headline", "serving", "devices", without=DEMAND)
    return _serving_grid(scenario.model_copy(update=demand), known).with_demand(scenario)


@lru_cache(maxsize=64)
def _serving_grid(scenario: Scenario, known: Known) -> ServingCandidates:
    ids, catalog, assumptions = known
    arrays = arrays_of(ids, scenario.power_cap_watts, catalog)
    return serving_candidates(scenario, workload(scenario), arrays, assumptions)


def _training(
    scenario: Scenario, known: Known, interruptions: Interruptions | None = None
) -> TrainingCandidates:
    """Layouts of training, which a change of another input leaves as they are."""
    without = SERVING | DEMAND | frozenset({"name"})
    others = _defaults("headline", "serving", "training", "devices", without=without)
    return _training_runs(scenario.model_copy(update=others), known, interruptions)


@lru_cache(maxsize=256)
def _training_runs(
    scenario: Scenario, known: Known, interruptions: Interruptions | None
) -> TrainingCandidates:
    runs = _defaults("headline", "serving", "training", "devices", without=RUNS)
    grid = _training_grid(scenario.model_copy(update=runs), known)
    interruptions = interruptions or grid.interruptions
    return replace(grid, scenario=scenario, interruptions=interruptions)


@lru_cache(maxsize=64)
def _training_grid(scenario: Scenario, known: Known) -> TrainingCandidates:
    ids, catalog, assumptions = known
    arrays = arrays_of(ids, scenario.power_cap_watts, catalog)
    return training_candidates(scenario, workload(scenario).numbers, arrays, assumptions)


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


def stacked(parts: Sequence[Any], entries: int) -> Any:
    """Put structures of arrays below one another, in nested dataclasses and mappings too.

    Parameters
    ----------
    parts
        Structures of the same kind, whose entries run along the first axis of their arrays.
    entries
        Entries of each. A number, or an array of another length, is repeated for each entry where
        it differs between the structures.

    Examples
    --------
    >>> stacked([np.array([1.0, 2.0]), np.array([3.0, 4.0])], 2)
    array([1., 2., 3., 4.])
    >>> stacked([5.0, 6.0], 2)
    array([5., 5., 6., 6.])
    """
    first = parts[0]
    if all(part is first for part in parts):
        return taken(first, np.tile(np.arange(entries), len(parts)), entries=entries)
    if is_dataclass(first):
        return _stacked_dataclasses(parts, entries)
    if isinstance(first, Mapping):
        return {name: stacked([part[name] for part in parts], entries) for name in first}
    if isinstance(first, np.ndarray) and first.shape[:1] == (entries,):
        return np.concatenate(parts)
    same = np.array_equal if isinstance(first, np.ndarray) else operator.eq
    if all(same(part, first) for part in parts):
        return first
    return np.repeat(np.stack(parts), entries, axis=0)


def _stacked_markets(markets: Sequence[Market], entries: int) -> Market:
    """Put markets below one another, which differ in typical prices, terms and trends alone."""
    first, at = markets[0], np.tile(np.arange(entries), len(markets))

    def typical(prices: Sequence[Prices]) -> Prices:
        usd = np.concatenate([of_case.typical_usd for of_case in prices])
        alike: Prices = taken(prices[0], at, entries=entries)
        return replace(alike, typical_usd=usd)

    def both(prices: Sequence[DevicePrices]) -> DevicePrices:
        return DevicePrices(
            purchase=typical([of_case.purchase for of_case in prices]),
            rent=typical([of_case.rent for of_case in prices]),
            rent_is_kept=prices[0].rent_is_kept[at],
        )

    return replace(
        first,
        arrays=taken(first.arrays, at, entries=entries),
        prices=both([market.prices for market in markets]),
        peak_prices=both([market.peak_prices for market in markets]),
        terms=stacked([market.terms for market in markets], entries),
        rents=stacked([market.rents for market in markets], entries),
        calendar=stacked([market.calendar for market in markets], entries),
    )


def _stacked_estimates(parts: Sequence[Any], entries: int) -> Any:
    """Put estimates below one another, of which many cases have the same."""
    different = {id(part): part for part in parts}
    stack = stacked(list(different.values()), entries)
    places = {key: place for place, key in enumerate(different)}
    rows = np.array([places[id(part)] for part in parts])[:, None] * entries
    return taken(stack, (rows + np.arange(entries)).ravel(), entries=len(different) * entries)


def _stacked_dataclasses(parts: Sequence[Any], entries: int) -> Any:
    """Put dataclasses below one another; numbers that differ become as deep as their arrays."""
    first = parts[0]
    values = {
        field.name: stacked([getattr(part, field.name) for part in parts], entries)
        for field in fields(first)
        if field.init
    }
    arrays = (getattr(first, name) for name in values)
    depth = min((a.ndim for a in arrays if isinstance(a, np.ndarray)), default=2)
    for name, value in values.items():
        if np.isscalar(getattr(first, name)) and isinstance(value, np.ndarray):
            values[name] = value.reshape(-1, *[1] * (depth - 1))
    return type(first)(**values)
