"""What fleets cost at other speeds than estimated, by hand and by law."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from hwplanner.money.draws import DRAWS
from hwplanner.plan import Plan, make_plan
from hwplanner.scenario import Scenario
from tests.devices import device
from tests.plans import catalog, place_of, plan_of, price, questions, small_plan

ONE = np.ones((1, 1))


def usd_at(plan: Plan, job: str, factor: float, *, owned: bool, place: int = 0) -> float:
    return plan.draws.job_usd_at(
        factor * ONE, job, places=np.array([place]), is_owned=np.array([owned])
    )[0, 0]


@given(question=questions())
@settings(max_examples=20)
def test_at_the_estimate_a_draw_is_the_estimate(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    places = np.arange(len(plan.devices))
    for job in ("serving", "training"):
        for owned in (True, False):
            is_owned = np.full(len(places), owned)
            usd = plan.draws.job_usd_at(
                np.ones((len(places), 1)), job, places=places, is_owned=is_owned
            )
            typical = plan.money(job).paid(owned=owned).usd_per_year
            assert usd[:, 0] == pytest.approx(typical, nan_ok=True)


@given(question=questions())
@settings(max_examples=20)
def test_slower_devices_never_cost_less(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    places = np.arange(len(plan.devices))
    speeds = np.broadcast_to(np.array([2.0, 1.3, 1.0, 0.9, 0.6, 0.3]), (len(places), 6))
    for job in ("serving", "training"):
        for is_owned in (places >= 0, places < 0):
            usd = plan.draws.job_usd_at(speeds, job, places=places, is_owned=is_owned)
            known = usd[np.isfinite(usd).all(axis=1)]
            assert (np.diff(known, axis=1) >= -1e-6 * known[:, :1]).all()


@pytest.mark.parametrize("factor", [0.2, 0.6, 1.0, 1.7, 1000.0])
def test_an_owned_fleet_is_of_whole_copies(factor: float) -> None:
    plan = small_plan(purchase=10_000.0, users=2048)
    serving = plan.serving_cost.owned.estimates
    users, requests = float(serving.users_load[0]), float(serving.requests_load[0])
    assert requests > users > 0
    copies = math.ceil(max(users, requests / factor))
    each = plan.serving_cost.owned.usd_per_year[0] / serving.copies[0]
    assert usd_at(plan, "serving", factor, owned=True) == pytest.approx(copies * each)


def test_a_rented_run_takes_more_hours_when_it_is_slower() -> None:
    plan = small_plan(rent=3.0, training_tokens_million=2000, window_hours=8760)
    run = plan.training_cost.rented.estimates
    setup = plan.scenario.setup_hours
    hours, devices = float(run.run_hours[0]) - setup, float(run.devices[0])
    for factor in (1.0, 0.5, 0.25):
        # Setting up takes as long on a slow device.
        assert usd_at(plan, "training", factor, owned=False) == pytest.approx(
            3.0 * devices * math.ceil(setup + hours / factor) * 12
        )


def test_a_late_run_gets_as_many_more_devices() -> None:
    plan = small_plan(purchase=10_000.0, training_tokens_million=200, window_hours=48)
    run = plan.training_cost.owned.estimates
    hours = float(run.run_hours[0])
    assert run.devices[0] == 1
    assert hours < 48
    typical = usd_at(plan, "training", 1.0, owned=True)
    assert usd_at(plan, "training", hours / 48, owned=True) == pytest.approx(typical)
    assert usd_at(plan, "training", hours / 95, owned=True) == pytest.approx(2 * typical)
    assert usd_at(plan, "training", hours / 143, owned=True) == pytest.approx(3 * typical)


def twins(**changes: object) -> Plan:
    """Two devices alike in everything, or but for a price."""
    prices = {"one": 10_000.0, "other": 10_000.0} | changes
    known = catalog(
        [device(id=name, name=name.title()) for name in prices],
        *(price(name, usd, "purchase") for name, usd in prices.items()),
    )
    question = {"model": "llama-3.1-8b", "method": "lora", "training_tokens_million": 10}
    return make_plan(Scenario(devices=tuple(prices), users=512, **question), catalog=known)


def test_devices_alike_tie() -> None:
    plan = twins()
    shares = plan.cheapest_shares("serving")
    assert shares.sum() == pytest.approx(1)
    assert shares == pytest.approx([0.5, 0.5], abs=0.1)
    assert plan.rivals("serving").ties(0) == (1,)


def test_a_device_that_is_far_too_dear_wins_no_draw() -> None:
    plan = twins(other=1_000_000.0)
    assert plan.cheapest_shares("serving").tolist() == [1, 0]
    assert plan.rivals("serving").ties(0) == ()


@given(question=questions())
@settings(max_examples=20)
def test_shares_of_devices_and_options_sum_to_one(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    for job in ("serving", "training"):
        shares = plan.cheapest_shares(job)
        priced = np.isfinite(plan.fleet(job).usd_per_year) & plan.fits(job)
        assert shares.sum() == pytest.approx(1 if priced.any() else 0)
        meets = plan.meets_target(job)
        if meets.any():
            assert not shares[~meets].any()
    if plan.best.exists:
        assert sum(item.cheapest_share for item in plan.options) == pytest.approx(1)
        assert len(plan.best.usd_draws) == DRAWS


def test_the_ends_of_a_cost_are_those_of_the_speed() -> None:
    plan = plan_of()
    place = place_of(plan, "nvidia-h200-sxm")
    low, high = plan.ranges.serving.speed.at(place)
    owned = bool(plan.is_owned("serving")[place])
    band = plan.cost_band("serving").at(place)
    typical = plan.fleet("serving").usd_per_year[place]
    assert band[0] * typical == pytest.approx(
        usd_at(plan, "serving", high, owned=owned, place=place)
    )
    assert band[1] * typical == pytest.approx(
        usd_at(plan, "serving", low, owned=owned, place=place)
    )
