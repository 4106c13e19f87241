"""Headline numbers opened: each as steps of formula, values with units, result and source.

The steps restate what the engine computed for one device; a test holds their results equal to the
plan's.
"""

from __future__ import annotations

from hwplanner.plan import Plan
from hwplanner.report.explain_cost import cost_per_request, cost_per_run, option_cost, serving_cost
from hwplanner.report.explain_serving import (
    serving_devices,
    serving_memory,
    time_per_token,
    time_to_first_token,
)
from hwplanner.report.explain_training import run_time, training_memory
from hwplanner.report.statements import Explanation


def explanations(plan: Plan) -> tuple[Explanation, ...]:
    """Explain every headline number of a plan, for the devices that it chooses."""
    serve, train = plan.serving_choice, plan.training_choice
    found: list[Explanation] = []
    if serve is not None:
        found += [
            serving_memory(plan, serve),
            time_per_token(plan, serve),
            time_to_first_token(plan, serve),
            serving_devices(plan, serve),
            serving_cost(plan, serve),
            cost_per_request(plan, serve),
        ]
    if train is not None:
        found += [
            training_memory(plan, train),
            run_time(plan, train),
        ]
        if plan.scenario.runs_per_month:
            found.append(cost_per_run(plan, train))
    if plan.best.exists:
        found.append(option_cost(plan))
    return tuple(found)
