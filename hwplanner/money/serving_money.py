"""What serving costs on each device, month by month; one entry a device.

Each way of paying takes the layout that suits it: owned hardware is kept small, rented hours are
kept few.
"""

from __future__ import annotations

import numpy as np

from hwplanner.demand.shapes import DemandShape
from hwplanner.money.calendar import mean_from_then
from hwplanner.money.cost import usd_per_useful_hour
from hwplanner.money.energy import following_draw_hours, serving_draw_hours
from hwplanner.money.fleets import Fleet, Market, whole_units
from hwplanner.money.hourly_need import HourlyNeed, hourly_need
from hwplanner.money.job_money import JobMoney
from hwplanner.money.rent_or_buy import own_base_rent_peaks
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
    `rent_or_buy.own_base_rent_peaks` finds for the demand of each month, at the mean of the rents
    from then on. It grows with the demand; where the demand shrinks, one base is chosen for all
    months, since what is bought stays.

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
        usd_per_hour = np.asarray(market.unit_cost(idle).usd_per_year) / HOURS_PER_YEAR
        sold = np.nan_to_num(market.arrays.devices_per_server, nan=1.0)
    else:
        kept_rent = reserved.calendar.kept_rent(reserved.rents.term_months)
        usd_per_hour = reserved.prices.rent_usd_per_hour[:, None] * mean_from_then(kept_rent)
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
    rents_from_then = rent_usd_per_hour[:, None] * mean_from_then(market.calendar.rent)
    levels = hours.shape[1]  # one a month, or one for all of them
    best = own_base_rent_peaks(
        devices_by_hour=hours,
        owned_usd_per_device_hour=usd_per_hour[:, :levels],
        rent_usd_per_device_hour=rents_from_then[:, :levels],
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
