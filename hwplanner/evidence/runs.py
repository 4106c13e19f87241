"""What every kind of published run offers to prediction, scoring and calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.units import Array

RunStatus = Literal["ok", "does_not_fit", "unsupported"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What we say of runs, one entry each.

    Attributes
    ----------
    statuses, reasons
        Whether there are figures, and in words why not.
    figures
        Estimates by the name of their column, in its unit; NaN where there is none.
    """

    statuses: tuple[RunStatus, ...]
    reasons: tuple[str, ...]
    figures: Mapping[str, Array]


class Runs(Protocol):
    """Runs of one kind, read once and estimated as often as constants change."""

    @property
    def device_ids(self) -> tuple[str, ...]:
        """Rows of the catalogue, '' where a name is not known."""

    @property
    def model_ids(self) -> tuple[str, ...]:
        """Rows of the models, '' where a name is not known."""

    @property
    def regimes(self) -> Mapping[str, tuple[str, ...]]:
        """By figure: runs that are estimated about equally well, for intervals."""

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """By heading (mode, device, engine, kind of model): parts by which a score is split."""

    def outcome(self, assumptions: Assumptions) -> Outcome:
        """Estimate all runs."""


@dataclass(frozen=True, eq=False)
class ResolvedRuns:
    """What rows are once they are read: the part that does not depend on the kind.

    Attributes
    ----------
    device_ids, model_ids, regimes, groups
        As in `Runs`.
    reasons
        Why a row cannot be estimated; '' where it can.
    places
        Rows that can be estimated.
    """

    device_ids: tuple[str, ...]
    model_ids: tuple[str, ...]
    reasons: tuple[str, ...]
    regimes: Mapping[str, tuple[str, ...]]
    groups: Mapping[str, tuple[str, ...]]
    places: NDArray[np.intp]

    def on_rows(self, values: Array) -> Array:
        """Put the estimates of `places` on their rows, NaN on the others."""
        spread = np.full(len(self.reasons), np.nan)
        spread[self.places] = values
        return spread
