"""What it costs in serving that devices talk, in every layout (columns) of every device (rows)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.physics.network import box_devices, by_medium, group_link_bytes_per_s
from hwplanner.serving.layouts import ServingLayouts
from hwplanner.units import Array, Quantity


@dataclass(frozen=True, slots=True)
class ServingLinks:
    """Seconds of talking in each layout, NaN where a rate is not published.

    Attributes
    ----------
    joined
        Whether known links join the devices of a layout, and an engine would be run so: tensor
        groups span few servers, spread experts and pipelines many.
    exchange_seconds_per_byte
        Sending a byte to the devices that share a layer. [s/byte]
    exchange_start_seconds
        Start-up of one all-reduce among them. [s]
    hop_seconds_per_byte, hop_start_seconds
        From one pipeline stage to the next; all start-ups of one pass together. [s/byte], [s]
    """

    joined: NDArray[np.bool_]
    exchange_seconds_per_byte: Array
    exchange_start_seconds: Array
    hop_seconds_per_byte: Array
    hop_start_seconds: Array


@dataclass(frozen=True, slots=True)
class Media:
    """The three levels at which devices talk, a column of one entry per device each.

    Rates are what collectives reach [bytes/s], latencies those of one all-reduce per doubling of
    its group [s]. The efficiency of a fast link is of all links of a device; where few neighbours
    leave most of them idle (a mesh), the wires in use can be filled.
    """

    domain_devices: Array
    box_devices: Array
    link_bytes_per_s: Array
    pairwise_link_bytes_per_s: Array
    host_bytes_per_s: Array
    network_bytes_per_s: Array
    link_latency_seconds: Array
    host_latency_seconds: float
    network_latency_seconds: float

    def group_rate(self, devices: Quantity) -> Array:
        """What one device can send to a ring of neighbours. [bytes/s]"""
        return group_link_bytes_per_s(
            devices=devices,
            domain_devices=self.domain_devices,
            server_devices=self.box_devices,
            link_bytes_per_s=self.link_bytes_per_s,
            pairwise_link_bytes_per_s=self.pairwise_link_bytes_per_s,
            host_link_bytes_per_s=self.host_bytes_per_s,
            network_bytes_per_s=self.network_bytes_per_s,
        )

    def slowest(self, devices: Quantity, *, link: Array, host: Quantity, net: Quantity) -> Array:
        """Figure of the slowest medium between some neighbouring devices."""
        return by_medium(
            span_devices=devices,
            domain_devices=self.domain_devices,
            server_devices=self.box_devices,
            link=link,
            host=host,
            network=net,
        )


def media(devices: DeviceArrays, assumptions: Assumptions) -> Media:
    """Apply what collectives reach to the links of every device."""
    get = assumptions.typical

    def of_link(name: str) -> Array:
        known = {
            key: get(name, "fabric" if key == "none" else key) for key in set(devices.link_class)
        }
        return np.array([known[key] for key in devices.link_class])[:, None]

    link = devices.link_bytes_per_s[:, None]
    host = devices.host_link_bytes_per_s[:, None]
    domain = np.where(np.isfinite(link), devices.scale_up_domain[:, None], 1.0)
    return Media(
        domain_devices=domain,
        box_devices=box_devices(
            domain_devices=domain,
            link_bytes_per_s=link,
            host_link_bytes_per_s=host,
            server_devices=get("pcie_server_devices"),
            fastest_pcie_bytes_per_s=get("fastest_pcie_bytes_per_s"),
        ),
        link_bytes_per_s=link * of_link("link_efficiency"),
        pairwise_link_bytes_per_s=devices.pairwise_link_bytes_per_s[:, None],
        host_bytes_per_s=host * get("link_efficiency", "pcie"),
        network_bytes_per_s=devices.scale_out_bytes_per_s[:, None]
        * get("link_efficiency", "network"),
        link_latency_seconds=of_link("allreduce_latency_seconds"),
        host_latency_seconds=get("allreduce_latency_seconds", "pcie"),
        network_latency_seconds=get("allreduce_latency_seconds", "network"),
    )


def serving_links(
    *, devices: DeviceArrays, layouts: ServingLayouts, assumptions: Assumptions
) -> ServingLinks:
    """Work out what every layout pays for talking on every device.

    Parameters
    ----------
    devices, layouts
        Rows and columns.
    assumptions
        Efficiencies and latencies of fast links, host links and network.
    """
    levels = media(devices, assumptions)
    tensor, stages = layouts.tensor, layouts.pipeline
    exchange = np.where(
        layouts.attention_parallel > 0,
        all_to_all_seconds_per_byte(levels, tensor),
        1 / levels.group_rate(tensor),
    )
    hop_rate = levels.slowest(
        layouts.devices,
        link=np.fmin(levels.link_bytes_per_s, levels.pairwise_link_bytes_per_s),
        host=levels.host_bytes_per_s,
        net=levels.network_bytes_per_s,
    )
    hop_latency = levels.slowest(
        layouts.devices,
        link=levels.link_latency_seconds,
        host=levels.host_latency_seconds,
        net=levels.network_latency_seconds,
    )
    boxes = np.ceil(tensor / levels.box_devices)
    few_boxes = boxes <= assumptions.typical("tensor_group_servers")
    exchange_seconds_per_byte = np.where(tensor == 1, 0.0, exchange)
    hop_seconds_per_byte = np.where(stages == 1, 0.0, 1 / hop_rate)
    return ServingLinks(
        joined=(few_boxes | (layouts.attention_parallel > 0))
        & np.isfinite(exchange_seconds_per_byte + hop_seconds_per_byte),
        exchange_seconds_per_byte=exchange_seconds_per_byte,
        exchange_start_seconds=start_seconds(levels, tensor),
        hop_seconds_per_byte=hop_seconds_per_byte,
        hop_start_seconds=np.where(stages == 1, 0.0, stages * hop_latency),
    )


def start_seconds(levels: Media, devices: Quantity) -> Array:
    """Start-up time of an all-reduce that works level by level. [s]

    Devices of a fast domain come first, then the domains of a server, then servers; each level
    takes its latency for every doubling.
    """
    in_domain = np.minimum(devices, levels.domain_devices)
    in_box = np.minimum(devices, levels.box_devices)
    return np.asarray(
        levels.link_latency_seconds * np.log2(in_domain)
        + levels.host_latency_seconds * np.log2(in_box / in_domain)
        + levels.network_latency_seconds * np.log2(devices / in_box)
    )


def all_to_all_seconds_per_byte(levels: Media, devices: Quantity) -> Array:
    """Time of sending a byte that is as likely to go to any other device of a group. [s/byte]

    Unlike a ring, which crosses to the next server once with all cards together, each device
    sends what goes to other servers through its own card.
    """
    in_box = np.minimum(devices, levels.box_devices)
    outside = (devices - in_box) / np.maximum(devices - 1, 1)
    inside_seconds = np.where(in_box > 1, (1 - outside) / levels.group_rate(in_box), 0.0)
    return inside_seconds + np.where(outside > 0, outside / levels.network_bytes_per_s, 0.0)
