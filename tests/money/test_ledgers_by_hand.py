"""Ledgers of whole plans worked out anew: month by month, in loops, from prices and devices."""

import math

import pytest

from hwplanner.money.ledger import FleetLedger
from hwplanner.plan import Plan, make_plan
from hwplanner.quote import Quote
from hwplanner.scenario import Scenario

EUROS = Quote(
    device="amd-mi300x",
    kind="purchase",
    amount=20_000,
    currency="EUR",
    usd_per_unit=1.1,
    discount_percent=10,
)
TERMS = {"reserved_1y": 12, "reserved_3y": 36}


def owned(plan: Plan, fleet: FleetLedger) -> tuple[list[float], list[float], list[float], float]:
    """Cost, cash at the start and at the end of each month, and what is left. [USD]"""
    question, place = plan.scenario, fleet.place
    rate, years = question.cost_of_capital_percent / 100, question.depreciation_years
    is_machine = bool(plan.arrays.is_whole_machine[place])
    around = question.server_percent + question.network_percent + question.install_percent
    price = plan.prices.purchase_usd[place] * (1 if is_machine else 1 + around / 100)
    resale = price * question.residual_percent / 100
    recovery = 1 / years if rate == 0 else rate / (1 - (1 + rate) ** -years)
    annuity = (price - resale / (1 + rate) ** years) * recovery
    yearly = (
        price * question.maintenance_percent / 100
        + question.staff_usd_per_device_year
        + question.licence_usd_per_device_year
    )
    kw = plan.arrays.tdp_watts[place] / 1000
    kw *= 1 if is_machine else plan.terms.server_power_ratio
    yearly += kw * question.colocation_usd_per_kw_month * 12
    cost, at_start, at_end, bought = [], [], [], []
    for month, devices in enumerate(fleet.devices):
        sold = bought[month - 12 * int(years)] if month >= 12 * years else 0.0
        bought.append(devices - (fleet.devices[month - 1] if month else 0.0) + sold)
        running = devices * yearly / 12 + fleet.running_usd["energy"][month]
        cost.append(annuity / 12 * devices + running)
        at_start.append(bought[-1] * price - sold * resale)
        at_end.append(running)
    left = 0.0
    for month, devices in enumerate(bought):
        to_come = years - (len(bought) - month) / 12
        if to_come >= 0:
            payments = to_come if rate == 0 else (1 - (1 + rate) ** -to_come) / rate
            left += devices * (annuity * payments + resale / (1 + rate) ** to_come)
    return cost, at_start, at_end, left


def rented(plan: Plan, fleet: FleetLedger, is_peak: bool) -> list[float]:
    """Rent of each month. [USD]"""
    question, place = plan.scenario, fleet.place
    prices = plan.market.peak_prices if is_peak else plan.prices
    term = TERMS.get(question.market, 1) if prices.rent_is_kept[place] else 1
    change = 1 + question.rent_change_percent_per_year / 100
    return [
        hours * prices.rent_usd_per_hour[place] * change ** (month // term * term / 12)
        for month, hours in enumerate(fleet.rent_device_hours)
    ]


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"growth_percent_per_month": 4},
        {"growth_percent_per_month": -5, "rent_change_percent_per_year": 30},
        {"market": "reserved_3y", "rent_change_percent_per_year": -20, "horizon_months": 60},
        {"market": "reserved_1y", "growth_percent_per_month": 3},
        {"market": "hyperscaler", "shape": "office"},
        {"colocation_usd_per_kw_month": 184},
        {"colocation_usd_per_kw_month": 184, "colocation_has_power": False},
        {"cost_of_capital_percent": 0, "depreciation_years": 3, "horizon_months": 120},
        {"horizon_months": 120, "growth_percent_per_month": 2, "residual_percent": 50},
        {"quotes": (EUROS,), "licence_usd_per_device_year": 4500},
        {"devices": ("nvidia-dgx-spark-gb10",), "parameters_billion": 8, "method": "lora"},
        {"spare_copies": 2, "billing_block_hours": 24, "queue_hours": 10, "setup_hours": 3},
    ],
)
def test_a_ledger_follows_from_its_devices_and_prices(question: dict[str, object]) -> None:
    plan = make_plan(Scenario(**question))
    rate = plan.scenario.cost_of_capital_percent / 100
    options = [option for option in plan.options if option.ledger is not None]
    assert options
    for option in options:
        ledger, total, present = option.ledger, 0.0, 0.0
        is_mixed = len([fleet for fleet in ledger.fleets if fleet.job == "serving"]) > 1
        for fleet in ledger.fleets:
            if fleet.way == "owned":
                cost, at_start, at_end, left = owned(plan, fleet)
                assert fleet.left_usd == pytest.approx(left)
            else:
                at_end = cost = rented(plan, fleet, is_mixed and fleet.job == "serving")
                at_start, left = [0.0] * len(cost), 0.0
            assert fleet.cost_usd == pytest.approx(cost)
            assert fleet.cash_usd == pytest.approx(
                [start + end for start, end in zip(at_start, at_end, strict=True)]
            )
            total += sum(cost)
            present += sum(
                start * (1 + rate) ** (-month / 12) + end * (1 + rate) ** (-(month + 1) / 12)
                for month, (start, end) in enumerate(zip(at_start, at_end, strict=True))
            )
            present -= left * (1 + rate) ** (-ledger.months / 12)
        assert ledger.total_cost_usd == pytest.approx(total)
        assert option.usd_per_year.typical == pytest.approx(total / ledger.months * 12)
        assert ledger.net_present_cost_usd == pytest.approx(present)


@pytest.mark.parametrize("shape", ["azure_conv", "azure_code", "office", "flat"])
@pytest.mark.parametrize("growth", [0, 4])
def test_owned_and_rented_devices_carry_the_busiest_hour_of_the_last_month(
    shape: str, growth: float
) -> None:
    plan = make_plan(Scenario(shape=shape, growth_percent_per_month=growth, spare_copies=1))
    for option in plan.options:
        place, money = option.serving_device, plan.serving_cost
        if option.key == "shared":
            serve = plan.shared.serving
        elif option.owns("serving") and not option.rented_peaks:
            serve = money.owned.estimates
        else:
            serve = money.rented.estimates
        load = float(serve.load_in_copies[place]) * (1 + growth / 100) ** 35
        needed = (math.ceil(load * (1 - 1e-9)) + 1) * float(serve.layout_devices[place])
        fleets = [fleet for fleet in option.ledger.fleets if fleet.job != "training"]
        assert sum(float(fleet.devices[-1]) for fleet in fleets) >= needed


def test_billed_hours_of_runs_by_hand() -> None:
    plan = make_plan(Scenario(billing_block_hours=24, queue_hours=5, runs_per_month=3))
    run, place = plan.training_cost.rented, plan.training_choice
    held = float(run.estimates.run_hours[place]) - 5
    days = math.ceil(held / 24)
    devices = float(run.estimates.devices[place])
    assert run.paid_hours_by_month[place, 0] == devices * days * 24 * 3
