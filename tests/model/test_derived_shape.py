import math
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hwplanner.model.derived_shape import derive_shape
from hwplanner.model.kv_cache import cache_bytes_per_token
from hwplanner.model.numbers import model_numbers
from hwplanner.model.shape import ModelShape
from hwplanner.scenario import PARAMETERS_BILLION
from hwplanner.serving.memory import working_bytes
from hwplanner.training.activations import layer_activation_bytes_per_token

SIZES = st.floats(math.log(0.1e9), math.log(2e12)).map(math.exp)
SHARES = st.floats(0.02, 0.5)
SLIDER = [billion * 1e9 for billion in PARAMETERS_BILLION]
ONE_TOKEN = {"chunk_tokens": 1, "tensor": 1}


def growing_figures(shape: ModelShape) -> dict[str, float]:
    """What must never fall when the size grows."""
    model = model_numbers(shape)
    return {
        "layers": model.layers,
        "hidden": model.hidden,
        "heads": model.heads,
        "total parameters": model.total_parameters,
        "vocabulary": model.vocab,
        "cache": float(cache_bytes_per_token(model=model, bytes_per_value=2)),
        "attention": model.attention_width,
    }


def figures_on_the_slider(shape: ModelShape) -> dict[str, float]:
    """What must moreover not fall from one step of the slider to the next."""
    model = model_numbers(shape)
    training_bytes = layer_activation_bytes_per_token(
        hidden=model.hidden,
        attention=model.attention_width / model.layers,
        key_value=model.kv_heads * model.head_dim,
        ffn=model.active_ffn,
        gated=True,
    )
    return growing_figures(shape) | {
        "active parameters": model.active_parameters,
        "feed-forward width": model.active_ffn,
        "serving activations": working_bytes(
            hidden=model.hidden, ffn=model.active_ffn, **ONE_TOKEN
        ),
        "training activations": model.layers * training_bytes,
    }


def falls(
    small: ModelShape,
    large: ModelShape,
    figures: Callable[[ModelShape], dict[str, float]] = growing_figures,
) -> list[str]:
    before, after = figures(small), figures(large)
    return [name for name in before if after[name] < before[name]]


def slider(kind: str, share: float) -> list[ModelShape]:
    return [derive_shape(total_parameters=size, kind=kind, active_share=share) for size in SLIDER]


@pytest.mark.parametrize(
    ("size", "layers", "hidden", "heads", "ffn"),
    [
        (8.03e9, 32, 4096, 32, 14_336),
        (70.55e9, 80, 8192, 64, 28_672),
        (405.85e9, 126, 16_384, 128, 53_248),
    ],
)
def test_at_the_sizes_of_llama_3_it_looks_like_llama_3(
    size: float, layers: int, hidden: int, heads: int, ffn: int
) -> None:
    shape = derive_shape(total_parameters=size)
    assert (shape.layers, shape.hidden, shape.heads) == (layers, hidden, heads)
    assert (shape.kv_heads, shape.head_dim) == (8, 128)
    assert shape.vocab == pytest.approx(128_256, rel=0.001)
    assert shape.ffn == pytest.approx(ffn, rel=0.01)


@pytest.mark.parametrize(
    ("size", "share", "layers", "hidden", "active"),
    [(671e9, 0.055, 61, 7168, 37e9), (46.7e9, 0.276, 32, 4096, 12.9e9)],
)
def test_mixtures_resemble_deepseek_v3_and_mixtral(
    size: float, share: float, layers: int, hidden: int, active: float
) -> None:
    shape = derive_shape(total_parameters=size, kind="moe", active_share=share)
    assert shape.layers == pytest.approx(layers, rel=0.25)
    assert shape.hidden == pytest.approx(hidden, rel=0.2)
    assert model_numbers(shape).active_parameters == pytest.approx(active, rel=0.06)


@given(size=SIZES)
def test_dense_size_is_met(size: float) -> None:
    shape = derive_shape(total_parameters=size)
    assert model_numbers(shape).total_parameters == pytest.approx(size, rel=0.01)


@given(size=SIZES.filter(lambda size: size > 1e9), share=SHARES)
def test_the_size_of_a_mixture_is_met(size: float, share: float) -> None:
    model = model_numbers(derive_shape(total_parameters=size, kind="moe", active_share=share))
    assert model.total_parameters == pytest.approx(size, rel=0.01)


@given(size=SIZES.filter(lambda size: size > 25e9), share=SHARES)
def test_the_share_of_a_mixture_is_met(size: float, share: float) -> None:
    model = model_numbers(derive_shape(total_parameters=size, kind="moe", active_share=share))
    assert model.active_parameters / model.total_parameters == pytest.approx(share, rel=0.25)


def divisor(heads: int) -> int:
    """Power of two by which a number of heads must divide, so that devices can share them."""
    return 8 if heads < 32 else 16 if heads <= 64 else 32 if heads <= 128 else 64


@given(size=SIZES, kind=st.sampled_from(["dense", "moe"]), share=SHARES)
def test_large_models_can_be_split_over_many_devices(size: float, kind: str, share: float) -> None:
    shape = derive_shape(total_parameters=size, kind=kind, active_share=share)
    assert shape.heads % divisor(shape.heads) == 0
    assert shape.heads % shape.kv_heads == 0
    assert shape.head_dim == 128
    assert shape.heads * shape.head_dim == pytest.approx(shape.hidden, rel=0.5)


def test_no_figure_falls_from_one_step_of_the_slider_to_the_next() -> None:
    steps = slider("dense", 1.0)
    assert [falls(*pair, figures_on_the_slider) for pair in pairwise(steps)] == [[]] * (
        len(SLIDER) - 1
    )


@given(share=SHARES)
@settings(max_examples=40)
@example(share=0.0275)
def test_no_figure_of_a_mixture_falls_along_the_slider(share: float) -> None:
    steps = slider("moe", share)
    assert [falls(*pair, figures_on_the_slider) for pair in pairwise(steps)] == [[]] * (
        len(SLIDER) - 1
    )


@given(size=SIZES, growth=st.floats(1, 1.05))
def test_a_larger_dense_model_is_nowhere_smaller(size: float, growth: float) -> None:
    small, large = (derive_shape(total_parameters=s) for s in (size, size * growth))
    assert falls(small, large) == []


@given(size=SIZES, growth=st.floats(1, 1.05), share=SHARES)
def test_a_larger_mixture_is_nowhere_smaller(size: float, growth: float, share: float) -> None:
    small, large = (
        derive_shape(total_parameters=s, kind="moe", active_share=share)
        for s in (size, size * growth)
    )
    assert falls(small, large) == []


@pytest.mark.parametrize("share", [1.0, 0.276, 0.055])
def test_no_figure_falls_between_the_steps(share: float) -> None:
    kind = "dense" if share == 1 else "moe"
    sizes = [0.1e9 * (20_000 ** (step / 2000)) for step in range(2001)]
    shapes = [derive_shape(total_parameters=size, kind=kind, active_share=share) for size in sizes]
    assert [falls(*pair) for pair in pairwise(shapes)] == [[]] * 2000


def test_sizes_beyond_the_slider_take_its_ends() -> None:
    smallest, largest = derive_shape(total_parameters=0.1e9), derive_shape(total_parameters=2e12)
    assert derive_shape(total_parameters=1.0) == smallest
    assert derive_shape(total_parameters=1e15) == largest


@pytest.mark.parametrize(("size", "name"), [(70e9, "70B"), (0.35e9, "0.35B"), (1.5e12, "1.5T")])
def test_the_name_says_the_size_that_was_asked_for(size: float, name: str) -> None:
    assert derive_shape(total_parameters=size).name == f"{name} dense (derived)"
