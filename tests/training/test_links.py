"""What a run sends, worked by hand with every efficiency set to 1."""

import numpy as np
import pytest

from hwplanner.model.numbers import ModelNumbers
from hwplanner.training.layouts import TrainingLayout, as_arrays
from hwplanner.training.links import Communication, communication, training_links
from tests.devices import NO_FAST_LINK, arrays
from tests.training_runs import ASSUMPTIONS, EXPERTS, assumed, run_of, small_model

LINK, NETWORK = 450e9, 50e9
PERFECT = assumed(
    training_link_efficiency__link=1,
    training_link_efficiency__host=1,
    training_link_efficiency__network=1,
    exposed_share__tensor=1,
    exposed_share__expert=1,
    exposed_share__context=1,
    exposed_share__gradient=1,
)


def sent(model: ModelNumbers, layout: TrainingLayout, **changes: object) -> Communication:
    run = run_of(model, layout, assumptions=PERFECT, **changes)
    return communication(run, training_links(arrays(), PERFECT), np.array([[0.0]]), PERFECT)


def test_fsdp_gathers_weights_twice_and_spreads_gradients_once() -> None:
    model = small_model()
    found = sent(model, TrainingLayout(replicas=8))
    assert found.gather == pytest.approx(7 / 8 * (2 * 2 + 2) * model.total_parameters / LINK)
    assert found.gradients == 0


def test_unsharded_weights_exchange_gradients_once_a_step() -> None:
    model = small_model()
    found = sent(model, TrainingLayout(replicas=8), sharding="zero0")
    assert found.gather == 0
    assert found.gradients == pytest.approx(7 / 8 * 4 * model.total_parameters / LINK)


def test_lora_exchanges_only_what_it_trains() -> None:
    model = small_model()
    trained = sent(model, TrainingLayout(replicas=8), sharding="zero0").gradients
    adapted = sent(model, TrainingLayout(replicas=8), sharding="zero0", method="lora").gradients
    assert adapted < trained / 50


def test_tensor_groups_reduce_each_layer_four_times() -> None:
    # Twice forward, twice backward: 2 x 7/8 of tokens x hidden x 2 bytes each.
    found = sent(small_model(), TrainingLayout(tensor=8), sequence_tokens=512)
    payload = 512 * 1024 * 2
    assert found.waits == pytest.approx(4 * 8 * 2 * 7 / 8 * payload / LINK)


def test_context_groups_pass_keys_and_values_round() -> None:
    # 16 kv values of 64 for key and value, 8 layers; once forward, twice backward.
    found = sent(small_model(), TrainingLayout(context=4), sequence_tokens=4096)
    payload = 4096 * 8 * (8 * 2 * 64) * 2
    assert found.waits == pytest.approx(3 * 3 / 4 * payload / LINK)


def test_expert_groups_send_each_token_to_its_experts() -> None:
    model = small_model(**EXPERTS, moe_ffn=512)
    found = sent(model, TrainingLayout(replicas=8, expert=8), sequence_tokens=512)
    width = PERFECT.typical("dispatch_bytes_per_value")
    payload = 512 * 2 * 1024 * 8 * width
    assert found.waits == pytest.approx(4 * 7 / 8 * payload / LINK)


def test_replicas_in_several_servers_share_their_network_cards() -> None:
    model = small_model()
    in_pairs = sent(model, TrainingLayout(tensor=8, replicas=2))
    together = sent(model, TrainingLayout(replicas=16))
    part = 6 * model.total_parameters
    assert in_pairs.gather == pytest.approx(1 / 2 * part / 8 / NETWORK)
    assert together.gather == pytest.approx(15 / 16 * part / (8 * NETWORK))


def test_one_device_sends_nothing() -> None:
    found = sent(small_model(), TrainingLayout())
    assert found.gather == found.waits == found.gradients == 0


@pytest.mark.parametrize(
    ("changes", "layout", "joined"),
    [
        ({}, TrainingLayout(replicas=64), True),
        ({"scale_out_bytes_per_s": None}, TrainingLayout(replicas=8), True),
        ({"scale_out_bytes_per_s": None}, TrainingLayout(replicas=16), False),
        (NO_FAST_LINK, TrainingLayout(tensor=8, replicas=2), True),
        (NO_FAST_LINK | {"scale_out_bytes_per_s": None}, TrainingLayout(pipeline=16), False),
        (NO_FAST_LINK | {"host_link_bytes_per_s": None}, TrainingLayout(tensor=2), False),
        (NO_FAST_LINK | {"host_link_bytes_per_s": None}, TrainingLayout(replicas=2), True),
    ],
)
def test_devices_are_joined_by_published_links_only(
    changes: dict[str, object], layout: TrainingLayout, joined: bool
) -> None:
    links = training_links(arrays(changes), ASSUMPTIONS)
    assert links.joins(as_arrays([layout], batch_sequences=64)).tolist() == [[joined]]
