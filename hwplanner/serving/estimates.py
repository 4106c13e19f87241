"""Serving: the best layout of each device, how many of it carry the peak, and how fast it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.catalog.software import serves
from hwplanner.model.workload import Workload
from hwplanner.physics.time_parts import TimeParts
from hwplanner.scenario import Scenario
from hwplanner.serving.grid import (
    LEAST_BATCH,
    ServingGrid,
    answer_tokens,
    largest_batch,
    serving_grid,
)
from hwplanner.serving.time import ServingTimes
from hwplanner.units import Array

Mask = NDArray[np.bool_]

MILLISECONDS = 1000
AT_THE_PEAK = np.ones(1)
OWN_PACE = 1.25  # a device that misses a target is planned at its best time and a quarter


@dataclass(frozen=True, slots=True)
class ServingEstimates:
    """The best layout of each device, one entry a device.

    Attributes
    ----------
    supported
        Whether software and published figures allow an estimate.
    fits
        Whether some layout that is allowed holds the model and one sequence.
    meets_target
        Whether both latency targets are met.
    tensor, pipeline, attention_parallel, layout_devices
        Layout of one copy of the model; see `ServingLayouts`. Where nothing fits, the layout that
        comes closest.
    users_load, requests_load
        Copies that the caches of all users, and the requests of the busiest minute, fill with
        their headroom.
    copies, devices
        The larger of both in whole copies with the spare ones, and the devices of these.
    largest_batch
        Largest batch of a copy within memory and targets. [sequences]
    held_by_memory
        Whether memory decides the number of copies: caches of all users, or a batch that latency
        would let grow.
    users_per_copy
        Users whose caches a copy holds at the peak. [users/copy]
    batch
        Of these, with a request in flight while it works: at least one. [requests/copy]
    tpot_seconds, ttft_seconds
        At the peak. [s]
    capacity_requests_per_s
        Of all copies at their largest batch. [requests/s]
    peak_requests_per_s
        Demand of the busiest hour. [requests/s]
    decode, prefill
        Device time of one request at that batch, by what it is spent on. [s]
    weights_bytes, cache_bytes, activations_bytes, overhead_bytes, usable_bytes
        On one device; the caches of all users at full context. [bytes/device]
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
    users_load: Array
    requests_load: Array
    copies: Array
    devices: Array
    largest_batch: Array
    held_by_memory: Mask
    users_per_copy: Array
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
    def load_in_copies(self) -> Array:
        """Copies that the peak fills with its headroom."""
        return np.maximum(self.users_load, self.requests_load)

    @property
    def spare_copies(self) -> Array:
        """Copies kept beside those that the peak needs. [copies]"""
        return np.asarray(self.copies - np.ceil(self.load_in_copies))

    @property
    def full_decode(self) -> TimeParts:
        """Device time of one answer in the largest batch, of one request at least. [s]"""
        return self.times.decode(np.maximum(self.largest_batch, 1.0)[:, None]).flat()

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
        """Shares of a request's device time, in the order of `time_parts.LIMITS`; rows sum to 1."""
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
    """Demand of the busiest hour. [requests/s]

    A user asks once in an interval, but not before the last answer has come, which takes the
    times of the targets. The demand is thus the same on every device.
    """
    answer_ms = scenario.ttft_ms + answer_tokens(scenario) * scenario.tpot_ms
    return scenario.users / max(scenario.request_interval_seconds, answer_ms / MILLISECONDS)


@dataclass(frozen=True, slots=True)
class ServingCandidates:
    """Every layout (column) of each device (row) at its largest batch, of which one is chosen.

    Attributes
    ----------
    scenario, devices
        As in `serving_candidates`.
    grid
        Memory and coefficients of the times of every layout.
    supported, meets_target
        As in `ServingEstimates`, one entry a device.
    largest_batch, load_in_copies
        As in `ServingEstimates`, for every layout.
    copy_requests_per_s
        What one copy answers at its largest batch. [requests/s]
    chosen
        Estimates so far, by layout: ways of paying often agree on it.
    """

    scenario: Scenario
    devices: DeviceArrays
    grid: ServingGrid
    supported: Mask
    meets_target: Mask
    largest_batch: Array
    copy_requests_per_s: Array
    load_in_copies: Array
    chosen: dict[bytes, ServingEstimates] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def fits(self) -> Mask:
        """Whether some layout holds the model and one sequence, one entry a device."""
        return self.supported & self.grid.usable.any(axis=1)

    def with_demand(self, scenario: Scenario) -> ServingCandidates:
        """The same layouts for a scenario with other users, headroom, bursts or spare copies."""
        load = _load(scenario, self.grid, self.copy_requests_per_s)
        return replace(self, scenario=scenario, load_in_copies=load)

    def devices_by_hour(self, relative_load: Array) -> Array:
        """Devices that each hour needs in each layout; infinite where it holds nothing.

        Parameters
        ----------
        relative_load
            Demand over its peak in each hour. [share, (hours,)]

        Returns
        -------
        ndarray
            In whole copies, spare ones included. [devices, (devices, layouts, hours)]
        """
        works = self.largest_batch > 0
        devices = copies_by_hour(np.where(works, self.load_in_copies, 1.0), relative_load)
        devices += self.scenario.spare_copies
        devices *= np.where(works, self.grid.layouts.devices, np.inf)[..., None]
        return devices

    def least(self, burden: Array) -> ServingEstimates:
        """Choose the layout with the least burden, the least busy of several.

        Parameters
        ----------
        burden
            What is to be kept small, such as the devices held; one entry for each device and
            layout.
        """
        is_least = burden == burden.min(axis=1, keepdims=True)
        # Devices that work less for the same answers draw less power.
        device_seconds = np.divide(
            self.grid.layouts.devices,
            self.copy_requests_per_s,
            out=np.full_like(burden, np.inf),
            where=is_least & (self.largest_batch > 0),
        )
        best = device_seconds.argmin(axis=1)
        if best.tobytes() not in self.chosen:
            self.chosen[best.tobytes()] = _chosen(self, best)
        return self.chosen[best.tobytes()]


def whole_servers(count: Array, devices: DeviceArrays) -> Array:
    """Round devices up to the boards and racks in which they are sold. [devices]

    Parameters
    ----------
    count
        Devices needed, one row or entry for each of `devices`. [devices]
    devices
        The devices.
    """
    each = np.nan_to_num(devices.devices_per_server, nan=1.0)
    each = each.reshape(-1, *[1] * (count.ndim - 1))
    return np.asarray(np.ceil(count / each * (1 - 1e-9)) * each)


def copies_by_hour(load_in_copies: Array, relative_load: Array) -> Array:
    """Whole copies of the model that each hour needs, at least one. [copies, (..., hours)]"""
    # Demand that fills its copies exactly must not round up over the last binary digit.
    copies = load_in_copies[..., None] * (relative_load * (1 - 1e-9))
    np.ceil(copies, out=copies)  # in place: there are millions of them
    return np.maximum(copies, 1.0, out=copies)


def serving_candidates(
    scenario: Scenario, workload: Workload, devices: DeviceArrays, assumptions: Assumptions
) -> ServingCandidates:
    """Work out every layout of each device at the largest batch within memory and targets.

    A device that cannot meet the targets is planned at a quarter above its own best times, so
    that one sees by how much it misses and what it would cost; `meets_target` is then false.

    Parameters
    ----------
    scenario, workload, devices, assumptions
        As in `serving_grid`.
    """
    grid = serving_grid(scenario, workload, devices, assumptions)
    targets = LatencyTargets.of_devices(scenario, grid)
    batch = largest_batch(
        times=grid.times,
        memory_batch=np.where(grid.usable, grid.memory_batch, 0.0),
        tpot_seconds=targets.tpot_seconds,
        ttft_seconds=targets.ttft_seconds,
    )
    answers = grid.times.requests_per_s(batch, grid.times.step_seconds(batch))
    known = np.isfinite(grid.times.first_token_seconds[:, 0])
    runs = serves(
        devices,
        scenario.engine,
        weight_format=scenario.weight_format,
        cache_format=scenario.cache_format,
    )
    supported = runs & known
    return ServingCandidates(
        scenario=scenario,
        devices=devices,
        grid=grid,
        supported=supported,
        meets_target=supported & targets.met,
        largest_batch=batch,
        copy_requests_per_s=answers,
        load_in_copies=_load(scenario, grid, answers),
    )


def _load(scenario: Scenario, grid: ServingGrid, copy_requests_per_s: Array) -> Array:
    """Copies that the peak of a scenario fills in each layout, in parts of one."""
    with np.errstate(divide="ignore", invalid="ignore"):  # layouts without a batch
        return load_in_copies(
            users=scenario.users,
            requests_per_s=peak_requests_per_s(scenario),
            cached_users=grid.cached_users,
            copy_requests_per_s=copy_requests_per_s,
            headroom=scenario.headroom_percent / 100,
            burst_factor=scenario.burst_factor,
        )


def estimate_serving(
    scenario: Scenario, workload: Workload, devices: DeviceArrays, assumptions: Assumptions
) -> ServingEstimates:
    """Choose the layout of each device that carries the peak with the fewest devices.

    Parameters
    ----------
    scenario, workload, devices, assumptions
        As in `serving_grid`.
    """
    candidates = serving_candidates(scenario, workload, devices, assumptions)
    return candidates.least(candidates.devices_by_hour(AT_THE_PEAK)[..., 0])


@dataclass(frozen=True, slots=True)
class LatencyTargets:
    """Times that each device (row) is planned for: the targets, or its own pace if it misses."""

    met: Mask
    tpot_seconds: Array
    ttft_seconds: Array

    @classmethod
    def of_devices(cls, scenario: Scenario, grid: ServingGrid) -> LatencyTargets:
        """Compare the targets with what a lone request gets in the best layout of a device."""
        times = grid.times
        step = times.step_seconds(LEAST_BATCH)
        rate = times.requests_per_s(LEAST_BATCH, step)
        tpot_excess = times.tpot_seconds(LEAST_BATCH, step) * MILLISECONDS / scenario.tpot_ms
        ttft_excess = times.ttft_seconds(rate, step) * MILLISECONDS / scenario.ttft_ms
        excess = np.where(grid.usable, np.maximum(tpot_excess, ttft_excess), np.inf)
        best = excess.argmin(axis=1)[:, None]
        met = np.take_along_axis(excess, best, axis=1) <= 1

        def planned(own_excess: Array, target_ms: float) -> Array:
            own = np.maximum(OWN_PACE * np.take_along_axis(own_excess, best, axis=1), 1.0)
            return np.where(met, 1.0, own) * target_ms / MILLISECONDS

        return cls(
            met=met[:, 0],
            tpot_seconds=planned(tpot_excess, scenario.tpot_ms),
            ttft_seconds=planned(ttft_excess, scenario.ttft_ms),
        )


def load_in_copies(
    *,
    users: float,
    requests_per_s: float,
    cached_users: Array,
    copy_requests_per_s: Array,
    headroom: float,
    burst_factor: float = 1.0,
) -> Array:
    """Copies of the model, in parts of one, that hold all users and keep up with their requests.

    Parameters
    ----------
    users
        Users at the peak, each with a cache. [users]
    requests_per_s
        Requests that arrive at the peak. [requests/s]
    cached_users, copy_requests_per_s
        Caches that a copy holds, and what it answers at its largest batch. [users/copy],
        [requests/s/copy]
    headroom
        Share of both that is kept free. [1]
    burst_factor
        Requests of the busiest minute over the mean of the busiest hour. [ratio]
    """
    free = 1 - headroom
    by_rate = burst_factor * requests_per_s / (copy_requests_per_s * free)
    return np.maximum(_users_load(users, cached_users, free), by_rate)


def _users_load(users: float, cached_users: Array, free: float) -> Array:
    """Copies, in parts of one, that hold the caches of all users."""
    return np.asarray(users / np.maximum(np.floor(cached_users * free), 1.0))


def _chosen(candidates: ServingCandidates, best: NDArray[np.intp]) -> ServingEstimates:
    """Lift the best layout of each device, or the closest where nothing fits, out of the grid."""
    scenario, grid, fits = candidates.scenario, candidates.grid, candidates.fits
    closest = np.where(grid.possible & grid.allowed, grid.short_bytes, np.inf).argmin(axis=1)
    choice = np.where(fits, best, closest)

    def of_device(values: Array) -> Array:
        return np.take_along_axis(values, choice[:, None], axis=1)[:, 0]

    def where_fits(values: Array) -> Array:
        return np.where(fits, values, np.nan)

    layouts, memory = grid.layouts, grid.memory
    times = grid.times.take(choice)
    largest = of_device(candidates.largest_batch)
    used_load = where_fits(of_device(candidates.load_in_copies))
    used_copies = np.ceil(used_load)
    copies = used_copies + scenario.spare_copies
    users_per_copy = np.where(fits, np.ceil(scenario.users / used_copies), 1.0)
    demand, free = peak_requests_per_s(scenario), 1 - scenario.headroom_percent / 100
    rate = np.where(fits, demand / used_copies, 0.0)[:, None]
    running = np.maximum(times.batch_at(rate), 1.0)
    step = times.step_seconds(running)
    capacity = of_device(candidates.copy_requests_per_s)
    memory_batch = of_device(grid.memory_batch)
    # Copies that answer more than the demand with its headroom are there to hold the caches.
    burst = scenario.burst_factor * demand
    requests_load = burst / (np.where(fits, capacity, np.nan) * free)
    holds_caches = used_load > requests_load * (1 + 1e-9)
    fewest = np.where(grid.holds, layouts.devices, np.inf).min(axis=1)
    return ServingEstimates(
        supported=candidates.supported,
        fits=fits,
        meets_target=fits & candidates.meets_target,
        tensor=layouts.tensor[choice],
        pipeline=layouts.pipeline[choice],
        attention_parallel=layouts.attention_parallel[choice],
        layout_devices=layouts.devices[choice],
        users_load=where_fits(_users_load(scenario.users, of_device(grid.cached_users), free)),
        requests_load=requests_load,
        copies=copies,
        devices=copies * layouts.devices[choice],
        largest_batch=where_fits(largest),
        held_by_memory=fits & ((largest >= memory_batch) | holds_caches),
        users_per_copy=where_fits(users_per_copy),
        batch=where_fits(running[:, 0]),
        tpot_seconds=where_fits(times.tpot_seconds(running, step)[:, 0]),
        ttft_seconds=where_fits(times.ttft_seconds(rate, step)[:, 0]),
        capacity_requests_per_s=copies * capacity,
        peak_requests_per_s=demand,
        decode=times.decode(running).flat(),
        prefill=times.prefill.flat(),
        weights_bytes=memory.weights_bytes[choice],
        cache_bytes=memory.cache_bytes_per_sequence[choice]
        * np.ceil(users_per_copy / layouts.ranks[choice]),
        activations_bytes=memory.activations_bytes[choice],
        overhead_bytes=memory.overhead_bytes[choice],
        usable_bytes=candidates.devices.usable_memory_bytes,
        fewest_devices=np.where(np.isfinite(fewest), fewest, np.nan),
        short_bytes=of_device(grid.short_bytes),
        times=times,
        memory_batch=memory_batch,
    )
