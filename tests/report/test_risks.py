"""What each option exposes its owner to."""

from hwplanner.report.risks import risk_facts, risk_table, risks
from hwplanner.wording import SPACE
from tests.plans import option, place_of, plan_of, small_plan


def said(key: str, **changes: object) -> str:
    plan = plan_of(**changes)
    return " ".join(risks(plan, option(plan, key)))


def test_bought_hardware_comes_late_and_what_bridges_it_costs() -> None:
    plan = plan_of()
    low, typical, high = plan.assumptions.range("lead_time_weeks")
    owned = option(plan, "own_and_rent")
    rent = plan.serving_cost.rented.usd_per_year[owned.serving_device] / 12
    words = " ".join(risks(plan, owned))
    assert f"arrives after {low:g}–{high:g} weeks, {typical:g} typically" in words
    assert f"costs ${rent / 1000:.1f}k a month" in words
    assert "arrives" not in said("rent_all")


def test_two_vendors_are_two_software_stacks() -> None:
    mixed = {"serve_on": "amd-mi300x", "train_on": "nvidia-h100-sxm"}
    assert "NVIDIA trains and AMD serves: two software stacks" in said("own_and_rent", **mixed)
    same = {"serve_on": "nvidia-h200-sxm", "train_on": "nvidia-h100-sxm"}
    assert "All hardware comes from NVIDIA" in said("own_and_rent", **same)


def test_rents_and_spot_devices_are_not_promised() -> None:
    assert "100% of the cost is rent" in said("rent_all")
    assert f"taken back about every 5{SPACE}h" in said("rent_all", market="spot")
    assert "taken back" not in said("two_owned", market="spot")


def test_a_failure_takes_a_copy_unless_one_is_spare() -> None:
    alone = small_plan(purchase=10_000.0, headroom_percent=0, burst_factor=1)
    assert alone.serving_cost.owned.estimates.copies[0] == 1
    assert "the rest carries 0%" in " ".join(risks(alone, alone.best))
    spare = small_plan(purchase=10_000.0, headroom_percent=0, burst_factor=1, spare_copies=1)
    assert "one copy of the model down" not in " ".join(risks(spare, spare.best))


def test_a_shared_fleet_keeps_runs_waiting() -> None:
    plan = plan_of(shape="office", devices=("nvidia-h200-sxm",))
    shared = option(plan, "shared")
    alone = plan.shared.fleet.estimates.run_hours[place_of(plan, "nvidia-h200-sxm")]
    waits = "Runs wait for quiet hours" in " ".join(risks(plan, shared))
    assert waits == bool(shared.finish_hours > alone * (1 + 1e-9))


def test_rows_hold_every_risk_of_every_option() -> None:
    plan = plan_of()
    table = risk_table(plan)
    assert len(table.rows) == sum(len(risks(plan, item)) for item in plan.options if item.exists)
    found = risk_facts(plan)
    assert [label for label, _ in found] == [item.label for item in plan.options]
    assert found[0][1] == " ".join(risks(plan, plan.best))
