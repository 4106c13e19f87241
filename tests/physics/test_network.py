"""Collectives by hand, and what a group's link carries wherever its members sit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.physics.network import (
    all_reduce_seconds,
    box_devices,
    by_medium,
    exchange_seconds,
    group_link_bytes_per_s,
    mesh_link_bytes_per_s,
)

H100 = {
    "domain_devices": 8,
    "server_devices": 8,
    "link_bytes_per_s": 450e9,
    "pairwise_link_bytes_per_s": math.nan,
    "host_link_bytes_per_s": 63e9,
    "network_bytes_per_s": 50e9,
}
MI300X = H100 | {"link_bytes_per_s": 448e9, "pairwise_link_bytes_per_s": 64e9}
H100_PAIR = H100 | {"domain_devices": 2, "link_bytes_per_s": 300e9}
RTX_4090 = H100 | {
    "domain_devices": 1,
    "link_bytes_per_s": math.nan,
    "host_link_bytes_per_s": 31.5e9,
    "network_bytes_per_s": math.nan,
}


def test_seven_eighths_of_the_payload_pass_a_ring_of_eight() -> None:
    # 8 GB at 100 GB/s would take 80 ms; a device keeps an eighth of it.
    seconds = exchange_seconds(
        payload_bytes=8e9, devices=8, link_bytes_per_s=100e9, latency_seconds=0.001
    )
    assert seconds == pytest.approx(0.071)


def test_an_all_reduce_scatters_and_gathers() -> None:
    group = {"payload_bytes": 3e9, "devices": 4, "link_bytes_per_s": 50e9}
    assert all_reduce_seconds(**group) == pytest.approx(2 * exchange_seconds(**group))


def test_a_group_of_one_sends_nothing_even_without_a_link() -> None:
    seconds = all_reduce_seconds(
        payload_bytes=1e9,
        devices=np.array([1, 2]),
        link_bytes_per_s=math.nan,
        latency_seconds=1.0,
    )
    assert seconds[0] == 0
    assert math.isnan(seconds[1])


@pytest.mark.parametrize(("devices", "gb_per_s"), [(2, 64), (4, 192), (8, 448)])
def test_a_mesh_gives_a_small_group_only_its_own_wires(devices: int, gb_per_s: float) -> None:
    rate = mesh_link_bytes_per_s(
        devices=devices, link_bytes_per_s=448e9, pairwise_link_bytes_per_s=64e9
    )
    assert rate == gb_per_s * 1e9


@pytest.mark.parametrize(
    ("device", "devices", "stride", "gb_per_s"),
    [
        (H100, 8, 1, 450),
        (H100, 4, 2, 450),  # every second device of one server
        (H100, 16, 1, 400),  # eight cards serve one ring through two servers
        (H100, 2, 8, 50),  # one member in each server has one card
        (H100, 8, 4, 100),  # two members in each of four servers
        (MI300X, 2, 1, 64),
        (MI300X, 8, 1, 448),
        (MI300X, 16, 1, 400),
        (H100_PAIR, 2, 1, 300),
        (H100_PAIR, 4, 1, 63),  # two bridged pairs meet on PCIe
        (H100_PAIR, 16, 1, 63),  # and do so in every server
        (RTX_4090, 4, 1, 31.5),
    ],
)
def test_the_slowest_hop_sets_the_rate(
    device: dict[str, float], devices: int, stride: int, gb_per_s: float
) -> None:
    rate = group_link_bytes_per_s(devices=devices, stride=stride, **device)
    assert rate == pytest.approx(gb_per_s * 1e9)


def test_without_a_published_network_nothing_is_said_about_several_servers() -> None:
    assert math.isnan(group_link_bytes_per_s(devices=16, **RTX_4090))


def test_the_medium_is_the_fastest_that_reaches_all() -> None:
    picked = by_medium(
        span_devices=np.array([1, 2, 4, 8, 9]),
        domain_devices=2,
        server_devices=8,
        link=1.0,
        host=2.0,
        network=3.0,
    )
    assert picked.tolist() == [1, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("domain", "link", "host", "box"),
    [
        (8, 450e9, 63e9, 8),
        (1, math.nan, 63e9, 8),  # cards in a server
        (72, 900e9, 225e9, 72),
        (1, 450e9, 450e9, 1),  # the host link leads to the device's own processor
        (2, math.nan, math.nan, 1),  # two sockets whose link is not published
    ],
)
def test_only_published_links_make_a_box(
    domain: float, link: float, host: float, box: float
) -> None:
    found = box_devices(
        domain_devices=domain,
        link_bytes_per_s=link,
        host_link_bytes_per_s=host,
        server_devices=8,
        fastest_pcie_bytes_per_s=128e9,
    )
    assert found == box


@given(
    devices=st.integers(1, 64),
    stride=st.sampled_from([1, 2, 4, 8, 16]),
    faster=st.sampled_from(
        [name for name in MI300X if name.endswith("bytes_per_s")],
    ),
    factor=st.floats(1, 10),
)
def test_a_faster_link_never_slows_a_group(
    devices: int, stride: int, faster: str, factor: float
) -> None:
    group = {"devices": devices, "stride": stride}
    before = group_link_bytes_per_s(**group, **MI300X)
    after = group_link_bytes_per_s(**group, **(MI300X | {faster: MI300X[faster] * factor}))
    assert after >= before
