"""Facts about `data/measurements`: names that are known, sources, what the files have in common."""

import pytest

from hwplanner.data_check import check_catalog
from hwplanner.evidence.device_names import resolve_device, resolve_system
from hwplanner.evidence.measurements import (
    FOLDER,
    KINDS,
    Kind,
    load_measurements,
    measurement_rows,
    measurements_of,
)
from hwplanner.evidence.model_names import resolve_model

FILES = sorted(path.stem for path in FOLDER.glob("*.csv"))
RUNS = ("serving", "serving_latency", "fp8_tables", "training", "training_memory", "serving_memory")

# What publications write where they do not name a device, or a size of its memory alone.
NO_DEVICE = {
    "", "16 GB GPU", "2 GPUs", "24GB-class", "48GB-class", "80GB-class", "ROCm GPU",
    "48GB class (44.52 GiB usable)", "not stated (80 GB class)", "not stated (~44-48 GB class)",
}  # fmt: skip
# Likewise of models; sizes of Megatron that no table describes, encoders, models with parts that
# the planner does not know.
NO_MODEL = {
    "-", "generic", "14B generic", "30B generic", "3B generic", "7B generic", "7B MHA", "B200 run",
    "30B full bf16/fp16", "64-layer GDN hybrid (16 attn+48 GDN)", "GGUF models", "Gemma 4 NVFP4",
    "Gemma2/Llama3 vocab 150-250k", "Llama-1B", "Llama2-1B", "Llama-like-7B", "Llama-like-70B",
    "Qwen3.5-35B-A3B / 27B (issue names both)", "TP2 model (not named)", "any GQA model",
    "VLM (4x4090, not named)", "any with CUDA graphs", "hybrid / sliding models", "small model",
    "hybrid GDN models", "lm_head 16384 tok x248320 vocab x2048", "not seen in the excerpt",
    "not stated", "tiny Qwen2, vocab 151665", "GPT-1024B", "GPT-1160B", "GPT-128B", "GPT-181B",
    "GPT-183B", "GPT-187B", "GPT-194B", "GPT-196B", "GPT-200B", "GPT-20B", "GPT-256B", "GPT-32B",
    "GPT-52B", "GPT-64B", "GPT3-23B", "T0_3B", "mt0-xxl", "DeepSeek-V4.1-Flash",
    "GLM-5.3-Flash EXL3", "Qwen3.8-Flash-Next NVFP4", "llama3_1-405b_pruned",
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_no_faults(name: str) -> None:
    assert check_catalog(FOLDER / f"{name}.csv") == []


@pytest.mark.parametrize("name", FILES)
def test_every_row_says_who_measured_it(name: str) -> None:
    for row in measurement_rows(name):
        assert row.text("source_url").startswith("https://"), row.text("id")
        assert row.text("source_date") >= "2020", row.text("id")


def test_every_device_that_is_named_is_in_the_catalogue() -> None:
    named = {run.text("device") for name in RUNS for run in load_measurements(name)}
    named |= {row.text("gpu_model") for row in measurement_rows("energy")}
    assert {text for text in named if resolve_device(text) is None} <= NO_DEVICE
    systems = {row.text("system") for row in measurement_rows("latency_percentiles")}
    assert not {text for text in systems if resolve_system(text) is None}


def test_every_model_that_is_named_is_known() -> None:
    named = {run.text("model") for name in RUNS for run in load_measurements(name)}
    named |= {row.text("model") for row in measurement_rows("energy")}
    named |= {row.text("bench") for row in measurement_rows("latency_percentiles")}
    assert {text for text in named if resolve_model(text) is None} <= NO_MODEL


@pytest.mark.parametrize("name", ["serving", "serving_latency", "fp8_tables"])
def test_serving_names_nothing_that_is_not_known(name: str) -> None:
    for run in load_measurements(name):
        assert resolve_device(run.text("device")), run.id
        assert resolve_model(run.text("model")), run.id


@pytest.mark.parametrize(("name", "silent"), [("serving", 2), ("fp8_tables", 0), ("training", 55)])
def test_nearly_every_run_measured_what_is_predicted(name: str, silent: int) -> None:
    # Others give percentiles, or a share of the peak, alone.
    assert sum(not run.measured for run in load_measurements(name)) <= silent


def test_inconsistent_and_estimated_rows_are_not_reliable() -> None:
    training = {run.id: run for run in load_measurements("training")}
    assert all(run.is_reliable == (not run.note.startswith("[C]")) for run in training.values())
    assert sum(not run.is_reliable for run in training.values()) == 14
    estimated = [run for run in load_measurements("training_memory") if not run.is_reliable]
    assert len(estimated) > 30


@pytest.mark.parametrize("kind", KINDS)
def test_an_id_names_one_run_of_its_kind(kind: Kind) -> None:
    ids = [run.id for run in measurements_of(kind)]
    assert len(set(ids)) == len(ids)
