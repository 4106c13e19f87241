"""What devices reach of their peaks in training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.model.precision import arithmetic_peaks
from hwplanner.training.recipe import Choice, TrainingRecipe
from hwplanner.units import TERA, Array, Quantity

NARROW_BITS: dict[str, tuple[float, float]] = {
    "fp8": (1, 0),
    "int8": (1, 0),
    "nvfp4": (0, 1),
    "fp8 or nvfp4": (0.5, 0.5),
}
"""Precisions whose linear layers compute at 8 and at 4 bit, each with its shares of the two."""


@dataclass(frozen=True, slots=True)
class TrainingPeaks:
    """What data sheets say of each device in a precision, one row each.

    Attributes
    ----------
    peak_flop_per_s
        Dense peak at 16 bit, in 32-bit training at 32. [FLOP/s]
    ratio_8_bit, ratio_4_bit
        Peaks at 8 and 4 bit over that one; 1 where not used. [1]
    share_8_bit, share_4_bit
        Shares of the linear layers that compute at 8 and 4 bit. [1]
    watts
        Board power. [W]
    memory_bytes_per_s
        Published memory bandwidth. [bytes/s]
    device_class
        Class of the device.
    """

    peak_flop_per_s: Array
    ratio_8_bit: Array
    ratio_4_bit: Array
    share_8_bit: Array
    share_4_bit: Array
    watts: Array
    memory_bytes_per_s: Array
    device_class: Choice


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
    kernels_year
        Since when open kernels of attention are made for the device. [year]
    linear_speedup
        Speed of linear layers at 8 or 4 bit against 16 bit, 1 where the device has neither. [1]
    is_low_precision
        1 where linear layers compute at 8 or 4 bit, else 0.
    memory_bytes_per_s
        Memory bandwidth that training reaches. [bytes/s]
    """

    peak_flop_per_s: Array
    clock: Array
    class_factor: Array
    kernels_year: Array
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
    *, tokens_per_s_per_device: Quantity, active_parameters: Quantity, peak_flop_per_s: Quantity
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


def training_peaks(recipe: TrainingRecipe, devices: DeviceArrays) -> TrainingPeaks:
    """Look up every device's peaks in the precision of the recipe, or of its row."""
    columns = [_peaks_in(word, devices) for word in recipe.precision.words]
    chosen = [
        np.array(parts)[recipe.precision.place[:, 0], np.arange(len(devices))]
        if recipe.precision.place.ndim
        else parts[0]
        for parts in zip(*columns, strict=True)
    ]
    peak, ratio_8, ratio_4, share_8, share_4 = (values[:, None] for values in chosen)
    return TrainingPeaks(
        peak_flop_per_s=peak,
        ratio_8_bit=ratio_8,
        ratio_4_bit=ratio_4,
        share_8_bit=share_8,
        share_4_bit=share_4,
        watts=devices.tdp_watts[:, None],
        memory_bytes_per_s=devices.memory_bandwidth_bytes_per_s[:, None],
        device_class=Choice.column(devices.efficiency_class),
    )


def _peaks_in(precision: str, devices: DeviceArrays) -> tuple[Array, ...]:
    """Peak, ratios and shares of the narrow formats, one entry a device."""
    peaks = devices.peak_flop_per_s
    is_narrow = precision in NARROW_BITS
    wide = arithmetic_peaks(arithmetic="bf16" if is_narrow else precision, peaks=peaks).flop_per_s
    if not is_narrow:
        one, none = np.ones_like(wide), np.zeros_like(wide)
        return wide, one, one, none, none
    share_8, share_4 = NARROW_BITS[precision]
    peak_8 = peaks["int8" if precision == "int8" else "fp8"]
    has_8, has_4 = np.isfinite(peak_8), np.isfinite(peaks["fp4"])
    # What has no 4-bit unit computes at 8 bit, and what has neither at 16.
    at_4 = np.where(has_4, share_4, 0.0)
    at_8 = np.where(has_8, share_8 + share_4 - at_4, 0.0)
    return (
        wide,
        np.where(has_8, peak_8, wide) / wide,
        np.where(has_4, peaks["fp4"], wide) / wide,
        at_8,
        at_4,
    )


def training_rates(peaks: TrainingPeaks, assumptions: Assumptions) -> TrainingRates:
    """Apply what power, class and precision make of every device's peaks."""
    get = assumptions.typical
    clock = clock_share(
        watts=peaks.watts,
        peak_flop_per_s=peaks.peak_flop_per_s,
        half_watts=get("power_half_watts_per_tflop") / TERA,
    )
    speedup_8 = peaks.ratio_8_bit * get("narrow_matmul_factor", "8")
    speedup_4 = peaks.ratio_4_bit * get("narrow_matmul_factor", "4")
    return TrainingRates(
        peak_flop_per_s=peaks.peak_flop_per_s,
        clock=np.where(np.isnan(peaks.watts), get("unpublished_power_factor"), clock),
        class_factor=np.asarray(peaks.device_class.typical(assumptions, "training_class_factor")),
        kernels_year=np.asarray(peaks.device_class.typical(assumptions, "attention_kernels_year")),
        linear_speedup=speedup_8**peaks.share_8_bit * speedup_4**peaks.share_4_bit,
        is_low_precision=peaks.share_8_bit + peaks.share_4_bit,
        memory_bytes_per_s=peaks.memory_bytes_per_s * get("training_bandwidth_efficiency"),
    )
