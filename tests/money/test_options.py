"""Which devices each of the four options takes, and what it says where there are none."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.money.draws import DRAWS
from hwplanner.money.fleets import Fleet
from hwplanner.money.job_money import JobMoney
from hwplanner.money.option import Option, owns
from hwplanner.money.options import Picks, four_options
from hwplanner.money.shared_fleet import SharedFleet
from hwplanner.plan import make_plan
from hwplanner.scenario import TPOT_MS, USERS, Scenario
from hwplanner.serving.estimates import ServingEstimates
from tests.devices import device
from tests.plans import SMALL, catalog, market_of, option, plan_of, questions

NAN = math.nan
PURCHASE_USD = 40.0
KEYS = ("own_and_rent", "shared", "two_owned", "rent_all")


def fleet(
    usd: Sequence[float],
    *,
    seconds: Sequence[float] | None = None,
    meets: Sequence[bool] | None = None,
) -> Fleet:
    """One device of each kind at a cost in a year, half of it capital, half of its hours idle."""
    cost, count = np.array(usd)[:, None], len(usd)
    return Fleet(
        estimates=plan_of().training,
        devices_by_month=np.where(np.isnan(cost), np.nan, 1.0),
        worked_device_hours=np.full(count, 4380.0),
        paid_hours_by_month=np.full((count, 1), 730.0),
        power_share_by_month=np.full((count, 1), 0.5),
        purchase_usd=np.full(count, PURCHASE_USD),
        parts_usd_by_month={"capital": cost / 24, "staff": cost / 24},
        seconds=np.array(seconds or [3600.0] * count),
        meets_target=np.array(meets or [True] * count),
    )


def rented(owned: Fleet) -> Fleet:
    """The same fleet, at the same cost, paid as rent."""
    return replace(owned, parts_usd_by_month={"rent": owned.usd_per_year[:, None] / 12})


def options(
    *,
    own_serving: Fleet,
    rent_serving: Fleet | None = None,
    own_training: Fleet,
    rent_training: Fleet | None = None,
    shared: Fleet,
    limited: Sequence[float] = (0.0, 0.0, 0.0),
    times: np.ndarray | float = 1.0,
    picks: Picks | None = None,
) -> dict[str, Option]:
    """The four options by key; rents as the owned costs unless they are given.

    In each draw a cost is so many times as high as estimated.
    """
    serving = JobMoney(own_serving, rented(rent_serving or own_serving))
    training = JobMoney(own_training, rented(rent_training or own_training))
    found = four_options(
        serving=serving,
        training=training,
        shared=SharedFleet(serving_in(shared), shared),
        has_limited_training=np.array(limited),
        draws=Draws(serving, training, shared, np.broadcast_to(times, DRAWS)),
        market=market_of(purchase=[PURCHASE_USD] * len(own_serving.devices)),
        picks=picks,
    )
    return {option.key: option for option in found}


@dataclass
class Draws:
    """Costs that are so many times as high as estimated in each draw."""

    serving: JobMoney
    training: JobMoney
    shared: Fleet
    times: np.ndarray

    def both_usd(self, *, serve: int, train: int, owned: tuple[bool, bool]) -> np.ndarray:
        serving = self.serving.paid(owned=owned[0]).usd_per_year[serve]
        training = self.training.paid(owned=owned[1]).usd_per_year[train]
        return (serving + training) * self.times

    def shared_usd(self, place: int) -> np.ndarray:
        return self.shared.usd_per_year[place] * self.times


def serving_in(shared: Fleet) -> ServingEstimates:
    """Estimates of devices made up that serve in time, as many as a fleet has kinds."""
    kinds = catalog([device(id=str(kind)) for kind in range(len(shared.devices))])
    question = Scenario(devices=tuple(map(str, range(len(shared.devices)))), **SMALL)
    return make_plan(question, catalog=kinds).serving


FLAT = fleet([5.0, 5.0, 5.0])


def test_each_option_takes_the_cheapest_devices() -> None:
    found = options(
        own_serving=fleet([30, 10, 20]),
        rent_serving=fleet([50, 40, 60]),
        own_training=fleet([9, 7, 8]),
        rent_training=fleet([3, 4, 2]),
        shared=fleet([50, 60, 45]),
    )
    chosen = {key: (item.serving_device, item.training_device) for key, item in found.items()}
    assert chosen == {
        "own_and_rent": (1, 2),
        "shared": (2, 2),
        "two_owned": (1, 2),  # two different devices: 10 + 8, not 10 + 7 on one and the same
        "rent_all": (1, 2),
    }
    usd = {key: item.usd_per_year.typical for key, item in found.items()}
    assert usd == {"own_and_rent": 12, "shared": 45, "two_owned": 18, "rent_all": 42}
    assert list(found) == ["own_and_rent", "two_owned", "rent_all", "shared"]


def test_a_missing_price_is_not_chosen() -> None:
    found = options(own_serving=fleet([NAN, 9e9, NAN]), own_training=FLAT, shared=fleet([NAN] * 3))
    assert found["own_and_rent"].serving_device == 1
    assert found["shared"].reason == (
        "no compared device holds both jobs and has a known purchase price"
    )
    assert math.isnan(found["shared"].usd_per_year.typical)
    assert list(found)[-1] == "shared"


@pytest.mark.parametrize(
    ("serving", "training", "key", "reason"),
    [
        ([NAN] * 3, [1.0] * 3, "two_owned", "holds the serving job and has a known purchase price"),
        ([1.0] * 3, [NAN] * 3, "two_owned", "holds the training job and has a known purchase"),
        ([1.0] * 3, [NAN] * 3, "own_and_rent", "holds the training job and has a known rent"),
        ([NAN] * 3, [1.0] * 3, "rent_all", "holds the serving job and has a known rent"),
        ([1.0, NAN, NAN], [1.0, NAN, NAN], "two_owned", "only one compared device holds"),
    ],
)
def test_an_option_that_cannot_be_says_why(
    serving: list[float], training: list[float], key: str, reason: str
) -> None:
    found = options(own_serving=fleet(serving), own_training=fleet(training), shared=FLAT)
    assert reason in found[key].reason
    assert not found[key].exists
    assert not found[key].meets_both
    assert found[key].serving_device is None


def test_a_missed_target_loses_against_any_price() -> None:
    slow = fleet([1, 1000, 2], seconds=[0.09, 0.03, 0.06], meets=[False, True, False])
    found = options(own_serving=slow, own_training=FLAT, shared=FLAT)
    assert found["own_and_rent"].serving_device == 1
    assert found["own_and_rent"].meets_both


def test_where_all_miss_the_nearest_is_taken_and_said_to_miss() -> None:
    slow = fleet([1, 1000, 2], seconds=[0.09, 0.05, 0.06], meets=[False] * 3)
    found = options(own_serving=slow, own_training=FLAT, shared=FLAT)
    missing = found["own_and_rent"]
    assert missing.serving_device == 1
    assert missing.exists
    assert not missing.meets_serving
    assert missing.meets_training
    assert not missing.meets_both


def test_options_that_meet_both_targets_come_first() -> None:
    late = fleet([1, 1, 1], seconds=[9e9] * 3, meets=[False] * 3)
    found = options(
        own_serving=fleet([1, 1, 1]),
        rent_serving=fleet([1000, 1000, 1000]),
        own_training=late,
        rent_training=fleet([1, 1, 1]),
        shared=late,
    )
    assert list(found)[:2] == ["own_and_rent", "rent_all"]
    assert [item.meets_both for item in found.values()] == [True, True, False, False]


def test_limited_training_software_is_taken_only_for_want_of_others() -> None:
    cheap_first = fleet([1, 100, 200])
    limited = options(
        own_serving=FLAT, own_training=cheap_first, shared=FLAT, limited=[1.0, 0.0, 0.0]
    )
    assert limited["own_and_rent"].training_device == 1
    only = options(
        own_serving=FLAT,
        own_training=fleet([1, 100, 200], seconds=[3600, 9e5, 9e5], meets=[True, False, False]),
        shared=FLAT,
        limited=[1.0, 0.0, 0.0],
    )
    assert only["own_and_rent"].training_device == 0
    assert only["own_and_rent"].meets_both


def test_cash_and_hours_of_an_option_by_hand() -> None:
    found = options(
        own_serving=fleet([10, 99, 99]),
        own_training=fleet([99, 20, 99]),
        rent_training=fleet([99, 99, 6], seconds=[0, 0, 7200]),
        shared=FLAT,
    )
    two = found["two_owned"]
    assert two.parts_usd_per_year == pytest.approx({"serving, owned": 10, "training, owned": 20})
    assert two.purchase_usd == 2 * PURCHASE_USD
    assert two.ledger is not None
    # In the first month the purchases, and half a twelfth of the cost that is no capital.
    assert two.ledger.total_cash_usd == pytest.approx(2 * PURCHASE_USD + 15 / 12)
    assert two.owned_devices == 2
    assert two.idle_share == 0.5
    split = found["own_and_rent"]
    assert split.parts_usd_per_year == pytest.approx({"serving, owned": 10, "training, rented": 6})
    assert split.owned_devices == 1
    assert split.finish_hours == 2


def test_the_range_of_a_cost_holds_the_middle_8_of_10_draws() -> None:
    times = np.linspace(0.5, 2.5, DRAWS)  # a tenth lies below 0.7, a tenth above 2.3
    found = options(
        own_serving=fleet([30] * 3), own_training=fleet([40] * 3), shared=FLAT, times=times
    )
    usd = found["two_owned"].usd_per_year
    assert (usd.low, usd.typical, usd.high) == pytest.approx((49, 70, 161))
    assert found["shared"].usd_per_year.high == pytest.approx(11.5)


def test_a_range_holds_the_estimate() -> None:
    found = options(own_serving=FLAT, own_training=FLAT, shared=FLAT, times=1.5)
    usd = found["two_owned"].usd_per_year
    assert (usd.low, usd.typical, usd.high) == (10, 10, 15)


def test_options_that_cost_the_same_share_the_draws() -> None:
    found = options(
        own_serving=fleet([30] * 3), own_training=fleet([40] * 3), shared=fleet([90] * 3)
    )
    shares = {key: item.cheapest_share for key, item in found.items()}
    assert shares == pytest.approx(
        {"own_and_rent": 1 / 3, "two_owned": 1 / 3, "rent_all": 1 / 3, "shared": 0}
    )


def test_an_option_that_misses_a_target_wins_no_draw() -> None:
    late = fleet([1, 1, 1], seconds=[9e9] * 3, meets=[False] * 3)
    found = options(own_serving=FLAT, own_training=FLAT, shared=late)
    assert found["shared"].usd_per_year.typical == 1
    assert found["shared"].cheapest_share == 0
    assert sum(item.cheapest_share for item in found.values()) == pytest.approx(1)


def test_picked_devices_are_taken_whatever_they_cost() -> None:
    costs = {"own_serving": fleet([1, 2, 3]), "own_training": fleet([1, 2, 3])}
    found = options(**costs, shared=fleet([9, 7, 5]), picks=Picks(serve=2, train=1))
    for key in ("own_and_rent", "two_owned", "rent_all"):
        assert (found[key].serving_device, found[key].training_device) == (2, 1)
    # One family is one of the two that were picked: here the cheaper.
    assert found["shared"].serving_device == 2
    same = options(**costs, shared=FLAT, picks=Picks(serve=0, train=0))
    assert not same["two_owned"].exists


def test_what_each_option_owns() -> None:
    assert {key: (owns(key, "serving"), owns(key, "training")) for key in KEYS} == {
        "own_and_rent": (True, False),
        "shared": (True, True),
        "two_owned": (True, True),
        "rent_all": (False, False),
    }


# Laws of whole plans


@given(question=questions())
@settings(max_examples=40)
def test_parts_sum_to_the_option(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    assert sorted(item.key for item in plan.options) == sorted(KEYS)
    for item in plan.options:
        if not item.exists:
            continue
        usd = item.usd_per_year
        assert sum(item.parts_usd_per_year.values()) == pytest.approx(usd.typical)
        assert usd.low <= usd.typical <= usd.high
        assert 0 <= item.idle_share < 1
        assert (item.owned_devices > 0) == (item.key != "rent_all")
        assert (item.purchase_usd > 0) == (item.key != "rent_all")
        assert item.ledger is not None
        years = plan.scenario.horizon_months / 12
        assert item.ledger.total_cost_usd == pytest.approx(usd.typical * years)
        if item.key == "two_owned":
            assert item.serving_device != item.training_device


@given(question=questions())
@settings(max_examples=40)
def test_options_are_in_order(question: dict[str, object]) -> None:
    found = plan_of(**question).options
    ranks = [(not item.exists, not item.meets_both) for item in found]
    assert ranks == sorted(ranks)
    meeting = [item.usd_per_year.typical for item in found if item.meets_both]
    assert meeting == sorted(meeting)


ROUNDING = 1 + 1e-9


@given(
    question=questions(),
    looser=st.fixed_dictionaries(
        {},
        optional={
            "tpot_ms": st.sampled_from(TPOT_MS),
            "ttft_ms": st.sampled_from([500.0, 2000.0, 3000.0, 60_000.0]),
            "window_hours": st.sampled_from([12.0, 24.0, 48.0, 100.0, 720.0, 8760.0]),
        },
    ),
)
@settings(max_examples=60)
def test_a_looser_target_never_costs_more(
    question: dict[str, object], looser: dict[str, float]
) -> None:
    loosened = {name: max(value, question[name]) for name, value in looser.items()}
    before, after = plan_of(**question).best, plan_of(**(question | loosened)).best
    if before.meets_both:
        assert after.meets_both
        # Layouts are chosen by the devices held; among equals the power can differ a little.
        assert after.usd_per_year.typical <= before.usd_per_year.typical * 1.01


@given(question=questions(), others=st.sampled_from(USERS))
@settings(max_examples=40)
def test_more_users_never_cost_less(question: dict[str, object], others: int) -> None:
    few, many = sorted((question["users"], others))
    before = plan_of(**(question | {"users": few}))
    after = plan_of(**(question | {"users": many}))
    for key in KEYS:
        fewer, more = option(before, key), option(after, key)
        assert fewer.exists == more.exists
        assert fewer.meets_both == more.meets_both
        if fewer.meets_both:
            assert more.usd_per_year.typical >= fewer.usd_per_year.typical / ROUNDING


def test_the_worked_example_gets_cheaper_with_time_to_train() -> None:
    usd = [
        plan_of(window_hours=hours).best.usd_per_year.typical
        for hours in (6.0, 12.0, 24.0, 36.0, 48.0, 72.0, 144.0, 720.0)
    ]
    assert usd == sorted(usd, reverse=True)
    assert usd[-1] < usd[0]


def test_without_runs_only_serving_is_planned() -> None:
    plan = plan_of(runs_per_month=0)
    for item in plan.options:
        assert item.exists
        assert item.training_device is None
        assert item.training_devices == 0
        assert item.meets_training
        assert math.isnan(item.finish_hours)
    money, meets = plan.serving_cost, plan.serving.meets_target
    for key, fleet in (
        ("own_and_rent", money.paid(owned=True)),
        ("two_owned", money.paid(owned=True)),
        ("shared", money.owned),
    ):
        least = np.nanmin(np.where(meets, fleet.usd_per_year, NAN))
        assert option(plan, key).usd_per_year.typical == pytest.approx(least)


def test_without_runs_a_model_that_nobody_can_train_is_served_all_the_same() -> None:
    only = {"devices": ("nvidia-l4",), "model": "llama-3.1-8b", "method": "pretrain"}
    plan = plan_of(**only, max_training_devices=1, runs_per_month=0)
    assert not plan.training.fits.any()
    assert plan.best.meets_both
    assert not plan_of(**only, max_training_devices=1, runs_per_month=1).best.exists
