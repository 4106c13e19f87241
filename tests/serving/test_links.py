import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.serving.links import ServingLinks, serving_links
from tests.devices import NO_FAST_LINK, arrays
from tests.serving_jobs import ASSUMPTIONS, layout_rows, layouts

NVLINK_LATENCY = ASSUMPTIONS.typical("allreduce_latency_seconds", "nvlink")
PCIE_LATENCY = ASSUMPTIONS.typical("allreduce_latency_seconds", "pcie")
NETWORK_LATENCY = ASSUMPTIONS.typical("allreduce_latency_seconds", "network")
NVLINK_SHARE = ASSUMPTIONS.typical("link_efficiency", "nvlink")
PCIE_SHARE = ASSUMPTIONS.typical("link_efficiency", "pcie")
FABRIC_SHARE = ASSUMPTIONS.typical("link_efficiency", "fabric")
NETWORK_SHARE = ASSUMPTIONS.typical("link_efficiency", "network")
MESH = {"link_class": "fabric", "link_bytes_per_s": 448e9, "pairwise_link_bytes_per_s": 64e9}


def links(*rows: tuple[int, int, int], **device: object) -> ServingLinks:
    return serving_links(devices=arrays(device), layouts=layouts(*rows), assumptions=ASSUMPTIONS)


def test_a_device_alone_talks_to_nobody() -> None:
    alone = links((1, 1, 0), **NO_FAST_LINK, host_link_bytes_per_s=None)
    assert alone.joined.all()
    assert alone.exchange_seconds_per_byte == alone.hop_seconds_per_byte == 0
    assert alone.exchange_start_seconds == alone.hop_start_seconds == 0


def test_eight_devices_behind_a_switch() -> None:
    eight = links((8, 1, 0))
    assert eight.exchange_seconds_per_byte[0, 0] == pytest.approx(1 / (450e9 * NVLINK_SHARE))
    assert eight.exchange_start_seconds[0, 0] == pytest.approx(3 * NVLINK_LATENCY)


def test_two_servers_start_later_by_one_network_round() -> None:
    sixteen = links((16, 1, 0))
    expected = 3 * NVLINK_LATENCY + NETWORK_LATENCY
    assert sixteen.exchange_start_seconds[0, 0] == pytest.approx(expected)


def test_bridged_pairs_start_on_the_bridge_and_go_on_over_pcie() -> None:
    bridged = links((8, 1, 0), scale_up_domain=2)
    expected = NVLINK_LATENCY + 2 * PCIE_LATENCY
    assert bridged.exchange_start_seconds[0, 0] == pytest.approx(expected)
    assert bridged.exchange_seconds_per_byte[0, 0] == pytest.approx(1 / (64e9 * PCIE_SHARE))


def test_a_pair_in_a_mesh_has_one_wire_and_may_fill_it() -> None:
    mesh = links((2, 1, 0), (8, 1, 0), **MESH)
    expected = [1 / 64e9, 1 / (448e9 * FABRIC_SHARE)]
    assert mesh.exchange_seconds_per_byte[0] == pytest.approx(expected)


def test_cards_over_two_servers_are_no_faster_than_in_one() -> None:
    cards = links((8, 1, 0), (16, 1, 0), **NO_FAST_LINK)
    inside, across = cards.exchange_seconds_per_byte[0]
    assert inside == pytest.approx(1 / (64e9 * PCIE_SHARE))
    assert across >= inside


def test_wide_tensor_groups_of_cards_are_not_run() -> None:
    cards = links((8, 1, 0), (16, 1, 0), (32, 1, 0), (64, 1, 0), **NO_FAST_LINK)
    assert cards.joined[0].tolist() == [True, True, False, False]


def test_without_a_network_nothing_leaves_the_server() -> None:
    cards = links((8, 1, 0), (16, 1, 0), (1, 16, 0), **NO_FAST_LINK, scale_out_bytes_per_s=None)
    assert cards.joined[0].tolist() == [True, False, False]


def test_desktops_without_a_link_stand_alone() -> None:
    desktop = NO_FAST_LINK | {"host_link_bytes_per_s": None, "scale_out_bytes_per_s": None}
    assert links((1, 1, 0), (2, 1, 0), (1, 2, 0), **desktop).joined[0].tolist() == [
        True,
        False,
        False,
    ]


def test_a_domain_whose_rate_is_not_published_is_not_used() -> None:
    unknown = links((2, 1, 0), link_bytes_per_s=None)
    assert unknown.exchange_seconds_per_byte[0, 0] == pytest.approx(1 / (64e9 * PCIE_SHARE))


def test_experts_over_servers_are_sent_through_each_device_s_own_card() -> None:
    # Of the 15 others, 8 sit in the other server.
    spread = links((16, 1, 1))
    expected = 7 / 15 / (450e9 * NVLINK_SHARE) + 8 / 15 / (50e9 * NETWORK_SHARE)
    assert spread.exchange_seconds_per_byte[0, 0] == pytest.approx(expected)
    assert links((64, 1, 1)).joined.all()


def test_stages_in_one_domain_and_across_servers() -> None:
    inside, across = links((2, 4, 0), (8, 2, 0)).hop_start_seconds[0]
    assert inside == pytest.approx(4 * NVLINK_LATENCY)
    assert across == pytest.approx(2 * NETWORK_LATENCY)
    assert links((8, 2, 0)).hop_seconds_per_byte[0, 0] == pytest.approx(1 / (50e9 * NETWORK_SHARE))


@given(
    row=layout_rows(),
    figure=st.sampled_from(["link_bytes_per_s", "host_link_bytes_per_s", "scale_out_bytes_per_s"]),
    more=st.floats(1, 2),
    domain=st.sampled_from([2, 8, 72]),
)
def test_a_faster_link_never_slows(
    row: tuple[int, int, int], figure: str, more: float, domain: int
) -> None:
    usual = {
        "link_bytes_per_s": 450e9,
        "host_link_bytes_per_s": 64e9,
        "scale_out_bytes_per_s": 50e9,
    }
    slow = links(row, scale_up_domain=domain, **usual)
    fast = links(row, scale_up_domain=domain, **(usual | {figure: usual[figure] * more}))
    assert np.all(fast.exchange_seconds_per_byte <= slow.exchange_seconds_per_byte)
    assert np.all(fast.hop_seconds_per_byte <= slow.hop_seconds_per_byte)
