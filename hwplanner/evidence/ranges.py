"""How far the estimates of a scenario may be off: factors for each device, by figure.

They come from published runs that the calibration had not seen, and are wider for devices with
fewer or more distant measurements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hwplanner.evidence.intervals import TIERS, Intervals, Tier
from hwplanner.scenario import Job
from hwplanner.units import Array, Interval, Quantity


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Measured over estimated in 8 of 10 cases, one entry a device. [ratio]"""

    low: Array
    high: Array

    def at(self, place: int) -> tuple[float, float]:
        """Both factors of one device."""
        return float(self.low[place]), float(self.high[place])

    def around(self, typical: Quantity, place: int) -> Interval:
        """Interval around the estimate of one device."""
        low, high = self.at(place)
        return Interval(float(typical) * low, float(typical), float(typical) * high)

    def inverse(self) -> Band:
        """Factors of a time or a cost, from those of a speed."""
        return Band(1 / self.high, 1 / self.low)


@dataclass(frozen=True, slots=True, eq=False)
class JobRanges:
    """What may be expected of one job.

    Attributes
    ----------
    tiers
        How near the measurements are that the estimates of each device rest on.
    speed, memory
        Factors on throughput, and on the memory in use.
    token_time, first_token_time
        Factors on the times of serving at a given load; those of training are its step.
    """

    tiers: tuple[Tier, ...]
    speed: Band
    memory: Band
    token_time: Band
    first_token_time: Band


def serving_ranges(*, tiers: Sequence[Tier], is_moe: bool, intervals: Intervals) -> JobRanges:
    """Ranges of serving under load.

    Parameters
    ----------
    tiers
        Of the compared devices.
    is_moe
        Whether the model is a mixture of experts.
    intervals
        From the calibration.
    """
    regime = f"fixed_concurrency {'moe' if is_moe else 'dense'}"

    def band(figure: str) -> Band:
        return _band(tiers, "serving", figure, regime, intervals)

    return JobRanges(
        tiers=tuple(tiers),
        speed=band("output_tokens_per_s"),
        memory=_band(tiers, "serving-memory", "value", "", intervals),
        token_time=band("tpot_ms_mean"),
        first_token_time=band("ttft_ms_mean"),
    )


def training_ranges(
    *, tiers: Sequence[Tier], is_moe: bool, is_long: bool, intervals: Intervals
) -> JobRanges:
    """Ranges of training.

    Parameters
    ----------
    tiers, is_moe, intervals
        As in `serving_ranges`.
    is_long
        Whether its sequences are long.
    """
    regime = "moe" if is_moe else "long" if is_long else "dense"
    speed = _band(tiers, "training", "tokens_per_s_per_device", regime, intervals)
    return JobRanges(
        tiers=tuple(tiers),
        speed=speed,
        memory=_band(tiers, "training-memory", "value", "batch stated", intervals),
        token_time=speed.inverse(),
        first_token_time=speed.inverse(),
    )


def _band(tiers: Sequence[Tier], kind: str, figure: str, regime: str, intervals: Intervals) -> Band:
    ends = np.array([intervals.range(kind, figure, regime, tier) for tier in TIERS])
    low, high = ends[[TIERS.index(tier) for tier in tiers]].T
    return Band(low, high)


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """What may be expected of both jobs."""

    serving: JobRanges
    training: JobRanges

    def of(self, job: Job) -> JobRanges:
        """Ranges of one job."""
        return self.serving if job == "serving" else self.training
