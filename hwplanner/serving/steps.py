"""What a decode step and a prompt cost on every device (rows) in every layout (columns)."""

from __future__ import annotations

import numpy as np

from hwplanner.model.kv_cache import cache_bytes
from hwplanner.physics.roofline import activation_traffic_bytes, attention_flop
from hwplanner.physics.time_parts import TimeParts
from hwplanner.serving.job import ServingJob
from hwplanner.serving.time import ServingTimes
from hwplanner.units import Array, Quantity

ACTIVATION_BYTES = 2  # activations between layers stay at 16 bit
WHOLE_TENSORS = 8  # of the ten of a layer as wide as the model: two norms and two residual sums
NO_TIME = np.zeros(1)


def serving_times(job: ServingJob) -> ServingTimes:
    """Work out the coefficients of every device and layout.

    Notes
    -----
    Weights, cache, activations and arithmetic are added, not overlapped: among the forms tried,
    adding predicted published measurements best (hwplanner study of published measurements,
    2026-11-30).
    """
    fixed, experts, token = _fixed(job), _experts(job), _token(job)
    cache_seconds = _cache_seconds(job)
    prefill, first_token_seconds = _prefill(job, fixed, experts, token)
    return ServingTimes(
        fixed=fixed,
        per_sequence=token + _sequence(job, cache_seconds),
        experts=experts,
        cache_seconds=cache_seconds,
        prefill=prefill,
        first_token_seconds=first_token_seconds,
        stages=job.layouts.pipeline,
        output_tokens=job.requests.output_tokens,
        expert_count=job.model.experts,
        experts_per_token=job.model.experts_per_token,
        routing_skew=job.assumptions.typical("routing_skew"),
    )


def _fixed(job: ServingJob) -> TimeParts:
    """Part of a step that does not depend on the batch: reading weights, starting, talking."""
    model, weights, layouts, get = job.model, job.weights, job.layouts, job.assumptions.typical
    # Every stage waits for the last one, which also reads the output table.
    read_bytes = job.imbalance * weights.body_bytes + layouts.pipeline * weights.head_read_bytes
    return TimeParts(
        compute=NO_TIME,
        memory=job.slowdown * job.read_seconds(read_bytes / layouts.attention_split),
        communication=2 * model.layers * job.imbalance * job.links.exchange_start_seconds
        + job.links.hop_start_seconds,
        overhead=get("step_seconds")
        + job.imbalance
        * (model.layers * job.rates.layer_seconds + model.moe_layers * get("moe_layer_seconds")),
    )


def _experts(job: ServingJob) -> TimeParts:
    """Reading all experts once, with the arithmetic that few tokens for each expert waste.

    An expert with q tokens reaches q / (q + m0) of its speed: as if it had m0 tokens more.
    """
    model, tensor = job.model, job.layouts.tensor
    if not np.any(model.is_moe):
        none = np.zeros(np.broadcast_shapes(job.rates.memory_bytes_per_s.shape, tensor.shape))
        return TimeParts(none, none, none, none)
    share = job.slowdown * job.imbalance / tensor
    wasted_flop = job.expert_flop * job.assumptions.typical("moe_half_tokens")
    return TimeParts(
        compute=share * model.experts * wasted_flop / job.decode_flop_per_s,
        memory=share * job.read_seconds(model.experts * job.weights.expert_each_bytes),
        communication=NO_TIME,
        overhead=NO_TIME,
    )


def _token(job: ServingJob) -> TimeParts:
    """Time of one token of a decode step, before head, cache and host."""
    return TimeParts(
        compute=job.slowdown * job.device_share * job.token_flop / job.decode_flop_per_s,
        memory=_activation_seconds(job),
        communication=_exchange_seconds(job),
        overhead=NO_TIME,
    )


def _activation_seconds(job: ServingJob) -> Array:
    """Reading and writing the activations of one token between the kernels.

    Devices that share a layer divide its inner tensors; each of them has the residual stream and
    its norms whole.
    """
    model, layouts = job.model, job.layouts
    traffic = activation_traffic_bytes(
        layers=model.layers,
        hidden=model.hidden,
        active_ffn=model.active_ffn,
        expert_visits=model.moe_layers * model.experts_per_token,
        bytes_per_value=ACTIVATION_BYTES,
    )
    whole = ACTIVATION_BYTES * model.layers * WHOLE_TENSORS * model.hidden
    on_device = (traffic - whole) * job.device_share + whole * job.imbalance / (
        layouts.pipeline * layouts.ranks
    )
    return job.read_seconds(on_device * job.assumptions.typical("activation_traffic_factor"))


def _exchange_seconds(job: ServingJob) -> Array:
    """Sending one token's activations: two all-reduces a layer, or dispatch to spread experts."""
    model, layouts, links = job.model, job.layouts, job.links
    tensor = layouts.tensor
    dispatched = (
        job.assumptions.typical("attention_dp_traffic_share")
        * np.minimum(model.experts_per_token, tensor)
        / tensor
    )
    rounds = 2 * model.layers * job.imbalance / layouts.pipeline
    reduced = rounds * np.where(layouts.attention_parallel > 0, dispatched, 1.0)
    token_bytes = ACTIVATION_BYTES * model.hidden
    sent_bytes = reduced * 2 * (tensor - 1) / tensor * token_bytes
    return sent_bytes * links.exchange_seconds_per_byte + token_bytes * links.hop_seconds_per_byte


def _sequence(job: ServingJob, cache_seconds: Array) -> TimeParts:
    """What a decode step adds for each sequence besides its token: head, cache, host.

    One kernel reads the cache and attends to it, so only arithmetic that outlasts the read shows.
    """
    model, layouts = job.model, job.layouts
    head_flop = 2 * model.head_read_parameters / layouts.tensor
    attention_seconds = (
        job.device_share * _decode_attention_flop(job) / job.rates.decode_half_flop_per_s
    )
    return TimeParts(
        compute=job.slowdown * head_flop / job.rates.decode_half_flop_per_s
        + np.maximum(attention_seconds - cache_seconds, 0.0),
        memory=cache_seconds,
        communication=NO_TIME,
        overhead=job.rates.sequence_seconds / layouts.ranks,
    )


def _decode_attention_flop(job: ServingJob) -> Quantity:
    """Attention of one new token to the cache. [FLOP]

    Latent attention is not unfolded for a single token: every head meets the whole latent vector.
    """
    model, held = job.model, job.requests.held_tokens
    latent = model.full_layers * model.heads * (model.latent_values - model.latent_rope_values / 2)
    return attention_flop(
        width=np.where(model.is_latent, latent, model.attention_width),
        layers=1,
        new_tokens=1,
        cached_tokens=held,
        reach_tokens=model.attended_tokens,
    ) + attention_flop(
        width=model.sliding_attention_width,
        layers=1,
        new_tokens=1,
        cached_tokens=held,
        reach_tokens=model.sliding_window,
    )


def _cache_seconds(job: ServingJob) -> Array:
    """Reading the cache of one sequence for its next token. [s]"""
    efficiency = job.assumptions.typical("cache_read_efficiency")
    return job.read_seconds(_cache_read_bytes(job) / efficiency)


def _cache_read_bytes(job: ServingJob) -> Array:
    """Cache that one sequence's next token reads, on the devices of one rank. [bytes]"""
    model, layouts = job.model, job.layouts
    held = job.requests.held_tokens
    read = cache_bytes(
        model=model,
        context_tokens=np.minimum(held, model.attended_tokens),
        bytes_per_value=job.cache_bytes_per_value,
        tensor_parallel=layouts.attention_split,
    )
    # Sparse attention still searches its index over the whole context.
    index = model.indexer_bytes * np.maximum(held - model.attended_tokens, 0.0)
    return np.asarray((read + index) * job.imbalance / layouts.pipeline / layouts.ranks)


def _prefill(
    job: ServingJob, fixed: TimeParts, experts: TimeParts, token: TimeParts
) -> tuple[TimeParts, Array]:
    """Time of one prompt: of the devices, steps shared; and until its first token, alone."""
    requests, layouts, get = job.requests, job.layouts, job.assumptions.typical
    new_tokens = requests.new_tokens
    chunks = new_tokens / requests.chunk_tokens
    chunk = (fixed + experts) * (1 / layouts.pipeline)
    slow_start = get("prefill_half_tokens") / requests.chunk_tokens
    of_rank, of_experts = _prompt_arithmetic_seconds(job)
    arithmetic = of_rank + of_experts
    prefill = TimeParts(
        compute=arithmetic * (1 + slow_start) + chunks * chunk.compute,
        memory=new_tokens * token.memory + chunks * chunk.memory,
        communication=new_tokens * token.communication + chunks * chunk.communication,
        overhead=chunks * chunk.overhead,
    )
    # A lone prompt does not share its last chunk, passes the stages one after the other, and
    # keeps one rank busy where the others would have prompts of their own.
    unshared = (np.ceil(chunks) - chunks) * chunk.total
    slower_start = slow_start * (np.maximum(1 / chunks, 1.0) - 1) * arithmetic
    alone = prefill.total + unshared + slower_start + (layouts.ranks - 1) * of_rank
    filling = 1 + (layouts.pipeline - 1) / np.maximum(chunks, 1.0)
    return prefill, job.rates.request_seconds + alone * filling


def _prompt_arithmetic_seconds(job: ServingJob) -> tuple[Array, Array]:
    """Products and attention of one prompt: outside the experts, and in them. [s]"""
    seconds_per_flop = job.device_share / job.rates.prefill_flop_per_s
    attention = job.device_share * _prompt_attention_flop(job) / job.rates.prefill_half_flop_per_s
    body = job.requests.new_tokens * job.body_flop * seconds_per_flop
    experts = job.model.experts_per_token * job.expert_flop
    return body + attention, job.requests.new_tokens * experts * seconds_per_flop


def _prompt_attention_flop(job: ServingJob) -> Quantity:
    """Attention of the new tokens of a prompt to all before them. [FLOP]"""
    model, requests = job.model, job.requests
    cached_tokens = requests.prompt_tokens - requests.new_tokens
    return attention_flop(
        width=model.attention_width,
        layers=1,
        new_tokens=requests.new_tokens,
        cached_tokens=cached_tokens,
        reach_tokens=model.attended_tokens,
    ) + attention_flop(
        width=model.sliding_attention_width,
        layers=1,
        new_tokens=requests.new_tokens,
        cached_tokens=cached_tokens,
        reach_tokens=model.sliding_window,
    )
