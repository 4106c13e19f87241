"""Serving: every layout of every device in one evaluation, before a batch is chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.catalog.software import engines_of
from hwplanner.model.numbers import ModelNumbers
from hwplanner.model.precision import arithmetic_peaks
from hwplanner.model.workload import Workload
from hwplanner.scenario import Scenario
from hwplanner.serving.job import Requests, ServingJob
from hwplanner.serving.layouts import ServingLayouts, serving_layouts
from hwplanner.serving.links import serving_links
from hwplanner.serving.memory import ServingMemory, cache_pool_bytes, serving_memory
from hwplanner.serving.rates import serving_rates
from hwplanner.serving.steps import serving_times
from hwplanner.serving.time import ServingTimes
from hwplanner.units import Array

LEAST_EXPONENT = -5
LEAST_BATCH = 2.0**LEAST_EXPONENT


@dataclass(frozen=True, slots=True)
class ServingGrid:
    """Every device (row) in every layout (column).

    Attributes
    ----------
    layouts, memory
        The layouts, and what each holds in memory; the same on every device.
    times
        Coefficients of the times. [s]
    possible
        Whether the layout exists for this model and this device.
    allowed
        Whether it takes no more devices than the scenario allows.
    pool_bytes
        Memory left for the cache on each device. [bytes/device]
    cached_users
        Users whose whole context the pool holds. [users/copy]
    memory_batch
        Requests that run at once: as many, up to what the engine admits. [requests/copy]
    """

    layouts: ServingLayouts
    memory: ServingMemory
    times: ServingTimes
    possible: NDArray[np.bool_]
    allowed: NDArray[np.bool_]
    pool_bytes: Array
    cached_users: Array
    memory_batch: Array

    @property
    def holds(self) -> NDArray[np.bool_]:
        """Whether the model and one sequence fit in the memory of an existing layout."""
        return self.possible & (self.memory_batch >= 1)

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Whether it holds them and is allowed."""
        return self.holds & self.allowed

    @property
    def short_bytes(self) -> Array:
        """Memory that is missing for one sequence; negative where some is left. [bytes/device]"""
        return self.memory.cache_bytes_per_sequence - self.pool_bytes


def answer_tokens(scenario: Scenario) -> float:
    """Tokens of an answer: as asked, but never the whole context. [tokens]"""
    return min(scenario.output_tokens, scenario.context_tokens - 1)


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
    model, engine = workload.numbers, scenario.engine
    layouts = serving_layouts(mixture_of_experts=workload.shape.is_moe)
    admitted = assumptions.typical("most_sequences", engine)
    memory = serving_memory(
        model=model,
        weights=workload.weights,
        layouts=layouts,
        context_tokens=scenario.context_tokens,
        cache_bytes_per_value=workload.cache_bytes_per_value,
        chunk_tokens=scenario.prefill_chunk_tokens,
        most_sequences=admitted,
        assumptions=assumptions,
    )
    peaks = devices.peak_flop_per_s
    linear = arithmetic_peaks(arithmetic=workload.arithmetic, peaks=peaks)
    links = serving_links(devices=devices, layouts=layouts, assumptions=assumptions)
    times = serving_times(
        ServingJob(
            model=model,
            weights=workload.weights,
            requests=Requests(
                context_tokens=scenario.context_tokens,
                output_tokens=answer_tokens(scenario),
                reused_share=scenario.prefix_reuse_percent / 100,
                chunk_tokens=scenario.prefill_chunk_tokens,
            ),
            cache_bytes_per_value=workload.cache_bytes_per_value,
            layouts=layouts,
            rates=serving_rates(
                devices=devices,
                engines=engines_of(devices, engine),
                linear_peak_flop_per_s=linear.flop_per_s,
                half_peak_flop_per_s=arithmetic_peaks(arithmetic="bf16", peaks=peaks).flop_per_s,
                weight_bits=workload.weight_format.bits,
                assumptions=assumptions,
            ),
            links=links,
            assumptions=assumptions,
        )
    )
    pool_bytes = cache_pool_bytes(
        engine=engine,
        usable_bytes=devices.usable_memory_bytes[:, None],
        memory=memory,
        utilization=assumptions.typical("memory_utilization", engine),
    )
    # A pipeline deals its batch over the stages. Ranks of spread attention hold whole sequences.
    on_rank = np.floor(pool_bytes / memory.cache_bytes_per_sequence)
    return ServingGrid(
        layouts=layouts,
        memory=memory,
        times=times,
        possible=_possible(model, layouts) & links.joined & np.isfinite(times.first_token_seconds),
        allowed=layouts.devices <= scenario.max_copy_devices,
        pool_bytes=pool_bytes,
        cached_users=layouts.ranks * on_rank,
        memory_batch=layouts.ranks * np.minimum(on_rank, admitted * layouts.pipeline),
    )


def _possible(model: ModelNumbers, layouts: ServingLayouts) -> NDArray[np.bool_]:
    """Whether heads divide over the devices, and stages and ranks have something to hold."""
    heads_divide = (layouts.attention_parallel > 0) | (model.heads % layouts.tensor == 0)
    experts_reach = (layouts.attention_parallel == 0) | (layouts.tensor <= model.experts)
    possible: NDArray[np.bool_] = heads_divide & experts_reach & (layouts.pipeline <= model.layers)
    return possible


def largest_batch(
    *, times: ServingTimes, memory_batch: Array, tpot_seconds: Array, ttft_seconds: Array
) -> Array:
    """Largest batch within memory and both latency targets, 0 where even the least is too slow.

    Both times grow with the batch, so it is found by halving. Below one it is the share of the
    time in which a copy has a request in flight. [requests/copy]
    """
    batch = np.zeros_like(memory_batch)
    most = int(memory_batch.max(initial=0.0)).bit_length()
    for exponent in range(most, LEAST_EXPONENT - 1, -1):
        tried = batch + 2.0**exponent
        step = times.step_seconds(tried)
        good = (
            (tried <= memory_batch)
            & (times.tpot_seconds(tried, step) <= tpot_seconds)
            & (times.ttft_seconds(times.requests_per_s(tried, step), step) <= ttft_seconds)
        )
        batch = np.where(good, tried, batch)
    return np.where(batch >= 1, np.floor(batch), batch)
