"""What tokens, requests, runs and the best option cost, step by step."""

from __future__ import annotations

from hwplanner import wording
from hwplanner.finance.request_cost import (
    TIME_DRIVEN,
    held_share,
    request_parts,
    request_seconds,
    worked_share,
)
from hwplanner.plan import Plan
from hwplanner.report.statements import Explanation, Step
from hwplanner.scenario import Job
from hwplanner.units import MONTHS_PER_YEAR


def _paid_hours(plan: Plan, place: int, job: Job) -> tuple[float, tuple[Step, Step]]:
    """Cost of a job in a year in the way of paying that is shown, and the steps to it."""
    owned, prices = bool(plan.is_owned(job)[place]), plan.prices
    fleet = plan.money(job).paid(owned=owned)
    hour = float(fleet.usd_per_device_hour[place])
    yearly = float(fleet.usd_per_year[place])
    if owned and plan.money(job).is_mixed[place]:
        way = "owned base, rented peaks"
        peaks = plan.market.peak_prices.rent_basis[place]
        source = f"{prices.purchase_basis[place]}; peaks: {peaks}"
        parts = (
            f"{part} {wording.usd(float(usd[place]))}"
            for part, usd in fleet.parts_usd_per_year.items()
        )
        hours = wording.count(fleet.paid_device_hours[place])
        values = f"a year: {' + '.join(parts)}, over {hours} h"
    elif owned:
        way, source = "owned", prices.purchase_basis[place]
        each = (
            f"{part} {wording.usd(float(usd[place] / fleet.devices[place]))}"
            for part, usd in fleet.parts_usd_per_year.items()
            if part != "rent"
        )
        values = f"a year: {' + '.join(each)}"
    else:
        way, source, values = "rented", prices.rent_basis[place], "rent"
    return yearly, (
        Step("Device-hour", way, values, wording.usd(hour), source),
        Step(
            f"Year of {job}",
            "paid device-hours × cost of a device-hour",
            f"{wording.count(fleet.paid_device_hours[place])} h × {wording.usd(hour)}",
            wording.usd(yearly),
        ),
    )


def serving_cost(plan: Plan, place: int) -> Explanation:
    """Cost of serving per million output tokens, all cost included. [USD]"""
    yearly, steps = _paid_hours(plan, place, "serving")
    tokens = plan.requests_per_year * float(plan.serving.times.output_tokens)
    per_million = float(plan.usd_per_million_output_tokens(yearly))
    return Explanation(
        title="Cost per million output tokens",
        result=wording.usd(per_million),
        value=per_million,
        steps=(
            *steps,
            Step(
                "Tokens of a year",
                "peak requests/s × mean over peak × seconds of a year × tokens of an answer",
                f"{wording.rate(plan.serving.peak_requests_per_s, 'requests/s')} × "
                f"{wording.percent(plan.shape.mean_over_peak)}",
                wording.tokens(tokens),
                plan.shape.source,
            ),
            Step(
                "Per million",
                "cost of a year ÷ tokens of a year",
                f"{wording.usd(yearly)} ÷ {wording.tokens(tokens)}",
                wording.usd(per_million),
            ),
        ),
    )


def cost_per_request(plan: Plan, place: int) -> Explanation:
    """Cost of an average request, what it pays for, and its prompt's and answer's share. [USD]"""
    yearly = plan.fleet("serving").usd_per_year
    cost = plan.request_cost_at(yearly).on(place)
    usd, prompt, answer = float(cost.usd), float(cost.prefill_usd), float(cost.decode_usd)
    return Explanation(
        title="Cost per request",
        result=wording.usd(usd),
        value=usd,
        steps=(
            Step(
                "Request",
                "cost of a year ÷ requests of a year",
                f"{wording.usd(float(yearly[place]))} ÷ {wording.tokens(plan.requests_per_year)}",
                wording.usd(usd),
            ),
            *_part_steps(plan, place, usd),
            Step(
                "Its prompt",
                "share of the device time that reading the prompt takes",
                wording.percent(prompt / usd) if usd else wording.NONE,
                wording.usd(prompt),
            ),
            Step("Its answer", "the rest", "", wording.usd(answer)),
        ),
    )


def _part_steps(plan: Plan, place: int, usd: float) -> tuple[Step, ...]:
    """What a request pays for: worked hours by what takes its time, and hours without work."""
    fleet, serving = plan.fleet("serving"), plan.serving
    seconds, parts = request_seconds(serving).on(place), request_parts(plan).on(place)
    share = float(worked_share(plan)[place])
    held = min(float(held_share(plan)[place]), 1 - share)
    timed = (
        ("Reading the weights", seconds.weights, parts.weights_usd),
        ("Reading the cache", seconds.cache, parts.cache_read_usd),
        ("Reading the prompt", seconds.prefill, parts.prefill_usd),
        ("Rest of the answer", seconds.decode, parts.decode_usd),
    )
    times = ", ".join(
        f"{label.lower()} {wording.ms(1000 * float(each))}" for label, each, _ in timed
    )
    batch = wording.count(max(float(serving.largest_batch[place]), 1.0))
    return (
        Step(
            "Time of a request",
            "its share of every step in the largest batch within memory and targets",
            f"{batch} in flight: {times}",
            wording.ms(1000 * float(seconds.total)),
        ),
        Step(
            "Worked hours",
            "hours at work ÷ hours paid for; a worked second costs the same whatever it does",
            f"{wording.count(fleet.worked_device_hours[place])} h ÷ "
            f"{wording.count(fleet.paid_device_hours[place])} h",
            wording.percent(share),
            TIME_DRIVEN,
        ),
        *(
            Step(
                label,
                "cost of a request × worked hours × share of its time",
                f"{wording.usd(usd)} × {wording.percent(share)} × "
                f"{wording.percent(float(each / seconds.total))}",
                wording.usd(float(part)),
            )
            for label, each, part in timed
        ),
        Step(
            "Holding caches",
            "cost of a request × share of the hours of copies that requests alone do not need",
            f"{wording.usd(usd)} × {wording.percent(held)}",
            wording.usd(float(parts.cache_held_usd)),
        ),
        Step(
            "Idle",
            "what is left: headroom, quiet hours, whole copies and servers",
            "",
            wording.usd(float(parts.idle_usd)),
        ),
    )


def cost_per_run(plan: Plan, place: int) -> Explanation:
    """Cost of one run in the way that the best option pays. [USD]"""
    yearly, steps = _paid_hours(plan, place, "training")
    usd = yearly / plan.runs_per_year
    return Explanation(
        title="Cost of a training run",
        result=wording.usd(usd),
        value=usd,
        steps=(
            *steps,
            Step(
                "Run",
                "cost of a year ÷ runs of a year",
                f"{wording.usd(yearly)} ÷ {wording.significant(plan.runs_per_year)}",
                wording.usd(usd),
            ),
        ),
    )


def option_cost(plan: Plan) -> Explanation:
    """Cost of the best option over the horizon. [USD]"""
    best, months = plan.best, plan.scenario.horizon_months
    total = best.usd_per_year.typical * months / MONTHS_PER_YEAR
    return Explanation(
        title=f"{best.label}: cost over {months} months",
        result=wording.usd(total),
        value=total,
        steps=(
            *(
                Step(part.capitalize(), "a year", "", wording.usd(usd))
                for part, usd in best.parts_usd_per_year.items()
            ),
            Step(
                "Horizon",
                "sum of the parts × months ÷ 12",
                f"{wording.usd(best.usd_per_year.typical)} × {months} ÷ 12",
                wording.usd(total),
            ),
        ),
    )
