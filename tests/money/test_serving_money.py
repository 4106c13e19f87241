"""What serving costs month by month: growth, peaks above a base, interruptions, scaling to zero."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.finance.ways import ways_to_pay
from tests.plans import place_of, plan_of, questions, small_plan

KEPT = {"cold_start_minutes": 0, "burst_factor": 1, "headroom_percent": 0}


def test_an_owned_fleet_grows_with_the_demand_and_is_paid_for_as_it_grows() -> None:
    plan = small_plan(
        purchase=10_000.0, users=2048, growth_percent_per_month=10, horizon_months=12, **KEPT
    )
    owned = plan.serving_cost.owned
    load = float(owned.estimates.load_in_copies[0])
    each = float(owned.estimates.layout_devices[0])
    devices = np.ceil(load * 1.1 ** np.arange(12) * (1 - 1e-9)) * each
    assert owned.devices_by_month[0] == pytest.approx(devices)
    assert devices[-1] > 2 * devices[0]
    capital = owned.parts_usd_by_month["capital"][0] / devices
    assert capital == pytest.approx(np.full(12, capital[0]))
    assert owned.usd_per_year[0] == pytest.approx(
        sum(usd[0].sum() for usd in owned.parts_usd_by_month.values())
    )


def test_a_fleet_that_was_bought_stays_when_the_demand_shrinks() -> None:
    plan = small_plan(purchase=10_000.0, rent=1.0, users=2048, growth_percent_per_month=-10, **KEPT)
    owned, rented = plan.serving_cost.owned, plan.serving_cost.rented
    assert set(owned.devices_by_month[0]) == {owned.devices[0]}
    assert rented.devices_by_month[0, -1] < rented.devices[0]


def test_rents_follow_their_trend_and_reserved_ones_in_steps() -> None:
    trend = {"rent_change_percent_per_year": -20, "shape": "flat", "horizon_months": 24}
    by_month = plan_of(**trend).serving_cost.rented.parts_usd_by_month["rent"]
    by_term = plan_of(market="reserved_1y", **trend).serving_cost.rented.parts_usd_by_month["rent"]
    place = place_of(plan_of(**trend), "nvidia-h100-sxm")
    assert by_month[place, 12] == pytest.approx(0.8 * by_month[place, 0])
    assert by_month[place, 6] == pytest.approx(0.8**0.5 * by_month[place, 0])
    assert by_term[place, 11] == by_term[place, 0]
    assert by_term[place, 12] == pytest.approx(0.8 * by_term[place, 0])


def test_spare_copies_are_paid_for_in_every_hour() -> None:
    common = {"purchase": 10_000.0, "rent": 1.0, "users": 2048, "shape": "office", **KEPT}
    none, two = (small_plan(spare_copies=spare, **common) for spare in (0, 2))
    for way in ("owned", "rented"):
        before, after = (getattr(plan.serving_cost, way) for plan in (none, two))
        more = 2 * float(before.estimates.layout_devices[0])
        assert after.devices[0] == before.devices[0] + more
        assert after.paid_device_hours[0] - before.paid_device_hours[0] == pytest.approx(
            more * 8760
        )


def test_a_base_and_peaks_by_hand() -> None:
    # Office hours of ten copies, nights and weekends of one: peaks are cheaper to rent.
    plan = small_plan(purchase=20_000.0, rent=2.0, shape="office", users=2048, **KEPT)
    money, load = plan.serving_cost, plan.serving_cost.rented.estimates.load_in_copies[0]
    assert money.base is not None
    assert money.peaks is not None
    each = float(money.rented.estimates.layout_devices[0])
    devices = each * np.maximum(np.ceil(load * plan.shape.relative_load * (1 - 1e-9)), 1)
    base = float(money.base.devices[0])
    above = np.maximum(devices - base, 0).mean() * 8760
    assert money.peaks.paid_device_hours[0] == pytest.approx(above)
    assert money.peaks.usd_per_year[0] == pytest.approx(2.0 * above)
    assert money.base.paid_device_hours[0] == pytest.approx(base * 8760)
    worked = money.base.worked_device_hours[0] + money.peaks.worked_device_hours[0]
    assert worked == pytest.approx(money.rented.worked_device_hours[0])


@given(
    purchase=st.floats(1000, 500_000),
    rent=st.floats(0.05, 20),
    shape=st.sampled_from(["flat", "office", "azure_conv", "azure_code"]),
    users=st.sampled_from([1, 64, 1024, 8192]),
    growth=st.sampled_from([0, 3, -3]),
)
@settings(max_examples=40)
def test_no_other_base_is_cheaper(
    purchase: float, rent: float, shape: str, users: int, growth: float
) -> None:
    """Brute force over every base, energy aside: each owned device at its idle cost."""
    plan = small_plan(
        purchase=purchase,
        rent=rent,
        shape=shape,
        users=users,
        growth_percent_per_month=growth,
        electricity_usd_per_kwh=0,
        horizon_months=12,
        **KEPT,
    )
    money, load = plan.serving_cost, plan.serving_cost.rented.estimates.load_in_copies[0]
    grown = load * plan.market.calendar.growth[:, None] * plan.shape.relative_load
    each = float(money.rented.estimates.layout_devices[0])
    devices = each * np.maximum(np.ceil(grown * (1 - 1e-9)), 1)
    owned_usd = money.owned.usd_per_year[0] / money.owned.devices_by_month[0].mean()
    usd = [
        base * owned_usd + np.maximum(devices - base, 0).mean() * 8760 * rent
        for base in np.arange(each, devices.max() + 1, each)
    ]
    # Of months that differ a seventh of the hours is looked at.
    slack = 1.02 if growth else 1 + 1e-9
    assert money.mix.usd_per_year[0] <= min(usd) * slack


@pytest.mark.parametrize("trend", [-40, -20, 60])
@pytest.mark.parametrize("purchase", [20_000.0, 60_000.0, 150_000.0])
def test_no_other_base_is_cheaper_where_rents_change(trend: float, purchase: float) -> None:
    """A base is held for all months: what rents come to over them decides, not today's rent."""
    plan = small_plan(
        purchase=purchase,
        rent=2.0,
        shape="azure_conv",
        users=8192,
        rent_change_percent_per_year=trend,
        electricity_usd_per_kwh=0,
        horizon_months=60,
        **KEPT,
    )
    money, load = plan.serving_cost, plan.serving_cost.rented.estimates.load_in_copies[0]
    each = float(money.rented.estimates.layout_devices[0])
    devices = each * np.maximum(np.ceil(load * plan.shape.relative_load * (1 - 1e-9)), 1)
    rent = 2.0 * np.mean([(1 + trend / 100) ** (month / 12) for month in range(60)])
    owned_usd = money.owned.usd_per_year[0] / money.owned.devices[0]
    usd = [
        base * owned_usd + np.maximum(devices - base, 0).mean() * 8760 * rent
        for base in np.arange(each, devices.max() + 1, each)
    ]
    assert money.mix.usd_per_year[0] == pytest.approx(min(usd))


@given(question=questions(), growth=st.sampled_from([0, 5]))
@settings(max_examples=30)
def test_the_best_mix_never_costs_more_than_a_pure_way(
    question: dict[str, object], growth: float
) -> None:
    money = plan_of(**question, growth_percent_per_month=growth).serving_cost
    for pure in (money.owned, money.rented):
        known = np.isfinite(pure.usd_per_year)
        assert (money.usd_per_year[known] <= pure.usd_per_year[known] * (1 + 1e-9)).all()


@given(rents=st.tuples(st.floats(0.05, 20), st.floats(1, 4)))
@settings(max_examples=30)
def test_a_higher_rent_never_makes_renting_more_attractive(rents: tuple[float, float]) -> None:
    rent, times = rents
    low, high = (
        small_plan(purchase=30_000.0, rent=usd, users=1024, shape="office")
        for usd in (rent, rent * times)
    )
    before, after = low.serving_cost, high.serving_cost
    assert after.rented.usd_per_year[0] >= before.rented.usd_per_year[0] * (1 - 1e-9)
    assert after.is_owned[0] >= before.is_owned[0]
    assert after.peaks is not None
    assert before.peaks is not None
    assert after.peaks.paid_device_hours[0] <= before.peaks.paid_device_hours[0] * (1 + 1e-9)
    ranks = {plan: [option.key for option in plan.options] for plan in (low, high)}
    if ranks[low][0] != "rent_all":
        assert ranks[high][0] != "rent_all"


def test_demand_and_fleet_together_leave_the_unit_cost() -> None:
    few, many = (
        small_plan(purchase=30_000.0, rent=2.0, users=users, shape="azure_conv", **KEPT)
        for users in (2048, 16384)
    )
    # Whole copies alone make a difference, and there are many of them.
    assert few.serving_cost.owned.estimates.copies[0] > 15
    for way in ("owned", "rented", "mix"):
        small, large = (
            float(plan.request_cost_at(getattr(plan.serving_cost, way).usd_per_year).usd[0])
            for plan in (few, many)
        )
        assert large == pytest.approx(small, rel=0.05)


def test_spot_copies_are_paid_for_while_they_start_again() -> None:
    plan = small_plan(rent=1.0, users=2048, shape="flat", cold_start_minutes=60)
    ways = {way.key: way for way in ways_to_pay(plan, "serving", 0)}
    rate = plan.assumptions.typical("spot_interruptions_per_hour")
    steady, spot = ways["neocloud"], ways["spot"]
    # An hour of starting after every 1 / rate hours of work.
    hours = spot.usd_per_year / spot.usd_per_device_hour
    assert hours == pytest.approx(steady.usd_per_year / steady.usd_per_device_hour * (1 + rate))


def test_a_copy_that_falls_to_zero_is_paid_for_while_it_is_up() -> None:
    # One request in two hours keeps a copy for its idle time and a little more.
    plan = small_plan(
        rent=1.0,
        users=1,
        shape="flat",
        request_interval_seconds=7200,
        market="scale_to_zero",
        cold_start_minutes=0,
    )
    rented = plan.serving_cost.rented
    serve = rented.estimates
    answer = float(serve.ttft_seconds[0] + serve.times.output_tokens * serve.tpot_seconds[0])
    kept = plan.market.rents.idle_seconds + answer
    share = 1 - np.exp(-kept / 7200)
    assert rented.paid_device_hours[0] == pytest.approx(8760 * share)
    assert rented.paid_device_hours[0] < 0.1 * 8760
