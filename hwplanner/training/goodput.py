"""Interruptions of a run, its checkpoints, and what they leave of its time.

Devices fail, and rented ones may be taken back. A run then starts again from its last checkpoint:
it loses the work since, and the time of starting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.units import SECONDS_PER_HOUR, Quantity


def hours_between_interruptions(
    *,
    devices: Quantity,
    device_hours_between_failures: Quantity,
    interruptions_per_hour: Quantity = 0.0,
) -> Quantity:
    """Mean time between interruptions of a run.

    Parameters
    ----------
    devices
        Devices that all must work. [devices]
    device_hours_between_failures
        Device time that one failure comes with. [device-hours]
    interruptions_per_hour
        Of the run, for other reasons than failures. [1/h]

    Returns
    -------
    float or ndarray
        [h]

    Notes
    -----
    Failures are independent and come at a constant rate. In the first weeks of new hardware there
    are more; clusters differ by a factor of three.

    References
    ----------
    .. [1] Llama Team, "The Llama 3 Herd of Models", arXiv 2407.21783, section 3.3.4:
       419 unexpected interruptions in 54 days on 16,384 devices.

    Examples
    --------
    >>> round(hours_between_interruptions(devices=16_384, device_hours_between_failures=50_677), 3)
    3.093
    """
    return 1 / (devices / device_hours_between_failures + interruptions_per_hour)


def youngs_interval_seconds(
    *, checkpoint_seconds: Quantity, seconds_between_interruptions: Quantity
) -> Quantity:
    """Work between two checkpoints that loses the least time.

    Parameters
    ----------
    checkpoint_seconds
        Time for which a checkpoint stops the run. [s]
    seconds_between_interruptions
        Mean time between interruptions, the time of restarting included or not. [s]

    Returns
    -------
    float or ndarray
        [s]

    Notes
    -----
    With the restart included it is the interval at which `goodput` is greatest.

    References
    ----------
    .. [1] J. W. Young, "A first order approximation to the optimum checkpoint interval",
       Communications of the ACM 17 (1974).
    .. [2] changlan.org/posts/optimal-checkpointing, which includes the restart.

    Examples
    --------
    >>> float(youngs_interval_seconds(checkpoint_seconds=50, seconds_between_interruptions=10_000))
    1000.0
    """
    return np.sqrt(2 * checkpoint_seconds * seconds_between_interruptions)


def most_available_interval_seconds(
    *,
    checkpoint_seconds: Quantity,
    seconds_between_interruptions: Quantity,
    restart_seconds: Quantity,
) -> Quantity:
    """Time from one checkpoint to the next that keeps a run at work for most of the time.

    Parameters
    ----------
    checkpoint_seconds, seconds_between_interruptions, restart_seconds
        As in `goodput`. [s]

    Returns
    -------
    float or ndarray
        The checkpoint itself included. [s]

    References
    ----------
    .. [1] Saxena et al., "Optimal Checkpoint Interval with Availability as an Objective
       Function", NVIDIA 2024, arXiv 2410.18124.

    Examples
    --------
    >>> float(most_available_interval_seconds(checkpoint_seconds=60, restart_seconds=600,
    ...                                       seconds_between_interruptions=3000))
    720.0
    """
    since = checkpoint_seconds * (seconds_between_interruptions + restart_seconds)
    return checkpoint_seconds + np.sqrt(2 * since + checkpoint_seconds**2)


def goodput(
    *,
    checkpoint_seconds: Quantity,
    interval_seconds: Quantity,
    seconds_between_interruptions: Quantity,
    restart_seconds: Quantity,
) -> Quantity:
    """Share of a run's time in which it makes lasting progress.

    Parameters
    ----------
    checkpoint_seconds
        Time for which a checkpoint stops the run. [s]
    interval_seconds
        Work between two checkpoints. [s]
    seconds_between_interruptions
        Mean time of work between interruptions. [s]
    restart_seconds
        From an interruption to the next step. [s]

    Returns
    -------
    float or ndarray
        [1]

    Notes
    -----
    An interruption costs the restart and half an interval of work. Degraded runs, slow detection
    and waiting for spare devices are left out.

    References
    ----------
    .. [1] Kokolis et al., "Revisiting Reliability in Large-Scale Machine Learning Research
       Clusters", arXiv 2410.21680: effective training time ratio.

    Examples
    --------
    A checkpoint costs a twentieth of the work, an interruption every 3 hours a tenth.

    >>> round(goodput(checkpoint_seconds=60, interval_seconds=1200, restart_seconds=480,
    ...               seconds_between_interruptions=10_800), 4)
    0.8658
    """
    lost_seconds = interval_seconds / 2 + restart_seconds
    return 1 / (
        (1 + checkpoint_seconds / interval_seconds)
        * (1 + lost_seconds / seconds_between_interruptions)
    )


@dataclass(frozen=True, slots=True)
class Interruptions:
    """What interrupts runs, and what it costs them.

    Attributes
    ----------
    device_hours_between_failures
        Device time that one failure comes with. [device-hours]
    checkpoint_seconds, restart_seconds
        Time that a checkpoint takes, and that a start from it takes. [s]
    interruptions_per_hour
        Of a run, for other reasons than failures. [1/h]
    """

    device_hours_between_failures: float
    checkpoint_seconds: float
    restart_seconds: float
    interruptions_per_hour: Quantity = 0.0

    @classmethod
    def of(cls, assumptions: Assumptions) -> Interruptions:
        """Failures only, as assumed."""
        _, typical, _ = cls.range_of(assumptions)
        return typical

    @classmethod
    def range_of(
        cls, assumptions: Assumptions
    ) -> tuple[Interruptions, Interruptions, Interruptions]:
        """Failures only: everything at its worst, as assumed, and at its best."""
        failures = assumptions.range("device_hours_between_failures")
        checkpoints = reversed(assumptions.range("checkpoint_seconds"))
        restarts = reversed(assumptions.range("restart_seconds"))
        worst, typical, best = map(cls, failures, checkpoints, restarts)
        return worst, typical, best

    def seconds_between(self, devices: Quantity) -> Quantity:
        """Mean time between interruptions of a run on so many devices. [s]"""
        hours = hours_between_interruptions(
            devices=devices,
            device_hours_between_failures=self.device_hours_between_failures,
            interruptions_per_hour=self.interruptions_per_hour,
        )
        return hours * SECONDS_PER_HOUR

    def interval_seconds(self, devices: Quantity) -> Quantity:
        """Work between two checkpoints of such a run, by Young's formula. [s]"""
        return youngs_interval_seconds(
            checkpoint_seconds=self.checkpoint_seconds,
            seconds_between_interruptions=self.seconds_between(devices),
        )

    def goodput(self, devices: Quantity) -> Quantity:
        """Share of its time in which such a run makes lasting progress. [1]"""
        return goodput(
            checkpoint_seconds=self.checkpoint_seconds,
            interval_seconds=self.interval_seconds(devices),
            seconds_between_interruptions=self.seconds_between(devices),
            restart_seconds=self.restart_seconds,
        )
