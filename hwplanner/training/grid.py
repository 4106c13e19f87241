"""Training in every layout of every device: memory, recomputation, time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.model.numbers import ModelNumbers
from hwplanner.physics.time_parts import TimeParts
from hwplanner.scenario import Scenario
from hwplanner.training.layouts import TrainingLayouts
from hwplanner.training.links import training_links
from hwplanner.training.memory import RECOMPUTE_KINDS, TrainingMemory, training_memory
from hwplanner.training.rates import training_peaks, training_rates
from hwplanner.training.recipe import scenario_recipe
from hwplanner.training.run import training_run
from hwplanner.training.time import step_time
from hwplanner.units import MILLION, Array

Mask = NDArray[np.bool_]
Index = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class TrainingGrid:
    """Every device (row) in every layout (column).

    Attributes
    ----------
    layouts, stage, memory
        The layouts, the ZeRO stage of each and what it holds by kind of recomputation; the same
        on every device.
    recompute
        Kind that the device takes, an index of `RECOMPUTE_KINDS`.
    fits
        Whether the memory of that kind is within what is usable.
    step
        Time of one optimizer step, by what it is spent on. [s]
    work_seconds
        Time of all steps; NaN where a figure that it needs is not published. [s]
    """

    layouts: TrainingLayouts
    stage: Array
    memory: TrainingMemory
    recompute: Index
    fits: Mask
    step: TimeParts
    work_seconds: Array


def steps(scenario: Scenario) -> float:
    """Optimizer steps of a run. [steps]"""
    tokens_per_step = scenario.batch_sequences * scenario.sequence_tokens
    return scenario.training_tokens_million * MILLION / tokens_per_step


def room_bytes(devices: DeviceArrays, assumptions: Assumptions) -> Array:
    """Memory up to which a run counts as fitting. [bytes/device]"""
    return devices.usable_memory_bytes * assumptions.typical("training_fit_share")


def kinds_allowed(scenario: Scenario) -> list[int]:
    """Kinds of recomputation to choose from, the least first."""
    if scenario.recompute == "auto":
        return list(range(len(RECOMPUTE_KINDS)))
    return [RECOMPUTE_KINDS.index(scenario.recompute)]


def training_grid(
    scenario: Scenario,
    model: ModelNumbers,
    devices: DeviceArrays,
    layouts: TrainingLayouts,
    assumptions: Assumptions,
) -> TrainingGrid:
    """Work out memory and time of given layouts on every device.

    Parameters
    ----------
    scenario
        The run.
    model
        The model.
    devices, layouts
        Rows and columns.
    assumptions
        Everything that is not in a data sheet.
    """
    run = training_run(
        recipe=scenario_recipe(scenario), model=model, layouts=layouts, assumptions=assumptions
    )
    memory = training_memory(run, assumptions)
    recompute = _recompute(scenario, memory.total_bytes, devices, assumptions)
    passes = np.array([assumptions.typical("recompute_passes", kind) for kind in RECOMPUTE_KINDS])
    links = training_links(devices, assumptions)
    step = step_time(
        run,
        training_rates(training_peaks(run.recipe, devices), assumptions),
        links,
        passes[recompute],
        assumptions,
    )
    needed = memory.total_bytes[recompute, np.arange(len(layouts.tensor))]
    return TrainingGrid(
        layouts=layouts,
        stage=run.stage,
        memory=memory,
        recompute=recompute,
        fits=needed <= room_bytes(devices, assumptions)[:, None],
        step=step,
        work_seconds=np.where(links.joins(layouts), steps(scenario) * step.total, np.nan),
    )


def _recompute(
    scenario: Scenario, total_bytes: Array, devices: DeviceArrays, assumptions: Assumptions
) -> Index:
    """Kind for each device and layout: the least that leaves room to spare, else that just fits."""
    kinds = kinds_allowed(scenario)
    smallest = np.array(kinds)[total_bytes[kinds].argmin(axis=0)]
    chosen = np.broadcast_to(smallest, (len(devices), total_bytes.shape[1]))
    comfortable, barely, _ = assumptions.range("training_fit_share")
    for share in (barely, comfortable):
        room = share * devices.usable_memory_bytes[:, None]
        for kind in reversed(kinds):
            chosen = np.where(total_bytes[kind] <= room, kind, chosen)
    return chosen
