"""The four options as pages print them and files hold them, and their cash."""

from __future__ import annotations

from collections.abc import Mapping

from hwplanner import wording
from hwplanner.money.cost import WATTS_PER_KW
from hwplanner.money.ledger import Ledger
from hwplanner.money.option import Option
from hwplanner.plan import Plan
from hwplanner.report import expected
from hwplanner.report.expected import draws_in_words
from hwplanner.report.statements import Cell, Heading, Record
from hwplanner.report.story import hardware, horizon_usd
from hwplanner.report.tables import Column, Table
from hwplanner.report.verdicts import why_not

OPTION_HEADINGS = (
    Heading("Option"),
    Heading("Hardware"),
    Heading("Total", is_number=True),
    Heading("In today's money", is_number=True),
    Heading("Cheapest in", is_number=True),
    Heading("Idle hours", is_number=True),
    Heading("Run ends in", is_number=True),
    Heading("Targets"),
)


def option_records(plan: Plan) -> tuple[Record, ...]:
    """The four options as cells, best first."""
    return tuple(_option_record(plan, option) for option in plan.options)


def _option_record(plan: Plan, option: Option) -> Record:
    if option.ledger is None:
        return Record((Cell(option.label), Cell(wording.NONE)), reason=option.reason)

    def total(usd_per_year: float) -> str:
        return wording.usd(horizon_usd(plan, usd_per_year))

    usd, is_best = option.usd_per_year, option is plan.best
    return Record(
        cells=(
            Cell(option.label),
            Cell(hardware(plan, option), _power(owned_kw(plan, option))),
            Cell(
                total(usd.typical),
                f"{total(usd.low)}{wording.DASH}{total(usd.high)}",
                strong=is_best,
            ),
            Cell(
                wording.usd(option.ledger.net_present_cost_usd),
                f"{wording.usd(usd.typical)} a year",
            ),
            Cell(draws_in_words(option.cheapest_share) if option.meets_both else wording.NONE),
            Cell(
                wording.percent(option.idle_share),
                f"{wording.count(option.idle_device_hours)} a year",
            ),
            Cell(wording.hours(option.finish_hours), _finish_range(plan, option)),
            Cell(
                status="good" if option.meets_both else "poor",
                verdict=option_targets(plan, option),
            ),
        ),
        chosen=is_best,
    )


def owned_kw(plan: Plan, option: Option) -> float:
    """Rating of all owned devices with their servers: what a hall has to supply. [kW]"""
    if option.ledger is None:
        return float("nan")
    watts = 0.0
    for fleet in option.ledger.fleets:
        if fleet.way == "owned":
            is_machine = bool(plan.arrays.is_whole_machine[fleet.place])
            around = 1.0 if is_machine else plan.terms.server_power_ratio
            each = float(plan.arrays.tdp_watts[fleet.place]) * around
            watts += float(fleet.devices.max()) * each
    return watts / WATTS_PER_KW


def _power(kw: float) -> str:
    return f"{wording.quantity(kw, 'kW')} rated" if kw > 0 else ""


def _finish_range(plan: Plan, option: Option) -> str:
    if option.training_device is None:
        return ""
    hours = expected.run_hours(plan, option.training_device, option.finish_hours)
    return wording.interval(hours.low, hours.high, wording.hours)


OPTION_COLUMNS = (
    Column("option", "Option"),
    Column("hardware", "Hardware"),
    Column("usd_per_year", "Cost", "USD a year"),
    Column("total_usd", "Total", "USD over the horizon"),
    Column("low_usd", "Low", "USD over the horizon"),
    Column("high_usd", "High", "USD over the horizon"),
    Column("net_present_cost_usd", "Net present cost", "USD"),
    Column("cheapest_share", "Cheapest in", "share of draws"),
    Column("purchase_usd", "Purchase", "USD at the start"),
    Column("idle_share", "Idle hours", "share of paid hours"),
    Column("idle_device_hours", "Idle hours", "device-hours a year"),
    Column("owned_kw", "Rated power of owned devices", "kW"),
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
        "usd_per_year": option.usd_per_year.typical,
        "total_usd": horizon_usd(plan, option.usd_per_year.typical),
        "low_usd": horizon_usd(plan, option.usd_per_year.low),
        "high_usd": horizon_usd(plan, option.usd_per_year.high),
        "net_present_cost_usd": option.ledger.net_present_cost_usd if option.ledger else None,
        "cheapest_share": option.cheapest_share,
        "purchase_usd": option.purchase_usd,
        "idle_share": option.idle_share,
        "idle_device_hours": option.idle_device_hours,
        "owned_kw": owned_kw(plan, option),
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
        Column("present", "Net present cost", "USD"),
    )
    rows = tuple(
        _cash_row(option.label, option.ledger)
        for option in plan.options
        if option.ledger is not None
    )
    title = f"From cash to cost over {plan.scenario.horizon_months} months"
    return Table("cash", title, columns, rows)


def _cash_row(label: str, ledger: Ledger) -> dict[str, object]:
    purchases = float(sum((f.purchase_usd - f.sale_usd).sum() for f in ledger.fleets))
    return {
        "option": label,
        "purchase": purchases,
        "running": ledger.total_cash_usd - purchases,
        "cash": ledger.total_cash_usd,
        "left": 0.0 - ledger.left_usd,
        "interest": ledger.total_cost_usd - ledger.total_cash_usd + ledger.left_usd,
        "total": ledger.total_cost_usd,
        "present": ledger.net_present_cost_usd,
    }
