"""At what use, rent and traffic another way of paying costs less, on the devices of the options."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from hwplanner.finance.cases import Basis, Case, Costs
from hwplanner.money.option import OptionKey
from hwplanner.money.rent_or_buy import break_even_utilization
from hwplanner.plan import Plan
from hwplanner.scenario import USERS
from hwplanner.units import Array

RENT_LEVELS = 2.0 ** np.linspace(-2, 2, 17)
"""Rents over those of the plan."""
TRAFFIC_LEVELS = 2.0 ** np.arange(-3, 4)
"""Users over those of the plan."""


@dataclass(frozen=True, slots=True)
class Use:
    """Owning against renting the device that serves, by the share of the hours that it works.

    Attributes
    ----------
    owned_usd_per_hour, rent_usd_per_hour
        Cost of an owned hour, worked or not, and rent of an hour. [USD/device/h]
    break_even
        Share of the hours from which owning costs less; above 1 it never does. [share]
    planned
        Share of the hours of the owned fleet that a renter would pay for. [share]
    """

    owned_usd_per_hour: float
    rent_usd_per_hour: float
    break_even: float
    planned: float


def by_use(plan: Plan) -> Use | None:
    """Break-even use of the device that serves; none without a purchase price or a rent."""
    place = plan.serving_choice
    if place is None:
        return None
    owned, rented = plan.serving_cost.owned, plan.serving_cost.rented
    owned_usd = float(owned.usd_per_device_hour[place])
    rent_usd = float(rented.usd_per_device_hour[place])
    if not np.isfinite(owned_usd + rent_usd):
        return None
    return Use(
        owned_usd_per_hour=owned_usd,
        rent_usd_per_hour=rent_usd,
        break_even=float(
            break_even_utilization(
                owned_usd_per_device_hour=owned_usd, rent_usd_per_device_hour=rent_usd
            )
        ),
        planned=float(rented.paid_device_hours[place] / owned.paid_device_hours[place]),
    )


@dataclass(frozen=True, slots=True)
class Flip:
    """Where another option takes over from the plan's.

    Attributes
    ----------
    level
        Rents over those of the plan, or users. [ratio] or [users]
    winner
        The option that costs less from there on.
    """

    level: float
    winner: OptionKey


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Cost of the options at several levels of one input.

    Attributes
    ----------
    levels
        Rents over those of the plan, or users. [ratio] or [users]
    planned
        Place of the plan among them.
    costs
        What the options cost at each.
    is_smooth
        Whether costs between two levels lie on a line, as those of rents do and those of whole
        copies do not.
    """

    levels: Array
    planned: int
    costs: Costs
    is_smooth: bool

    @property
    def flips(self) -> tuple[Flip | None, Flip | None]:
        """Nearest levels below and above the plan's at which another option wins."""
        down, up = range(self.planned - 1, -1, -1), range(self.planned + 1, len(self.levels))
        return self._first_flip(down), self._first_flip(up)

    def _first_flip(self, places: Iterable[int]) -> Flip | None:
        before, winners = self.planned, self.costs.winners
        for place in places:
            winner = winners[place]
            if winner != self.costs.best:
                exact = self._crossing(before, place, winner)
                return Flip(exact if self.is_smooth else float(self.levels[place]), winner)
            before = place
        return None

    def _crossing(self, before: int, place: int, winner: OptionKey) -> float:
        """Level at which two options cost the same, on the line between two levels."""
        usd = self.costs.usd_per_year
        near, far = (usd[winner][at] - usd[self.costs.best][at] for at in (before, place))
        share = near / (near - far)
        return float(self.levels[before] + share * (self.levels[place] - self.levels[before]))


def rent_cases(basis: Basis) -> list[Case]:
    """The plan at each of `RENT_LEVELS`."""
    return [replace(basis.unchanged, market=basis.at_rents(ratio)) for ratio in RENT_LEVELS]


def user_levels(users: int) -> list[int]:
    """Users at each of `TRAFFIC_LEVELS`, as far as the scenario accepts them.

    Examples
    --------
    >>> user_levels(4096)
    [512, 1024, 2048, 4096, 8192, 16384]
    """
    wanted = {round(users * level) for level in TRAFFIC_LEVELS}
    return sorted(level for level in wanted if USERS[0] <= level <= USERS[-1])


def user_cases(basis: Basis, known: Iterable[Case] = ()) -> list[Case]:
    """The plan for each of `user_levels`, in whole copies and layouts of its own.

    Parameters
    ----------
    basis
        The plan.
    known
        Cases of other users that have been made before.
    """
    made = {case.scenario.users: case for case in (basis.unchanged, *known)}
    levels = user_levels(basis.plan.scenario.users)
    return [made.get(level) or basis.case({"users": level}) for level in levels]
