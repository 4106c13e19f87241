"""One's own devices against an API in words: facts, a sentence, lines against traffic."""

from __future__ import annotations

import numpy as np

from hwplanner import wording
from hwplanner.finance.api_price import TRAFFIC, ApiComparison
from hwplanner.plan import Plan
from hwplanner.report import expected
from hwplanner.report.chart_rows import device_label, paid
from hwplanner.report.tables import State, TrafficRow
from hwplanner.scenario import controls
from hwplanner.units import MILLION, Array, Interval

API = "API"
NOTE = (
    "The API is taken to charge the whole prompt in full; many ask less for what they find in "
    "their cache. Your own devices serve in the layouts and the way of paying of the plan, in "
    "whole copies and servers."
)


def remedy(plan: Plan) -> tuple[str, str]:
    """What is missing for a comparison, and what to do about it."""
    scenario = plan.scenario
    asked, answered = scenario.api_input_usd_per_million, scenario.api_output_usd_per_million
    labels = [
        controls()[name].label
        for name, price in (
            ("api_input_usd_per_million", asked),
            ("api_output_usd_per_million", answered),
        )
        if not price
    ]
    if not labels:
        return (
            "There is no cost to compare with",
            "No compared device serves at a known price. Compare more devices, or add a price.",
        )
    fields = " and ".join(f"“{label}”" for label in labels)
    return (
        "No API price yet" if len(labels) > 1 else "One API price is missing",
        f"Type what a provider asks in {fields} under Money. Until then nothing is compared.",
    )


def own_usd(plan: Plan, found: ApiComparison) -> Interval:
    """A request on one's own devices, with its range. [USD/request]"""
    return expected.cost(plan, "serving", found.place, found.own_usd)


def finding(plan: Plan, found: ApiComparison) -> str:
    """Which is cheaper at the plan's traffic, by how much, and from which traffic on."""
    name, own = device_label(plan, found.place), own_usd(plan, found)
    costs = f"{wording.usd(found.own_usd)} a request against {wording.usd(found.api_usd)}"
    if own.low < found.api_usd < own.high:
        verdict = f"Serving on {name} and the API are a near tie: {costs}."
    elif found.own_usd < found.api_usd:
        saved = wording.percent(1 - found.cost_ratio)
        verdict = f"Serving on {name} costs {saved} less than the API: {costs}."
    else:
        saved = wording.percent(1 - 1 / found.cost_ratio)
        verdict = f"The API costs {saved} less than serving on {name}: {costs}."
    return f"{verdict} {_from_which_traffic(found)}"


def _from_which_traffic(found: ApiComparison) -> str:
    least, most = (_requests(traffic) for traffic in found.requests_per_month[[0, -1]])
    if found.is_never_cheaper:
        return f"Your own devices do not become cheaper for good up to {most} requests a month."
    if found.is_always_cheaper:
        return f"Your own devices are cheaper from {least} to {most} requests a month."
    start, planned = found.break_even_requests_per_month, found.planned_requests_per_month
    return (
        f"Your own stay cheaper from {_requests(start)} requests a month on; "
        f"{_requests(planned)} are planned."
    )


def facts(plan: Plan, found: ApiComparison) -> tuple[tuple[str, str], ...]:
    """Costs, and what would make both cost the same."""
    scenario, own = plan.scenario, own_usd(plan, found)
    requests = found.requests_per_year
    ratio = found.cost_ratio
    asked, answered = scenario.api_input_usd_per_million, scenario.api_output_usd_per_million
    found_facts = [
        (
            "Request",
            f"own {_with_range(own)}, API {wording.usd(found.api_usd)}",
        ),
        (
            "Year",
            f"own {wording.usd(found.own_usd * requests)}, "
            f"API {wording.usd(found.api_usd * requests)} for {_requests(requests)} requests",
        ),
        ("Own is cheaper", _when(found)),
        ("Worked hours", _worked(found)),
        (
            "Equal at",
            f"API prices of {wording.usd(asked * ratio)} for input and "
            f"{wording.usd(answered * ratio)} for output, both {wording.significant(ratio)} times "
            "what is asked",
        ),
    ]
    if scenario.growth_percent_per_month:
        month = found.first_cheaper_month
        growth = wording.significant(scenario.growth_percent_per_month)
        found_facts.insert(
            3,
            (
                f"Growing {growth}% a month",
                f"own is cheaper from month {month} on"
                if month
                else f"own is not cheaper for good within {scenario.horizon_months} months",
            ),
        )
    return tuple(found_facts)


def _when(found: ApiComparison) -> str:
    least, most = (_requests(traffic) for traffic in found.requests_per_month[[0, -1]])
    if found.is_never_cheaper:
        return f"at no traffic for good, looked at from {least} to {most} requests a month"
    if found.is_always_cheaper:
        return f"at all traffic looked at, {least} to {most} requests a month"
    start = _requests(found.break_even_requests_per_month)
    return f"from {start} requests a month on, looked at up to {most}"


def _worked(found: ApiComparison) -> str:
    share = found.break_even_utilization
    now = wording.percent(found.worked_share)
    if share > 1:
        return f"{now} of the paid hours; even with all of them the API would be cheaper"
    return f"{now} of the paid hours; both would cost the same at {wording.percent(share)}"


def traffic_rows(plan: Plan, found: ApiComparison) -> tuple[TrafficRow, ...]:
    """Lines of one's own devices and of the API against traffic. [USD/million output tokens]"""
    name, way = device_label(plan, found.place), paid(plan, found.place, "serving")
    other_way = "rented" if found.is_owned else "owned"
    of_million = MILLION / float(plan.serving.times.output_tokens)

    def row(label: str, usd: Array, state: State, band: tuple[float, float] = (1, 1)) -> TrafficRow:
        low, typical, high = (usd * of_million * factor for factor in (band[0], 1, band[1]))
        return TrafficRow(
            label=label,
            state=state,
            is_api=label == API,
            requests_per_month=tuple(found.requests_per_month),
            usd=tuple(typical),
            usd_low=tuple(low),
            usd_high=tuple(high),
        )

    own_band = plan.cost_band("serving").at(found.place)
    return (
        row(f"{name}, {way}", found.own_usd_by_traffic, "chosen", own_band),
        row(f"{name}, {other_way}", found.other_usd_by_traffic, "fine"),
        row(API, np.full(len(TRAFFIC), found.api_usd), "fine"),
    )


def _with_range(usd: Interval) -> str:
    """Say a cost, with its range of 8 of 10 cases if it has one."""
    typical, range_ = wording.usd(usd.typical), wording.interval(usd.low, usd.high, wording.usd)
    return typical if range_ == typical else f"{typical} ({range_})"


def _requests(number: float | None) -> str:
    return wording.tokens(number)
