"""What each device reaches in serving: data sheet times efficiency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.units import Array, Quantity

HOLD = 12.0  # sharpness of limits: a figure at its limit loses 6 %
HALF_BITS = 16
DESKTOP_ENGINES = ("llamacpp", "llamacpp_old", "mlc", "exllama", "transformers")


@dataclass(frozen=True, slots=True)
class ServingRates:
    """What each device reaches, as columns of one entry per device.

    Attributes
    ----------
    decode_flop_per_s, prefill_flop_per_s
        Matrix products of a decode step, and of a prompt. [FLOP/s]
    decode_half_flop_per_s, prefill_half_flop_per_s
        The same at 16 bit, for attention and logits. [FLOP/s]
    memory_bytes_per_s
        Reading weights and activations. [bytes/s]
    mixture_factor
        Decode products of mixtures of experts by engine, against its dense ones. [1]
    layer_seconds
        Fixed time of one layer in one step. [s]
    sequence_seconds
        Time of the host for each sequence in a step. [s]
    request_seconds
        Time of the host before the first token of a request. [s]
    """

    decode_flop_per_s: Array
    prefill_flop_per_s: Array
    decode_half_flop_per_s: Array
    prefill_half_flop_per_s: Array
    memory_bytes_per_s: Array
    mixture_factor: Array
    layer_seconds: Array
    sequence_seconds: Array
    request_seconds: Array


def by_key(assumptions: Assumptions, name: str, keys: tuple[str, ...]) -> Array:
    """Column of an assumption that differs by engine or device class, one row a key."""
    known = {key: assumptions.typical(name, key) for key in set(keys)}
    return np.array([known[key] for key in keys])[:, None]


def held_to(value: Quantity, limit: float) -> Quantity:
    """Hold a figure below a limit without a kink, which a fit could not see past.

    Examples
    --------
    >>> round(float(held_to(0.5, 1.0)), 3), round(float(held_to(2.0, 1.0)), 3)
    (0.5, 1.0)
    """
    return value / (1 + (value / limit) ** HOLD) ** (1 / HOLD)


def serving_rates(
    *,
    devices: DeviceArrays,
    engines: tuple[str, ...],
    linear_peak_flop_per_s: Array,
    half_peak_flop_per_s: Array,
    weight_bits: Quantity = 16.0,
    is_served: bool | NDArray[np.bool_] = True,
    assumptions: Assumptions,
) -> ServingRates:
    """Apply the efficiencies of engines and device classes.

    Parameters
    ----------
    devices
        The devices.
    engines
        Engine class that each device runs, as the assumptions name it.
    linear_peak_flop_per_s, half_peak_flop_per_s
        Peak of the format that computes, and at 16 bit. [FLOP/s]
    weight_bits
        Width of the weights; of all, or of each device. [bits]
    is_served
        Whether tokens are streamed to clients as they come; of all, or of each device.
    assumptions
        Efficiencies.
    """

    def factor(name: str, keys: tuple[str, ...]) -> Array:
        return by_key(assumptions, name, keys)

    get = assumptions.typical
    linear, half = linear_peak_flop_per_s[:, None], half_peak_flop_per_s[:, None]
    # Weights that are widened before they are multiplied take time for that.
    is_widened = (np.reshape(weight_bits, (-1, 1)) < HALF_BITS) & ~(linear > half)
    linear = linear * np.where(is_widened, get("weight_only_compute_factor"), 1.0)
    # The factors are found apart: their product is held to what a device can reach.
    decode = held_to(
        get("gemm_efficiency") * factor("engine_factor_gemm", engines),
        get("prefill_efficiency_limit"),
    )
    prefill = held_to(
        get("prefill_efficiency")
        * factor("engine_factor_prefill", engines)
        * factor("class_factor_prefill", devices.efficiency_class),
        get("prefill_efficiency_limit"),
    )
    # Engines written for desktop cards do not fill stacked memory.
    is_stacked = np.array([kind == "hbm" for kind in devices.memory_kind])[:, None]
    is_desktop = np.array([engine in DESKTOP_ENGINES for engine in engines])[:, None]
    stacked = np.where(is_stacked & is_desktop, get("desktop_engine_hbm_factor"), 1.0)
    bandwidth = held_to(
        get("bandwidth_efficiency") * factor("engine_factor_bandwidth", engines) * stacked,
        get("bandwidth_efficiency_limit"),
    )
    return ServingRates(
        decode_flop_per_s=linear * decode,
        prefill_flop_per_s=linear * prefill,
        decode_half_flop_per_s=half * decode,
        prefill_half_flop_per_s=half * prefill * get("attention_efficiency"),
        memory_bytes_per_s=devices.memory_bandwidth_bytes_per_s[:, None] * bandwidth,
        mixture_factor=factor("engine_factor_mixture", engines),
        layer_seconds=get("layer_seconds") * factor("engine_factor_layer_seconds", engines),
        sequence_seconds=get("sequence_step_seconds")
        + np.where(np.reshape(is_served, (-1, 1)), factor("stream_step_seconds", engines), 0.0),
        request_seconds=factor("request_seconds", engines),
    )
