"""What one device does with a micro-batch, apart from talking to others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.model.numbers import ModelNumbers
from hwplanner.physics.roofline import attention_flop
from hwplanner.physics.time_parts import TimeParts
from hwplanner.training.rates import TrainingRates, saturation
from hwplanner.training.run import TrainingRun
from hwplanner.units import Array, Quantity

TILE = 64  # matrix units work on multiples of this width
FUSED_ATTENTION_PASSES = 3.5  # a fused backward pass computes the scores again: 2.5 forward ones


def smooth_maximum(first: Array, second: Quantity, *, exponent: float) -> Array:
    """Time of two things that overlap in part: (a^p + b^p)^(1/p), their sum at p = 1. [s]

    Examples
    --------
    >>> float(smooth_maximum(np.array(3.0), 4.0, exponent=2))
    5.0
    """
    return np.asarray(first * (1 + (second / first) ** exponent) ** (1 / exponent))


def attention_flop_per_token(
    *, width: Quantity, sequence_tokens: Quantity, reach_tokens: Quantity
) -> Quantity:
    """Forward pass of causal attention, mean over the tokens of a sequence.

    Parameters
    ----------
    width
        Heads times head size, summed over layers. [values/token]
    sequence_tokens
        Length of the sequence. [tokens]
    reach_tokens
        Tokens that one token looks back: a window, or infinite. [tokens]

    Returns
    -------
    float or ndarray
        Operations. [FLOP/token]

    Notes
    -----
    Up to the reach a token sees all before it, half of the reach on average; later ones see the
    whole reach.

    Examples
    --------
    >>> float(attention_flop_per_token(width=8192, sequence_tokens=4096, reach_tokens=np.inf))
    67108864.0
    >>> float(attention_flop_per_token(width=8192, sequence_tokens=4096, reach_tokens=1024))
    29360128.0
    """
    near = np.minimum(sequence_tokens, reach_tokens)
    growing = attention_flop(width=width, layers=1, new_tokens=near, cached_tokens=0)
    level = 4 * width * near * (sequence_tokens - near)
    return (growing + level) / sequence_tokens


def micro_batch_time(
    run: TrainingRun, rates: TrainingRates, recompute_passes: Array, assumptions: Assumptions
) -> TimeParts:
    """Time of one micro-batch on the fullest stage, for devices (rows) and layouts (columns).

    Parameters
    ----------
    run
        The run, split in every layout.
    rates
        What each device reaches.
    recompute_passes
        Forward passes that the backward pass repeats. [passes]
    assumptions
        Efficiencies.

    Returns
    -------
    TimeParts
        Matrix products and attention; traffic of activations and weights; what waits for the
        host to launch it. [s]

    Notes
    -----
    A forward pass takes 2 FLOP a parameter and token, a backward pass 4; LoRA needs only the half
    of these that leads to the inputs.

    References
    ----------
    .. [1] hwplanner study of published measurements, 2026-11-30: the form and its constants
       predict published runs to 12 % in the median.
    """
    get = assumptions.typical
    model = run.model
    work = run.layer_share * run.tokens

    body = model.active_parameters - model.head_read_parameters
    per_pass = body / rates.linear_speedup + model.head_read_parameters
    passes = np.where(run.recipe.is_adapter, 2, 3) + recompute_passes
    linear_flop_per_s = rates.peak_flop_per_s * _linear_efficiency(run, rates, assumptions)
    linear_seconds = passes * (2 * work) * per_pass / linear_flop_per_s

    scores = work * _model_attention_flop_per_token(model, run.recipe.sequence_tokens)
    attention_flop_per_s = (
        rates.peak_flop_per_s
        * rates.clock
        * np.sqrt(rates.class_factor)  # half of what a class gains is gained in attention
        * get("training_attention_efficiency")
        * np.where(_has_old_kernels(run, rates), get("old_attention_factor"), 1.0)
    )
    attention_seconds = scores * (FUSED_ATTENTION_PASSES + recompute_passes) / attention_flop_per_s

    traffic = _traffic_bytes(run, rates, recompute_passes, assumptions)
    memory_seconds = traffic / rates.memory_bytes_per_s

    compute_seconds = linear_seconds + attention_seconds
    busy = compute_seconds + memory_seconds
    kernels = np.where(model.is_moe, get("expert_launch_factor"), 1.0)
    launches = run.layers * kernels * (3 + recompute_passes)
    launch_seconds = launches * run.recipe.stack.typical(assumptions, "training_host_layer_seconds")
    with_host = smooth_maximum(busy, launch_seconds, exponent=get("host_overlap_exponent"))
    return TimeParts(
        compute=compute_seconds,
        memory=memory_seconds,
        communication=np.zeros_like(busy),
        overhead=with_host - busy,
    )


def _has_old_kernels(run: TrainingRun, rates: TrainingRates) -> NDArray[np.bool_]:
    """Whether the software is older than open kernels of attention for the device.

    Those of PyTorch come about two years after a device; vendors have their own at once.
    """
    is_open = run.recipe.stack.is_in("pytorch", "transformers")
    return np.asarray(is_open & (run.recipe.software_year < rates.kernels_year))


def _linear_efficiency(run: TrainingRun, rates: TrainingRates, assumptions: Assumptions) -> Array:
    """Share of the peak that matrix products reach. [1]"""
    get = assumptions.typical
    model = run.model
    width = model.hidden / run.layouts.tensor
    by_layout = (
        get("training_gemm_efficiency")
        * run.recipe.stack.typical(assumptions, "training_stack_factor")
        * saturation(size=width, half_size=get("training_half_width"))
        * np.where(width % TILE == 0, 1.0, get("misaligned_width_factor"))
    )
    by_layout = by_layout * np.where(run.recipe.is_adapter, get("adapter_compute_factor"), 1.0)
    if np.any(model.is_moe):
        products = np.where(model.gated_mlp, 3, 2)
        expert_layers = np.maximum(model.moe_layers, 1)
        expert_width = model.expert_each_parameters / (products * expert_layers * model.hidden)
        of_experts = get("expert_compute_factor") * saturation(
            size=expert_width, half_size=get("expert_half_width")
        )
        by_layout = by_layout * np.where(model.is_moe, of_experts, 1.0)
    limit = get("training_efficiency_limit")
    return np.minimum(rates.clock * rates.class_factor * by_layout, limit)


def _model_attention_flop_per_token(model: ModelNumbers, sequence_tokens: Quantity) -> Quantity:
    """Forward pass of all attention layers. [FLOP/token]"""
    return attention_flop_per_token(
        width=model.attention_width,
        sequence_tokens=sequence_tokens,
        reach_tokens=model.attended_tokens,
    ) + attention_flop_per_token(
        width=model.sliding_attention_width,
        sequence_tokens=sequence_tokens,
        reach_tokens=model.sliding_window,
    )


def _traffic_bytes(
    run: TrainingRun, rates: TrainingRates, recompute_passes: Array, assumptions: Assumptions
) -> Array:
    """Memory traffic of norms, activations and residuals, and of weights. [bytes]"""
    get = assumptions.typical
    model = run.model
    wider = run.width.value / 2
    is_adapter = run.recipe.is_adapter
    per_value = (
        wider
        * get("elementwise_traffic_bytes")
        * np.where(is_adapter, 1 - get("elementwise_adapter_saving"), 1.0)
        * (1 + get("elementwise_expert_growth") * model.experts_per_token**0.5)
    )
    values = model.hidden * model.layers * run.layer_share * run.tokens
    cast_share = run.recipe.stack.typical(assumptions, "elementwise_cast_share")
    casts = 1 + cast_share * rates.is_low_precision
    recomputed = 1 + get("elementwise_recompute_share") * recompute_passes

    per_parameter = wider * (
        np.where(
            is_adapter, get("weight_traffic_bytes", "adapter"), get("weight_traffic_bytes", "full")
        )
        + get("weight_traffic_bytes", "recompute") * recompute_passes
    )
    if np.any(run.recipe.is_quantized):
        dequantized = get("dequantize_traffic_bytes") * (2 + recompute_passes)
        per_parameter = per_parameter + np.where(run.recipe.is_quantized, dequantized, 0.0)
    return values * per_value * casts * recomputed + run.held.total * per_parameter
