"""Training: the layout that each device runs in, its memory and its times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.physics.time_parts import LIMITS, TimeParts
from hwplanner.training.grid import Index, Mask
from hwplanner.training.layouts import TrainingLayouts
from hwplanner.training.memory import TrainingMemory
from hwplanner.units import SECONDS_PER_HOUR, Array


@dataclass(frozen=True, slots=True)
class TrainingEstimates:
    """The best layout of each device, one entry a device.

    Attributes
    ----------
    supported
        Whether the vendor's software trains and the figures that a time needs are published.
    fits
        Whether some layout of the devices allowed holds the run.
    fits_barely
        Whether it does so with little to spare: such a run may fail.
    meets_window
        Whether the run ends in time.
    layout
        The chosen one; where nothing fits, the layout that comes closest.
    recompute, stage
        Index of `training_memory.RECOMPUTE_KINDS`, ZeRO stage.
    memory, usable_bytes
        Parts on the fullest device; what one device offers. [bytes/device]
    fewest_devices
        Fewest devices that hold the run, allowed or not; NaN if no number does. [devices]
    short_bytes
        Memory missing on each device where nothing fits, else 0. [bytes/device]
    step
        Time of one optimizer step by what it is spent on; NaN where nothing fits. [s]
    work_seconds
        Time of all steps. [s]
    goodput
        Share of its time in which the run makes lasting progress, see `goodput.goodput`. [1]
    interruptions_per_hour
        Of the run, beyond failures of devices. [1/h]
    queue_seconds, setup_seconds
        From asking for the devices to having them, and from there to the first step. [s]
    tokens_per_s_per_device
        Speed of the steps. [tokens/s/device]
    mfu
        Of the steps, see `rates.model_flop_utilization`. [1]
    limited_by_capacity
        Whether memory, not time, sets the number of devices.
    """

    supported: Mask
    fits: Mask
    fits_barely: Mask
    meets_window: Mask
    layout: TrainingLayouts
    recompute: Index
    stage: Array
    memory: TrainingMemory
    usable_bytes: Array
    fewest_devices: Array
    short_bytes: Array
    step: TimeParts
    work_seconds: Array
    goodput: Array
    interruptions_per_hour: Array
    queue_seconds: Array
    setup_seconds: Array
    tokens_per_s_per_device: Array
    mfu: Array
    limited_by_capacity: Mask

    @property
    def devices(self) -> Array:
        """Devices of the run. [devices]"""
        return self.layout.devices

    @property
    def seconds_to_first_step(self) -> Array:
        """From asking for the devices to the first step. [s]"""
        return self.queue_seconds + self.setup_seconds

    @property
    def run_seconds(self) -> Array:
        """From asking for the devices to the end of the run. [s]"""
        return self.seconds_to_first_step + self.work_seconds / self.goodput

    @property
    def run_hours(self) -> Array:
        """From asking for the devices to the end of the run. [h]"""
        return self.run_seconds / SECONDS_PER_HOUR

    @property
    def held_hours(self) -> Array:
        """From having the devices to the end of the run. [h]"""
        return self.run_hours - self.queue_seconds / SECONDS_PER_HOUR

    @property
    def device_hours(self) -> Array:
        """Device time of one run, from having the devices to its end. [device-hours]"""
        return self.devices * self.held_hours

    @property
    def busy_device_hours(self) -> Array:
        """The same without the set-up: steps, checkpoints, restarts. [device-hours]"""
        return self.device_hours - self.devices * self.setup_seconds / SECONDS_PER_HOUR

    @property
    def limit_shares(self) -> Array:
        """Shares of a step's time, in the order of `time_parts.LIMITS`; columns sum to 1."""
        step = self.step
        parts = np.stack([step.compute, step.memory, step.communication, step.overhead])
        return np.asarray(parts / parts.sum(axis=0))

    @property
    def limited_by(self) -> NDArray[np.str_]:
        """One of `time_parts.LIMITS`, or "capacity"."""
        longest = np.array(LIMITS)[self.limit_shares.argmax(axis=0)]
        return np.where(self.limited_by_capacity, "capacity", longest)
