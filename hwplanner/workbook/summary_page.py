"""The first sheet: the question, the verdict, the four options side by side, and two charts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xlsxwriter import Workbook

from hwplanner import wording
from hwplanner.money.ledger import Ledger
from hwplanner.money.option import Option
from hwplanner.plan import Plan
from hwplanner.report.option_tables import option_targets
from hwplanner.report.story import eyebrow, flips, hardware, horizon_usd, plain, plan_finding
from hwplanner.units import HOURS_PER_MONTH, MONTHS_PER_YEAR
from hwplanner.workbook.charts import Cells, cash_chart, cost_chart
from hwplanner.workbook.months import Months
from hwplanner.workbook.option_columns import FIRST, LABEL, UNIT, OptionColumns, Written
from hwplanner.workbook.option_page import RUNNING
from hwplanner.workbook.page import Page

WIDTHS = (38, 20, *[29] * 4)
CHART_ROWS = 19
PART_LABELS = {
    "capital": "Depreciation and interest",
    **{part: label for part, (label, _) in RUNNING.items()},
    "rent": "Rent",
}
READING = (
    ("Input", "input", "Blue: may be changed on Inputs, Prices and Assumptions; money follows."),
    ("Formula", "strong", "Black: worked out in this file."),
    ("Result", "result", "Grey: devices, hours, watts and ranges of the planner; does not follow."),
)


def summary_page(
    page: Page, book: Workbook, plan: Plan, options: Written, origin: Sequence[tuple[str, str]]
) -> None:
    """Write the sheet.

    Parameters
    ----------
    page, book
        Sheet and workbook.
    plan
        The plan.
    options
        Its options, best first, with the rows of their sheets.
    origin
        Where the file comes from, as names and texts.
    """
    columns = OptionColumns(page, options, _story(page, plan))
    heads = columns.heads()
    columns.texts("Hardware, first month", lambda option: hardware(plan, option))
    columns.texts("Targets", lambda option: option_targets(plan, option))
    parts = _cost(columns, plan)
    _cash(columns, plan)
    _operation(columns)
    columns.row += 1
    _charts(
        book, columns, heads, parts, f"Cost over {plan.scenario.horizon_months} months, by part"
    )
    _about(columns, origin)
    page.sheet.fit_to_pages(1, 1)
    page.sheet.center_horizontally()


def _story(page: Page, plan: Plan) -> int:
    """Write the question and the verdict; returns the row for what follows."""
    finding = plan_finding(plan)
    page.title(plan.scenario.name)
    page.text(1, 0, eyebrow(plan), "unit")
    page.merged(2, question(plan))
    page.merged(3, plain(finding.headline), "verdict")
    lines = (finding.detail, *flips(plan))
    for row, line in enumerate(lines, 4):
        page.merged(row, line)
    return 5 + len(lines)


def question(plan: Plan) -> str:
    """Say what is asked, in one sentence."""
    scenario, runs = plan.scenario, plan.scenario.all_runs_per_month
    often = "once" if runs == 1 else f"{wording.significant(runs)} times"
    window = wording.hours(scenario.window_hours)
    training = f", and to train it {often} a month within {window} a run" if runs else ""
    return (
        f"What to buy or rent to serve {plan.workload.shape.name} to {scenario.users:,} users at "
        f"once at {wording.ms(scenario.tpot_ms)} a token{training}?"
    )


def _cost(columns: OptionColumns, plan: Plan) -> range:
    """Write cost by part with its range; returns the rows of the parts."""
    months = plan.scenario.horizon_months
    columns.section(f"Cost over {months} months, purchases spread over their lives with interest")
    first = columns.row
    for part, label in PART_LABELS.items():
        columns.linked(label, "USD", _total(f"all_{part}"), _part(part))
    parts = range(first, columns.row)
    cost = columns.totals("Cost", parts, lambda ledger: ledger.total_cost_usd)
    for label, end in (
        ("Low end of 8 of 10 cases", "low"),
        ("High end of 8 of 10 cases", "high"),
        ("Cost as the planner told it", "typical"),
    ):
        told = columns.numbers(label, "USD", _horizon(plan, end))
    columns.differences("Change since, by edits in this file", cost, told)
    columns.numbers(
        "Cheapest in", "of draws",
        lambda option: option.cheapest_share if option.meets_both else float("nan"), "share",
    )  # fmt: skip
    return parts


def _cash(columns: OptionColumns, plan: Plan) -> None:
    """Write cash by year, what is left at the end, and the present cost."""
    columns.section("Cash, purchases when they are paid")
    first = columns.row
    for year in range(1, -(-plan.scenario.horizon_months // MONTHS_PER_YEAR) + 1):
        columns.linked(f"Year {year}", "USD", _of_year(year), _cash_of_year(year))
    columns.totals("Cash", range(first, columns.row), lambda ledger: ledger.total_cash_usd)
    columns.linked(
        "Of it purchases less sales", "USD", _total("all_bought"),
        lambda ledger: float(sum((f.purchase_usd - f.sale_usd).sum() for f in ledger.fleets)),
    )  # fmt: skip
    columns.linked(
        "Not yet paid off at the end", "USD", _total("all_left"), lambda ledger: ledger.left_usd
    )
    columns.linked(
        "Net present cost", "USD of today", _total("net_present"),
        lambda ledger: ledger.net_present_cost_usd, total=True,
    )  # fmt: skip


def _operation(columns: OptionColumns) -> None:
    """Write devices, idle hours and the end of a run."""
    columns.section("Operation")
    columns.numbers("Devices for serving", "devices", lambda o: o.serving_devices, "count")
    columns.numbers("Devices for training", "devices", lambda o: o.training_devices, "count")
    columns.numbers("Owned devices", "devices", lambda o: o.owned_devices, "count")
    columns.numbers("Idle hours", "of paid hours", lambda o: o.idle_share, "share")
    columns.numbers("Idle hours", "device-hours a year", _idle_device_hours, "count")
    columns.numbers("A run finishes in", "h", lambda o: o.finish_hours, "hours")


def _total(name: str) -> Callable[[Months], str]:
    return lambda months: months.total_of(name)


def _of_year(year: int) -> Callable[[Months], str]:
    return lambda months: f"SUMIF({months.months_of('year')},{year},{months.months_of('cash')})"


def _cash_of_year(year: int) -> Callable[[Ledger], float]:
    months = slice((year - 1) * MONTHS_PER_YEAR, year * MONTHS_PER_YEAR)
    return lambda ledger: float(ledger.cash_usd[months].sum())


def _part(part: str) -> Callable[[Ledger], float]:
    """Cost of one part over the plan. [USD]"""

    def usd(ledger: Ledger) -> float:
        fleets = ledger.fleets
        if part == "capital":
            return float(sum(fleet.capital_usd.sum() for fleet in fleets))
        if part == "rent":
            return float(sum(fleet.rent_usd.sum() for fleet in fleets))
        return float(sum(np.sum(fleet.running_usd.get(part, 0.0)) for fleet in fleets))

    return usd


def _horizon(plan: Plan, end: str) -> Callable[[Option], float]:
    return lambda option: horizon_usd(plan, getattr(option.usd_per_year, end))


def _idle_device_hours(option: Option) -> float:
    """Hours of a year that are paid for and not worked, NaN without an option. [device-hours]"""
    if option.ledger is None:
        return float("nan")
    paid = sum(
        fleet.devices * HOURS_PER_MONTH if fleet.way == "owned" else fleet.rent_device_hours
        for fleet in option.ledger.fleets
    )
    return float(np.mean(paid) * MONTHS_PER_YEAR * option.idle_share)


def _charts(book: Workbook, columns: OptionColumns, heads: int, parts: range, title: str) -> None:
    """Draw cost by part and cash so far side by side."""
    page = columns.page

    def across(row: int) -> Cells:
        return page.name, row, FIRST, row, columns.last

    cost = {part: across(row) for part, row in zip(PART_LABELS, parts, strict=True)}
    page.sheet.insert_chart(columns.row, LABEL, cost_chart(book, title, across(heads), cost))
    written = [
        ((page.name, heads, FIRST + place), months)
        for place, (_, months) in enumerate(columns.options)
        if months is not None
    ]
    if written:
        page.sheet.insert_chart(columns.row, FIRST + 1, cash_chart(book, written))
    columns.row += CHART_ROWS


def _about(columns: OptionColumns, origin: Sequence[tuple[str, str]]) -> None:
    """Write where the file comes from and how to read it."""
    page = columns.page
    columns.section("About this file")
    for row, (name, said) in enumerate(origin, columns.row):
        page.text(row, LABEL, name, "part")
        page.link(row, UNIT, said)
    for row, (name, style, said) in enumerate(READING, columns.row + len(origin)):
        page.text(row, LABEL, name, style)
        page.text(row, UNIT, said)
