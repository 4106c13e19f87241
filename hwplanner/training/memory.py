"""Memory of training, part by part, on the fullest device of a layout."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.training.activations import layer_activation_bytes_per_token
from hwplanner.training.run import DeviceParameters, TrainingRun
from hwplanner.units import Array, Quantity

SCORE_BYTES = 5
RECOMPUTE_KINDS = ("none", "selective", "full")


@dataclass(frozen=True, slots=True)
class TrainingMemory:
    """Bytes on the fullest device, part by part. [bytes/device]

    Attributes
    ----------
    weights_bytes, gradients_bytes, optimizer_bytes
        States; the optimizer's include the 32-bit master copy.
    activations_bytes
        Kept for the backward pass, and the layer that is being recomputed.
    logits_bytes
        What the output adds to the peak.
    buffers_bytes
        Gathered weights, gradient buckets, a dequantized layer.
    overhead_bytes
        Context and libraries, and what the allocator cannot use.
    """

    weights_bytes: Array
    gradients_bytes: Array
    optimizer_bytes: Array
    activations_bytes: Array
    logits_bytes: Array
    buffers_bytes: Array
    overhead_bytes: Array

    @property
    def total_bytes(self) -> Array:
        """All parts together. [bytes/device]"""
        total: Array = sum(getattr(self, part.name) for part in fields(self))
        return total

    def take(self, *index: Any) -> TrainingMemory:
        """Entries at some places of the arrays."""
        return TrainingMemory(*(getattr(self, part.name)[index] for part in fields(self)))


def state_bytes(
    *,
    parameters: Quantity,
    bytes_per_parameter: Quantity,
    stage: Quantity,
    sharded_from_stage: int,
    shards: Quantity,
) -> Quantity:
    """Weights, gradients or optimizer state that one device keeps.

    Parameters
    ----------
    parameters
        Parameters of the device's part of the model. [parameters]
    bytes_per_parameter
        Width of the state. [bytes/parameter]
    stage
        ZeRO stage, 0 to 3; FSDP is 3. [1]
    sharded_from_stage
        Stage from which the state is divided: 1 optimizer, 2 gradients, 3 weights. [1]
    shards
        Devices that divide it. [devices]

    Returns
    -------
    float or ndarray
        State on one device. [bytes/device]

    References
    ----------
    .. [1] Rajbhandari et al. 2020, "ZeRO: memory optimizations toward training trillion parameter
       models", figure 1: 7.5e9 parameters on 64 devices need 120 GB, 31.4, 16.6 or 1.9 GB.

    Examples
    --------
    >>> optimizer = dict(parameters=7.5e9, bytes_per_parameter=12, sharded_from_stage=1, shards=64)
    >>> float(state_bytes(stage=1, **optimizer)) / 1e9
    1.40625
    """
    divided = np.where(np.greater_equal(stage, sharded_from_stage), shards, 1.0)
    return parameters * bytes_per_parameter / divided


def training_memory(run: TrainingRun, assumptions: Assumptions) -> TrainingMemory:
    """Work out the memory of every kind of recomputation (rows) in every layout (columns).

    Parameters
    ----------
    run
        The run, split in every layout.
    assumptions
        Shares and sizes that are conventions or measured.

    Returns
    -------
    TrainingMemory
        Arrays of `RECOMPUTE_KINDS` by layouts; the same on every device.

    Notes
    -----
    AdamW in mixed precision keeps 16 bytes a parameter: 2 of weight, 2 of gradient, 12 of master
    copy and moments [1]_; gradients of 4 bytes, as Megatron keeps them, are in their range. 8-bit
    training keeps states and activations at 16 bit: measured peaks of the two differ by 1 % [2]_.

    References
    ----------
    .. [1] Rajbhandari et al. 2020, "ZeRO", section 3.1.
    .. [2] torchtitan, benchmarks/llama3_h100_202412_torchtitan.md, Llama-3.1-8B.
    """
    activations, logits = _activations(run, assumptions)
    buffers = _buffers(run, assumptions)
    reserve = (assumptions.typical("training_memory_slack") - 1) * (activations + logits + buffers)
    parts = (
        *_states(run),
        activations,
        logits,
        buffers,
        run.recipe.stack.typical(assumptions, "training_context_bytes")
        + np.where(run.layouts.devices > 1, assumptions.typical("collective_buffer_bytes"), 0.0)
        + reserve,
    )
    return TrainingMemory(*np.broadcast_arrays(*parts))


def _states(run: TrainingRun) -> tuple[Array, Array, Array]:
    """Weights, gradients, master copy with optimizer state. [bytes/device]"""
    width, shards = run.width, run.layouts.shards
    # Expert groups lie inside the shards, which leaves fewer copies of an expert to divide.
    expert_shards = np.maximum(shards / run.layouts.expert, 1.0)

    def kept(
        parameters: DeviceParameters, linear: Quantity, tables: Quantity, sharded_from_stage: int
    ) -> Array:
        def on_device(count: Array, bytes_per_parameter: Quantity, divided: Array) -> Quantity:
            return state_bytes(
                parameters=count,
                bytes_per_parameter=bytes_per_parameter,
                stage=run.stage,
                sharded_from_stage=sharded_from_stage,
                shards=divided,
            )

        return np.asarray(
            on_device(parameters.linear, linear, shards)
            + on_device(parameters.tables, tables, shards)
            + on_device(parameters.experts, linear, expert_shards)
        )

    weights = kept(run.held, width.linear, width.value, sharded_from_stage=3)
    if np.any(run.recipe.is_adapter):
        added = kept(run.trained, width.value, width.value, sharded_from_stage=3)
        weights = weights + np.where(run.recipe.is_adapter, added, 0.0)
    gradients = kept(run.trained, width.gradient, width.gradient, sharded_from_stage=2)
    optimizer = kept(run.trained, width.optimizer, width.table_optimizer, sharded_from_stage=1)
    return weights, gradients, np.where(run.recipe.offload, 0.0, optimizer)


def _activations(run: TrainingRun, assumptions: Assumptions) -> tuple[Array, Array]:
    """Activations, and what logits add to the peak, by recomputation and layout. [bytes/device]"""
    get = assumptions.typical
    layouts, value_bytes = run.layouts, run.width.value
    is_adapter = run.recipe.is_adapter
    layer = (
        _layer_activation_bytes(run)
        * run.tokens
        * run.recipe.stack.typical(assumptions, "activation_stack_factor")
        * np.where(is_adapter, get("adapter_activation_share"), 1.0)
    )
    scores = _score_bytes(run)
    # The first of several stages has as many micro-batches in flight as there are stages.
    layers_in_flight = run.layers * np.minimum(layouts.accumulation, layouts.pipeline)
    everything = (layer + scores) * layers_in_flight
    selected = (
        layer
        * layers_in_flight
        * run.recipe.stack.typical(assumptions, "selective_activation_share")
    )
    shared = np.where(run.recipe.sequence_parallel, layouts.tensor, 1.0)
    inputs = value_bytes * run.model.hidden / shared * run.tokens * layers_in_flight
    recomputed = get("live_layer_share") * layer + scores

    logits = (
        np.where(is_adapter, get("logit_bytes", "adapter"), get("logit_bytes", "full"))
        * run.model.vocab
        / layouts.tensor
        * np.minimum(run.tokens, get("logit_chunk_tokens"))
        * np.where(layouts.pipeline > 1, get("pipeline_logit_share"), 1.0)
    )
    # Logits are gone when the first layer is recomputed: the higher of two peaks counts most.
    power = get("live_peak_exponent")
    above_recomputed = (recomputed**power + logits**power) ** (1 / power) - recomputed
    return (
        np.stack(np.broadcast_arrays(everything, selected, inputs + recomputed)),
        np.stack(np.broadcast_arrays(logits, logits, above_recomputed)),
    )


def _score_bytes(run: TrainingRun) -> Quantity:
    """Scores of one layer, their softmax and its dropout, which fused attention does not keep.

    5 bytes for each head and pair of tokens [1]_.

    References
    ----------
    .. [1] Korthikanti et al. 2022, section 4.1.
    """
    pairs = run.tokens * run.recipe.sequence_tokens / run.layouts.context
    kept = SCORE_BYTES * run.model.heads / run.layouts.tensor * pairs
    return np.where(run.recipe.fused_attention, 0.0, kept)


def _layer_activation_bytes(run: TrainingRun) -> Array:
    """Activations of the mean layer. [bytes/token/device]"""
    model = run.model
    attention = model.attention_width + model.sliding_attention_width
    key_value = (
        # Latent attention multiplies its keys and values out: as many as there are queries.
        np.where(
            model.is_latent,
            model.attention_width,
            model.full_layers * model.full_kv_heads * model.full_kv_values / 2,
        )
    ) + model.sliding_layers * model.kv_heads * model.sliding_kv_values / 2
    linear_attention = model.linear_layers * model.hidden  # taken to be as wide as the model
    kept = layer_activation_bytes_per_token(
        hidden=model.hidden,
        attention=(attention + linear_attention) / model.layers,
        key_value=(key_value + linear_attention) / model.layers,
        ffn=model.active_ffn,
        gated=model.gated_mlp,
        tensor=run.layouts.tensor,
        sequence_parallel=run.recipe.sequence_parallel,
    )
    # Each expert that a token passes has an input of its own.
    copies = 2 * model.experts_per_token * model.moe_layers / model.layers
    expert_inputs = copies * model.hidden / run.layouts.tensor
    return np.asarray(run.width.value / 2 * (kept + expert_inputs))


def _buffers(run: TrainingRun, assumptions: Assumptions) -> Array:
    """Gathered layers of sharded weights, or gradient buckets; a dequantized layer. [bytes]"""
    get = assumptions.typical
    layer = (run.held.linear + run.held.experts) / run.layers
    table_bytes = run.model.head_read_parameters / run.layouts.tensor * run.width.value
    gathered = get("gathered_layers") * layer * run.width.linear + table_bytes
    bucket = np.minimum(get("gradient_bucket_bytes"), run.trained.total * run.width.gradient)
    exchanged = np.where(run.stage == 3, gathered, bucket)
    dequantized = np.where(run.recipe.is_quantized, layer * run.width.value, 0.0)
    return np.asarray(np.where(run.layouts.shards > 1, exchanged, 0.0) + dequantized)
