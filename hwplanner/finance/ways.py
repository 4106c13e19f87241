"""Every way of paying for one job on one device, beside each other.

Each way takes the layout that suits it, as in the plan: the way that the plan uses costs here what
it costs there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from hwplanner.catalog.device import DeviceArrays
from hwplanner.finance.traffic import taken
from hwplanner.money.fleets import Fleet, Market, together
from hwplanner.money.hourly_need import hourly_need
from hwplanner.money.job_money import JobMoney
from hwplanner.money.scale_to_zero import delayed_share
from hwplanner.money.serving_money import base_and_peaks, rented_serving, serving_layouts
from hwplanner.plan import Jobs, Plan, market_of
from hwplanner.scenario import Job
from hwplanner.scenario import Market as MarketName
from hwplanner.serving.estimates import ServingEstimates
from hwplanner.units import SECONDS_PER_HOUR

WayKey = Literal["owned", "mix", "reserved_mix"] | MarketName

LABELS: dict[WayKey, str] = {
    "owned": "Buy all",
    "mix": "Buy a base, rent the peaks",
    "reserved_mix": "Reserve a base for a year, rent the peaks",
    "neocloud": "Rent on demand, neocloud",
    "hyperscaler": "Rent on demand, hyperscaler",
    "reserved_1y": "Reserve for 1 year",
    "reserved_3y": "Reserve for 3 years",
    "spot": "Rent on the spot market",
    "scale_to_zero": "Rent on demand, scaled to zero",
}
OF_SERVING: tuple[MarketName, ...] = (
    "neocloud",
    "hyperscaler",
    "reserved_1y",
    "reserved_3y",
    "spot",
    "scale_to_zero",
)
OF_TRAINING: tuple[MarketName, ...] = OF_SERVING[:-1]


@dataclass(frozen=True, slots=True)
class WayToPay:
    """One way of paying for a job on a device.

    Attributes
    ----------
    key
        Which way.
    usd_per_year
        Cost, as a mean over the months; NaN where a price is not known. [USD/year]
    fixed_usd_per_year
        Of it, what is due whether the devices work or not. [USD/year]
    devices, base_devices
        In the busiest hour of the first month; of these, owned or reserved throughout. [devices]
    idle_share
        Paid hours without work, of all paid hours. [1]
    usd_per_device_hour
        Cost of an hour that is paid for. [USD/h]
    price_basis
        Where the price comes from; '' where there is none.
    meets_target
        Whether the job meets its target.
    finish_hours
        Time to the end of a run; NaN for serving. [h]
    delayed_share
        Requests that wait for a cold start, of those of the quietest hour. [1]
    """

    key: WayKey
    usd_per_year: float
    fixed_usd_per_year: float
    devices: float
    base_devices: float
    idle_share: float
    usd_per_device_hour: float
    price_basis: str
    meets_target: bool
    finish_hours: float = float("nan")
    delayed_share: float = 0.0

    @property
    def label(self) -> str:
        """Name on the screen."""
        return LABELS[self.key]


def ways_to_pay(plan: Plan, job: Job, place: int) -> tuple[WayToPay, ...]:
    """Work out all ways of paying for a job on a device, the cheapest first.

    Those without a price come last. A mix has a base of at least one server: where that is more
    than the demand bears, renting all is the best mix there is.

    Parameters
    ----------
    plan
        The plan.
    job, place
        The job, and the device by its place in the comparison.
    """

    def rank(way: WayToPay) -> tuple[bool, float]:
        return math.isnan(way.usd_per_year), way.usd_per_year

    return tuple(sorted(_ways(plan, job, place), key=rank))


@dataclass(frozen=True, slots=True)
class _Device:
    """One device of a plan by itself, to be priced in every market."""

    plan: Plan
    arrays: DeviceArrays
    jobs: Jobs

    @classmethod
    def of(cls, plan: Plan, place: int) -> _Device:
        arrays = taken(plan.arrays, [place], entries=len(plan.devices))
        jobs = Jobs.of(
            plan.scenario,
            plan.workload,
            arrays,
            plan.assumptions,
            plan.shape,
            plan.market.calendar,
        )
        return cls(plan, arrays, jobs)

    def market(self, name: MarketName) -> Market:
        plan = self.plan
        return market_of(plan.scenario, plan.catalog, self.arrays, plan.assumptions, name=name)

    def money(self, job: Job, market: Market) -> JobMoney[Any]:
        jobs = self.jobs
        return jobs.serving_money(market) if job == "serving" else jobs.training_money(market)

    def rented(self, job: Job, market: Market) -> Fleet[Any]:
        """All devices rented, without the other ways that a market has."""
        jobs = self.jobs
        if job == "training":
            return jobs.training_money(market).rented
        _, serve = serving_layouts(jobs.serving, jobs.devices_by_hour, market)
        need = hourly_need(serve, jobs.shape, market)
        return rented_serving(serve, need, jobs.shape, market)


def _ways(plan: Plan, job: Job, place: int) -> Iterator[WayToPay]:
    device = _Device.of(plan, place)
    home = device.market(plan.scenario.market)
    money, bought = device.money(job, home), home.prices.purchase_basis[0]
    yield _way("owned", money.owned, job, bought, base=float(money.owned.devices[0]))
    for name in OF_SERVING if job == "serving" else OF_TRAINING:
        market = device.market(name)
        fleet = device.rented(job, market)
        kept = float(fleet.devices[0]) if market.prices.rent_is_kept[0] else 0.0
        delayed = _delayed_share(fleet, plan, market) if name == "scale_to_zero" else 0.0
        basis = market.prices.rent_basis[0]
        yield _way(name, fleet, job, basis, base=kept, delayed=delayed)
    if job == "serving":
        yield from _mixes(device, money, home)


def _mixes(device: _Device, money: JobMoney[ServingEstimates], home: Market) -> Iterator[WayToPay]:
    """Bases that are bought or reserved, with peaks rented by the hour."""
    peaks_basis, shape = home.peak_prices.rent_basis[0], device.plan.shape
    if money.base is not None and money.peaks is not None:
        basis = f"{home.prices.purchase_basis[0]}; peaks: {peaks_basis}"
        yield _mix("mix", money.base, money.peaks, basis)
    reserved, serve = device.market("reserved_1y"), money.rented.estimates
    need = hourly_need(serve, shape, home)
    kept, above = base_and_peaks(serve, need, shape, home, reserved=reserved)
    basis = f"{reserved.prices.rent_basis[0]}; peaks: {peaks_basis}"
    yield _mix("reserved_mix", kept, above, basis)


def _mix(key: WayKey, base: Fleet[Any], peaks: Fleet[Any], basis: str) -> WayToPay:
    return _way(
        key,
        together(base, peaks),
        "serving",
        basis,
        base=float(base.devices[0]),
        fixed_usd=float(base.usd_per_year[0]),
    )


def _delayed_share(fleet: Fleet[Any], plan: Plan, market: Market) -> float:
    """Requests of the quietest hour that wait for a cold start."""
    serve = fleet.estimates
    answer_seconds = serve.ttft_seconds + serve.times.output_tokens * serve.tpot_seconds
    quietest_per_s = serve.peak_requests_per_s * float(plan.shape.relative_load.min())
    return float(
        delayed_share(
            requests_per_s=quietest_per_s,
            kept_seconds=float(answer_seconds[0]) + market.rents.idle_seconds,
            cold_start_seconds=market.rents.cold_start_seconds,
        )
    )


def _way(
    key: WayKey,
    fleet: Fleet[Any],
    job: Job,
    basis: str,
    *,
    base: float,
    fixed_usd: float | None = None,
    delayed: float = 0.0,
) -> WayToPay:
    paid = float(fleet.paid_device_hours[0])
    hours = float(fleet.seconds[0]) / SECONDS_PER_HOUR
    usd = float(fleet.usd_per_year[0])
    return WayToPay(
        key=key,
        usd_per_year=usd,
        fixed_usd_per_year=(usd if base else 0.0) if fixed_usd is None else fixed_usd,
        devices=float(fleet.devices[0]),
        base_devices=float(base),
        idle_share=max(0.0, 1 - float(fleet.worked_device_hours[0]) / paid),
        usd_per_device_hour=usd / paid,
        price_basis=basis,
        meets_target=bool(fleet.meets_target[0]),
        finish_hours=hours if job == "training" else math.nan,
        delayed_share=delayed,
    )
