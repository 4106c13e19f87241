"""Intervals from what predictions missed by: 8 of 10 left-out measurements lie inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.calibration.cross_validation import NO_TIER, Scheme
from hwplanner.calibration.study import Names, Study, sweep_weights
from hwplanner.evidence.intervals import ALL_REGIMES, TIERS, Tier
from hwplanner.units import Array

SHARES = (0.1, 0.9)
ENOUGH = 10.0  # rows' weight at which a regime's own errors count as much as those of all
FURTHER = 1.3  # what nobody measured is at least so much wider [ratio of logarithms]


@dataclass(frozen=True, slots=True)
class FittedInterval:
    """One row of `data/intervals.csv`."""

    kind: str
    figure: str
    regime: str
    tier: Tier
    low: float
    high: float
    n: int
    sources: int


def fitted_intervals(
    study: Study, left_out: Mapping[Scheme, Array], tiers: Mapping[Scheme, Names]
) -> Iterator[FittedInterval]:
    """Intervals of every figure, regime and tier.

    Parameters
    ----------
    study
        What was measured.
    left_out
        Predictions of every observation by scheme; see `left_out_predictions`.
    tiers
        How near the rest of the measurements was to each observation that was left out, by scheme.

    Notes
    -----
    Quantiles of the errors that were made with evidence as near as a tier says, in which a long
    sweep counts as the root of its rows. Those of a regime with few rows are drawn to those of all
    regimes; thinner evidence never narrows them.
    """
    seen = study.observations
    for figure in np.unique(seen.figure):
        of_figure = seen.figure == figure
        for regime in (ALL_REGIMES, *np.unique(seen.regime[of_figure])):
            is_in = of_figure & ((seen.regime == regime) | (regime == ALL_REGIMES))
            reach = np.zeros(2)
            for tier in TIERS:
                own, overall = (
                    _Errors.of(study, left_out, tiers, tier, part) for part in (is_in, of_figure)
                )
                nearer = reach
                reach = _widened(overall.ends(drawn_to=reach * FURTHER), nearer)
                reach = _widened(own.ends(drawn_to=reach), nearer)
                yield FittedInterval(
                    kind=study.kind,
                    figure=str(figure),
                    regime=str(regime),
                    tier=tier,
                    low=float(np.exp(reach[0])),
                    high=float(np.exp(reach[1])),
                    n=len(own.logs),
                    sources=len(np.unique(seen.source[is_in])),
                )


def _widened(ends: Array, nearer: Array) -> Array:
    return np.array([min(ends[0], nearer[0]), max(ends[1], nearer[1])])


@dataclass(frozen=True, slots=True)
class _Errors:
    """Logarithms of measured over predicted, and what each is worth."""

    logs: Array
    weight: Array

    @classmethod
    def of(
        cls,
        study: Study,
        left_out: Mapping[Scheme, Array],
        tiers: Mapping[Scheme, Names],
        tier: Tier,
        is_in: NDArray[np.bool_],
    ) -> _Errors:
        measured = study.observations.measured
        worth = sweep_weights(study.observations.sweep) / len(left_out)
        logs, weight = [], []
        for scheme, predicted in left_out.items():
            of_tier = (tiers[scheme] == tier) | (tiers[scheme] == NO_TIER)
            known = is_in & of_tier & (predicted > 0)
            logs.append(np.log(measured[known] / predicted[known]))
            weight.append(worth[known])
        return cls(np.concatenate(logs), np.concatenate(weight))

    def ends(self, *, drawn_to: Array) -> Array:
        """Ends of the range in which 8 of 10 lie, drawn to others where errors are few. [log]"""
        total = self.weight.sum()
        if not total:
            return drawn_to
        order = np.argsort(self.logs, kind="stable")
        passed = np.cumsum(self.weight[order]) - self.weight[order] / 2
        own = np.interp(SHARES, passed / total, self.logs[order])
        share = total / (total + ENOUGH) if drawn_to.any() else 1.0
        return np.asarray(share * own + (1 - share) * drawn_to)
