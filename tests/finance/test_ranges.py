"""Ranges of inputs and prices: from the data folder, halved and doubled, stretched, bounded."""

import numpy as np
import pytest

from hwplanner.assumptions import load_assumptions
from hwplanner.finance.ranges import FROM_DATA, input_range, offer_range, uncertain_inputs
from hwplanner.money.device_prices import Prices
from hwplanner.scenario import Scenario, controls

ASSUMED = load_assumptions()


@pytest.mark.parametrize("name", FROM_DATA)
def test_ranges_hold_the_default_and_stay_within_the_control(name: str) -> None:
    low, high = input_range(Scenario(), name, ASSUMED)
    bounds = controls()[name].bounds
    assert bounds is not None
    assert bounds[0] <= low <= getattr(Scenario(), name) <= high <= bounds[1]
    assert (low, high) == pytest.approx(ASSUMED.range(name)[::2])


def test_what_is_a_teams_own_is_halved_and_doubled_in_whole_numbers() -> None:
    assert input_range(Scenario(users=5), "users", ASSUMED) == (2, 10)
    assert input_range(Scenario(users=1), "users", ASSUMED) == (1, 2)
    assert input_range(Scenario(tpot_ms=400), "tpot_ms", ASSUMED) == (200, 500)


def test_a_value_outside_of_its_range_stretches_it() -> None:
    low, _, high = ASSUMED.range("electricity_usd_per_kwh")
    dear = Scenario(electricity_usd_per_kwh=0.5)
    assert input_range(dear, "electricity_usd_per_kwh", ASSUMED) == (low, 0.5)
    free = Scenario(electricity_usd_per_kwh=0)
    assert input_range(free, "electricity_usd_per_kwh", ASSUMED) == (0, high)


def test_a_cost_that_is_not_there_has_no_range() -> None:
    assert "colocation_usd_per_kw_month" not in uncertain_inputs(Scenario())
    assert "colocation_usd_per_kw_month" in uncertain_inputs(
        Scenario(colocation_usd_per_kw_month=180)
    )


def test_one_offer_alone_is_less_certain_than_ones_own_price() -> None:
    prices = Prices(
        low_usd=np.array([100.0, 100.0, 80.0]),
        typical_usd=np.array([100.0, 100.0, 100.0]),
        high_usd=np.array([100.0, 100.0, 140.0]),
        basis=("", "", ""),
        providers=((), (), ()),
        date=("", "", ""),
        unit_devices=np.ones(3),
        is_own=np.array([False, True, False]),
        is_assumed=np.zeros(3, dtype=bool),
        is_stale=np.zeros(3, dtype=bool),
    )
    least, _, most = ASSUMED.range("single_offer_price")
    low, high = offer_range(prices, ASSUMED)
    assert low.tolist() == [100 * least, 100, 80]
    assert high.tolist() == [100 * most, 100, 140]
