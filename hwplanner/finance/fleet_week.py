"""The serving fleet of a plan over the week: what each hour needs, what is owned, what stands idle.

All figures are those of the first month.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.demand.hours import (
    busy_share_by_hour,
    idle_device_hours_per_week,
    requests_per_s_by_hour,
    requests_per_year,
)
from hwplanner.finance.nights import Nights, nights
from hwplanner.plan import Plan
from hwplanner.units import HOURS_PER_WEEK, MONTHS_PER_YEAR, Array


@dataclass(frozen=True, slots=True, eq=False)
class FleetWeek:
    """Devices that serve, hour by hour from Monday 0:00.

    Attributes
    ----------
    requests_per_s
        Demand. [requests/s, (168,)]
    needed_devices
        Devices that it takes, with headroom and spare copies. [devices, (168,)]
    devices
        Devices of the busiest hour, whole servers where they are owned. [devices]
    owned_devices
        Of these, those that the plan buys. [devices]
    busy_share
        Share of the capacity of all these devices that is at work. [1, (168,)]
    owned_usd_per_device_hour
        Cost of an hour of a device that is owned; NaN where no price is known. [USD/h]
    nights
        Training runs in the hours that serving leaves; None where none is planned.
    """

    requests_per_s: Array
    needed_devices: Array
    devices: float
    owned_devices: float
    busy_share: Array
    owned_usd_per_device_hour: float
    nights: Nights | None

    @property
    def requests_per_month(self) -> float:
        """[requests/month]"""
        return float(requests_per_year(requests_per_s=self.requests_per_s)) / MONTHS_PER_YEAR

    @property
    def idle_device_hours_per_week(self) -> float:
        """Hours that devices do not work, were all of them kept all week. [device-hours/week]"""
        idle = idle_device_hours_per_week(devices=self.devices, busy_share=self.busy_share)
        return float(idle)

    @property
    def idle_usd_per_week(self) -> float:
        """Cost of these hours, were all devices owned. [USD/week]"""
        return self.idle_device_hours_per_week * self.owned_usd_per_device_hour

    @property
    def is_free(self) -> NDArray[np.bool_]:
        """Hours in which a run finds its devices among those that are owned. [(168,)]"""
        if self.nights is None or self.nights.run is None or not self.owned_devices:
            return np.zeros(HOURS_PER_WEEK, dtype=bool)
        return np.asarray(self.nights.run.progress > 0)


def fleet_week(plan: Plan, place: int) -> FleetWeek:
    """Work out the week of the devices that serve.

    Parameters
    ----------
    plan
        The plan.
    place
        Device that serves, by its place in the comparison.
    """
    serving, devices = plan.serving, float(plan.fleet("serving").devices[place])
    requests_per_s = requests_per_s_by_hour(
        peak_requests_per_s=serving.peak_requests_per_s, relative_load=plan.shape.relative_load
    )
    return FleetWeek(
        requests_per_s=requests_per_s,
        needed_devices=plan.devices_by_hour[place],
        devices=devices,
        owned_devices=_owned_devices(plan, place),
        busy_share=busy_share_by_hour(
            requests_per_s=requests_per_s,
            devices=devices,
            device_requests_per_s=serving.capacity_requests_per_s[place] / serving.devices[place],
        ),
        owned_usd_per_device_hour=float(plan.serving_cost.owned.usd_per_device_hour[place]),
        nights=nights(plan),
    )


def _owned_devices(plan: Plan, place: int) -> float:
    """Devices that the best option buys for serving, alone or together with training."""
    if plan.best.ledger is None:
        return 0.0
    return sum(
        float(fleet.devices[0])
        for fleet in plan.best.ledger.fleets
        if fleet.way == "owned" and fleet.job != "training" and fleet.place == place
    )
