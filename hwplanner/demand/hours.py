"""What a week of demand asks of a fleet, hour by hour.

A week has 168 hours and starts on Monday at 0:00. Arrays by hour carry these hours on their last
axis; figures of devices, one per device, lie on the axes before and need no axis of their own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hwplanner.units import HOURS_PER_YEAR, SECONDS_PER_HOUR, Array, Quantity


def requests_per_s_by_hour(*, peak_requests_per_s: Quantity, relative_load: Array) -> Array:
    """Demand in each hour of the week.

    Parameters
    ----------
    peak_requests_per_s
        Demand in the busiest hour. [requests/s]
    relative_load
        Shape of the week. [share of the peak, (hours,)]

    Returns
    -------
    ndarray
        Mean of each hour; bursts inside the hour go higher. [requests/s, (…, hours)]
    """
    return np.asarray(peak_requests_per_s)[..., None] * relative_load


def requests_per_year(*, requests_per_s: Array) -> Quantity:
    """Requests of a year of equal weeks.

    Parameters
    ----------
    requests_per_s
        Demand in each hour of the week. [requests/s, (…, hours)]

    Returns
    -------
    float or ndarray
        A twelfth of it is a month's. [requests/year]

    Examples
    --------
    >>> float(requests_per_year(requests_per_s=np.array([0.0, 2.0])))
    31536000.0
    """
    mean_requests_per_s: Quantity = requests_per_s.mean(axis=-1)
    return mean_requests_per_s * SECONDS_PER_HOUR * HOURS_PER_YEAR


def busy_share_by_hour(
    *, requests_per_s: Array, devices: Quantity, device_requests_per_s: Quantity
) -> Array:
    """Share of a fleet's capacity at work in each hour of the week.

    Parameters
    ----------
    requests_per_s
        Demand in each hour of the week. [requests/s, (…, hours)]
    devices
        Size of the fleet. [devices]
    device_requests_per_s
        What a replica can answer, over its devices. [requests/s/device]

    Returns
    -------
    ndarray
        Above 1 the fleet falls short. [share, (…, hours)]

    Examples
    --------
    >>> busy_share_by_hour(requests_per_s=np.array([0.0, 8.0]), devices=4,
    ...                    device_requests_per_s=4.0)
    array([0. , 0.5])
    """
    capacity_per_s = np.multiply(devices, device_requests_per_s)
    busy: Array = requests_per_s / capacity_per_s[..., None]
    return busy


def idle_device_hours_per_week(*, devices: Quantity, busy_share: Array) -> Quantity:
    """Hours of a week that a fleet is paid for and does not work.

    Parameters
    ----------
    devices
        Size of the fleet. [devices]
    busy_share
        Share of it at work in each hour. [share, (…, hours)]

    Returns
    -------
    float or ndarray
        Sum over devices and hours. [device-hours/week]

    Examples
    --------
    >>> float(idle_device_hours_per_week(devices=4, busy_share=np.array([0.0, 0.5])))
    6.0
    """
    idle_share = np.maximum(1 - busy_share, 0)
    idle_hours: Quantity = devices * idle_share.sum(axis=-1)
    return idle_hours


def free_devices_by_hour(*, owned_devices: Quantity, devices_by_hour: Array) -> Array:
    """Owned devices that serving leaves for other work, such as training at night.

    Parameters
    ----------
    owned_devices
        Size of the fleet. [devices]
    devices_by_hour
        Devices that serving needs in each hour of the week. [devices, (…, hours)]

    Returns
    -------
    ndarray
        Whole devices; their sum over the hours is what can be harvested.
        [devices, (…, hours)]

    Notes
    -----
    Unlike idle hours, which also count the headroom and the gaps between requests.

    Examples
    --------
    >>> free_devices_by_hour(owned_devices=8, devices_by_hour=np.array([2.0, 8.0]))
    array([6., 0.])
    """
    free: Array = np.maximum(np.asarray(owned_devices)[..., None] - devices_by_hour, 0)
    return free


def has_room_by_hour(*, free_devices: Array, training_devices: Quantity) -> NDArray[np.bool_]:
    """Hours in which a training run finds the devices it needs.

    Parameters
    ----------
    free_devices
        Owned devices that serving leaves in each hour. [devices, (…, hours)]
    training_devices
        Devices that the run holds at once. [devices]

    Returns
    -------
    ndarray
        False too where a figure is missing. [(…, hours)]

    Examples
    --------
    >>> has_room_by_hour(free_devices=np.array([6.0, 0.0]), training_devices=4)
    array([ True, False])
    """
    room: NDArray[np.bool_] = free_devices >= np.asarray(training_devices)[..., None]
    return room
