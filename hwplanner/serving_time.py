"""Time of serving: a decode step as a line in the batch, and the prefill that interrupts it.

For each device (rows) and layout (columns) the step over a batch of B sequences is

    step(B) = fixed + per_sequence B + expert_read touched(B)

so that any batch, and the largest batch within a latency target, costs a few array operations.
All coefficients are for one whole copy of the model, pipeline stages included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.device import DeviceArrays
from hwplanner.kv_cache import cache_bytes
from hwplanner.model_numbers import ModelNumbers
from hwplanner.network import by_medium, group_link_bytes_per_s
from hwplanner.precision import WeightBytes
from hwplanner.roofline import (
    attention_flop,
    compute_seconds,
    touched_expert_share,
    traffic_seconds,
)
from hwplanner.serving_layouts import ServingLayouts
from hwplanner.units import Array, Quantity

ACTIVATION_BYTES = 2  # activations between layers stay at 16 bit


@dataclass(frozen=True, slots=True)
class TimeParts:
    """Seconds by what they are spent on."""

    compute: Array
    memory: Array
    communication: Array
    overhead: Array

    @property
    def total(self) -> Array:
        """All of it. [s]"""
        return self.compute + self.memory + self.communication + self.overhead

    def take(self, layout: Array) -> TimeParts:
        """Keep one layout per device."""
        return TimeParts(
            *(
                np.take_along_axis(part, layout[:, None], axis=1)
                for part in (self.compute, self.memory, self.communication, self.overhead)
            )
        )


@dataclass(frozen=True, slots=True)
class ServingTimes:
    """Coefficients of every device and layout; see the module's first lines. [s]

    Attributes
    ----------
    fixed, per_sequence
        Of a decode step: whatever the batch, and for each sequence in it.
    expert_read
        Reading all experts once; a step reads the share that its tokens touch.
    prefill
        Of one request: its prompt, sharing steps with other work.
    first_token
        Of one request that finds the device free: host, prompt and pipeline. [s]
    stages
        Pipeline stages, over which a batch is dealt.
    output_tokens
        Tokens that a request generates.
    experts, experts_per_token, routing_skew
        As in `touched_expert_share`; no experts for a dense model.
    """

    fixed: TimeParts
    per_sequence: TimeParts
    expert_read: Array
    prefill: TimeParts
    first_token: Array
    fixed_seconds: Array
    per_sequence_seconds: Array
    prefill_seconds: Array
    stages: Array
    output_tokens: float
    experts: float
    experts_per_token: float
    routing_skew: float

    def expert_read_seconds(self, batch: Quantity) -> Quantity:
        """Time in which one step reads the experts that its batch touches. [s]"""
        if not self.experts:
            return 0.0
        touched = touched_expert_share(
            tokens=np.maximum(batch / self.stages, 1.0),
            experts=self.experts,
            experts_per_token=self.experts_per_token,
            routing_skew=self.routing_skew,
        )
        return self.expert_read * touched

    def step_seconds(self, batch: Quantity) -> Quantity:
        """Time of one decode step over a batch of sequences. [s]"""
        line = self.fixed_seconds + self.per_sequence_seconds * batch
        return line + self.expert_read_seconds(batch) if self.experts else line

    def tpot_seconds(self, batch: Quantity, step_seconds: Quantity) -> Quantity:
        """Time per output token: a step, and the share of the others' prompts that delay it. [s]

        While a request writes its tokens, each of the other batch - 1 sequences is replaced once
        and its prompt read.
        """
        return step_seconds + (batch - 1) * self.prefill_seconds / self.output_tokens

    def ttft_seconds(self, batch: Quantity, step_seconds: Quantity) -> Quantity:
        """Mean time to the first token when the batch is kept full. [s]

        Notes
        -----
        The prompt itself, one decode step, and the wait behind other prompts as in an M/D/1
        queue, R D^2 / (2 (1 - R D)) with prefill time D and rate R = B / (out step + B D) [1]_,
        which is B D^2 / (2 out step).

        References
        ----------
        .. [1] Zhong et al. 2024, "DistServe", section 3.1.
        """
        wait = batch * self.prefill_seconds**2 / (2 * self.output_tokens * step_seconds)
        return self.first_token + step_seconds + wait

    def requests_per_s(self, batch: Quantity, step_seconds: Quantity) -> Quantity:
        """Requests that one copy finishes when the batch is kept full. [requests/s]"""
        return batch / (self.output_tokens * step_seconds + batch * self.prefill_seconds)

    def parts(self, batch: Quantity) -> tuple[TimeParts, TimeParts]:
        """Time of one request's worth of decoding, and of its prefill, by what it is spent on.

        Decoding is shared by the batch, so one request takes 1/batch of every step. [s]
        """
        share = self.output_tokens / batch
        decode = TimeParts(
            compute=share * (self.fixed.compute + batch * self.per_sequence.compute),
            memory=share
            * (
                self.fixed.memory
                + batch * self.per_sequence.memory
                + self.expert_read_seconds(batch)
            ),
            communication=share
            * (self.fixed.communication + batch * self.per_sequence.communication),
            overhead=share * (self.fixed.overhead + batch * self.per_sequence.overhead),
        )
        return decode, self.prefill

    def take(self, layout: Array) -> ServingTimes:
        """Keep one layout per device: the same times with one column."""

        def column(values: Array) -> Array:
            return np.take_along_axis(values, layout[:, None], axis=1)

        return ServingTimes(
            fixed=self.fixed.take(layout),
            per_sequence=self.per_sequence.take(layout),
            expert_read=column(self.expert_read),
            prefill=self.prefill.take(layout),
            first_token=column(self.first_token),
            fixed_seconds=column(self.fixed_seconds),
            per_sequence_seconds=column(self.per_sequence_seconds),
            prefill_seconds=column(self.prefill_seconds),
            stages=self.stages[0, layout][:, None],
            output_tokens=self.output_tokens,
            experts=self.experts,
            experts_per_token=self.experts_per_token,
            routing_skew=self.routing_skew,
        )


@dataclass(frozen=True, slots=True)
class ServingRates:
    """What each device reaches, efficiencies applied; columns of one entry per device."""

    linear_flop_per_s: Array
    half_flop_per_s: Array
    decode_efficiency: float
    prefill_efficiency: Array
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
        Peak of the format that computes, and at 16 bit for attention and logits. [FLOP/s]
    assumptions
        Efficiencies.
    """

    def factor(name: str, keys: tuple[str, ...]) -> Array:
        known = {key: assumptions.typical(name, key) for key in set(keys)}
        return np.array([known[key] for key in keys])[:, None]

    prefill = (
        assumptions.typical("prefill_efficiency")
        * factor("engine_factor_prefill", engines)
        * factor("class_factor_prefill", devices.efficiency_class)
    )
    return ServingRates(
        linear_flop_per_s=linear_peak_flop_per_s[:, None],
        half_flop_per_s=half_peak_flop_per_s[:, None],
        decode_efficiency=assumptions.typical("gemm_efficiency"),
        prefill_efficiency=np.minimum(prefill, 1.0),
        memory_bytes_per_s=devices.memory_bandwidth_bytes_per_s[:, None]
        * assumptions.typical("bandwidth_efficiency")
        * factor("engine_factor_bandwidth", engines),
        layer_seconds=assumptions.typical("layer_seconds")
        * factor("engine_factor_layer_seconds", engines),
    )


def serving_times(
    *,
    model: ModelNumbers,
    weights: WeightBytes,
    devices: DeviceArrays,
    layouts: ServingLayouts,
    rates: ServingRates,
    context_tokens: float,
    output_tokens: float,
    reused_share: float,
    cache_bytes_per_value: float,
    chunk_tokens: float,
    assumptions: Assumptions,
) -> ServingTimes:
    """Work out the coefficients of every device and layout.

    Parameters
    ----------
    model, weights
        The model, and the bytes of its parts as served.
    devices, layouts, rates
        Rows, columns and what each device reaches.
    context_tokens, output_tokens
        Tokens that a sequence holds at its end, and of these the generated ones. [tokens]
    reused_share
        Share of the prompt that is in the cache already. [1]
    cache_bytes_per_value
        Width of a cached number. [bytes/value]
    chunk_tokens
        Prompt tokens that one step takes at most. [tokens]
    assumptions
        Everything that is not in a data sheet.

    Notes
    -----
    Weights, cache, activations and arithmetic are added, not overlapped: among the forms tried,
    adding predicted published measurements best (hwplanner study of 2026-11-30).
    """
    get = assumptions.typical
    tensor, stages = layouts.tensor[None, :], layouts.pipeline[None, :]
    copy_devices = tensor * stages
    spread = layouts.attention_parallel[None, :] > 0
    attention_split = np.where(spread, 1.0, tensor)
    slower_products = np.where(spread, get("attention_dp_compute_factor"), 1.0)

    link_seconds_per_byte, hop_seconds_per_byte, start_seconds, hop_seconds = _links(
        devices, tensor, stages, assumptions
    )

    def read_seconds(traffic_bytes: Quantity) -> Array:
        return np.asarray(traffic_bytes / rates.memory_bytes_per_s)

    # Reading weights. The last stage also reads the output table in its turn.
    weights_read = slower_products * read_seconds(
        (weights.body_bytes + stages * weights.head_read_bytes) / attention_split
    )
    expert_read = slower_products * read_seconds(
        model.experts * weights.expert_each_bytes / tensor
    )

    # Matrix products. An expert with q tokens reaches q / (q + m0) of its speed, so a batch pays
    # for m0 further tokens in every expert.
    expert_parameters = model.expert_each_parameters / get("moe_compute_factor")
    flop_per_token = 2 * (model.body_parameters + model.experts_per_token * expert_parameters)
    products_per_sequence = slower_products * (
        compute_seconds(
            flop=flop_per_token / copy_devices,
            peak_flop_per_s=rates.linear_flop_per_s,
            efficiency=rates.decode_efficiency,
        )
        + compute_seconds(
            flop=2 * model.head_read_parameters / tensor,
            peak_flop_per_s=rates.half_flop_per_s,
            efficiency=rates.decode_efficiency,
        )
    )
    products_fixed = slower_products * compute_seconds(
        flop=2 * expert_parameters * model.experts * get("moe_half_tokens") / tensor,
        peak_flop_per_s=rates.linear_flop_per_s,
        efficiency=rates.decode_efficiency,
    )

    # Cache and activations of one sequence.
    held_tokens = min(context_tokens - output_tokens / 2, model.attended_tokens)
    cache_read = read_seconds(
        cache_bytes(
            model=model,
            context_tokens=held_tokens,
            bytes_per_value=cache_bytes_per_value,
            tensor_parallel=attention_split,
        )
        / (stages * np.where(spread, tensor, 1.0))
        / get("cache_read_efficiency")
    )
    widths = model.layers * (10 * model.hidden + 3 * model.active_ffn)
    widths += model.moe_layers * 2 * model.experts_per_token * model.hidden
    activation_read = read_seconds(
        ACTIVATION_BYTES * widths * get("activation_traffic_factor") / copy_devices
    )

    # Two all-reduces a layer, or the dispatch to spread experts; a hop between stages.
    token_bytes = ACTIVATION_BYTES * model.hidden
    reduced_share = 2 * (tensor - 1) / tensor
    dispatched = np.minimum(model.experts_per_token, tensor) / tensor
    exchanged_bytes = (
        2 * model.layers / stages * token_bytes * reduced_share
        * np.where(spread, get("attention_dp_traffic_share") * dispatched, 1.0)
    )  # fmt: skip
    exchanged = exchanged_bytes * link_seconds_per_byte + token_bytes * hop_seconds_per_byte
    started = 2 * model.layers * start_seconds + hop_seconds

    fixed = TimeParts(
        compute=products_fixed,
        memory=weights_read,
        communication=started,
        overhead=np.broadcast_to(
            model.layers * rates.layer_seconds
            + model.moe_layers * get("moe_layer_seconds")
            + get("step_seconds"),
            started.shape,
        ),
    )
    per_sequence = TimeParts(
        compute=products_per_sequence,
        memory=cache_read + activation_read,
        communication=exchanged,
        overhead=np.broadcast_to(
            get("sequence_step_seconds") / np.where(spread, tensor, 1.0), started.shape
        ),
    )
    prompt = max(context_tokens - output_tokens, 1.0)
    new_tokens = max(prompt * (1 - reused_share), 1.0)
    chunk_of_prompt = min(new_tokens, chunk_tokens)
    warm_up = 1 + get("prefill_half_tokens") / chunk_of_prompt
    attended = min(prompt - new_tokens, model.attended_tokens)
    prompt_attention = attention_flop(
        width=model.attention_width, layers=1, new_tokens=new_tokens, cached_tokens=attended
    ) + attention_flop(
        width=model.sliding_attention_width,
        layers=1,
        new_tokens=min(new_tokens, 2 * model.sliding_window),
        cached_tokens=0,
    )
    prefill_compute = warm_up * (
        compute_seconds(
            flop=new_tokens * flop_per_token / copy_devices,
            peak_flop_per_s=rates.linear_flop_per_s,
            efficiency=rates.prefill_efficiency,
        )
        + compute_seconds(
            flop=prompt_attention / copy_devices,
            peak_flop_per_s=rates.half_flop_per_s,
            efficiency=rates.prefill_efficiency * get("attention_efficiency"),
        )
    )
    chunks = new_tokens / chunk_tokens
    chunk_read = (weights_read + expert_read) / stages
    chunk_start = started / stages
    chunk_layers = fixed.overhead / stages
    prefill = TimeParts(
        compute=prefill_compute,
        memory=chunks * chunk_read + new_tokens * activation_read,
        communication=chunks * chunk_start + new_tokens * exchanged,
        overhead=chunks * chunk_layers,
    )
    # A lone prompt does not share its last chunk, and passes the stages one after the other.
    unshared = max(np.ceil(chunks) - chunks, 0.0) * (chunk_read + chunk_start + chunk_layers)
    filling = 1 + (stages - 1) / np.ceil(chunks)
    return ServingTimes(
        fixed=fixed,
        per_sequence=per_sequence,
        expert_read=expert_read,
        prefill=prefill,
        first_token=get("request_seconds") + (prefill.total + unshared) * filling,
        fixed_seconds=fixed.total,
        per_sequence_seconds=per_sequence.total,
        prefill_seconds=prefill.total,
        stages=stages,
        output_tokens=output_tokens,
        experts=model.experts,
        experts_per_token=model.experts_per_token,
        routing_skew=get("routing_skew"),
    )


def _links(
    devices: DeviceArrays, tensor: Array, stages: Array, assumptions: Assumptions
) -> tuple[Array, Array, Array, Array]:
    """Seconds per byte and start-up seconds, of a tensor group and of the hops between stages.

    NaN where a layout needs a medium that the device is not known to have.
    """
    domain = devices.scale_up_domain[:, None]
    server = np.maximum(domain, assumptions.typical("pcie_server_devices"))
    network = devices.scale_out_bytes_per_s[:, None]
    host = devices.host_link_bytes_per_s[:, None]
    link = devices.link_bytes_per_s[:, None]
    pairwise = devices.pairwise_link_bytes_per_s[:, None]

    def of_medium(name: str, span_devices: Array) -> Array:
        links = {
            key: assumptions.typical(name, "fabric" if key == "none" else key)
            for key in set(devices.link_class)
        }
        return by_medium(
            span_devices=span_devices,
            domain_devices=domain,
            server_devices=server,
            link=np.array([links[key] for key in devices.link_class])[:, None],
            host=assumptions.typical(name, "pcie"),
            network=assumptions.typical(name, "network"),
        )

    group_rate = group_link_bytes_per_s(
        devices=tensor,
        domain_devices=domain,
        server_devices=server,
        link_bytes_per_s=link,
        pairwise_link_bytes_per_s=pairwise,
        host_link_bytes_per_s=host,
        network_bytes_per_s=network,
    ) * of_medium("link_efficiency", tensor)
    copy_devices = tensor * stages
    hop_rate = by_medium(
        span_devices=copy_devices,
        domain_devices=domain,
        server_devices=server,
        link=np.fmin(link, pairwise),
        host=host,
        network=network,
    ) * of_medium("link_efficiency", copy_devices)
    alone, one_stage = tensor == 1, stages == 1
    return (
        np.where(alone, 0.0, 1 / group_rate),
        np.where(one_stage, 0.0, 1 / hop_rate),
        np.where(alone, 0.0, of_medium("allreduce_latency_seconds", tensor) * np.log2(tensor)),
        np.where(
            one_stage, 0.0, stages * of_medium("allreduce_latency_seconds", copy_devices)
        ),
    )
