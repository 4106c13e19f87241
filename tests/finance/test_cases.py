"""A case costs what a plan of its scenario costs; many are paid for at once."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.assumptions import load_assumptions
from hwplanner.finance.break_even import user_cases
from hwplanner.finance.candidates import CHANGEABLE
from hwplanner.finance.cases import Basis, Costs, distinct_options
from hwplanner.finance.ranges import input_range, offer_range
from hwplanner.finance.sensitivity import probes
from hwplanner.finance.stacks import stacked
from hwplanner.plan import Plan, make_plan
from hwplanner.quote import Quote
from hwplanner.scenario import Scenario, controls
from hwplanner.training.goodput import Interruptions
from tests.plans import option, plan_of, renting

ASSUMED = load_assumptions()
WITH_ENDS = sorted(CHANGEABLE - {"horizon_months", "batch_sequences", "sequence_tokens"})


def value_of(scenario: Scenario, name: str, end: int) -> float:
    """One end of the range of an input, or of what its control accepts where it has none."""
    if ASSUMED.keys(name) or name in ("users", "output_tokens", "context_tokens", "tpot_ms"):
        return input_range(scenario, name, ASSUMED)[end]
    value, bounds = getattr(scenario, name), controls()[name].bounds
    assert bounds is not None
    return type(value)(min(max(value * (0.5, 2)[end], bounds[0]), bounds[1]))


def assert_costs_as_a_plan(plan: Plan, basis: Basis, costs: Costs, scenario: Scenario) -> None:
    """Every option costs what it costs in a plan on its own devices."""
    ids = basis.arrays.ids
    for key, (serve, train) in basis.choices.items():
        alone = scenario.model_copy(
            update={"devices": ids, "serve_on": ids[serve], "train_on": ids[train]}
        )
        expected = option(make_plan(alone), key)
        assert costs.usd_per_year[key][0] == pytest.approx(expected.usd_per_year.typical, rel=1e-9)
        assert costs.meets_both[key][0] == expected.meets_both


def test_the_unchanged_case_is_the_plan() -> None:
    for question in ({}, {"growth_percent_per_month": 3}, {"market": "reserved_1y"}):
        plan = plan_of(**question)
        basis = Basis.of(plan)
        costs = basis.costs([basis.unchanged])
        for found in distinct_options(plan):
            assert costs.usd_per_year[found.key][0] == pytest.approx(found.usd_per_year.typical)
            assert costs.meets_both[found.key][0] == found.meets_both
        assert costs.winners == (plan.best.key,)


@given(
    name=st.sampled_from(WITH_ENDS),
    end=st.sampled_from([0, 1]),
    question=st.fixed_dictionaries(
        {
            "users": st.sampled_from([8, 128, 1024]),
            "model": st.sampled_from(["", "llama-3.1-8b"]),
            "kind": st.sampled_from(["dense", "moe"]),
            "runs_per_month": st.sampled_from([0, 1, 8]),
            "growth_percent_per_month": st.sampled_from([0, 2]),
            "market": st.sampled_from(["neocloud", "reserved_1y", "spot", "scale_to_zero"]),
            "colocation_usd_per_kw_month": st.sampled_from([0, 200]),
        }
    ),
)
@settings(max_examples=60, deadline=None)
def test_a_case_costs_what_its_scenario_costs_on_the_same_devices(
    name: str, end: int, question: dict[str, object]
) -> None:
    plan = plan_of(**question)
    if not plan.best.exists:
        return
    basis = Basis.of(plan)
    case = basis.case({name: value_of(plan.scenario, name, end)})
    # Priced beside others, as on the page.
    costs = basis.costs([case, basis.unchanged, basis.case({"pue": 1.1})])
    assert_costs_as_a_plan(plan, basis, costs, case.scenario)


@pytest.mark.parametrize("market", ["neocloud", "reserved_3y", "spot", "scale_to_zero"])
def test_all_cases_of_the_page_are_exact_when_priced_together(market: str) -> None:
    plan = plan_of(market=market, growth_percent_per_month=1)
    basis, best = Basis.of(plan), plan.best.key
    cases = [case for probe in probes(basis) for case in probe.cases]
    cases += user_cases(basis)
    costs = basis.costs(cases)
    serve, train = (basis.arrays.ids[place] for place in basis.choices[best])
    changed = [place for place, case in enumerate(cases) if case.scenario is not plan.scenario]
    assert len(changed) > 40
    for place in changed:
        # Failures are no input of the scenario.
        if cases[place].scenario == plan.scenario:
            continue
        alone = cases[place].scenario.model_copy(
            update={"devices": basis.arrays.ids, "serve_on": serve, "train_on": train}
        )
        expected = option(make_plan(alone), best).usd_per_year.typical
        assert costs.usd_per_year[best][place] == pytest.approx(expected, rel=1e-9)


def test_two_inputs_change_together() -> None:
    plan = plan_of()
    basis = Basis.of(plan)
    case = basis.case({"users": 300, "context_tokens": 4096, "training_tokens_million": 500})
    assert_costs_as_a_plan(plan, basis, basis.costs([case]), case.scenario)


@pytest.mark.parametrize("rents", [True, False])
@pytest.mark.parametrize("end", ["low", "high"])
def test_prices_at_one_end_are_as_if_they_were_ones_own(end: str, rents: bool) -> None:
    plan = plan_of()
    basis = Basis.of(plan)
    prices = basis.unchanged.market.prices
    low, high = offer_range(prices.rent if rents else prices.purchase, plan.assumptions)
    quotes = tuple(
        Quote(device=name, kind="on_demand" if rents else "purchase", amount=float(usd))
        for name, usd in zip(basis.arrays.ids, low if end == "low" else high, strict=True)
    )
    case = replace(basis.unchanged, market=basis.at_offers(end, rents=rents))
    scenario = plan.scenario.model_copy(update={"quotes": quotes})
    assert_costs_as_a_plan(plan, basis, basis.costs([case]), scenario)


def test_failures_that_cost_more_time_cost_more_rent() -> None:
    plan = plan_of(training_tokens_million=200_000, window_hours=720)
    basis = Basis.of(plan)
    worst, typical, best = Interruptions.range_of(plan.assumptions)
    costs = basis.costs([basis.case({}, interruptions=each) for each in (worst, typical, best)])
    usd = costs.usd_per_year["rent_all"]
    assert usd[0] > usd[1] > usd[2]
    assert usd[1] == pytest.approx(option(plan, "rent_all").usd_per_year.typical)


def test_rents_scale_the_cost_of_renting_and_no_other() -> None:
    plan = renting()
    basis = Basis.of(plan)
    cases = [replace(basis.unchanged, market=basis.at_rents(ratio)) for ratio in (1, 2, 0.5)]
    costs = basis.costs(cases)
    usd = costs.usd_per_year["rent_all"]
    assert usd / usd[0] == pytest.approx([1, 2, 0.5])
    owned = costs.usd_per_year["shared"]
    assert owned / owned[0] == pytest.approx([1, 1, 1])


def test_the_plans_option_wins_unless_another_meets_the_targets_for_less() -> None:
    costs = Costs(
        usd_per_year={
            "rent_all": np.array([5.0, 5.0, 5.0, math.nan]),
            "shared": np.array([5.0, 4.0, 4.0, 9.0]),
        },
        meets_both={
            "rent_all": np.array([True, True, True, False]),
            "shared": np.array([True, True, False, False]),
        },
        best="rent_all",
    )
    assert costs.winners == ("rent_all", "shared", "rent_all", "shared")


def test_without_runs_options_that_own_for_serving_are_one() -> None:
    keys = [found.key for found in distinct_options(plan_of(runs_per_month=0))]
    assert len(keys) == 2
    assert "rent_all" in keys
    assert len(distinct_options(plan_of())) == 4


def test_what_differs_is_repeated_for_each_entry() -> None:
    months = np.array([1.0, 2.0, 3.0])
    assert stacked([months, months], 2) is not None
    assert stacked([months, months * 2], 2).tolist() == [[1, 2, 3]] * 2 + [[2, 4, 6]] * 2
    assert stacked([np.zeros(2), np.ones(2)], 2).tolist() == [0, 0, 1, 1]
    assert stacked([4, 4], 2) == 4
