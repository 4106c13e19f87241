"""What serving costs on each device, month by month; one entry a device.

Each way of paying takes the layout that suits it: owned hardware is kept small, rented hours are
kept few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.demand.shapes import DemandShape
from hwplanner.money.cost import usd_per_useful_hour
from hwplanner.money.energy import following_draw_hours, serving_draw_hours
from hwplanner.money.fleets import Fleet, Market, whole_units
from hwplanner.money.job_money import JobMoney
from hwplanner.money.rent_or_buy import own_base_rent_peaks
from hwplanner.money.rent_terms import RentTerms
from hwplanner.money.scale_to_zero import paid_copies_by_hour
from hwplanner.money.spot import lost_share
from hwplanner.serving.estimates import (
    ServingCandidates,
    ServingEstimates,
    copies_by_hour,
    whole_servers,
)
from hwplanner.units import (
    HOURS_PER_MONTH,
    HOURS_PER_YEAR,
    MONTHS_PER_YEAR,
    SECONDS_PER_HOUR,
    Array,
)


def serving_money(
    candidates: ServingCandidates, devices_by_hour: Array, shape: DemandShape, market: Market
) -> JobMoney[ServingEstimates]:
    """Cost of serving: owned for the busiest hour, rented by the hour, or both.

    Reserved rents are paid at all hours for the whole fleet; others follow the demand in whole
    copies of the model, at least one, each brought into service before it is needed.

    Parameters
    ----------
    candidates
        Layouts to choose from.
    devices_by_hour
        Devices that the hours of the week need in each layout, the busiest hour last. [devices]
    shape, market
        Demand over the week, prices and terms.
    """
    layouts = serving_layouts(candidates, devices_by_hour, market)
    return priced_serving(*layouts, shape=shape, market=market)


def serving_layouts(
    candidates: ServingCandidates, devices_by_hour: Array, market: Market
) -> tuple[ServingEstimates, ServingEstimates]:
    """Layouts of devices that are owned, and of those that are rented; prices play no part."""
    unit, by_unit = market.prices.rent_unit_devices, devices_by_hour
    if (unit > 1).any():
        by_unit = whole_units(devices_by_hour, unit[:, None, None])
    kept = market.prices.rent_is_kept[:, None]
    return (
        candidates.least(whole_servers(devices_by_hour[..., -1], market.arrays)),
        candidates.least(np.where(kept, by_unit[..., -1], by_unit.mean(axis=-1))),
    )


def priced_serving(
    owned: ServingEstimates, rented: ServingEstimates, *, shape: DemandShape, market: Market
) -> JobMoney[ServingEstimates]:
    """Cost of serving in the layouts of `serving_layouts`."""
    need = hourly_need(rented, shape, market)
    base, peaks = base_and_peaks(rented, need, shape, market)
    return JobMoney(
        owned=owned_serving(owned, serving_peak(owned, market), shape, market),
        rented=rented_serving(rented, need, shape, market),
        base=base,
        peaks=peaks,
    )


def owned_serving(
    serve: ServingEstimates, devices_by_month: Array, shape: DemandShape, market: Market
) -> Fleet[ServingEstimates]:
    """Devices that are bought for the busiest hour of each month."""
    growth = market.calendar.growth
    draw = serving_draw_hours(serve, shape, market.arrays, market.terms.power_levels)
    return market.owned(
        serve,
        devices_by_month=devices_by_month,
        worked_device_hours=serving_device_hours(serve, shape) * growth.mean(),
        draw_hours_by_month=draw[:, None] / MONTHS_PER_YEAR * growth,
        seconds=serve.tpot_seconds,
        meets_target=serve.meets_target,
    )


def rented_serving(
    serve: ServingEstimates, need: HourlyNeed, shape: DemandShape, market: Market
) -> Fleet[ServingEstimates]:
    """Devices that are rented as the hours need them, or kept where they are reserved."""
    none = np.zeros(need.copies.shape[:2])
    hours, peak = need.paid_hours_by_month(none), need.peak_by_month(none)
    paid = np.where(market.prices.rent_is_kept[:, None], peak * HOURS_PER_MONTH, hours)
    return market.rented(
        serve,
        devices_by_month=peak,
        worked_device_hours=serving_device_hours(serve, shape) * market.calendar.growth.mean(),
        taken_hours_by_month=hours,
        draw_hours_by_month=_following_draw(serve, paid, shape, market),
        seconds=serve.tpot_seconds,
        meets_target=serve.meets_target,
    )


def serving_device_hours(estimates: ServingEstimates, shape: DemandShape) -> Array:
    """Hours of a year that serving devices are at work in the first month's demand.

    [device-hours/year]
    """
    busy_share = shape.mean_over_peak * estimates.peak_utilization
    return estimates.devices * busy_share * HOURS_PER_YEAR


def serving_devices_by_hour(
    estimates: ServingEstimates, shape: DemandShape, growth: float = 1.0
) -> Array:
    """Devices that serving needs in each hour of the week, in whole copies.

    Parameters
    ----------
    estimates, shape
        Layouts, and demand over the week.
    growth
        Demand over that of the first month. [ratio]

    Returns
    -------
    ndarray
        [devices, (devices, 168)]
    """
    copies = copies_by_hour(estimates.load_in_copies * growth, shape.relative_load)
    return (copies + estimates.spare_copies[:, None]) * estimates.layout_devices[:, None]


def serving_peak(estimates: ServingEstimates, market: Market) -> Array:
    """Devices for the busiest hour of each month. [devices, (devices, months)]"""
    copies = copies_by_hour(estimates.load_in_copies, market.calendar.growth)
    return (copies + estimates.spare_copies[:, None]) * estimates.layout_devices[:, None]


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
        started = np.maximum(rented - np.roll(rented, 1, axis=-1), 0.0)
        return np.asarray(rented + started * self._start_hours)

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


def base_and_peaks(
    serve: ServingEstimates,
    need: HourlyNeed,
    shape: DemandShape,
    market: Market,
    *,
    reserved: Market | None = None,
) -> tuple[Fleet[ServingEstimates], Fleet[ServingEstimates]]:
    """Cheapest mix of a base that is paid throughout and peaks that are rented by the hour.

    The base is of whole servers, copies and rented units, at least one, as many as
    `rent_or_buy.own_base_rent_peaks` finds for the demand of each month. It grows with the demand;
    where the demand shrinks, one base is chosen for all months, since what is bought stays.

    Parameters
    ----------
    serve, need, shape
        Layouts, what the hours need of them, and demand over the week.
    market
        Prices of purchases and of single hours.
    reserved
        Market in which the base is reserved; it is bought where there is none.
    """
    if reserved is None:
        idle = np.full((len(serve.devices), 1), market.terms.power_levels.idle)
        usd_per_hour = np.asarray(market.unit_cost(idle).usd_per_year)[:, 0] / HOURS_PER_YEAR
        sold = np.nan_to_num(market.arrays.devices_per_server, nan=1.0)
    else:
        usd_per_hour = reserved.prices.rent_usd_per_hour
        sold = reserved.prices.rent_unit_devices
    rent_usd_per_hour = np.asarray(
        usd_per_useful_hour(
            usd_per_hour=market.peak_prices.rent_usd_per_hour, useful_share=need.useful_share
        )
    )
    # Steps of whole servers, copies and rented units keep the peaks in whole units above them.
    steps = (sold, serve.layout_devices, need.rent_unit)
    each = np.lcm.reduce([step.astype(np.intp) for step in steps]).astype(np.float64)
    growth = market.calendar.growth
    hours = whole_units(need.devices, need.rent_unit[:, None, None])
    if growth[-1] < growth[0]:
        hours = hours.reshape(len(hours), 1, -1)
    best = own_base_rent_peaks(
        devices_by_hour=hours,
        owned_usd_per_device_hour=usd_per_hour[:, None],
        rent_usd_per_device_hour=rent_usd_per_hour[:, None],
        devices_per_server=each[:, None],
    )
    base = np.maximum(np.nan_to_num(best.owned_devices), each[:, None])
    base = np.broadcast_to(base, need.devices.shape[:2])
    return _mix(serve, need, base, shape, market, reserved or market)


def _mix(
    serve: ServingEstimates,
    need: HourlyNeed,
    base: Array,
    shape: DemandShape,
    market: Market,
    base_market: Market,
) -> tuple[Fleet[ServingEstimates], Fleet[ServingEstimates]]:
    """Fleets of a base of so many devices at each level of demand, and of the peaks above it."""
    needed = need.devices.mean(axis=-1)[:, need.level_of_month] * HOURS_PER_MONTH
    above = np.maximum(need.devices - base[..., None], 0.0).mean(axis=-1)
    share = 1 - above[:, need.level_of_month] * HOURS_PER_MONTH / needed
    draw = _following_draw(serve, needed, shape, market)
    worked = serving_device_hours(serve, shape) * market.calendar.growth.mean()
    base = np.where(np.isnan(serve.devices)[:, None], np.nan, base)
    base_by_month = base[:, need.level_of_month]
    if base_market is market:
        based = market.owned(
            serve,
            devices_by_month=base_by_month,
            worked_device_hours=worked * share.mean(axis=1),
            draw_hours_by_month=draw * share,
            seconds=serve.tpot_seconds,
            meets_target=serve.meets_target,
        )
    else:
        based = base_market.rented(
            serve,
            devices_by_month=base_by_month,
            worked_device_hours=worked * share.mean(axis=1),
            taken_hours_by_month=base_by_month * HOURS_PER_MONTH,
            draw_hours_by_month=draw * share,
            seconds=serve.tpot_seconds,
            meets_target=serve.meets_target,
        )
    peaks = market.rented(
        serve,
        devices_by_month=need.peak_by_month(base),
        worked_device_hours=worked * (1 - share.mean(axis=1)),
        taken_hours_by_month=need.paid_hours_by_month(base),
        draw_hours_by_month=draw * (1 - share),
        is_peak=True,
        seconds=serve.tpot_seconds,
        meets_target=serve.meets_target,
    )
    return based, peaks


def _following_draw(
    serve: ServingEstimates, hours_by_month: Array, shape: DemandShape, market: Market
) -> Array:
    """Draw beyond idling of devices whose number follows the demand.

    Shares of the rating times hours. [device-hours/month, (devices, months)]
    """
    growth = market.calendar.growth
    hours_per_year = hours_by_month.mean(axis=1) * MONTHS_PER_YEAR / growth.mean()
    draw = following_draw_hours(
        serve, hours_per_year, shape, market.arrays, market.terms.power_levels
    )
    return np.asarray(draw[:, None] / MONTHS_PER_YEAR * growth)
