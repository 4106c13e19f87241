"""Sheets that money rests on and does not flow through: assumptions, demand, devices, sources."""

from __future__ import annotations

from dataclasses import replace

from xlsxwriter import Workbook

from hwplanner.assumptions import Assumption
from hwplanner.plan import Plan
from hwplanner.report.chart_rows import device_label
from hwplanner.report.device_tables import device_table
from hwplanner.report.reference_tables import assumptions_table
from hwplanner.report.tables import Column, Table
from hwplanner.scenario import Job
from hwplanner.units import HOURS_PER_DAY, HOURS_PER_WEEK
from hwplanner.workbook.charts import week_chart
from hwplanner.workbook.page import Page
from hwplanner.workbook.styles import Kind

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONEY = (
    "server_power_ratio", "server_draw_ratio", "power_share_of_rating", "power_band",
    "availability_share", "reserved_discount", "spot_discount", "electricity_usd_per_kwh", "pue",
    "colocation_usd_per_kw_month", "depreciation_years", "residual_percent",
    "cost_of_capital_percent", "server_percent", "maintenance_percent",
    "staff_usd_per_device_year", "headroom_percent", "device_hours_between_failures",
    "checkpoint_seconds", "restart_seconds", "shared_error_share",
)  # fmt: skip
"""Assumptions that money depends on at once, or that the defaults of inputs rest on."""
NAMED = ("server_power_ratio",)
"""Assumptions that formulas use by their names."""
DEMAND_ROW = 5
ASSUMPTION_WIDTHS = (32, 14, 12, 12, 12, 22, 60, 60, 12)
DEMAND_WIDTHS = (18, 12, 8, 13, 13, 11, 11, 4, *[11] * 8)
DEVICE_COLUMNS: dict[Job, tuple[str, ...]] = {
    "serving": (
        "device", "state", "devices", "fleet_low", "fleet_high", "tpot_ms", "ttft_ms", "busy_share",
        "owned_usd", "rented_usd", "usd_per_million", "usd_per_million_low",
        "usd_per_million_high", "cheapest_share", "confidence", "reason",
    ),
    "training": (
        "device", "state", "devices", "fleet_low", "fleet_high", "run_hours", "run_hours_low",
        "run_hours_high", "owned_usd", "rented_usd", "usd_per_run", "usd_per_run_low",
        "usd_per_run_high", "cheapest_share", "confidence", "reason",
    ),
}  # fmt: skip
DEVICE_WIDTHS = (30, 13, *[12] * 12, 18, 40)
SOURCE_WIDTHS = (28, 30, 22, 70, 12, 14, 46)


def assumptions_page(page: Page, book: Workbook, plan: Plan) -> None:
    """Write all assumptions, those of money first."""
    page.title("Assumptions")
    page.merged(
        1,
        "What no data sheet gives. Low and high are the range that is believed. Blue ones drive "
        "formulas of this file.",
        "small",
    )  # fmt: skip
    page.head(3, [column.label for column in assumptions_table(plan).columns], numbers=(2, 3, 4))
    page.sheet.repeat_rows(3)
    page.sheet.freeze_panes(4, 1)
    found = plan.assumptions.by_name_and_key.values()
    parts = {
        "Money, power and failures": [item for item in found if item.name in MONEY],
        "Speed, memory and everything else": [item for item in found if item.name not in MONEY],
    }
    row = 4
    for title, items in parts.items():
        page.section(row, title)
        for place, item in enumerate(items, row + 1):
            _assumption(page, book, place, item)
        row += len(items) + 2


def _assumption(page: Page, book: Workbook, row: int, item: Assumption) -> None:
    page.text(row, 0, item.name)
    page.text(row, 1, item.key)
    kind: Kind = "input" if item.name in NAMED else "estimate"
    page.number(row, 2, item.low, "general")
    page.number(row, 3, item.typical, "general", kind)
    page.number(row, 4, item.high, "general")
    for column, text in enumerate((item.unit, item.meaning, item.source, item.date), 5):
        page.text(row, column, text, "unit" if column == 5 else "small")
    page.fit_height(row, (item.meaning, item.source), 6, "small")
    if item.name in NAMED:
        book.define_name(item.name, f"={page.ref(row, 3)}")


def demand_page(page: Page, book: Workbook, plan: Plan) -> None:
    """Write demand and devices hour by hour, with a chart."""
    place, shape = plan.serving_choice, plan.shape
    page.title("Demand over the week")
    page.text(1, 0, f"{shape.title}. {', '.join(filter(None, (shape.source, shape.licence)))}.")
    page.text(2, 0, "Busiest hour", "strong")
    page.number(2, 4, float(plan.serving.peak_requests_per_s), "cents", "input")
    page.text(2, 5, "requests a second", "unit")
    page.head(
        4, ("Hour of the week", "Day", "Hour", "Of the peak", "Requests/s", "Devices", "Fleet"),
        numbers=(0, 2, 3, 4, 5, 6),
    )  # fmt: skip
    page.sheet.freeze_panes(DEMAND_ROW, 0)
    page.sheet.repeat_rows(DEMAND_ROW - 1)
    peak = page.ref(2, 4, here=True)
    for hour, load in enumerate(shape.relative_load):
        row = DEMAND_ROW + hour
        page.number(row, 0, hour, "hour")
        page.text(row, 1, DAYS[hour // HOURS_PER_DAY], "part")
        page.number(row, 2, hour % HOURS_PER_DAY, "hour")
        page.number(row, 3, float(load), "share")
        requests = float(load * plan.serving.peak_requests_per_s)
        page.formula(row, 4, f"{page.ref(row, 3, here=True)}*{peak}", requests, "cents")
        if place is not None:
            page.number(row, 5, float(plan.devices_by_hour[place, hour]), "count")
            page.number(row, 6, float(plan.fleet("serving").devices[place]), "count")
    if place is not None:
        name = device_label(plan, place)
        page.text(3, 0, f"Devices: {name}, first month, spare and headroom included.", "unit")
        hours, needed, fleet = (
            (page.name, DEMAND_ROW, column, DEMAND_ROW + HOURS_PER_WEEK - 1, column)
            for column in (0, 5, 6)
        )
        title = f"{name} for serving, hour by hour"
        chart = week_chart(book, title, hours, needed, fleet)
        page.sheet.insert_chart(DEMAND_ROW, 8, chart)


def devices_page(page: Page, plan: Plan) -> None:
    """Write what every compared device does and costs in both jobs."""
    page.title("Compared devices")
    row = 2
    for job, names in DEVICE_COLUMNS.items():
        table = device_table(plan, job)
        by_name = {column.name: column for column in table.columns}
        row = page.table(row, replace(table, columns=tuple(by_name[name] for name in names))) + 1
    page.sheet.freeze_panes(2, 1)


def sources_page(page: Page, plan: Plan) -> None:
    """Write where figures, prices and the shape of the demand were read."""
    page.title("Sources")
    columns = tuple(
        Column(name.lower(), name)
        for name in ("Subject", "Figure", "Value", "Source", "Date", "Kind", "Note")
    )
    names = {device.id: device.name for device in plan.devices}
    rows = [
        {
            "subject": names[source.device_id],
            "figure": source.column,
            "value": source.value,
            "source": " ".join(filter(None, (source.title, source.address))) or source.kind,
            "date": source.date,
            "kind": source.kind,
            "note": source.note,
        }
        for source in plan.catalog.sources
        if source.device_id in names
    ]
    prices = [
        {
            "subject": names[device_id],
            "figure": " ".join(filter(None, ("price", point.kind, point.term, point.provider))),
            "value": point.usd,
            "source": point.source,
            "date": point.date,
            "kind": "price" if point.use else "price, not used",
            "note": point.note,
        }
        for device_id in names
        for point in plan.catalog.prices_for(device_id)
    ]
    table = Table("sources", "Compared devices: figures and prices", columns, (*rows, *prices))
    end = page.table(2, table)
    page.sheet.autofilter(3, 0, end - 1, len(columns) - 1)
    page.sheet.freeze_panes(4, 1)
    page.sheet.repeat_rows(3)
