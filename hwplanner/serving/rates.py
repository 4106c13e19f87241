"""What each device reaches in serving: data sheet times efficiency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.units import Array


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
    layer_seconds
        Fixed time of one layer in one step. [s]
    """

    decode_flop_per_s: Array
    prefill_flop_per_s: Array
    decode_half_flop_per_s: Array
    prefill_half_flop_per_s: Array
    memory_bytes_per_s: Array
    layer_seconds: Array


def serving_rates(
    *,
    devices: DeviceArrays,
    engines: tuple[str, ...],
    linear_peak_flop_per_s: Array,
    half_peak_flop_per_s: Array,
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
    assumptions
        Efficiencies.
    """

    def factor(name: str, keys: tuple[str, ...]) -> Array:
        known = {key: assumptions.typical(name, key) for key in set(keys)}
        return np.array([known[key] for key in keys])[:, None]

    get = assumptions.typical
    linear, half = linear_peak_flop_per_s[:, None], half_peak_flop_per_s[:, None]
    decode = get("gemm_efficiency")
    # The factors were found apart: their product is held to what a device can reach.
    prefill = np.minimum(
        get("prefill_efficiency")
        * factor("engine_factor_prefill", engines)
        * factor("class_factor_prefill", devices.efficiency_class),
        get("prefill_efficiency_limit"),
    )
    bandwidth = np.minimum(
        get("bandwidth_efficiency") * factor("engine_factor_bandwidth", engines), 1.0
    )
    return ServingRates(
        decode_flop_per_s=linear * decode,
        prefill_flop_per_s=linear * prefill,
        decode_half_flop_per_s=half * decode,
        prefill_half_flop_per_s=half * prefill * get("attention_efficiency"),
        memory_bytes_per_s=devices.memory_bandwidth_bytes_per_s[:, None] * bandwidth,
        layer_seconds=get("layer_seconds") * factor("engine_factor_layer_seconds", engines),
    )
