"""What each option exposes its owner to: delivery, one vendor, another software stack, rents."""

from __future__ import annotations

from collections.abc import Iterator

from hwplanner import wording
from hwplanner.money.option import Option
from hwplanner.plan import Plan
from hwplanner.report.tables import Column, Table
from hwplanner.scenario import Job
from hwplanner.units import MONTHS_PER_YEAR

MOST_IDLE = 0.5  # of the paid hours; more is worth a word


def risk_facts(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Risks of each option that exists, in a paragraph, best first."""
    return tuple(
        (option.label, " ".join(risks(plan, option))) for option in plan.options if option.exists
    )


def risk_table(plan: Plan) -> Table:
    """Risks of each option, one a row."""
    rows = tuple(
        {"option": option.label, "risk": risk}
        for option in plan.options
        if option.exists
        for risk in risks(plan, option)
    )
    columns = (Column("option", "Option"), Column("risk", "What to watch for"))
    return Table("risks", "Risks of the four options", columns, rows)


def risks(plan: Plan, option: Option) -> tuple[str, ...]:
    """Risks of one option, in sentences."""
    return tuple(
        risk
        for found in (_delivery, _vendors, _rents, _spot, _failure, _waiting, _idle)
        for risk in found(plan, option)
    )


def _delivery(plan: Plan, option: Option) -> Iterator[str]:
    if not option.owned_devices:
        return
    low, typical, high = plan.assumptions.range("lead_time_weeks")
    weeks = wording.interval(low, high, lambda value: f"{value:g}")
    yield f"Bought hardware arrives after {weeks} weeks, {typical:g} typically."
    place = option.serving_device
    rent = plan.serving_cost.rented.usd_per_year[place] if place is not None else float("nan")
    if rent == rent:
        month = wording.usd(float(rent) / MONTHS_PER_YEAR)
        yield f"Renting what serves until then costs {month} a month."


def _vendors(plan: Plan, option: Option) -> Iterator[str]:
    serve, train = option.serving_device, option.training_device
    if serve is None or train is None:
        return
    vendors = [plan.devices[place].vendor for place in (serve, train)]
    if vendors[0] == vendors[1]:
        yield f"All hardware comes from {vendors[0]}: its prices and supply decide."
    else:
        yield (
            f"{vendors[1]} trains and {vendors[0]} serves: two software stacks to keep, and each "
            "trained model is to be tested again where it serves."
        )


def _rents(plan: Plan, option: Option) -> Iterator[str]:
    ledger = option.ledger
    if ledger is None:
        return
    rent = sum(float(fleet.rent_usd.sum()) for fleet in ledger.fleets)
    if rent > 0.1 * ledger.total_cost_usd:
        share = wording.percent(rent / ledger.total_cost_usd)
        yield (
            f"{share} of the cost is rent, which may change from month to month, and devices at "
            "the peak are not promised."
        )


def _spot(plan: Plan, option: Option) -> Iterator[str]:
    rents = [job for job in ("serving", "training") if not option.owns(_job(job))]
    if plan.scenario.market == "spot" and rents:
        rate = plan.market.rents.interruptions_per_hour
        yield (
            f"Spot devices are taken back about every {wording.hours(1 / rate)}; copies then "
            "start again, and latency targets are missed meanwhile."
        )


def _job(job: str) -> Job:
    return "serving" if job == "serving" else "training"


def _failure(plan: Plan, option: Option) -> Iterator[str]:
    """How much of the busiest hour is left when the smallest part that fails is gone."""
    place = option.serving_device
    if place is None or not option.owns("serving"):
        return
    serve = plan.serving_cost.paid(owned=True).estimates
    copies = float(serve.copies[place])
    left = max(copies - 1, 0.0) / float(serve.load_in_copies[place])
    if left < 1:
        yield (
            f"With one copy of the model down, the rest carries {wording.percent(left)} of the "
            "planned peak: add spare copies under Serving details."
        )


def _waiting(plan: Plan, option: Option) -> Iterator[str]:
    place = option.training_device
    if option.key != "shared" or place is None:
        return
    alone = float(plan.shared.fleet.estimates.run_hours[place])
    if option.finish_hours > alone * (1 + 1e-9):
        yield (
            f"Runs wait for quiet hours: {wording.hours(option.finish_hours)} instead of "
            f"{wording.hours(alone)}."
        )


def _idle(plan: Plan, option: Option) -> Iterator[str]:
    if option.idle_share > MOST_IDLE and option.owned_devices:
        yield f"{wording.percent(option.idle_share)} of the paid hours stand idle."
