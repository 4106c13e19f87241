"""The life of a product: what training and serving it cost month by month, and what it takes.

Growth moves serving; runs repeat as scheduled. Both lines are those of one option, by default the
best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hwplanner.finance.crossing import Crossing, crossing
from hwplanner.money.ledger import FleetLedger
from hwplanner.money.option import Option
from hwplanner.money.serving_money import serving_device_hours
from hwplanner.plan import Plan
from hwplanner.units import HOURS_PER_MONTH, MILLION, MONTHS_PER_YEAR, Array

FORWARD_FLOP = 2
FULL_PASSES, ADAPTER_PASSES = 3, 2
"""Forward passes that a training step comes to: the backward pass counts for two, for adapters
only for the one that leads to the inputs."""
NAN = float("nan")
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Life:
    """An option month by month, one entry a month, the first month first.

    Attributes
    ----------
    option
        Whose life it is.
    growth
        Demand over that of the first month. [ratio]
    users, peak_requests_per_s
        At the busiest hour. [users], [requests/s]
    requests
        [requests/month]
    new_tokens, output_tokens
        Of a request: those that go through the model, and those that it writes.
        [tokens/request]
    serving_usd, training_usd
        Cost of each job, purchases spread over their lives. [USD/month]
    serving_hours, training_hours
        Hours at work. [device-hours/month]
    runs
        Training runs. [runs/month]
    run_tokens
        Tokens that a run reads. [tokens/run]
    flop_ratio
        Arithmetic of a token in training over that of one in serving. [ratio]
    copies_growth
        Demand that the first month's owned fleet carries, over that of the first month; NaN where
        peaks are rented or runs share the fleet. [ratio]
    """

    option: Option
    growth: Array
    users: Array
    peak_requests_per_s: Array
    requests: Array
    new_tokens: float
    output_tokens: float
    serving_usd: Array
    training_usd: Array
    serving_hours: Array
    training_hours: Array
    runs: float
    run_tokens: float
    flop_ratio: float
    copies_growth: float

    @property
    def months(self) -> int:
        """Length of the plan. [months]"""
        return len(self.growth)

    @property
    def fleets(self) -> tuple[FleetLedger, ...]:
        """Fleets that hold a device at some time."""
        assert self.option.ledger is not None
        return tuple(fleet for fleet in self.option.ledger.fleets if fleet.devices.any())

    # What is answered, and at what cost.

    @property
    def usd_per_request(self) -> Array:
        """[USD/request]"""
        return self.serving_usd / self.requests

    @property
    def usd_per_million_output_tokens(self) -> Array:
        """All cost of serving over the tokens written. [USD/million tokens]"""
        return self.usd_per_request / self.output_tokens * MILLION

    @property
    def is_steady(self) -> bool:
        """Whether a request costs the same in every month."""
        return bool(np.ptp(self.usd_per_request) <= SAME * self.usd_per_request[0])

    @property
    def generated_tokens(self) -> Array:
        """Tokens written by the end of each month. [tokens]"""
        return np.cumsum(self.requests) * self.output_tokens

    @property
    def served_tokens(self) -> Array:
        """Tokens read or written by the end of each month, those found in the cache left out.

        [tokens]
        """
        return np.cumsum(self.requests) * self.new_tokens

    # Where serving has cost as much as training.

    @cached_property
    def crossing(self) -> Crossing:
        """All runs of the plan against all serving, in dollars."""
        return crossing(self.serving_usd, self.training_usd, growth=self._monthly_growth)

    @cached_property
    def flop_crossing(self) -> Crossing:
        """All runs of the plan against all serving, in arithmetic."""
        training = np.full(self.months, self.runs * self.run_tokens * self.flop_ratio)
        serving = self.requests * self.new_tokens
        return crossing(serving, training, growth=self._monthly_growth)

    @property
    def run_usd(self) -> float:
        """Cost of a run, as a mean; NaN where none is planned. [USD]"""
        return float(self.training_usd.mean()) / self.runs if self.runs else NAN

    @property
    def run_paid_months(self) -> float:
        """Time in which serving costs as much as one run; NaN beyond the plan. [months]"""
        return _reached(np.cumsum(self.serving_usd), self.run_usd)

    @property
    def run_flop_tokens(self) -> float:
        """Tokens to serve that take as much arithmetic as one run. [tokens]"""
        return self.flop_ratio * self.run_tokens

    @property
    def run_flop_months(self) -> float:
        """Time in which as many are served; NaN beyond the plan. [months]"""
        return _reached(self.served_tokens, self.run_flop_tokens)

    def served_by(self, months: float) -> float:
        """Tokens read or written by a time. [tokens]"""
        return float(np.interp(months, np.arange(self.months + 1), _from_zero(self.served_tokens)))

    # What the fleet does.

    @cached_property
    def owned_devices(self) -> Array:
        """[devices]"""
        return self._devices("owned")

    @cached_property
    def serving_rented(self) -> Array:
        """Rented to serve in the busiest hour. [devices]"""
        return self._devices("rented", "serving")

    @cached_property
    def training_rented(self) -> Array:
        """Rented while a run lasts. [devices]"""
        return self._devices("rented", "training")

    @cached_property
    def bought_to_grow(self) -> Array:
        """Bought beyond what replaces old devices, the first fleet included. [devices]"""
        return self._sum([fleet.bought - fleet.sold for fleet in self.fleets])

    @cached_property
    def renewed(self) -> Array:
        """Sold at the end of their life, and replaced. [devices]"""
        return self._sum([fleet.sold for fleet in self.fleets])

    @property
    def busy_share(self) -> Array:
        """Hours at work of the hours paid for. [1]"""
        paid = self._sum(
            [
                fleet.devices * HOURS_PER_MONTH if fleet.way == "owned" else fleet.rent_device_hours
                for fleet in self.fleets
            ]
        )
        return (self.serving_hours + self.training_hours) / paid

    @property
    def growing_months(self) -> tuple[int, ...]:
        """Months after the first at whose start devices are bought to grow."""
        return tuple(int(month) + 1 for month in np.flatnonzero(self.bought_to_grow[1:] > 0) + 1)

    @property
    def short_from_month(self) -> float:
        """First month whose peak the first month's owned fleet does not carry.

        Carried on beyond the plan; infinite without growth, NaN where `copies_growth` is. [month]
        """
        if math.isnan(self.copies_growth) or not self._monthly_growth > 1:
            return self.copies_growth * math.inf
        lasts = math.log(self.copies_growth) / math.log(self._monthly_growth)
        return math.floor(lasts) + 2  # the first month has no growth yet

    def rented_from_month(self, devices: float) -> int | None:
        """First month in which the peak takes so many rented devices beside the owned ones."""
        months = np.flatnonzero(self.serving_rented >= devices)
        return int(months[0]) + 1 if months.size else None

    @property
    def _monthly_growth(self) -> float:
        return float(self.growth[1])

    def _devices(self, way: str, job: str = "") -> Array:
        return self._sum(
            [fleet.devices for fleet in self.fleets if fleet.way == way and job in ("", fleet.job)]
        )

    def _sum(self, parts: list[Array]) -> Array:
        return sum(parts, np.zeros(self.months))


def life(plan: Plan, option: Option | None = None) -> Life | None:
    """Work out the life of an option, by default the best; None where there is none.

    Parameters
    ----------
    plan
        The plan.
    option
        One of its options.

    Notes
    -----
    A fleet that both jobs share is split by the hours that each is at work on it; what stands idle
    is borne in the same proportion.
    """
    option = option or plan.best
    if option.ledger is None or option.serving_device is None:
        return None
    scenario, growth = plan.scenario, plan.market.calendar.growth
    serving_hours, training_hours = _worked_hours(plan, option)
    serving_share = serving_hours / (serving_hours + training_hours)
    none = np.zeros(len(growth))
    share_of_serving = {"serving": none + 1, "training": none, "both": serving_share}
    serving_usd, training_usd = none, none
    for fleet in option.ledger.fleets:
        share = share_of_serving[fleet.job]
        serving_usd = serving_usd + fleet.cost_usd * share
        training_usd = training_usd + fleet.cost_usd * (1 - share)
    adapter = scenario.method in ("lora", "qlora")
    return Life(
        option=option,
        growth=growth,
        users=scenario.users * growth,
        peak_requests_per_s=plan.serving.peak_requests_per_s * growth,
        requests=plan.requests_per_year / MONTHS_PER_YEAR * growth / growth.mean(),
        new_tokens=float(
            plan.request_flop / (FORWARD_FLOP * plan.workload.numbers.active_parameters)
        ),
        output_tokens=float(plan.serving.times.output_tokens),
        serving_usd=serving_usd,
        training_usd=training_usd,
        serving_hours=serving_hours,
        training_hours=training_hours,
        runs=scenario.all_runs_per_month,
        run_tokens=scenario.training_tokens_million * MILLION,
        flop_ratio=ADAPTER_PASSES if adapter else FULL_PASSES,
        copies_growth=_copies_growth(plan, option),
    )


def _reached(so_far: Array, amount: float) -> float:
    """Time at which a sum that grows reaches an amount; NaN beyond its end. [months]"""
    return float(np.interp(amount, _from_zero(so_far), np.arange(len(so_far) + 1), right=NAN))


def _from_zero(so_far: Array) -> Array:
    return np.append(0.0, so_far)


def _worked_hours(plan: Plan, option: Option) -> tuple[Array, Array]:
    """Hours at work of serving and of training. [device-hours/month]"""
    serve, train = option.serving_device, option.training_device
    growth = plan.market.calendar.growth
    training_hours_per_year = 0.0
    if option.key == "shared":
        hours = serving_device_hours(plan.shared.serving, plan.shape)[serve] * growth
        worked = plan.shared.fleet.worked_device_hours[serve]
        training_hours_per_year = float(worked - hours.mean())
    else:
        fleet = plan.serving_cost.paid(owned=option.owns("serving"))
        hours = fleet.worked_device_hours[serve] * growth / growth.mean()
        if train is not None:
            runs = plan.training_cost.paid(owned=option.owns("training"))
            training_hours_per_year = float(runs.worked_device_hours[train])
    months = np.ones(len(growth))
    return hours / MONTHS_PER_YEAR, months * training_hours_per_year / MONTHS_PER_YEAR


def _copies_growth(plan: Plan, option: Option) -> float:
    """Demand that the first owned fleet carries over the first month's. [ratio]"""
    serve, shared = option.serving_device, option.key == "shared"
    is_flexible = option.rented_peaks > 0 or not option.owns("serving")
    if is_flexible or (shared and option.training_device is not None):
        return NAN
    assert option.ledger is not None
    fleet = plan.serving_cost.paid(owned=True)
    estimates = plan.shared.serving if shared else fleet.estimates
    held = option.ledger.fleets[0].devices[0] // estimates.layout_devices[serve]
    return float((held - estimates.spare_copies[serve]) / estimates.load_in_copies[serve])
