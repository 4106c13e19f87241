"""What layouts of both jobs can do in scenarios that differ in an input, kept for the next change.

Most inputs leave most layouts as they are: a case that changes the price of power serves in the
same ones, and a slider that sets the users leaves those of training alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import TypeAlias

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.catalog import Catalog
from hwplanner.control import Group
from hwplanner.model.workload import workload
from hwplanner.plan import arrays_of
from hwplanner.scenario import Scenario, controls
from hwplanner.serving.estimates import ServingCandidates, serving_candidates
from hwplanner.training.candidates import TrainingCandidates, training_candidates
from hwplanner.training.goodput import Interruptions

SERVING = frozenset(
    {"context_tokens", "output_tokens", "prefix_reuse_percent", "tpot_ms", "ttft_ms"}
)
"""Inputs that change what a copy of the model holds or answers."""
DEMAND = frozenset(
    {"users", "request_interval_seconds", "headroom_percent", "burst_factor", "spare_copies"}
)
"""Inputs that change how many copies there are."""
TRAINING = frozenset({"training_tokens_million", "batch_sequences", "sequence_tokens"})
"""Inputs that change how long a run works."""
RUNS = frozenset({"runs_per_month", "window_hours", "setup_hours"})
"""Inputs that change how runs lie in the calendar."""
MONTHS = frozenset({"growth_percent_per_month", "horizon_months"})
MONEY = frozenset(
    {
        "depreciation_years", "residual_percent", "cost_of_capital_percent", "server_percent",
        "network_percent", "install_percent", "electricity_usd_per_kwh", "pue",
        "colocation_usd_per_kw_month", "maintenance_percent", "staff_usd_per_device_year",
        "licence_usd_per_device_year", "rent_change_percent_per_year", "cold_start_minutes",
    }
)  # fmt: skip
"""Inputs that leave all layouts as they are."""
CHANGEABLE = SERVING | DEMAND | TRAINING | RUNS | MONTHS | MONEY

Known: TypeAlias = tuple[tuple[str, ...], Catalog, Assumptions]
"""Devices by id, and what is known of them."""


@cache
def _defaults(*groups: Group, without: frozenset[str] = frozenset()) -> Mapping[str, object]:
    """Defaults of all inputs but those of some parts of the scenario."""
    defaults = Scenario()
    return {
        name: getattr(defaults, name)
        for name, control in controls().items()
        if control.group not in groups or name in without
    }


def serving_of(scenario: Scenario, known: Known) -> ServingCandidates:
    """Layouts of serving, which a change of another input leaves as they are."""
    others = _defaults("headline", "serving", "demand", "devices", without=frozenset({"name"}))
    return _serving_at_demand(scenario.model_copy(update=others), known)


@lru_cache(maxsize=256)
def _serving_at_demand(scenario: Scenario, known: Known) -> ServingCandidates:
    demand = _defaults("headline", "serving", "devices", without=DEMAND)
    return _serving_grid(scenario.model_copy(update=demand), known).with_demand(scenario)


@lru_cache(maxsize=64)
def _serving_grid(scenario: Scenario, known: Known) -> ServingCandidates:
    ids, catalog, assumptions = known
    arrays = arrays_of(ids, scenario.power_cap_watts, catalog)
    return serving_candidates(scenario, workload(scenario), arrays, assumptions)


def training_of(
    scenario: Scenario, known: Known, interruptions: Interruptions | None = None
) -> TrainingCandidates:
    """Layouts of training, which a change of another input leaves as they are."""
    without = SERVING | DEMAND | frozenset({"name"})
    others = _defaults("headline", "serving", "training", "devices", without=without)
    return _training_runs(scenario.model_copy(update=others), known, interruptions)


@lru_cache(maxsize=256)
def _training_runs(
    scenario: Scenario, known: Known, interruptions: Interruptions | None
) -> TrainingCandidates:
    runs = _defaults("headline", "serving", "training", "devices", without=RUNS)
    grid = _training_grid(scenario.model_copy(update=runs), known)
    interruptions = interruptions or grid.interruptions
    return replace(grid, scenario=scenario, interruptions=interruptions)


@lru_cache(maxsize=64)
def _training_grid(scenario: Scenario, known: Known) -> TrainingCandidates:
    ids, catalog, assumptions = known
    arrays = arrays_of(ids, scenario.power_cap_watts, catalog)
    return training_candidates(scenario, workload(scenario).numbers, arrays, assumptions)
