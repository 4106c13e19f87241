"""Memory as people found it, each kind of case once: what planners got wrong, with what is right.

Bytes of caches, weights and pools that whole logs confirm stand beside this file: `cache_logs.csv`,
`weight_logs.csv`, `cache_pool_logs.csv`.
"""

import pytest

from hwplanner.model.kv_cache import cache_bytes, cache_bytes_per_token, state_bytes
from hwplanner.model.parameter_counts import count_parameters
from hwplanner.model.precision import FORMATS, weight_bytes
from hwplanner.model.presets import load_models
from hwplanner.serving.memory import cache_pool_bytes
from hwplanner.units import GB, GIB, MIB
from tests.memory_rows import value
from tests.serving_jobs import memory_of
from tests.training_runs import published_model

VLLM = {"engine": "vLLM", "engine_version": "0.25.0"}


def cache_gib(name: str, tokens: float, sequences: int = 1, width: float = 2.0) -> float:
    """Cache of whole sequences over all devices. [GiB]"""
    model = published_model(name)
    one = cache_bytes(model=model, context_tokens=tokens, bytes_per_value=width)
    return sequences * float(one) / GIB


def weights_gib(name: str, weight_format: str) -> float:
    """Weights in a format. [GiB]"""
    model = published_model(name)
    total = weight_bytes(model=model, weight_format=FORMATS[weight_format]).total_bytes
    return float(total) / GIB


@pytest.mark.parametrize(
    ("name", "bytes_per_token"),
    [
        # Grouped heads: 32 layers x 2 x 8 x 128 x 2. vLLM issue 10517.
        ("llama-3.1-8b", 131_072),
        # Without groups four times as much. gateway-api-inference-extension pull 550.
        ("llama-2-7b", 524_288),
        # A latent vector for all heads: 61 x 576 x 2. vLLM recipe of Kimi-K2-Thinking.
        ("kimi-k2", 70_272),
        # The same with the index of sparse attention: 78 x (1152 + 132). GLM-5 in SGLang.
        ("glm-5", 100_152),
        # Head size as stated: 28 x 2 x 8 x 128 x 2, not 1024 / 16. unsloth pull 4757.
        ("qwen3-0.6b", 114_688),
        # 94 layers x 2 x 4 x 128 x 2 of a mixture: experts keep nothing.
        ("qwen3-235b-a22b", 192_512),
        # Global layers have 4 heads of 512. club-3090 page: 163,840.
        ("gemma-4-31b", 81_920),
        # Only one layer in four keeps tokens. LM Studio issue 1862.
        ("qwen3.5-27b", 65_536),
    ],
)
def test_bytes_of_a_token(name: str, bytes_per_token: int) -> None:
    model = published_model(name)
    assert float(cache_bytes_per_token(model=model, bytes_per_value=2.0)) == bytes_per_token


@pytest.mark.parametrize(
    ("said", "name", "tokens", "sequences", "right"),
    [
        # unsloth pull 4757: all 62 layers taken as full, head size as hidden / heads.
        (81.38, "gemma-3-27b", 131_072, 1, 10.41),
        # The same page: latent attention as a few grouped heads, too little.
        (2.08, "deepseek-v3", 163_840, 1, 10.72),
        (6.67, "kimi-k2.5", 262_144, 1, 17.16),
        (2.19, "qwen3-0.6b", 40_960, 1, 4.38),
        # llm-sizer 0.1.0 and cookbook's calc_transformer_mem: heads for keys not grouped.
        (640.0, "llama-3-70b", 8192, 32, 80.0),
        (320.0, "llama-3-70b", 8192, 32, 80.0),
    ],
)
def test_caches_that_tools_got_wrong(
    said: float, name: str, tokens: int, sequences: int, right: float
) -> None:
    ours = cache_gib(name, tokens, sequences)
    assert ours == pytest.approx(right, rel=0.002)
    assert abs(ours - right) < abs(said - right) / 10


def test_linear_layers_keep_matrices_for_a_sequence() -> None:
    # LM Studio issue 1862: 16,384 MiB for tokens and 598.5 for the states of four sequences; a
    # page of club-3090 counted two vectors for each head: 3.5 MiB instead of 61.
    model = published_model("qwen3.5-27b")
    four = 4 * float(state_bytes(model=model, conv_bytes_per_value=4.0))
    assert four / MIB == pytest.approx(598.5, abs=0.1)
    assert cache_gib("qwen3.5-27b", 262_144) == pytest.approx(16.15, abs=0.01)
    small = float(state_bytes(model=published_model("qwen3.5-35b-a3b")))
    assert small / MIB == pytest.approx(61.4, abs=0.1)


def test_latent_caches_are_copied_so_that_ranks_of_their_own_hold_more() -> None:
    # vLLM issue 51454: 7.7 times the tokens on eight data-parallel ranks.
    cells = VLLM | {
        "model": "DeepSeek-V4-Flash-0731", "device": "B200", "n_devices": "8", "tp": "8",
        "kv_precision": "fp8", "quantity": "kv_ratio_dp8_vs_tp8", "unit": "x",
    }  # fmt: skip
    assert value(**cells) == pytest.approx(7.7, rel=0.05)


def test_the_cache_does_not_follow_the_format_of_the_weights() -> None:
    # configiq issue 112: 4-bit weights, 16-bit cache; 1.0 million tokens, not 2.7.
    cells = VLLM | {
        "model": "gemma-4-31b-it-nvfp4", "device": "H200 141GB", "tp": "1",
        "quantity": "kv_cache_tokens_total", "unit": "tokens",
    }  # fmt: skip
    assert value(**cells) == pytest.approx(1_007_303, rel=0.05)


def test_four_bit_files_are_not_half_a_byte_a_parameter() -> None:
    # 27B in NVFP4: 19.75, 21.28 and 24.04 GiB in three builds, 12.9 by half a byte.
    assert weights_gib("qwen3.5-27b", "nvfp4") > 18
    # AWQ of 8B, 14B and 32B: 0.75, 0.68 and 0.59 bytes a parameter.
    for name, bytes_per_parameter in (("qwen3-8b", 0.75), ("qwen3-14b", 0.68), ("qwen3-32b", 0.59)):
        count = published_model(name).total_parameters
        ours = weights_gib(name, "int4") * GIB / count
        assert ours == pytest.approx(bytes_per_parameter, rel=0.02)


def test_the_third_matrix_of_gated_layers_counts() -> None:
    # llm-analysis 0.2.2 said 6.15 GB for Llama-3.1-8B at one byte: 8.03e9, and the tables at two.
    model = published_model("llama-3.1-8b")
    tables = 2 * 128_256 * 4096
    at_one_byte = weights_gib("llama-3.1-8b", "fp8") * GIB - tables
    assert at_one_byte == model.total_parameters == 8_030_261_248


def test_sixteen_bit_weights_of_70b_are_140_gb() -> None:
    # accelerate issue 3379 said 64.7 GB.
    assert weights_gib("llama-3.1-70b", "bf16") * GIB / GB == pytest.approx(141.1, abs=0.1)


@pytest.mark.parametrize(
    ("name", "weight_format", "said_gb", "least_gb", "most_gb"),
    [
        # llmfit issue 230: memory from the 10B that a token passes.
        ("qwen3.5-122b-a10b", "q4_k_m", 33, 70, 77),
        # llmfit issue 497: 22 GB for DeepSeek-V3 in 4 bit, where 390 are needed.
        ("deepseek-v3", "q4_k_m", 22, 380, 420),
    ],
)
def test_all_experts_need_memory(
    name: str, weight_format: str, said_gb: float, least_gb: float, most_gb: float
) -> None:
    assert said_gb < least_gb < weights_gib(name, weight_format) * GIB / GB < most_gb


def test_tied_tables_are_loaded_once() -> None:
    # Metadata of Qwen3-0.6B says 751,632,384; 596,049,920 are loaded (1394 MiB in use).
    counts = count_parameters(load_models().get("qwen3-0.6b"))
    assert counts.total == 596_049_920
    assert counts.total + counts.head_read == 751_632_384


def test_layers_that_predict_further_tokens_are_in_the_file() -> None:
    # DeepSeek: 671,026,419,200 in the model, 684,489,845,504 with the layer and its own tables.
    counts = count_parameters(load_models().get("deepseek-r1"))
    assert counts.total == 671_026_419_200
    assert counts.total + counts.mtp == 684_489_845_504


def test_vision_towers_are_loaded_too() -> None:
    # Qwen3.8-27B-FP8 loads 14.28 GiB on each of two cards; without its tower it would be 13.9.
    assert weights_gib("qwen3.5-27b", "fp8") / 2 == pytest.approx(14.28, abs=0.2)


def test_more_tokens_in_a_step_need_more_memory() -> None:
    # RTX 5090 with a 27B hybrid: 2.84 GiB at 8192 tokens, 2.21 at 2048, about 2 of it for images.
    model = published_model("qwen3.5-27b")
    large, small = (
        float(memory_of(model, chunk_tokens=tokens).activations_bytes[0]) / GIB
        for tokens in (8192, 2048)
    )
    assert large - small == pytest.approx(2.84 - 2.21, abs=0.15)
    assert large == pytest.approx(2.84, rel=0.3)


def test_prompts_read_whole_may_not_fit_although_weights_and_cache_do() -> None:
    # TGI issue 2301: 131,072 tokens at once on four H100.
    cells = {
        "model": "Llama-3.1-70B", "weight_precision": "bf16", "kv_precision": "bf16",
        "device": "H100 80GB", "n_devices": "4", "tp": "4", "max_model_len": "139264",
        "quantity": "fits", "unit": "bool",
    }  # fmt: skip
    assert value(**cells, engine="TGI", engine_version="2.2.0") > 1
    assert value(**cells, **VLLM) < 1


def test_old_kernels_of_awq_hold_partial_sums() -> None:
    # vLLM issue 2382: 38 GB of two A10 do not start Mixtral in 4 bit, whose weights are 24 GiB.
    cells = {
        "model": "TheBloke/Mixtral-8x7B-Instruct-v0.1-AWQ", "engine": "vLLM",
        "weight_precision": "int4 AWQ", "device": "A10 24GB", "n_devices": "2", "tp": "2",
        "quantity": "fits", "unit": "bool", "max_model_len": "32768",
    }  # fmt: skip
    assert value(**cells, engine_version="0.2.7", source_date="2024-01-08") > 1
    assert value(**cells, engine_version="0.10.0", source_date="2025-08-01") < 1


def test_graphs_may_be_what_does_not_fit() -> None:
    # Llama-3-70B on eight RTX 3090 (vLLM, 2024-06): out of memory, but with eager execution.
    cells = {
        "model": "llama3-70b", "engine": "vLLM", "weight_precision": "bf16", "tp": "8",
        "device": "RTX 3090 24GB", "n_devices": "8", "max_model_len": "128",
        "quantity": "fits", "unit": "bool",
    }  # fmt: skip
    assert value(**cells, source_date="2024-06-02") > 1
    assert value(**cells, source_date="2026-08-01") < 1


def test_weights_that_are_reduced_while_loading_are_loaded_first() -> None:
    # Qwen3-Next-80B on one card of 95 GiB: int8 only after 151 GiB of 16-bit weights.
    cells = {
        "model": "Qwen3-Next-80B-A3B", "engine": "SGLang", "device": "H20 96GB (95.08 GiB usable)",
        "tp": "1", "quantity": "fits", "unit": "bool", "max_model_len": "8192",
    }  # fmt: skip
    assert value(**cells, weight_precision="bf16->int8 online") > 1
    assert value(**cells, weight_precision="int8") < 1


@pytest.mark.parametrize(
    ("model", "weights", "device", "devices", "fits"),
    [
        # aiconfigurator pull 509 gave a time to the first token instead of "does not fit".
        ("Llama-3.1-405B", "fp8", "H100 80GB", 1, False),
        ("Llama-3-70B", "bf16", "A100 80GB", 1, False),
        ("DeepSeek-V3", "fp8", "H800 80GB", 8, False),
        # configiq issue 89 asked for 11 servers; one was measured.
        ("nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-FP8", "fp8", "H200", 8, True),
        ("DeepSeek-V3", "fp8", "H200", 8, True),
        ("openai/gpt-oss-20b", "mxfp4", "H100 80GB", 1, True),
    ],
)
def test_what_fits(model: str, weights: str, device: str, devices: int, fits: bool) -> None:
    cells = VLLM | {
        "model": model, "weight_precision": weights, "device": device, "tp": str(devices),
        "n_devices": str(devices), "max_model_len": "16384", "quantity": "fits", "unit": "bool",
    }  # fmt: skip
    assert (value(**cells) <= 1) == fits


@pytest.mark.parametrize(
    ("device", "gib"),
    [
        ("RTX 3090", 23.58), ("RTX 5090", 31.4), ("A100 80GB", 79.21), ("H100 80GB SXM", 79.2),
        ("H20 96GB", 95.08), ("H200", 139.8), ("B200", 178.35), ("GB10 DGX Spark", 121.69),
    ],
)  # fmt: skip
def test_a_driver_finds_less_than_the_label(device: str, gib: float) -> None:
    ours = value(model="-", device=device, quantity="usable_memory_gib", unit="GiB")
    assert ours == pytest.approx(gib, rel=0.01)


def test_settings_of_two_engines_are_shares_of_different_things() -> None:
    # vLLM issue 21348: on the same four H100, 178,880 tokens at 0.9 and 367,404 in SGLang at 0.93.
    memory = memory_of(published_model("qwen3-235b-a22b"), (4, 1, 0))
    pools = [
        float(
            cache_pool_bytes(
                engine=engine, usable_bytes=79.2 * GIB, memory=memory, utilization=share
            )[0]
        )
        for engine, share in (("vllm", 0.9), ("sglang", 0.93))
    ]
    assert pools[1] / pools[0] == pytest.approx(367_404 / 178_880, rel=0.2)
