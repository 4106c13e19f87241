"""Parts of a request as rows, lines and sentences: they sum to the cost that is said elsewhere."""

import re

import numpy as np
import pytest
from hypothesis import given, settings

from hwplanner.report import request_parts
from hwplanner.report.explain_cost import cost_per_request
from hwplanner.report.tables import REQUEST_PARTS
from tests.plans import plan_of, questions, small_plan
from tests.report.test_explain import number, results


@given(question=questions())
@settings(max_examples=30)
def test_rows_sum_to_the_cost_of_a_request(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    rows = request_parts.request_rows(plan)
    assert len(rows) == len(plan.devices)
    for row, place in zip(rows, plan.order("serving"), strict=True):
        usd = plan.request_cost.usd[place]
        if np.isfinite(usd):
            assert tuple(row.parts_usd) == REQUEST_PARTS
            assert sum(row.parts_usd.values()) == pytest.approx(usd)
            assert 0 <= row.held_usd <= row.parts_usd["kv_cache"]
        else:
            assert row.parts_usd == {}
            assert row.reason


def test_lines_of_the_chosen_device_sum_to_the_request() -> None:
    *parts, whole = request_parts.part_records(plan_of())
    assert len(parts) == len(REQUEST_PARTS)
    assert sum(number(record.cells[1].text) for record in parts) == pytest.approx(
        number(whole.cells[1].text), rel=0.01
    )
    shares = [int(record.cells[2].text.rstrip("%")) for record in (*parts, whole)]
    assert sum(shares[:-1]) == pytest.approx(100, abs=2)
    assert shares[-1] == 100


def test_caches_that_are_only_held_are_told() -> None:
    asked_seldom = {"users": 512, "context_tokens": 32768, "request_interval_seconds": 3600}
    held, read = (
        request_parts.part_records(small_plan(rent=3.6, **question))[1].cells[0].note
        for question in (asked_seldom, {})
    )
    assert re.search(r"\$[\d.]+ of it for copies that only hold it", held)
    assert "only hold" not in read


def test_the_finding_names_the_two_largest_parts() -> None:
    plan = plan_of()
    shares = [record.cells[2].text for record in request_parts.part_records(plan)[:-1]]
    first, second = sorted(shares, key=number)[-1:-3:-1]
    words = request_parts.finding(plan)
    assert re.search(rf"{first} pays for [\w ]+ and {second} for", words)


def test_the_finding_names_no_part_that_is_next_to_nothing() -> None:
    # One user an hour on a device that is rented at all hours.
    words = request_parts.finding(small_plan(rent=3.6, request_interval_seconds=3600))
    assert words.endswith("100% pays for hours without work.")


def test_tokens_times_their_prices_make_the_request() -> None:
    words = request_parts.by_tokens(plan_of())
    tokens = [number(text) for text in re.findall(r"([\d,]+) of (?:in|out)put", words)]
    *prices, whole = (number(text) for text in re.findall(r"\$[\d.]+\d", words))
    assert tokens == [7792, 400]
    total = sum(count * usd for count, usd in zip(tokens, prices, strict=True)) / 1e6
    assert total == pytest.approx(whole, rel=0.01)


def test_steps_lead_from_the_request_to_its_parts() -> None:
    plan = plan_of()
    said = results(cost_per_request(plan, plan.serving_choice))
    names = (
        *("Reading the weights", "Reading the cache", "Reading the prompt", "Rest of the answer"),
        *("Holding caches", "Idle"),
    )
    assert sum(number(said[name]) for name in names) == pytest.approx(
        number(said["Request"]), rel=0.01
    )


def test_without_a_device_there_is_nothing_to_part() -> None:
    plan = plan_of(model="llama-3.1-405b", weight_format="bf16", devices=("nvidia-l4",))
    assert request_parts.part_records(plan) == ()
    assert request_parts.by_tokens(plan) == ""
    assert request_parts.finding(plan) == "No device that serves has a known price."
