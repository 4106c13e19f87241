"""The sheet of inputs: every question of the planner with its answer.

Those that money depends on have names, and the formulas of the other sheets use them. What decides
on devices and hours needs the planner: it stands there for the record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from xlsxwriter import Workbook

from hwplanner.control import Control, Group
from hwplanner.money.price import quotes_in_use
from hwplanner.plan import Plan
from hwplanner.quote import Quote
from hwplanner.scenario import Scenario, controls
from hwplanner.workbook.page import Page
from hwplanner.workbook.styles import Kind

WIDTHS = (34, 26, 24, 11, 28, 80)
VALUE = 1
NAMES = {
    "depreciation_years": "depreciation_years",
    "residual_percent": "residual_value",
    "cost_of_capital_percent": "cost_of_capital",
    "server_percent": "servers",
    "network_percent": "network",
    "install_percent": "installation",
    "electricity_usd_per_kwh": "electricity_usd_per_kwh",
    "pue": "pue",
    "colocation_usd_per_kw_month": "colocation_usd_per_kw_month",
    "colocation_has_power": "colocation_has_power",
    "maintenance_percent": "maintenance_per_year",
    "staff_usd_per_device_year": "staff_usd_per_device_year",
    "licence_usd_per_device_year": "licence_usd_per_device_year",
    "rent_change_percent_per_year": "rent_change_per_year",
}
"""Inputs that formulas use, and their names in the workbook."""
GROUPS: dict[Group, str] = {
    "headline": "The question",
    "serving": "Serving",
    "demand": "Demand",
    "training": "Training",
    "money": "Money",
    "devices": "Devices",
}
_LABEL = re.compile(r"(.*?) \((.*)\)")


@dataclass(frozen=True, slots=True)
class InputCells:
    """Where prices of one's own stand, in US dollars, by the quote."""

    quotes: dict[Quote, str]


def inputs_page(page: Page, book: Workbook, plan: Plan) -> InputCells:
    """Write all inputs, name those that formulas use, and add the prices of one's own."""
    page.title("Inputs")
    page.merged(
        1,
        "Blue inputs drive the formulas of this file: change them and it follows. The others "
        "decide on devices, hours and watts, which the planner works out: change them there.",
        "small",
    )  # fmt: skip
    page.head(
        3, ("Input", "Value", "Unit", "Default?", "Name in formulas", "Meaning"), numbers=(VALUE,)
    )
    page.sheet.repeat_rows(3)
    page.sheet.freeze_panes(4, 1)
    row = 4
    for group, title in GROUPS.items():
        page.section(row, title)
        row += 1
        for name, control in controls().items():
            if control.group == group:
                _input(page, book, plan.scenario, row, name, control)
                row += 1
    return InputCells(_quotes(page, plan, row + 1))


def _input(
    page: Page, book: Workbook, scenario: Scenario, row: int, name: str, control: Control
) -> None:
    found = _LABEL.fullmatch(control.label)
    label, unit = found.groups() if found else (control.label, "")
    value = getattr(scenario, name)
    page.text(row, 0, label)
    page.text(row, 2, unit.removeprefix("% ").removeprefix("%"), "unit")
    is_default = value == Scenario.model_fields[name].default
    page.text(row, 3, "default" if is_default else "changed")
    page.text(row, 5, control.help, "small")
    page.fit_height(row, (control.help,), 5, "small")
    kind: Kind = "input" if name in NAMES else "estimate"
    if isinstance(value, bool):
        page.flag(row, VALUE, value, kind)
    elif isinstance(value, (int, float)):
        scale = 100 if unit.startswith("%") else 1
        form = "share" if scale == 100 else "general"
        page.number(row, VALUE, value / scale, form, kind)
        if name in NAMES and control.bounds is not None:
            low, high = (bound / scale for bound in control.bounds)
            page.sheet.data_validation(
                row, VALUE, row, VALUE,
                {"validate": "decimal", "criteria": "between", "minimum": low, "maximum": high,
                 "error_message": f"{low:g} to {high:g}"},
            )  # fmt: skip
    else:
        page.text(row, VALUE, _words(scenario, name, control), "estimate")
    if name in NAMES:
        book.define_name(NAMES[name], f"={page.ref(row, VALUE)}")
        page.text(row, 4, NAMES[name], "unit")


def _words(scenario: Scenario, name: str, control: Control) -> str:
    """Say an input that is no number."""
    value = getattr(scenario, name)
    match name:
        case "own_week":
            return "168 hours, see Demand" if value else "none"
        case "quotes":
            return f"{len(value)}, see below" if value else "none"
        case "devices":
            return ", ".join(value) or "the shortlist"
        case "model":
            return value or "by size"
        case "serve_on" | "train_on":
            return value or "the cheapest"
        case "plan_date":
            return value or "that of the catalogue"
    return str((control.names or {}).get(value, value))


def _quotes(page: Page, plan: Plan, row: int) -> dict[Quote, str]:
    """Write the prices of one's own, converted by formulas."""
    quotes = plan.scenario.quotes
    page.section(row, "Your own prices")
    if not quotes:
        page.text(row + 1, 0, "None: see Prices for the published ones.")
        return {}
    page.head(
        row + 1, ("Device and kind", "Amount", "Currency", "USD each", "Discount", "In USD"),
        numbers=(1, 3, 4, 5),
    )  # fmt: skip
    used, cells = set(quotes_in_use(quotes).values()), {}
    for place, quote in enumerate(quotes, row + 2):
        in_use = "" if quote in used else ", not in use"
        days = ", ".join(
            filter(None, (quote.note, quote.date, quote.rate_date and f"rate of {quote.rate_date}"))
        )
        page.text(place, 0, f"{quote.device}, {quote.kind.replace('_', ' ')}{in_use}")
        page.number(place, 1, quote.amount, "cents", "input")
        page.text(place, 2, f"{quote.currency}{' · ' if days else ''}{days}", "unit")
        page.number(place, 3, quote.usd_per_unit, "factor", "input")
        page.number(place, 4, quote.discount_percent / 100, "share", "input")
        amount, rate, discount = (page.ref(place, column, here=True) for column in (1, 3, 4))
        page.formula(place, 5, f"{amount}*{rate}*(1-{discount})", quote.usd, "cents")
        cells[quote] = page.ref(place, 5)
    return cells
