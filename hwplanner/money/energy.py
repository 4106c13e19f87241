"""Energy of fleets: what devices draw beyond idling, and what a year takes at each boundary.

The draw of the boards is estimated and measured; their servers add fans, processors and
conversion, the facility adds cooling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hwplanner.catalog.device import DeviceArrays
from hwplanner.demand.shapes import DemandShape
from hwplanner.physics.power import PowerLevels, working_share
from hwplanner.serving.estimates import ServingEstimates
from hwplanner.serving.power import LOADS, hours_by_load, serving_power_share
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.units import HOURS_PER_YEAR, Array, Interval, Quantity


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy of one device kind for something, at three boundaries. [J]

    Attributes
    ----------
    devices
        Of the boards, which is what was measured.
    servers
        With fans, processors and conversion; the same for complete computers.
    facility
        At the meter of the building: with cooling and distribution.
    """

    devices: Interval
    servers: Interval
    facility: Interval

    def each(self, number: float) -> Energy:
        """Share of each of so many: tokens, requests, runs. [J]"""
        parts = (self.devices, self.servers, self.facility)
        return Energy(*(_times(part, 1 / number) for part in parts))


def energy_of(
    device_joules: float,
    *,
    most_joules: float = math.inf,
    power_band: tuple[float, float],
    server_draw_ratio: Interval,
    pue: float,
) -> Energy:
    """Carry energy of devices to the boundaries around them.

    Parameters
    ----------
    device_joules
        Energy of the devices. [J]
    most_joules
        What they take at their rating or cap throughout. [J]
    power_band
        Measured over estimated draw in 8 of 10 cases. [ratio]
    server_draw_ratio
        Draw of a server over that of its devices. [ratio]
    pue
        Power of the facility over power of the computers. [ratio]

    Notes
    -----
    The errors of draw and ratio are independent: their logarithms are added in squares.

    Examples
    --------
    >>> energy = energy_of(100.0, power_band=(0.8, 1.25), server_draw_ratio=Interval(1.5, 1.5, 1.5),
    ...                    pue=1.2)
    >>> [round(part.typical, 3) for part in (energy.devices, energy.servers, energy.facility)]
    [100.0, 150.0, 180.0]
    >>> round(energy.facility.low, 3), round(energy.facility.high, 3)
    (144.0, 225.0)
    """
    low, high = power_band
    ratio = server_draw_ratio
    most = max(most_joules, device_joules)
    devices = Interval(device_joules * low, device_joules, min(device_joules * high, most))
    down = math.hypot(math.log(low), math.log(ratio.low / ratio.typical))
    up = math.hypot(math.log(high), math.log(ratio.high / ratio.typical))
    typical = device_joules * ratio.typical
    servers = Interval(typical * math.exp(-down), typical, typical * math.exp(up))
    return Energy(devices, servers, _times(servers, pue))


def _times(interval: Interval, factor: float) -> Interval:
    return Interval(interval.low * factor, interval.typical * factor, interval.high * factor)


def serving_draw_hours(
    estimates: ServingEstimates, shape: DemandShape, arrays: DeviceArrays, levels: PowerLevels
) -> Array:
    """Draw beyond idling of devices that serve at all hours of a week, all alike.

    Parameters
    ----------
    estimates
        Layouts and times.
    shape
        Demand over the week.
    arrays, levels
        Devices with their power caps, and what they draw.

    Returns
    -------
    ndarray
        Shares of the rating times device-hours. [device-hours/year]
    """
    share = share_at_load(estimates, LOADS, arrays, levels) @ hours_by_load(shape.relative_load)
    return np.asarray(estimates.devices * (share - levels.idle) * HOURS_PER_YEAR)


def following_draw_hours(
    estimates: ServingEstimates,
    taken_device_hours: Array,
    shape: DemandShape,
    arrays: DeviceArrays,
    levels: PowerLevels,
) -> Array:
    """Draw beyond idling of devices whose number follows the demand, which keeps them evenly busy.

    Parameters
    ----------
    estimates, shape, arrays, levels
        As in `serving_draw_hours`.
    taken_device_hours
        Device-hours that are taken. [device-hours/year]

    Returns
    -------
    ndarray
        Shares of the rating times device-hours. [device-hours/year]
    """
    load = estimates.devices * shape.mean_over_peak * HOURS_PER_YEAR / taken_device_hours
    share = share_at_load(estimates, load[:, None], arrays, levels)[:, 0]
    return np.asarray(taken_device_hours * (share - levels.idle))


def share_at_load(
    estimates: ServingEstimates, load: Array, arrays: DeviceArrays, levels: PowerLevels
) -> Array:
    """Draw over rating of each device (row) at loads over the busiest hour's (columns)."""
    peak = np.where(estimates.fits, estimates.peak_requests_per_s / estimates.copies, 0.0)
    share = serving_power_share(
        estimates.times,
        np.nan_to_num(load) * peak[:, None],
        levels,
        most_share=most_share(arrays)[:, None],
    )
    return np.asarray(share)


def training_draw_hours(
    estimates: TrainingEstimates, runs_per_year: Quantity, arrays: DeviceArrays, levels: PowerLevels
) -> Array:
    """Draw beyond idling of a year of runs: shares of the rating times device-hours.

    Parameters
    ----------
    estimates
        Layouts and times.
    runs_per_year
        How often the run is repeated. [runs/year]
    arrays, levels
        Devices with their power caps, and what they draw.
    """
    share = training_power_share(estimates, arrays, levels)
    return np.asarray(estimates.busy_device_hours * runs_per_year * (share - levels.idle))


def training_power_share(
    estimates: TrainingEstimates, arrays: DeviceArrays, levels: PowerLevels
) -> Array:
    """Draw over rating of each device during a run. [share of rating]"""
    return np.asarray(working_share(estimates.step, levels, most_share=most_share(arrays)))


def most_share(arrays: DeviceArrays) -> Array:
    """Power cap of each device over its rating, 1 without one. [share of rating]"""
    return arrays.tdp_watts / arrays.rated_watts
