"""The four options as pages print them and files hold them, and their cash."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hwplanner import wording
from hwplanner.money.cost import capital_left_usd
from hwplanner.money.options import Option
from hwplanner.plan import Plan
from hwplanner.report import expected
from hwplanner.report.expected import draws_in_words
from hwplanner.report.statements import Cell, Heading, Record
from hwplanner.report.story import hardware, horizon_usd
from hwplanner.report.tables import Column, Table
from hwplanner.report.verdicts import why_not
from hwplanner.units import MONTHS_PER_YEAR

OPTION_HEADINGS = (
    Heading("Option"),
    Heading("Hardware"),
    Heading("Total", is_number=True),
    Heading("8 of 10", is_number=True),
    Heading("Cheapest in", is_number=True),
    Heading("Idle hours", is_number=True),
    Heading("Run finishes in", is_number=True),
    Heading("Targets"),
)


def option_records(plan: Plan) -> tuple[Record, ...]:
    """The four options as cells, best first."""
    return tuple(_option_record(plan, option) for option in plan.options)


def _option_record(plan: Plan, option: Option) -> Record:
    if not option.exists:
        return Record((Cell(option.label), Cell(wording.NONE)), reason=option.reason)

    def total(usd_per_year: float) -> str:
        return wording.usd(horizon_usd(plan, usd_per_year))

    usd, is_best = option.usd_per_year, option is plan.best
    return Record(
        cells=(
            Cell(option.label),
            Cell(hardware(plan, option)),
            Cell(total(usd.typical), strong=is_best),
            Cell(f"{total(usd.low)}{wording.DASH}{total(usd.high)}"),
            Cell(draws_in_words(option.cheapest_share) if option.meets_both else wording.NONE),
            Cell(wording.percent(option.idle_share)),
            Cell(wording.hours(option.finish_hours), _finish_range(plan, option)),
            Cell(
                status="good" if option.meets_both else "poor",
                verdict=option_targets(plan, option),
            ),
        ),
        chosen=is_best,
    )


def _finish_range(plan: Plan, option: Option) -> str:
    if option.training_device is None:
        return ""
    hours = expected.run_hours(plan, option.training_device, option.finish_hours)
    return wording.interval(hours.low, hours.high, wording.hours)


OPTION_COLUMNS = (
    Column("option", "Option"),
    Column("hardware", "Hardware"),
    Column("total_usd", "Total", "USD over the horizon"),
    Column("low_usd", "Low", "USD over the horizon"),
    Column("high_usd", "High", "USD over the horizon"),
    Column("cheapest_share", "Cheapest in", "share of draws"),
    Column("purchase_usd", "Purchase", "USD at the start"),
    Column("idle_share", "Idle hours", "share of paid hours"),
    Column("finish_hours", "Run finishes in", "h"),
    Column("meets_serving", "Serving target met"),
    Column("meets_training", "Training window met"),
    Column("remark", "Remark"),
)


def options_table(plan: Plan) -> Table:
    """The four options, best first."""
    return Table(
        key="options",
        title="Four ways to do it",
        columns=OPTION_COLUMNS,
        rows=tuple(_option_row(plan, option) for option in plan.options),
    )


def _option_row(plan: Plan, option: Option) -> Mapping[str, object]:
    return {
        "option": option.label,
        "hardware": hardware(plan, option),
        "total_usd": horizon_usd(plan, option.usd_per_year.typical),
        "low_usd": horizon_usd(plan, option.usd_per_year.low),
        "high_usd": horizon_usd(plan, option.usd_per_year.high),
        "cheapest_share": option.cheapest_share,
        "purchase_usd": option.purchase_usd,
        "idle_share": option.idle_share,
        "finish_hours": option.finish_hours,
        "meets_serving": option.meets_serving,
        "meets_training": option.meets_training,
        "remark": option_targets(plan, option),
    }


def option_targets(plan: Plan, option: Option) -> str:
    """Whether an option meets the targets, in words."""
    if not option.exists:
        return option.reason
    faults = []
    if not option.meets_serving and option.serving_device is not None:
        faults.append(why_not(plan, option.serving_device, "serving"))
    if not option.meets_training:
        late = option.finish_hours - plan.scenario.window_hours
        faults.append(f"run {wording.hours(late)} late")
    return ", ".join(faults) or "both met"


def cash_table(plan: Plan) -> Table:
    """From the cash that each option pays over the horizon to what it costs."""
    columns = (
        Column("option", "Option"),
        Column("purchase", "Purchases", "USD"),
        Column("running", "Rent and running cost", "USD"),
        Column("cash", "Cash paid", "USD"),
        Column("left", "Less value still owned", "USD"),
        Column("interest", "Plus interest", "USD"),
        Column("total", "Cost", "USD"),
    )
    rows = tuple(_cash_row(plan, option) for option in plan.options if option.exists)
    title = f"From cash to cost over {plan.scenario.horizon_months} months"
    return Table("cash", title, columns, rows)


def _cash_row(plan: Plan, option: Option) -> dict[str, object]:
    months, terms = plan.scenario.horizon_months, plan.terms
    life_months = terms.years * MONTHS_PER_YEAR
    residual_usd = option.purchase_usd * terms.residual_share
    renewals = max(float(np.ceil(months / life_months)) - 1, 0.0)
    purchases = option.purchase_usd + renewals * (option.purchase_usd - residual_usd)
    running = option.running_usd_per_year * months / MONTHS_PER_YEAR
    left = float(
        capital_left_usd(
            purchase_usd=option.purchase_usd,
            residual_usd=residual_usd,
            rate_per_year=terms.rate_per_year,
            years=terms.years,
            age_years=(months - renewals * life_months) / MONTHS_PER_YEAR,
        )
    )
    total = horizon_usd(plan, option.usd_per_year.typical)
    return {
        "option": option.label,
        "purchase": purchases,
        "running": running,
        "cash": purchases + running,
        "left": 0.0 - left,
        "interest": total - purchases - running + left,
        "total": total,
    }
