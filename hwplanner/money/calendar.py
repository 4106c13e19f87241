"""The months of a plan: how demand and rents change over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.demand.growth import growth_factors
from hwplanner.scenario import Scenario
from hwplanner.units import MONTHS_PER_YEAR, Array


@dataclass(frozen=True, slots=True, eq=False)
class Calendar:
    """What changes from month to month, one entry a month, the first month first.

    Attributes
    ----------
    growth
        Demand over that of the first month. [ratio]
    rent
        Rents that are agreed in a month over today's. [ratio]
    """

    growth: Array
    rent: Array

    @property
    def months(self) -> int:
        """Length of the plan. [months]"""
        return len(self.growth)

    def kept_rent(self, term_months: int) -> Array:
        """Rents of contracts that are made anew at the end of each term. [ratio]"""
        return np.asarray(self.rent[..., self.signed(term_months)])

    def signed(self, term_months: int) -> NDArray[np.intp]:
        """Month in which the contract of each month was made. [index]"""
        return np.arange(self.months) // term_months * term_months

    def levels(self) -> tuple[Array, NDArray[np.intp]]:
        """Demands that occur, each once, and which of them each month has. [ratio], [index]"""
        levels, level_of_month = np.unique(self.growth, return_inverse=True)
        return levels, level_of_month.astype(np.intp)


def mean_from_then(values: Array) -> Array:
    """Mean from each month to the last.

    Examples
    --------
    >>> mean_from_then(np.array([1.0, 2.0, 6.0])).tolist()
    [3.0, 4.0, 6.0]
    """
    sums = np.cumsum(values[..., ::-1], axis=-1)[..., ::-1]
    return np.asarray(sums / np.arange(values.shape[-1], 0, -1))


def calendar_of(scenario: Scenario) -> Calendar:
    """Months of a scenario: growth and rents compound from the first month on.

    Examples
    --------
    >>> calendar = calendar_of(Scenario(growth_percent_per_month=10, horizon_months=12,
    ...                                 rent_change_percent_per_year=-20))
    >>> [round(float(growth), 2) for growth in calendar.growth[:3]]
    [1.0, 1.1, 1.21]
    >>> round(float(calendar.rent[-1]), 3)
    0.815
    """
    passed = np.arange(scenario.horizon_months, dtype=np.float64)
    return Calendar(
        growth=growth_factors(scenario.growth_percent_per_month, scenario.horizon_months),
        rent=np.asarray(
            (1 + scenario.rent_change_percent_per_year / 100) ** (passed / MONTHS_PER_YEAR)
        ),
    )
