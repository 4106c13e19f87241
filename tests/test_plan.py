import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.errors import CatalogError, ModelFileError
from hwplanner.money.option import owns
from hwplanner.plan import Plan, compared_devices, make_plan
from hwplanner.scenario import Job, Scenario
from tests.devices import device
from tests.plans import (
    SHIPPED,
    SMALL,
    catalog,
    option,
    owning_and_renting,
    place_of,
    plan_of,
    price,
    questions,
    renting,
    sharing,
    small_plan,
)

JOBS: tuple[Job, ...] = ("serving", "training")


# Which devices are compared


def test_the_shortlist_is_compared_by_default_and_everything_at_a_click() -> None:
    assert len(compared_devices(Scenario(), SHIPPED)) == 24
    assert len(compared_devices(Scenario(all_devices=True), SHIPPED)) == 140


def test_chosen_devices_are_compared_once_each_in_their_order() -> None:
    chosen = ("nvidia-l4", "apple-m4-max", "nvidia-l4")
    found = compared_devices(Scenario(devices=chosen), SHIPPED)
    assert [device.id for device in found] == ["nvidia-l4", "apple-m4-max"]


def test_an_unknown_device_or_model_is_named() -> None:
    with pytest.raises(CatalogError, match="nonesuch"):
        make_plan(Scenario(devices=("nonesuch",)))
    with pytest.raises(ModelFileError, match="nonesuch"):
        make_plan(Scenario(model="nonesuch"))


# Sums by hand


def test_requests_of_a_year_by_hand() -> None:
    # 100 users who ask every 20 s at all hours: 5 requests a second.
    plan = plan_of(users=96, request_interval_seconds=24, shape="flat")
    assert plan.requests_per_year == pytest.approx(4 * 365 * 86400)
    # By day only: less, by the mean of the shape.
    by_day = plan_of(users=96, request_interval_seconds=24, shape="office")
    assert by_day.requests_per_year == pytest.approx(
        4 * 365 * 86400 * by_day.shape.relative_load.mean()
    )


def test_arithmetic_of_a_request_by_hand() -> None:
    # 4096 tokens of which 96 are written; half of the other 4000 are in the cache. A token is
    # multiplied with all parameters but the embeddings, of which it looks up a row.
    plan = plan_of(
        model="llama-3.1-8b", context_tokens=4096, output_tokens=96, prefix_reuse_percent=50
    )
    assert plan.request_flop == 2 * (8_030_261_248 - 128_256 * 4096) * (2000 + 96)


def test_cost_of_tokens_by_hand() -> None:
    plan = plan_of(users=96, request_interval_seconds=24, shape="flat", output_tokens=250)
    # 4 requests of 250 tokens a second are 31.5 billion tokens a year: $31,536 is $1 a million.
    assert plan.usd_per_million_output_tokens(31_536.0) == pytest.approx(1.0)
    usd = plan.fleet("serving").usd_per_year
    assert plan.usd("serving") == pytest.approx(usd / 31_536, nan_ok=True)


def test_cost_of_a_run_by_hand() -> None:
    plan = plan_of(runs_per_month=2)
    usd = plan.fleet("training").usd_per_year
    assert plan.usd_per_run == pytest.approx(usd / 24, nan_ok=True)
    assert np.isnan(plan_of(runs_per_month=0).usd_per_run).all()


@given(question=questions())
@settings(max_examples=30)
def test_prompt_and_answer_of_a_request_cost_what_the_year_does(
    question: dict[str, object],
) -> None:
    plan = plan_of(**question)
    usd = plan.fleet("serving").usd_per_year
    known = np.isfinite(usd)
    cost = plan.request_cost
    prompt, answer = cost.prefill_usd[known], cost.decode_usd[known]
    yearly = (prompt + answer) * plan.requests_per_year
    assert yearly == pytest.approx(usd[known])
    by_tokens = (
        cost.usd_per_million_input_tokens[known] * cost.input_tokens
        + cost.usd_per_million_output_tokens[known] * cost.output_tokens
    )
    assert by_tokens == pytest.approx((prompt + answer) * 1e6)


# What the plan chooses


@pytest.mark.parametrize(
    ("plan", "key"),
    [(owning_and_renting(), "own_and_rent"), (renting(), "rent_all"), (sharing(), "shared")],
)
def test_the_estimates_are_those_of_the_best_options_way_of_paying(plan: Plan, key: str) -> None:
    assert plan.best.key == key
    for job in JOBS:
        assert plan.is_owned(job)[0] == owns(plan.best.key, job)
        paid = plan.money(job).paid(owned=owns(plan.best.key, job))
        assert plan.fleet(job).usd_per_year[0] == paid.usd_per_year[0]
        assert plan.fleet(job).devices[0] == paid.devices[0]
    assert plan.best.serving_devices == plan.fleet("serving").devices[0]
    runs = plan.shared.fleet if key == "shared" else plan.fleet("training")
    assert plan.training.run_hours[0] == runs.estimates.run_hours[0]
    assert plan.best.finish_hours == runs.seconds[0] / 3600


def test_other_devices_are_shown_in_their_cheaper_way() -> None:
    plan = plan_of()
    for job in JOBS:
        cheaper = plan.money(job).usd_per_year
        others = np.arange(len(plan.devices)) != plan.choice(job)
        assert plan.fleet(job).usd_per_year[others] == pytest.approx(cheaper[others], nan_ok=True)


@given(question=questions())
@settings(max_examples=40)
def test_the_order_ends_with_what_does_not_fit_and_drops_nothing(
    question: dict[str, object],
) -> None:
    plan = plan_of(**question)
    for job in JOBS:
        order = list(plan.order(job))
        assert sorted(order) == list(range(len(plan.devices)))
        usd = plan.fleet(job).usd_per_year[order]
        ranks = list(
            zip(~plan.fits(job)[order], np.isnan(usd), ~plan.meets_target(job)[order], strict=True)
        )
        assert ranks == sorted(ranks)
        for rank in set(ranks):
            same = [cost for cost, its in zip(usd, ranks, strict=True) if its == rank]
            assert np.isnan(same).all() or same == sorted(same)


@given(question=questions())
@settings(max_examples=40)
def test_a_choice_fits_and_has_a_price_where_an_option_exists(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    for job in JOBS:
        choice = plan.choice(job)
        if choice is None:
            assert not plan.fits(job).any()
        else:
            assert plan.fits(job)[choice]
    if plan.best.exists:
        assert math.isfinite(plan.fleet("serving").usd_per_year[plan.serving_choice])


# Prices


def test_a_device_without_prices_is_never_chosen() -> None:
    known = catalog(
        [device(id="priced"), device(id="gift", memory_bandwidth_bytes_per_s=9e12)],
        price("priced", 2.0),
        price("priced", 30_000.0, "purchase"),
    )
    plan = make_plan(Scenario(devices=("gift", "priced"), **SMALL), catalog=known)
    assert plan.fits("serving").all()
    for found in plan.options:
        if found.exists:
            assert found.serving_device == found.training_device == 1
    assert plan.order("serving") == (1, 0)


def test_without_a_purchase_price_everything_is_rented_and_the_other_way_round() -> None:
    plan = small_plan(rent=2.0)
    assert plan.best.key == "rent_all"
    assert [found.exists for found in plan.options] == [True, False, False, False]
    plan = small_plan(purchase=30_000.0)
    assert plan.best.key == "shared"
    assert option(plan, "two_owned").reason.startswith("only one compared device")
    assert "known rent" in option(plan, "rent_all").reason


def rescaled(factor: float) -> object:
    """The shipped catalogue with all rents multiplied."""
    prices = (
        point if point.kind == "purchase" else point._replace(usd=factor * point.usd)
        for point in SHIPPED.prices
    )
    return replace(SHIPPED, prices=tuple(prices))


CATALOGS = {factor: rescaled(factor) for factor in (0.2, 0.5, 1.0, 1.5, 3.0)}


@given(question=questions(), factors=st.lists(st.sampled_from(sorted(CATALOGS)), min_size=2))
@settings(max_examples=40)
def test_a_higher_rent_never_makes_renting_more_attractive(
    question: dict[str, object], factors: list[float]
) -> None:
    low, high = min(factors), max(factors)
    scenario = Scenario(**question)
    cheap, dear = (make_plan(scenario, catalog=CATALOGS[factor]) for factor in (low, high))
    for job in JOBS:
        assert not (dear.money(job).is_owned < cheap.money(job).is_owned).any()
    if not (cheap.best.exists and cheap.best.meets_both):
        return
    assert dear.best.usd_per_year.typical >= cheap.best.usd_per_year.typical * (1 - 1e-9)

    def rented(plan: object, factor: float) -> float:
        """Rent of the best option at the shipped prices."""
        parts = plan.best.parts_usd_per_year.items()
        return sum(usd for part, usd in parts if part.endswith("rented")) / factor

    assert rented(dear, high) <= rented(cheap, low) * (1 + 1e-9) + 1e-6


# Facts that anyone would ask for first


def test_llama_405b_in_16_bit_needs_more_than_eight_h100() -> None:
    question = {"model": "llama-3.1-405b", "weight_format": "bf16", "all_devices": True}
    eight = plan_of(**question, max_copy_devices=8)
    place = place_of(eight, "nvidia-h100-sxm")
    assert not eight.serving.fits[place]
    assert eight.serving.layout_devices[place] == 8
    # 405.9e9 parameters of 2 bytes on 8 devices of 79.2 GiB: 94.5 GiB on each.
    assert eight.serving.short_bytes[place] > (94.5 - 79.2) * 2**30
    assert eight.serving.fewest_devices[place] == 12
    # More of them hold it.
    assert plan_of(**question).serving.fits[place]


def test_one_h100_cannot_hold_it_and_gets_no_time() -> None:
    alone = plan_of(
        model="llama-3.1-405b",
        weight_format="bf16",
        devices=("nvidia-h100-sxm",),
        max_copy_devices=1,
        max_training_devices=1,
    )
    for job in JOBS:
        assert not alone.fits(job)[0]
        assert alone.choice(job) is None
    assert math.isnan(alone.serving.tpot_seconds[0])
    assert math.isnan(alone.training.run_seconds[0])
    assert not alone.best.exists
