"""What devices reach of their peaks in training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.model.precision import arithmetic_peaks
from hwplanner.scenario import Scenario
from hwplanner.units import TERA, Array, Quantity


@dataclass(frozen=True, slots=True)
class TrainingRates:
    """What each device reaches, one row each.

    Attributes
    ----------
    peak_flop_per_s
        Dense peak at 16 bit, in 32-bit training at 32; utilization is a share of it. [FLOP/s]
    clock
        Share of the peak that the board's power lets the clock hold. [1]
    class_factor
        What the device's class reaches beyond that. [1]
    linear_speedup
        Speed of 8-bit linear layers against 16-bit ones, 1 where the device has no 8 bit. [1]
    is_low_precision
        1 where linear layers compute at 8 bit, else 0.
    memory_bytes_per_s
        Memory bandwidth that training reaches. [bytes/s]
    """

    peak_flop_per_s: Array
    clock: Array
    class_factor: Array
    linear_speedup: Array
    is_low_precision: Array
    memory_bytes_per_s: Array


def clock_share(*, watts: Quantity, peak_flop_per_s: Quantity, half_watts: Quantity) -> Quantity:
    """Share of its peak that a device sustains within its board power.

    Parameters
    ----------
    watts
        Board power. [W]
    peak_flop_per_s
        Dense 16-bit peak. [FLOP/s]
    half_watts
        Power for each FLOP/s at which the clock holds half of the peak. [W s/FLOP]

    Returns
    -------
    float or ndarray
        w/(w + w_half): more peak in the same power is used less. [1]

    References
    ----------
    .. [1] hwplanner study of published measurements, 2026-11-30.

    Examples
    --------
    H100: 700 W for 989 TFLOPS.

    >>> round(clock_share(watts=700, peak_flop_per_s=989e12, half_watts=0.286e-12), 2)
    0.71
    """
    watts_per_flop_per_s = watts / peak_flop_per_s
    return saturation(size=watts_per_flop_per_s, half_size=half_watts)


def saturation(*, size: Quantity, half_size: Quantity) -> Quantity:
    """Share of the full speed at a size, half of it at the half size: x/(x + x_half). [1]"""
    return size / (size + half_size)


def model_flop_utilization(
    *, tokens_per_s_per_device: Quantity, active_parameters: float, peak_flop_per_s: Quantity
) -> Quantity:
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
    float or ndarray
        Share of the peak; LoRA, which needs 4 of the 6, can come out above 1. [1]

    Examples
    --------
    torchtitan, Llama-3.1-8B on H100:

    >>> round(model_flop_utilization(tokens_per_s_per_device=5762, active_parameters=8.03e9,
    ...                              peak_flop_per_s=989e12), 4)
    0.2807
    """
    return 6 * active_parameters * tokens_per_s_per_device / peak_flop_per_s


def training_rates(
    scenario: Scenario, devices: DeviceArrays, assumptions: Assumptions
) -> TrainingRates:
    """Apply what power, class and precision make of every device's peaks."""
    get = assumptions.typical
    precision = scenario.training_precision
    peaks = devices.peak_flop_per_s
    linear = arithmetic_peaks(arithmetic=precision, peaks=peaks)
    peak = arithmetic_peaks(
        arithmetic="bf16" if precision == "fp8" else precision, peaks=peaks
    ).flop_per_s
    is_low = linear.formats == "fp8"
    clock = clock_share(
        watts=devices.tdp_watts,
        peak_flop_per_s=peak,
        half_watts=get("power_half_watts_per_tflop") / TERA,
    )
    classes = {key: get("training_class_factor", key) for key in set(devices.efficiency_class)}

    def column(values: Array) -> Array:
        return values[:, None]

    return TrainingRates(
        peak_flop_per_s=column(peak),
        clock=column(np.where(np.isnan(devices.tdp_watts), get("unpublished_power_factor"), clock)),
        class_factor=column(np.array([classes[key] for key in devices.efficiency_class])),
        linear_speedup=column(
            np.where(is_low, linear.flop_per_s / peak * get("fp8_matmul_factor"), 1.0)
        ),
        is_low_precision=column(is_low.astype(np.float64)),
        memory_bytes_per_s=column(
            devices.memory_bandwidth_bytes_per_s * get("training_bandwidth_efficiency")
        ),
    )
