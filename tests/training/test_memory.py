"""Memory of training: states by hand and from papers, peaks that others measured, laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.evidence.intervals import load_intervals
from hwplanner.model.numbers import ModelNumbers
from hwplanner.training.layouts import TrainingLayout
from hwplanner.training.memory import (
    RECOMPUTE_KINDS,
    TrainingMemory,
    state_bytes,
    training_memory,
)
from hwplanner.units import GB, GIB
from tests.published import published
from tests.training_runs import (
    ASSUMPTIONS,
    assumed,
    jobs,
    layouts_of_small_models,
    published_model,
    run_of,
    small_model,
    small_models,
)


def memory_of(
    model: ModelNumbers, layout: TrainingLayout | None = None, **changes: object
) -> TrainingMemory:
    return training_memory(run_of(model, layout or TrainingLayout(), **changes), ASSUMPTIONS)


def states_bytes(memory: TrainingMemory) -> float:
    parts = memory.weights_bytes, memory.gradients_bytes, memory.optimizer_bytes
    return sum(float(part[0, 0]) for part in parts)


@pytest.mark.parametrize("case", published("zero_states.csv"), ids=lambda case: case["stage"])
def test_states_of_the_zero_paper(case: dict[str, str]) -> None:
    model = {"parameters": 7.5e9, "stage": int(case["stage"]), "shards": 64}
    held = (
        state_bytes(bytes_per_parameter=2, sharded_from_stage=3, **model)
        + state_bytes(bytes_per_parameter=2, sharded_from_stage=2, **model)
        + state_bytes(bytes_per_parameter=12, sharded_from_stage=1, **model)
    )
    assert held / GB == pytest.approx(float(case["gb_per_device"]), abs=0.05)


def test_adamw_keeps_16_bytes_for_each_of_70_billion_parameters() -> None:
    memory = memory_of(published_model("llama-3.1-70b"))
    assert memory.weights_bytes[0, 0] == 2 * 70_553_706_496
    assert memory.gradients_bytes[0, 0] == 2 * 70_553_706_496
    assert memory.optimizer_bytes[0, 0] == 12 * 70_553_706_496
    assert states_bytes(memory) / GB == pytest.approx(1128.859, abs=0.001)


def test_fsdp_divides_all_states_over_its_shards() -> None:
    model = published_model("llama-3.1-70b")
    memory = memory_of(model, TrainingLayout(tensor=2, replicas=32))
    assert states_bytes(memory) == pytest.approx(16 * model.total_parameters / 64)


def test_a_pipeline_divides_only_the_optimizer_over_replicas() -> None:
    model = published_model("llama-3.1-70b")
    memory = memory_of(model, TrainingLayout(tensor=8, pipeline=4, replicas=2))
    held = (model.body_parameters / 4 + 128_256 * 8192) / 8
    assert states_bytes(memory) == pytest.approx((2 + 2 + 12 / 2) * held)


def test_pure_bf16_states_of_a_3b_model() -> None:
    # torchtune keeps weights, gradients and both moments at 16 bit: 23.9 GiB for Llama-3.2-3B.
    held = state_bytes(
        parameters=published_model("llama-3.2-3b").total_parameters,
        bytes_per_parameter=2 + 2 + 4,
        stage=0,
        sharded_from_stage=1,
        shards=1,
    )
    assert held / GIB == pytest.approx(23.9, abs=0.05)


def test_lora_trains_42_million_of_8_billion_parameters() -> None:
    memory = memory_of(published_model("llama-3.1-8b"), method="lora", lora_rank=16)
    assert memory.weights_bytes[0, 0] == 2 * (8_030_261_248 + 41_943_040)
    assert memory.gradients_bytes[0, 0] == 2 * 41_943_040
    assert memory.optimizer_bytes[0, 0] == 12 * 41_943_040


def test_qlora_keeps_layers_in_4_bit_and_tables_in_16() -> None:
    model = published_model("llama-3.1-8b")
    four_bit = 0.5 + ASSUMPTIONS.typical("quantized_base_overhead_bytes")
    memory = memory_of(model, method="qlora", lora_rank=16)
    tables = 2 * 128_256 * 4096
    expected = four_bit * (8_030_261_248 - tables) + 2 * tables + 2 * 41_943_040
    assert memory.weights_bytes[0, 0] == pytest.approx(expected)


def test_offload_leaves_no_optimizer_state_on_the_device() -> None:
    assert memory_of(small_model(), offload=True).optimizer_bytes.max() == 0


def test_a_large_vocabulary_decides() -> None:
    # huggingface/trl issue 6858: 16k tokens of a 248k vocabulary take 47.6 GB.
    model = small_model(vocab=248_320)
    memory = memory_of(model, method="lora", sequence_tokens=16384)
    assert memory.logits_bytes[0, 0] / GB == pytest.approx(47.6, rel=0.15)


def test_activations_of_llama_8b_by_hand() -> None:
    # 32 layers x 167,936 bytes x 4096 tokens; with full recomputation 2 x 4096 bytes a layer,
    # and 0.9 of one layer alive.
    memory = memory_of(published_model("llama-3.1-8b"), sequence_tokens=4096)
    live_share = ASSUMPTIONS.typical("live_layer_share")
    stack = ASSUMPTIONS.typical("activation_stack_factor", "pytorch")
    assert memory.activations_bytes[0, 0] == pytest.approx(stack * 32 * 167_936 * 4096)
    assert memory.activations_bytes[2, 0] == pytest.approx(
        32 * 8192 * 4096 + stack * live_share * 167_936 * 4096
    )


def test_the_first_stage_has_as_many_micro_batches_in_flight_as_there_are_stages() -> None:
    deep = memory_of(small_model(), TrainingLayout(pipeline=8), batch_sequences=64)
    few = memory_of(small_model(), TrainingLayout(pipeline=8), batch_sequences=2)
    alone = memory_of(small_model())
    assert deep.activations_bytes[0, 0] == alone.activations_bytes[0, 0]
    assert few.activations_bytes[0, 0] == alone.activations_bytes[0, 0] / 4


def test_one_device_has_no_buffers_for_exchange() -> None:
    assert memory_of(small_model()).buffers_bytes.max() == 0


def measured_over_estimated(case: dict[str, str]) -> float:
    layout = TrainingLayout(replicas=int(case["replicas"]), micro_batch=int(case["micro_batch"]))
    memory = memory_of(
        published_model(case["model"]),
        layout,
        method=case["method"],
        sequence_tokens=int(case["sequence_tokens"]),
        batch_sequences=layout.replicas * layout.micro_batch,
        sharding=case["sharding"],
        offload=case["offload"] == "1",
    )
    estimate = memory.total_bytes[RECOMPUTE_KINDS.index(case["recompute"]), 0]
    return float(case["gb"]) * GB / float(estimate)


def test_the_band_holds_eight_of_ten_measured_peaks() -> None:
    ratios = np.array([measured_over_estimated(case) for case in published("training_peaks.csv")])
    low, high = load_intervals().range("training-memory", "value", "batch stated", "calibrated")
    assert np.mean((low <= ratios) & (ratios <= high)) >= 0.8
    assert np.median(np.abs(ratios - 1)) < 0.2


@given(model=small_models(), layout=layouts_of_small_models(), job=jobs())
def test_parts_are_never_negative_and_sum_to_the_total(
    model: ModelNumbers, layout: TrainingLayout, job: dict[str, object]
) -> None:
    memory = memory_of(model, layout, **job)
    parts = np.stack([getattr(memory, name) for name in TrainingMemory.__slots__])
    assert (parts >= 0).all()
    np.testing.assert_allclose(parts.sum(axis=0), memory.total_bytes)


@given(
    layout=layouts_of_small_models(),
    job=jobs(),
    larger=st.sampled_from(
        [{"ffn": 8192}, {"vocab": 64000}, {"hidden": 2048, "head_dim": 128}, {"kv_heads": 16}]
    ),
)
def test_a_larger_model_never_needs_less(
    layout: TrainingLayout, job: dict[str, object], larger: dict[str, int]
) -> None:
    before = memory_of(small_model(), layout, **job)
    after = memory_of(small_model(**larger), layout, **job)
    assert (after.total_bytes >= before.total_bytes).all()


@given(
    model=small_models(),
    layout=layouts_of_small_models(),
    job=jobs(),
    more=st.sampled_from([{"sequence_tokens": 8192}, {"batch_sequences": 512}]),
)
def test_longer_sequences_and_larger_batches_never_need_less(
    model: ModelNumbers, layout: TrainingLayout, job: dict[str, object], more: dict[str, int]
) -> None:
    before = memory_of(model, layout, **job)
    after = memory_of(model, layout, **job, **more)
    assert (after.total_bytes >= before.total_bytes).all()


@given(model=small_models(), layout=layouts_of_small_models(), stage=st.integers(0, 2))
def test_a_higher_stage_never_keeps_more_state(
    model: ModelNumbers, layout: TrainingLayout, stage: int
) -> None:
    lower = memory_of(model, layout, sharding=f"zero{stage}")
    higher = memory_of(model, layout, sharding=f"zero{stage + 1}")
    assert states_bytes(higher) <= states_bytes(lower)


@given(model=small_models(), layout=layouts_of_small_models(), job=jobs())
def test_keeping_a_part_of_the_activations_keeps_less(
    model: ModelNumbers, layout: TrainingLayout, job: dict[str, object]
) -> None:
    none, selective, _ = memory_of(model, layout, **job).total_bytes[:, 0]
    assert selective <= none


def test_gradients_of_4_bytes_as_in_megatron() -> None:
    # Korthikanti et al. 2022, figure 1: 45.5625 GiB of parameters and optimizer state for the
    # 22-billion model on 8 devices, whose layers alone have 48 x 12 h^2 parameters.
    model = small_model(
        layers=48, full_layers=48, dense_layers=48, hidden=6144, heads=64, kv_heads=64,
        head_dim=96, ffn=4 * 6144, gated_mlp=False, vocab=1,
    )  # fmt: skip
    megatron = assumed(gradient_bytes_per_parameter__pytorch=4)
    run = run_of(model, TrainingLayout(tensor=8), assumptions=megatron)
    memory = training_memory(run, megatron)
    assert states_bytes(memory) / GIB == pytest.approx(45.5625, rel=1e-4)
