import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.model.workload import workload
from hwplanner.money.fleets import Fleet, Market, no_fleet
from hwplanner.money.job_money import JobMoney
from hwplanner.money.serving_money import serving_devices_by_hour
from hwplanner.money.training_money import fleets_of_runs
from hwplanner.serving.estimates import estimate_serving
from hwplanner.units import HOURS_PER_YEAR
from tests.devices import arrays
from tests.plans import PLAIN, market_of, place_of, plan_of, questions
from tests.training_runs import ASSUMPTIONS, scenario

NAN = math.nan
SINGLE = {"devices_per_server": 1}


def fleet_of(way: str, market: Market, *, devices: list[float], worked: list[float]) -> Fleet:
    """Owned or rented devices that draw their rating at work; rented ones work all their hours."""
    few = arrays(*[SINGLE] * len(devices))
    estimates = estimate_serving(scenario(), workload(scenario()), few, ASSUMPTIONS)
    in_a_month = np.array(worked)[:, None] / 12
    figures = {
        "devices_by_month": np.array(devices)[:, None],
        "worked_device_hours": np.array(worked),
        "draw_hours_by_month": (1 - PLAIN.power_levels.idle) * in_a_month,
        "seconds": np.full(len(devices), 0.03),
        "meets_target": np.full(len(devices), True),
    }
    if way == "owned":
        return market.owned(estimates, **figures)
    return market.rented(estimates, taken_hours_by_month=in_a_month, **figures)


def test_an_owned_fleet_by_hand() -> None:
    # Two devices of 700 W and $40,000, half of their hours at work, on four years without interest.
    market = market_of(purchase=[40_000.0])
    fleet = fleet_of("owned", market, devices=[2.0], worked=[HOURS_PER_YEAR])
    parts = {part: usd[0] for part, usd in fleet.parts_usd_per_year.items()}
    assert parts == {
        "capital": pytest.approx(2 * 10_000),
        # Idle they draw half of their rating, at work all of it: three quarters on average.
        "energy": pytest.approx(2 * 0.7 * 0.75 * 8760 * 0.1),
        "maintenance": pytest.approx(2 * 2_000),
        "staff": pytest.approx(2 * 1_000),
        "colocation": 0,
        "licences": 0,
    }
    assert fleet.purchase_usd[0] == 80_000
    assert fleet.running_usd_per_year[0] == pytest.approx(fleet.usd_per_year[0] - 20_000)
    assert fleet.usd_per_device_hour[0] == pytest.approx(fleet.usd_per_year[0] / (2 * 8760))


def test_boards_and_servers_are_bought_whole() -> None:
    market = market_of(purchase=[40_000.0] * 3, devices=arrays({}, {}, {"devices_per_server": 4}))
    fleet = fleet_of("owned", market, devices=[8.0, 9.0, 9.0], worked=[0.0] * 3)
    assert fleet.devices.tolist() == [8, 16, 12]
    assert fleet.purchase_usd.tolist() == [320_000, 640_000, 480_000]


def test_a_complete_computer_needs_no_server_around_it() -> None:
    market = market_of(
        purchase=[4000.0, 4000.0],
        devices=arrays(SINGLE | {"memory_kind": "unified"}, SINGLE),
        terms=replace(PLAIN, server_share=0.3, network_share=0.15, install_share=0.05),
    )
    fleet = fleet_of("owned", market, devices=[1.0, 1.0], worked=[0.0, 0.0])
    assert fleet.purchase_usd.tolist() == [4000, 6000]


def test_a_reserved_rent_is_due_at_all_hours() -> None:
    market = market_of(purchase=[NAN, NAN], rent=[2.0, 2.0], kept=[True, False])
    fleet = fleet_of("rented", market, devices=[4.0, 4.0], worked=[1000.0, 1000.0])
    assert fleet.paid_device_hours.tolist() == pytest.approx([4 * 8760, 1000])
    assert fleet.usd_per_year.tolist() == pytest.approx([2 * 4 * 8760, 2000])
    assert fleet.purchase_usd.tolist() == [0, 0]
    assert (fleet.running_usd_per_year == fleet.usd_per_year).all()


def test_the_cheaper_way_is_taken_and_a_missing_price_is_never_cheap() -> None:
    # Cheap to own, cheap to rent, only a purchase price, only a rent, nothing.
    market = market_of(
        purchase=[4_000.0, 400_000.0, 400_000.0, NAN, NAN], rent=[9.0, 0.1, NAN, 9.0, NAN]
    )
    worked = [HOURS_PER_YEAR] * 5
    money = JobMoney(
        fleet_of("owned", market, devices=[1.0] * 5, worked=worked),
        fleet_of("rented", market, devices=[3.0] * 5, worked=worked),
    )
    assert money.is_owned.tolist() == [True, False, True, False, False]
    assert np.isnan(money.usd_per_year).tolist() == [False] * 4 + [True]
    assert money.usd_per_year[0] == money.owned.usd_per_year[0]
    assert money.usd_per_year[3] == money.rented.usd_per_year[3]
    assert money.paid(owned=True) is money.owned
    assert money.paid(owned=False) is money.rented


def test_a_mixed_fleet_takes_each_device_in_a_way_of_its_own() -> None:
    money = plan_of().serving_cost
    is_owned = np.arange(len(money.owned.devices)) % 2 == 0
    mixed, owned = money.mixed(is_owned), money.paid(owned=True)
    for of in (
        lambda fleet: fleet.usd_per_year,
        lambda fleet: fleet.devices,
        lambda fleet: fleet.estimates.tensor,
        lambda fleet: fleet.estimates.decode.total,
        lambda fleet: fleet.estimates.times.step_seconds(1.0)[:, 0],
    ):
        expected = np.where(is_owned, of(owned), of(money.rented))
        assert of(mixed) == pytest.approx(expected, nan_ok=True)
    assert mixed.estimates.peak_requests_per_s == owned.estimates.peak_requests_per_s


def test_runs_that_overlap_need_several_fleets() -> None:
    # A month has 730 hours: seven runs of 100 hours follow one another, eight do not.
    assert fleets_of_runs(np.array([100.0, 730.0]), 7).tolist() == [1, 7]
    assert fleets_of_runs(np.array([100.0, 730.0]), 8).tolist() == [2, 8]
    assert fleets_of_runs(np.array([100.0]), 0).tolist() == [0]


@pytest.mark.parametrize("block", [1.0, 24.0])
def test_a_run_is_billed_in_whole_blocks(block: float) -> None:
    plan = plan_of(runs_per_month=3, billing_block_hours=block, queue_hours=5.0)
    fleet = plan.training_cost.rented
    run, by_the_hour = fleet.estimates, ~plan.prices.rent_is_kept & fleet.estimates.fits
    # The wait for the devices is not billed.
    hours = np.ceil((run.run_hours - 5) / block) * block
    units = plan.prices.rent_unit_devices
    devices = np.ceil(run.devices / units) * units
    paid = devices * hours * 36
    assert fleet.paid_device_hours[by_the_hour] == pytest.approx(paid[by_the_hour])
    # The devices work the hours that the run holds them, and no more.
    worked = run.devices * (run.run_hours - 5) * 36
    assert fleet.worked_device_hours[run.fits] == pytest.approx(worked[run.fits])


def test_a_reserved_rent_keeps_training_devices_all_year() -> None:
    plan = plan_of(market="reserved_1y")
    fleet, kept = plan.training_cost.rented, plan.prices.rent_is_kept
    fits = kept & fleet.estimates.fits
    assert fits.any()
    assert (fleet.paid_device_hours[fits] == fleet.devices[fits] * 8760).all()


def test_owned_serving_devices_stand_ready_for_the_peak_and_rented_ones_follow_it() -> None:
    plan = plan_of(users=1024, shape="office", cold_start_minutes=0)
    place = place_of(plan, "nvidia-h100-sxm")
    owned, rented = plan.serving_cost.owned, plan.serving_cost.rented
    servers = np.ceil(owned.estimates.devices[place] / 8)
    assert owned.paid_device_hours[place] == 8 * servers * 8760
    load = rented.estimates.load_in_copies[place] * plan.shape.relative_load
    copies = np.maximum(np.ceil(load), 1)
    mean_devices = copies.mean() * rented.estimates.layout_devices[place]
    assert rented.paid_device_hours[place] == pytest.approx(mean_devices * 8760)
    assert rented.paid_device_hours[place] < 0.7 * owned.paid_device_hours[place]


def test_a_flat_demand_is_rented_at_all_hours() -> None:
    plan = plan_of(shape="flat")
    rented = plan.serving_cost.rented
    fits = rented.estimates.fits
    assert rented.paid_device_hours[fits] == pytest.approx(rented.devices[fits] * 8760)


def test_a_copy_is_paid_from_its_cold_start_on() -> None:
    # Office hours: from 7 to 8 each working day, the fleet rises from its night to its peak.
    cold, warm = (
        plan_of(users=1024, shape="office", cold_start_minutes=minutes).serving_cost.rented
        for minutes in (30, 0)
    )
    place = place_of(plan_of(), "nvidia-h100-sxm")
    by_hour = serving_devices_by_hour(warm.estimates, plan_of(shape="office").shape)[place]
    started_in_a_week = np.maximum(np.diff(by_hour, prepend=by_hour[-1]), 0).sum()
    assert started_in_a_week > 5
    more = cold.paid_device_hours[place] - warm.paid_device_hours[place]
    assert more == pytest.approx(started_in_a_week * 0.5 * 8760 / 168)


def test_a_job_that_is_not_planned_costs_nothing_whatever_the_prices() -> None:
    fleet = no_fleet(plan_of().training, 36)
    assert (fleet.usd_per_year == 0).all()
    assert (fleet.purchase_usd == 0).all()
    assert fleet.meets_target.all()


# Laws


@given(question=questions())
@settings(max_examples=30)
def test_each_way_of_paying_takes_the_layout_that_suits_it(question: dict[str, object]) -> None:
    plan = plan_of(**question, cold_start_minutes=0)
    per_server = np.nan_to_num(plan.arrays.devices_per_server, nan=1.0)
    for money in (plan.serving_cost, plan.training_cost):
        met = money.owned.meets_target & money.rented.meets_target
        in_servers = np.ceil(money.rented.devices / per_server) * per_server
        assert (money.owned.devices[met] <= in_servers[met]).all()
    # Whoever follows the demand never holds more than whoever waits for the peak.
    serving = plan.serving_cost
    fits = serving.owned.estimates.fits & (plan.prices.rent_unit_devices <= per_server)
    rented, owned = (fleet.paid_device_hours[fits] for fleet in (serving.rented, serving.owned))
    assert (rented <= owned * (1 + 1e-9)).all()


@given(question=questions())
@settings(max_examples=30)
def test_nobody_works_more_hours_than_are_paid_for(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    for money in (plan.serving_cost, plan.training_cost):
        for fleet in (money.owned, money.rented):
            fits = np.isfinite(fleet.devices)
            paid = fleet.paid_device_hours[fits]
            assert (fleet.worked_device_hours[fits] <= paid * (1 + 1e-9)).all()


@given(question=questions(), more=st.sampled_from([1, 2, 10, 60]))
@settings(max_examples=30)
def test_more_runs_never_cost_less(question: dict[str, object], more: int) -> None:
    few, many = sorted((question["runs_per_month"], more))
    before = plan_of(**(question | {"runs_per_month": few})).training_cost
    after = plan_of(**(question | {"runs_per_month": many})).training_cost
    for way in ("owned", "rented"):
        usd, more_usd = getattr(before, way).usd_per_year, getattr(after, way).usd_per_year
        known = np.isfinite(usd) & np.isfinite(more_usd)
        assert (more_usd[known] >= usd[known] * (1 - 1e-9)).all()
