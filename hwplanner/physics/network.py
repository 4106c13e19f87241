"""What devices of one group send to each other, and how fast their link carries it.

A group is a set of devices that splits one thing: the columns of a matrix, the copies of a model,
the experts of a layer. Rates are per device and per direction.
"""

import numpy as np

from hwplanner.units import Array, Quantity


def exchange_seconds(
    *,
    payload_bytes: Quantity,
    devices: Quantity,
    link_bytes_per_s: Quantity,
    latency_seconds: Quantity = 0.0,
) -> Quantity:
    """Time of an all-gather, a reduce-scatter or an all-to-all.

    Parameters
    ----------
    payload_bytes
        What one device holds when the gather ends, or before the scatter or the all-to-all
        begins. [bytes]
    devices
        Size of the group. [devices]
    link_bytes_per_s
        What one device can send while it receives as much. [bytes/s]
    latency_seconds
        Start-up time of the whole collective. [s]

    Returns
    -------
    float or ndarray
        Time; 0 for a group of one. [s]

    Notes
    -----
    Each device keeps its own part, 1/n, and sends or receives the other (n - 1)/n of the payload,
    in a ring one neighbour after the other [1]_. An all-to-all sends the same bytes directly.

    References
    ----------
    .. [1] "How to Scale Your Model", ch. Sharded matrices, github.com/jax-ml/scaling-book.

    Examples
    --------
    >>> float(exchange_seconds(payload_bytes=8e9, devices=8, link_bytes_per_s=100e9))
    0.07
    """
    sent_bytes = (devices - 1) / devices * payload_bytes
    # A group of one may have no link at all: NaN, which would survive the product with 0.
    return np.where(np.greater(devices, 1), sent_bytes / link_bytes_per_s + latency_seconds, 0.0)


def all_reduce_seconds(
    *,
    payload_bytes: Quantity,
    devices: Quantity,
    link_bytes_per_s: Quantity,
    latency_seconds: Quantity = 0.0,
) -> Quantity:
    """Time of a ring all-reduce: a reduce-scatter and then an all-gather.

    Parameters
    ----------
    payload_bytes
        What every device holds before and after. [bytes]
    devices, link_bytes_per_s, latency_seconds
        As in `exchange_seconds`.

    Returns
    -------
    float or ndarray
        Time; 0 for a group of one. [s]

    Examples
    --------
    >>> float(all_reduce_seconds(payload_bytes=8e9, devices=8, link_bytes_per_s=100e9))
    0.14
    """
    return exchange_seconds(
        payload_bytes=2 * payload_bytes,
        devices=devices,
        link_bytes_per_s=link_bytes_per_s,
        latency_seconds=latency_seconds,
    )


def mesh_link_bytes_per_s(
    *, devices: Quantity, link_bytes_per_s: Quantity, pairwise_link_bytes_per_s: Quantity
) -> Quantity:
    """What one device can send to its group inside the fast domain.

    Parameters
    ----------
    devices
        Size of the group. [devices]
    link_bytes_per_s
        All links of a device together. [bytes/s]
    pairwise_link_bytes_per_s
        Its link to one other device where all are wired in pairs; NaN behind a switch. [bytes/s]

    Returns
    -------
    float or ndarray
        A mesh offers a small group only the wires between its members. [bytes/s]

    Examples
    --------
    Of the 448 GB/s of an MI300X a pair can use 64:

    >>> float(mesh_link_bytes_per_s(devices=2, link_bytes_per_s=448e9,
    ...                             pairwise_link_bytes_per_s=64e9)) / 1e9
    64.0
    """
    return np.fmin(link_bytes_per_s, pairwise_link_bytes_per_s * np.maximum(devices - 1, 1))


def box_devices(
    *,
    domain_devices: Quantity,
    link_bytes_per_s: Quantity,
    host_link_bytes_per_s: Quantity,
    server_devices: Quantity,
    fastest_pcie_bytes_per_s: Quantity,
) -> Array:
    """Devices that reach each other without a network.

    Parameters
    ----------
    domain_devices
        Devices joined by fast links; 1 where there are none. [devices]
    link_bytes_per_s, host_link_bytes_per_s
        Fast links and host link of a device; NaN if not published. [bytes/s]
    server_devices
        Devices that the PCIe of a server joins. [devices]
    fastest_pcie_bytes_per_s
        A faster host link is one to the device's own processor and joins nothing. [bytes/s]

    Returns
    -------
    ndarray
        The larger of fast domain and server, of those whose rate is published. [devices]

    Examples
    --------
    A card in a server, a module in a rack of 72 with its own processor, a desktop:

    >>> box_devices(domain_devices=np.array([1, 72, 1]),
    ...             link_bytes_per_s=np.array([np.nan, 900e9, np.nan]),
    ...             host_link_bytes_per_s=np.array([63e9, 225e9, np.nan]), server_devices=8,
    ...             fastest_pcie_bytes_per_s=128e9)
    array([ 8., 72.,  1.])
    """
    in_domain = np.where(np.isfinite(link_bytes_per_s), domain_devices, 1.0)
    has_pcie = np.less_equal(host_link_bytes_per_s, fastest_pcie_bytes_per_s)
    return np.maximum(in_domain, np.where(has_pcie, server_devices, 1.0))


def by_medium(
    *,
    span_devices: Quantity,
    domain_devices: Quantity,
    server_devices: Quantity,
    link: Quantity,
    host: Quantity,
    network: Quantity,
) -> Array:
    """Pick the figure of the medium that connects a group.

    Parameters
    ----------
    span_devices
        Neighbouring devices from the first member of the group to its last. [devices]
    domain_devices
        Devices joined by fast links. [devices]
    server_devices
        Devices on the host links of one server. [devices]
    link, host, network
        A rate, latency or efficiency of the fast links, the host links and the network between
        servers. [any unit, the same for all three]

    Returns
    -------
    ndarray
        The figure of the fastest medium that reaches all members. [that unit]

    Examples
    --------
    >>> by_medium(span_devices=np.array([2, 8, 16]), domain_devices=2, server_devices=8,
    ...           link=300.0, host=63.0, network=50.0)
    array([300.,  63.,  50.])
    """
    in_domain = np.less_equal(span_devices, domain_devices)
    in_server = np.less_equal(span_devices, server_devices)
    return np.where(in_domain, link, np.where(in_server, host, network))


def group_link_bytes_per_s(
    *,
    devices: Quantity,
    stride: Quantity = 1,
    domain_devices: Quantity,
    server_devices: Quantity,
    link_bytes_per_s: Quantity,
    pairwise_link_bytes_per_s: Quantity,
    host_link_bytes_per_s: Quantity,
    network_bytes_per_s: Quantity,
) -> Array:
    """What one device can send to its group, wherever the members sit.

    Parameters
    ----------
    devices
        Size of the group. [devices]
    stride
        Distance between two members: the product of the splits inside this one. [devices]
    domain_devices
        Devices joined by fast links; 1 where there are none. [devices]
    server_devices
        Devices on the host links of one server. [devices]
    link_bytes_per_s, pairwise_link_bytes_per_s
        As in `mesh_link_bytes_per_s`; NaN where there is no fast link. [bytes/s]
    host_link_bytes_per_s
        PCIe or its like; NaN if not published. [bytes/s]
    network_bytes_per_s
        Network card of one device; NaN if not published. [bytes/s]

    Returns
    -------
    ndarray
        Rate of the slowest hop; NaN where the medium is not known. [bytes/s]

    Notes
    -----
    A ring over several servers enters and leaves each of them once, so its members there share
    their network cards: a group with eight members in a server has eight cards for its one
    outgoing hop, and is then as slow as the links inside.

    Examples
    --------
    Sixteen H100 in two servers, as one group and as eight pairs:

    >>> h100 = dict(domain_devices=8, server_devices=8, link_bytes_per_s=450e9,
    ...             pairwise_link_bytes_per_s=np.nan, host_link_bytes_per_s=63e9,
    ...             network_bytes_per_s=50e9)
    >>> float(group_link_bytes_per_s(devices=16, **h100)) / 1e9
    400.0
    >>> float(group_link_bytes_per_s(devices=2, stride=8, **h100)) / 1e9
    50.0
    """
    inside = mesh_link_bytes_per_s(
        devices=devices,
        link_bytes_per_s=link_bytes_per_s,
        pairwise_link_bytes_per_s=pairwise_link_bytes_per_s,
    )
    members_in_box = np.maximum(np.maximum(domain_devices, server_devices) // stride, 1)
    is_one_domain = np.greater_equal(domain_devices, server_devices)
    in_box = np.where(is_one_domain, link_bytes_per_s, host_link_bytes_per_s)
    cards = network_bytes_per_s * members_in_box
    # A box whose own link is not known (NaN) is taken to be no slower than its network.
    across = np.where((members_in_box > 1) & (in_box < cards), in_box, cards)
    return by_medium(
        span_devices=devices * stride,
        domain_devices=domain_devices,
        server_devices=server_devices,
        link=inside,
        host=host_link_bytes_per_s,
        network=across,
    )
