"""One scenario worked out: both jobs on every compared device, their money, the four options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from hwplanner.assumptions import Assumptions, load_assumptions
from hwplanner.catalog.catalog import Catalog, load_catalog
from hwplanner.catalog.device import Device, DeviceArrays, device_arrays, with_power_cap
from hwplanner.demand.hours import requests_per_s_by_hour, requests_per_year
from hwplanner.demand.shapes import DemandShape
from hwplanner.demand.week import demand_shape
from hwplanner.evidence.intervals import load_intervals
from hwplanner.evidence.nearby import device_tiers
from hwplanner.evidence.ranges import Band, Ranges, serving_ranges, training_ranges
from hwplanner.model.workload import Workload, workload
from hwplanner.money.calendar import Calendar, calendar_of
from hwplanner.money.cost import RequestCost, request_cost
from hwplanner.money.cost_draws import CostDraws, Ends
from hwplanner.money.device_prices import DevicePrices, device_prices
from hwplanner.money.draws import Rivals
from hwplanner.money.fleets import Fleet, Market, Mask, pick
from hwplanner.money.job_money import JobMoney
from hwplanner.money.option import Option
from hwplanner.money.options import Picks, four_options
from hwplanner.money.ownership import OwnershipTerms, ownership_terms
from hwplanner.money.rent_terms import RESERVED_MONTHS, rent_terms
from hwplanner.money.serving_money import serving_devices_by_hour, serving_money
from hwplanner.money.shared_fleet import SharedFleet, shared_fleet
from hwplanner.money.training_money import training_money
from hwplanner.scenario import Job, Scenario
from hwplanner.scenario import Market as MarketName
from hwplanner.serving.estimates import (
    ServingCandidates,
    ServingEstimates,
    serving_candidates,
)
from hwplanner.serving.latency import LatencyUnderLoad, devices_under_load
from hwplanner.training.candidates import TrainingCandidates, training_candidates
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.units import MILLION, MONTHS_PER_YEAR, Array


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that pages, tables and downloads show of one scenario.

    Arrays hold one entry for each of `devices`; `hwplanner.report.tables` turns them into rows.

    Attributes
    ----------
    scenario, catalog, assumptions
        What was asked, and what it was answered from.
    workload
        The model in its formats.
    devices, arrays
        Compared devices, one by one and as arrays.
    market, shape
        Prices and terms, month by month, and demand over the week.
    jobs
        Every layout of both jobs, to be paid in any way.
    serving_cost, training_cost
        Both jobs, owned and rented.
    shared
        One owned fleet for both jobs.
    ranges, draws
        How far the estimates may be off, and what that does to the cost.
    options
        The four options, best first.
    """

    scenario: Scenario
    catalog: Catalog
    assumptions: Assumptions
    workload: Workload
    devices: tuple[Device, ...]
    arrays: DeviceArrays
    market: Market
    shape: DemandShape
    jobs: Jobs
    serving_cost: JobMoney[ServingEstimates]
    training_cost: JobMoney[TrainingEstimates]
    shared: SharedFleet
    ranges: Ranges
    draws: CostDraws
    options: tuple[Option, ...]

    @property
    def prices(self) -> DevicePrices:
        """Prices of the compared devices."""
        return self.market.prices

    @property
    def terms(self) -> OwnershipTerms:
        """Terms of ownership."""
        return self.market.terms

    @property
    def best(self) -> Option:
        """The option that meets both targets at the lowest cost, or comes nearest."""
        return self.options[0]

    @property
    def serving(self) -> ServingEstimates:
        """Estimates of serving, in the layouts that suit how each device is paid for."""
        return self._serving_fleet.estimates

    @property
    def training(self) -> TrainingEstimates:
        """Estimates of training, in the layouts that suit how each device is paid for."""
        return self._training_fleet.estimates

    @cached_property
    def _serving_fleet(self) -> Fleet[ServingEstimates]:
        fleet = self.serving_cost.mixed(self.is_owned("serving"))
        return self._with_shared(fleet, self.shared.serving)

    @cached_property
    def _training_fleet(self) -> Fleet[TrainingEstimates]:
        fleet = self.training_cost.mixed(self.is_owned("training"))
        return self._with_shared(fleet, self.shared.fleet.estimates)

    def _with_shared(self, fleet: Fleet[Any], shared: Any) -> Fleet[Any]:
        """Fleet with the layouts of the shared one for its device, if that is the best option."""
        if self.best.key != "shared":
            return fleet
        is_shared = np.arange(len(self.devices)) == self.best.serving_device
        return replace(fleet, estimates=pick(is_shared, shared, fleet.estimates))

    def is_owned(self, job: Job) -> Mask:
        """Way of paying that is shown: of the best option for its device, else the cheaper one."""
        is_owned = self.money(job).is_owned.copy()
        place = self.best.serving_device if job == "serving" else self.best.training_device
        if place is not None:
            is_owned[place] = self.best.owns(job)
        return is_owned

    @cached_property
    def devices_by_hour(self) -> Array:
        """Serving devices that each hour of the week needs. [devices, (devices, 168)]"""
        return serving_devices_by_hour(self.serving, self.shape)

    @cached_property
    def latency(self) -> LatencyUnderLoad:
        """Times of each device when requests come at random, at the share of demand asked for."""
        return devices_under_load(
            self.serving,
            demand_share=self.scenario.demand_percent / 100,
            assumptions=self.assumptions,
        )

    @cached_property
    def requests_per_year(self) -> float:
        """Requests that users send, as a mean over the months. [requests/year]"""
        by_hour = requests_per_s_by_hour(
            peak_requests_per_s=self.serving.peak_requests_per_s,
            relative_load=self.shape.relative_load,
        )
        return float(requests_per_year(requests_per_s=by_hour) * self.market.calendar.growth.mean())

    @property
    def request_flop(self) -> float:
        """Arithmetic of the weights in one request: new prompt tokens and answer. [FLOP]"""
        output_tokens = self.serving.times.output_tokens
        prompt = self.scenario.context_tokens - output_tokens
        new_tokens = prompt * (1 - self.scenario.prefix_reuse_percent / 100)
        return float(2 * self.workload.numbers.active_parameters * (new_tokens + output_tokens))

    @cached_property
    def request_cost(self) -> RequestCost:
        """Cost of a request on each device, by the way of paying that is shown."""
        return self.request_cost_at(self.fleet("serving").usd_per_year)

    def request_cost_at(self, usd_per_year: Array) -> RequestCost:
        """Cost of a request on each device when serving costs so much. [USD/year]"""
        output_tokens = self.serving.times.output_tokens
        return request_cost(
            usd_per_year=usd_per_year,
            requests_per_year=self.requests_per_year,
            prefill_seconds=self.serving.prefill.total,
            decode_seconds=self.serving.full_decode.total,
            input_tokens=self.scenario.context_tokens - output_tokens,
            output_tokens=output_tokens,
        )

    def usd_per_million_output_tokens(self, usd_per_year: Array | float) -> Array:
        """All cost of serving, prompts included, over the tokens written. [USD/million tokens]"""
        tokens = self.requests_per_year * self.serving.times.output_tokens
        return np.asarray(usd_per_year) / tokens * MILLION

    @property
    def runs_per_year(self) -> float:
        """Training runs of a year, NaN if none is planned. [runs/year]"""
        return self.scenario.all_runs_per_month * MONTHS_PER_YEAR or float("nan")

    @property
    def usd_per_run(self) -> Array:
        """Cost of a run by the way of paying that is shown; NaN where none is planned. [USD]"""
        return self.fleet("training").usd_per_year / self.runs_per_year

    @cached_property
    def serving_choice(self) -> int | None:
        """Place of the device that the best option serves on, else of the first that fits."""
        return self._first("serving", self.best.serving_device)

    @cached_property
    def training_choice(self) -> int | None:
        """Place of the device that the best option trains on, else of the first that fits."""
        return self._first("training", self.best.training_device)

    def _first(self, job: Job, chosen: int | None) -> int | None:
        if chosen is not None:
            return chosen
        first = self.order(job)[0]
        return first if self.fits(job)[first] else None

    # What pages ask of either job alike.

    def choice(self, job: Job) -> int | None:
        """Place of the device that does a job, as above."""
        return self.serving_choice if job == "serving" else self.training_choice

    def money(self, job: Job) -> JobMoney[Any]:
        """Fleets of a job, owned and rented."""
        return self.serving_cost if job == "serving" else self.training_cost

    def fleet(self, job: Job) -> Fleet[Any]:
        """Devices of a job, each in the way of paying that is shown."""
        return self._serving_fleet if job == "serving" else self._training_fleet

    def supported(self, job: Job) -> Mask:
        """Whether software and published figures allow an estimate of a job."""
        return self.serving.supported if job == "serving" else self.training.supported

    def fits(self, job: Job) -> Mask:
        """Whether a device holds a job."""
        return self.serving.fits if job == "serving" else self.training.fits

    def meets_target(self, job: Job) -> Mask:
        """Whether the latency targets of serving, or the window of a run, are met."""
        return self.serving.meets_target if job == "serving" else self.training.meets_window

    @cached_property
    def _ends(self) -> dict[Job, Ends]:
        jobs: tuple[Job, Job] = ("serving", "training")
        return {job: self.draws.ends(job, is_owned=self.is_owned(job)) for job in jobs}

    def devices_needed(self, job: Job) -> tuple[Array, Array]:
        """Devices of each fleet that do a job in 8 of 10 cases: fewest and most. [devices]"""
        return self._ends[job].devices

    @cached_property
    def _cost_bands(self) -> dict[Job, Band]:
        return {job: ends.over(self.fleet(job).usd_per_year) for job, ends in self._ends.items()}

    def cost_band(self, job: Job) -> Band:
        """Cost over its estimate in 8 of 10 cases, by the way of paying that is shown. [ratio]"""
        return self._cost_bands[job]

    @cached_property
    def _rivals(self) -> dict[Job, Rivals]:
        return {}

    def rivals(self, job: Job) -> Rivals:
        """Devices that meet the target of a job against each other, as they are paid for."""
        if job not in self._rivals:
            meets = self.meets_target(job)
            self._rivals[job] = self.draws.rivals(
                job,
                is_owned=self.is_owned(job),
                competes=meets if meets.any() else self.fits(job),
            )
        return self._rivals[job]

    @cached_property
    def _cheapest_shares(self) -> dict[Job, Array]:
        return {}

    def cheapest_shares(self, job: Job) -> Array:
        """Share of the draws in which each device does a job at the lowest cost. [1]"""
        if job not in self._cheapest_shares:
            self._cheapest_shares[job] = self.rivals(job).cheapest_shares
        return self._cheapest_shares[job]

    def usd(self, job: Job) -> Array:
        """Cost of a million output tokens, or of a run, by the cheaper way of paying. [USD]"""
        if job == "serving":
            return self.usd_per_million_output_tokens(self.fleet("serving").usd_per_year)
        return self.usd_per_run

    def order(self, job: Job) -> tuple[int, ...]:
        """Places by cost of a job: those that meet its target, that miss it, that have no cost."""
        usd = self.fleet(job).usd_per_year
        missing = ~np.isfinite(usd)
        ranks = (np.where(missing, 0.0, usd), ~self.meets_target(job), missing, ~self.fits(job))
        return tuple(int(place) for place in np.lexsort(ranks))


@dataclass(frozen=True, eq=False)
class Jobs:
    """Both jobs in every layout, before anything is paid.

    Attributes
    ----------
    serving, training
        Layouts of both jobs on each device.
    devices_by_hour
        Serving devices that the hours of the week need in each layout, the busiest hour last, at
        the mean demand of all months. [devices, (devices, layouts, 168)]
    shape
        Demand over the week.
    runs_per_month
        How often a run is repeated. [runs/month]
    """

    serving: ServingCandidates
    training: TrainingCandidates
    devices_by_hour: Array
    shape: DemandShape
    runs_per_month: float

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        load: Workload,
        arrays: DeviceArrays,
        assumptions: Assumptions,
        shape: DemandShape,
        calendar: Calendar,
    ) -> Jobs:
        """Work out every layout of both jobs."""
        serving = serving_candidates(scenario, load, arrays, assumptions)
        return cls(
            serving=serving,
            training=training_candidates(scenario, load.numbers, arrays, assumptions),
            devices_by_hour=serving.devices_by_hour(
                np.sort(shape.relative_load) * calendar.growth.mean()
            ),
            shape=shape,
            runs_per_month=scenario.all_runs_per_month,
        )

    def serving_money(self, market: Market) -> JobMoney[ServingEstimates]:
        """Cost of serving on each device, owned and rented in a market."""
        return serving_money(self.serving, self.devices_by_hour, self.shape, market)

    def training_money(self, market: Market) -> JobMoney[TrainingEstimates]:
        """Cost of training on each device, owned and rented in a market."""
        rents = market.rents
        on_rent = self.training.rented(rents.queue_hours, rents.interruptions_per_hour)
        return training_money(self.training, on_rent, self.runs_per_month, market)


def compared_devices(scenario: Scenario, catalog: Catalog) -> tuple[Device, ...]:
    """Devices that a scenario compares: all, the chosen ones, or the shortlist, and its picks.

    Raises
    ------
    CatalogError
        When a chosen device is not in the catalogue.
    """
    picked = [name for name in (scenario.serve_on, scenario.train_on) if name]
    if scenario.all_devices:
        compared: tuple[Device, ...] = catalog.devices
    elif scenario.devices:
        compared = tuple(catalog.device(name) for name in scenario.devices)
    else:
        compared = catalog.shortlist
    return tuple(dict.fromkeys((*compared, *map(catalog.device, picked))))


@lru_cache(maxsize=64)
def arrays_of(
    device_ids: tuple[str, ...], power_cap_watts: float, catalog: Catalog
) -> DeviceArrays:
    """Figures of devices, with a power cap on each."""
    devices = device_arrays([catalog.device(device_id) for device_id in device_ids])
    return with_power_cap(devices, power_cap_watts)


def make_plan(
    scenario: Scenario,
    *,
    catalog: Catalog | None = None,
    assumptions: Assumptions | None = None,
) -> Plan:
    """Work out a scenario.

    Parameters
    ----------
    scenario
        The question.
    catalog, assumptions
        Devices, prices and hand-set numbers; the shipped ones by default.

    Returns
    -------
    Plan
        The answer.

    Raises
    ------
    PlannerError
        When the scenario names a model or a device that does not exist.

    Examples
    --------
    >>> plan = make_plan(Scenario(users=32))
    >>> plan.best.meets_both
    True
    """
    catalog = catalog or load_catalog()
    assumptions = assumptions or load_assumptions()
    devices = compared_devices(scenario, catalog)
    arrays = arrays_of(tuple(device.id for device in devices), scenario.power_cap_watts, catalog)
    load = workload(scenario)
    shape = demand_shape(scenario, scenario.plan_date or catalog.date)
    market = market_of(scenario, catalog, arrays, assumptions)
    jobs = Jobs.of(scenario, load, arrays, assumptions, shape, market.calendar)
    serving, training = jobs.serving_money(market), jobs.training_money(market)
    shared = shared_fleet(
        jobs.serving,
        jobs.training,
        devices_by_hour=jobs.devices_by_hour,
        shape=shape,
        window_hours=scenario.window_hours,
        runs_per_month=scenario.all_runs_per_month,
        market=market,
    )
    ranges = _ranges(scenario, load, arrays, assumptions)
    draws = CostDraws(
        serving=serving,
        training=training,
        shared=shared,
        market=market,
        shape=shape,
        window_hours=scenario.window_hours,
        runs_per_month=scenario.all_runs_per_month,
        ranges=ranges,
        shared_share=assumptions.typical("shared_error_share"),
    )
    return Plan(
        scenario=scenario,
        catalog=catalog,
        assumptions=assumptions,
        workload=load,
        devices=devices,
        arrays=arrays,
        market=market,
        shape=shape,
        jobs=jobs,
        serving_cost=serving,
        training_cost=training,
        shared=shared,
        ranges=ranges,
        draws=draws,
        options=four_options(
            serving=serving,
            training=training,
            shared=shared,
            has_limited_training=np.array(
                [
                    float(support == "limited" and scenario.all_runs_per_month > 0)
                    for support in arrays.training_supported
                ]
            ),
            draws=draws,
            market=market,
            picks=Picks(
                *(
                    arrays.ids.index(device_id) if device_id else None
                    for device_id in (scenario.serve_on, scenario.train_on)
                )
            ),
        ),
    )


def market_of(
    scenario: Scenario,
    catalog: Catalog,
    arrays: DeviceArrays,
    assumptions: Assumptions,
    *,
    name: MarketName | None = None,
) -> Market:
    """Prices and terms of a scenario where it rents, or in another market by name."""
    rents = rent_terms(scenario, assumptions, name)
    prices_in = partial(device_prices, scenario, arrays.ids, catalog, assumptions=assumptions)
    # What is reserved cannot follow the demand; peaks then take the market of single hours.
    by_the_hour = "neocloud" if rents.market in RESERVED_MONTHS else rents.market
    return Market(
        arrays=arrays,
        prices=prices_in(market=rents.market),
        peak_prices=prices_in(market=by_the_hour),
        terms=ownership_terms(scenario, assumptions),
        rents=rents,
        calendar=calendar_of(scenario),
    )


def _ranges(
    scenario: Scenario, load: Workload, arrays: DeviceArrays, assumptions: Assumptions
) -> Ranges:
    """How far the estimates of each device may be off."""
    intervals, is_moe = load_intervals(), load.shape.is_moe
    return Ranges(
        serving=serving_ranges(
            tiers=device_tiers("serving", scenario, load, arrays),
            is_moe=is_moe,
            intervals=intervals,
        ),
        training=training_ranges(
            tiers=device_tiers("training", scenario, load, arrays),
            is_moe=is_moe,
            is_long=scenario.sequence_tokens >= assumptions.typical("long_sequence_tokens"),
            intervals=intervals,
        ),
    )
