"""The sentence that each page opens with."""

import re

import pytest
from hypothesis import given, settings

from hwplanner.report import findings, utilization
from hwplanner.report.story import Finding, devices_in_words, plain
from hwplanner.wording import SPACE
from tests.finance.test_fleet_week import week_of
from tests.plans import plan_of, questions, small_plan

NOTHING_FITS = {"model": "llama-3.1-405b", "weight_format": "bf16", "devices": ("nvidia-l4",)}
PAGES = (
    findings.memory,
    findings.speed,
    findings.cost,
    lambda plan: utilization.finding(plan, week_of(plan)),
    findings.catalogue,
    findings.method,
)


def said(finding: Finding) -> tuple[str, str]:
    """Headline and detail, with ordinary spaces."""
    return plain(finding.headline).replace(SPACE, " "), finding.detail.replace(SPACE, " ")


def test_memory_compares_a_copy_with_a_run() -> None:
    plan = plan_of()
    serve, train = plan.serving_choice, plan.training_choice
    copy_gib = plan.serving.used_bytes[serve] * plan.serving.layout_devices[serve] / 2**30
    run_gib = plan.training.memory.total_bytes[train] * plan.training.devices[train] / 2**30
    headline, detail = said(findings.memory(plan))
    shown_gib = f"{float(f'{run_gib:.2e}'):,.0f}"  # three digits
    assert headline == (
        f"A serving copy takes {copy_gib:.0f} GiB on 1 device; "
        f"training takes {shown_gib} GiB on {plan.training.devices[train]:.0f} devices."
    )
    assert re.search(r"Most of training memory is (activations|optimizer state) \(\d\d%\)", detail)
    assert re.search(r"most of serving memory (the cache|weights) \(\d\d%\)\.", detail)
    assert detail.endswith("copies for 128 users.")


def test_states_of_the_optimizer_are_most_of_a_small_run() -> None:
    # One short sequence at a time: 12 of 16 bytes of each parameter are the optimizer's.
    plan = plan_of(batch_sequences=1, sequence_tokens=512, training_tokens_million=1)
    assert "training memory is optimizer state (" in said(findings.memory(plan))[1]


def test_one_copy_for_one_user_is_said_in_the_singular() -> None:
    detail = said(findings.memory(plan_of(users=1, burst_factor=1, devices=("nvidia-h200-sxm",))))[
        1
    ]
    assert detail.endswith("There is one copy for 1 user.")


def test_speed_says_whether_the_target_is_met() -> None:
    plan = plan_of()
    headline, detail = said(findings.speed(plan))
    place = plan.serving_choice
    tpot = plan.serving.tpot_seconds[place] * 1000
    fleet = devices_in_words(plan, place, plan.serving.devices[place]).replace(SPACE, " ")
    assert headline == (
        f"With 128 users, {fleet} take {float(f'{tpot:.3g}'):g} ms a token, "
        f"{'just inside' if tpot > 36 else 'inside'} the 40 ms target."
    )
    assert "of the time of a request." in detail
    slow = said(findings.speed(plan_of(tpot_ms=5, devices=("nvidia-l40s",))))[0]
    assert "outside the 5 ms target" in slow


def test_one_device_takes_and_several_take() -> None:
    assert "1 Nobody Round takes " in said(findings.speed(small_plan()))[0]


def test_a_purchase_pays_off_by_hand() -> None:
    # One device for all hours: $2 an hour are $17,520 a year. Bought it costs $15,000 and $1,200
    # a year for people: paid back after 15,000 / 16,320 years.
    plan = small_plan(
        rent=2.0,
        purchase=10_000.0,
        shape="flat",
        electricity_usd_per_kwh=0,
        maintenance_percent=0,
        staff_usd_per_device_year=1200,
    )
    headline, detail = said(findings.cost(plan))
    assert headline.startswith("Serving on Nobody Round is cheaper owned: ")
    assert headline.endswith(" a year against $17.5k rented.")
    assert detail.startswith(
        "It costs less owned in all draws. A renter would pay for 100% of the hours"
    )
    assert "a rented one $2.00. Rent saved pays the purchase back in 11 months;" in detail


def test_renting_may_be_cheaper() -> None:
    headline, detail = said(findings.cost(small_plan(rent=0.1, purchase=90_000.0, shape="flat")))
    assert headline.startswith("Serving on Nobody Round is cheaper rented: $876 a year against ")
    assert headline.endswith(" owned.")
    assert "pays the purchase back" not in detail  # running costs alone exceed the rent


@pytest.mark.parametrize(("known", "missing"), [("purchase", "rent"), ("rent", "purchase price")])
def test_a_missing_price_is_named(known: str, missing: str) -> None:
    headline, detail = said(findings.cost(small_plan(**{known: 9.0})))
    assert headline == (
        f"Nobody Round has no published {missing}; add a price of your own on the Prices page "
        "to compare."
    )
    assert detail == "A missing price is shown as missing and never ranked."


def test_the_catalogue_counts_what_it_holds() -> None:
    headline, detail = said(findings.catalogue(plan_of()))
    assert headline.startswith("140 devices and ")
    assert detail.endswith("24 devices are compared in this scenario.")


def test_the_method_says_how_far_estimates_were_off() -> None:
    plan = plan_of()
    low, high = plan.ranges.serving.speed.at(plan.serving_choice)
    assert f"between {low:.2g} and {high:.2g} times" in said(findings.method(plan))[1]


def test_every_page_has_a_finding_where_nothing_fits() -> None:
    plan = plan_of(**NOTHING_FITS)
    for page in PAGES:
        assert said(page(plan))[0].endswith(".")


@given(question=questions())
@settings(max_examples=40)
def test_no_unknown_number_is_spelled_out(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    for page in PAGES:
        headline, detail = said(page(plan))
        assert headline.endswith(".")
        assert not {"nan", "inf", "None"} & set(re.findall(r"\w+", headline + detail))
        assert "  " not in headline + detail
