"""Activations of a layer, against the paper that counted them first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.training.activations import (
    layer_activation_bytes_per_token,
    megatron_layer_activation_bytes,
)
from hwplanner.units import GIB
from tests.published import published

MEGATRON_22B_LAYERS = 48
MEGATRON_22B = {
    "sequence_tokens": 2048,
    "micro_batch": 4,
    "hidden": 6144,
    "heads": 64,
    "tensor": 8,
}


@pytest.mark.parametrize(
    ("sequence_parallel", "recompute", "gib"),
    [(False, "none", 59.25), (True, "selective", 9.5625)],
)
def test_megatron_22b_as_in_figure_1_of_korthikanti(
    sequence_parallel: bool, recompute: str, gib: float
) -> None:
    layer = megatron_layer_activation_bytes(
        sequence_parallel=sequence_parallel, recompute=recompute, **MEGATRON_22B
    )
    assert MEGATRON_22B_LAYERS * layer / GIB == gib


@pytest.mark.parametrize(
    "case", published("activations_megatron.csv"), ids=lambda case: case["case"]
)
def test_shares_of_the_tensor_parallel_baseline(case: dict[str, str]) -> None:
    baseline = megatron_layer_activation_bytes(
        sequence_parallel=False, recompute="none", **MEGATRON_22B
    )
    layer = megatron_layer_activation_bytes(
        sequence_parallel=case["sequence_parallel"] == "1",
        recompute=case["recompute"],
        **MEGATRON_22B,
    )
    # The paper also counts the few activations outside the layers.
    expected = float(case["share_of_tensor_parallel_percent"])
    assert 100 * layer / baseline == pytest.approx(expected, abs=0.1)


def test_a_gpt_layer_keeps_what_korthikanti_counts_less_dropout_and_scores() -> None:
    # 34 h, of which two dropout masks of one byte: after the attention and after the MLP.
    hidden = 6144
    kept = layer_activation_bytes_per_token(
        hidden=hidden, attention=hidden, key_value=hidden, ffn=4 * hidden, gated=False
    )
    assert kept == (34 - 2) * hidden


def test_without_sequence_parallelism_norms_are_kept_whole_on_each_device() -> None:
    widths = {"hidden": 1024, "attention": 1024, "key_value": 256, "ffn": 4096, "gated": True}
    whole = layer_activation_bytes_per_token(**widths)
    shared = layer_activation_bytes_per_token(**widths, tensor=8)
    between = layer_activation_bytes_per_token(**widths, tensor=8, sequence_parallel=False)
    assert shared == whole / 8
    assert between == shared + 8 * 1024 * 7 / 8


@given(tensor=st.integers(1, 8), recompute=st.sampled_from(["none", "selective", "full"]))
def test_sharing_more_never_keeps_more(tensor: int, recompute: str) -> None:
    layer = MEGATRON_22B | {"recompute": recompute, "tensor": tensor}
    alone = megatron_layer_activation_bytes(**layer, sequence_parallel=False)
    shared = megatron_layer_activation_bytes(**layer, sequence_parallel=True)
    assert shared <= alone
