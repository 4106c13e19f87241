from collections.abc import Sequence

import numpy as np
import pytest

from hwplanner.assumptions import load_assumptions
from hwplanner.catalog.catalog import load_catalog
from hwplanner.evidence.measurements import load_measurements
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.serving_memory_runs import FIGURE, ServingMemoryRuns
from hwplanner.units import GIB
from tests.memory_rows import value

ROWS = load_measurements("serving_memory")
MEASURED = np.array([row.measured.get(FIGURE, np.nan) for row in ROWS])


def runs_of(rows: Sequence[RunRow]) -> ServingMemoryRuns:
    return ServingMemoryRuns.prepare(rows, load_catalog())


@pytest.fixture(scope="module")
def shipped() -> ServingMemoryRuns:
    return runs_of(ROWS)


@pytest.fixture(scope="module")
def estimates(shipped: ServingMemoryRuns) -> np.ndarray:
    return shipped.outcome(load_assumptions()).figures[FIGURE]


def errors(estimates: np.ndarray, shipped: ServingMemoryRuns, *meanings: str) -> np.ndarray:
    asked = np.isin(shipped.groups["mode"], meanings) & np.isfinite(estimates) & (MEASURED > 0)
    return np.abs(estimates[asked] / MEASURED[asked] - 1)


def test_loaded_weights(shipped: ServingMemoryRuns, estimates: np.ndarray) -> None:
    assert np.median(errors(estimates, shipped, "weights")) < 0.02


def test_tokens_that_fit(shipped: ServingMemoryRuns, estimates: np.ndarray) -> None:
    assert np.median(errors(estimates, shipped, "tokens", "blocks")) < 0.12


def test_starts_and_failures(shipped: ServingMemoryRuns, estimates: np.ndarray) -> None:
    asked = np.isin(shipped.groups["mode"], ["fits"]) & np.isfinite(estimates)
    told = (estimates[asked] <= 1) == (MEASURED[asked] == 1)
    assert asked.sum() >= 22
    assert told.mean() >= 0.88


def test_counts_files_and_caches_are_arithmetic(
    shipped: ServingMemoryRuns, estimates: np.ndarray
) -> None:
    # Published counts of some models hold scales, buffers or copies besides the parameters.
    exact = ("parameters", "other_parameters", "cache_of_one", "cache_of_windows", "state")
    off = errors(estimates, shipped, *exact)
    assert (off < 5e-4).mean() > 0.85
    assert np.median(errors(estimates, shipped, "cache", "file")) < 0.003


def test_what_is_measured_is_never_read() -> None:
    blanked = [RunRow(id=row.id, line=row.line, cells=row.cells) for row in ROWS]
    both = [runs_of(rows).outcome(load_assumptions()).figures[FIGURE] for rows in (ROWS, blanked)]
    np.testing.assert_array_equal(*both)


def test_an_unknown_name_is_refused_with_words() -> None:
    row = RunRow(
        id="one", line=2, cells={"model": "no such model", "quantity": "params_exact", "unit": ""}
    )
    outcome = runs_of([row]).outcome(load_assumptions())
    assert outcome.statuses == ("unsupported",)
    assert "no such model" in outcome.reasons[0]


def test_a_row_alone_is_estimated_as_among_others(estimates: np.ndarray) -> None:
    alone = runs_of(ROWS[3:4]).outcome(load_assumptions()).figures[FIGURE]
    assert alone[0] == pytest.approx(estimates[3], rel=1e-12)


def test_memory_that_a_name_states_is_enough() -> None:
    cells = {
        "model": "meta-llama/Llama-3.1-8B", "engine": "vLLM", "engine_version": "0.25.0",
        "weight_precision": "bf16", "max_model_len": "8192", "quantity": "fits", "unit": "bool",
    }  # fmt: skip
    assert value(**cells, device="some card (20 GiB usable)") < 1
    assert value(**cells, device="some card (16 GiB usable)") > 1


def test_data_parallel_ranks_keep_whole_requests() -> None:
    # vllm-project/recipes pull 12: 62 layers x 2 x 8 heads x 128 x 2 bytes x 262,144 tokens.
    cells = {
        "model": "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8", "engine": "vLLM", "device": "H20 96GB",
        "n_devices": "8", "tp": "1", "ep": "8", "max_model_len": "262144", "unit": "GiB",
        "quantity": "kv_needed_gib_one_request", "kv_precision": "bf16",
    }  # fmt: skip
    assert value(**cells) == pytest.approx(62.0, abs=0.005)


def test_the_same_pool_held_ten_times_the_tokens_after_release_21() -> None:
    # vLLM issues 43308, 40691: 50 GB hold 55,000 tokens of Gemma 4 31B, then 525,000.
    cells = {
        "model": "cyankiwi/gemma-4-31B-it-AWQ-4bit", "engine": "vLLM", "device": "A100 80GB",
        "quantity": "kv_cache_tokens_total", "unit": "tokens", "gpu_memory_utilization": "0.9",
    }  # fmt: skip
    old, new = (value(**cells, engine_version=version) for version in ("0.20.0", "0.21.0"))
    assert new / old == pytest.approx(525 / 55, rel=0.05)


def test_meta_s_8_bit_build_keeps_attention_at_16() -> None:
    cells = {
        "engine": "vLLM", "device": "H100 80GB", "n_devices": "8", "tp": "8",
        "quantity": "weights_gib_per_device", "unit": "GiB", "weight_precision": "fp8",
    }  # fmt: skip
    assert value(**cells, model="meta-llama/Llama-3.1-405B-FP8") == pytest.approx(57.75, rel=0.03)
    assert value(**cells, model="nvidia/Llama-3.1-405B-Instruct-FP8") == pytest.approx(47.7, abs=1)


def test_experts_of_gpt_oss_are_laid_out_in_tiles() -> None:
    # File of 60.77 GiB; 65.97 once loaded (vLLM 0.10.1).
    cells = {"model": "openai/gpt-oss-120b", "engine": "vLLM", "device": "H100 80GB", "tp": "1"}
    loaded = value(**cells, quantity="weights_gib_per_device", unit="GiB")
    assert loaded == pytest.approx(65.97, rel=0.005)
    assert value(**cells, quantity="file_gib", unit="GiB") == pytest.approx(60.77, rel=0.01)


def test_a_unified_memory_is_counted_whole_and_free_in_part() -> None:
    cells = {"model": "-", "device": "GB10 DGX Spark", "unit": "GiB"}
    assert value(**cells, quantity="usable_memory_gib") == pytest.approx(121.69, rel=0.005)
    assert value(**cells, quantity="free_at_boot_gib") == pytest.approx(102.2, rel=0.02)


def test_units_are_those_of_the_row() -> None:
    cells = {"model": "Qwen/Qwen3-8B", "quantity": "kv_bytes_per_token", "kv_precision": "bf16"}
    assert value(**cells, unit="B") == 36 * 2 * 8 * 128 * 2
    assert value(**cells, unit="KiB") * 1024 == 36 * 2 * 8 * 128 * 2
    assert value(**cells, unit="GiB") * GIB == pytest.approx(36 * 2 * 8 * 128 * 2)


def test_a_count_is_of_the_checkpoint_unless_an_engine_loads_it() -> None:
    # Qwen3-0.6B: the file has a copy of the tied table.
    cells = {"model": "Qwen/Qwen3-0.6B", "quantity": "params_exact", "unit": "params"}
    assert value(**cells, engine="-") == 751_632_384
    assert value(**cells, engine="vLLM") == 596_049_920
