"""Ways of paying in words and rows."""

import math
import re

import pytest

from hwplanner.finance.ways import ways_to_pay
from hwplanner.report.ways import finding, remark, way_rows, ways_table
from tests.plans import place_of, plan_of, small_plan


def test_the_cheapest_way_is_named_with_the_next() -> None:
    plan = small_plan(purchase=10_000.0, shape="flat")
    ways = ways_to_pay(plan, "serving", 0)
    assert finding(plan, "serving", 0, ways).startswith("Nobody Round for serving: “Buy")
    plan = plan_of()
    place = place_of(plan, "amd-mi300x")
    ways = ways_to_pay(plan, "serving", place)
    words = finding(plan, "serving", place, ways)
    assert re.search(
        r"“Rent on the spot market” is the cheapest at \$[\d.]+k over 36 months, if interruptions "
        r"can be borne; without them, “Buy a base, rent the peaks” at \$[\d.]+k\.$",
        words,
    )


def test_without_any_price_one_is_asked_for() -> None:
    plan = small_plan()
    ways = ways_to_pay(plan, "serving", 0)
    assert "Add one of your own on the Prices page" in finding(plan, "serving", 0, ways)
    assert all(math.isnan(row.fixed_usd + row.hourly_usd) for row in way_rows(plan, ways))
    assert {row.reason for row in way_rows(plan, ways)} == {"no price known"}


def test_rows_are_totals_over_the_horizon() -> None:
    plan = plan_of(horizon_months=24)
    place = plan.serving_choice
    ways = ways_to_pay(plan, "serving", place)
    for way, row in zip(ways, way_rows(plan, ways), strict=True):
        if not math.isnan(way.usd_per_year):
            assert row.fixed_usd + row.hourly_usd == pytest.approx(2 * way.usd_per_year)
    assert [row.state for row in way_rows(plan, ways)].count("chosen") == 1
    table = ways_table(plan, "serving", place, ways)
    assert [row["way"] for row in table.rows] == [way.label for way in ways]


def test_a_mix_says_what_is_kept_and_what_is_added() -> None:
    plan = plan_of()
    ways = {way.key: way for way in ways_to_pay(plan, "serving", plan.serving_choice)}
    mix = ways["mix"]
    more = mix.devices - mix.base_devices
    assert remark(mix) == f"{mix.base_devices:.0f} owned, up to {more:.0f} rented"
    assert remark(ways["owned"]) == f"{ways['owned'].devices:.0f} at all hours"
    assert remark(ways["neocloud"]) == f"{ways['neocloud'].devices:.0f} at the peak"
