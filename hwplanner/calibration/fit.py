"""Robust regression with shrinkage: constants that agree with measurements and with priors."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from hwplanner.assumptions import Assumption, Assumptions
from hwplanner.calibration.study import Study
from hwplanner.units import Array

DECILE = 1.2816  # standard normal: one case in ten lies beyond
BEARS = 1e-3  # an observation bears on a constant whose doubling moves it by so much [natural log]
ROUNDS = 30


@dataclass(frozen=True, slots=True)
class Fit:
    """Fitted constants, one entry for each of the study's.

    Attributes
    ----------
    logs
        Natural logarithm of each constant.
    log_errors
        Standard error of these, from scatter between sources and from the prior.
    counts, sources
        Observations that bear on a constant, and their sources.
    """

    study: Study
    logs: Array
    log_errors: Array
    counts: NDArray[np.intp]
    sources: NDArray[np.intp]

    def applied(self, priors: Assumptions) -> Assumptions:
        """Assumptions with the fitted constants in place."""
        return _with_logs(self.study, priors, self.logs)

    def range(self, place: int) -> tuple[float, float, float]:
        """Low, typical and high value of one constant."""
        value, reach = float(self.logs[place]), DECILE * float(self.log_errors[place])
        return exp(value - reach), exp(value), exp(value + reach)


def prior_log_error(prior: Assumption) -> float:
    """Standard error of a prior whose low and high end leave out one case in ten each."""
    return log(prior.high / prior.low) / (2 * DECILE)


def robust(residuals: Array) -> Array:
    """Damp residuals so that the sum of their squares grows linearly beyond one.

    Notes
    -----
    The square of the result is twice the soft-L1 loss, 2 (sqrt(1 + r²) - 1).

    Examples
    --------
    >>> robust(np.array([0.01, -10.0])).round(3)
    array([ 0.01 , -4.254])
    """
    return np.asarray(np.sign(residuals) * np.sqrt(2 * (np.sqrt(1 + residuals**2) - 1)))


def fit_constants(
    study: Study,
    priors: Assumptions,
    *,
    is_used: NDArray[np.bool_],
    start: Array | None = None,
    rounds: int = ROUNDS,
) -> Fit:
    """Fit the constants of a study.

    Parameters
    ----------
    study
        Runs, measurements and the constants to fit.
    priors
        What is believed before; constants that the measurements do not bear on stay there.
    is_used
        Observations that take part, one entry each.
    start
        Logarithms to begin from, the priors by default.
    rounds
        Most rounds of the search.

    Returns
    -------
    Fit
        The constants that minimise the weighted robust loss plus the squared distance from the
        priors, each in its standard error.

    Notes
    -----
    Errors are clustered by source: rows of one publication err together [1]_.

    References
    ----------
    .. [1] Cameron and Miller 2015, "A practitioner's guide to cluster-robust inference".
    """
    center = np.array([log(priors.typical(*place)) for place in study.constants])
    width = np.array([prior_log_error(priors.get(*place)) for place in study.constants])
    seen = study.observations
    root_weight = np.sqrt(seen.weight[is_used])
    spread = seen.spread[is_used]

    def residuals(logs: Array) -> Array:
        errors = study.log_errors(_with_logs(study, priors, logs))[is_used]
        return np.concatenate([root_weight * robust(errors / spread), (logs - center) / width])

    found = least_squares(
        residuals,
        center if start is None else start,
        x_scale=width,
        ftol=1e-5,
        xtol=1e-5,
        gtol=None,
        max_nfev=rounds,
    )
    slopes, left = found.jac[: len(spread)], found.fun[: len(spread)]
    bears = np.abs(slopes) * log(2) > BEARS * root_weight[:, None]
    names, cluster = np.unique(seen.source[is_used], return_inverse=True)
    pulls, bearing = np.zeros((2, len(names), len(center)))
    np.add.at(pulls, cluster, slopes * left[:, None])
    np.maximum.at(bearing, cluster, bears.astype(np.float64))
    inverse = np.linalg.inv(found.jac.T @ found.jac)
    variance = inverse @ (pulls.T @ pulls + np.diag(width**-2)) @ inverse
    return Fit(
        study=study,
        logs=found.x,
        log_errors=np.minimum(np.sqrt(np.diag(variance)), width),
        counts=bears.sum(axis=0),
        sources=bearing.sum(axis=0).astype(np.intp),
    )


def _with_logs(study: Study, priors: Assumptions, logs: Array) -> Assumptions:
    values = np.exp(logs)
    return priors.replaced(
        {place: float(value) for place, value in zip(study.constants, values, strict=True)}
    )
