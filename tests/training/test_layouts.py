"""Layouts: every one is whole, and nothing sensible is cut in two."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.scenario import controls
from hwplanner.training.layouts import (
    MOST_DEVICES,
    TrainingLayout,
    as_arrays,
    training_layouts,
)

SEQUENCES = controls()["sequence_tokens"].options
BATCHES = controls()["batch_sequences"].options


@given(
    layers=st.integers(1, 200),
    heads=st.integers(1, 128),
    experts=st.sampled_from([0, 8, 60, 128, 256]),
    sequence_tokens=st.sampled_from(SEQUENCES),
    batch_sequences=st.sampled_from(BATCHES),
)
def test_every_layout_divides_what_it_shares(
    layers: int, heads: int, experts: int, sequence_tokens: int, batch_sequences: int
) -> None:
    layouts = training_layouts(
        layers=layers,
        heads=heads,
        experts=experts,
        sequence_tokens=sequence_tokens,
        batch_sequences=batch_sequences,
    )
    sequences = layouts.replicas * layouts.micro_batch * layouts.accumulation
    assert (sequences == batch_sequences).all()
    assert (heads % layouts.tensor == 0).all()
    assert (layouts.pipeline <= layers).all()
    assert (np.maximum(experts, 1) % layouts.expert == 0).all()
    assert (layouts.replicas % layouts.expert == 0).all()
    assert (np.diff(layouts.devices) >= 0).all()
    assert layouts.devices[0] == 1
    assert layouts.devices[-1] <= MOST_DEVICES


def test_no_layout_is_listed_twice() -> None:
    layouts = training_layouts(
        layers=61, heads=128, experts=256, sequence_tokens=131072, batch_sequences=1024
    )
    rows = np.stack([getattr(layouts, name) for name in TrainingLayout._fields], axis=1)
    assert len(np.unique(rows, axis=0)) == len(rows)


def test_a_dense_model_has_no_expert_groups_and_a_short_sequence_is_not_split() -> None:
    layouts = training_layouts(
        layers=80, heads=64, experts=0, sequence_tokens=4096, batch_sequences=128
    )
    assert set(layouts.expert) == {1}
    assert set(layouts.context) == {1}


def test_a_long_sequence_is_split_into_parts_that_are_still_long() -> None:
    layouts = training_layouts(
        layers=80, heads=64, experts=0, sequence_tokens=32768, batch_sequences=128
    )
    assert set(layouts.context) == {1, 2, 4}


def test_one_sequence_a_step_leaves_only_splits_of_the_model() -> None:
    layouts = training_layouts(
        layers=80, heads=64, experts=0, sequence_tokens=4096, batch_sequences=1
    )
    assert set(layouts.replicas) == {1}
    assert layouts.devices.max() == 8 * 64


def test_devices_and_shards_multiply_the_splits() -> None:
    layout = TrainingLayout(tensor=8, pipeline=4, context=2, replicas=16, micro_batch=2)
    layouts = as_arrays([layout], batch_sequences=128)
    assert layouts.devices.tolist() == [layout.devices] == [1024]
    assert layouts.shards.tolist() == [32]
    assert layouts.accumulation.tolist() == [4]


def test_a_batch_that_does_not_divide_is_rounded_up() -> None:
    layouts = as_arrays([TrainingLayout(replicas=3, micro_batch=2)], batch_sequences=128)
    assert layouts.accumulation.tolist() == [22]


@pytest.mark.parametrize("kept", [np.array([True, False]), np.array([0])])
def test_taking_keeps_all_columns_together(kept: np.ndarray) -> None:
    layouts = as_arrays([TrainingLayout(2), TrainingLayout(4, 2)], batch_sequences=8).take(kept)
    assert layouts.tensor.tolist() == [2]
    assert layouts.pipeline.tolist() == [1]
