"""How a run is split: parameters of a device, what is trained, widths of the states."""

import pytest

from hwplanner.training.layouts import TrainingLayout
from hwplanner.training.run import lora_parameters
from tests.training_runs import EXPERTS, published_model, run_of, small_model


@pytest.mark.parametrize(
    ("model", "rank", "count"),
    [
        # PEFT prints these for adapters on all linear layers.
        ("llama-3.1-8b", 16, 41_943_040),
        ("llama-2-7b", 8, 19_988_480),
    ],
)
def test_lora_parameters_as_peft_counts_them(model: str, rank: int, count: int) -> None:
    assert lora_parameters(model=published_model(model), rank=rank) == count


def test_experts_have_no_adapters() -> None:
    dense, mixture = small_model(), small_model(**EXPERTS, moe_ffn=4096)
    feed_forward = 8 * 3 * (1024 + 4096)
    assert lora_parameters(model=dense, rank=1) - lora_parameters(model=mixture, rank=1) == (
        feed_forward
    )


def test_one_device_holds_the_model() -> None:
    model = published_model("llama-3.1-70b")
    assert run_of(model).held.total == model.total_parameters == 70_553_706_496


def test_a_pipeline_parts_embedding_and_head() -> None:
    model = published_model("llama-3.1-70b")
    run = run_of(model, TrainingLayout(tensor=8, pipeline=4))
    assert run.held.tables == 128_256 * 8192 / 8
    assert run.held.linear == model.body_parameters / 32
    assert run.layers == 20


def test_the_fullest_stage_has_a_layer_more() -> None:
    # 126 layers on 4 stages: 32, 32, 31, 31.
    assert run_of(published_model("llama-3.1-405b"), TrainingLayout(pipeline=4)).layers == 32


def test_expert_groups_share_experts_and_nothing_else() -> None:
    model = small_model(**EXPERTS, moe_ffn=512)
    whole = run_of(model, TrainingLayout(replicas=8))
    shared = run_of(model, TrainingLayout(replicas=8, expert=8))
    assert shared.held.experts == whole.held.experts / 8
    assert shared.held.linear == whole.held.linear


def test_an_adapter_trains_only_what_it_adds() -> None:
    run = run_of(published_model("llama-3.1-8b"), TrainingLayout(tensor=2), method="lora")
    assert run.trained.total == 41_943_040 / 2
    assert run.held.total == 8_030_261_248 / 2


def test_automatic_sharding_is_full_except_in_a_pipeline() -> None:
    layouts = TrainingLayout(replicas=8), TrainingLayout(pipeline=4, replicas=8)
    assert run_of(small_model(), *layouts).stage.tolist() == [3, 1]
    assert run_of(small_model(), *layouts, sharding="zero2").stage.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("changes", "bytes_per_parameter"),
    [
        ({}, 16),  # 2 + 2 + 4 + 8
        ({"training_precision": "fp8"}, 16),
        ({"training_precision": "fp32"}, 16),  # 4 + 4 + 8, no master copy
        ({"optimizer": "adam8bit"}, 10),
        ({"optimizer": "sgd"}, 12),
        ({"optimizer": "muon"}, 12),
    ],
)
def test_bytes_of_state_for_each_trained_parameter(
    changes: dict[str, str], bytes_per_parameter: float
) -> None:
    width = run_of(small_model(), **changes).width
    assert width.linear + width.gradient + width.optimizer == bytes_per_parameter


def test_tables_take_adamw_beside_muon() -> None:
    width = run_of(small_model(), optimizer="muon").width
    assert width.table_optimizer == 12
