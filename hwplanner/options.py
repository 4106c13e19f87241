"""Four ways to do both jobs: one shared family, two owned, own and rent, rent everything.

Each option takes the devices that make it cheapest among those that meet both targets; where none
does, those that miss by least, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hwplanner.money import JobMoney
from hwplanner.serving import ServingEstimates
from hwplanner.tables import Interval
from hwplanner.training import TrainingEstimates
from hwplanner.units import HOURS_PER_YEAR, MONTHS_PER_YEAR, SECONDS_PER_HOUR, Array

OptionKey = Literal["shared", "two_owned", "own_and_rent", "rent_all"]
Mask = NDArray[np.bool_]

LABELS: Mapping[OptionKey, str] = {
    "own_and_rent": "Own serving, rent training",
    "shared": "One shared family, owned",
    "two_owned": "Two families, both owned",
    "rent_all": "Rent everything",
}


@dataclass(frozen=True, slots=True)
class Bands:
    """Measured over estimated throughput of each job: low, high. [ratio]"""

    serving: tuple[float, float]
    training: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Option:
    """One way to do both jobs, worked out.

    Attributes
    ----------
    key, label
        Which of the four.
    serving_device, training_device
        Places of the devices in the comparison; None where no device will do.
    serving_devices, training_devices
        Devices of each job. In a shared fleet both are parts of `owned_devices`.
    owned_devices
        Devices that are bought. [devices]
    parts_usd_per_year
        Cost by job and way of paying; sums to the total. [USD/year]
    usd_per_year
        Total, with the range that the bands of the estimates give. [USD/year]
    purchase_usd, running_usd_per_year
        Cash: paid at the start, and paid out every year. [USD], [USD/year]
    idle_share
        Paid hours without work, of all paid hours. [1]
    finish_hours
        Time from the start of a run to its end. [h]
    meets_serving, meets_training
        Whether latency targets and window are met.
    reason
        Why there is no such option, in words; '' where there is one.
    """

    key: OptionKey
    label: str
    serving_device: int | None
    training_device: int | None
    serving_devices: float
    training_devices: float
    owned_devices: float
    parts_usd_per_year: Mapping[str, float]
    usd_per_year: Interval
    purchase_usd: float
    running_usd_per_year: float
    idle_share: float
    finish_hours: float
    meets_serving: bool
    meets_training: bool
    reason: str = ""

    @property
    def exists(self) -> bool:
        """Whether there are devices and prices for it."""
        return not self.reason

    @property
    def meets_both(self) -> bool:
        """Whether both jobs meet their targets."""
        return self.exists and self.meets_serving and self.meets_training


@dataclass(frozen=True, slots=True, eq=False)
class SharedFleet:
    """One owned fleet of each device for both jobs, one entry a device.

    Attributes
    ----------
    devices
        Size of the fleet. [devices]
    finish_hours
        Time of a run that works only in the hours that serving leaves free. [h]
    meets_window
        Whether a run ends within its window.
    """

    devices: Array
    finish_hours: Array
    meets_window: Mask


def shared_fleet(
    *,
    serving_devices_by_hour: Array,
    training: TrainingEstimates,
    window_hours: float,
    runs_per_month: float,
) -> SharedFleet:
    """Size one fleet for both jobs.

    The fleet of the larger job is enough if the runs find free hours to end in their window and
    to be repeated; else the fleets of both jobs are added.
    """
    serving_devices = serving_devices_by_hour.max(axis=-1)
    run_hours = training.run_seconds / SECONDS_PER_HOUR
    larger = np.maximum(serving_devices, training.devices)
    room = larger[:, None] - serving_devices_by_hour >= training.devices[:, None]
    share_with_room = room.mean(axis=-1)
    finds_room = share_with_room > 0
    waiting_hours = np.where(
        finds_room, run_hours / np.where(finds_room, share_with_room, 1), np.inf
    )
    month_hours = HOURS_PER_YEAR / MONTHS_PER_YEAR
    works_at_night = (
        finds_room
        & (waiting_hours <= window_hours)
        & (runs_per_month <= month_hours / waiting_hours)
    )
    return SharedFleet(
        devices=np.where(works_at_night, larger, serving_devices + training.devices),
        finish_hours=np.where(works_at_night, waiting_hours, run_hours),
        meets_window=works_at_night | training.meets_window,
    )


def four_options(
    *,
    serving: ServingEstimates,
    training: TrainingEstimates,
    serving_cost: JobMoney,
    training_cost: JobMoney,
    shared: SharedFleet,
    has_limited_training: Array,
    bands: Bands,
) -> tuple[Option, ...]:
    """Work out the four options and sort them: those that meet both targets first, by cost.

    Parameters
    ----------
    serving, training
        Estimates of both jobs, one entry a device.
    serving_cost, training_cost
        Their money.
    shared
        One fleet for both.
    has_limited_training
        1 for devices whose training software is limited: they are shown and priced, and chosen
        only where no fully supported device does the job.
    bands
        Uncertainty of both throughputs.
    """
    serving_excess = np.where(serving.meets_target, 0.0, serving.tpot_seconds)
    training_excess = np.where(training.meets_window, 0.0, training.run_seconds)
    # Limited software counts like a window missed by a second: chosen only for want of others.
    training_excess = np.maximum(training_excess, has_limited_training)
    own_serving = _cheapest(serving_cost.owned_usd_per_year, serving_excess)
    rent_serving = _cheapest(serving_cost.rent_usd_per_year, serving_excess)
    rent_training = _cheapest(training_cost.rent_usd_per_year, training_excess)
    both = serving.fits & training.fits
    shared_usd = np.where(
        both, shared.devices * _shared_owned(serving_cost, training_cost, shared), np.nan
    )
    one = _cheapest(
        shared_usd,
        serving_excess + np.where(shared.meets_window, has_limited_training, training_excess),
    )
    pair = _cheapest_pair(
        serving_cost.owned_usd_per_year,
        serving_excess,
        training_cost.owned_usd_per_year,
        training_excess,
    )

    def separate(
        key: OptionKey, serve: int | None, train: int | None, *, own: tuple[bool, bool]
    ) -> Option:
        return _separate(
            key, serve, train, own, serving, training, serving_cost, training_cost, bands
        )

    options = (
        separate("own_and_rent", own_serving, rent_training, own=(True, False)),
        _shared(one, serving, training, serving_cost, training_cost, shared, shared_usd, bands),
        separate("two_owned", *pair, own=(True, True)),
        separate("rent_all", rent_serving, rent_training, own=(False, False)),
    )
    return tuple(
        sorted(
            options,
            key=lambda option: (
                not option.exists,
                not option.meets_both,
                option.usd_per_year.typical,
            ),
        )
    )


def _score(usd: Array, excess: Array) -> Array:
    """Cost where the target is met; far behind all of these, how far it is missed."""
    priced = np.isfinite(usd)
    behind = 1e18 * (1 + np.nan_to_num(excess, nan=1e6))
    return np.where(priced, np.where(excess > 0, behind, usd), np.inf)


def _cheapest(usd: Array, excess: Array) -> int | None:
    score = _score(usd, excess)
    place = int(score.argmin())
    return place if np.isfinite(score[place]) else None


def _cheapest_pair(
    serving_usd: Array, serving_excess: Array, training_usd: Array, training_excess: Array
) -> tuple[int | None, int | None]:
    """Cheapest pair of two different devices."""
    total = _score(serving_usd, serving_excess)[:, None] + _score(training_usd, training_excess)
    np.fill_diagonal(total, np.inf)
    serve, train = np.unravel_index(total.argmin(), total.shape)
    if not np.isfinite(total[serve, train]):
        return None, None
    return int(serve), int(train)


def _shared_owned(serving_cost: JobMoney, training_cost: JobMoney, shared: SharedFleet) -> Array:
    """Cost of one device of a shared fleet, at the load of both jobs together. [USD/device/year]

    The two jobs' owned costs differ in power alone, which is linear in the load: what each load
    adds to idling is added up.
    """
    worked = serving_cost.worked_device_hours + training_cost.worked_device_hours
    busy = np.minimum(worked / (shared.devices * HOURS_PER_YEAR), 1.0)
    a, b = serving_cost, training_cost
    load_a = a.worked_device_hours / (a.devices * HOURS_PER_YEAR)
    load_b = np.minimum(b.worked_device_hours / (b.devices * HOURS_PER_YEAR), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(
            load_a != load_b, (a.owned.usd_per_year - b.owned.usd_per_year) / (load_a - load_b), 0
        )
    return np.asarray(a.owned.usd_per_year + slope * (busy - load_a))


def _interval(parts: list[tuple[float, tuple[float, float]]]) -> Interval:
    """Sum of costs whose throughput is uncertain, independently of each other."""
    total = sum(usd for usd, _ in parts)
    down = sum((usd * (1 - 1 / high)) ** 2 for usd, (_, high) in parts) ** 0.5
    up = sum((usd * (1 / low - 1)) ** 2 for usd, (low, _) in parts) ** 0.5
    return Interval(total - down, total, total + up)


def _missing(key: OptionKey, reason: str) -> Option:
    nan = float("nan")
    return Option(
        key, LABELS[key], None, None, nan, nan, nan, {}, Interval(nan, nan, nan), nan, nan, nan,
        nan, False, False, reason,
    )  # fmt: skip


def _separate(
    key: OptionKey,
    serve: int | None,
    train: int | None,
    own: tuple[bool, bool],
    serving: ServingEstimates,
    training: TrainingEstimates,
    serving_cost: JobMoney,
    training_cost: JobMoney,
    bands: Bands,
) -> Option:
    """Two fleets, each owned or rented."""
    if serve is None or train is None:
        job = "serving" if serve is None else "training"
        way = "purchase price" if own[0 if serve is None else 1] else "rent"
        return _missing(key, f"no compared device holds the {job} job and has a known {way}")
    parts: dict[str, float] = {}
    ranged = []
    purchase = running = worked = paid = 0.0
    for job, place, owned, money, band in (
        ("serving", serve, own[0], serving_cost, bands.serving),
        ("training", train, own[1], training_cost, bands.training),
    ):
        usd = (money.owned_usd_per_year if owned else money.rent_usd_per_year)[place]
        parts[f"{job}, {'owned' if owned else 'rented'}"] = float(usd)
        ranged.append((float(usd), band))
        devices = money.devices[place]
        if owned:
            purchase += devices * np.asarray(money.owned.purchase_usd)[place]
            running += devices * np.asarray(money.owned.running_usd_per_year)[place]
            paid += devices * HOURS_PER_YEAR
        else:
            running += usd
            paid += money.rented_device_hours[place]
        worked += money.worked_device_hours[place]
    return Option(
        key=key,
        label=LABELS[key],
        serving_device=serve,
        training_device=train,
        serving_devices=float(serving.devices[serve]),
        training_devices=float(training.devices[train]),
        owned_devices=float(own[0] * serving.devices[serve] + own[1] * training.devices[train]),
        parts_usd_per_year=parts,
        usd_per_year=_interval(ranged),
        purchase_usd=float(purchase),
        running_usd_per_year=float(running),
        idle_share=float(max(0.0, 1 - worked / paid)) if paid else 0.0,
        finish_hours=float(training.run_seconds[train] / SECONDS_PER_HOUR),
        meets_serving=bool(serving.meets_target[serve]),
        meets_training=bool(training.meets_window[train]),
    )


def _shared(
    place: int | None,
    serving: ServingEstimates,
    training: TrainingEstimates,
    serving_cost: JobMoney,
    training_cost: JobMoney,
    shared: SharedFleet,
    shared_usd: Array,
    bands: Bands,
) -> Option:
    """One fleet of one device for both jobs."""
    if place is None:
        return _missing(
            "shared", "no compared device holds both jobs and has a known purchase price"
        )
    devices = float(shared.devices[place])
    usd = float(shared_usd[place])
    purchase = devices * float(np.asarray(serving_cost.owned.purchase_usd)[place])
    capital = devices * float(np.asarray(serving_cost.owned.capital_usd_per_year)[place])
    worked = serving_cost.worked_device_hours[place] + training_cost.worked_device_hours[place]
    return Option(
        key="shared",
        label=LABELS["shared"],
        serving_device=place,
        training_device=place,
        serving_devices=float(serving.devices[place]),
        training_devices=float(training.devices[place]),
        owned_devices=devices,
        parts_usd_per_year={"serving and training, owned": usd},
        usd_per_year=_interval([(usd, bands.serving)]),
        purchase_usd=purchase,
        running_usd_per_year=usd - capital,
        idle_share=float(max(0.0, 1 - worked / (devices * HOURS_PER_YEAR))),
        finish_hours=float(shared.finish_hours[place]),
        meets_serving=bool(serving.meets_target[place]),
        meets_training=bool(shared.meets_window[place]),
    )
