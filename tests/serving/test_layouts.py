import numpy as np
import pytest

from hwplanner.serving.layouts import MOST_DEVICES, serving_layouts, stage_share
from tests.serving_jobs import layouts


@pytest.mark.parametrize("mixture_of_experts", [False, True])
def test_no_layout_is_listed_twice_or_is_too_large(mixture_of_experts: bool) -> None:
    listed = serving_layouts(mixture_of_experts=mixture_of_experts)
    rows = np.stack([listed.tensor, listed.pipeline, listed.attention_parallel])
    assert len(np.unique(rows, axis=1).T) == len(rows.T)
    assert listed.devices.max() == MOST_DEVICES


def test_a_model_a_little_too_large_for_eight_devices_may_take_twelve() -> None:
    listed = serving_layouts(mixture_of_experts=False)
    assert {1, 2, 3, 4, 6, 8, 12, 16, 32, 64} <= set(listed.devices)


def test_only_experts_are_spread_while_sequences_stay_whole() -> None:
    assert not serving_layouts(mixture_of_experts=False).attention_parallel.any()
    spread = serving_layouts(mixture_of_experts=True)
    assert spread.tensor[spread.attention_parallel > 0].min() == 2


def test_spread_sequences_live_on_ranks_of_their_own() -> None:
    both = layouts((8, 2, 0), (8, 2, 1))
    assert both.attention_split.tolist() == [8, 1]
    assert both.ranks.tolist() == [1, 8]
    assert both.devices.tolist() == [16, 16]


def test_the_fullest_stage_holds_a_layer_more() -> None:
    # DeepSeek-V3: 61 layers in 8 stages, five of 8 and three of 7.
    assert stage_share(layers=61, stages=8) == 8 / 61
    assert stage_share(layers=80, stages=4) == 1 / 4
