"""One owned fleet for both jobs: training takes the hours that serving leaves free."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.demand.hours import free_devices_by_hour, has_room_by_hour
from hwplanner.demand.shapes import DemandShape
from hwplanner.money.energy import serving_draw_hours, training_draw_hours
from hwplanner.money.fleets import Fleet, Market
from hwplanner.money.hourly_need import hourly_need
from hwplanner.money.serving_money import (
    owned_serving,
    serving_device_hours,
    serving_devices_by_hour,
    serving_peak,
)
from hwplanner.money.training_money import fleets_of_runs
from hwplanner.serving.estimates import ServingCandidates, ServingEstimates, whole_servers
from hwplanner.training.candidates import TrainingCandidates
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.units import HOURS_PER_MONTH, MONTHS_PER_YEAR, SECONDS_PER_HOUR, Array, Quantity


@dataclass(frozen=True, slots=True, eq=False)
class SharedFleet:
    """One owned fleet of each device for both jobs.

    Attributes
    ----------
    serving
        Layouts in which it serves.
    fleet
        Its cost, the layouts in which it trains, and when a run ends on it.
    """

    serving: ServingEstimates
    fleet: Fleet[TrainingEstimates]


def shared_devices(
    *,
    serving_devices_by_hour: Array,
    run_devices: Array,
    run_hours: Array,
    window_hours: Quantity,
    runs_per_month: Quantity,
) -> Array:
    """Fewest devices of a fleet that serves and trains.

    Parameters
    ----------
    serving_devices_by_hour
        Devices that serving needs in each hour of the week, by layout; the quietest hour first.
        [devices, (devices, serving layouts, hours)]
    run_devices, run_hours
        Devices and time of a run, by layout.
        [devices, (training layouts,) or (devices, 1, training layouts)],
        [h, (devices, training layouts)]
    window_hours, runs_per_month
        Time that a run may take, and how often it is repeated: one number, or one for each
        device. [h], [runs/month]

    Returns
    -------
    ndarray
        NaN where the run has no time, infinite where a layout holds nothing.
        [devices, (devices, serving layouts, training layouts)]

    Notes
    -----
    A run works while its devices are free at once, and waits in other hours. To end in its window
    and before the next one starts it needs a certain share of the hours: the fleet holds the run
    beside what serving needs in the quietest hours that make up this share. Where not even all
    hours are enough, the runs get devices of their own.

    Examples
    --------
    Serving takes 2 devices in half of the hours and 10 in the others. A run on 4 devices for 24
    hours can work at night if it has 48 hours; else it needs its 4 beside the 10.

    >>> by_hour = np.array([[[2.0, 10.0]]])
    >>> [float(shared_devices(serving_devices_by_hour=by_hour, run_devices=np.array([4.0]),
    ...                       run_hours=np.array([[24.0]]), window_hours=window,
    ...                       runs_per_month=1)[0, 0, 0]) for window in (48, 47)]
    [10.0, 14.0]
    """
    hours = serving_devices_by_hour.shape[-1]
    peak = serving_devices_by_hour[..., -1:]
    runs = np.reshape(runs_per_month, (-1, 1))
    run_time = np.minimum(np.reshape(window_hours, (-1, 1)), HOURS_PER_MONTH / runs)
    share = (run_hours / run_time)[:, None, :]
    # The quietest hours that make up the share, but for the last binary digit.
    rank = np.ceil(np.fmin(share, 1.0) * hours * (1 - 1e-9)) - 1
    busiest_used = np.take_along_axis(
        serving_devices_by_hour, np.maximum(rank, 0).astype(np.intp), axis=-1
    )
    beside = np.maximum(peak, busiest_used + run_devices)
    apart = peak + run_devices * fleets_of_runs(run_hours, runs)[:, None, :]
    return np.asarray(np.where(share <= 1, beside, apart))


def shared_fleet(
    serving: ServingCandidates,
    training: TrainingCandidates,
    *,
    devices_by_hour: Array,
    shape: DemandShape,
    window_hours: float,
    runs_per_month: float,
    market: Market,
) -> SharedFleet:
    """Cost of the smallest owned fleet of each device for both jobs.

    Parameters
    ----------
    serving, training
        Layouts of both jobs, of which the pair that needs the smallest fleet is taken.
    devices_by_hour
        As in `shared_devices`.
    shape, market
        Demand over the week, prices and terms.
    window_hours, runs_per_month
        Time that a run may take, and how often it is repeated. [h], [runs/month]
    """
    layouts = shared_layouts(
        serving,
        training,
        devices_by_hour=devices_by_hour,
        window_hours=window_hours,
        runs_per_month=runs_per_month,
        market=market,
    )
    return priced_shared(
        *layouts,
        shape=shape,
        window_hours=window_hours,
        runs_per_month=runs_per_month,
        market=market,
    )


def shared_layouts(
    serving: ServingCandidates,
    training: TrainingCandidates,
    *,
    devices_by_hour: Array,
    window_hours: float,
    runs_per_month: float,
    market: Market,
) -> tuple[ServingEstimates, TrainingEstimates]:
    """Layouts of both jobs that need the smallest fleet; prices play no part."""
    if not runs_per_month:
        serve = serving.least(whole_servers(devices_by_hour[..., -1], market.arrays))
        return serve, training.least(training.layout_devices)
    # Of the layouts with equally many devices the fastest leaves most hours to choose from.
    counts, count_of_layout, fastest_hours = training.fastest
    devices = whole_servers(
        shared_devices(
            serving_devices_by_hour=devices_by_hour,
            run_devices=counts,
            run_hours=fastest_hours,
            window_hours=window_hours,
            runs_per_month=runs_per_month,
        ),
        market.arrays,
    )
    run = training.least(devices.min(axis=1)[:, count_of_layout])
    of_run = devices[np.arange(len(devices)), :, np.searchsorted(counts, run.devices)]
    return serving.least(of_run), run


def priced_shared(
    serve: ServingEstimates,
    run: TrainingEstimates,
    *,
    shape: DemandShape,
    window_hours: Quantity,
    runs_per_month: Quantity,
    market: Market,
) -> SharedFleet:
    """Cost of a shared fleet in the layouts of `shared_layouts`."""
    if not np.any(runs_per_month):
        return _serving_alone(serve, run, shape, market)
    arrays, levels = market.arrays, market.terms.power_levels
    need = hourly_need(serve, shape, market)
    sizes = shared_devices(
        serving_devices_by_hour=np.sort(need.devices, axis=-1),
        run_devices=run.devices[:, None, None],
        run_hours=run.run_hours[:, None],
        window_hours=window_hours,
        runs_per_month=runs_per_month,
    )[..., 0]
    sizes = np.where((serve.fits & run.fits)[:, None], sizes, np.nan)
    first = need.level_of_month[0]
    size = whole_servers(sizes, market.arrays)[:, first]
    finish_hours = _finish_hours(size, serving_devices_by_hour(serve, shape), run)
    growth = market.calendar.growth
    serving_draw = serving_draw_hours(serve, shape, arrays, levels)
    runs_per_year = runs_per_month * MONTHS_PER_YEAR
    fleet = market.owned(
        run,
        devices_by_month=sizes[:, need.level_of_month],
        worked_device_hours=serving_device_hours(serve, shape) * growth.mean()
        + run.device_hours * runs_per_year,
        draw_hours_by_month=(
            serving_draw[:, None] * growth
            + training_draw_hours(run, runs_per_year, arrays, levels)[:, None]
        )
        / MONTHS_PER_YEAR,
        seconds=finish_hours * SECONDS_PER_HOUR,
        meets_target=finish_hours <= window_hours * (1 + 1e-9),
    )
    return SharedFleet(serve, fleet)


def _finish_hours(size: Array, serving_devices: Array, run: TrainingEstimates) -> Array:
    """Time from the start of a run to its end, of which it works while its devices are free."""
    free = free_devices_by_hour(owned_devices=size, devices_by_hour=serving_devices)
    room = has_room_by_hour(free_devices=free, training_devices=run.devices).mean(axis=-1)
    return run.run_hours / np.where(room > 0, room, np.nan)


def _serving_alone(
    serve: ServingEstimates, run: TrainingEstimates, shape: DemandShape, market: Market
) -> SharedFleet:
    """Fleet where no run is planned."""
    never = np.full(len(serve.devices), np.nan)
    alone = owned_serving(serve, serving_peak(serve, market), shape, market)
    fleet = Fleet(
        estimates=run,
        devices_by_month=alone.devices_by_month,
        worked_device_hours=alone.worked_device_hours,
        paid_hours_by_month=alone.paid_hours_by_month,
        power_share_by_month=alone.power_share_by_month,
        purchase_usd=alone.purchase_usd,
        parts_usd_by_month=alone.parts_usd_by_month,
        seconds=never,
        meets_target=np.isnan(never),
    )
    return SharedFleet(serve, fleet)
