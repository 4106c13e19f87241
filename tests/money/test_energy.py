"""Energy of fleets: boundaries by hand, one model of power everywhere, laws of load and cap."""

import numpy as np
import pytest

from tests.plans import place_of, plan_of, small_plan


def test_the_bill_is_the_energy_of_the_year() -> None:
    plan = plan_of()
    fleet, terms = plan.serving_cost.owned, plan.terms
    device_kwh = fleet.power_share * plan.arrays.rated_watts * fleet.paid_device_hours / 1000
    # A computer with unified memory is its own server.
    ratio = np.where([k == "unified" for k in plan.arrays.memory_kind], 1, terms.server_draw_ratio)
    bill = device_kwh * ratio * plan.scenario.pue * plan.scenario.electricity_usd_per_kwh
    known = np.isfinite(fleet.usd_per_year)
    assert fleet.parts_usd_per_year["energy"][known] == pytest.approx(bill[known])


@pytest.mark.parametrize("way", ["owned", "rented"])
def test_shares_lie_between_idle_and_full(way: str) -> None:
    plan = plan_of(all_devices=True)
    for money in (plan.serving_cost, plan.training_cost):
        share = getattr(money, way).power_share
        levels = plan.terms.power_levels
        known = share[np.isfinite(share)]
        assert len(known) > 20
        assert (known >= levels.idle - 1e-9).all()
        assert (known <= levels.compute + 1e-9).all()


def test_rented_devices_that_follow_the_demand_are_busier_than_owned_ones() -> None:
    plan = plan_of(users=1024)
    h100 = place_of(plan, "nvidia-h100-sxm")
    owned, rented = plan.serving_cost.owned, plan.serving_cost.rented
    assert rented.power_share[h100] > owned.power_share[h100]


def test_idle_nights_save_energy() -> None:
    flat, office = plan_of(shape="flat"), plan_of(shape="office")
    place = place_of(flat, "nvidia-h100-sxm")
    shares = [plan.serving_cost.owned.power_share[place] for plan in (office, flat)]
    assert shares[0] < shares[1]


def test_a_power_cap_slows_training_and_saves_energy() -> None:
    free, capped = plan_of(), plan_of(power_cap_watts=500)
    h100, l4 = place_of(free, "nvidia-h100-sxm"), place_of(free, "nvidia-l4")
    assert capped.training.run_seconds[h100] > free.training.run_seconds[h100]
    assert (capped.arrays.tdp_watts[h100], free.arrays.tdp_watts[h100]) == (500, 700)
    ends = (plan.serving_cost.owned.parts_usd_per_year["energy"][h100] for plan in (free, capped))
    assert next(ends) >= next(ends)
    # A card that is rated below the cap does not notice it.
    for of in (lambda plan: plan.arrays.tdp_watts, lambda plan: plan.serving_cost.usd_per_year):
        assert of(capped)[l4] == of(free)[l4]


@pytest.mark.parametrize("watts", [200, 330, 500, 900])
def test_a_cap_never_makes_anything_faster(watts: float) -> None:
    free, capped = plan_of(), plan_of(power_cap_watts=watts)
    both = free.training.fits & (free.training.layout.devices == capped.training.layout.devices)
    slower = capped.training.run_seconds >= free.training.run_seconds * (1 - 1e-9)
    assert both.any()
    assert slower[both].all()
    # Another price of electricity can make another layout the cheaper one.
    same = free.serving.fits & (free.serving.layout_devices == capped.serving.layout_devices)
    assert same.any()
    assert (capped.serving.tpot_seconds >= free.serving.tpot_seconds - 1e-12)[same].all()


def test_an_unpublished_rating_leaves_the_energy_unknown() -> None:
    plan = small_plan(purchase=1000.0)
    assert np.isfinite(plan.serving_cost.owned.parts_usd_per_year["energy"]).all()
    unknown = np.isnan(plan_of(all_devices=True).arrays.rated_watts)
    bill = plan_of(all_devices=True).serving_cost.owned.parts_usd_per_year["energy"]
    assert unknown.any()
    assert np.isnan(bill[unknown]).all()
