"""Four ways to do both jobs: one shared family, two owned, own and rent, rent everything.

Each option takes the devices that make it cheapest among those that meet both targets; where none
does, those that miss by least, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from hwplanner.money.cost_draws import CostDraws
from hwplanner.money.draws import DRAWS, cheapest_shares
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
        Total, with the range that holds 8 of 10 draws. [USD/year]
    usd_draws
        Total in every draw of how fast devices are. [USD/year, (draws,)]
    cheapest_share
        Share of the draws in which no other option costs less, of those that do as well on the
        targets. Options that cost the same share a draw. [1]
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
    usd_draws: Array = field(default_factory=lambda: np.array([NAN]), repr=False, compare=False)
    cheapest_share: float = 0.0
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
    draws: CostDraws,
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
    draws
        The same fleets at other throughputs than estimated.
    """
    options = [
        _separate(
            key,
            serving.paid(owned=owns(key, "serving")),
            training.paid(owned=owns(key, "training")),
            has_limited_training,
            draws,
        )
        for key in SEPARATE
    ]
    options.append(_shared(shared, has_limited_training, draws))
    options.sort(key=lambda option: (*_rank(option), option.usd_per_year.typical))
    # Only options that do as well as the best on the targets compete with it.
    usd = np.array(
        [
            option.usd_draws if _rank(option) == _rank(options[0]) else np.full(DRAWS, NAN)
            for option in options
        ]
    )
    shares = cheapest_shares(usd)
    return tuple(
        replace(option, cheapest_share=float(share))
        for option, share in zip(options, shares, strict=True)
    )


def _rank(option: Option) -> tuple[bool, bool]:
    """Whether an option is not there, or misses a target: what counts before its cost."""
    return not option.exists, not option.meets_both


def _shared(shared: SharedFleet, has_limited_training: Array, draws: CostDraws) -> Option:
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
    usd_draws = draws.shared_usd(place)
    return Option(
        key="shared",
        serving_device=place,
        training_device=place if is_planned else None,
        serving_devices=float(serving.devices[place]),
        training_devices=float(fleet.estimates.devices[place]) if is_planned else 0.0,
        owned_devices=float(fleet.devices[place]),
        parts_usd_per_year={"serving and training, owned": usd},
        usd_per_year=_interval(usd, usd_draws),
        usd_draws=usd_draws,
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
    draws: CostDraws,
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
    usd_draws = draws.both_usd(
        serve=serve, train=train, owned=(owns(key, "serving"), owns(key, "training"))
    )
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
        usd_per_year=_interval(serving_usd + training_usd, usd_draws),
        usd_draws=usd_draws,
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


def _interval(typical: float, draws: Array) -> Interval:
    """Range that holds 8 of 10 draws, and the estimate."""
    low, high = np.quantile(draws, (0.1, 0.9))
    return Interval(min(float(low), typical), typical, max(float(high), typical))


def _idle_share(worked: float, paid: float) -> float:
    return float(max(0.0, 1 - worked / paid))
