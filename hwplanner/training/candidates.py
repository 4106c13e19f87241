"""Training in every layout that devices may run it in, of which one is to be chosen."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.catalog.software import trains
from hwplanner.model.numbers import ModelNumbers
from hwplanner.physics.time_parts import TimeParts
from hwplanner.scenario import Scenario
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.training.goodput import Interruptions
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
from hwplanner.training.memory import training_memory
from hwplanner.training.rates import model_flop_utilization, training_peaks
from hwplanner.training.recipe import scenario_recipe
from hwplanner.training.run import training_run
from hwplanner.units import MILLION, SECONDS_PER_HOUR, Array, Quantity


@dataclass(frozen=True, eq=False)
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
    interruptions
        What interrupts a run.
    queue_hours
        From asking for devices to having them. [h]
    chosen
        Estimates so far, by layout: ways of paying often agree on it.
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
    interruptions: Interruptions
    queue_hours: float = 0.0
    chosen: dict[bytes, TrainingEstimates] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def rented(
        self, queue_hours: float, interruptions_per_hour: Quantity = 0.0
    ) -> TrainingCandidates:
        """The same layouts on devices that are rented for each run.

        Parameters
        ----------
        queue_hours
            From asking for devices to having them. [h]
        interruptions_per_hour
            How often they are taken back during a run: one number, or one for each device. [1/h]
        """
        of_mine = self.interruptions.interruptions_per_hour
        if queue_hours == self.queue_hours and np.array_equal(interruptions_per_hour, of_mine):
            return self
        by_device = np.reshape(np.asarray(interruptions_per_hour, dtype=np.float64), (-1, 1))
        return replace(
            self,
            queue_hours=queue_hours,
            interruptions=replace(self.interruptions, interruptions_per_hour=by_device),
        )

    @property
    def layout_devices(self) -> Array:
        """Devices of each layout. [devices, (layouts,)]"""
        return self.grid.layouts.devices

    @cached_property
    def goodput(self) -> Array:
        """As in `TrainingEstimates`. [1, (devices or 1, layouts)]"""
        return np.atleast_2d(self.interruptions.goodput(self.layout_devices))

    @cached_property
    def held_hours(self) -> Array:
        """From having the devices to the end of the run. [h, (devices, layouts)]"""
        work_hours = self.grid.work_seconds / SECONDS_PER_HOUR
        return self.scenario.setup_hours + work_hours / self.goodput

    @cached_property
    def run_hours(self) -> Array:
        """From asking for the devices to the end of the run. [h, (devices, layouts)]"""
        return self.queue_hours + self.held_hours

    @cached_property
    def in_time(self) -> Mask:
        """Whether the run ends within its window. [(devices, layouts)]"""
        return self.possible & (self.run_hours <= self.scenario.window_hours)

    @cached_property
    def fastest(self) -> tuple[Array, Index, Array]:
        """Numbers of devices, which of them each layout has, and the fastest run on each.

        Infinite where none is possible. [devices], [index], [h, (devices, numbers)]
        """
        counts, count_of_layout = np.unique(self.layout_devices, return_inverse=True)
        hours = np.where(self.possible, self.run_hours, np.inf)
        fastest = [hours[:, count_of_layout == count].min(axis=1) for count in range(len(counts))]
        return counts, count_of_layout, np.stack(fastest, axis=1)

    def least(self, burden: Array) -> TrainingEstimates:
        """Choose the layout in time with the least burden; of several, the one held the least.

        Where none is in time, the fastest is chosen.

        Parameters
        ----------
        burden
            What is to be kept small, such as the devices held; one entry a layout, or one for
            each device and layout. NaN where it is not known: worse than any number.
        """
        held_hours = np.where(self.possible, self.held_hours, np.inf)
        in_time = self.in_time
        held = np.where(in_time, np.nan_to_num(burden, nan=np.inf), np.inf)
        is_least = in_time & (held == held.min(axis=1, keepdims=True))
        device_hours = np.where(is_least, held_hours * self.layout_devices, np.inf)
        ends_in_time = in_time.any(axis=1, keepdims=True)
        best = np.where(ends_in_time, device_hours, held_hours).argmin(axis=1)
        if best.tobytes() not in self.chosen:
            self.chosen[best.tobytes()] = _chosen(self, best)
        return self.chosen[best.tobytes()]


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
        possible=supported[:, None] & grid.fits & np.isfinite(grid.work_seconds),
        closest=np.cumsum(kept)[closest] - 1,
        fewest_devices=np.where(np.isfinite(fewest), fewest, np.nan),
        interruptions=Interruptions.of(assumptions),
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
    work_seconds = where_it_fits(grid.work_seconds)
    goodput = where_it_fits(np.broadcast_to(candidates.goodput, candidates.possible.shape))
    half_as_fast_hours = (
        where_it_fits(candidates.run_hours) + work_seconds / goodput / SECONDS_PER_HOUR
    )
    speed = scenario.training_tokens_million * MILLION / work_seconds / layout.devices
    idle_experts = (model.experts - model.experts_per_token) * model.expert_each_parameters
    return TrainingEstimates(
        supported=candidates.supported,
        fits=fits,
        fits_barely=fits & (needed > comfortable * usable),
        meets_window=candidates.in_time[rows, choice],
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
        work_seconds=work_seconds,
        goodput=goodput,
        interruptions_per_hour=np.broadcast_to(
            np.ravel(candidates.interruptions.interruptions_per_hour), fits.shape
        ),
        queue_seconds=np.full(fits.shape, candidates.queue_hours * SECONDS_PER_HOUR),
        setup_seconds=np.full(fits.shape, scenario.setup_hours * SECONDS_PER_HOUR),
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
        # Half of the devices would work about twice as long and still be in time.
        limited_by_capacity=~fits
        | ((layout.devices > 1) & (half_as_fast_hours <= scenario.window_hours)),
    )
