import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.model.kv_cache import (
    cache_bytes,
    cache_bytes_per_token,
    heads_per_rank,
    state_bytes,
    window_bytes_per_token,
)
from hwplanner.model.numbers import ModelNumbers, model_numbers
from hwplanner.model.presets import load_models
from hwplanner.model.shape import ModelShape
from hwplanner.units import GIB, MIB
from tests.published import published
from tests.shapes import shapes, tiny

LATENT = {"kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128}


def shipped(name: str) -> ModelNumbers:
    return model_numbers(load_models().get(name))


@pytest.mark.parametrize("case", published("cache_logs.csv"), ids=lambda case: case["case"])
def test_bytes_that_engines_report(case: dict[str, str]) -> None:
    one = cache_bytes(
        model=shipped(case["model"]),
        context_tokens=float(case["tokens_per_sequence"]),
        bytes_per_value=float(case["bytes_per_value"]),
        tensor_parallel=float(case["tensor_parallel"]),
        prefill_chunk_tokens=float(case["chunk_tokens"]),
    )
    # Logs round to 0.01 GiB or 0.01 %.
    gib = float(case["gib_per_rank"])
    assert one * float(case["sequences"]) / GIB == pytest.approx(gib, rel=2e-4, abs=0.005)


@pytest.mark.parametrize(
    ("name", "bytes_per_token"),
    [
        ("llama-3.1-8b", 131_072),
        ("llama-3.1-70b", 327_680),
        ("llama-3.1-405b", 516_096),
        ("llama-2-7b", 524_288),
        ("deepseek-v3", 70_272),
        ("kimi-k2", 70_272),
        ("gpt-oss-120b", 36_864),
        ("gpt-oss-20b", 24_576),
        ("gemma-3-27b", 81_920),
        ("gemma-4-31b", 81_920),
        ("qwen3.5-27b", 65_536),
        ("nemotron-h-56b", 40_960),
        ("glm-5", 78 * (1152 + 132)),
        ("glm-5.2", 78 * 1152 + 21 * 132),
        ("mistral-nemo-12b", 163_840),  # head size 128, though hidden / heads is 160
        ("glm-4.5", 92 * 2 * 8 * 128 * 2),  # head size 128, though hidden / heads is 53
    ],
)
def test_growing_bytes_of_each_token_at_16_bit(name: str, bytes_per_token: int) -> None:
    assert cache_bytes_per_token(model=shipped(name), bytes_per_value=2) == bytes_per_token


@pytest.mark.parametrize(
    ("name", "bytes_per_token"),
    [("gpt-oss-120b", 36_864), ("gemma-3-27b", 425_984), ("gemma-4-31b", 819_200)],
)
def test_sliding_layers_add_bytes_up_to_their_window(name: str, bytes_per_token: int) -> None:
    assert window_bytes_per_token(model=shipped(name), bytes_per_value=2) == bytes_per_token


def test_32_users_of_8k_on_a_70b_model() -> None:
    one = cache_bytes(model=shipped("llama-3-70b"), context_tokens=8192, bytes_per_value=2)
    assert 32 * one == 80 * GIB


def test_what_a_hybrid_keeps_of_four_long_sequences() -> None:
    # llama.cpp prints 16,384 MiB for 262,144 tokens and 598.5 MiB of states in 32 bit.
    model = shipped("qwen3.5-27b")
    assert 262_144 * cache_bytes_per_token(model=model, bytes_per_value=2) == 16_384 * MIB
    assert 4 * state_bytes(model=model, conv_bytes_per_value=4) == 598.5 * MIB


def test_a_state_is_a_matrix_for_each_head() -> None:
    # 30 layers x (32 heads x 128 x 128 x 4 B + 8192 channels x 3 inputs x 2 B) = 61.4 MiB.
    by_hand = 30 * (32 * 128 * 128 * 4 + 8192 * 3 * 2)
    assert state_bytes(model=shipped("qwen3.5-35b-a3b")) == by_hand


def test_latent_attention_is_not_divided() -> None:
    model = shipped("deepseek-v3")
    bytes_per_token = cache_bytes_per_token(
        model=model, bytes_per_value=2, tensor_parallel=np.array([1.0, 2.0, 8.0, 16.0])
    )
    assert bytes_per_token == pytest.approx([70_272] * 4)


def test_sparse_latent_attention_keeps_656_bytes_in_fp8() -> None:
    latent = shipped("glm-5")
    assert cache_bytes_per_token(model=latent, bytes_per_value=1) == 78 * (656 + 132)
    assert cache_bytes_per_token(model=shipped("kimi-k2"), bytes_per_value=1) == 61 * 576


def test_heads_are_repeated_where_ranks_outnumber_them() -> None:
    ranks = np.array([1.0, 4.0, 8.0, 16.0])
    assert list(heads_per_rank(kv_heads=8, tensor_parallel=ranks)) == [8, 2, 1, 1]
    mqa = model_numbers(tiny())
    bytes_per_token = cache_bytes_per_token(model=mqa, bytes_per_value=2, tensor_parallel=ranks)
    assert bytes_per_token == pytest.approx([2 * 2 * 4 * 2] * 4)


def test_the_8b_model_of_the_guide() -> None:
    gqa = model_numbers(
        tiny(layers=32, full_layers=32, dense_layers=32, heads=32, kv_heads=8, head_dim=128)
    )
    assert cache_bytes(model=gqa, context_tokens=8192, bytes_per_value=2) == GIB


@given(
    shape=shapes(),
    context=st.integers(0, 10**6),
    more=st.integers(0, 10**5),
    ranks=st.sampled_from([1.0, 2.0, 8.0, 64.0]),
)
def test_a_longer_context_never_needs_less(
    shape: ModelShape, context: int, more: int, ranks: float
) -> None:
    model = model_numbers(shape)
    short, long = cache_bytes(
        model=model,
        context_tokens=np.array([context, context + more], dtype=float),
        bytes_per_value=2.0,
        tensor_parallel=ranks,
    )
    assert short <= long


@given(shape=shapes(), context=st.integers(1, 10**6))
def test_more_ranks_never_hold_more_and_together_never_less(
    shape: ModelShape, context: int
) -> None:
    ranks = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    held = cache_bytes(
        model=model_numbers(shape),
        context_tokens=float(context),
        bytes_per_value=2.0,
        tensor_parallel=ranks,
    )
    assert np.all(np.diff(held) <= 0)
    assert np.all(held * ranks >= held[0] * (1 - 1e-12))


@given(shape=shapes(), context=st.integers(1, 10**6))
def test_half_the_width_is_half_the_cache_beside_the_states(
    shape: ModelShape, context: int
) -> None:
    model = model_numbers(shape)
    states = state_bytes(model=model)
    wide = cache_bytes(model=model, context_tokens=float(context), bytes_per_value=2.0) - states
    narrow = cache_bytes(model=model, context_tokens=float(context), bytes_per_value=1.0) - states
    assert narrow == pytest.approx(wide / 2)


@given(shape=shapes(), context=st.integers(1, 10**6))
def test_windows_never_need_more_than_full_attention(shape: ModelShape, context: int) -> None:
    every_layer_full = shape.model_copy(
        update={"full_layers": shape.full_layers + shape.sliding_layers, "sliding_layers": 0}
    )
    windowed, full = (
        cache_bytes(model=model_numbers(s), context_tokens=float(context), bytes_per_value=2.0)
        for s in (shape, every_layer_full)
    )
    assert windowed <= full


def test_latent_layers_have_no_heads_to_divide() -> None:
    shape = tiny(heads=8, kv_heads=8, **LATENT)
    assert cache_bytes_per_token(model=model_numbers(shape), bytes_per_value=2) == 2 * 576 * 2
