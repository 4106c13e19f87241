"""Draws of how fast devices are, and how often each is the cheapest.

A factor is measured over estimated throughput. Part of the error is common to all devices, which
run the same model and engine; the rest is each device's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from zlib import crc32

import numpy as np

from hwplanner.evidence.ranges import Band
from hwplanner.scenario import Job
from hwplanner.units import Array, Quantity

DRAWS = 400
TENTH = NormalDist().inv_cdf(0.9)  # 1 of 10 normal draws lies beyond
SAME = 1 + 1e-9
NOISE = 0.05  # a difference far inside the uncertainty of any cost
EVEN = 0.35  # of the draws; what wins as many, or loses as many, is as good as even


def factor_draws(
    *, job: Job, ids: tuple[str, ...], band: Band, shared_share: float, draws: int = DRAWS
) -> Array:
    """Draw how much faster or slower than estimated each device does a job.

    Parameters
    ----------
    job, ids
        Seeds: a device has the same draws in every comparison.
    band
        Factors that hold 8 of 10 cases.
    shared_share
        Share of the variance that all devices have in common. [1]
    draws
        How many. [draws]

    Returns
    -------
    ndarray
        Two-piece log-normal: median 1, tenth and ninetieth percentile as the band has them.
        [ratio, (devices, draws)]
    """
    z = np.stack(
        [
            partly_common(job, f"{job} {device_id}", common_share=shared_share, draws=draws)
            for device_id in ids
        ]
    )
    return two_piece_log_normal(z, low=band.low[:, None], high=band.high[:, None])


def two_piece_log_normal(z: Array, *, low: Quantity, high: Quantity) -> Array:
    """Turn standard normal numbers into factors of median 1, 8 of 10 from low to high. [ratio]

    Examples
    --------
    >>> two_piece_log_normal(np.array([-TENTH, 0.0, TENTH]), low=0.5, high=3.0).round(9)
    array([0.5, 1. , 3. ])
    """
    up = np.maximum(np.log(high), 0.0) / TENTH
    down = np.maximum(-np.log(low), 0.0) / TENTH
    return np.asarray(np.exp(z * np.where(z > 0, up, down)))


def partly_common(common: str, own: str, *, common_share: float, draws: int = DRAWS) -> Array:
    """Draw standard normal numbers of which a part is the same for all that share a seed.

    Parameters
    ----------
    common, own
        Seeds of what is shared, and of what is not.
    common_share
        Share of the variance that is shared. [1]
    draws
        How many. [draws]
    """
    shared, single = standard_normal(common, draws), standard_normal(own, draws)
    return np.asarray(common_share**0.5 * shared + (1 - common_share) ** 0.5 * single)


def two_piece_normal(z: Array, *, low: float, typical: float, high: float) -> Array:
    """Turn standard normal numbers into values around a typical one, 8 of 10 from low to high.

    Examples
    --------
    >>> two_piece_normal(np.array([-TENTH, 0.0, TENTH]), low=-40, typical=0, high=20).round(9)
    array([-40.,   0.,  20.])
    """
    return np.asarray(typical + z / TENTH * np.where(z > 0, high - typical, typical - low))


@lru_cache(maxsize=1024)
def standard_normal(seed: str, draws: int = DRAWS) -> Array:
    """Draw standard normal numbers in an order of their own; every stratum has one."""
    order = np.random.default_rng(crc32(seed.encode())).permutation(draws)
    return _strata(draws)[order]


@lru_cache
def _strata(draws: int) -> Array:
    inverse = NormalDist().inv_cdf
    return np.array([inverse((stratum + 0.5) / draws) for stratum in range(draws)])


def cheapest_shares(usd: Array) -> Array:
    """Share of the draws in which each entry is the cheapest.

    Parameters
    ----------
    usd
        Costs; NaN where there is none. [USD, (entries, draws)]

    Returns
    -------
    ndarray
        Equal costs share a draw, so that the shares sum to 1 if anything has a cost. [1]

    Examples
    --------
    >>> cheapest_shares(np.array([[1.0, 1.0, 5.0, 2.0], [3.0, 3.0, 3.0, 2.0]])).tolist()
    [0.625, 0.375]
    """
    priced = np.where(np.isfinite(usd), usd, np.inf)
    is_least = np.isfinite(usd) & (priced <= priced.min(axis=0, initial=np.inf) * SAME)
    return np.asarray((is_least / np.maximum(is_least.sum(axis=0), 1)).mean(axis=1))


def is_near_tie(*, usd: float, other_usd: float, wins: float) -> bool:
    """Whether nobody should choose between two by cost.

    Parameters
    ----------
    usd, other_usd
        Both costs as estimated. [USD]
    wins
        Share of the draws in which the one costs less. [1]
    """
    is_even = EVEN <= wins <= 1 - EVEN
    return is_even or abs(other_usd - usd) <= NOISE * min(usd, other_usd)


def win_share(usd: Array, other_usd: Array) -> float:
    """Share of the draws in which one cost is below another; equal costs count half. [1]"""
    is_same = np.abs(usd / other_usd - 1) < SAME - 1
    return float(np.where(is_same, 0.5, usd < other_usd).mean())


@dataclass(frozen=True, slots=True, eq=False)
class Rivals:
    """Devices of one job against each other, one entry each.

    Attributes
    ----------
    usd
        Cost as estimated; infinite for those that are out. [USD/year]
    draws
        Cost in every draw; NaN for those that are out. [USD/year, (devices, draws)]
    """

    usd: Array
    draws: Array

    @property
    def cheapest_shares(self) -> Array:
        """Share of the draws in which each is the cheapest. [1]"""
        return cheapest_shares(self.draws)

    def ties(self, place: int) -> tuple[int, ...]:
        """Places of those that nobody should tell by cost from a device."""
        near = np.flatnonzero(np.isfinite(self.draws[:, 0]))
        if place not in near:
            return ()
        usd, draws = float(self.usd[place]), self.draws[place]
        return tuple(
            int(other)
            for other in near[np.argsort(self.usd[near])]
            if other != place
            and is_near_tie(
                usd=usd,
                other_usd=float(self.usd[other]),
                wins=win_share(draws, self.draws[other]),
            )
        )
