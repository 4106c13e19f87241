"""The workbook: which sheets there are, in which order, and what the file says of itself."""

from __future__ import annotations

import datetime
import io
from collections.abc import Mapping, Sequence

import xlsxwriter

from hwplanner.money.option import OptionKey
from hwplanner.plan import Plan
from hwplanner.workbook import inputs_page, prices_page, reference_pages, summary_page
from hwplanner.workbook.months import widths_of
from hwplanner.workbook.option_page import option_page
from hwplanner.workbook.page import LONGEST_HEADER, Page, plain_text
from hwplanner.workbook.styles import Styles

OPTION_SHEETS: Mapping[OptionKey, str] = {
    "own_and_rent": "Own+rent",
    "shared": "Shared",
    "two_owned": "Two owned",
    "rent_all": "Rent all",
}
"""Sheets of the options, in an order that stays while the ranking changes."""
NO_DATE = "1980-01-01"
"""Day of a catalogue that holds nothing with a date: the first that a ZIP file can hold."""


def workbook(plan: Plan, origin: Sequence[tuple[str, str]]) -> bytes:
    """Write a plan as an XLSX file.

    Parameters
    ----------
    plan
        The plan.
    origin
        Where it comes from, as names and texts: scenario, catalogue, link.

    Returns
    -------
    bytes
        The file. The same plan and origin give the same bytes.

    Notes
    -----
    Devices, device-hours and watts are values, as only the planner can work them out. All money is
    a formula on them, on prices and on named inputs, and carries the planner's value besides.
    """
    file = io.BytesIO()
    date = plan.catalog.date or NO_DATE
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        styles = Styles(book)

        def page(name: str, widths: Sequence[float]) -> Page:
            return Page(book, styles, name, widths, scenario=plan.scenario.name, date=date)

        summary = page("Summary", summary_page.WIDTHS)
        month_widths = widths_of(plan.scenario.horizon_months)
        option_pages = {key: page(name, month_widths) for key, name in OPTION_SHEETS.items()}
        inputs = inputs_page.inputs_page(page("Inputs", inputs_page.WIDTHS), book, plan)
        prices = prices_page.prices_page(page("Prices", prices_page.WIDTHS), plan, inputs)
        reference_pages.assumptions_page(
            page("Assumptions", reference_pages.ASSUMPTION_WIDTHS), book, plan
        )
        reference_pages.demand_page(page("Demand", reference_pages.DEMAND_WIDTHS), book, plan)
        reference_pages.devices_page(page("Devices", reference_pages.DEVICE_WIDTHS), plan)
        reference_pages.sources_page(page("Sources", reference_pages.SOURCE_WIDTHS), plan)
        options = [
            (option, option_page(option_pages[option.key], plan, option, prices))
            for option in plan.options
        ]
        summary_page.summary_page(summary, book, plan, options, origin)
        book.set_properties(
            {
                "title": f"Hardware plan: {plain_text(plan.scenario.name, LONGEST_HEADER)}",
                "subject": "Cost of four ways to train and to serve, month by month",
                "author": "Hardware planner",
                "comments": f"Estimated; prices to {date}",
                "created": datetime.datetime.fromisoformat(date),
            }
        )
        book.set_calc_mode("auto")
    return file.getvalue()
