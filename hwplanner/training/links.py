"""What the devices of a training run send to each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.physics.network import (
    all_reduce_seconds,
    box_devices,
    exchange_seconds,
    group_link_bytes_per_s,
)
from hwplanner.training.layouts import TrainingLayouts
from hwplanner.training.run import TrainingRun
from hwplanner.units import Array


@dataclass(frozen=True, slots=True)
class Communication:
    """Time of communication, for devices (rows) and layouts (columns). [s]

    Attributes
    ----------
    gather
        Collecting sharded weights and spreading their gradients in each micro-batch, while it
        computes.
    waits
        What a micro-batch waits for activations of tensor, context and expert groups.
    gradients
        What a step waits for the gradients of unsharded weights.
    """

    gather: Array
    waits: Array
    gradients: Array


@dataclass(frozen=True, slots=True)
class TrainingLinks:
    """Links of each device, one row each, at the efficiency that collectives reach.

    Attributes
    ----------
    domain_devices, box_devices
        Devices on the fast link; on the fast link or on one server's host links. [devices]
    link_bytes_per_s, pairwise_link_bytes_per_s, host_link_bytes_per_s, network_bytes_per_s
        As in `network.group_link_bytes_per_s`. [bytes/s]
    """

    domain_devices: Array
    box_devices: Array
    link_bytes_per_s: Array
    pairwise_link_bytes_per_s: Array
    host_link_bytes_per_s: Array
    network_bytes_per_s: Array

    def rate(self, devices: Array, stride: Array) -> Array:
        """What a device can send to its group in every layout. [bytes/s]"""
        return group_link_bytes_per_s(
            devices=devices,
            stride=stride,
            domain_devices=self.domain_devices,
            server_devices=self.box_devices,
            link_bytes_per_s=self.link_bytes_per_s,
            pairwise_link_bytes_per_s=self.pairwise_link_bytes_per_s,
            host_link_bytes_per_s=self.host_link_bytes_per_s,
            network_bytes_per_s=self.network_bytes_per_s,
        )

    def joins(self, layouts: TrainingLayouts) -> NDArray[np.bool_]:
        """Whether published links join all devices, and tensor groups stay in a box."""
        has_network = np.isfinite(self.network_bytes_per_s)
        in_box = layouts.devices <= self.box_devices
        joined: NDArray[np.bool_] = (layouts.tensor <= self.box_devices) & (has_network | in_box)
        return joined


def training_links(devices: DeviceArrays, assumptions: Assumptions) -> TrainingLinks:
    """Apply what collectives reach to every device's links."""

    def reached(rate: Array, medium: str) -> Array:
        return rate[:, None] * assumptions.typical("training_link_efficiency", medium)

    boxes = box_devices(
        domain_devices=devices.scale_up_domain,
        link_bytes_per_s=devices.link_bytes_per_s,
        host_link_bytes_per_s=devices.host_link_bytes_per_s,
        server_devices=assumptions.typical("pcie_server_devices"),
        fastest_pcie_bytes_per_s=assumptions.typical("fastest_pcie_bytes_per_s"),
    )
    return TrainingLinks(
        domain_devices=devices.scale_up_domain[:, None],
        box_devices=boxes[:, None],
        link_bytes_per_s=reached(devices.link_bytes_per_s, "link"),
        pairwise_link_bytes_per_s=reached(devices.pairwise_link_bytes_per_s, "link"),
        host_link_bytes_per_s=reached(devices.host_link_bytes_per_s, "host"),
        network_bytes_per_s=reached(devices.scale_out_bytes_per_s, "network"),
    )


def communication(
    run: TrainingRun, links: TrainingLinks, recompute_passes: Array, assumptions: Assumptions
) -> Communication:
    """Work out what a run sends, and how much of it computing does not hide.

    Parameters
    ----------
    run
        The run, split in every layout.
    links
        Links of every device.
    recompute_passes
        Forward passes that the backward pass repeats. [passes]
    assumptions
        Exposed shares.

    Notes
    -----
    Neighbouring devices form tensor groups, then context groups, replicas, and pipeline stages
    last, so that what is sent most often has the fastest links. Traffic between stages is left
    out: it is small against the rest.
    """
    layouts, width = run.layouts, run.width
    shard_rate = links.rate(layouts.shards, layouts.tensor)
    is_sharded = run.stage == 3
    weights = (run.held.linear + run.held.experts) * width.linear + run.held.tables * width.value
    # Forward and backward pass gather the weights; gradients go back once.
    gathered = 2 * weights + run.trained.total * width.gradient
    exchanged = run.trained.total * (width.gradient + width.value)
    return Communication(
        gather=np.asarray(
            exchange_seconds(
                payload_bytes=np.where(is_sharded, gathered, 0.0),
                devices=layouts.shards,
                link_bytes_per_s=shard_rate,
            )
        ),
        waits=_waits(run, links, recompute_passes, assumptions),
        gradients=np.asarray(
            assumptions.typical("exposed_share", "gradient")
            * exchange_seconds(
                payload_bytes=np.where(is_sharded, 0.0, exchanged),
                devices=layouts.shards,
                link_bytes_per_s=shard_rate,
            )
        ),
    )


def _waits(
    run: TrainingRun, links: TrainingLinks, recompute_passes: Array, assumptions: Assumptions
) -> Array:
    """Exposed communication of activations in one micro-batch. [s]"""
    get = assumptions.typical
    model, layouts, width = run.model, run.layouts, run.width
    tensor, context, expert = layouts.tensor, layouts.context, layouts.expert
    stage = run.layers / model.layers
    # Attention and feed-forward layer, once forward and once backward, and again when recomputed.
    collectives = 4 + 2 * recompute_passes
    waits = get("exposed_share", "tensor") * (
        collectives
        * run.layers
        * all_reduce_seconds(
            payload_bytes=width.value * run.tokens * model.hidden,
            devices=tensor,
            link_bytes_per_s=links.rate(tensor, np.ones_like(tensor)),
        )
    )
    if np.any(context > 1):
        values = model.full_kv_heads * model.full_kv_values + model.latent_values
        key_values = model.full_layers * values * stage / tensor
        # Keys and values go round once forward, and with their gradients twice backward.
        waits = waits + get("exposed_share", "context") * (
            (3 + recompute_passes)
            * exchange_seconds(
                payload_bytes=width.value * run.tokens * context * key_values,
                devices=context,
                link_bytes_per_s=links.rate(context, tensor),
            )
        )
    if np.any(expert > 1):
        token_bytes = get("dispatch_bytes_per_value") * model.experts_per_token * model.hidden
        waits = waits + get("exposed_share", "expert") * (
            collectives
            * exchange_seconds(
                payload_bytes=token_bytes * run.tokens * model.moe_layers * stage,
                devices=expert,
                link_bytes_per_s=links.rate(expert, tensor * context),
            )
        )
    return np.asarray(waits)
