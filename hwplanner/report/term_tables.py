"""The terms that costs and calendars rest on: what a plan uses, what is usual, who says so."""

from __future__ import annotations

from collections.abc import Mapping

from hwplanner import wording
from hwplanner.assumptions import Assumption
from hwplanner.catalog.prices import is_stale
from hwplanner.plan import Plan
from hwplanner.report.price_tables import OLD
from hwplanner.report.statements import Cell, Heading, Record
from hwplanner.report.tables import Column, Table
from hwplanner.scenario import Scenario, controls

# Inputs of a scenario that are terms of money or time and have a usual range.
ASKED = (
    "electricity_usd_per_kwh",
    "pue",
    "colocation_usd_per_kw_month",
    "depreciation_years",
    "residual_percent",
    "cost_of_capital_percent",
    "server_percent",
    "network_percent",
    "install_percent",
    "maintenance_percent",
    "staff_usd_per_device_year",
    "licence_usd_per_device_year",
    "rent_change_percent_per_year",
    "headroom_percent",
    "prefix_reuse_percent",
    "growth_percent_per_month",
    "burst_factor",
    "cold_start_minutes",
    "setup_hours",
    "queue_hours",
    "billing_block_hours",
)
# Terms that nobody is asked for: name and key among the assumptions, and what the sheet calls it.
GIVEN: Mapping[tuple[str, str], str] = {
    ("reserved_discount", "1y"): "Reserved 1 year, off on demand (share)",
    ("reserved_discount", "3y"): "Reserved 3 years, off on demand (share)",
    ("spot_discount", ""): "Spot, off on demand (share)",
    ("spot_interruptions_per_hour", ""): "Spot, interruptions an hour",
    ("scale_to_zero_idle_seconds", ""): "Scale to zero, idle before it (s)",
    ("lead_time_weeks", ""): "Delivery of bought devices (weeks)",
    ("availability_share", ""): "Hours in which a device works (share)",
    ("server_power_ratio", ""): "Rated power of servers over devices",
    ("server_draw_ratio", ""): "Draw of servers over devices",
    ("device_hours_between_failures", ""): "Failures of a run: one in (device-hours)",
    ("checkpoint_seconds", ""): "Stop for a checkpoint (s)",
    ("restart_seconds", ""): "Restart after a failure (s)",
}


def terms_table(plan: Plan) -> Table:
    """Every term that costs rest on: what this plan uses, what is usual, who says so and when."""
    columns = (
        Column("term", "Term"),
        Column("value", "In this plan"),
        Column("typical", "Usual"),
        Column("low", "Low"),
        Column("high", "High"),
        Column("unit", "Unit"),
        Column("set_by", "Set by"),
        Column("date", "Source of"),
        Column("mark", "Mark"),
        Column("source", "Source"),
        Column("meaning", "Meaning"),
    )
    day = plan.scenario.plan_date or plan.catalog.date
    asked = (
        _term(
            controls()[name].label,
            float(getattr(plan.scenario, name)),
            "you"
            if getattr(plan.scenario, name) != Scenario.model_fields[name].default
            else "default",
            plan.assumptions.get(name),
            day,
        )
        for name in ASKED
    )
    given = (
        _term(
            label, plan.assumptions.typical(*place), "assumption", plan.assumptions.get(*place), day
        )
        for place, label in GIVEN.items()
    )
    return Table("terms", "Terms of this plan", columns, (*asked, *given))


def _term(label: str, value: float, set_by: str, usual: Assumption, day: str) -> dict[str, object]:
    # What stands at 0 is left out of the plan, such as a hall that is not rented.
    is_usual = value == 0 or usual.low <= value <= usual.high
    is_old = is_stale(usual.date, day)
    return {
        "term": label,
        "value": value,
        "typical": usual.typical,
        "low": usual.low,
        "high": usual.high,
        "unit": usual.unit,
        "set_by": set_by,
        "date": usual.date,
        "mark": ", ".join(("outside its range",) * (not is_usual) + (OLD,) * is_old),
        "source": usual.source,
        "meaning": usual.meaning,
    }


TERM_HEADINGS = (
    Heading("Term"),
    Heading("In this plan", is_number=True),
    Heading("Usual, low to high", is_number=True),
    Heading("Who says so"),
)


def term_records(terms: Table) -> tuple[Record, ...]:
    """The same terms to be read on a page."""
    return tuple(_record(row) for row in terms.rows)


def _record(row: Mapping[str, object]) -> Record:
    value, low, usual, high = (
        wording.significant(float(str(row[name]))) for name in ("value", "low", "typical", "high")
    )
    return Record(
        (
            Cell(str(row["term"])),
            Cell(value, strong=row["set_by"] == "you", note=str(row["set_by"])),
            Cell(usual, note=low if low == high else f"{low} to {high}"),
            Cell(
                str(row["source"]),
                note=f"{row['date']} · {row['meaning']}",
                status="near" if row["mark"] else None,
                verdict=str(row["mark"]),
            ),
        )
    )
