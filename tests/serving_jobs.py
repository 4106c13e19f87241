"""Serving jobs for tests: a model in a few layouts on devices with round figures."""

import numpy as np
from hypothesis import strategies as st

from hwplanner.assumptions import Assumptions, load_assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.catalog.software import engines_of
from hwplanner.model.numbers import ModelNumbers
from hwplanner.model.precision import FORMATS, arithmetic_peaks, weight_bytes
from hwplanner.serving.job import Requests, ServingJob
from hwplanner.serving.layouts import ServingLayouts
from hwplanner.serving.links import serving_links
from hwplanner.serving.memory import ServingMemory, serving_memory
from hwplanner.serving.rates import serving_rates
from hwplanner.serving.steps import serving_times
from hwplanner.serving.time import ServingTimes
from tests.devices import arrays

ASSUMPTIONS = load_assumptions()
REQUESTS = Requests(
    context_tokens=8192,
    output_tokens=400,
    reused_share=0.0,
    chunk_tokens=8192,
)
# Every efficiency 1 and every fixed time 0: what remains is arithmetic that one can do by hand.
IDEAL = {
    "bandwidth_efficiency": 1.0,
    "engine_factor_bandwidth__vllm": 1.0,
    "cache_read_efficiency": 1.0,
    "gemm_efficiency": 1.0,
    "prefill_efficiency": 1.0,
    "prefill_efficiency_limit": 1e6,
    "bandwidth_efficiency_limit": 1e6,
    "engine_factor_prefill__vllm": 1.0,
    "class_factor_prefill__hopper": 1.0,
    "attention_efficiency": 1.0,
    "prefill_half_tokens": 0.0,
    "moe_compute_factor": 1.0,
    "moe_half_tokens": 0.0,
    "activation_traffic_factor": 0.0,
    "link_efficiency__nvlink": 1.0,
    "link_efficiency__pcie": 1.0,
    "link_efficiency__network": 1.0,
    "allreduce_latency_seconds__nvlink": 0.0,
    "allreduce_latency_seconds__pcie": 0.0,
    "allreduce_latency_seconds__network": 0.0,
    "layer_seconds": 0.0,
    "moe_layer_seconds": 0.0,
    "step_seconds": 0.0,
    "sequence_step_seconds": 0.0,
    "stream_step_seconds__vllm": 0.0,
    "engine_factor_gemm__vllm": 1.0,
    "engine_factor_mixture__vllm": 1.0,
    "attention_dp_compute_factor": 1.15,
    "moe_half_width": 0.0,
    "weight_only_compute_factor": 1.0,
    "request_seconds__vllm": 0.0,
}


def layouts(*rows: tuple[int, int, int]) -> ServingLayouts:
    """Layouts of (tensor, pipeline, attention_parallel); one device if nothing is given."""
    tensor, pipeline, spread = np.array(rows or [(1, 1, 0)], dtype=float).T
    return ServingLayouts(tensor=tensor, pipeline=pipeline, attention_parallel=spread)


def times_of(
    model: ModelNumbers,
    *rows: tuple[int, int, int],
    devices: DeviceArrays | None = None,
    weight_format: str = "fp8",
    requests: Requests = REQUESTS,
    cache_bytes_per_value: float = 2.0,
    assumptions: Assumptions = ASSUMPTIONS,
) -> ServingTimes:
    """Times of a model in some layouts, on the round device or others."""
    devices = devices or arrays()
    peaks = devices.peak_flop_per_s
    chosen = layouts(*rows)
    linear = arithmetic_peaks(arithmetic=FORMATS[weight_format].arithmetic, peaks=peaks)
    rates = serving_rates(
        devices=devices,
        engines=engines_of(devices, "vllm"),
        linear_peak_flop_per_s=linear.flop_per_s,
        half_peak_flop_per_s=arithmetic_peaks(arithmetic="bf16", peaks=peaks).flop_per_s,
        assumptions=assumptions,
    )
    return serving_times(
        ServingJob(
            model=model,
            weights=weight_bytes(model=model, weight_format=FORMATS[weight_format]),
            requests=requests,
            cache_bytes_per_value=cache_bytes_per_value,
            layouts=chosen,
            rates=rates,
            links=serving_links(devices=devices, layouts=chosen, assumptions=assumptions),
            assumptions=assumptions,
        )
    )


def memory_of(
    model: ModelNumbers,
    *rows: tuple[int, int, int],
    weight_format: str = "fp8",
    context_tokens: float = 8192,
    cache_bytes_per_value: float = 2.0,
    chunk_tokens: float = 8192,
    most_sequences: float = 256,
    assumptions: Assumptions = ASSUMPTIONS,
) -> ServingMemory:
    """Memory of a model in some layouts."""
    return serving_memory(
        model=model,
        weights=weight_bytes(model=model, weight_format=FORMATS[weight_format]),
        layouts=layouts(*rows),
        context_tokens=context_tokens,
        cache_bytes_per_value=cache_bytes_per_value,
        chunk_tokens=chunk_tokens,
        most_sequences=most_sequences,
        assumptions=assumptions,
    )


def layout_rows() -> st.SearchStrategy[tuple[int, int, int]]:
    """Any layout of a model with 8 layers, 16 heads and, if any, 16 experts."""
    powers = st.sampled_from([1, 2, 4, 8, 16])
    return st.tuples(powers, st.sampled_from([1, 2, 3, 8]), st.integers(0, 1))
