"""Every opened number ends at the plan's, and its steps add up to it."""

import re

import numpy as np
import pytest
from hypothesis import given, settings

from hwplanner.report import explain_cost, explain_serving, explain_training
from hwplanner.report.explain import explanations
from hwplanner.report.statements import Explanation
from hwplanner.units import GIB
from hwplanner.wording import SPACE
from tests.plans import owning_and_renting, plan_of, questions

SCALES = {"ms": 1e-3, "s": 1, "min": 60, "h": 3600, "days": 86400, "years": 8760 * 3600}


def number(text: str) -> float:
    """Read a number as the page says it: '1,560 GiB' is 1560, '$2.5M' is 2.5 million."""
    digits, unit = re.match(r"\$?([\d.,]+)([kMBT]?)", text).groups()
    return float(digits.replace(",", "")) * {"": 1, "k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}[unit]


def seconds(text: str) -> float:
    value, _, unit = text.partition(SPACE)
    return number(value) * SCALES[unit]


def results(found: Explanation) -> dict[str, str]:
    return {step.label: step.result for step in found.steps}


def rounded(value: float) -> object:
    """Three significant digits."""
    return pytest.approx(value, rel=0.006)


# What each explanation ends at


@given(question=questions())
@settings(max_examples=50)
def test_results_are_the_plans(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    serve, train = plan.serving_choice, plan.training_choice
    if serve is not None:
        serving, fleet = plan.serving, plan.fleet("serving")
        tokens = plan.requests_per_year * serving.times.output_tokens
        assert explain_serving.serving_memory(plan, serve).value == pytest.approx(
            serving.used_bytes[serve]
        )
        assert explain_serving.time_per_token(plan, serve).value == pytest.approx(
            serving.tpot_seconds[serve]
        )
        assert explain_serving.time_to_first_token(plan, serve).value == pytest.approx(
            serving.ttft_seconds[serve]
        )
        assert explain_serving.serving_devices(plan, serve).value == serving.devices[serve]
        assert explain_cost.serving_cost(plan, serve).value == pytest.approx(
            fleet.usd_per_year[serve] / tokens * 1e6, nan_ok=True
        )
        assert explain_cost.cost_per_request(plan, serve).value == pytest.approx(
            fleet.usd_per_year[serve] / plan.requests_per_year, nan_ok=True
        )
    if train is not None:
        training = plan.training
        assert explain_training.training_memory(plan, train).value == pytest.approx(
            training.memory.total_bytes[train]
        )
        assert explain_training.run_time(plan, train).value == training.run_seconds[train]
    if plan.best.exists:
        total = explain_cost.option_cost(plan).value
        assert total == pytest.approx(plan.best.usd_per_year.typical * 3)


@given(question=questions())
@settings(max_examples=50)
def test_steps_add_up_to_the_result(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    for found in explanations(plan):
        said = results(found)
        if found.title in ("Serving memory on one device", "Training memory on one device"):
            parts = [text for label, text in said.items() if label != "Total against usable"]
            assert sum(map(number, parts)) == rounded(found.value / GIB)
        if found.title.startswith("Time per token"):
            assert sum(map(seconds, said.values())) == rounded(found.value)
        if found.title.startswith("Time to the first token"):
            assert sum(map(seconds, said.values())) == pytest.approx(found.value, rel=0.01)
        if found.title == "Time of a training run":
            product = seconds(said["One step"]) * number(said["Steps"])
            productive = seconds(said["Productive time"])
            assert product == pytest.approx(productive, rel=0.012)
            first = plan.training.seconds_to_first_step[plan.training_choice]
            run = first + productive / number(said["Goodput"])
            assert run == pytest.approx(found.value, rel=0.01)
        if found.title == "Devices for serving":
            layout = plan.serving.layout_devices[plan.serving_choice]
            assert number(said["Copies"]) * layout == found.value
        if "cost over" in found.title:
            *parts, _ = said.values()
            assert sum(map(number, parts)) * 3 == rounded(found.value)


def test_interruptions_of_a_spot_run_are_opened() -> None:
    failures, spot = (
        results(explain_training.run_time(plan, plan.training_choice))
        for plan in (plan_of(), plan_of(market="spot"))
    )
    assert failures["Interruptions"].endswith("days")
    # Taken back once in five hours, and a little more often with failures.
    assert 4.9 < number(spot["Interruptions"].removeprefix("one in ")) <= 5
    assert number(spot["Goodput"]) < number(failures["Goodput"])


def test_steps_of_the_worked_example_multiply_to_its_costs() -> None:
    plan = plan_of()
    by_title = {found.title: found for found in explanations(plan)}
    tokens = results(by_title["Cost per million output tokens"])
    hours = plan.fleet("serving").paid_device_hours[plan.serving_choice]
    assert number(tokens["Device-hour"]) * hours == rounded(number(tokens["Year of serving"]))
    per_million = number(tokens["Year of serving"]) / number(tokens["Tokens of a year"]) * 1e6
    assert per_million == pytest.approx(by_title["Cost per million output tokens"].value, rel=0.01)
    request = results(by_title["Cost per request"])
    assert number(request["Its prompt"]) + number(request["Its answer"]) == rounded(
        number(request["Request"])
    )
    run = results(by_title["Cost of a training run"])
    assert number(run["Year of training"]) / 12 == rounded(number(run["Run"]))


def test_an_owned_device_hour_opens_to_its_parts() -> None:
    plan = owning_and_renting()
    hour = explain_cost.serving_cost(plan, plan.serving_choice).steps[0]
    assert hour.formula == "owned"
    parts = dict(re.findall(r"(\w+) (\$[\d.,]+k?)", hour.values))
    assert set(parts) == {
        "capital",
        "energy",
        "colocation",
        "maintenance",
        "staff",
        "licences",
    }
    assert sum(map(number, parts.values())) / 8760 == rounded(number(hour.result))
    assert hour.source == plan.prices.purchase_basis[plan.serving_choice]


def test_a_rented_hour_says_where_it_is_rented() -> None:
    plan = plan_of()
    hour = explain_cost.cost_per_run(plan, plan.training_choice).steps[0]
    assert (hour.formula, hour.values) == ("rented", "rent")
    assert number(hour.result) == rounded(plan.prices.rent_usd_per_hour[plan.training_choice])
    assert hour.source == plan.prices.rent_basis[plan.training_choice]


# Which numbers are explained


def test_the_worked_example_explains_eleven_numbers() -> None:
    plan = plan_of()
    titles = [found.title for found in explanations(plan)]
    assert titles == [
        "Serving memory on one device",
        "Time per output token at the peak",
        "Time to the first token at the peak",
        "Devices for serving",
        "Cost per million output tokens",
        "Cost per request",
        "Energy of an output token",
        "Training memory on one device",
        "Time of a training run",
        "Cost of a training run",
        f"{plan.best.label}: cost over 36 months",
    ]


def test_without_runs_no_cost_of_a_run_is_explained() -> None:
    titles = [found.title for found in explanations(plan_of(runs_per_month=0))]
    assert "Time of a training run" in titles
    assert "Cost of a training run" not in titles


def test_where_nothing_fits_nothing_is_explained() -> None:
    plan = plan_of(model="llama-3.1-405b", weight_format="bf16", devices=("nvidia-l4",))
    assert explanations(plan) == ()


@given(question=questions())
@settings(max_examples=50)
def test_every_step_says_what_it_is_and_no_unknown_number(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    for found in explanations(plan):
        assert found.title
        assert found.steps
        for step in found.steps:
            assert step.label
            assert step.formula
            assert step.result
            assert not {"nan", "inf", "None"} & set(re.findall(r"\w+", step.values + step.result))
        if np.isfinite(found.value):
            assert found.result != "–"


def test_figures_of_the_data_sheet_name_their_witness() -> None:
    plan = plan_of()
    steps = {
        step.label: step.source
        for found in explanations(plan)
        for step in found.steps
        if step.source
    }
    device_id = plan.devices[plan.serving_choice].id
    bandwidth = plan.catalog.source(device_id, "memory_bandwidth_gb_per_s")
    assert bandwidth is not None
    assert bandwidth.title in steps["Read the weights"]
    assert steps["Fixed time"] == plan.assumptions.get("layer_seconds").source


def test_every_number_but_the_energy_says_its_range() -> None:
    plan = plan_of()
    said = {found.title: found.sureness for found in explanations(plan)}
    silent = [title for title, words in said.items() if not words]
    assert silent == ["Energy of an output token"]
    usd = plan.best.usd_per_year
    low, high = (f"{3 * end / 1000:.0f}k" for end in (usd.low, usd.high))
    assert said[f"{plan.best.label}: cost over 36 months"] == (
        f"8 of 10 cases: ${low}–${high} (both jobs drawn together)."
    )
    assert (
        "calibrated class" in said["Devices for serving"]
        or "measured" in (said["Devices for serving"])
    )
