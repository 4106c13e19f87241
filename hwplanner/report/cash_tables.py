"""Cash of the four options by month and by year, and what each is worth in today's money."""

from __future__ import annotations

import math
from collections.abc import Mapping

from hwplanner import wording
from hwplanner.finance.cash import Worth, by_year_usd, cash_parts_usd, worth
from hwplanner.money.ledger import Ledger
from hwplanner.money.option import Option
from hwplanner.plan import Plan
from hwplanner.report.statements import Cell, Heading, Record
from hwplanner.report.tables import CashRow, Column, Table
from hwplanner.units import MONTHS_PER_YEAR


def cash_rows(plan: Plan) -> tuple[CashRow, ...]:
    """Cash of every option month by month. [USD]"""
    return tuple(
        _cash_row(plan, option, option.ledger)
        for option in plan.options
        if option.ledger is not None
    )


def _cash_row(plan: Plan, option: Option, ledger: Ledger) -> CashRow:
    parts = cash_parts_usd(ledger)
    purchases = parts["purchases"] + parts["sales"]
    return CashRow(
        label=option.label,
        state="chosen" if option is plan.best else "fine" if option.meets_both else "misses",
        purchases_usd=tuple(purchases),
        regular_usd=tuple(ledger.cash_usd - purchases),
        parts_usd={name: tuple(usd) for name, usd in parts.items()},
    )


# By year


def year_headings(plan: Plan) -> tuple[Heading, ...]:
    """Columns of the years; a last one that is shorter says its months."""
    years, rest = divmod(plan.scenario.horizon_months, MONTHS_PER_YEAR)
    names = [f"Year {year + 1}" for year in range(years)]
    if rest:
        names.append(f"{rest} more months")
    return (
        Heading("Cash by year"),
        *(Heading(name, is_number=True) for name in names),
        Heading("Total", is_number=True),
    )


def year_records(plan: Plan) -> tuple[Record, ...]:
    """Cash of every option by year, best first."""
    return tuple(
        Record((Cell(option.label),), reason=option.reason)
        if option.ledger is None
        else Record(_year_cells(option.label, option.ledger), chosen=option is plan.best)
        for option in plan.options
    )


def _year_cells(label: str, ledger: Ledger) -> tuple[Cell, ...]:
    return (
        Cell(label),
        *(Cell(wording.usd(float(usd))) for usd in by_year_usd(ledger.cash_usd)),
        Cell(wording.usd(ledger.total_cash_usd), strong=True),
    )


# In today's money


WORTH_COLUMNS = (
    Column("option", "Option"),
    Column("cost_usd", "Cost", "USD"),
    Column("cash_usd", "Cash paid", "USD"),
    Column("left_usd", "Value left", "USD"),
    Column("present_usd", "Net present cost", "USD"),
    Column("more_usd", "Above the lowest", "USD"),
    Column("worth_usd", "Worth against renting", "USD"),
    Column("payback_months", "Paid back after", "months"),
    Column("rate_percent", "Rate of return", "% a year"),
)
WORTH_HEADINGS = tuple(
    Heading(column.label, is_number=column.name != "option") for column in WORTH_COLUMNS
)


def worths(plan: Plan) -> Mapping[str, Worth]:
    """Every option that exists, by its label, in today's money and against renting."""
    renting = next((option.ledger for option in plan.options if option.key == "rent_all"), None)
    return {
        option.label: worth(option.ledger, renting)
        for option in plan.options
        if option.ledger is not None
    }


def worth_table(plan: Plan) -> Table:
    """Net present value of every option."""
    found = worths(plan)
    lowest = _lowest(found)
    return Table(
        key="worth",
        title=f"Net present value over {plan.scenario.horizon_months} months",
        columns=WORTH_COLUMNS,
        rows=tuple(
            {
                "option": label,
                "cost_usd": one.cost_usd,
                "cash_usd": one.cash_usd,
                "left_usd": one.left_usd,
                "present_usd": one.net_present_cost_usd,
                "more_usd": one.net_present_cost_usd - lowest,
                "worth_usd": one.net_present_value_usd,
                "payback_months": one.payback_months,
                "rate_percent": one.rate_per_year * 100,
            }
            for label, one in found.items()
        ),
    )


def worth_records(plan: Plan) -> tuple[Record, ...]:
    """The same as cells, and why an option does not exist."""
    found = worths(plan)
    lowest = _lowest(found)
    return tuple(
        Record(
            _worth_cells(option, found[option.label], lowest, is_best=option is plan.best),
            chosen=option is plan.best,
        )
        if option.label in found
        else Record((Cell(option.label),), reason=option.reason)
        for option in plan.options
    )


def _worth_cells(option: Option, one: Worth, lowest: float, *, is_best: bool) -> tuple[Cell, ...]:
    more = one.net_present_cost_usd - lowest
    payback = wording.quantity(one.payback_months, "months", missing=_never(option, one))
    rate = "none" if math.isfinite(one.net_present_value_usd) else wording.NONE
    return (
        Cell(option.label),
        Cell(wording.usd(one.cost_usd)),
        Cell(wording.usd(one.cash_usd)),
        Cell(wording.usd(one.left_usd)),
        Cell(wording.usd(one.net_present_cost_usd), strong=is_best),
        Cell(f"+{wording.usd(more)}" if more else "lowest"),
        Cell(wording.usd(one.net_present_value_usd)),
        Cell(payback),
        Cell(wording.percent(one.rate_per_year, missing=rate)),
    )


def _never(option: Option, one: Worth) -> str:
    """What stands in the place of a payback that there is not."""
    is_rival = math.isfinite(one.net_present_value_usd)
    return "never" if is_rival and option.purchase_usd > 0 else wording.NONE


def _lowest(found: Mapping[str, Worth]) -> float:
    return min((one.net_present_cost_usd for one in found.values()), default=0.0)
