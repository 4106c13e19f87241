"""How often each option is the cheapest when estimates and prices turn out otherwise.

The fleets stay as they are planned, as after a decision; what is drawn is how fast devices are,
what they cost to buy and to rent, and on what terms. What is drawn of an option is drawn for all
others alike, so that they are compared in the same world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hwplanner.finance.cases import distinct_options
from hwplanner.finance.ranges import ONLY_IF_PAID, input_range, offer_range
from hwplanner.money.device_prices import Prices
from hwplanner.money.draws import (
    cheapest_shares,
    partly_common,
    standard_normal,
    two_piece_log_normal,
    two_piece_normal,
    win_share,
)
from hwplanner.money.fleets import Fleet
from hwplanner.money.option import Option, OptionKey, owns
from hwplanner.money.ownership import OwnershipTerms, owned_cost, ownership_terms
from hwplanner.plan import Plan
from hwplanner.scenario import Job, controls
from hwplanner.units import MONTHS_PER_YEAR, Array, Interval, Quantity

CASES = 10_000
DRAWN_TERMS = (
    "residual_percent", "cost_of_capital_percent", "server_percent", "network_percent",
    "install_percent", "electricity_usd_per_kwh", "pue", "colocation_usd_per_kw_month",
    "maintenance_percent", "staff_usd_per_device_year", "licence_usd_per_device_year",
)  # fmt: skip
"""Terms of ownership that are drawn."""
JOBS: tuple[Job, Job] = ("serving", "training")


@dataclass(frozen=True, eq=False)
class MonteCarlo:
    """Costs of the options in many cases.

    Attributes
    ----------
    usd_per_year
        By option, best first as planned. [USD/year, (cases,)]
    competing
        Options that do as well on the targets as the plan's best.
    """

    usd_per_year: Mapping[OptionKey, Array]
    competing: frozenset[OptionKey]

    @property
    def cases(self) -> int:
        """Number of cases."""
        return len(next(iter(self.usd_per_year.values())))

    @cached_property
    def shares(self) -> Mapping[OptionKey, float]:
        """Share of the cases in which each option is the cheapest; they sum to 1. [1]"""
        usd = [
            usd if key in self.competing else np.full_like(usd, np.nan)
            for key, usd in self.usd_per_year.items()
        ]
        shares = cheapest_shares(np.array(usd))
        return {key: float(share) for key, share in zip(self.usd_per_year, shares, strict=True)}

    def interval(self, key: OptionKey) -> Interval:
        """Cost that 1 in 10 cases is below, half are below, 1 in 10 is above. [USD/year]"""
        return _tenths(self.usd_per_year[key])

    def difference(self, key: OptionKey, other: OptionKey) -> Interval:
        """What one option costs more than another in the same case. [USD/year]"""
        return _tenths(self.usd_per_year[key] - self.usd_per_year[other])

    def wins(self, key: OptionKey, other: OptionKey) -> float:
        """Share of the cases in which one option costs less than another. [1]"""
        return win_share(self.usd_per_year[key], self.usd_per_year[other])


def monte_carlo(plan: Plan, cases: int = CASES) -> MonteCarlo | None:
    """Draw the cost of all options; none where no option exists.

    Parameters
    ----------
    plan
        The plan, whose fleets are kept.
    cases
        How many. The same plan always gives the same.

    Notes
    -----
    Each range holds 8 of 10 draws. Half of the variance of prices is common to all devices, see
    `shared_price_share` in the assumptions. Left out: demand, which the tornado shows, and that
    one would change the plan as one learns.
    """
    options = distinct_options(plan)
    if not options:
        return None
    draw = _World(plan, cases)
    return MonteCarlo(
        usd_per_year={option.key: draw.usd_per_year(option) for option in options},
        competing=frozenset(
            option.key for option in options if option.meets_both == plan.best.meets_both
        ),
    )


@dataclass(frozen=True, eq=False)
class _World:
    """What is drawn in every case, and the cost of options in it."""

    plan: Plan
    cases: int

    def usd_per_year(self, option: Option) -> Array:
        """Cost of an option. [USD/year, (cases,)]"""
        plan, draws, key = self.plan, self.plan.draws, option.key
        serve, train = option.serving_device, option.training_device
        assert serve is not None
        if key == "shared":
            speeds = (self._speed(job, serve) for job in JOBS)
            return self._usd(plan.shared.fleet, serve) * draws.shared_ratio(serve, *speeds)
        total = np.zeros(self.cases)
        for job, place in zip(JOBS, (serve, train), strict=True):
            if place is not None:
                speed = self._speed(job, place)
                for fleet, ratio in draws.fleets_at(speed, job, place, owned=owns(key, job)):
                    total += self._usd(fleet, place) * ratio
        return total

    def _speed(self, job: Job, place: int) -> Array:
        return self.plan.draws.factors(job, place, self.cases)

    def _usd(self, fleet: Fleet[Any], place: int) -> Array:
        """Cost of a fleet of the planned size, each part at its drawn price. [USD/year]"""
        by_month = {part: usd[place] for part, usd in fleet.parts_usd_by_month.items()}
        paid = {part: usd for part, usd in by_month.items() if usd.any()}
        if "rent" in paid:
            is_peak = fleet is self.plan.serving_cost.peaks
            ratios = {"rent": self._rent_ratio(paid["rent"], place, is_peak=is_peak)}
        else:
            ratios = self._owned_ratios(place)
        total = np.zeros(self.cases)
        for part, usd in paid.items():
            total += ratios[part] * (usd.mean() * MONTHS_PER_YEAR)
        return total

    def _owned_ratios(self, place: int) -> dict[str, Array]:
        """Drawn over planned cost of each part of an owned device. [ratio, (cases,)]"""
        market = self.plan.market
        typical_usd = market.prices.purchase_usd[place]
        price_ratio = self._price_ratio("purchase", market.prices.purchase, place)

        def parts(terms: OwnershipTerms, device_usd: Quantity) -> Mapping[str, Quantity]:
            arrays = market.arrays
            cost = owned_cost(
                terms,
                device_usd=device_usd,
                device_watts=arrays.tdp_watts[place],
                drawn_watts=arrays.rated_watts[place],
                is_whole_machine=bool(arrays.is_whole_machine[place]),
            )
            return {"capital": cost.capital_usd_per_year, **cost.running_parts_usd_per_year}

        planned = parts(market.terms, typical_usd)
        drawn = parts(self._terms, typical_usd * price_ratio)
        return {part: np.asarray(drawn[part] / usd) for part, usd in planned.items() if np.all(usd)}

    @cached_property
    def _terms(self) -> OwnershipTerms:
        """Terms of ownership, each with an entry a case."""
        plan = self.plan
        drawn = {name: self._input(name) for name in DRAWN_TERMS}
        return ownership_terms(plan.scenario.model_copy(update=drawn), plan.assumptions)

    def _input(self, name: str) -> Quantity:
        """Draw an input of the scenario from its range, within what its control accepts."""
        scenario = self.plan.scenario
        value: float = getattr(scenario, name)
        if not value and name in ONLY_IF_PAID:
            return value
        low, high = input_range(scenario, name, self.plan.assumptions)
        z, bounds = standard_normal(name, self.cases), controls()[name].bounds
        assert bounds is not None
        if low > 0:
            drawn = value * two_piece_log_normal(z, low=low / value, high=high / value)
        else:
            drawn = two_piece_normal(z, low=low, typical=value, high=high)
        return np.clip(drawn, bounds[0], bounds[1])

    def _rent_ratio(self, usd_by_month: Array, place: int, *, is_peak: bool) -> Array:
        """Drawn over planned rent: of the device, and of how rents change. [ratio, (cases,)]"""
        market, calendar = self.plan.market, self.plan.market.calendar
        prices = market.peak_prices if is_peak else market.prices
        months = np.arange(calendar.months)
        if prices.rent_is_kept[place]:
            months = calendar.signed(market.rents.term_months)
        passed, at = np.unique(months, return_inverse=True)
        usd = np.bincount(at, usd_by_month)
        planned_change = self.plan.scenario.rent_change_percent_per_year
        trend = (100 + self._trend) / (100 + planned_change)
        mean = usd @ trend ** (passed[:, None] / MONTHS_PER_YEAR) / usd.sum()
        return np.asarray(mean * self._price_ratio("rent", prices.rent, place))

    @cached_property
    def _trend(self) -> Quantity:
        return self._input("rent_change_percent_per_year")

    def _price_ratio(self, kind: str, prices: Prices, place: int) -> Array:
        """Drawn over typical price of a device. [ratio, (cases,)]"""
        plan, typical_usd = self.plan, prices.typical_usd[place]
        low_usd, high_usd = offer_range(prices, plan.assumptions)
        z = partly_common(
            f"{kind} price",
            f"{kind} price {plan.arrays.ids[place]}",
            common_share=plan.assumptions.typical("shared_price_share"),
            draws=self.cases,
        )
        return two_piece_log_normal(
            z, low=low_usd[place] / typical_usd, high=high_usd[place] / typical_usd
        )


def _tenths(usd: Array) -> Interval:
    low, middle, high = np.quantile(usd, (0.1, 0.5, 0.9))
    return Interval(float(low), float(middle), float(high))
