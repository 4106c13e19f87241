"""What each job costs a year on each device, owned or rented; one entry a device.

A missing price leaves NaN, which no ranking takes for cheap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.demand import DemandShape
from hwplanner.device import DeviceArrays
from hwplanner.device_prices import DevicePrices
from hwplanner.ownership import OwnedCost, OwnershipTerms, owned_cost
from hwplanner.rent_or_buy import elastic_rent_usd_per_year, standing_rent_usd_per_year
from hwplanner.serving import ServingEstimates
from hwplanner.training import TrainingEstimates
from hwplanner.units import HOURS_PER_YEAR, MONTHS_PER_YEAR, SECONDS_PER_HOUR, Array


@dataclass(frozen=True, slots=True, eq=False)
class JobMoney:
    """One job on each device: how much hardware, how busy, and what it costs.

    Attributes
    ----------
    devices
        Devices that the job holds at its peak. [devices]
    worked_device_hours
        Of these, at work. [device-hours/year]
    owned
        Cost of one owned device at the job's load, by part.
    rented_device_hours
        Hours that a renter pays for. [device-hours/year]
    rent_usd_per_year
        Rent of these. [USD/year]
    """

    devices: Array
    worked_device_hours: Array
    owned: OwnedCost
    rented_device_hours: Array
    rent_usd_per_year: Array

    @property
    def owned_usd_per_year(self) -> Array:
        """Cost of owning all devices of the job. [USD/year]"""
        return np.asarray(self.devices * self.owned.usd_per_year)

    @property
    def usd_per_year(self) -> Array:
        """Cost by the cheaper way; NaN where neither price is known. [USD/year]"""
        return np.fmin(self.owned_usd_per_year, self.rent_usd_per_year)

    @property
    def is_owned(self) -> Array:
        """1 where owning is the cheaper way, or the only one with a price; else 0."""
        rent = np.nan_to_num(self.rent_usd_per_year, nan=np.inf)
        return np.asarray(self.owned_usd_per_year <= rent, dtype=np.float64)


def _is_whole_machine(devices: DeviceArrays) -> Array:
    """1 for devices that are bought as complete computers: those with unified memory."""
    return np.array([float(kind == "unified") for kind in devices.memory_kind])


def serving_devices_by_hour(estimates: ServingEstimates, shape: DemandShape) -> Array:
    """Devices that serving needs in each hour of the week, in whole copies. [devices, (D, 168)]"""
    copies = np.ceil(estimates.load_in_copies[:, None] * shape.relative_load * (1 - 1e-9))
    return np.maximum(copies, 1.0) * estimates.layout_devices[:, None]


def serving_money(
    *,
    estimates: ServingEstimates,
    devices: DeviceArrays,
    devices_by_hour: Array,
    prices: DevicePrices,
    shape: DemandShape,
    terms: OwnershipTerms,
) -> JobMoney:
    """Cost of serving: owned for the busiest hour, or rented by the hour.

    Reserved rents are paid at all hours for the whole fleet; others follow the demand in whole
    copies of the model, at least one.
    """
    busy_share = shape.mean_over_peak * estimates.peak_utilization
    kept = standing_rent_usd_per_year(
        devices=estimates.devices, rent_usd_per_device_hour=prices.rent_usd_per_hour
    )
    elastic = elastic_rent_usd_per_year(
        devices_by_hour=devices_by_hour, rent_usd_per_device_hour=prices.rent_usd_per_hour
    )
    rented_devices = np.where(prices.rent_is_kept, estimates.devices, devices_by_hour.mean(axis=-1))
    return JobMoney(
        devices=estimates.devices,
        worked_device_hours=estimates.devices * busy_share * HOURS_PER_YEAR,
        owned=owned_cost(
            terms,
            device_usd=prices.purchase_usd,
            device_watts=devices.tdp_watts,
            busy_share=busy_share,
            is_whole_machine=_is_whole_machine(devices),
        ),
        rented_device_hours=rented_devices * HOURS_PER_YEAR,
        rent_usd_per_year=np.where(prices.rent_is_kept, kept, elastic),
    )


def training_money(
    *,
    estimates: TrainingEstimates,
    devices: DeviceArrays,
    prices: DevicePrices,
    runs_per_month: float,
    terms: OwnershipTerms,
) -> JobMoney:
    """Cost of a year of runs: owned, or rented for the whole hours of each run.

    Where only a reserved rent is known it is due all year, as no one reserves for a night.
    """
    runs_per_year = runs_per_month * MONTHS_PER_YEAR
    run_hours = estimates.run_seconds / SECONDS_PER_HOUR
    used_devices = np.where(estimates.fits, estimates.devices, np.nan)
    worked = used_devices * run_hours * runs_per_year
    busy_share = np.minimum(run_hours * runs_per_year / HOURS_PER_YEAR, 1.0)
    kept = used_devices * HOURS_PER_YEAR
    billed = np.where(prices.rent_is_kept, kept, used_devices * np.ceil(run_hours) * runs_per_year)
    return JobMoney(
        devices=used_devices,
        worked_device_hours=worked,
        owned=owned_cost(
            terms,
            device_usd=prices.purchase_usd,
            device_watts=devices.tdp_watts,
            busy_share=busy_share,
            is_whole_machine=_is_whole_machine(devices),
        ),
        rented_device_hours=billed,
        rent_usd_per_year=billed * prices.rent_usd_per_hour,
    )
