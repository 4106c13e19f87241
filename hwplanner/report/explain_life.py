"""Net present value and the crossing of training and serving, step by step."""

from __future__ import annotations

import math

from hwplanner import wording
from hwplanner.finance.life import Life
from hwplanner.money.ledger import Ledger
from hwplanner.money.option import Option
from hwplanner.money.present_value import discount_factors
from hwplanner.plan import Plan
from hwplanner.report.statements import Explanation, Step
from hwplanner.units import HOURS_PER_MONTH

SARDANA = (
    "Sardana and others, Beyond Chinchilla-Optimal, arXiv 2401.00448: 6 × parameters × tokens "
    "trained against 2 × parameters × tokens served"
)
BREALEY = "Brealey, Myers and Allen, Principles of Corporate Finance, ch. 2"


def explanations(plan: Plan, life: Life | None) -> tuple[Explanation, ...]:
    """Open the numbers of the months: worth against renting, and where serving passes a run."""
    found = [] if life is None or not life.runs else [crossing_in_arithmetic(life)]
    bought = next((option for option in plan.options if _buys(option)), None)
    if bought is not None and bought.ledger is not None:
        renting = next((option.ledger for option in plan.options if option.key == "rent_all"), None)
        found.insert(0, present_value(bought.label, bought.ledger, renting))
    return tuple(found)


def _buys(option: Option) -> bool:
    return option.exists and option.purchase_usd > 0


def present_value(label: str, ledger: Ledger, renting: Ledger | None) -> Explanation:
    """Net present cost of an option, and what it is worth against renting. [USD]"""
    factors = discount_factors(ledger.rate_per_year, ledger.months)
    at_start = sum(
        float((fleet.purchase_usd - fleet.sale_usd) @ factors[:-1]) for fleet in ledger.fleets
    )
    at_end = sum(
        float((fleet.rent_usd + fleet.running_total_usd) @ factors[1:]) for fleet in ledger.fleets
    )
    left = ledger.left_usd * float(factors[-1])
    cost = ledger.net_present_cost_usd
    steps = [
        Step(
            "Worth today of a later dollar",
            "(1 + cost of capital)^(−months ÷ 12)",
            f"{wording.percent(ledger.rate_per_year)} a year, {ledger.months} months",
            wording.significant(float(factors[-1])),
            BREALEY,
        ),
        Step(
            "Purchases less sales",
            "sum over months, each at its start × its worth today",
            "the first purchase counts in full",
            wording.usd(at_start),
        ),
        Step(
            "Rent and running cost",
            "sum over months, each at its end × its worth today",
            "",
            wording.usd(at_end),
        ),
        Step(
            "Value left",
            "what purchases are not paid off yet × worth at the end",
            f"{wording.usd(ledger.left_usd)} × {wording.significant(float(factors[-1]))}",
            wording.usd(left),
        ),
        Step(
            "Net present cost",
            "purchases + rent and running cost − value left",
            f"{wording.usd(at_start)} + {wording.usd(at_end)} − {wording.usd(left)}",
            wording.usd(cost),
        ),
    ]
    if renting is None:
        return Explanation(f"{label}: net present cost", wording.usd(cost), cost, tuple(steps))
    value = renting.net_present_cost_usd - cost
    steps.append(
        Step(
            "Worth against renting",
            "net present cost of renting everything − net present cost",
            f"{wording.usd(renting.net_present_cost_usd)} − {wording.usd(cost)}",
            wording.usd(value),
        )
    )
    return Explanation(f"{label}: worth against renting", wording.usd(value), value, tuple(steps))


def crossing_in_arithmetic(life: Life) -> Explanation:
    """Tokens to serve that take as much arithmetic, and as much money, as one run. [tokens]"""
    steps = [
        Step(
            "Arithmetic of a token",
            "2 × parameters where it is served, that × passes where it is trained on",
            f"{wording.significant(life.flop_ratio)} passes: forward once, backward "
            f"{wording.significant(life.flop_ratio - 1)}",
            f"{wording.significant(life.flop_ratio)} times as much in training",
            SARDANA,
        ),
        Step(
            "As much arithmetic as a run",
            "tokens of a run × that",
            f"{wording.tokens(life.run_tokens)} × {wording.significant(life.flop_ratio)}",
            f"{wording.tokens(life.run_flop_tokens)} tokens served",
        ),
        Step(
            "A month of serving",
            "requests × tokens that go through the model; what the cache holds does not",
            f"{wording.tokens(float(life.requests[0]))} × {wording.tokens(life.new_tokens)}",
            f"{wording.tokens(float(life.served_tokens[0]))} tokens",
        ),
        Step(
            "In arithmetic",
            "time in which as many are served",
            "",
            _time(life.run_flop_months, life.months),
        ),
        Step(
            "In dollars",
            "time in which serving costs as much as a run",
            f"{wording.usd(life.run_usd)} a run, {wording.usd(float(life.serving_usd[0]))} for "
            "the first month of serving",
            _time(life.run_paid_months, life.months),
        ),
    ]
    return Explanation(
        title="Serving as much as a run computes",
        result=f"{wording.tokens(life.run_flop_tokens)} tokens",
        value=life.run_flop_tokens,
        steps=tuple(steps),
    )


def _time(months: float, horizon: int) -> str:
    if not math.isfinite(months):
        return f"more than {horizon} months"
    return wording.hours(months * HOURS_PER_MONTH)
