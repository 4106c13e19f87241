"""All ways of paying for one job on its device, as rows of a chart, a table and a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hwplanner import wording
from hwplanner.finance.ways import WayToPay
from hwplanner.plan import Plan
from hwplanner.report.chart_rows import device_label
from hwplanner.report.story import horizon_usd
from hwplanner.report.tables import Column, State, Table, WayRow
from hwplanner.scenario import Job

LEAST_DELAYED = 0.001  # of the requests of the quietest hour; fewer are not worth a word


def finding(plan: Plan, job: Job, place: int, ways: Sequence[WayToPay]) -> str:
    """Say which way is the cheapest, and what the others cost beside it."""
    priced = [way for way in ways if not math.isnan(way.usd_per_year)]
    name = device_label(plan, place)
    if not priced:
        return f"No price of {name} is known. Add one of your own on the Prices page."
    best = priced[0]
    total = wording.usd(horizon_usd(plan, best.usd_per_year))
    words = (
        f"{name} for {job}: “{best.label}” is the cheapest at {total} over "
        f"{plan.scenario.horizon_months} months"
    )
    if best.key == "spot":
        steady = next((way for way in priced if way.key != "spot"), None)
        words += ", if interruptions can be borne"
        if steady is not None:
            usd = wording.usd(horizon_usd(plan, steady.usd_per_year))
            words += f"; without them, “{steady.label}” at {usd}"
        return f"{words}."
    if len(priced) > 1:
        more = priced[1].usd_per_year / best.usd_per_year - 1
        words += f", {wording.percent(more)} below “{priced[1].label}”" if more > 0 else ""
    return f"{words}."


def way_rows(plan: Plan, ways: Sequence[WayToPay]) -> tuple[WayRow, ...]:
    """One row a way, the cheapest first; those without a price last, with the reason."""
    priced = [way for way in ways if not math.isnan(way.usd_per_year)]
    return tuple(
        WayRow(
            label=way.label,
            state="fine" if math.isnan(way.usd_per_year) else _state(way, priced[0]),
            reason="no price known" if math.isnan(way.usd_per_year) else remark(way),
            fixed_usd=horizon_usd(plan, way.fixed_usd_per_year),
            hourly_usd=horizon_usd(plan, way.usd_per_year - way.fixed_usd_per_year),
        )
        for way in ways
    )


def _state(way: WayToPay, best: WayToPay) -> State:
    return "chosen" if way is best else "fine"


def remark(way: WayToPay) -> str:
    """What one should know of a way: its devices, and what it costs besides money."""
    count = wording.count(way.devices)
    if way.key in ("mix", "reserved_mix"):
        kept = "owned" if way.key == "mix" else "reserved"
        above = wording.count(max(way.devices - way.base_devices, 0.0))
        return f"{wording.count(way.base_devices)} {kept}, up to {above} rented"
    if way.key == "scale_to_zero" and way.delayed_share > LEAST_DELAYED:
        return f"{wording.percent(way.delayed_share)} of the quietest hour's requests wait"
    return f"{count} at the peak" if not way.base_devices else f"{count} at all hours"


def ways_table(plan: Plan, job: Job, place: int, ways: Sequence[WayToPay]) -> Table:
    """Every way with its figures."""
    columns = (
        Column("way", "Way of paying"),
        Column("usd_per_year", "Cost", "USD a year"),
        Column("total_usd", "Total", "USD over the horizon"),
        Column("fixed_usd_per_year", "Of it, due at all hours", "USD a year"),
        Column("devices", "Devices at the peak", "count"),
        Column("base_devices", "Of them, kept throughout", "count"),
        Column("usd_per_device_hour", "Paid hour", "USD per device-hour"),
        Column("idle_share", "Idle hours", "share of paid hours"),
        Column("finish_hours", "Run ends in", "h"),
        Column("delayed_share", "Requests behind a cold start, quietest hour", "share"),
        Column("meets_target", "Target met"),
        Column("price_basis", "Price from"),
    )
    rows = tuple(
        {
            "way": way.label,
            "usd_per_year": way.usd_per_year,
            "total_usd": horizon_usd(plan, way.usd_per_year),
            "fixed_usd_per_year": way.fixed_usd_per_year,
            "devices": way.devices,
            "base_devices": way.base_devices,
            "usd_per_device_hour": way.usd_per_device_hour,
            "idle_share": way.idle_share,
            "finish_hours": way.finish_hours,
            "delayed_share": way.delayed_share,
            "meets_target": way.meets_target,
            "price_basis": way.price_basis,
        }
        for way in ways
    )
    title = f"Ways to pay for {job} on {device_label(plan, place)}"
    return Table(f"ways_{job}", title, columns, rows)
