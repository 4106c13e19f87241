import math

import numpy as np
import pytest
from hypothesis import given

from hwplanner.model.kv_cache import cache_bytes
from hwplanner.model.numbers import model_numbers, stacked
from hwplanner.model.presets import load_models
from hwplanner.model.shape import ModelShape
from tests.shapes import shapes, tiny


def test_attention_width_by_hand() -> None:
    # Two layers of 2 heads x 4; a latent layer of 2 heads x (5 in the query + 3 in the value) / 2.
    assert model_numbers(tiny()).attention_width == 2 * 2 * 4
    latent = tiny(kv_lora_rank=4, qk_rope_head_dim=2, qk_nope_head_dim=3, v_head_dim=3)
    assert model_numbers(latent).attention_width == 2 * 2 * (5 + 3) / 2


def test_global_layers_may_have_wider_heads() -> None:
    shape = tiny(full_layers=1, head_dim_global=16, sliding_layers=1, sliding_window=8)
    assert model_numbers(shape).attention_width == 2 * 16
    assert model_numbers(shape).sliding_attention_width == 2 * 4


def test_feed_forward_width_of_a_token_is_a_mean_over_the_layers() -> None:
    # DeepSeek-V3: 3 layers of 18432, 58 of (8 + 1) experts of 2048.
    model = model_numbers(load_models().get("deepseek-v3"))
    assert model.active_ffn == pytest.approx((3 * 18_432 + 58 * 9 * 2048) / 61)


def test_only_sparse_attention_limits_the_tokens_attended_to() -> None:
    assert model_numbers(load_models().get("deepseek-v3.2")).attended_tokens == 2048
    assert model_numbers(load_models().get("deepseek-v3")).attended_tokens == math.inf


@given(shapes())
def test_parts_sum_to_the_total(shape: ModelShape) -> None:
    model = model_numbers(shape)
    tables = model.embedding_parameters + model.head_parameters
    experts = model.experts * model.expert_each_parameters
    assert model.total_parameters == model.body_parameters + experts + tables
    assert model.attention_parameters <= model.body_parameters


def test_stacked_models_are_worked_out_in_one_call() -> None:
    models = [model_numbers(shape) for shape in load_models().shapes]
    tokens = np.arange(1000.0, 1000.0 + len(models))
    together = cache_bytes(
        model=stacked(models), context_tokens=tokens[:, None], bytes_per_value=1.0
    )
    alone = [
        float(cache_bytes(model=model, context_tokens=count, bytes_per_value=1.0))
        for model, count in zip(models, tokens, strict=True)
    ]
    np.testing.assert_allclose(np.asarray(together)[:, 0], alone, rtol=1e-12)
