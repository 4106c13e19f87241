"""Serving at other traffic costs what a plan of so many users says."""

from dataclasses import dataclass

import numpy as np
import pytest

from hwplanner.finance.traffic import serving_at, taken
from hwplanner.plan import Plan
from tests.plans import plan_of, small_plan

WAYS = ("owned", "rented", "mix")


def usd_per_year(plan: Plan, place: int) -> list[float]:
    return [float(getattr(plan.serving_cost, way).usd_per_year[place]) for way in WAYS]


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"market": "reserved_1y"},
        {"market": "scale_to_zero", "users": 4},
        {"market": "spot", "spare_copies": 1, "rent_change_percent_per_year": -20},
    ],
)
def test_the_traffic_of_the_plan_costs_what_it_says(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    for place in plan.order("serving")[:4]:
        at = serving_at(plan, place, np.ones(1))
        for way, usd in zip(WAYS, usd_per_year(plan, place), strict=True):
            assert getattr(at, way).usd_per_year[0] == pytest.approx(usd, nan_ok=True)


def test_twice_the_users_cost_what_a_plan_for_them_says() -> None:
    terms = {"purchase": 30_000.0, "rent": 4.0, "max_copy_devices": 1}
    small, large = (small_plan(users=users, **terms) for users in (64, 512))
    at = serving_at(small, 0, np.array([1.0, 8.0]))
    found = [getattr(at, way).usd_per_year for way in WAYS]
    assert [usd[0] for usd in found] == pytest.approx(usd_per_year(small, 0))
    assert [usd[1] for usd in found] == pytest.approx(usd_per_year(large, 0))


def test_growth_is_left_out() -> None:
    steady, growing = plan_of(), plan_of(growth_percent_per_month=5)
    place = steady.serving_choice
    usd = [serving_at(plan, place, np.ones(1)).rented.usd_per_year[0] for plan in (steady, growing)]
    assert usd[0] == pytest.approx(usd[1], rel=0.2)  # another layout may suit growing fleets
    assert growing.serving_cost.rented.usd_per_year[place] > 1.5 * usd[1]


@dataclass
class Pair:
    usd: np.ndarray
    names: tuple[str, ...]
    months: tuple[int, ...] = (1, 2, 3)


def test_entries_are_taken_and_other_parts_stay() -> None:
    found = taken(Pair(np.array([[1.0], [2.0]]), ("a", "b")), [1, 1, 0], entries=2)
    assert found.usd.tolist() == [[2], [2], [1]]
    assert found.names == ("b", "b", "a")
    assert found.months == (1, 2, 3)
