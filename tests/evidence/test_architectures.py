"""The architecture of a run: by name, by the row's own sizes, by its parameters."""

import pytest

from hwplanner.evidence.architectures import Sizes, architecture
from hwplanner.model.numbers import model_numbers
from hwplanner.model.presets import load_models

LLAMA_8B = load_models().get("llama-3.1-8b")


def test_a_named_model_that_the_row_agrees_with_is_taken_exactly() -> None:
    sizes = Sizes(parameters=8.03e9, layers=32, hidden=4096, vocab=128_256)
    assert architecture(sizes, named=LLAMA_8B) == model_numbers(LLAMA_8B)


@pytest.mark.parametrize("sizes", [Sizes(parameters=4e9, layers=16, hidden=4096, heads=32)])
def test_a_row_that_contradicts_the_name_is_believed(sizes: Sizes) -> None:
    model = architecture(sizes, named=LLAMA_8B)
    assert model is not None
    assert model.layers == 16


@pytest.mark.parametrize(
    ("sizes", "gated", "tied"),
    [
        # MPT-7B: 32 x (4 + 8) x 4096^2 + 50368 x 4096, plain and tied.
        (Sizes(6.6589e9, 6.6589e9, 32, 4096, 32, 32, 16384, 50368), False, True),
        # Llama-2-7B: gated, with a head of its own.
        (Sizes(6.74e9, 6.74e9, 32, 4096, 32, 32, 11008, 32000), True, False),
    ],
)
def test_gate_and_tied_head_follow_from_the_count(sizes: Sizes, gated: bool, tied: bool) -> None:
    model = architecture(sizes, named=None)
    assert model is not None
    assert (bool(model.gated_mlp), bool(model.tied_embeddings)) == (gated, tied)
    assert float(model.total_parameters) == pytest.approx(sizes.parameters, rel=0.005)


def test_experts_follow_from_all_and_active_parameters() -> None:
    # Qwen3-30B-A3B has 128 experts of 3 x 2048 x 768 in 48 layers, and uses 8.
    model = architecture(Sizes(30.5e9, 3.3e9, 48, 2048, 32, 4, 768, 151_936), named=None)
    assert model is not None
    assert float(model.experts) == pytest.approx(128, abs=4)
    assert float(model.experts_per_token) == pytest.approx(8, abs=2)


def test_layers_of_an_old_gpt_follow_from_width_and_count() -> None:
    # 200 billion at width 14,400 and a vocabulary of 250,000: (200 - 3.6) / (12 x 0.207) = 79.
    model = architecture(Sizes(parameters=200e9, hidden=14_400, vocab=250_000), named=None)
    assert model is not None
    assert model.layers == 79


def test_a_count_alone_gives_a_model_of_about_that_size() -> None:
    model = architecture(Sizes(parameters=13e9), named=None)
    assert model is not None
    assert float(model.total_parameters) == pytest.approx(13e9, rel=0.01)


def test_nothing_to_go_by_is_no_model() -> None:
    assert architecture(Sizes(), named=None) is None
