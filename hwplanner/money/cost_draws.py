"""What fleets cost when devices are faster or slower than estimated.

A factor on the throughput of every device is carried to the cost of its fleet in the layout that
was chosen: in whole copies and servers, and with as many more devices as bring a late run back
into its window. Left out: that a slower device leaves less time for other layouts, and that busy
hours draw a little more power.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwplanner.demand.shapes import DemandShape
from hwplanner.evidence.ranges import Band, Ranges
from hwplanner.money.draws import DRAWS, Rivals, factor_draws
from hwplanner.money.fleets import Fleet, Market, Mask, whole_units
from hwplanner.money.job_money import JobMoney
from hwplanner.money.shared_fleet import SharedFleet
from hwplanner.money.training_money import fleets_of_runs
from hwplanner.scenario import Job
from hwplanner.serving.estimates import ServingEstimates, copies_by_hour
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.training.windows import billed_hours
from hwplanner.units import SECONDS_PER_HOUR, Array

Index = NDArray[np.intp]
Held = Callable[[Array], Array]

SAMPLED_HOURS = slice(3, None, 7)  # of the 168, in order of demand, for rents that follow it
SAMPLED_MONTHS = 6
NEARLY = 1 - 1e-9  # whole copies and servers must not round up over the last binary digit
HOPELESS = 5  # a device that costs so many times the cheapest is never drawn below it


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Lower and upper end of the range that holds 8 of 10 cases, one entry a device.

    Attributes
    ----------
    usd_per_year
        Cost of a job. [USD/year]
    devices
        Devices that it needs. [devices]
    """

    usd_per_year: tuple[Array, Array]
    devices: tuple[Array, Array]

    def over(self, typical_usd_per_year: Array) -> Band:
        """Both costs over the estimated one; 1 where nothing is paid. [ratio]"""
        is_paid = typical_usd_per_year != 0
        low, high = (
            np.where(is_paid, usd / np.where(is_paid, typical_usd_per_year, 1.0), 1.0)
            for usd in self.usd_per_year
        )
        return Band(np.minimum(low, 1.0), np.maximum(high, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class CostDraws:
    """Fleets of a plan, to be priced anew at other throughputs than estimated.

    Attributes
    ----------
    serving, training, shared
        What each job costs as estimated, and one fleet for both.
    market, shape
        Prices and terms, and demand over the week.
    window_hours, runs_per_month
        Time that a run may take, and how often it is repeated. [h], [runs/month]
    ranges
        Uncertainty of both throughputs, device by device.
    shared_share
        As in `factor_draws`.
    """

    serving: JobMoney[ServingEstimates]
    training: JobMoney[TrainingEstimates]
    shared: SharedFleet
    market: Market
    shape: DemandShape
    window_hours: float
    runs_per_month: float
    ranges: Ranges
    shared_share: float

    def job_usd(self, job: Job, *, places: Index, is_owned: Mask) -> Array:
        """Cost of a job on some devices in every draw. [USD/year, (places, draws)]"""
        return self.job_usd_at(self._factors(job, places), job, places=places, is_owned=is_owned)

    def both_usd(self, *, serve: int, train: int, owned: tuple[bool, bool]) -> Array:
        """Cost of serving and of training on a device each in every draw. [USD/year, (draws,)]

        Parameters
        ----------
        serve, train
            Places of the devices.
        owned
            Whether those of serving, and of training, are owned.
        """
        jobs: tuple[Job, Job] = ("serving", "training")
        return np.asarray(
            sum(
                self.job_usd(job, places=np.array([place]), is_owned=np.array([is_owned]))[0]
                for job, place, is_owned in zip(jobs, (serve, train), owned, strict=True)
            )
        )

    def job_usd_at(self, factors: Array, job: Job, *, places: Index, is_owned: Mask) -> Array:
        """Cost of a job on some devices at given factors on throughput.

        Parameters
        ----------
        factors
            Measured over estimated. [ratio, (places, draws)]
        job
            The job.
        places
            Which devices of the comparison.
        is_owned
            Whether each of these is owned; else it is rented.

        Returns
        -------
        ndarray
            [USD/year, (places, draws)]
        """
        usd = np.empty(factors.shape)
        for owned in (True, False):
            chosen = is_owned == owned
            if chosen.any():
                usd[chosen] = self._usd(factors[chosen], job, places[chosen], owned)
        return usd

    def fleets_at(
        self, factors: Array, job: Job, place: int, *, owned: bool
    ) -> tuple[tuple[Fleet[Any], Array], ...]:
        """Fleets that do a job on one device, and how large each is at given factors.

        Parameters
        ----------
        factors
            Measured over estimated throughput. [ratio, (draws,)]
        job, place
            The job and the device.
        owned
            Whether the device is owned; its peaks are then rented where that costs less.

        Returns
        -------
        tuple of (Fleet, ndarray)
            Each fleet, and what is held or taken of it over the estimate. [ratio, (draws,)]
        """
        places, of_one = np.array([place]), factors[None, :]
        money = self.serving if job == "serving" else self.training
        if owned and money.base is not None and money.peaks is not None and money.is_mixed[place]:
            peaks = self._peaks_ratio(of_one, places)[0]
            return (money.base, np.ones(len(factors))), (money.peaks, peaks)
        fleet = money.owned if owned else money.rented
        return ((fleet, self._ratio(of_one, job, places, owned)[0]),)

    def _usd(self, factors: Array, job: Job, places: Index, owned: bool) -> Array:
        """Cost of fleets that are all paid in one way: it follows what is held or taken."""
        money = self.serving if job == "serving" else self.training
        fleet = money.owned if owned else money.rented
        usd = fleet.usd_per_year[places, None] * self._ratio(factors, job, places, owned)
        if owned and money.base is not None and money.peaks is not None:
            mixed = money.is_mixed[places]
            if mixed.any():
                of_mixed = places[mixed]
                peaks_ratio = self._peaks_ratio(factors[mixed], of_mixed)
                peaks_usd = money.peaks.usd_per_year[of_mixed, None] * peaks_ratio
                usd[mixed] = money.base.usd_per_year[of_mixed, None] + peaks_usd
        return np.asarray(usd)

    def _peaks_ratio(self, factors: Array, places: Index) -> Array:
        """Peaks rented over the estimate, above a base that stays as planned. [ratio]"""
        base, peaks = self.serving.base, self.serving.peaks
        assert base is not None
        assert peaks is not None
        serve, load = peaks.estimates, np.sort(self.shape.relative_load)[SAMPLED_HOURS]
        months = self._sampled_months
        growth = self.market.calendar.growth[months]
        owned = base.devices_by_month[places][:, None, months, None]
        each, spare = (
            values[places, None, None, None]
            for values in (serve.layout_devices, serve.spare_copies)
        )

        def above(factors: Array) -> Array:
            copies = copies_by_hour(
                load_in_copies(serve, places, factors)[..., None] * growth, load
            )
            over = np.maximum((copies + spare) * each - owned, 0.0)
            return np.asarray(over.mean(axis=(-2, -1)))

        return _over_estimate(above, factors)

    @property
    def _sampled_months(self) -> Index:
        """A few months, from the first on; one where all are alike."""
        growth = self.market.calendar.growth
        months = 1 if growth[0] == growth[-1] else len(growth)
        return np.arange(0, months, max(months // SAMPLED_MONTHS, 1))

    def _ratio(self, factors: Array, job: Job, places: Index, owned: bool) -> Array:
        """What is held or taken over the estimate where all is paid in one way. [ratio]"""
        if job == "serving":
            serve = self.serving.owned if owned else self.serving.rented
            return _over_estimate(self._serving_held(serve.estimates, places, owned), factors)
        run = self.training.owned if owned else self.training.rented
        return _over_estimate(self._training_held(run.estimates, places, owned), factors)

    def _serving_held(self, serve: ServingEstimates, places: Index, owned: bool) -> Held:
        """Devices that are held at the peak, or taken in the mean of the hours."""
        kept = self.market.prices.rent_is_kept[places, None]
        units = self.market.prices.rent_unit_devices
        load = np.sort(self.shape.relative_load)[SAMPLED_HOURS]

        def held(factors: Array) -> Array:
            peak = self._serving_devices(serve, places, factors, owned)
            if owned or kept.all():
                return peak
            copies = copies_by_hour(load_in_copies(serve, places, factors), load)
            copies += serve.spare_copies[places, None, None]
            devices = whole_units(
                copies * serve.layout_devices[places, None, None], units[places, None, None]
            )
            return np.where(kept, peak, devices.mean(axis=-1))

        return held

    def _training_held(self, run: TrainingEstimates, places: Index, owned: bool) -> Held:
        """Devices that are held for runs, or hours of devices that a run takes."""
        kept = self.market.prices.rent_is_kept[places, None]

        def held(factors: Array) -> Array:
            devices = self._training_devices(run, places, factors, owned)
            if owned:
                return devices
            more, hours = self._back_in_window(run, places, factors)
            billed = billed_hours(hours=hours, block_hours=self.market.rents.billing_block_hours)
            return np.where(kept, devices, run.devices[places, None] * more * billed)

        return held

    def _serving_devices(
        self, serve: ServingEstimates, places: Index, factors: Array, owned: bool
    ) -> Array:
        """Devices for the busiest hour. [devices]"""
        copies = np.ceil(load_in_copies(serve, places, factors) * NEARLY)
        copies += serve.spare_copies[places, None]
        peak = copies * serve.layout_devices[places, None]
        if owned:
            return self._in_servers(peak, places)
        return whole_units(peak, self.market.prices.rent_unit_devices[places, None])

    def _training_devices(
        self, run: TrainingEstimates, places: Index, factors: Array, owned: bool
    ) -> Array:
        """Devices for all runs that go on at once. [devices]"""
        more, hours = self._back_in_window(run, places, factors)
        fleets = np.maximum(fleets_of_runs(hours, self.runs_per_month), 1.0)
        devices = run.devices[places, None] * more * fleets
        return self._in_servers(devices, places) if owned else np.asarray(np.ceil(devices * NEARLY))

    def _back_in_window(
        self, run: TrainingEstimates, places: Index, factors: Array
    ) -> tuple[Array, Array]:
        """How many times more devices end a run in time, and for how long it holds these.

        [ratio], [h]
        """
        work = (run.work_seconds / run.goodput)[places, None] / SECONDS_PER_HOUR
        around = run.run_hours[places, None] - work
        # A run that is late as it is estimated stays so.
        window_hours = np.maximum(work, self.window_hours - around)
        more = np.maximum(work / factors / window_hours, 1.0)
        setup = run.setup_seconds[places, None] / SECONDS_PER_HOUR
        return more, (setup + work / factors / more) * NEARLY

    def ends(self, job: Job, *, is_owned: Mask) -> Ends:
        """Cost and devices of each device's fleet at both ends of the range of its speed."""
        band, places = self.ranges.of(job).speed, np.arange(len(is_owned))
        factors = np.stack([band.high, band.low], axis=1)
        usd = self.job_usd_at(factors, job, places=places, is_owned=is_owned)
        devices = np.empty(factors.shape)
        for owned in (True, False):
            chosen = is_owned == owned
            here = places[chosen], factors[chosen], owned
            if job == "serving":
                serve = self.serving.paid(owned=owned).estimates
                devices[chosen] = self._serving_devices(serve, *here)
            else:
                run = self.training.paid(owned=owned).estimates
                devices[chosen] = self._training_devices(run, *here)
        return Ends(usd_per_year=(usd[:, 0], usd[:, 1]), devices=(devices[:, 0], devices[:, 1]))

    def rivals(self, job: Job, *, is_owned: Mask, competes: Mask) -> Rivals:
        """Draw the cost of all devices that could be the cheapest.

        Parameters
        ----------
        job, is_owned
            As in `ends`.
        competes
            Devices that are compared.
        """
        money = self.serving if job == "serving" else self.training
        usd = np.where(is_owned, money.owned.usd_per_year, money.rented.usd_per_year)
        usd = np.where(competes & np.isfinite(usd), usd, np.inf)
        near = np.flatnonzero(np.isfinite(usd) & (usd <= HOPELESS * usd.min(initial=np.inf)))
        draws = np.full((len(usd), DRAWS), np.nan)
        if near.size:
            draws[near] = self.job_usd(job, places=near, is_owned=is_owned[near])
        return Rivals(usd, draws)

    def shared_usd(self, place: int) -> Array:
        """Cost of one owned fleet of a device for both jobs in every draw. [USD/year, (draws,)]"""
        of_jobs = self.factors("serving", place), self.factors("training", place)
        usd = self.shared.fleet.usd_per_year[place]
        return np.asarray(usd * self.shared_ratio(place, *of_jobs))

    def shared_ratio(self, place: int, serving: Array, training: Array) -> Array:
        """Size of one owned fleet of a device for both jobs, at given factors, over the estimate.

        Parameters
        ----------
        place
            The device.
        serving, training
            Measured over estimated throughput of each job. [ratio, (draws,)]

        Notes
        -----
        The fleet grows and shrinks by the devices that serving needs more or less in the busiest
        hour, and grows by those that bring a late run back.
        """
        serve, fleet, run = self.shared.serving, self.shared.fleet, self.shared.fleet.estimates
        places = np.array([place])
        copies = load_in_copies(serve, places, serving[None, :])
        copies = np.ceil(copies * NEARLY) + serve.spare_copies[place]
        peak = copies * serve.layout_devices[place]
        more = peak - serve.devices[place]
        if self.runs_per_month:
            hours = fleet.seconds[place] / SECONDS_PER_HOUR
            slower = hours / training / max(hours, self.window_hours)
            more = more + run.devices[place] * np.maximum(slower - 1, 0.0)
        size = self._in_servers(np.maximum(fleet.devices[place] + more, peak), places)
        return np.asarray(size[0] / fleet.devices[place])

    def factors(self, job: Job, place: int, draws: int = DRAWS) -> Array:
        """Draw how much faster or slower than estimated a device does a job. [ratio, (draws,)]"""
        return np.asarray(self._factors(job, np.array([place]), draws)[0])

    def _in_servers(self, devices: Array, places: Index) -> Array:
        each = np.nan_to_num(self.market.arrays.devices_per_server[places, None], nan=1.0)
        return np.asarray(np.ceil(devices / each * NEARLY) * each)

    def _factors(self, job: Job, places: Index, draws: int = DRAWS) -> Array:
        band = self.ranges.of(job).speed
        return factor_draws(
            job=job,
            ids=tuple(self.market.arrays.ids[place] for place in places),
            band=Band(band.low[places], band.high[places]),
            shared_share=self.shared_share,
            draws=draws,
        )


def _over_estimate(held: Held, factors: Array) -> Array:
    """What is held at some factors over what is held as estimated; 1 where nothing is. [ratio]"""
    as_estimated = held(np.ones((len(factors), 1)))
    is_held = as_estimated > 0
    ratio = held(factors) / np.where(is_held, as_estimated, 1.0)
    return np.asarray(np.where(is_held, ratio, 1.0))


def load_in_copies(serve: ServingEstimates, places: Index, factors: Array) -> Array:
    """Copies that the peak fills if devices are faster or slower. [copies, (places, draws)]"""
    of_requests = serve.requests_load[places, None] / factors
    return np.maximum(serve.users_load[places, None], of_requests)
