"""One job on each device in every way of paying: owned, rented, or an owned base with peaks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, cast

import numpy as np

from hwplanner.money.fleets import Estimates, Fleet, Mask, pick, together
from hwplanner.units import Array

SMALLEST_GAIN = 1e-9


@dataclass(frozen=True, eq=False)
class JobMoney(Generic[Estimates]):
    """One job on each device: owned, rented, or with a base that is owned and rented peaks.

    Attributes
    ----------
    owned, rented
        All devices paid in one way.
    base, peaks
        Both parts of the cheapest mix; None for training, whose hours have no base.
    """

    owned: Fleet[Estimates]
    rented: Fleet[Estimates]
    base: Fleet[Estimates] | None = None
    peaks: Fleet[Estimates] | None = None

    @cached_property
    def mix(self) -> Fleet[Estimates]:
        """Base and peaks together; what is owned where there is no mix."""
        if self.base is None or self.peaks is None:
            return self.owned
        return together(self.base, self.peaks)

    @cached_property
    def has_peaks(self) -> Mask:
        """Whether the cheapest mix rents anything above its base."""
        if self.peaks is None:
            return np.full(len(self.owned.devices), False)
        return np.asarray(self.peaks.devices_by_month.max(axis=1) > 0)

    @cached_property
    def is_mixed(self) -> Mask:
        """Whether a base with rented peaks costs less than owning all."""
        costs_less = self.mix.usd_per_year < self.owned.usd_per_year * (1 - SMALLEST_GAIN)
        return np.asarray(self.has_peaks & costs_less)

    @cached_property
    def owned_base(self) -> Fleet[Estimates]:
        """Owned devices, with the peaks rented where that costs less."""
        if not self.is_mixed.any():
            return self.owned
        return cast(Fleet[Estimates], pick(self.is_mixed, self.mix, self.owned))

    def paid(self, *, owned: bool) -> Fleet[Estimates]:
        """Fleet in one way of paying; owned ones rent their peaks where that costs less."""
        return self.owned_base if owned else self.rented

    @property
    def usd_per_year(self) -> Array:
        """Cost by the cheaper way; NaN where neither price is known. [USD/year]"""
        return np.fmin(self.owned_base.usd_per_year, self.rented.usd_per_year)

    @property
    def is_owned(self) -> Mask:
        """Whether owning is the cheaper way, or the only one with a price."""
        rent = np.nan_to_num(self.rented.usd_per_year, nan=np.inf)
        return np.asarray(self.owned_base.usd_per_year <= rent)

    def mixed(self, is_owned: Mask) -> Fleet[Estimates]:
        """Fleet of each device in a way of its own: owned where marked, else rented."""
        return cast(Fleet[Estimates], pick(is_owned, self.owned_base, self.rented))
