"""What a request is paid for: parts by hand, and the laws they obey in any plan."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.finance.request_cost import (
    RequestParts,
    RequestSeconds,
    held_share,
    request_parts,
    request_seconds,
    split_request_cost,
    worked_share,
)
from hwplanner.finance.traffic import serving_at
from hwplanner.physics.time_parts import TimeParts
from hwplanner.plan import Plan
from tests.plans import plan_of, questions, small_plan

seconds = st.floats(1e-6, 1e3)
shares = st.floats(0, 1)


@cache
def rented(**changes: object) -> Plan:
    """One device made up that is rented at 3.60 $/h, a tenth of a cent a second."""
    return small_plan(**({"rent": 3.6, "shape": "flat", "runs_per_month": 0} | changes))


def parts_of(plan: Plan) -> RequestParts:
    """Parts on the only device."""
    return request_parts(plan).on(0)


def test_parts_by_hand() -> None:
    parts = split_request_cost(
        usd=0.01,
        seconds=RequestSeconds(weights=0.2, cache=0.1, decode=0.1, prefill=0.4),
        worked_share=0.5,
        held_share=0.2,
    )
    # 0.8 s of work take half of a cent: 0.625 cents a second.
    assert parts.weights_usd == pytest.approx(0.00125)
    assert parts.cache_read_usd == pytest.approx(0.000625)
    assert parts.cache_held_usd == pytest.approx(0.002)
    assert parts.prefill_usd == pytest.approx(0.0025)
    assert parts.decode_usd == pytest.approx(0.000625)
    assert parts.idle_usd == pytest.approx(0.003)
    assert parts.by_name["kv_cache"] == pytest.approx(0.002625)


@given(
    usd=st.floats(0, 1e3), weights=seconds, read=seconds, decode=seconds, prefill=seconds,
    worked=shares, held=shares,
)  # fmt: skip
def test_parts_are_never_negative_and_sum_to_the_cost(
    usd: float,
    weights: float,
    read: float,
    decode: float,
    prefill: float,
    worked: float,
    held: float,
) -> None:
    parts = split_request_cost(
        usd=usd,
        seconds=RequestSeconds(weights, read, decode, prefill),
        worked_share=worked,
        held_share=held,
    )
    assert all(part >= 0 for part in parts.by_name.values())
    assert parts.usd == pytest.approx(usd)


@given(more=st.floats(1.01, 10))
def test_more_time_for_a_part_moves_cost_to_it(more: float) -> None:
    once = RequestSeconds(weights=0.2, cache=0.1, decode=0.1, prefill=0.4)
    few, many = (
        split_request_cost(usd=1.0, seconds=each, worked_share=0.6, held_share=0.0)
        for each in (once, replace(once, cache=0.1 * more))
    )
    assert many.cache_usd > few.cache_usd
    assert many.weights_usd < few.weights_usd
    assert many.idle_usd == few.idle_usd


@given(question=questions())
@settings(max_examples=40)
def test_parts_of_any_plan_sum_to_its_cost_of_a_request(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    parts = request_parts(plan)
    known = np.isfinite(plan.fleet("serving").usd_per_year)
    np.testing.assert_allclose(parts.usd[known], plan.request_cost.usd[known], rtol=1e-12)
    assert np.isnan(parts.usd[~known]).all()
    for part in (*parts.by_name.values(), parts.cache_held_usd):
        assert (part[known] >= 0).all()
    # The prompt's own time never costs more than what the prompt is said to cost with idle hours.
    assert (parts.prefill_usd <= plan.request_cost.prefill_usd * (1 + 1e-9))[known].all()


@given(question=questions())
@settings(max_examples=40)
def test_a_request_takes_the_time_in_which_a_full_copy_answers_it(
    question: dict[str, object],
) -> None:
    serving = plan_of(**question).serving
    full = serving.fits & (serving.largest_batch >= 1)
    found = request_seconds(serving)
    per_second = serving.capacity_requests_per_s / serving.copies
    np.testing.assert_allclose(found.total[full], 1 / per_second[full], rtol=1e-9)
    for each in (found.weights, found.cache, found.decode, found.prefill):
        assert (each[full] >= 0).all()


def test_a_second_of_a_rented_device_costs_its_rent() -> None:
    plan = rented()
    found, parts = request_seconds(plan.serving).on(0), parts_of(plan)
    devices = plan.serving.layout_devices[0]
    assert parts.weights_usd == pytest.approx(found.weights * devices * 0.001)
    assert parts.cache_read_usd == pytest.approx(found.cache * devices * 0.001)
    assert parts.prefill_usd == pytest.approx(found.prefill * devices * 0.001)


def test_time_of_a_request_by_hand() -> None:
    def part(*, compute: float = 0.0, memory: float = 0.0) -> TimeParts:
        none = np.zeros((1, 1))
        return TimeParts(none + compute, none + memory, none, none)

    plan = rented()
    times = replace(
        plan.serving.times,
        fixed=part(memory=0.003),
        per_sequence=part(compute=0.001, memory=0.0005),
        experts=part(),
        cache_seconds=np.array([[0.0002]]),
        output_tokens=100.0,
        expert_count=0.0,
    )
    serving = replace(
        plan.serving, times=times, largest_batch=np.array([4.0]), prefill=part(compute=0.05).flat()
    )
    found = request_seconds(serving).on(0)
    # A step of 4 reads for 3 ms and multiplies for 4 ms: together 5 ms, of which 9/5 for reading.
    # A request takes a quarter of 100 such steps, and 100 times its own 0.5 ms of memory.
    assert found.weights == pytest.approx(0.0018 * 25)
    assert found.cache == pytest.approx(0.0002 * 100)
    assert found.decode == pytest.approx(0.0032 * 25 + 0.0003 * 100)
    assert found.prefill == pytest.approx(0.05)


def test_half_the_bits_of_the_cache_halve_reading_it() -> None:
    wide, narrow = (parts_of(rented(cache_format=kind)) for kind in ("bf16", "fp8"))
    assert narrow.cache_read_usd == pytest.approx(wide.cache_read_usd / 2)


def test_a_longer_context_raises_the_part_of_the_cache() -> None:
    usd = [parts_of(rented(context_tokens=tokens)).cache_usd for tokens in (4096, 8192, 32768)]
    assert usd == sorted(usd)
    assert usd[-1] > 4 * usd[0]


def test_twice_the_rent_doubles_every_part() -> None:
    once, twice = (parts_of(rented(rent=rent)).by_name for rent in (2.0, 4.0))
    assert {name: usd / 2 for name, usd in twice.items()} == pytest.approx(once)


def test_demand_and_fleet_that_grow_together_leave_a_request_as_it_is() -> None:
    plan = rented(users=8)
    # Traffic that fills 2 copies, and 200.
    traffic = np.array([2.0, 200.0]) / plan.serving.load_in_copies[0]
    usd = serving_at(plan, 0, traffic).rented.usd_per_year / traffic
    assert usd[0] == pytest.approx(usd[1])


def test_copies_that_only_hold_caches_are_charged_to_them() -> None:
    plan = rented(users=512, context_tokens=32768, request_interval_seconds=3600)
    serving, parts = plan.serving, parts_of(plan)
    copies, busy = np.ceil(serving.users_load[0]), np.ceil(serving.requests_load[0])
    assert copies > busy == 1
    assert held_share(plan)[0] == pytest.approx(1 - 1 / copies)
    assert parts.cache_held_usd == pytest.approx(parts.usd * (1 - 1 / copies))
    assert parts.idle_usd == pytest.approx(parts.usd * (1 / copies - worked_share(plan)[0]))


def test_whole_servers_that_are_bought_anyway_are_not_charged_to_caches() -> None:
    plan = plan_of(users=16, request_interval_seconds=600, market="hyperscaler")
    owned = plan.is_owned("serving") & ~plan.serving_cost.is_mixed
    server = plan.arrays.devices_per_server >= plan.fleet("serving").devices
    within_one = owned & server & np.isfinite(plan.fleet("serving").usd_per_year)
    assert within_one.any()
    assert (held_share(plan)[within_one] == 0).all()
