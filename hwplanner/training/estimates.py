"""Training: the best layout of each device for one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.catalog.software import trains
from hwplanner.model.numbers import ModelNumbers
from hwplanner.physics.time_parts import LIMITS, TimeParts
from hwplanner.scenario import Scenario
from hwplanner.training.grid import (
    Index,
    Mask,
    TrainingGrid,
    kinds_allowed,
    room_bytes,
    training_grid,
)
from hwplanner.training.layouts import TrainingLayouts, training_layouts
from hwplanner.training.links import training_links
from hwplanner.training.memory import TrainingMemory, training_memory
from hwplanner.training.rates import model_flop_utilization, training_peaks
from hwplanner.training.recipe import scenario_recipe
from hwplanner.training.run import training_run
from hwplanner.units import MILLION, SECONDS_PER_HOUR, Array


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
    run_seconds
        Time of the whole run. [s]
    tokens_per_s_per_device
        Speed. [tokens/s/device]
    mfu
        See `rates.model_flop_utilization`. [1]
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
    run_seconds: Array
    tokens_per_s_per_device: Array
    mfu: Array
    limited_by_capacity: Mask

    @property
    def devices(self) -> Array:
        """Devices of the run. [devices]"""
        return self.layout.devices

    @property
    def run_hours(self) -> Array:
        """Time of the whole run. [h]"""
        return self.run_seconds / SECONDS_PER_HOUR

    @property
    def device_hours(self) -> Array:
        """Device time of one run. [h]"""
        return self.devices * self.run_hours

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


@dataclass(frozen=True, slots=True)
class TrainingCandidates:
    """Every layout (column) in which each device (row) may run, of which one is to be chosen.

    Attributes
    ----------
    scenario, model, devices, assumptions
        As in `training_candidates`.
    grid
        Memory and time of every layout.
    supported
        As in `TrainingEstimates`.
    possible
        Whether the layout holds the run and its time is known.
    closest
        Layout that comes closest to holding it.
    fewest_devices
        As in `TrainingEstimates`.
    """

    scenario: Scenario
    model: ModelNumbers
    devices: DeviceArrays
    assumptions: Assumptions
    grid: TrainingGrid
    supported: Mask
    possible: Mask
    closest: Index
    fewest_devices: Array

    @property
    def layout_devices(self) -> Array:
        """Devices of each layout. [devices, (layouts,)]"""
        return self.grid.layouts.devices

    @property
    def run_hours(self) -> Array:
        """Time of the run. [h, (devices, layouts)]"""
        return self.grid.run_seconds / SECONDS_PER_HOUR

    def least(self, burden: Array) -> TrainingEstimates:
        """Choose the layout in time with the least burden; of several, the one that works least.

        Where none is in time, the fastest is chosen.

        Parameters
        ----------
        burden
            What is to be kept small, such as the devices held; one entry a layout, or one for
            each device and layout. NaN where it is not known: worse than any number.
        """
        seconds = np.where(self.possible, self.grid.run_seconds, np.inf)
        in_time = seconds <= self.scenario.window_hours * SECONDS_PER_HOUR
        held = np.where(in_time, np.nan_to_num(burden, nan=np.inf), np.inf)
        is_least = in_time & (held == held.min(axis=1, keepdims=True))
        device_seconds = np.where(is_least, seconds * self.layout_devices, np.inf)
        ends_in_time = in_time.any(axis=1, keepdims=True)
        return _chosen(self, np.where(ends_in_time, device_seconds, seconds).argmin(axis=1))


def training_candidates(
    scenario: Scenario, model: ModelNumbers, devices: DeviceArrays, assumptions: Assumptions
) -> TrainingCandidates:
    """Work out every layout that may hold the run.

    Parameters
    ----------
    scenario
        The run: method, tokens, window, batch, precision, most devices.
    model
        The model.
    devices
        Devices, one entry each.
    assumptions
        Everything that is not in a data sheet.
    """
    layouts = _layouts(scenario, model)
    run = training_run(
        recipe=scenario_recipe(scenario), model=model, layouts=layouts, assumptions=assumptions
    )
    total = training_memory(run, assumptions).total_bytes
    least = total[kinds_allowed(scenario)].min(axis=0)
    room = room_bytes(devices, assumptions)[:, None]
    joined = training_links(devices, assumptions).joins(layouts)
    fewest = np.where(joined & (least <= room), layouts.devices, np.inf).min(axis=1)

    # Only layouts for which some device has room need a time; for devices that never have, the
    # layout that comes closest is kept as well.
    allowed = layouts.devices <= scenario.max_training_devices
    closest = np.where(joined & allowed, least, np.inf).argmin(axis=1)
    kept = allowed & (least <= room.max())
    kept[closest] = True
    grid = training_grid(scenario, model, devices, layouts.take(kept), assumptions)
    supported = _supported(scenario, devices)
    return TrainingCandidates(
        scenario=scenario,
        model=model,
        devices=devices,
        assumptions=assumptions,
        grid=grid,
        supported=supported,
        possible=supported[:, None] & grid.fits & np.isfinite(grid.run_seconds),
        closest=np.cumsum(kept)[closest] - 1,
        fewest_devices=np.where(np.isfinite(fewest), fewest, np.nan),
    )


def estimate_training(
    scenario: Scenario, model: ModelNumbers, devices: DeviceArrays, assumptions: Assumptions
) -> TrainingEstimates:
    """Choose for each device the fewest that end the run within its window.

    Parameters
    ----------
    scenario, model, devices, assumptions
        As in `training_candidates`.
    """
    candidates = training_candidates(scenario, model, devices, assumptions)
    return candidates.least(candidates.layout_devices)


def training_time_by_devices(
    scenario: Scenario,
    model: ModelNumbers,
    devices: DeviceArrays,
    place: int,
    assumptions: Assumptions,
) -> tuple[Array, Array]:
    """Time of the run on more and more of one device, each number in its fastest layout.

    Parameters
    ----------
    scenario, model, assumptions
        As in `estimate_training`.
    devices, place
        Devices, and which of them.

    Returns
    -------
    tuple of ndarray
        Numbers of devices that hold the run, and its time on each. [devices], [s]
    """
    layouts = _layouts(scenario, model)
    allowed = layouts.take(layouts.devices <= scenario.max_training_devices)
    grid = training_grid(scenario, model, _only(devices, place), allowed, assumptions)
    possible = grid.fits[0] & np.isfinite(grid.run_seconds[0])
    counts = np.unique(allowed.devices[possible])
    seconds = np.where(possible, grid.run_seconds[0], np.inf)
    return counts, np.array([seconds[allowed.devices == count].min() for count in counts])


def _only(devices: DeviceArrays, place: int) -> DeviceArrays:
    """Keep one device of several."""
    one = slice(place, place + 1)

    def kept(values: Any) -> Any:
        is_mapping = isinstance(values, Mapping)
        return {key: entry[one] for key, entry in values.items()} if is_mapping else values[one]

    names = (field.name for field in fields(devices))
    return DeviceArrays(**{name: kept(getattr(devices, name)) for name in names})


def _layouts(scenario: Scenario, model: ModelNumbers) -> TrainingLayouts:
    """Every layout of a run."""
    return training_layouts(
        layers=int(model.layers),
        heads=int(model.heads),
        experts=int(model.experts),
        sequence_tokens=scenario.sequence_tokens,
        batch_sequences=scenario.batch_sequences,
    )


def _supported(scenario: Scenario, devices: DeviceArrays) -> Mask:
    """Whether a device trains at all and its rates are published."""
    peaks = training_peaks(scenario_recipe(scenario), devices)
    known: Mask = np.isfinite(peaks.peak_flop_per_s * peaks.memory_bytes_per_s)[:, 0]
    return trains(devices, scenario.training_precision) & known


def _chosen(candidates: TrainingCandidates, best: Index) -> TrainingEstimates:
    """Lift the best layout of each device, or the closest where nothing fits, out of the grid."""
    scenario, model, devices = candidates.scenario, candidates.model, candidates.devices
    grid, assumptions = candidates.grid, candidates.assumptions
    fits: Mask = np.asarray(candidates.possible.any(axis=1))
    choice = np.where(fits, best, candidates.closest)
    rows = np.arange(len(devices))
    recompute = grid.recompute[rows, choice]
    layout = grid.layouts.take(choice)
    memory = grid.memory.take(recompute, choice)
    needed, usable = memory.total_bytes, devices.usable_memory_bytes
    comfortable, _, _ = assumptions.range("training_fit_share")

    def where_it_fits(values: Array) -> Array:
        return np.where(fits, values[rows, choice], np.nan)

    step = grid.step
    seconds = where_it_fits(grid.run_seconds)
    window_seconds = scenario.window_hours * SECONDS_PER_HOUR
    speed = scenario.training_tokens_million * MILLION / seconds / layout.devices
    idle_experts = (model.experts - model.experts_per_token) * model.expert_each_parameters
    return TrainingEstimates(
        supported=candidates.supported,
        fits=fits,
        fits_barely=fits & (needed > comfortable * usable),
        meets_window=fits & (seconds <= window_seconds),
        layout=layout,
        recompute=recompute,
        stage=grid.stage[choice],
        memory=memory,
        usable_bytes=usable,
        fewest_devices=candidates.fewest_devices,
        short_bytes=np.where(fits, 0.0, np.maximum(needed - room_bytes(devices, assumptions), 0.0)),
        step=TimeParts(
            compute=where_it_fits(step.compute),
            memory=where_it_fits(step.memory),
            communication=where_it_fits(step.communication),
            overhead=where_it_fits(step.overhead),
        ),
        run_seconds=seconds,
        tokens_per_s_per_device=speed,
        mfu=np.asarray(
            model_flop_utilization(
                tokens_per_s_per_device=speed,
                active_parameters=model.total_parameters - idle_experts,
                peak_flop_per_s=training_peaks(scenario_recipe(scenario), devices).peak_flop_per_s[
                    :, 0
                ],
            )
        ),
        # Half of the devices would take about twice as long and still be in time.
        limited_by_capacity=~fits | ((layout.devices > 1) & (2 * seconds <= window_seconds)),
    )
