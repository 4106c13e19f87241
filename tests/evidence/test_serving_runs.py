"""Published serving runs: what columns mean, and figures that one can work out by hand."""

from collections.abc import Mapping

import numpy as np
import pytest

from hwplanner.assumptions import load_assumptions
from hwplanner.catalog.catalog import load_catalog
from hwplanner.evidence.engines import resolve_engine
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.run_layouts import RunLayout, run_layout
from hwplanner.evidence.run_lengths import run_lengths
from hwplanner.evidence.serving_runs import FIGURES, ServingRuns

ASSUMPTIONS = load_assumptions()
RUN = {
    "id": "a",
    "engine": "vLLM",
    "engine_version": "0.11.0",
    "source_date": "2025-10",
    "model": "meta-llama/Llama-3.1-8B-Instruct",
    "device": "H100 SXM 80GB",
    "n_devices": "1",
    "tp": "1",
    "weight_precision": "fp8",
    "input_tokens": "1024",
    "output_tokens": "256",
    "mode": "fixed_concurrency",
    "concurrency": "16",
}


def outcome_of(*changes: Mapping[str, str]) -> tuple[ServingRuns, Mapping[str, np.ndarray]]:
    rows = [RunRow(id=str(n), line=n, cells=RUN | change) for n, change in enumerate(changes)]
    runs = ServingRuns.prepare(rows, load_catalog())
    return runs, runs.outcome(ASSUMPTIONS).figures


def test_throughputs_are_one_rate_in_three_units() -> None:
    _, found = outcome_of({})
    requests = found["requests_per_s"][0]
    assert found["output_tokens_per_s"][0] == pytest.approx(256 * requests)
    assert found["total_tokens_per_s"][0] == pytest.approx((1024 + 256) * requests)


def test_a_kept_batch_obeys_littles_law() -> None:
    _, found = outcome_of({})
    in_flight = found["requests_per_s"][0] * (
        found["ttft_ms_mean"][0] + 256 * found["tpot_ms_mean"][0]
    )
    # Beside the batch, the time of the host and of a lone prompt's start count to the first token.
    assert in_flight / 1000 == pytest.approx(16, rel=0.15)
    assert in_flight / 1000 >= 16


def test_rows_do_not_depend_on_each_other() -> None:
    changes = [
        {"model": "openai/gpt-oss-120b", "weight_precision": "mxfp4", "n_devices": "4", "tp": "4"},
        {},
        {"device": "RTX 4090 24GB", "engine": "llama.cpp", "mode": "single_stream"},
        {"mode": "server_rate", "request_rate": "2", "concurrency": ""},
    ]
    _, together = outcome_of(*changes)
    for place, change in enumerate(changes):
        _, alone = outcome_of(change)
        for name in FIGURES:
            assert alone[name][0] == pytest.approx(together[name][place], nan_ok=True), name


def test_more_in_flight_is_more_throughput_and_longer_waits() -> None:
    _, found = outcome_of(*({"concurrency": str(count)} for count in (1, 4, 16, 64)))
    assert np.all(np.diff(found["output_tokens_per_s"]) > 0)
    assert np.all(np.diff(found["tpot_ms_mean"]) > 0)
    assert np.all(np.diff(found["ttft_ms_mean"]) > 0)


def test_arrivals_below_capacity_are_answered_as_they_come() -> None:
    quiet = {"mode": "server_rate", "concurrency": "", "request_rate": "2"}
    _, found = outcome_of(quiet, quiet | {"request_rate": "1000"})
    assert found["requests_per_s"][0] == pytest.approx(2, rel=1e-3)
    assert found["requests_per_s"][1] < 1000


def test_copies_share_the_load() -> None:
    four = {"n_devices": "4", "dp": "4", "concurrency": "64"}
    _, found = outcome_of({}, four)
    assert found["requests_per_s"][1] == pytest.approx(4 * found["requests_per_s"][0])
    assert found["tpot_ms_mean"][1] == pytest.approx(found["tpot_ms_mean"][0])


def test_prompts_and_tokens_alone() -> None:
    prompt = {"mode": "single_stream", "output_tokens": "0"}
    tokens = {"mode": "single_stream", "input_tokens": "0"}
    _, found = outcome_of(prompt, tokens)
    assert found["output_tokens_per_s"][0] == 0
    assert found["total_tokens_per_s"][0] > 1024
    assert found["output_tokens_per_s"][1] == pytest.approx(1000 / found["tpot_ms_mean"][1])


def test_what_is_not_known_is_said_and_not_guessed() -> None:
    unknown = {"device": "H1000"}, {"model": "Llama-3.1-9B"}, {"mode": "dreaming"}, {}
    runs, found = outcome_of(*unknown)
    outcome = runs.outcome(ASSUMPTIONS)
    assert outcome.statuses == ("unsupported", "unsupported", "unsupported", "ok")
    assert all(outcome.reasons[:3])
    assert outcome.reasons[3] == ""
    assert np.isnan(found["tpot_ms_mean"][:3]).all()


def test_weights_larger_than_the_memory_do_not_fit() -> None:
    large = {"model": "meta-llama/Llama-3.1-405B", "weight_precision": "bf16"}
    runs, _ = outcome_of(large)
    assert runs.outcome(ASSUMPTIONS).statuses == ("does_not_fit",)


@pytest.mark.parametrize(
    ("name", "version", "date", "device_class", "key"),
    [
        ("vLLM", "0.6.x", "", "hopper", "vllm_v0"),
        ("vLLM", "", "2023-11", "gddr", "vllm_v0"),
        ("vLLM (ROCm)", "0.10.0 (ROCm 6.4.1)", "2025-09", "mi", "vllm"),
        ("vLLM", "vLLM 0.9.0, PyTorch 2.7.0", "2025-09", "arc", "vllm"),
        ("TensorRT-LLM", "0.17", "2025-02", "hopper", "trtllm_cpp"),
        ("TensorRT-LLM", "1.0.0rc3", "", "hopper", "trtllm"),
        ("TensorRT-LLM", "TensorRT 10.11, CUDA 12.9", "2025-09", "blackwell", "trtllm"),
        ("Ollama / llama.cpp", "", "2025-10", "gddr", "llamacpp"),
        ("llama.cpp", "", "2024-05", "apple", "llamacpp_old"),
        ("vLLM TPU", "", "2025-09", "tpu", "tpu"),
        ("", "", "2024-08", "hopper", "trtllm_cpp"),
        ("an engine of tomorrow", "9", "2031-01", "hopper", "other"),
    ],
)
def test_engines_by_what_people_call_them(
    name: str, version: str, date: str, device_class: str, key: str
) -> None:
    found = resolve_engine(name=name, version=version, date=date, device_class=device_class)
    assert found.key == key


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"devices": 8, "tensor": 4}, RunLayout(4, 1, 2)),
        ({"devices": 8, "tensor": 4, "is_one_request": True}, RunLayout(4, 1, 1)),
        # 140 GB in 80 GB devices: two hold the weights, four leave room for a cache
        ({"devices": 8}, RunLayout(4, 1, 2)),
        # published in cores, two to a chip
        ({"devices": 12, "tensor": 24, "device_class": "aws"}, RunLayout(12, 1, 1)),
        # four groups of four that attend apart and share all experts
        (
            {"devices": 16, "tensor": 4, "data": 4, "expert": 16, "is_moe": True},
            RunLayout(16, 1, 1, 1, 4),
        ),
        ({"devices": 8, "data": 8, "expert": 8, "is_moe": True}, RunLayout(8, 1, 1, 1, 1)),
    ],
)
def test_layouts_of_published_runs(columns: dict[str, object], expected: RunLayout) -> None:
    usual: dict[str, object] = {
        "tensor": None,
        "pipeline": None,
        "data": None,
        "expert": None,
        "device_class": "hopper",
        "weights_bytes": 140e9,
        "usable_bytes": 80e9,
        "is_moe": False,
        "is_one_request": False,
        "spreads_attention": False,
    }
    assert run_layout(**(usual | columns)) == expected  # type: ignore[arg-type]


def test_published_lengths_stand_and_blank_ones_are_filled() -> None:
    def lengths(model: str, given: tuple[float | None, float | None]) -> tuple[float, float]:
        return run_lengths(
            input_tokens=given[0], output_tokens=given[1], model=model, is_single=False
        )

    assert lengths("Llama-2-70b-chat-hf", (128, 2048)) == (128, 2048)
    assert lengths("Llama-2-70b-chat-hf", (None, None)) == (294, 294)
    assert lengths("Llama-2-70b-chat-hf", (None, 281)) == (294, 281)
