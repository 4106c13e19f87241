"""One scenario worked out: both jobs on every compared device, their money, the four options."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from hwplanner.assumptions import Assumptions, load_assumptions
from hwplanner.catalog import Catalog, load_catalog
from hwplanner.cost import RequestCost, request_cost
from hwplanner.demand import (
    DemandShape,
    load_demand_shapes,
    requests_per_s_by_hour,
    requests_per_year,
)
from hwplanner.device import Device, DeviceArrays, device_arrays
from hwplanner.device_prices import DevicePrices, device_prices
from hwplanner.money import JobMoney, serving_devices_by_hour, serving_money, training_money
from hwplanner.options import Bands, Option, SharedFleet, four_options, shared_fleet
from hwplanner.ownership import OwnershipTerms, ownership_terms
from hwplanner.scenario import Scenario
from hwplanner.serving import Mask, ServingEstimates, estimate_serving
from hwplanner.training import TrainingEstimates, estimate_training
from hwplanner.units import MILLION, MONTHS_PER_YEAR, Array
from hwplanner.workload import Workload, workload


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that pages, tables and downloads show of one scenario.

    Arrays hold one entry for each of `devices`; `hwplanner.tables` turns them into rows.

    Attributes
    ----------
    scenario, catalog, assumptions
        What was asked, and what it was answered from.
    workload
        The model in its formats.
    devices, arrays
        Compared devices, one by one and as arrays.
    serving, training
        Estimates of both jobs.
    prices, terms, shape
        Prices, terms of ownership and shape of the demand.
    devices_by_hour
        Serving devices that each hour of the week needs. [devices, (D, 168)]
    serving_cost, training_cost
        Money of both jobs.
    shared
        One owned fleet for both jobs.
    bands
        Range of measured over estimated throughput. [ratio]
    options
        The four options, best first.
    """

    scenario: Scenario
    catalog: Catalog
    assumptions: Assumptions
    workload: Workload
    devices: tuple[Device, ...]
    arrays: DeviceArrays
    serving: ServingEstimates
    training: TrainingEstimates
    prices: DevicePrices
    terms: OwnershipTerms
    shape: DemandShape
    devices_by_hour: Array
    serving_cost: JobMoney
    training_cost: JobMoney
    shared: SharedFleet
    bands: Bands
    options: tuple[Option, ...]

    @property
    def best(self) -> Option:
        """The option that meets both targets at the lowest cost, or comes nearest."""
        return self.options[0]

    @cached_property
    def requests_per_year(self) -> float:
        """Requests that users send. [requests/year]"""
        by_hour = requests_per_s_by_hour(
            peak_requests_per_s=self.serving.peak_requests_per_s,
            relative_load=self.shape.relative_load,
        )
        return float(requests_per_year(requests_per_s=by_hour))

    @property
    def request_flop(self) -> float:
        """Arithmetic of the weights in one request: new prompt tokens and answer. [FLOP]"""
        output_tokens = self.serving.times.output_tokens
        prompt = self.scenario.context_tokens - output_tokens
        new_tokens = prompt * (1 - self.scenario.prefix_reuse_percent / 100)
        return 2 * self.workload.numbers.active_parameters * (new_tokens + output_tokens)

    @cached_property
    def request_cost(self) -> RequestCost:
        """Cost of a request on each device, by the cheaper way of paying."""
        return self.request_cost_at(self.serving_cost.usd_per_year)

    def request_cost_at(self, usd_per_year: Array) -> RequestCost:
        """Cost of a request on each device when serving costs so much. [USD/year]"""
        output_tokens = self.serving.times.output_tokens
        return request_cost(
            usd_per_year=usd_per_year,
            requests_per_year=self.requests_per_year,
            prefill_seconds=self.serving.prefill.total,
            decode_seconds=self.serving.decode.total,
            input_tokens=self.scenario.context_tokens - output_tokens,
            output_tokens=output_tokens,
        )

    def usd_per_million_output_tokens(self, usd_per_year: Array | float) -> Array:
        """All cost of serving, prompts included, over the tokens written. [USD/million tokens]"""
        tokens = self.requests_per_year * self.serving.times.output_tokens
        return np.asarray(usd_per_year) / tokens * MILLION

    @property
    def usd_per_run(self) -> Array:
        """Cost of a run by the cheaper way of paying; all of a year where none is run. [USD]"""
        runs = max(self.scenario.runs_per_month * MONTHS_PER_YEAR, 1)
        return self.training_cost.usd_per_year / runs

    @cached_property
    def serving_choice(self) -> int | None:
        """Place of the device that the best option serves on, else of the first that fits."""
        return _first(self.best.serving_device, self.serving_order, self.serving.fits)

    @cached_property
    def training_choice(self) -> int | None:
        """Place of the device that the best option trains on, else of the first that fits."""
        return _first(self.best.training_device, self.training_order, self.training.fits)

    @cached_property
    def serving_order(self) -> list[int]:
        """Places by cost of serving: those that meet the targets, that miss, that have no cost."""
        return _order(self.serving_cost.usd_per_year, self.serving.meets_target, self.serving.fits)

    @cached_property
    def training_order(self) -> list[int]:
        """Places by cost of a year of runs, in the same manner."""
        return _order(
            self.training_cost.usd_per_year, self.training.meets_window, self.training.fits
        )


def _first(chosen: int | None, order: list[int], fits: Mask) -> int | None:
    """Chosen place, else the first of an order that fits, if any does."""
    if chosen is not None:
        return chosen
    return order[0] if fits[order[0]] else None


def _order(usd: Array, meets: Mask, fits: Mask) -> list[int]:
    missing = ~np.isfinite(usd)
    keys = np.lexsort((np.where(missing, 0.0, usd), ~meets, missing, ~fits))
    return [int(place) for place in keys]


def compared_devices(scenario: Scenario, catalog: Catalog) -> tuple[Device, ...]:
    """Devices that a scenario compares: all, the chosen ones, or the shortlist.

    Raises
    ------
    CatalogError
        When a chosen device is not in the catalogue.
    """
    if scenario.all_devices:
        return catalog.devices
    if scenario.devices:
        return tuple(catalog.device(name) for name in dict.fromkeys(scenario.devices))
    return catalog.shortlist


@lru_cache(maxsize=64)
def _arrays(device_ids: tuple[str, ...], catalog: Catalog) -> DeviceArrays:
    return device_arrays([catalog.device(device_id) for device_id in device_ids])


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
    arrays = _arrays(tuple(device.id for device in devices), catalog)
    load = workload(scenario)
    shape = load_demand_shapes()[scenario.shape]
    serving = estimate_serving(scenario, load, arrays, assumptions)
    training = estimate_training(scenario, load.numbers, arrays, assumptions)
    prices = device_prices(scenario, arrays.ids, catalog)
    terms = ownership_terms(scenario, assumptions)
    by_hour = serving_devices_by_hour(serving, shape)
    serving_cost = serving_money(
        estimates=serving,
        devices=arrays,
        devices_by_hour=by_hour,
        prices=prices,
        shape=shape,
        terms=terms,
    )
    training_cost = training_money(
        estimates=training,
        devices=arrays,
        prices=prices,
        runs_per_month=scenario.runs_per_month,
        terms=terms,
    )
    shared = shared_fleet(
        serving_devices_by_hour=by_hour,
        training=training,
        window_hours=scenario.window_hours,
        runs_per_month=scenario.runs_per_month,
    )
    bands = _bands(load, training, assumptions)
    return Plan(
        scenario=scenario,
        catalog=catalog,
        assumptions=assumptions,
        workload=load,
        devices=devices,
        arrays=arrays,
        serving=serving,
        training=training,
        prices=prices,
        terms=terms,
        shape=shape,
        devices_by_hour=by_hour,
        serving_cost=serving_cost,
        training_cost=training_cost,
        shared=shared,
        bands=bands,
        options=four_options(
            serving=serving,
            training=training,
            serving_cost=serving_cost,
            training_cost=training_cost,
            shared=shared,
            has_limited_training=np.array(
                [float(support == "limited") for support in arrays.training_supported]
            ),
            bands=bands,
        ),
    )


def _bands(load: Workload, training: TrainingEstimates, assumptions: Assumptions) -> Bands:
    kind = "moe" if load.numbers.is_moe else "dense"
    low, _, high = assumptions.range("serving_throughput_band", kind)
    return Bands(serving=(low, high), training=training.speed_band)
