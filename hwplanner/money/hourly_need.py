"""Devices that serving needs in each hour of a week, and the hours of rented ones paid for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.demand.shapes import DemandShape
from hwplanner.money.fleets import Market, whole_units
from hwplanner.money.rent_terms import RentTerms
from hwplanner.money.scale_to_zero import paid_copies_by_hour, started
from hwplanner.money.spot import lost_share
from hwplanner.serving.estimates import ServingEstimates, copies_by_hour
from hwplanner.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, Array


@dataclass(frozen=True, slots=True, eq=False)
class HourlyNeed:
    """Devices that the hours of a week need, at each level of demand that months have.

    Attributes
    ----------
    serve
        The layouts.
    copies
        Whole copies at work. [copies, (devices, levels, 168)]
    requests_per_s
        Demand, in most cases one for all. [requests/s, (1 or devices, levels, 168)]
    level_of_month
        Level that each month has. [index, (months,)]
    rents
        Terms of renting.
    rent_unit
        Devices that are rented at once. [devices, (devices,)]
    """

    serve: ServingEstimates
    copies: Array
    requests_per_s: Array
    level_of_month: NDArray[np.intp]
    rents: RentTerms
    rent_unit: Array

    @property
    def devices(self) -> Array:
        """Devices at work. [devices, (devices, levels, 168)]"""
        return self.copies * self.serve.layout_devices[:, None, None]

    @property
    def _start_hours(self) -> Array:
        """Time of a cold start, in most cases one for all. [h, (1 or devices, 1, 1)]"""
        return np.reshape(self.rents.cold_start_seconds, (-1, 1, 1)) / SECONDS_PER_HOUR

    def peak_by_month(self, base: Array) -> Array:
        """Devices rented above a base, one for each level of demand, in the busiest hour.

        [devices, (devices, months)]
        """
        return self._of_months(self._rented_above(base).max(axis=-1))

    def paid_hours_by_month(self, base: Array) -> Array:
        """Device-hours that are rented above a base, with the starts of devices.

        [device-hours/month, (devices, months)]
        """
        if self.rents.falls_to_zero:
            paid = np.where(base[..., None] > 0, self._followed(base), self._to_zero())
        else:
            paid = self._followed(base)
        at_work = paid.mean(axis=-1) * HOURS_PER_MONTH
        return self._of_months(at_work / self.useful_share[:, None])

    def _rented_above(self, base: Array) -> Array:
        """Devices rented in each hour above a base that is owned. [devices, as `copies`]"""
        above = np.maximum(self.devices - base[..., None], 0.0)
        return whole_units(above, self.rent_unit[:, None, None])

    def _followed(self, base: Array) -> Array:
        """Devices paid for in each hour by a fleet that follows the demand. [devices]"""
        rented = self._rented_above(base)
        if not self._start_hours.any():
            return rented
        return np.asarray(rented + started(rented) * self._start_hours)

    def _to_zero(self) -> Array:
        """Devices paid for in each hour if the last copy goes after its last request. [devices]"""
        serve = self.serve
        tokens = np.ravel(serve.times.output_tokens)
        answer_seconds = serve.ttft_seconds + tokens * serve.tpot_seconds
        copies = paid_copies_by_hour(
            copies_needed=self.copies,
            requests_per_s=self.requests_per_s,
            kept_seconds=(answer_seconds + self.rents.idle_seconds)[:, None],
            cold_start_seconds=self.rents.cold_start_seconds,
        )
        each = whole_units(serve.layout_devices, self.rent_unit)
        return np.asarray(copies * each[:, None, None])

    @property
    def useful_share(self) -> Array:
        """Share of its paid time in which a rented copy is not starting again. [1, (devices,)]"""
        lost = lost_share(
            interruptions_per_hour=self.rents.interruptions_per_hour,
            restart_hours=np.ravel(self.rents.cold_start_seconds) / SECONDS_PER_HOUR,
        )
        return np.asarray(np.broadcast_to(1.0 - lost, len(self.copies)))

    def _of_months(self, by_level: Array) -> Array:
        return np.asarray(by_level[:, self.level_of_month])


def hourly_need(serve: ServingEstimates, shape: DemandShape, market: Market) -> HourlyNeed:
    """Devices that serving needs in each hour and at each level of demand."""
    levels, level_of_month = market.calendar.levels()
    copies = copies_by_hour(serve.load_in_copies[:, None] * levels, shape.relative_load)
    peak = np.reshape(serve.peak_requests_per_s, (-1, 1, 1))
    return HourlyNeed(
        serve=serve,
        copies=copies + serve.spare_copies[:, None, None],
        requests_per_s=peak * levels[:, None] * shape.relative_load,
        level_of_month=level_of_month,
        rents=market.rents,
        rent_unit=market.peak_prices.rent_unit_devices,
    )
