"""Models by the names of the published world: family, version and size decide, to the letter."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.data_check import check_catalog
from hwplanner.evidence.model_names import resolve_model, unknown_model
from hwplanner.model.presets import load_models
from hwplanner.model.shape import ModelShape

SHAPES = load_models().shapes


@pytest.mark.parametrize(
    ("text", "model_id", "weight_format"),
    [
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b", None),
        ("meta-llama/Llama-3.1-405B-FP8", "llama-3.1-405b", "fp8"),
        ("nvidia/Llama-3.3-70B-Instruct-FP8", "llama-3.3-70b", "fp8"),
        ("nvidia/DeepSeek-R1-0528-NVFP4-v2", "deepseek-r1", "nvfp4"),
        ("nvidia/Llama-3.1-405B-Instruct-FP4", "llama-3.1-405b", "nvfp4"),
        ("amd/Llama-3.1-405B-Instruct-MXFP4-Preview", "llama-3.1-405b", "mxfp4"),
        ("amd/Llama-3.1-70B-Instruct-FP8-KV", "llama-3.1-70b", "fp8"),
        ("Qwen/Qwen3-32B-AWQ", "qwen3-32b", "int4"),
        ("Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4", "qwen2.5-72b", "int4"),
        ("RedHatAI/Meta-Llama-3.1-70B-Instruct-quantized.w8a8", "llama-3.1-70b", "int8"),
        ("unsloth/Llama-3.3-70B-Instruct-bnb-4bit", "llama-3.3-70b", "int4"),
        ("Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama-3.1-8b", "gguf_q4_k_m"),
        ("Llama-3.1-70B Q4_0", "llama-3.1-70b", "gguf_q4_0"),
        ("llama3.1:8b", "llama-3.1-8b", None),
        ("gpt-oss:120b", "gpt-oss-120b", None),
        ("llama2-70b-99.9", "llama-2-70b", None),
        ("llama3_1-405b", "llama-3.1-405b", None),
        ("gptj-99", "gpt-j-6b", None),
        ("Qwen-14B", "qwen-14b", None),
        ("Qwen/Qwen1.5-7B-Chat-GPTQ-Int4", "qwen1.5-7b", "int4"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "llama-3.3-70b", None),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "qwen2.5-32b", None),
        ("DeepSeek-R1-0528-Qwen3-8B", "qwen3-8b", None),
        ("deepseek-r1:70b", "llama-3.3-70b", None),
        ("NousResearch/Hermes-3-Llama-3.1-70B", "llama-3.1-70b", None),
        ("lmsys/vicuna-13b-v1.5", "llama-2-13b", None),
        ("Mistral-7B-Instruct-v0.3", "mistral-7b", None),
        ("mistralai/Mistral-7B-Instruct-v0.2", "mistral-7b-v0.1", None),
        ("Qwen3.6-27B (club-3090 default)", "qwen3.5-27b", None),
    ],
)
def test_spellings_of_one_model(text: str, model_id: str, weight_format: str | None) -> None:
    match = resolve_model(text)
    assert match is not None
    assert (match.model_id, match.weight_format) == (model_id, weight_format)


@pytest.mark.parametrize(
    "text",
    [
        "", "-", "generic", "7B generic", "Llama-3.1-9B", "Llama-3.1", "Qwen4-32B", "Llama",
        "Llama-3.2-70B", "Mixtral-8x9B", "mistral-small", "DeepSeek-R1-Distill-Qwen-9B",
        "GPT-181B", "instruct", "fp8", "Qwen3.5-35B-A3B / 27B (issue names both)",
    ],
)  # fmt: skip
def test_another_family_version_or_size_is_not_known(text: str) -> None:
    assert resolve_model(text) is None


def test_a_near_miss_is_answered_with_what_was_meant() -> None:
    assert "did you mean 'llama-3.1-8b'" in unknown_model("Llama-3.1-9B")


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.id)
def test_every_model_is_found_by_all_of_its_names(shape: ModelShape) -> None:
    for text in (shape.id, shape.name, *shape.aliases):
        match = resolve_model(text)
        assert match is not None, text
        assert match.model_id == shape.id, text


@given(
    shape=st.sampled_from(SHAPES),
    organisation=st.sampled_from(["", "unsloth/", "RedHatAI/"]),
    quantised=st.sampled_from([("", None), ("-FP8", "fp8"), ("-AWQ", "int4"), ("-NVFP4", "nvfp4")]),
    upper=st.booleans(),
)
def test_organisation_format_and_case_leave_the_architecture(
    shape: ModelShape, organisation: str, quantised: tuple[str, str | None], upper: bool
) -> None:
    text = f"{organisation}{shape.id}{quantised[0]}"
    match = resolve_model(text.upper() if upper else text)
    assert match is not None
    assert match.model_id == shape.id
    assert match.weight_format == quantised[1]


@given(st.text(max_size=40))
def test_any_text_is_known_or_refused_with_a_reason(text: str) -> None:
    if resolve_model(text) is None:
        assert unknown_model(text).startswith(("the model ", "no model "))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("Lama 9,model,lama-9b,,", "model_id is 'lama-9b'; write one of models.csv"),
        ("fp9,format,llama-2-7b,fp9,", "model_id is 'llama-2-7b'; leave it blank for a format"),
        ("chat,variant,,fp8,", "weight_format belongs to a format; leave it blank for variant"),
        ("Chat,variant,,,\nchat-,variant,,,", "'chat-' repeats line 2; keep one of the two"),
    ],
)
def test_a_faulty_name_is_told(tmp_path: Path, line: str, fault: str) -> None:
    path = tmp_path / "model_names.csv"
    path.write_text(f"names,kind,model_id,weight_format,note\n{line}\n", encoding="utf-8")
    assert any(fault in found for found in check_catalog(path))
