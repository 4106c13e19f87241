"""A plan as plain numbers for other programs."""

import json
import math
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from hwplanner.physics.time_parts import LIMITS
from hwplanner.report.answer import plan_answer
from hwplanner.report.story import plain, plan_finding
from hwplanner.report.verdicts import TESTS
from hwplanner.scenario import Scenario
from tests.plans import place_of, plan_of, questions, small_plan

LONELY = {
    "model": "llama-3.1-405b",
    "weight_format": "bf16",
    "devices": ("nvidia-h100-sxm",),
    "max_copy_devices": 1,
    "max_training_devices": 1,
}


def numbers(value: object) -> Iterator[float]:
    """Every number of an answer."""
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, float):
        yield value


@given(question=questions())
@settings(max_examples=30)
def test_an_answer_is_strict_json(question: dict[str, object]) -> None:
    answer = plan_answer(plan_of(**question))
    again = json.loads(json.dumps(answer, allow_nan=False))
    assert again == answer
    assert all(math.isfinite(number) for number in numbers(answer))
    assert set(answer) == {"scenario", "notes", "devices", "plan"}
    assert Scenario.model_validate(answer["scenario"]) == Scenario(**question)


@given(question=questions())
@settings(max_examples=30)
def test_parts_of_an_answer_sum_to_its_totals(question: dict[str, object]) -> None:
    answer = plan_answer(plan_of(**question))
    for device in answer["devices"]:
        for job in ("serving", "training"):
            found = device[job]
            assert set(found["verdicts"]) == set(TESTS)
            memory = dict(found["memory_per_device"])
            low, high = memory.pop("total_bytes_low"), memory.pop("total_bytes_high")
            assert low <= memory["total_bytes"] <= high
            total, usable = memory.pop("total_bytes"), memory.pop("usable_bytes")
            assert sum(memory.values()) == pytest.approx(total)
            if not found["fits"]:
                assert found["reason"]
                assert "times" not in found
                assert "costs" not in found
                continue
            assert total <= usable
            assert sum(found["time_shares"].values()) == pytest.approx(1)
            assert found["time_shares"][found["limited_by"]] == max(found["time_shares"].values())
            assert found["limited_by"] in LIMITS
            layout = found["layout"]
            if job == "serving":
                assert layout["tensor"] * layout["pipeline"] == layout["devices_per_copy"]
                assert layout["copies"] * layout["devices_per_copy"] == found["devices"]
            else:
                group = layout["tensor"] * layout["pipeline"] * layout["context"]
                assert group * layout["replicas"] == found["devices"]
    for option in answer["plan"]["options"]:
        if not option["reason"]:
            parts = sum(option["parts_usd_per_year"].values())
            assert parts == pytest.approx(option["usd_per_year"]["typical"])
            assert option["meets_both"] == (option["meets_serving"] and option["meets_training"])


def test_the_plan_says_what_the_page_says() -> None:
    plan = plan_of()
    answer = plan_answer(plan, ["one note"])
    assert answer["notes"] == ["one note"]
    found = answer["plan"]
    assert found["catalogue_date"] == plan.catalog.date
    assert found["verdict"] == plain(plan_finding(plan).headline)
    assert found["best"] == found["options"][0]["key"] == plan.best.key
    assert found["options"][0]["label"] == plan.best.label
    assert found["options"][0]["serving_device"] == plan.devices[plan.serving_choice].id
    assert len(found["options"]) == 4
    assert found["requests_per_year"] == plan.requests_per_year
    states = [device["serving"]["state"] for device in answer["devices"]]
    assert states.count("chosen") == 1


def test_every_compared_device_is_there_in_its_order() -> None:
    plan = plan_of(devices=("nvidia-l4", "nvidia-h100-sxm"))
    assert [device["id"] for device in plan_answer(plan)["devices"]] == [
        "nvidia-l4",
        "nvidia-h100-sxm",
    ]


def test_figures_are_those_of_the_plan() -> None:
    plan = plan_of()
    place = place_of(plan, "nvidia-l40s")
    serving = plan_answer(plan)["devices"][place]["serving"]
    assert serving["times"]["tpot_seconds"] == plan.serving.tpot_seconds[place]
    assert serving["times"]["ttft_seconds"] == plan.serving.ttft_seconds[place]
    decode = serving["times"]["decode_seconds_per_request"]
    assert sum(decode.values()) == pytest.approx(plan.serving.decode.total[place])
    costs, throughput = serving["costs"], serving["throughput"]
    assert costs["owned_usd_per_year"] == plan.serving_cost.owned.usd_per_year[place]
    assert costs["usd_per_month"] * 12 == pytest.approx(costs["usd_per_year"])
    assert costs["usd_per_request"] * plan.requests_per_year == pytest.approx(costs["usd_per_year"])
    all_in = costs["usd_per_million_output_tokens_all_in"]
    assert all_in == pytest.approx(costs["usd_per_request"] / 400 * 1e6)
    assert costs["usd_per_million_output_tokens_all_in_low"] < all_in
    assert throughput["capacity_output_tokens_per_s"] == pytest.approx(
        400 * throughput["capacity_requests_per_s"]
    )
    assert throughput["peak_utilization"] == pytest.approx(
        throughput["peak_requests_per_s"] / throughput["capacity_requests_per_s"]
    )
    training = plan_answer(plan)["devices"][place]["training"]
    times = training["times"]
    assert times["run_hours"] == pytest.approx(plan.training.run_hours[place])
    wall_seconds = times["setup_seconds"] + times["work_seconds"] / times["goodput"]
    assert times["queue_seconds"] + wall_seconds == pytest.approx(times["run_hours"] * 3600)
    assert training["costs"]["usd_per_run"] * 12 == pytest.approx(training["costs"]["usd_per_year"])


def test_one_h100_cannot_hold_llama_405b_and_gets_no_time() -> None:
    (device,) = plan_answer(plan_of(**LONELY))["devices"]
    serving, training = device["serving"], device["training"]
    assert serving["state"] == training["state"] == "does_not_fit"
    assert not serving["fits"]
    assert serving["fewest_devices_that_fit"] == 12
    assert training["fewest_devices_that_fit"] > 1
    assert serving["reason"].startswith("does not fit: ")
    assert serving["reason"].endswith("needs 12 devices")
    # 405.9e9 parameters of 2 bytes on a device of 79.2 GiB.
    assert serving["short_bytes_per_device"] > 2 * 405.8e9 - 79.2 * 2**30
    assert "times" not in serving
    assert "times" not in training


def test_without_a_plan_the_reason_is_given_and_figures_are_null() -> None:
    found = plan_answer(plan_of(**LONELY))["plan"]
    assert found["verdict"].startswith("No plan yet: ")
    assert found["flips"] == []
    for option in found["options"]:
        assert option["reason"]
        assert option["usd_per_year"] == {"low": None, "typical": None, "high": None}
        assert option["serving_device"] is None
        assert not option["meets_both"]


def test_a_price_that_is_not_known_is_null_and_not_zero() -> None:
    costs = plan_answer(small_plan(rent=2.0))["devices"][0]["serving"]["costs"]
    assert costs["purchase_usd_per_device"] is None
    assert costs["owned_usd_per_year"] is None
    assert costs["purchase_basis"] == ""
    assert costs["rent_usd_per_device_hour"] == 2.0
    assert costs["usd_per_year"] == costs["rented_usd_per_year"] > 0


def test_without_runs_a_run_has_no_cost_and_no_end() -> None:
    answer = plan_answer(plan_of(runs_per_month=0))
    assert all(
        device["training"]["costs"]["usd_per_run"] is None
        for device in answer["devices"]
        if device["training"]["fits"]
    )
    for option in answer["plan"]["options"]:
        assert option["finish_hours"] is None
        assert option["training_device"] is None
        assert option["training_devices"] == 0


def test_the_model_is_described() -> None:
    model = plan_answer(plan_of(model="deepseek-v3"))["plan"]["model"]
    assert model["id"] == "deepseek-v3"
    assert model["parameters"] == 671_026_419_200
    assert (model["experts"], model["experts_per_token"]) == (256, 8)
