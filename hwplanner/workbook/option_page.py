"""The sheet of one option: every fleet month by month, then cash, present value and cost.

Devices, hours and watts are the planner's results and stand as values; all money is a formula on
them, on prices and on inputs.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hwplanner.money.cost import annualized_capital_usd_per_year, capital_recovery_factor
from hwplanner.money.ledger import FleetLedger, Ledger, left_by_month_usd, life_in_months
from hwplanner.money.option import Option
from hwplanner.money.present_value import discount_factors
from hwplanner.plan import Plan
from hwplanner.report.chart_rows import device_label
from hwplanner.report.option_tables import option_targets
from hwplanner.report.story import hardware
from hwplanner.units import HOURS_PER_MONTH, MONTHS_PER_YEAR, Array
from hwplanner.workbook.months import Months
from hwplanner.workbook.page import Page
from hwplanner.workbook.prices_page import PriceCells

JOBS = {"serving": "Serving", "training": "Training", "both": "Serving and training"}
RUNNING = {
    "energy": (
        "Energy",
        "IF(AND(colocation_usd_per_kw_month>0,colocation_has_power),0,"
        "{devices}*{watts}/1000*pue*{month_hours}*electricity_usd_per_kwh)",
    ),
    "colocation": ("Colocation", "{devices}*{rated}/1000*colocation_usd_per_kw_month"),
    "maintenance": ("Maintenance", "{devices}*{purchase_each}*maintenance_per_year/12"),
    "staff": ("Staff", "{devices}*staff_usd_per_device_year/12"),
    "licences": ("Licences", "{devices}*licence_usd_per_device_year/12"),
}
"""Parts of the running cost: what the sheet calls each, and its formula."""
HEAD_ROWS = 4
"""Title, hardware, note, heads of the columns: they stay in view and on every printed page."""


def option_page(page: Page, plan: Plan, option: Option, prices: PriceCells) -> Months | None:
    """Write the sheet of an option; nothing to refer to where the option does not exist."""
    page.title(option.label)
    if option.ledger is None:
        page.text(1, 0, f"There is no such option: {option.reason}.")
        return None
    page.text(1, 0, f"{hardware(plan, option)}. Targets: {option_targets(plan, option)}.", "strong")
    page.text(
        2, 0, "Grey: results of the planner. Black: formulas on them, Inputs and Prices.", "unit"
    )
    months = Months(page, plan.scenario.horizon_months, HEAD_ROWS - 1)
    _calendar(months, plan)
    for fleet in option.ledger.fleets:
        if not fleet.devices.any():
            continue
        months.section(f"{JOBS[fleet.job]}, {fleet.way}: {device_label(plan, fleet.place)}")
        if fleet.way == "owned":
            _owned_each(months, plan, fleet, prices)
            _owned(months, plan, fleet)
        else:
            is_peak = option.owns("serving") and fleet.job == "serving"
            _rented(months, plan, fleet, prices, is_peak=is_peak)
    _together(months, plan, option.ledger)
    months.print_by_year(HEAD_ROWS)
    return months


def _calendar(months: Months, plan: Plan) -> None:
    """Years, and what a dollar of each month is worth today."""
    numbers, terms = np.arange(1.0, months.months + 1), plan.terms
    factors = discount_factors(terms.rate_per_year, months.months)
    life = life_in_months(terms)
    months.formulas(
        "year", "Year", "", "ROUNDUP({month}/12,0)", np.ceil(numbers / MONTHS_PER_YEAR), "count",
        summed=False,
    )  # fmt: skip
    for name, label, passed, values in (
        ("at_start", "Today's worth of a dollar at the start", "({month}-1)", factors[:-1]),
        ("at_end", "Today's worth of a dollar at the end", "{month}", factors[1:]),
    ):
        formula = f"(1+cost_of_capital)^(-{passed}/12)"
        months.formulas(name, label, "factor", formula, values, "factor", summed=False)
    months.given("month_hours", "Hours of a month", "h", HOURS_PER_MONTH, "count")
    months.each(
        "life", "Life of what is bought", "months", "MAX(ROUND(depreciation_years*12,0),1)", life,
        "count",
    )  # fmt: skip
    months.formulas(
        "age", "Age at the end of what is bought now", "months", f"{months.months}-{{month}}+1",
        numbers[::-1], "count", summed=False,
    )  # fmt: skip


def _owned_each(months: Months, plan: Plan, fleet: FleetLedger, prices: PriceCells) -> None:
    """What one owned device costs."""
    terms, place = plan.terms, fleet.place
    is_whole = bool(plan.arrays.is_whole_machine[place])
    board_watts = float(plan.arrays.tdp_watts[place])
    recovery = capital_recovery_factor(rate_per_year=terms.rate_per_year, years=terms.years)
    annuity = annualized_capital_usd_per_year(
        purchase_usd=fleet.purchase_usd_each,
        residual_usd=fleet.residual_usd_each,
        rate_per_year=terms.rate_per_year,
        years=terms.years,
    )
    price = float(plan.prices.purchase_usd[place])
    months.each("price", "Price of a device", "USD", prices.purchase(place), price)
    if is_whole:
        months.given("around", "Bought around it (a complete computer)", "of its price", 0, "share")
        months.given("rated", "Rating", "W", board_watts, "count")
    else:
        months.each(
            "around", "Servers, network, installation", "of its price",
            "servers+network+installation", terms.around_share, "share",
        )  # fmt: skip
        months.given("board", "Rating of the device", "W", board_watts, "count")
        months.each(
            "rated", "Rating with its share of the server", "W", "{board}*server_power_ratio",
            board_watts * terms.server_power_ratio, "count",
        )  # fmt: skip
    months.each(
        "purchase_each", "Purchase, each", "USD", "{price}*(1+{around})", fleet.purchase_usd_each
    )
    months.each(
        "residual_each", "Sale at the end of its life, each", "USD",
        "{purchase_each}*residual_value", fleet.residual_usd_each,
    )  # fmt: skip
    months.each(
        "recovery", "Capital recovery factor", "a year",
        "IF(cost_of_capital=0,1/depreciation_years,"
        "cost_of_capital/(1-(1+cost_of_capital)^(-depreciation_years)))",
        float(recovery), "factor",
    )  # fmt: skip
    months.each(
        "capital_each", "Depreciation and interest, each", "USD a year",
        "({purchase_each}-{residual_each}/(1+cost_of_capital)^depreciation_years)*{recovery}",
        float(annuity),
    )  # fmt: skip


def _owned(months: Months, plan: Plan, fleet: FleetLedger) -> None:
    """Devices, cash and cost of an owned fleet."""
    one_life_ago = "IF({month}>{life},INDEX({bought@so_far},{month}-{life}),0)"
    months.values("devices", "Devices", "devices", fleet.devices)
    months.values("watts", "Mean draw of one, with its server", "W", fleet.drawn_watts)
    months.formulas(
        "bought", "Bought, to grow or to renew", "devices",
        f"{{devices}}-{{devices@before}}+{one_life_ago}", fleet.bought, "count", first="{devices}",
    )  # fmt: skip
    months.formulas(
        "sold", "Sold at the end of their life", "devices", one_life_ago, fleet.sold, "count",
        first="0",
    )  # fmt: skip
    months.formulas("purchases", "Purchases", "USD", "{bought}*{purchase_each}", fleet.purchase_usd)
    months.formulas("sales", "Sales", "USD", "-{sold}*{residual_each}", -fleet.sale_usd)
    for part, (label, formula) in RUNNING.items():
        months.formulas(part, label, "USD", formula, fleet.running_usd[part])
    months.formulas(
        "capital", "Depreciation and interest (no cash)", "USD", "{devices}*{capital_each}/12",
        fleet.capital_usd,
    )  # fmt: skip
    to_come = "(depreciation_years-{age}/12)"
    months.formulas(
        "left", "Not yet paid off at the end of the plan", "USD",
        f"IF({{age}}>{{life}},0,{{bought}}*({{capital_each}}*IF(cost_of_capital=0,{to_come},"
        f"(1-(1+cost_of_capital)^(-{to_come}))/cost_of_capital)"
        f"+{{residual_each}}*(1+cost_of_capital)^(-{to_come})))",
        _left_usd(plan, fleet),
    )  # fmt: skip


def _left_usd(plan: Plan, fleet: FleetLedger) -> Array:
    """Value at the end of the plan of what was bought in each month. [USD]"""
    each = fleet.purchase_usd_each
    return left_by_month_usd(fleet.bought, plan.terms, purchase_usd_each=each)


def _rented(
    months: Months, plan: Plan, fleet: FleetLedger, prices: PriceCells, *, is_peak: bool
) -> None:
    """Hours and rent of a rented fleet."""
    market, place = plan.market, fleet.place
    price = market.peak_prices if is_peak else market.prices
    usd = float(price.rent_usd_per_hour[place])
    is_kept = bool(price.rent_is_kept[place])
    term_months = market.rents.term_months if is_kept else 1
    trend = market.calendar.kept_rent(term_months)
    months.each(
        "rent_each", "Rent of a device-hour today", "USD", prices.rent(place, is_peak=is_peak), usd,
        "cents",
    )  # fmt: skip
    months.given("term", "Months for which a rent is agreed", "months", term_months, "count")
    months.formulas(
        "rent_now", "Rent of a device-hour", "USD",
        "{rent_each}*(1+rent_change_per_year)^(INT(({month}-1)/{term})*{term}/12)",
        usd * trend, "cents", summed=False,
    )  # fmt: skip
    months.values("rented", "Devices at the peak", "devices", fleet.devices)
    months.values("hours", "Device-hours paid for", "h", fleet.rent_device_hours, summed=True)
    months.formulas("rent", "Rent", "USD", "{hours}*{rent_now}", fleet.rent_usd)


def _together(months: Months, plan: Plan, ledger: Ledger) -> None:
    """Cash, present value and cost of all fleets."""
    fleets, nothing = ledger.fleets, np.zeros(ledger.months)

    def summed(values: Iterable[Array]) -> Array:
        return sum(values, nothing)

    months.section("All together")
    at_start = summed(fleet.purchase_usd - fleet.sale_usd for fleet in fleets)
    parts = {
        part: summed(fleet.running_usd[part] for fleet in fleets if fleet.running_usd)
        for part in RUNNING
    } | {"rent": summed(fleet.rent_usd for fleet in fleets)}
    months.formulas(
        "all_bought", "Purchases less sales, at the start", "USD",
        "{purchases@fleets}+{sales@fleets}", at_start,
    )  # fmt: skip
    for part, usd in parts.items():
        label = RUNNING[part][0] if part in RUNNING else "Rent"
        months.formulas(f"all_{part}", label, "USD", f"{{{part}@fleets}}", usd)
    at_end = summed(parts.values())
    months.formulas(
        "all_paid", "Rent and running cost, at the end", "USD",
        "+".join(f"{{all_{part}}}" for part in parts), at_end,
    )  # fmt: skip
    months.formulas("cash", "Cash", "USD", "{all_bought}+{all_paid}", ledger.cash_usd, total=True)
    months.formulas(
        "spent", "Cash so far", "USD", "{spent@before}+{cash}", np.cumsum(ledger.cash_usd),
        first="{cash}", summed=False,
    )  # fmt: skip
    factors = discount_factors(ledger.rate_per_year, ledger.months)
    months.formulas(
        "present", "Today's worth of the cash", "USD",
        "{all_bought}*{at_start}+{all_paid}*{at_end}",
        at_start * factors[:-1] + at_end * factors[1:],
    )  # fmt: skip
    months.formulas(
        "all_left", "Not yet paid off at the end of the plan", "USD", "{left@fleets}",
        summed(_left_usd(plan, fleet) for fleet in fleets),
    )  # fmt: skip
    months.formulas(
        "all_capital", "Depreciation and interest (no cash)", "USD", "{capital@fleets}",
        summed(fleet.capital_usd for fleet in fleets),
    )  # fmt: skip
    months.formulas(
        "cost", "Cost: rent, running, depreciation, interest", "USD", "{all_paid}+{all_capital}",
        ledger.cost_usd, total=True,
    )  # fmt: skip
    months.each(
        "net_present", "Net present cost, less what is not yet paid off", "USD",
        f"{months.total_of('present')}-{months.total_of('all_left')}*{months.last_of('at_end')}",
        ledger.net_present_cost_usd,
    )  # fmt: skip
