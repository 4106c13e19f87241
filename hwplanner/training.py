"""Training: every layout of every device in one evaluation, and the best layout of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.device import DeviceArrays
from hwplanner.model_numbers import ModelNumbers
from hwplanner.scenario import Scenario
from hwplanner.serving_time import TimeParts
from hwplanner.training_layouts import MOST_DEVICES, TrainingLayouts, training_layouts
from hwplanner.training_memory import RECOMPUTE_KINDS, TrainingMemory, training_memory
from hwplanner.training_states import sharding_stage
from hwplanner.training_time import box_devices, half_peaks, step_time
from hwplanner.units import MILLION, SECONDS_PER_HOUR, Array

Mask = NDArray[np.bool_]
Index = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class TrainingGrid:
    """Every device (row) in every layout (column).

    Attributes
    ----------
    layouts, memory
        The layouts, and what each holds by kind of recomputation; the same on every device.
    recompute
        Kind that the device takes, an index of `RECOMPUTE_KINDS`: the least that fits.
    fits
        Whether the memory of that kind is within what is usable.
    step
        Time of one optimizer step, by what it is spent on. [s]
    step_seconds
        All of it; NaN where the devices of a layout cannot reach each other. [s]
    """

    layouts: TrainingLayouts
    memory: TrainingMemory
    recompute: Index
    fits: Mask
    step: TimeParts
    step_seconds: Array


@dataclass(frozen=True, slots=True)
class TrainingEstimates:
    """The best layout of each device, one entry a device.

    Attributes
    ----------
    supported
        Whether software and published figures allow an estimate.
    fits
        Whether some layout within the most devices allowed holds the run.
    fits_barely
        Whether it does so with little to spare: such a run may fail.
    meets_window
        Whether the run ends in time.
    layout
        Layout: the fewest devices that end in time and of these the fastest; where none does, the
        fastest; where nothing fits, the one that comes closest.
    recompute, stage
        Index of `RECOMPUTE_KINDS`, ZeRO stage.
    memory, usable_bytes
        Parts on the fullest device; what one device offers. [bytes/device]
    fewest_devices
        Fewest devices that hold the run, allowed or not; NaN if none do.
    short_bytes
        Memory missing on each device where nothing fits, else 0. [bytes/device]
    step
        Time of one optimizer step by what it is spent on; NaN where nothing fits. [s]
    run_seconds
        Time of the whole run. [s]
    tokens_per_s_per_device
        Speed. [tokens/s/device]
    mfu
        Model FLOP utilization: 6 FLOP per active parameter and token, embeddings included, over
        the 16-bit peak. [1]
    limited_by_capacity
        Whether memory, not time, sets the number of devices.
    speed_band, memory_band
        Factors on speed and on memory that hold 8 of 10 cases. [1]
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
    speed_band: tuple[float, float]
    memory_band: tuple[float, float]

    @property
    def devices(self) -> Array:
        """Devices of the run. [devices]"""
        return self.layout.devices

    @property
    def device_hours(self) -> Array:
        """Device time of one run. [h]"""
        return self.devices * self.run_seconds / SECONDS_PER_HOUR

    @property
    def limit_shares(self) -> Array:
        """Shares of a step's time, in the order of `tables.LIMITS`; columns sum to 1."""
        step = self.step
        shares = np.stack([step.compute, step.memory, step.communication, step.overhead])
        return np.asarray(shares / shares.sum(axis=0))


def tokens_per_step(scenario: Scenario) -> float:
    """Tokens that one optimizer step averages over. [tokens]"""
    return float(scenario.batch_sequences * scenario.sequence_tokens)


def run_seconds(scenario: Scenario, step_seconds: Array) -> Array:
    """Time of a whole run. [s]"""
    tokens = scenario.training_tokens_million * MILLION
    return tokens / tokens_per_step(scenario) * step_seconds


def model_flop_utilization(
    *, tokens_per_s_per_device: Array, active_parameters: float, peak_flop_per_s: Array
) -> Array:
    """MFU: 6 FLOP for each parameter and token over the peak, attention left out.

    Parameters
    ----------
    tokens_per_s_per_device
        Speed. [tokens/s/device]
    active_parameters
        Parameters of a dense model, embeddings included; of a mixture, those that a token
        passes. [parameters]
    peak_flop_per_s
        Dense 16-bit peak of one device. [FLOP/s]

    Returns
    -------
    ndarray
        Share of the peak. [1]

    Examples
    --------
    torchtitan, Llama-3.1-8B on H100:

    >>> round(model_flop_utilization(tokens_per_s_per_device=5762, active_parameters=8.03e9,
    ...                              peak_flop_per_s=989e12), 4)
    0.2807
    """
    return 6 * active_parameters * tokens_per_s_per_device / peak_flop_per_s


def speed_band(
    scenario: Scenario, model: ModelNumbers, assumptions: Assumptions
) -> tuple[float, float]:
    """Factors on the speed that hold 8 of 10 cases of this kind."""
    is_long = scenario.sequence_tokens >= assumptions.typical("long_sequence_tokens")
    return _band(
        assumptions, "training_band", "moe" if model.is_moe else "long" if is_long else "dense"
    )


def _band(assumptions: Assumptions, name: str, key: str = "") -> tuple[float, float]:
    low, _, high = assumptions.range(name, key)
    return low, high


def reachable(devices: DeviceArrays, layouts: TrainingLayouts, assumptions: Assumptions) -> Mask:
    """Whether a published link, host link or network joins the devices of a layout."""
    box = box_devices(devices, assumptions)
    has_network = np.isfinite(devices.scale_out_bytes_per_s)[:, None]
    joined: Mask = (layouts.tensor <= box) & (has_network | (layouts.devices <= box))
    return joined


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
    memory = training_memory(
        scenario=scenario, model=model, layouts=layouts, assumptions=assumptions
    )
    return _grid(scenario, model, devices, layouts, memory, assumptions)


def _grid(
    scenario: Scenario,
    model: ModelNumbers,
    devices: DeviceArrays,
    layouts: TrainingLayouts,
    memory: TrainingMemory,
    assumptions: Assumptions,
) -> TrainingGrid:
    """Choose the recomputation and work out the times of layouts whose memory is known."""
    recompute = _least_recompute(scenario, memory.total_bytes, devices, assumptions)
    passes = np.array([assumptions.typical("recompute_passes", kind) for kind in RECOMPUTE_KINDS])
    step = step_time(
        scenario=scenario,
        model=model,
        devices=devices,
        layouts=layouts,
        recompute_passes=passes[recompute],
        assumptions=assumptions,
    )
    joined = reachable(devices, layouts, assumptions)
    needed = memory.total_bytes[recompute, np.arange(recompute.shape[1])]
    return TrainingGrid(
        layouts=layouts,
        memory=memory,
        recompute=recompute,
        fits=joined & (needed <= _room(devices, assumptions)),
        step=step,
        step_seconds=np.where(joined, step.total, np.nan),
    )


def _room(devices: DeviceArrays, assumptions: Assumptions) -> Array:
    """Memory up to which a run counts as fitting, as a column. [bytes/device]"""
    return assumptions.typical("training_fit_share") * devices.usable_memory_bytes[:, None]


def _kinds(scenario: Scenario) -> list[int]:
    """Kinds of recomputation that may be chosen, the least first."""
    if scenario.recompute == "auto":
        return list(range(len(RECOMPUTE_KINDS)))
    return [RECOMPUTE_KINDS.index(scenario.recompute)]


def _least_recompute(
    scenario: Scenario, total_bytes: Array, devices: DeviceArrays, assumptions: Assumptions
) -> Index:
    """Kind for each device and layout: the least that leaves room to spare, or that just fits."""
    kinds = _kinds(scenario)
    smallest = np.array(kinds)[total_bytes[kinds].argmin(axis=0)]
    chosen = np.broadcast_to(smallest, (len(devices), total_bytes.shape[1]))
    comfortable, full, _ = assumptions.range("training_fit_share")
    for share in (full, comfortable):
        room = share * devices.usable_memory_bytes[:, None]
        for kind in reversed(kinds):
            chosen = np.where(total_bytes[kind] <= room, kind, chosen)
    return chosen


def estimate_training(
    scenario: Scenario, model: ModelNumbers, devices: DeviceArrays, assumptions: Assumptions
) -> TrainingEstimates:
    """Choose for each device the fewest that end the run within its window.

    Parameters
    ----------
    scenario
        The run: method, tokens, window, batch, precision, most devices.
    model
        The model.
    devices
        Devices, one row each.
    assumptions
        Everything that is not in a data sheet.

    Returns
    -------
    TrainingEstimates
        One entry a device.
    """
    every = training_layouts(
        layers=int(model.layers),
        heads=int(model.heads),
        experts=int(model.experts),
        sequence_tokens=scenario.sequence_tokens,
        batch_sequences=scenario.batch_sequences,
    )
    memory = training_memory(scenario=scenario, model=model, layouts=every, assumptions=assumptions)
    room = _room(devices, assumptions)
    least_bytes = memory.total_bytes[_kinds(scenario)].min(axis=0)
    joined = reachable(devices, every, assumptions)
    fewest = np.where(joined & (least_bytes <= room), every.devices, np.inf).min(axis=1)

    # Times are worth working out where some device has room. The layout that comes closest is
    # kept for devices that never have.
    allowed = every.devices <= scenario.max_training_devices
    closest = np.where(joined & allowed, least_bytes, np.inf).argmin(axis=1)
    kept = allowed & (least_bytes <= room.max())
    kept[closest] = True
    columns = np.flatnonzero(kept)
    grid = _grid(
        scenario,
        model,
        devices,
        every.take(columns),
        memory.take(slice(None), columns),
        assumptions,
    )

    supported = _supported(scenario, devices)
    usable = supported[:, None] & grid.fits & np.isfinite(grid.step_seconds)
    fits = usable.any(axis=1)
    runs = np.where(usable, run_seconds(scenario, grid.step_seconds), np.inf)
    window = scenario.window_hours * SECONDS_PER_HOUR
    in_time = runs <= window
    # In time, fewer devices come first and speed breaks ties; else speed alone counts.
    rank = np.where(in_time, grid.layouts.devices + runs / (2 * window), MOST_DEVICES + runs)
    choice = np.where(fits, rank.argmin(axis=1), np.searchsorted(columns, closest))
    return _chosen(scenario, model, devices, grid, choice, supported, fits, fewest, assumptions)


def _supported(scenario: Scenario, devices: DeviceArrays) -> Mask:
    """Whether a device trains at all, and the figures that a time needs are published."""
    trains = np.array([support != "no" for support in devices.training_supported])
    peak = half_peaks(scenario, devices).flop_per_s
    return trains & np.isfinite(peak) & np.isfinite(devices.memory_bandwidth_bytes_per_s)


def _chosen(
    scenario: Scenario,
    model: ModelNumbers,
    devices: DeviceArrays,
    grid: TrainingGrid,
    choice: Index,
    supported: Mask,
    fits: Mask,
    fewest: Array,
    assumptions: Assumptions,
) -> TrainingEstimates:
    """Lift the chosen layout of each device out of the grid."""
    rows = np.arange(len(devices))
    recompute = grid.recompute[rows, choice]
    layout = grid.layouts.take(choice)
    memory = grid.memory.take(recompute, choice)
    step = grid.step.take(choice)
    unknown = np.where(fits, 1.0, np.nan)
    seconds = run_seconds(scenario, grid.step_seconds[rows, choice] * unknown)
    window = scenario.window_hours * SECONDS_PER_HOUR
    speed = scenario.training_tokens_million * MILLION / (seconds * layout.devices)
    dense_parameters = model.total_parameters - model.experts * model.expert_each_parameters
    active = dense_parameters + model.experts_per_token * model.expert_each_parameters
    comfortable, _, _ = assumptions.range("training_fit_share")
    usable = devices.usable_memory_bytes
    total = memory.total_bytes
    return TrainingEstimates(
        supported=supported,
        fits=fits,
        fits_barely=fits & (total > comfortable * usable),
        meets_window=fits & (seconds <= window),
        layout=layout,
        recompute=recompute,
        stage=sharding_stage(scenario, layout),
        memory=memory,
        usable_bytes=usable,
        fewest_devices=np.where(np.isfinite(fewest), fewest, np.nan),
        short_bytes=np.where(fits, 0.0, np.maximum(total - _room(devices, assumptions)[:, 0], 0.0)),
        step=TimeParts(
            *(
                part[:, 0] * unknown
                for part in (step.compute, step.memory, step.communication, step.overhead)
            )
        ),
        run_seconds=seconds,
        tokens_per_s_per_device=speed,
        mfu=model_flop_utilization(
            tokens_per_s_per_device=speed,
            active_parameters=active,
            peak_flop_per_s=half_peaks(scenario, devices).flop_per_s,
        ),
        # Half of the devices would take twice as long and still be in time.
        limited_by_capacity=~fits | ((layout.devices > 1) & (2 * seconds <= window)),
        speed_band=speed_band(scenario, model, assumptions),
        memory_band=_band(assumptions, "training_memory_band"),
    )
