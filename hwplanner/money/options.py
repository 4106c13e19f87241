"""Four ways to do both jobs: one shared family, two owned, own and rent, rent everything.

Each option takes the devices that make it cheapest among those that meet both targets; where none
does, those that miss by least, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hwplanner.money.cost_draws import CostDraws
from hwplanner.money.draws import DRAWS, cheapest_shares
from hwplanner.money.fleets import Fleet, Market, Mask
from hwplanner.money.job_money import JobMoney
from hwplanner.money.ledger import FleetLedger, Ledger, owned_ledger, rented_ledger
from hwplanner.money.option import NAN, Option, OptionKey, owns
from hwplanner.money.shared_fleet import SharedFleet
from hwplanner.scenario import Job
from hwplanner.serving.estimates import ServingEstimates
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.units import MONTHS_PER_YEAR, SECONDS_PER_HOUR, Array, Interval

SEPARATE: tuple[OptionKey, ...] = ("own_and_rent", "two_owned", "rent_all")


def four_options(
    *,
    serving: JobMoney[ServingEstimates],
    training: JobMoney[TrainingEstimates],
    shared: SharedFleet,
    has_limited_training: Array,
    draws: CostDraws,
    market: Market,
    picks: Picks | None = None,
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
    market
        Prices, terms and months.
    picks
        Devices that are to be taken; any where None.
    """
    picks = picks or Picks()
    options = [
        _separate(
            key,
            serving.paid(owned=owns(key, "serving")),
            training.paid(owned=owns(key, "training")),
            has_limited_training,
            draws,
            picks,
            _ledger_of(key, serving, training, market),
        )
        for key in SEPARATE
    ]
    options.append(_shared(shared, has_limited_training, draws, picks, market))
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


@dataclass(frozen=True, slots=True)
class Picks:
    """Places of devices that the user wants to serve and to train on; None leaves it open."""

    serve: int | None = None
    train: int | None = None

    def pair(self, usd: Array) -> Array:
        """Cost of pairs, rows for serving and columns for training; NaN for those not wanted."""
        kept = np.full_like(usd, np.nan)
        wanted = np.s_[
            slice(None) if self.serve is None else [self.serve],
            slice(None) if self.train is None else [self.train],
        ]
        kept[wanted] = usd[wanted]
        return kept

    def shared(self, usd: Array) -> Array:
        """Cost of devices that do both jobs; NaN for those picked for neither."""
        picked = [place for place in (self.serve, self.train) if place is not None]
        if not picked:
            return usd
        kept = np.full_like(usd, np.nan)
        kept[picked] = usd[picked]
        return kept


LedgerOf = Callable[[int, int], Ledger]


def _ledger_of(
    key: OptionKey,
    serving: JobMoney[ServingEstimates],
    training: JobMoney[TrainingEstimates],
    market: Market,
) -> LedgerOf:
    """How the ledger of an option follows from its two devices."""

    def ledger(serve: int, train: int) -> Ledger:
        fleets: list[FleetLedger] = []
        if not owns(key, "serving"):
            fleets.append(rented_ledger(serving.rented, serve, "serving"))
        elif serving.base is not None and serving.peaks is not None and serving.is_mixed[serve]:
            fleets.append(owned_ledger(serving.base, serve, "serving", market))
            fleets.append(rented_ledger(serving.peaks, serve, "serving"))
        else:
            fleets.append(owned_ledger(serving.owned, serve, "serving", market))
        if training.rented.devices[train] > 0:
            fleets.append(
                owned_ledger(training.owned, train, "training", market)
                if owns(key, "training")
                else rented_ledger(training.rented, train, "training")
            )
        return Ledger(tuple(fleets), market.terms.rate_per_year, market.calendar.months)

    return ledger


def _rank(option: Option) -> tuple[bool, bool]:
    """Whether an option is not there, or misses a target: what counts before its cost."""
    return not option.exists, not option.meets_both


def _shared(
    shared: SharedFleet,
    has_limited_training: Array,
    draws: CostDraws,
    picks: Picks,
    market: Market,
) -> Option:
    """One fleet of one device for both jobs."""
    serving, fleet = shared.serving, shared.fleet
    missed_seconds = _missed(serving.meets_target, serving.tpot_seconds) + np.maximum(
        _missed(fleet.meets_target, fleet.seconds), has_limited_training
    )
    chosen = _cheapest(picks.shared(fleet.usd_per_year), missed_seconds)
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
        ledger=Ledger(
            (owned_ledger(fleet, place, "both" if is_planned else "serving", market),),
            market.terms.rate_per_year,
            market.calendar.months,
        ),
        idle_share=_idle_hours(fleet, place) / float(fleet.paid_device_hours[place]),
        idle_device_hours=_idle_hours(fleet, place),
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
    picks: Picks,
    ledger_of: LedgerOf,
) -> Option:
    """Two fleets, each owned or rented."""
    usd = serving.usd_per_year[:, None] + training.usd_per_year
    if key == "two_owned":
        np.fill_diagonal(usd, np.nan)
    missed_seconds = _missed(serving.meets_target, serving.seconds)[:, None] + np.maximum(
        _missed(training.meets_target, training.seconds), has_limited_training
    )
    chosen = _cheapest(picks.pair(usd), missed_seconds)
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
    ledger = ledger_of(serve, train)
    idle_hours = _idle_hours(serving, serve) + _idle_hours(training, train)
    paid_hours = float(serving.paid_device_hours[serve] + training.paid_device_hours[train])
    is_mixed = len({fleet.way for fleet in ledger.fleets if fleet.job == "serving"}) > 1
    base, peaks = ledger.fleets[:2] if is_mixed else (None, None)
    return Option(
        key=key,
        serving_device=serve,
        training_device=train if training_devices else None,
        serving_devices=serving_devices,
        training_devices=training_devices,
        owned_devices=sum(float(f.devices[0]) for f in ledger.fleets if f.way == "owned"),
        base_devices=float(base.devices[0]) if base else 0.0,
        rented_peaks=float(peaks.devices.max()) if peaks else 0.0,
        parts_usd_per_year={
            f"{f.job}, {f.way}": float(f.cost_usd.mean() * MONTHS_PER_YEAR) for f in ledger.fleets
        },
        usd_per_year=_interval(serving_usd + training_usd, usd_draws),
        usd_draws=usd_draws,
        ledger=ledger,
        idle_share=idle_hours / paid_hours,
        idle_device_hours=idle_hours,
        finish_hours=float(training.seconds[train] / SECONDS_PER_HOUR),
        meets_serving=bool(serving.meets_target[serve]),
        meets_training=bool(training.meets_target[train]),
    )


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


def _idle_hours(fleet: Fleet[Any], place: int) -> float:
    """Paid hours without work. [device-hours/year]"""
    paid, worked = fleet.paid_device_hours[place], fleet.worked_device_hours[place]
    return max(0.0, float(paid - worked))
