"""What moves the answer: effects of inputs, and where another option takes over."""

import numpy as np
import pytest
from hypothesis import given, settings

from hwplanner.finance.break_even import RENT_LEVELS, Curve, by_use, user_levels
from hwplanner.finance.cases import Costs
from hwplanner.finance.sensitivity import Effect
from hwplanner.finance.what_if import WhatIf, what_if
from hwplanner.plan import Plan
from tests.plans import owning_and_renting, plan_of, questions, renting, sharing, small_plan


def effect(found: WhatIf | None, name: str) -> Effect:
    assert found is not None
    (only,) = (each for each in found.effects if each.name == name)
    return only


def changes(found: WhatIf | None, name: str) -> tuple[float, float]:
    ends = effect(found, name)
    return ends.low.change, ends.high.change


def test_where_all_is_rent_the_cost_follows_the_rent() -> None:
    plan = renting()
    least, _, most = plan.assumptions.range("single_offer_price")
    assert changes(what_if(plan), "rents") == pytest.approx((least - 1, most - 1))
    assert changes(what_if(plan), "purchase_price") == (0, 0)
    assert changes(what_if(plan), "pue") == (0, 0)


def test_a_dearer_purchase_moves_capital_and_maintenance() -> None:
    plan = sharing()
    parts = {part: float(usd[0]) for part, usd in plan.shared.fleet.parts_usd_per_year.items()}
    moved = (parts["capital"] + parts["maintenance"]) / sum(parts.values())
    least, _, most = plan.assumptions.range("single_offer_price")
    assert changes(what_if(plan), "purchase_price") == pytest.approx(
        (moved * (least - 1), moved * (most - 1))
    )
    staff = parts["staff"] / sum(parts.values())
    low, _, high = plan.assumptions.range("staff_usd_per_device_year")
    assert changes(what_if(plan), "staff_usd_per_device_year") == pytest.approx(
        (staff * (low / 1875 - 1), staff * (high / 1875 - 1))
    )


def test_a_slower_device_costs_more_and_a_faster_one_less() -> None:
    plan = plan_of()
    slow, fast = effect(what_if(plan), "serving_speed").ends
    assert slow.value < 1 < fast.value
    assert fast.change <= 0 <= slow.change
    assert plan.best.serving_device is not None
    assert (slow.value, fast.value) == plan.ranges.serving.speed.at(plan.best.serving_device)


def test_the_largest_effect_stands_first_and_the_winner_is_said() -> None:
    found = what_if(plan_of())
    assert found is not None
    sizes = [each.size for each in found.effects]
    assert sizes == sorted(sizes, reverse=True)
    # Few users rent: the worked example at an eighth of its users.
    assert what_if(plan_of(users=16)).plan.best.key == "rent_all"  # type: ignore[union-attr]
    assert found.users.costs.winners[0] == "rent_all"


def test_no_plan_has_no_what_if() -> None:
    assert what_if(small_plan()) is None


@given(question=questions())
@settings(max_examples=10, deadline=None)
def test_effects_are_of_the_plans_own_cost(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    found = what_if(plan)
    if found is None:
        return
    best = plan.best
    for curve in (found.rents, found.users):
        at_plan = curve.costs.usd_per_year[best.key][curve.planned]
        assert at_plan == pytest.approx(best.usd_per_year.typical)
        assert curve.costs.winners[curve.planned] == best.key
    for each in found.effects:
        assert each.low.change > -1
        assert each.high.change > -1


@given(question=questions())
@settings(max_examples=10, deadline=None)
def test_higher_rents_make_renting_dearer_and_leave_owners_alone(
    question: dict[str, object],
) -> None:
    found = what_if(plan_of(**question))
    if found is None:
        return
    usd = found.rents.costs.usd_per_year
    if "rent_all" in usd:
        renting_all = usd["rent_all"]
        assert (np.diff(renting_all[np.isfinite(renting_all)]) > 0).all()
    for dearer in usd.values():
        known = dearer[np.isfinite(dearer)]
        assert (np.diff(known) >= -1e-9 * known[:-1]).all()
    if "shared" in usd:
        owned = usd["shared"]
        assert owned == pytest.approx(np.full_like(owned, owned[0]))


# Break-even


def test_owning_costs_as_little_as_renting_at_the_break_even_use() -> None:
    plan = small_plan(purchase=10_000.0, rent=5.0, shape="office", users=64)
    use = by_use(plan)
    assert use is not None
    hour = float(plan.serving_cost.owned.usd_per_year[0]) / (
        8760 * float(plan.serving_cost.owned.devices[0])
    )
    assert use.owned_usd_per_hour == pytest.approx(hour)
    assert use.rent_usd_per_hour == pytest.approx(5)
    assert use.break_even == pytest.approx(hour / 5)
    # Above the break-even, owning is what the plan does.
    assert (use.planned > use.break_even) == bool(plan.serving_cost.is_owned[0])


def test_use_needs_both_prices() -> None:
    assert by_use(sharing()) is None
    assert by_use(owning_and_renting()) is not None


def curve(*, other: list[float], is_smooth: bool) -> Curve:
    """A plan that costs 1 at the levels 0.5, 1 and 2, beside another option."""
    costs = Costs(
        {"shared": np.ones(3), "rent_all": np.array(other)},
        {"shared": np.full(3, True), "rent_all": np.full(3, True)},
        best="shared",
    )
    return Curve(np.array([0.5, 1.0, 2.0]), 1, costs, is_smooth=is_smooth)


def test_a_crossing_lies_on_the_line_between_two_levels() -> None:
    below, above = curve(other=[0.5, 2.0, 4.0], is_smooth=True).flips
    assert above is None
    assert below is not None
    # From 2 at 1 down to 0.5 at 0.5: it is 1 at two thirds.
    assert below.level == pytest.approx(2 / 3)
    assert below.winner == "rent_all"


def test_whole_copies_flip_at_a_level_that_was_worked_out() -> None:
    below, above = curve(other=[2.0, 2.0, 0.9], is_smooth=False).flips
    assert below is None
    assert above is not None
    assert above.level == 2


def test_levels_hold_the_plan_and_what_the_scenario_accepts() -> None:
    assert user_levels(1) == [1, 2, 4, 8]
    assert user_levels(16384) == [2048, 4096, 8192, 16384]
    assert 1.0 in RENT_LEVELS
    assert (RENT_LEVELS[0], RENT_LEVELS[-1]) == (0.25, 4.0)


def test_every_level_is_a_plan_of_its_own() -> None:
    found = what_if(plan_of())
    assert found is not None
    few: Plan = plan_of(users=32)
    # With 32 users the cheapest of any devices costs no more than the cheapest on these.
    least = min(usd[1] for usd in found.users.costs.usd_per_year.values())
    assert found.users.levels[1] == 32
    assert few.best.usd_per_year.typical <= least * (1 + 1e-9)
