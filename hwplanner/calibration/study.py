"""What one kind of measurement brings to the calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions, Place
from hwplanner.evidence.runs import Runs
from hwplanner.units import Array

Names = NDArray[np.str_]
UNANSWERED_FACTOR = 3.0  # a run without an estimate counts as one that is wrong by so much


@dataclass(frozen=True, slots=True)
class Observations:
    """Measured figures, one entry each.

    Attributes
    ----------
    run
        Place of the run that it was measured in.
    ids, figure
        Of the run; and what was measured, as its column is named.
    measured
        What was measured, in the column's unit; above 0.
    spread
        Scatter that is expected of such a figure. [natural log]
    weight
        Worth of one row: less in a long sweep, whose rows repeat each other. [1]
    is_fitted
        Whether it takes part in the fit. Others are predicted alone.
    source, device, sweep
        Who published it; on which device; source, device and model in one word.
    regime
        Runs that are estimated about equally well.
    """

    run: NDArray[np.intp]
    ids: Names
    figure: Names
    measured: Array
    spread: Array
    weight: Array
    is_fitted: NDArray[np.bool_]
    source: Names
    device: Names
    sweep: Names
    regime: Names

    def __len__(self) -> int:
        """Count the measured figures."""
        return len(self.run)


@dataclass(frozen=True, slots=True)
class Study:
    """One kind of measurement, and the constants that are fitted to it.

    Attributes
    ----------
    kind
        As in `python -m hwplanner predict --kind`.
    runs, observations
        What was run, and what was measured.
    constants
        Name and key of each constant that is fitted.
    """

    kind: str
    runs: Runs
    observations: Observations
    constants: tuple[Place, ...]

    def predicted(self, assumptions: Assumptions) -> Array:
        """Estimate of every observation, in its unit; NaN where there is none."""
        figures = self.runs.outcome(assumptions).figures
        estimates = np.full(len(self.observations), np.nan)
        for figure, values in figures.items():
            of_figure = self.observations.figure == figure
            estimates[of_figure] = values[self.observations.run[of_figure]]
        return estimates

    def log_errors(self, assumptions: Assumptions) -> Array:
        """Natural logarithm of estimate over measurement, one entry an observation."""
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.log(self.predicted(assumptions) / self.observations.measured)
        return np.where(np.isfinite(errors), errors, np.log(UNANSWERED_FACTOR))


def sweep_weights(sweep: Names) -> Array:
    """Worth of each row: all rows of a sweep together count as the root of their number. [1]

    Examples
    --------
    >>> sweep_weights(np.array(["a", "a", "a", "a", "b"]))
    array([0.5, 0.5, 0.5, 0.5, 1. ])
    """
    _, place, count = np.unique(sweep, return_inverse=True, return_counts=True)
    return np.asarray(1 / np.sqrt(count[place]))
