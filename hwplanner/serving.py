"""Serving: every layout of every device in one evaluation, and the best layout of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.device import DeviceArrays
from hwplanner.precision import arithmetic_peaks
from hwplanner.scenario import Scenario
from hwplanner.serving_layouts import ServingLayouts, serving_layouts
from hwplanner.serving_memory import ServingMemory, serving_memory
from hwplanner.serving_time import ServingTimes, TimeParts, serving_rates, serving_times
from hwplanner.software import engines_of, serving_framework
from hwplanner.units import Array
from hwplanner.workload import Workload

Mask = NDArray[np.bool_]

MILLISECONDS = 1000
BATCH_HALVINGS = 15  # find the largest batch up to 2^15 exactly
OWN_PACE = 1.25  # a device that misses a target is planned at its best time and a quarter


@dataclass(frozen=True, slots=True)
class ServingGrid:
    """Every device (row) in every layout (column), before a batch is chosen.

    Attributes
    ----------
    layouts, memory
        The layouts, and what each holds in memory; the same on every device.
    times
        Coefficients of the times. [s]
    possible
        Whether the layout exists for this model and this device.
    pool_bytes
        Memory left for the cache on each device. [bytes/device]
    memory_batch
        Sequences that the pool holds, up to what the engine admits. [sequences/copy]
    """

    layouts: ServingLayouts
    memory: ServingMemory
    times: ServingTimes
    possible: Mask
    pool_bytes: Array
    memory_batch: Array


@dataclass(frozen=True, slots=True)
class ServingEstimates:
    """The best layout of each device, one entry a device.

    Attributes
    ----------
    supported
        Whether software and published figures allow an estimate.
    fits
        Whether some layout of up to 64 devices holds the model and one sequence.
    meets_target
        Whether both latency targets are met.
    tensor, pipeline, attention_parallel, layout_devices
        Layout of one copy of the model; see `ServingLayouts`. Where nothing fits, the layout that
        comes closest.
    load_in_copies, copies, devices
        Copies that the peak would fill with its headroom, the same in whole copies, and the
        devices of these.
    largest_batch
        Largest batch of a copy within memory and targets. [sequences]
    held_by_memory
        Whether memory, not latency, stops the batch from growing.
    batch
        Sequences in flight on a copy at the peak. [sequences]
    tpot_seconds, ttft_seconds
        At that batch. [s]
    capacity_requests_per_s
        Of all copies at their largest batch. [requests/s]
    peak_requests_per_s
        Demand of the busiest hour. [requests/s]
    decode, prefill
        Device time of one request at that batch, by what it is spent on. [s]
    weights_bytes, cache_bytes, activations_bytes, overhead_bytes, usable_bytes
        On one device; the cache at full context of the batch. [bytes/device]
    fewest_devices
        Fewest devices of one copy that hold the model and one sequence; NaN if 64 do not.
    short_bytes
        Memory missing on the largest layout where nothing fits. [bytes/device]
    times
        Coefficients of the chosen layout, one column.
    memory_batch
        Sequences that memory holds in the chosen layout. [sequences/copy]
    """

    supported: Mask
    fits: Mask
    meets_target: Mask
    tensor: Array
    pipeline: Array
    attention_parallel: Array
    layout_devices: Array
    load_in_copies: Array
    copies: Array
    devices: Array
    largest_batch: Array
    held_by_memory: Mask
    batch: Array
    tpot_seconds: Array
    ttft_seconds: Array
    capacity_requests_per_s: Array
    peak_requests_per_s: float
    decode: TimeParts
    prefill: TimeParts
    weights_bytes: Array
    cache_bytes: Array
    activations_bytes: Array
    overhead_bytes: Array
    usable_bytes: Array
    fewest_devices: Array
    short_bytes: Array
    times: ServingTimes
    memory_batch: Array

    @property
    def used_bytes(self) -> Array:
        """All memory in use on one device. [bytes/device]"""
        return self.weights_bytes + self.cache_bytes + self.activations_bytes + self.overhead_bytes

    @property
    def peak_utilization(self) -> Array:
        """Share of the capacity that the busiest hour takes. [1]"""
        return self.peak_requests_per_s / self.capacity_requests_per_s

    @property
    def limit_shares(self) -> Array:
        """Shares of a request's device time, in the order of `tables.LIMITS`; rows sum to 1."""
        shares = np.stack(
            [
                self.decode.compute + self.prefill.compute,
                self.decode.memory + self.prefill.memory,
                self.decode.communication + self.prefill.communication,
                self.decode.overhead + self.prefill.overhead,
            ]
        )
        return np.asarray(shares / shares.sum(axis=0))


def peak_requests_per_s(scenario: Scenario) -> float:
    """Demand of the busiest hour: every user asks once in an interval. [requests/s]"""
    return scenario.users / scenario.request_interval_seconds


def serving_grid(
    scenario: Scenario, workload: Workload, devices: DeviceArrays, assumptions: Assumptions
) -> ServingGrid:
    """Work out memory and times of every device and layout.

    Parameters
    ----------
    scenario
        Lengths, engine and formats.
    workload
        The model in these formats.
    devices
        Devices, one row each.
    assumptions
        Everything that is not in a data sheet.
    """
    model, weights = workload.numbers, workload.weights
    engine = scenario.engine
    layouts = serving_layouts(mixture_of_experts=model.is_moe)
    admitted = assumptions.typical("most_sequences", engine)
    memory = serving_memory(
        model=model,
        weights=weights,
        layouts=layouts,
        context_tokens=scenario.context_tokens,
        cache_bytes_per_value=workload.cache_bytes_per_value,
        chunk_tokens=scenario.prefill_chunk_tokens,
        most_sequences=admitted,
        assumptions=assumptions,
    )
    peaks = devices.peak_flop_per_s
    times = serving_times(
        model=model,
        weights=weights,
        devices=devices,
        layouts=layouts,
        rates=serving_rates(
            devices=devices,
            engines=engines_of(devices, engine),
            linear_peak_flop_per_s=arithmetic_peaks(
                arithmetic=workload.arithmetic, peaks=peaks
            ).flop_per_s,
            half_peak_flop_per_s=arithmetic_peaks(arithmetic="bf16", peaks=peaks).flop_per_s,
            assumptions=assumptions,
        ),
        context_tokens=scenario.context_tokens,
        output_tokens=min(scenario.output_tokens, scenario.context_tokens - 1),
        reused_share=scenario.prefix_reuse_percent / 100,
        cache_bytes_per_value=workload.cache_bytes_per_value,
        chunk_tokens=scenario.prefill_chunk_tokens,
        assumptions=assumptions,
    )
    pool_bytes = _cache_pool_bytes(
        engine=engine,
        usable_bytes=devices.usable_memory_bytes[:, None],
        memory=memory,
        utilization=assumptions.typical("memory_utilization", engine),
    )
    ranks = np.where(layouts.attention_parallel > 0, layouts.tensor, 1.0)
    # A pipeline deals its batch over the stages, each rank of spread attention has its own.
    admitted_per_copy = admitted * ranks * layouts.pipeline
    memory_batch = np.floor(
        np.minimum(pool_bytes / memory.cache_bytes_per_sequence, admitted_per_copy)
    )
    return ServingGrid(
        layouts=layouts,
        memory=memory,
        times=times,
        possible=_possible(workload, layouts) & np.isfinite(times.first_token),
        pool_bytes=pool_bytes,
        memory_batch=memory_batch,
    )


def _cache_pool_bytes(
    *, engine: str, usable_bytes: Array, memory: ServingMemory, utilization: float
) -> Array:
    """Memory left for the cache: vLLM takes a share of all memory, TensorRT-LLM of what is free."""
    if engine == "trtllm":
        return (usable_bytes - memory.fixed_bytes) * utilization
    return usable_bytes * utilization - memory.fixed_bytes


def _possible(workload: Workload, layouts: ServingLayouts) -> Mask:
    """Whether heads divide over the devices, and stages and ranks have something to hold."""
    model = workload.numbers
    heads_divide = (layouts.attention_parallel > 0) | (model.heads % layouts.tensor == 0)
    experts_reach = (layouts.attention_parallel == 0) | (layouts.tensor <= model.experts)
    possible: Mask = heads_divide & experts_reach & (layouts.pipeline <= model.layers)
    return possible


def largest_batch(
    *, times: ServingTimes, memory_batch: Array, tpot_seconds: Array, ttft_seconds: Array
) -> Array:
    """Largest batch within memory and both latency targets, 0 where even one sequence is too slow.

    Both times grow with the batch, so it is found by halving. [sequences/copy]
    """
    batch = np.zeros_like(memory_batch)
    for exponent in reversed(range(BATCH_HALVINGS)):
        tried = batch + 2.0**exponent
        step = times.step_seconds(tried)
        good = (
            (tried <= memory_batch)
            & (times.tpot_seconds(tried, step) <= tpot_seconds)
            & (times.ttft_seconds(tried, step) <= ttft_seconds)
        )
        batch = np.where(good, tried, batch)
    return batch


def estimate_serving(
    scenario: Scenario, workload: Workload, devices: DeviceArrays, assumptions: Assumptions
) -> ServingEstimates:
    """Choose the layout of each device that carries the peak with the fewest devices.

    A device that cannot meet the targets is planned at a quarter above its own best times, so
    that one sees by how much it misses and what it would cost; `meets_target` is then false.

    Parameters
    ----------
    scenario, workload, devices, assumptions
        As in `serving_grid`.

    Returns
    -------
    ServingEstimates
        One entry a device.
    """
    grid = serving_grid(scenario, workload, devices, assumptions)
    supported = np.array(
        [
            serving_framework(frameworks, scenario.engine) is not None and support != "no"
            for frameworks, support in zip(
                devices.frameworks, devices.inference_supported, strict=True
            )
        ]
    ) & np.isfinite(grid.times.first_token[:, 0])
    holds = grid.possible & (grid.memory_batch >= 1)
    fits = supported & holds.any(axis=1)

    step = grid.times.step_seconds(1.0)
    excess = np.maximum(
        grid.times.tpot_seconds(1.0, step) / (scenario.tpot_ms / MILLISECONDS),
        grid.times.ttft_seconds(1.0, step) / (scenario.ttft_ms / MILLISECONDS),
    )
    best_excess = np.where(holds, excess, np.inf).min(axis=1, initial=np.inf)
    meets_target = fits & (best_excess <= 1)
    pace = np.where(best_excess <= 1, 1.0, best_excess * OWN_PACE)[:, None]
    batch = largest_batch(
        times=grid.times,
        memory_batch=np.where(holds, grid.memory_batch, 0.0),
        tpot_seconds=pace * scenario.tpot_ms / MILLISECONDS,
        ttft_seconds=pace * scenario.ttft_ms / MILLISECONDS,
    )
    demand = peak_requests_per_s(scenario)
    capacity = grid.times.requests_per_s(batch, grid.times.step_seconds(batch))
    with np.errstate(divide="ignore", invalid="ignore"):
        load = load_in_copies(
            users=scenario.users,
            requests_per_s=demand,
            batch=batch,
            copy_requests_per_s=capacity,
            headroom=scenario.headroom_percent / 100,
        )
        copies = np.ceil(load)
        total = np.where(batch >= 1, copies * grid.layouts.devices, np.inf)
        carried = np.where(batch >= 1, np.ceil(scenario.users / copies), 1.0)
    tpot = grid.times.tpot_seconds(carried, grid.times.step_seconds(carried))
    fewest = total.min(axis=1, keepdims=True)
    best = np.where(total == fewest, tpot, np.inf).argmin(axis=1)
    missing = grid.memory.cache_bytes_per_sequence - grid.pool_bytes
    closest = np.where(grid.possible, missing, np.inf).argmin(axis=1)
    choice = np.where(fits, best, closest)
    return _chosen(scenario, devices, grid, choice, supported, fits, meets_target, batch, load)


def load_in_copies(
    *,
    users: float,
    requests_per_s: float,
    batch: Array,
    copy_requests_per_s: Array,
    headroom: float,
) -> Array:
    """Copies of the model, in parts of one, that hold all users and keep up with their requests.

    Parameters
    ----------
    users
        Requests in flight at the peak. [sequences]
    requests_per_s
        Requests that arrive at the peak. [requests/s]
    batch, copy_requests_per_s
        Largest batch of a copy, and what it finishes then. [sequences/copy], [requests/s/copy]
    headroom
        Share of both that is kept free. [1]
    """
    free = 1 - headroom
    by_users = users / np.maximum(np.floor(batch * free), 1.0)
    by_rate = requests_per_s / (copy_requests_per_s * free)
    return np.maximum(by_users, by_rate)


def _chosen(
    scenario: Scenario,
    devices: DeviceArrays,
    grid: ServingGrid,
    choice: NDArray[np.intp],
    supported: Mask,
    fits: Mask,
    meets_target: Mask,
    batches: Array,
    load: Array,
) -> ServingEstimates:
    """Lift the chosen layout of each device out of the grid."""

    def of_device(values: Array) -> Array:
        return np.take_along_axis(values, choice[:, None], axis=1)[:, 0]

    def where_fits(values: Array) -> Array:
        return np.where(fits, values, np.nan)

    layouts, memory = grid.layouts, grid.memory
    times = grid.times.take(choice)
    largest = of_device(batches)
    used_load = where_fits(of_device(load))
    used_copies = np.ceil(used_load)
    batch = np.where(fits, np.ceil(scenario.users / used_copies), 1.0)
    column = batch[:, None]
    step = times.step_seconds(column)
    decode, prefill = times.parts(column)
    capacity = times.requests_per_s(largest[:, None], times.step_seconds(largest[:, None]))[:, 0]
    memory_batch = of_device(grid.memory_batch)
    enough = grid.possible & (grid.memory_batch >= 1)
    fewest = np.where(enough, layouts.devices, np.inf).min(axis=1)
    missing = memory.cache_bytes_per_sequence - grid.pool_bytes
    return ServingEstimates(
        supported=supported,
        fits=fits,
        meets_target=meets_target,
        tensor=layouts.tensor[choice],
        pipeline=layouts.pipeline[choice],
        attention_parallel=layouts.attention_parallel[choice],
        layout_devices=layouts.devices[choice],
        load_in_copies=used_load,
        copies=used_copies,
        devices=used_copies * layouts.devices[choice],
        largest_batch=where_fits(largest),
        held_by_memory=fits & (largest >= memory_batch),
        batch=where_fits(batch),
        tpot_seconds=where_fits(times.tpot_seconds(column, step)[:, 0]),
        ttft_seconds=where_fits(times.ttft_seconds(column, step)[:, 0]),
        capacity_requests_per_s=used_copies * capacity,
        peak_requests_per_s=peak_requests_per_s(scenario),
        decode=decode,
        prefill=prefill,
        weights_bytes=memory.weights_bytes[choice],
        cache_bytes=memory.cache_bytes_per_sequence[choice] * batch,
        activations_bytes=memory.activations_bytes[choice],
        overhead_bytes=memory.overhead_bytes[choice],
        usable_bytes=devices.usable_memory_bytes,
        fewest_devices=np.where(np.isfinite(fewest), fewest, np.nan),
        short_bytes=of_device(missing),
        times=times,
        memory_batch=memory_batch,
    )
