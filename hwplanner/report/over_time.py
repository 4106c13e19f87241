"""The months of a plan in words, tables and the rows of charts."""

from __future__ import annotations

import math

import numpy as np

from hwplanner import wording
from hwplanner.finance.crossing import Crossing
from hwplanner.finance.life import Life
from hwplanner.plan import Plan
from hwplanner.report.story import Finding, Phrase
from hwplanner.report.tables import JobSpendRow, UnitCostRow
from hwplanner.units import HOURS_PER_MONTH


def in_month(months: float) -> int:
    """Calendar month of a time after the start; the first is 1."""
    return math.floor(months) + 1


def finding(plan: Plan, life: Life | None) -> Finding:
    """Which job costs more over the life of the product, and from when on."""
    if life is None:
        return Finding(
            (Phrase("No plan yet: "), Phrase(plan.best.reason, strong=True), Phrase(".")),
            "There is nothing to follow over time.",
        )
    return Finding(_headline(life), " ".join(filter(None, (_unit_cost(life), _fleet(plan, life)))))


def _headline(life: Life) -> tuple[Phrase, ...]:
    if not life.runs:
        usd = wording.usd(float(life.serving_usd.sum()))
        return (
            Phrase("Serving costs "),
            Phrase(f"{usd} in {life.months} months", strong=True),
            Phrase("; no training is planned."),
        )
    found = life.crossing
    one, other = _pair(found)
    if not found.months:
        return (
            Phrase(f"{one} costs more than {other.lower()} from the first month: "),
            Phrase(f"{_times(found)} as much", strong=True),
            Phrase(f" in {life.months} months."),
        )
    return (
        Phrase(f"{one} overtakes {other.lower()} in "),
        Phrase(f"month {in_month(found.months)}", strong=True),
        Phrase(f"; by month {life.months} it has cost "),
        Phrase(f"{_times(found)} as much", strong=True),
        Phrase("."),
    )


def _pair(found: Crossing) -> tuple[str, str]:
    return ("Serving", "Training") if found.leader == "serving" else ("Training", "Serving")


def _times(found: Crossing) -> str:
    return f"{wording.significant(found.ratio)} times"


def _unit_cost(life: Life) -> str:
    usd = life.usd_per_million_output_tokens
    if life.is_steady:
        return f"A million output tokens costs {wording.usd(usd[0])} in every month."
    return (
        f"A million output tokens costs {wording.usd(usd[0])} in the first month and "
        f"{wording.usd(usd[-1])} in the last."
    )


def _fleet(plan: Plan, life: Life) -> str:
    """When devices are bought to grow, or the rented peak passes a server."""
    if life.growing_months:
        first = life.growing_months[0]
        devices = wording.device_count(life.bought_to_grow[first - 1])
        more = len(life.growing_months) - 1
        again = f", then {more} more {'time' if more == 1 else 'times'}" if more else ""
        return f"The owned fleet first grows in month {first}, by {devices}{again}."
    if life.owned_devices.any() and life.serving_rented.any():
        return _rented_peak(plan, life)
    if life.owned_devices.any():
        return _lasts(life)
    first_peak, last_peak = life.serving_rented[0], life.serving_rented[-1]
    if first_peak == last_peak:
        return ""
    return (
        f"The peak takes {wording.device_count(first_peak)} in the first month and "
        f"{wording.count(last_peak)} in the last."
    )


def _rented_peak(plan: Plan, life: Life) -> str:
    place = life.option.serving_device
    assert place is not None
    server = float(np.nan_to_num(plan.arrays.devices_per_server[place], nan=1.0))
    month = life.rented_from_month(server)
    owned = wording.device_count(life.owned_devices[0])
    if month is None:
        return f"Beside the {owned} that are owned, the peak never takes a whole rented server."
    when = "in every month" if month == 1 else f"from month {month} on"
    if life.serving_rented[-1] < server:
        when = f"in month {month}"
    return f"Beside the {owned} that are owned, the peak takes a rented server or more {when}."


def _lasts(life: Life) -> str:
    """How long the first fleet lasts, or what growth it carries."""
    if math.isfinite(life.short_from_month):
        month = wording.count(life.short_from_month)
        return f"At this growth the owned fleet falls short in month {month}, after the plan."
    if math.isfinite(life.copies_growth):
        return (
            f"The owned fleet carries {wording.significant(life.copies_growth)} times the peak of "
            "the first month."
        )
    return ""


def growth_remedy(life: Life) -> str:
    """What is shown meanwhile, where nothing changes from month to month."""
    usd = wording.usd(life.usd_per_million_output_tokens[0])
    request = wording.usd(life.usd_per_request[0])
    return (
        "Set Growth under Demand to see how the cost of a request changes, and when the fleet must "
        f"grow. Until then a million output tokens costs {usd} in every month, a request {request}."
    )


# Where both jobs cross


def job_spend_rows(life: Life) -> tuple[JobSpendRow, ...]:
    """Cost of both jobs so far. [USD]"""
    months = tuple(float(month) for month in range(life.months + 1))
    rows = [
        JobSpendRow("serving", months, tuple(np.append(0.0, np.cumsum(life.serving_usd)))),
        JobSpendRow("training", months, tuple(np.append(0.0, np.cumsum(life.training_usd)))),
    ]
    return tuple(rows if life.runs else rows[:1])


def crossing_facts(life: Life) -> tuple[tuple[str, str], ...]:
    """Where serving passes training in dollars and in arithmetic, over the plan and for a run."""
    if not life.runs:
        return ()
    runs = life.runs * life.months
    trained = wording.tokens(runs * life.run_tokens)
    served, written = (
        wording.tokens(float(tokens[-1])) for tokens in (life.served_tokens, life.generated_tokens)
    )
    training_usd, serving_usd = float(life.training_usd.sum()), float(life.serving_usd.sum())
    facts = [
        ("Training", f"{wording.usd(training_usd)}: {trained} tokens in {_runs(runs)}"),
        ("Serving", f"{wording.usd(serving_usd)}: {served} tokens, {written} of them written"),
        ("In dollars", crossing_in_words(life, life.crossing)),
        ("In arithmetic", crossing_in_words(life, life.flop_crossing)),
        ("A run costs", f"{wording.usd(life.run_usd)}, as much as {_serving_for(life)}"),
        (
            "A run computes",
            f"as much as {wording.tokens(life.run_flop_tokens)} tokens served, "
            f"{wording.significant(life.flop_ratio)} times its own: {_flop_time(life)}",
        ),
    ]
    if life.run_paid_months > 0 and life.run_flop_months > 0:
        facts.append(("Hence in dollars", _earlier(life)))
    return tuple(facts)


def _runs(runs: float) -> str:
    return "1 run" if round(runs) == 1 else f"{wording.count(runs)} runs"


def crossing_in_words(life: Life, found: Crossing) -> str:
    """Say when one job passes the other, or that it never does."""
    one, other = _pair(found)
    since = (
        f"{one} overtakes {other.lower()} in month {in_month(found.months)}, after "
        f"{wording.tokens(life.served_by(found.months))} tokens served"
        if found.months
        else f"{one} is ahead from the first month"
    )
    later = (
        f"; at the last month's pace {other.lower()} would overtake it in month "
        f"{in_month(found.later_months)}"
        if math.isfinite(found.later_months)
        else ""
    )
    return f"{since}: {_times(found)} as much by month {life.months}{later}"


def _serving_for(life: Life) -> str:
    if not math.isfinite(life.run_paid_months):
        return f"more than {life.months} months of serving"
    time = wording.hours(life.run_paid_months * HOURS_PER_MONTH)
    tokens = wording.tokens(life.served_by(life.run_paid_months))
    return f"the first {time} of serving, {tokens} tokens"


def _flop_time(life: Life) -> str:
    if not math.isfinite(life.run_flop_months):
        return f"more than {life.months} months of serving"
    return f"the first {wording.hours(life.run_flop_months * HOURS_PER_MONTH)} of serving"


def _earlier(life: Life) -> str:
    """How much earlier serving has cost a run than computed as much, and why."""
    ratio = life.run_flop_months / life.run_paid_months
    if ratio >= 1:
        return (
            f"{wording.significant(ratio)} times earlier: serving pays more for its arithmetic, "
            "since reading memory and idle hours cost too"
        )
    return (
        f"{wording.significant(1 / ratio)} times later: training pays more for its arithmetic here"
    )


# What serving costs and takes, month by month


def unit_cost_rows(life: Life) -> tuple[UnitCostRow, ...]:
    """Cost of a request and of its tokens in each month. [USD]"""
    peak = life.owned_devices + life.serving_rented
    bought = np.append(0.0, life.bought_to_grow[1:])
    return tuple(
        UnitCostRow(month + 1, *map(float, values))
        for month, values in enumerate(
            zip(
                life.usd_per_million_output_tokens,
                life.usd_per_request,
                peak,
                bought,
                strict=True,
            )
        )
    )
