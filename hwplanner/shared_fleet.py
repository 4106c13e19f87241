"""One owned fleet for both jobs: training takes the hours that serving leaves free."""

from __future__ import annotations

import numpy as np

from hwplanner.demand import free_devices_by_hour, has_room_by_hour
from hwplanner.money import Fleet, JobMoney, Market, fleets_of_runs
from hwplanner.serving import ServingEstimates
from hwplanner.training import TrainingCandidates, TrainingEstimates
from hwplanner.units import HOURS_PER_MONTH, MONTHS_PER_YEAR, SECONDS_PER_HOUR, Array


def shared_devices(
    *,
    serving_devices_by_hour: Array,
    run_devices: Array,
    run_hours: Array,
    window_hours: float,
    runs_per_month: float,
) -> Array:
    """Fewest devices of a fleet that serves and trains.

    Parameters
    ----------
    serving_devices_by_hour
        Devices that serving needs in each hour of the week. [devices, (devices, hours)]
    run_devices, run_hours
        Devices and time of a run, by layout. [devices, (layouts,)], [h, (devices, layouts)]
    window_hours, runs_per_month
        Time that a run may take, and how often it is repeated. [h], [runs/month]

    Returns
    -------
    ndarray
        One entry for each device and layout; NaN where the run has no time. [devices]

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

    >>> by_hour = np.array([[2.0, 10.0]])
    >>> [float(shared_devices(serving_devices_by_hour=by_hour, run_devices=np.array([4.0]),
    ...                       run_hours=np.array([[24.0]]), window_hours=window,
    ...                       runs_per_month=1)[0, 0]) for window in (48, 47)]
    [10.0, 14.0]
    """
    hours = serving_devices_by_hour.shape[-1]
    peak = serving_devices_by_hour.max(axis=-1, keepdims=True)
    share = run_hours / min(window_hours, HOURS_PER_MONTH / runs_per_month)
    # The quietest hours that make up the share, but for the last binary digit.
    rank = np.ceil(np.nan_to_num(share) * hours * (1 - 1e-9)) - 1
    quietest = np.sort(serving_devices_by_hour, axis=-1)
    busiest_used = np.take_along_axis(
        quietest, np.clip(rank, 0, hours - 1).astype(np.intp), axis=-1
    )
    beside = np.maximum(peak, busiest_used + run_devices)
    apart = peak + run_devices * fleets_of_runs(run_hours, runs_per_month)
    return np.asarray(np.where(share <= 1, beside, apart))


def shared_fleet(
    *,
    serving: JobMoney[ServingEstimates],
    serving_devices_by_hour: Array,
    training: TrainingCandidates,
    window_hours: float,
    runs_per_month: float,
    market: Market,
) -> Fleet[TrainingEstimates]:
    """Cost of the smallest owned fleet of each device for both jobs.

    Parameters
    ----------
    serving
        Cost of serving alone.
    training
        Layouts of a run, of which the one that needs the smallest fleet is taken.
    serving_devices_by_hour, window_hours, runs_per_month
        As in `shared_devices`.
    market
        Prices and terms.
    """
    if not runs_per_month:
        count = len(serving.owned.devices)
        return market.owned(
            training.least(training.layout_devices),
            devices=serving.owned.devices,
            worked_device_hours=serving.owned.worked_device_hours,
            seconds=np.full(count, np.nan),
            meets_target=np.full(count, True),
        )

    def fewest(run_devices: Array, run_hours: Array) -> Array:
        return shared_devices(
            serving_devices_by_hour=serving_devices_by_hour,
            run_devices=run_devices,
            run_hours=run_hours,
            window_hours=window_hours,
            runs_per_month=runs_per_month,
        )

    run = training.least(fewest(training.layout_devices, training.run_hours))
    devices = fewest(run.devices[:, None], run.run_hours[:, None])[:, 0]
    free = free_devices_by_hour(owned_devices=devices, devices_by_hour=serving_devices_by_hour)
    room = has_room_by_hour(free_devices=free, training_devices=run.devices).mean(axis=-1)
    finish_hours = run.run_hours / np.where(room > 0, room, np.nan)
    return market.owned(
        run,
        devices=devices,
        worked_device_hours=serving.owned.worked_device_hours
        + run.device_hours * runs_per_month * MONTHS_PER_YEAR,
        seconds=finish_hours * SECONDS_PER_HOUR,
        meets_target=finish_hours <= window_hours * (1 + 1e-9),
    )
