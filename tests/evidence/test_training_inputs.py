"""What a published training run means, and what is inferred where it says nothing."""

import pytest

from hwplanner.catalog.catalog import load_catalog
from hwplanner.evidence.training_inputs import read_training_run
from hwplanner.units import GIB
from tests.training_rows import inputs_of, training_row


def test_a_complete_row_is_taken_as_it_stands() -> None:
    run = inputs_of(tp="2", global_batch="64", grad_accum="8", micro_batch="2")
    assert (run.device.id, run.model_id) == ("nvidia-h100-sxm", "llama-3.1-8b")
    assert (run.tensor, run.pipeline, run.context, run.replicas) == (2, 1, 1, 4)
    assert (run.micro_batch, run.accumulation, run.stage) == (2, 8, 3)
    assert run.is_batch_stated


@pytest.mark.parametrize(
    ("framework", "method", "stack"),
    [
        ("Megatron-Bridge 25.11", "pretrain", "megatron"),
        ("NeMo Automodel (PyTorch FSDP2)", "pretrain", "pytorch"),
        ("Megatron-DeepSpeed (Gaudi)", "pretrain", "megatron"),
        ("DeepSpeed ZeRO-3", "full_ft", "deepspeed"),
        ("MaxText", "pretrain", "jax"),
        ("HF Trainer + PEFT", "lora", "transformers"),
        ("", "lora", "transformers"),
        ("", "pretrain", "pytorch"),
        ("some new framework", "pretrain", "pytorch"),
    ],
)
def test_software_belongs_to_a_family(framework: str, method: str, stack: str) -> None:
    assert inputs_of(framework=framework, method=method).stack == stack


def test_a_pipeline_without_a_name_of_software_is_megatrons() -> None:
    assert inputs_of(framework="", pp="4", sharding="").stack == "megatron"


@pytest.mark.parametrize(
    ("framework", "date", "year"),
    [
        ("Megatron-Bridge 26.08", "2026-08", 2026 + 7.5 / 12),
        ("torchtitan", "2024-12", 2024 + 11.5 / 12),
        ("torchtitan", "2024", 2024.5),
        ("torchtitan", "", 2024.5),
    ],
)
def test_software_has_a_year(framework: str, date: str, year: float) -> None:
    assert inputs_of(framework=framework, source_date=date).year == pytest.approx(year)


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ("amp_bf16", "bf16"),
        ("fp16", "fp16"),
        ("mxfp8", "fp8"),
        ("fp8/fp4 (submission default, not verified)", "fp8 or nvfp4"),
        ("nvfp4 (85% layers)", "nvfp4"),
        ("nf4 base + bf16", "bf16"),
        ("", "bf16"),
    ],
)
def test_precision_is_what_linear_layers_compute_in(text: str, precision: str) -> None:
    assert inputs_of(precision=text).precision == precision


def test_a_copy_of_the_model_has_the_devices_that_its_batch_leaves() -> None:
    # 64 devices, 8 micro-batches of 1 sequence, 32 sequences: 64 x 8 x 1 / 32 = 16 a copy.
    run = inputs_of(
        framework="NeMo 25.04",
        model="Llama-3.1-70B",
        n_devices="64",
        micro_batch="1",
        global_batch="32",
        grad_accum="8",
        tp="",
        pp="",
        cp="",
        sharding="",
    )
    assert (run.tensor, run.pipeline, run.replicas) == (8, 2, 4)


def test_states_that_do_not_fit_split_the_model() -> None:
    # 405 billion parameters x 6 bytes = 2.4 TB: 64 devices of 80 GB for a copy.
    run = inputs_of(
        framework="NeMo 25.04",
        model="Llama-3.1-405B",
        n_devices="512",
        micro_batch="",
        global_batch="",
        tp="",
        pp="",
        cp="",
        sharding="",
    )
    assert (run.tensor, run.pipeline) == (8, 8)
    assert run.accumulation == 64  # eight micro-batches a stage keep a pipeline busy


def test_fewer_sequences_than_devices_leave_larger_groups() -> None:
    run = inputs_of(n_devices="64", global_batch="8", micro_batch="", tp="", pp="", sharding="")
    assert (run.tensor, run.replicas, run.micro_batch) == (8, 8, 1)


def test_publications_that_count_cores_have_half_as_many_devices() -> None:
    # Trainium1: 32 x 4 x 8 = 1024 cores on 512 chips.
    run = inputs_of(device="Trainium1", n_devices="512", tp="32", pp="4", dp="8")
    assert (run.tensor, run.pipeline, run.replicas) == (16, 4, 8)


def test_a_power_limit_in_the_name_is_the_boards_power() -> None:
    assert inputs_of(device="A100-80GB (330 W)").device.tdp_watts == 330


def test_layers_put_on_devices_in_turn_are_a_pipeline_of_one_batch() -> None:
    run = inputs_of(sharding="device_map pipeline", n_devices="2", global_batch="", method="lora")
    assert (run.pipeline, run.replicas, run.stage) == (2, 1, 0)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"framework": "HF Trainer + PEFT", "method": "lora"}, "full"),
        ({"framework": "torchtitan", "method": "pretrain"}, "unknown"),
    ],
)
def test_libraries_for_fine_tuning_recompute_unless_they_say_otherwise(
    changes: dict[str, str], kind: str
) -> None:
    assert inputs_of(recompute="", **changes).recompute == kind
    assert inputs_of(recompute="none", **changes).recompute == "none"


def test_full_tuning_that_would_not_fit_keeps_no_32_bit_copy() -> None:
    alone = {"n_devices": "1", "sharding": "none", "method": "full_ft", "tp": "", "pp": ""}
    assert inputs_of(**alone).keeps_no_master  # 16 x 8 GB on 80
    assert not inputs_of(**alone | {"model": "Llama-3.2-1B"}).keeps_no_master
    assert inputs_of(precision="bf16-true").keeps_no_master


def test_an_unknown_device_has_no_speed_but_a_memory() -> None:
    row = training_row(device="48GB-class")
    assert isinstance(read_training_run(row, load_catalog()), str)
    found = read_training_run(row, load_catalog(), needs_device=False)
    assert not isinstance(found, str)
    assert (found.is_device_known, found.memory_bytes) == (False, 48 * GIB)


def test_a_device_without_published_rates_is_refused_in_words() -> None:
    found = read_training_run(training_row(device="nvidia-groq-3-lpx"), load_catalog())
    assert isinstance(found, str)
    assert "no published rate" in found


def test_a_model_without_name_and_size_is_refused_in_words() -> None:
    found = read_training_run(training_row(model="Gronk-9"), load_catalog())
    assert found == "the model 'Gronk-9' is not known and no size is stated"
