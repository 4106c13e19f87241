"""Four ways to do both jobs: one shared family, two owned, own and rent, rent everything.

Each option takes the devices that make it cheapest among those that meet both targets; where none
does, those that miss by least, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from hwplanner.money.job_money import Fleet, JobMoney, Mask
from hwplanner.money.shared_fleet import SharedFleet
from hwplanner.scenario import Job
from hwplanner.serving.estimates import ServingEstimates
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.units import SECONDS_PER_HOUR, Array, Interval

OptionKey = Literal["own_and_rent", "shared", "two_owned", "rent_all"]

LABELS: Mapping[OptionKey, str] = {
    "own_and_rent": "Own serving, rent training",
    "shared": "One shared family, owned",
    "two_owned": "Two families, both owned",
    "rent_all": "Rent everything",
}
SEPARATE: tuple[OptionKey, ...] = ("own_and_rent", "two_owned", "rent_all")
NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Bands:
    """Measured over estimated throughput of each job: low, high. [ratio]"""

    serving: tuple[float, float]
    training: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Option:
    """One way to do both jobs, worked out; without figures where a reason forbids it.

    Attributes
    ----------
    key
        Which of the four.
    reason
        Why there is no such option, in words; '' where there is one.
    serving_device, training_device
        Places of the devices in the comparison; None where there is none, or no run is planned.
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
        Time from the start of a run to its end; NaN where none is planned. [h]
    meets_serving, meets_training
        Whether latency targets and window are met.
    """

    key: OptionKey
    reason: str = ""
    serving_device: int | None = None
    training_device: int | None = None
    serving_devices: float = NAN
    training_devices: float = NAN
    owned_devices: float = NAN
    parts_usd_per_year: Mapping[str, float] = field(default_factory=dict)
    usd_per_year: Interval = Interval(NAN, NAN, NAN)
    purchase_usd: float = NAN
    running_usd_per_year: float = NAN
    idle_share: float = NAN
    finish_hours: float = NAN
    meets_serving: bool = False
    meets_training: bool = False

    @property
    def label(self) -> str:
        """Name on the screen."""
        return LABELS[self.key]

    @property
    def exists(self) -> bool:
        """Whether there are devices and prices for it."""
        return not self.reason

    @property
    def meets_both(self) -> bool:
        """Whether both jobs meet their targets."""
        return self.exists and self.meets_serving and self.meets_training

    def owns(self, job: Job) -> bool:
        """Whether the devices of a job are bought."""
        return owns(self.key, job)


def owns(key: OptionKey, job: Job) -> bool:
    """Whether an option buys the devices of a job."""
    return key != "rent_all" and not (key == "own_and_rent" and job == "training")


def four_options(
    *,
    serving: JobMoney[ServingEstimates],
    training: JobMoney[TrainingEstimates],
    shared: SharedFleet,
    has_limited_training: Array,
    bands: Bands,
) -> tuple[Option, ...]:
    """Work out the four options and sort them: those that meet both targets first, by cost.

    Parameters
    ----------
    serving, training
        Both jobs, owned and rented, one entry a device.
    shared
        One owned fleet for both.
    has_limited_training
        1 for devices whose training software is limited: they are shown and priced, and chosen
        only where no fully supported device does the job.
    bands
        Uncertainty of both throughputs.
    """
    options = [
        _separate(
            key,
            serving.paid(owned=owns(key, "serving")),
            training.paid(owned=owns(key, "training")),
            has_limited_training,
            bands,
        )
        for key in SEPARATE
    ]
    options.append(_shared(shared, has_limited_training, bands))
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


def _shared(shared: SharedFleet, has_limited_training: Array, bands: Bands) -> Option:
    """One fleet of one device for both jobs."""
    serving, fleet = shared.serving, shared.fleet
    missed_seconds = _missed(serving.meets_target, serving.tpot_seconds) + np.maximum(
        _missed(fleet.meets_target, fleet.seconds), has_limited_training
    )
    chosen = _cheapest(fleet.usd_per_year, missed_seconds)
    if chosen is None:
        return Option("shared", "no compared device holds both jobs and has a known purchase price")
    (place,) = chosen
    usd = float(fleet.usd_per_year[place])
    is_planned = bool(np.isfinite(fleet.seconds[place]))
    return Option(
        key="shared",
        serving_device=place,
        training_device=place if is_planned else None,
        serving_devices=float(serving.devices[place]),
        training_devices=float(fleet.estimates.devices[place]) if is_planned else 0.0,
        owned_devices=float(fleet.devices[place]),
        parts_usd_per_year={"serving and training, owned": usd},
        usd_per_year=_interval([(usd, bands.serving)]),
        purchase_usd=float(fleet.purchase_usd[place]),
        running_usd_per_year=float(fleet.running_usd_per_year[place]),
        idle_share=_idle_share(fleet.worked_device_hours[place], fleet.paid_device_hours[place]),
        finish_hours=float(fleet.seconds[place] / SECONDS_PER_HOUR),
        meets_serving=bool(serving.meets_target[place]),
        meets_training=bool(fleet.meets_target[place]),
    )


def _separate(
    key: OptionKey,
    serving: Fleet[ServingEstimates],
    training: Fleet[TrainingEstimates],
    has_limited_training: Array,
    bands: Bands,
) -> Option:
    """Two fleets, each owned or rented."""
    usd = serving.usd_per_year[:, None] + training.usd_per_year
    if key == "two_owned":
        np.fill_diagonal(usd, np.nan)
    missed_seconds = _missed(serving.meets_target, serving.seconds)[:, None] + np.maximum(
        _missed(training.meets_target, training.seconds), has_limited_training
    )
    chosen = _cheapest(usd, missed_seconds)
    if chosen is None:
        return Option(key, _why_none(key, serving, training))
    serve, train = chosen
    serving_usd = float(serving.usd_per_year[serve])
    training_usd = float(training.usd_per_year[train])
    serving_devices = float(serving.devices[serve])
    training_devices = float(training.devices[train])
    return Option(
        key=key,
        serving_device=serve,
        training_device=train if training_devices else None,
        serving_devices=serving_devices,
        training_devices=training_devices,
        owned_devices=owns(key, "serving") * serving_devices
        + owns(key, "training") * training_devices,
        parts_usd_per_year={
            f"serving, {_way(key, 'serving')}": serving_usd,
            f"training, {_way(key, 'training')}": training_usd,
        },
        usd_per_year=_interval([(serving_usd, bands.serving), (training_usd, bands.training)]),
        purchase_usd=float(serving.purchase_usd[serve] + training.purchase_usd[train]),
        running_usd_per_year=float(
            serving.running_usd_per_year[serve] + training.running_usd_per_year[train]
        ),
        idle_share=_idle_share(
            serving.worked_device_hours[serve] + training.worked_device_hours[train],
            serving.paid_device_hours[serve] + training.paid_device_hours[train],
        ),
        finish_hours=float(training.seconds[train] / SECONDS_PER_HOUR),
        meets_serving=bool(serving.meets_target[serve]),
        meets_training=bool(training.meets_target[train]),
    )


def _way(key: OptionKey, job: Job) -> str:
    return "owned" if owns(key, job) else "rented"


def _why_none(
    key: OptionKey, serving: Fleet[ServingEstimates], training: Fleet[TrainingEstimates]
) -> str:
    """Say which job finds no device at a known price, or that one device does not make two."""
    usd_per_year: Mapping[Job, Array] = {
        "serving": serving.usd_per_year,
        "training": training.usd_per_year,
    }
    for job, usd in usd_per_year.items():
        if not np.isfinite(usd).any():
            price = "purchase price" if owns(key, job) else "rent"
            return f"no compared device holds the {job} job and has a known {price}"
    return "only one compared device holds the jobs and has a known purchase price"


def _missed(meets_target: Mask, seconds: Array) -> Array:
    """How far a target is missed, for comparison only; 0 where it is met. [s]"""
    return np.where(meets_target, 0.0, seconds)


def _cheapest(usd: Array, missed_seconds: Array) -> tuple[int, ...] | None:
    """Indices of the cheapest of those that miss by least; None where no price is known."""
    priced = np.isfinite(usd)
    if not priced.any():
        return None
    missed = np.where(priced, missed_seconds, np.inf)
    comparable = np.where(missed == missed.min(), usd, np.inf)
    return tuple(int(index) for index in np.unravel_index(comparable.argmin(), usd.shape))


def _interval(parts: Sequence[tuple[float, tuple[float, float]]]) -> Interval:
    """Sum of costs whose throughput is uncertain, independently of each other."""
    total = sum(usd for usd, _ in parts)
    down = sum((usd * (1 - 1 / high)) ** 2 for usd, (_, high) in parts) ** 0.5
    up = sum((usd * (1 / low - 1)) ** 2 for usd, (low, _) in parts) ** 0.5
    return Interval(total - down, total, total + up)


def _idle_share(worked: float, paid: float) -> float:
    return float(max(0.0, 1 - worked / paid))
