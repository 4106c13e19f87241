"""A micro-batch on one device: FLOP by hand, with every efficiency set to 1."""

import numpy as np
import pytest

from hwplanner.assumptions import Assumptions
from hwplanner.model.numbers import ModelNumbers
from hwplanner.physics.time_parts import TimeParts
from hwplanner.training.compute import attention_flop_per_token, micro_batch_time, smooth_maximum
from hwplanner.training.layouts import TrainingLayout
from tests.devices import arrays
from tests.training_runs import (
    ASSUMPTIONS,
    EXPERTS,
    assumed,
    published_model,
    rates_of,
    run_of,
    small_model,
)

PEAK = 1000e12
BANDWIDTH = 3e12
PERFECT = {
    "training_gemm_efficiency": 1,
    "training_half_width": 0,
    "power_half_watts_per_tflop": 0,
    "training_class_factor__hopper": 1,
    "training_efficiency_limit": 1,
    "training_attention_efficiency": 1,
    "training_bandwidth_efficiency": 1,
    "misaligned_width_factor": 1,
    "adapter_compute_factor": 1,
    "expert_compute_factor": 1,
    "expert_half_width": 0,
    "training_host_layer_seconds__pytorch": 0,
    "training_host_layer_seconds__transformers": 0,
    "training_stack_factor__pytorch": 1,
}


def micro_batch(
    model: ModelNumbers,
    *,
    recompute_passes: float = 0,
    assumptions: Assumptions | None = None,
    layout: TrainingLayout | None = None,
    **changes: object,
) -> TimeParts:
    known = assumptions or assumed(**PERFECT)
    run = run_of(model, layout or TrainingLayout(), assumptions=known, **changes)
    rates = rates_of(arrays(), known, **changes)
    return micro_batch_time(run, rates, np.array([[recompute_passes]]), known)


def test_a_token_of_llama_8b_costs_six_flop_a_parameter_and_its_attention() -> None:
    # Embeddings are looked up. Attention: 2 x 4096 x 32 layers x 4096 tokens forward, 3.5 times.
    multiplied = 8_030_261_248 - 128_256 * 4096 - 65 * 4096  # norms multiply no matrix
    attention = 2 * 4096 * 32 * 4096
    expected = 4096 * (6 * multiplied + 3.5 * attention) / PEAK
    time = micro_batch(published_model("llama-3.1-8b"), sequence_tokens=4096)
    assert time.compute[0, 0] == pytest.approx(expected, rel=1e-4)


def test_full_recomputation_adds_a_forward_pass() -> None:
    model = published_model("llama-3.1-8b")
    none = micro_batch(model).compute
    full = micro_batch(model, recompute_passes=1).compute
    assert 8 / 6 > full / none > 4.5 / 3.5


def test_lora_spares_the_gradients_of_the_weights() -> None:
    model = small_model(heads=1, kv_heads=1, head_dim=1)  # next to no attention
    trained = micro_batch(model, sequence_tokens=512).compute
    adapted = micro_batch(model, sequence_tokens=512, method="lora").compute
    assert adapted / trained == pytest.approx(4 / 6, rel=0.001)


def test_a_mixture_computes_with_the_experts_that_a_token_uses() -> None:
    mixture = micro_batch(small_model(**EXPERTS, moe_ffn=512), sequence_tokens=512)
    dense = micro_batch(small_model(ffn=1024), sequence_tokens=512)
    assert mixture.compute == pytest.approx(dense.compute, rel=0.01)  # router aside


def test_8_bit_halves_the_body_but_not_the_head() -> None:
    assumptions = assumed(**PERFECT, narrow_matmul_factor__8=1)
    model = small_model(heads=1, kv_heads=1, head_dim=1)
    run = {"sequence_tokens": 512, "assumptions": assumptions}
    saved = micro_batch(model, **run).compute - (
        micro_batch(model, training_precision="fp8", **run).compute
    )
    body = model.active_parameters - model.head_read_parameters
    assert saved == pytest.approx(512 * 6 * body / 2 / PEAK)


def test_traffic_of_weights_and_activations_by_hand() -> None:
    assumptions = assumed(**PERFECT, elementwise_traffic_bytes=100, weight_traffic_bytes__full=10)
    model = small_model()
    time = micro_batch(model, sequence_tokens=512, assumptions=assumptions)
    activations = 100 * 512 * 1024 * 8
    expected = (activations + 10 * model.total_parameters) / BANDWIDTH
    assert time.memory[0, 0] == pytest.approx(expected)


def test_qlora_also_widens_its_weights_twice() -> None:
    assumptions = assumed(**PERFECT, dequantize_traffic_bytes=20, weight_traffic_bytes__adapter=4)
    run = {"sequence_tokens": 512, "assumptions": assumptions}
    model = small_model()
    lora = micro_batch(model, method="lora", **run).memory
    qlora = micro_batch(model, method="qlora", **run).memory
    assert qlora - lora == pytest.approx(2 * 20 * model.total_parameters / BANDWIDTH)


def test_a_tiny_model_waits_for_its_launches() -> None:
    assumptions = assumed(**(PERFECT | {"training_host_layer_seconds__pytorch": 1}))
    time = micro_batch(small_model(), assumptions=assumptions)
    assert time.total[0, 0] == pytest.approx(8 * 3)  # forward and backward count as three
    assert time.overhead[0, 0] == pytest.approx(24 - time.compute[0, 0] - time.memory[0, 0])


def test_narrow_and_uneven_matrices_are_slow() -> None:
    def efficiency(hidden: int, tensor: int) -> float:
        model = small_model(hidden=hidden)
        layout = TrainingLayout(tensor=tensor)
        time = micro_batch(model, layout=layout, assumptions=ASSUMPTIONS).compute[0, 0]
        ideal = micro_batch(model, layout=layout).compute[0, 0]
        return float(ideal / time)

    assert efficiency(4096, 1) > efficiency(1024, 1) > efficiency(1024, 8)
    assert efficiency(1024, 1) > efficiency(1024 + 8, 1)


def test_attention_of_a_window_by_hand() -> None:
    # Four tokens that look back two: 1/2 of 2, twice, then 2 and 2: 2 + 4 = 6 of 4 x width.
    flop = attention_flop_per_token(width=10, sequence_tokens=4, reach_tokens=2)
    assert flop == 4 * 10 * 6 / 4


def test_a_window_longer_than_the_sequence_changes_nothing() -> None:
    full = attention_flop_per_token(width=8, sequence_tokens=512, reach_tokens=np.inf)
    assert attention_flop_per_token(width=8, sequence_tokens=512, reach_tokens=1024) == full


def test_an_exponent_of_one_adds_and_a_large_one_takes_the_larger() -> None:
    one, other = np.array(3.0), 4.0
    assert smooth_maximum(one, other, exponent=1) == pytest.approx(7)
    assert smooth_maximum(one, other, exponent=50) == pytest.approx(4)
