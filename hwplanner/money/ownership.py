"""What an owned device costs: capital, power, maintenance and staff, by year and by hour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.money.cost import (
    annualized_capital_usd_per_year,
    colocation_usd_per_year,
    energy_usd_per_year,
)
from hwplanner.physics.power import PowerLevels
from hwplanner.scenario import Scenario
from hwplanner.units import HOURS_PER_YEAR, Quantity

PERCENT = 100


@dataclass(frozen=True, slots=True)
class OwnershipTerms:
    """On what terms hardware is bought and run.

    Parameters
    ----------
    years
        Useful life. [years]
    residual_share
        Proceeds of the sale at the end. [share of the purchase]
    rate_per_year
        Cost of capital. [1/year]
    server_share, network_share, install_share
        Servers, network and installation that are bought with devices. [share of their price]
    server_power_ratio, server_draw_ratio
        Power of a server over that of its devices: on the label, and drawn. [ratio]
    power_levels
        What devices draw, by what they do. [share of rating]
    pue
        Power of the facility over power of the computers. [ratio]
    electricity_usd_per_kwh
        Price of a kilowatt-hour. [USD/kWh]
    colocation_usd_per_kw_month, colocation_has_power
        Rent of rated power, and whether it includes energy; 0 on one's own site. [USD/kW/month]
    maintenance_share_per_year
        Yearly maintenance. [share of the purchase/year]
    staff_usd_per_device_year, licence_usd_per_device_year
        People who run the hardware, and its software. [USD/device/year]
    availability_share
        Share of the hours in which a device can work. [share]
    """

    years: float
    residual_share: float
    rate_per_year: float
    server_share: float
    network_share: float
    install_share: float
    server_power_ratio: float
    server_draw_ratio: float
    power_levels: PowerLevels
    pue: float
    electricity_usd_per_kwh: float
    colocation_usd_per_kw_month: float
    colocation_has_power: bool
    maintenance_share_per_year: float
    staff_usd_per_device_year: float
    licence_usd_per_device_year: float
    availability_share: float

    @property
    def around_share(self) -> float:
        """All that is bought around the devices. [share of their price]"""
        return self.server_share + self.network_share + self.install_share


def ownership_terms(scenario: Scenario, assumptions: Assumptions) -> OwnershipTerms:
    """Take the terms from the scenario, and what it does not ask from the assumptions."""
    return OwnershipTerms(
        years=scenario.depreciation_years,
        residual_share=scenario.residual_percent / PERCENT,
        rate_per_year=scenario.cost_of_capital_percent / PERCENT,
        server_share=scenario.server_percent / PERCENT,
        network_share=scenario.network_percent / PERCENT,
        install_share=scenario.install_percent / PERCENT,
        server_power_ratio=assumptions.typical("server_power_ratio"),
        server_draw_ratio=assumptions.typical("server_draw_ratio"),
        power_levels=PowerLevels.of(assumptions),
        pue=scenario.pue,
        electricity_usd_per_kwh=scenario.electricity_usd_per_kwh,
        colocation_usd_per_kw_month=scenario.colocation_usd_per_kw_month,
        colocation_has_power=scenario.colocation_has_power,
        maintenance_share_per_year=scenario.maintenance_percent / PERCENT,
        staff_usd_per_device_year=scenario.staff_usd_per_device_year,
        licence_usd_per_device_year=scenario.licence_usd_per_device_year,
        availability_share=assumptions.typical("availability_share"),
    )


@dataclass(frozen=True, slots=True)
class OwnedCost:
    """What one owned device costs, part by part; arrays hold one entry per device.

    Parameters
    ----------
    purchase_usd, residual_usd
        Paid at the start, and received at the end of its life. [USD/device]
    capital_usd_per_year
        These two, spread over the years with interest. [USD/device/year]
    energy_usd_per_year, colocation_usd_per_year
        Energy that is billed by draw, and rent of rated power. [USD/device/year]
    maintenance_usd_per_year, staff_usd_per_year, licence_usd_per_year
        Repair, people and software. [USD/device/year]
    availability_share
        Share of the hours in which the device can work. [share]
    """

    purchase_usd: Quantity
    residual_usd: Quantity
    capital_usd_per_year: Quantity
    energy_usd_per_year: Quantity
    colocation_usd_per_year: Quantity
    maintenance_usd_per_year: Quantity
    staff_usd_per_year: Quantity
    licence_usd_per_year: Quantity
    availability_share: float

    @property
    def running_parts_usd_per_year(self) -> Mapping[str, Quantity]:
        """What is paid out every year, by part, capital aside. [USD/device/year]"""
        return {
            "energy": self.energy_usd_per_year,
            "colocation": self.colocation_usd_per_year,
            "maintenance": self.maintenance_usd_per_year,
            "staff": self.staff_usd_per_year,
            "licences": self.licence_usd_per_year,
        }

    @property
    def running_usd_per_year(self) -> Quantity:
        """What is paid out every year, capital aside. [USD/device/year]"""
        return sum(self.running_parts_usd_per_year.values(), np.float64(0.0))

    @property
    def usd_per_year(self) -> Quantity:
        """Sum of all parts. [USD/device/year]"""
        return self.capital_usd_per_year + self.running_usd_per_year

    @property
    def usd_per_device_hour(self) -> Quantity:
        """Counterpart of a rent: worked or idle, each available hour costs this. [USD/h]"""
        return self.usd_per_year / self._hours_per_year

    @property
    def parts_usd_per_device_hour(self) -> Mapping[str, Quantity]:
        """The same by part. [USD/h]"""
        parts = {"capital": self.capital_usd_per_year, **self.running_parts_usd_per_year}
        return {name: usd / self._hours_per_year for name, usd in parts.items()}

    @property
    def _hours_per_year(self) -> float:
        return HOURS_PER_YEAR * self.availability_share


def owned_cost(
    terms: OwnershipTerms,
    *,
    device_usd: Quantity,
    device_watts: Quantity,
    drawn_watts: Quantity,
    is_whole_machine: bool | NDArray[np.bool_] = False,
) -> OwnedCost:
    """Cost of owning one device of each kind.

    Parameters
    ----------
    terms
        On what terms it is bought and run.
    device_usd
        Price of the device alone, NaN if not published. [USD]
    device_watts
        What the device alone may draw, NaN if not published. [W]
    drawn_watts
        What it does draw, on average over the year. [W]
    is_whole_machine
        Whether the device is sold as a complete computer, which needs no server around it.

    Notes
    -----
    Maintenance and the residual count on everything that is bought. What is around the devices
    in a server is taken to draw in proportion to them.

    Examples
    --------
    >>> terms = OwnershipTerms(
    ...     years=4, residual_share=0.2, rate_per_year=0.10, server_share=0.0, network_share=0.0,
    ...     install_share=0.0, server_power_ratio=1.0, server_draw_ratio=1.0,
    ...     power_levels=PowerLevels(idle=0.2, waiting=0.5, memory=0.8, compute=1.0), pue=1.54,
    ...     electricity_usd_per_kwh=0.0876, colocation_usd_per_kw_month=0.0,
    ...     colocation_has_power=True, licence_usd_per_device_year=0.0,
    ...     maintenance_share_per_year=0.05, staff_usd_per_device_year=15_000 / 8,
    ...     availability_share=1.0)
    >>> eighth = owned_cost(terms, device_usd=380_000 / 8, device_watts=10_200 / 8,
    ...                     drawn_watts=0.76 * 10_200 / 8)
    >>> round(float(eighth.usd_per_device_hour), 4)
    2.0928
    """
    purchase_usd = device_usd * np.where(is_whole_machine, 1.0, 1 + terms.around_share)
    residual_usd = purchase_usd * terms.residual_share
    each = np.ones(np.shape(purchase_usd))
    rents_hall = bool(np.any(np.greater(terms.colocation_usd_per_kw_month, 0)))
    return OwnedCost(
        purchase_usd=purchase_usd,
        residual_usd=residual_usd,
        capital_usd_per_year=annualized_capital_usd_per_year(
            purchase_usd=purchase_usd,
            residual_usd=residual_usd,
            rate_per_year=terms.rate_per_year,
            years=terms.years,
        ),
        energy_usd_per_year=0.0 * each
        if rents_hall and terms.colocation_has_power
        else energy_usd_per_year(
            drawn_watts=drawn_watts * np.where(is_whole_machine, 1.0, terms.server_draw_ratio),
            pue=terms.pue,
            usd_per_kwh=terms.electricity_usd_per_kwh,
        ),
        colocation_usd_per_year=colocation_usd_per_year(
            rated_watts=device_watts * np.where(is_whole_machine, 1.0, terms.server_power_ratio),
            usd_per_kw_month=terms.colocation_usd_per_kw_month,
        )
        if rents_hall
        else 0.0 * each,
        maintenance_usd_per_year=purchase_usd * terms.maintenance_share_per_year,
        staff_usd_per_year=terms.staff_usd_per_device_year * each,
        licence_usd_per_year=terms.licence_usd_per_device_year * each,
        availability_share=terms.availability_share,
    )
