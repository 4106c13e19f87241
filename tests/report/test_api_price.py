"""An API beside one's own devices in words and lines."""

import re
from dataclasses import replace

import numpy as np
import pytest

from hwplanner.finance.api_price import ApiComparison, api_comparison
from hwplanner.plan import Plan
from hwplanner.report import api_price
from tests.plans import plan_of


def at_prices(usd: float, **changes: object) -> tuple[Plan, ApiComparison]:
    """Compare the worked example with an API whose output costs four times its input."""
    prices = {"api_input_usd_per_million": usd, "api_output_usd_per_million": 4 * usd}
    plan = plan_of(**(prices | changes))
    found = api_comparison(plan)
    assert found is not None
    return plan, found


def test_the_cheaper_one_is_named_with_how_much_less_it_costs() -> None:
    plan, found = at_prices(0.2)
    halves = replace(found, own_usd=found.api_usd / 4)
    assert "costs 75% less than the API" in api_price.finding(plan, halves)
    fourfold = replace(found, own_usd=found.api_usd * 4)
    assert api_price.finding(plan, fourfold).startswith("The API costs 75% less than serving on")
    even = replace(found, own_usd=found.api_usd * 1.001)
    assert "near tie" in api_price.finding(plan, even)


def test_traffic_is_said_with_what_was_looked_at() -> None:
    plan, found = at_prices(0.2)
    start = re.escape(api_price.facts(plan, found)[2][1].split(" ")[1])
    assert re.search(rf"stay cheaper from {start} requests a month", api_price.finding(plan, found))
    never, always = replace(found, api_usd=1e-9), replace(found, api_usd=1.0)
    assert "do not become cheaper for good up to" in api_price.finding(plan, never)
    assert api_price.facts(plan, never)[2][1].startswith("at no traffic for good")
    assert re.search(r"are cheaper from \S+ to \S+ requests", api_price.finding(plan, always))
    assert api_price.facts(plan, always)[2][1].startswith("at all traffic looked at")


def test_facts_hold_the_numbers_of_the_comparison() -> None:
    plan, found = at_prices(0.2)
    facts = dict(api_price.facts(plan, found))
    assert list(facts) == ["Request", "Year", "Own is cheaper", "Worked hours", "Equal at"]
    assert "API $0.00188" in facts["Request"]
    assert "API $229k for 122M requests" in facts["Year"]
    ratio = found.own_usd / found.api_usd
    asked = re.findall(r"\$([\d.]+) for", facts["Equal at"])
    assert [float(usd) for usd in asked] == pytest.approx([0.2 * ratio, 0.8 * ratio], rel=0.03)


def test_growth_adds_the_month_from_which_it_pays() -> None:
    plan, found = at_prices(0.2, users=8, growth_percent_per_month=10)
    facts = dict(api_price.facts(plan, found))
    month = found.first_cheaper_month
    assert facts["Growing 10% a month"] == f"own is cheaper from month {month} on"
    never = replace(found, api_usd_by_month=found.api_usd_by_month * 0)
    assert (
        "not cheaper for good within 36 months"
        in dict(api_price.facts(plan, never))["Growing 10% a month"]
    )


def test_a_full_fleet_that_is_still_dearer_is_told() -> None:
    plan, found = at_prices(0.2)
    dear = replace(found, own_usd=found.api_usd * 2, worked_share=0.6)
    assert (
        "even with all of them the API would be cheaper"
        in (dict(api_price.facts(plan, dear))["Worked hours"])
    )


def test_lines_are_per_million_output_tokens() -> None:
    plan, found = at_prices(0.2)
    own, other, api = api_price.traffic_rows(plan, found)
    # 7,792 x 0.20 and 400 x 0.80 a million, over 400 tokens.
    assert api.usd == pytest.approx([4.696] * len(api.usd))
    assert (own.state, own.is_api, other.is_api, api.is_api) == ("chosen", False, False, True)
    planned = int(
        np.flatnonzero(np.isclose(own.requests_per_month, found.planned_requests_per_month))[0]
    )
    assert own.usd[planned] == pytest.approx(plan.usd("serving")[found.place])
    assert own.usd_low[planned] <= own.usd[planned] <= own.usd_high[planned]
    assert own.label.endswith(("owned", "owned, peaks rented"))
    assert other.label.endswith("rented")


@pytest.mark.parametrize(
    ("prices", "title", "fields"),
    [
        ({}, "No API price yet", 2),
        ({"api_input_usd_per_million": 1.0}, "One API price is missing", 1),
        (
            {
                "api_input_usd_per_million": 1.0,
                "api_output_usd_per_million": 1.0,
                "model": "llama-3.1-405b",
                "weight_format": "bf16",
                "devices": ("nvidia-l4",),
            },
            "There is no cost to compare with",
            0,
        ),
    ],
)
def test_what_is_missing_and_what_to_do(prices: dict[str, object], title: str, fields: int) -> None:
    said, remedy = api_price.remedy(plan_of(**prices))
    assert said == title
    assert remedy.count("“API price") == fields
