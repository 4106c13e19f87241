from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.assumptions import load_assumptions
from hwplanner.catalog.catalog import device_arrays, load_catalog
from hwplanner.catalog.device import DeviceArrays
from hwplanner.model.workload import workload
from hwplanner.scenario import CONTEXT_TOKENS, PARAMETERS_BILLION, TPOT_MS, USERS, Scenario
from hwplanner.serving.estimates import (
    ServingEstimates,
    estimate_serving,
    load_in_copies,
    peak_requests_per_s,
)
from tests.devices import arrays

CATALOG = load_catalog()
SHORTLIST = device_arrays(CATALOG.shortlist)
ENGINES = ("vllm", "trtllm", "sglang", "llamacpp", "vendor")


def estimate(devices: DeviceArrays, **changes: object) -> ServingEstimates:
    scenario = Scenario(**changes)
    return estimate_serving(scenario, workload(scenario), devices, load_assumptions())


@cache
def of(device_id: str, **changes: object) -> ServingEstimates:
    return estimate(device_arrays([CATALOG.device(device_id)]), **changes)


def scenarios() -> st.SearchStrategy[dict[str, object]]:
    """Any question of serving."""
    return st.fixed_dictionaries(
        {
            "parameters_billion": st.sampled_from(PARAMETERS_BILLION),
            "kind": st.sampled_from(["dense", "moe"]),
            "weight_format": st.sampled_from(["bf16", "fp8", "int4", "q4_k_m"]),
            "context_tokens": st.sampled_from(CONTEXT_TOKENS),
            "users": st.sampled_from(USERS),
            "tpot_ms": st.sampled_from(TPOT_MS),
            "engine": st.sampled_from(ENGINES),
        }
    )


# Other people's numbers


def test_one_h100_under_load_is_not_as_slow_as_for_one_user() -> None:
    # 8B in fp8, 1000 tokens in and 1000 out: 15,220 tokens/s measured (TensorRT-LLM tables),
    # where a calculator says 188 whatever the batch. The tables stream nothing to clients, a
    # served plan does, and comes out slower.
    crowd = of(
        "nvidia-h100-sxm",
        model="llama-3.1-8b",
        engine="trtllm",
        cache_format="fp8",
        context_tokens=2048,
        output_tokens=1000,
        prefix_reuse_percent=0,
        tpot_ms=200,
        users=4096,
        headroom_percent=0,
    )
    tokens_per_s = 1000 * crowd.capacity_requests_per_s[0] / crowd.devices[0]
    assert 0.5 < tokens_per_s / 15_220 < 1.4


def test_what_fits_nowhere_has_no_time() -> None:
    lone = of("apple-m4-max", model="llama-3.1-405b", weight_format="bf16", engine="llamacpp")
    assert not lone.fits[0]
    assert np.isnan(lone.tpot_seconds[0])
    assert np.isnan(lone.ttft_seconds[0])
    assert np.isnan(lone.fewest_devices[0])
    assert lone.short_bytes[0] > 700e9


def test_a_large_model_says_how_many_devices_hold_it() -> None:
    large = of("nvidia-h100-sxm", model="llama-3.1-405b", weight_format="bf16")
    assert large.fits[0]
    assert large.fewest_devices[0] == 12


# Choosing


def test_devices_without_the_engine_are_not_estimated() -> None:
    without = estimate(arrays({"frameworks": ("pytorch",)}))
    assert not without.supported[0]
    assert not without.fits[0]


def test_a_missing_figure_leaves_no_estimate() -> None:
    assert not estimate(arrays({"memory_bandwidth_bytes_per_s": None})).supported[0]


def test_a_target_that_no_layout_meets_is_said_to_be_missed() -> None:
    hurried = of("nvidia-l4", tpot_ms=5)
    assert hurried.fits[0]
    assert not hurried.meets_target[0]
    assert hurried.tpot_seconds[0] > 0.005


def test_one_user_needs_one_copy() -> None:
    single = of("nvidia-h200-sxm", users=1)
    assert single.copies[0] == single.batch[0] == single.users_per_copy[0] == 1
    assert single.devices[0] == single.layout_devices[0]


def test_copies_hold_the_users_and_keep_up_with_them() -> None:
    def load(caches: float, rate: float) -> float:
        return float(
            load_in_copies(
                users=128,
                requests_per_s=6.4,
                cached_users=np.array(caches),
                copy_requests_per_s=np.array(rate),
                headroom=0.2,
            )
        )

    assert load(caches=40, rate=100) == 128 / 32
    assert load(caches=400, rate=2) == 6.4 / 1.6
    assert load(caches=1, rate=100) == 128  # a lone user leaves no headroom to keep


def test_a_user_waits_for_the_answer_before_asking_again() -> None:
    # 400 tokens at 40 ms after 2 s take 18 s, 4,000 tokens 162 s.
    usual = Scenario(users=90, output_tokens=400, tpot_ms=40, ttft_ms=2000)
    assert peak_requests_per_s(usual.model_copy(update={"request_interval_seconds": 30})) == 3
    assert peak_requests_per_s(usual.model_copy(update={"request_interval_seconds": 2})) == 5
    long = usual.model_copy(update={"output_tokens": 4000})
    assert peak_requests_per_s(long) == 90 / 162


@pytest.mark.parametrize("changes", [{"output_tokens": 100}, {"output_tokens": 4000}, {}])
def test_in_flight_is_what_the_rate_and_the_times_make_of_it(changes: dict[str, object]) -> None:
    found = of("nvidia-h100-sxm", **changes)
    in_flight = float(found.batch[0] * found.copies[0])
    seconds = float(found.tpot_seconds[0]) * found.times.output_tokens
    seconds += float(found.times.prefill.total[0, 0])  # a request's own prompt is in flight too
    assert in_flight == pytest.approx(found.peak_requests_per_s * seconds, rel=0.02)  # Little's law


def test_slow_cards_in_wide_groups_are_no_bargain() -> None:
    chosen = estimate(SHORTLIST)
    devices = dict(zip(SHORTLIST.ids, chosen.devices, strict=True))
    width = dict(zip(SHORTLIST.ids, chosen.tensor, strict=True))
    assert width["nvidia-l4"] <= 8
    assert devices["nvidia-l4"] > 10 * devices["nvidia-h100-sxm"]


# Laws


@given(question=scenarios())
def test_parts_sum_to_totals_and_fit_in_memory(question: dict[str, object]) -> None:
    found = estimate(SHORTLIST, **question)
    fits = found.fits
    parts = found.weights_bytes + found.cache_bytes + found.activations_bytes + found.overhead_bytes
    assert np.all(found.used_bytes == parts)
    assert np.all(parts[fits] <= found.usable_bytes[fits])
    assert found.limit_shares[:, fits].sum(axis=0) == pytest.approx(np.ones(fits.sum()))
    assert np.all(found.limit_shares[:, fits] >= 0)
    seconds = found.decode.total[fits] * found.batch[fits]
    step = found.times.step_seconds(found.batch[:, None])[fits, 0]
    assert seconds == pytest.approx(step * found.times.output_tokens)


@given(question=scenarios())
def test_the_plan_keeps_its_promises(question: dict[str, object]) -> None:
    scenario = Scenario(**question)
    found = estimate(SHORTLIST, **question)
    met = found.meets_target
    assert np.all(found.fits[met])
    assert np.all(found.tpot_seconds[met] <= scenario.tpot_ms / 1000 + 1e-9)
    assert np.all(found.ttft_seconds[met] <= scenario.ttft_ms / 1000 + 1e-9)
    assert np.all(found.batch[met] <= np.maximum(found.largest_batch[met], 1))
    assert np.all((found.copies * found.users_per_copy)[found.fits] >= scenario.users)
    assert np.all(found.peak_utilization[met] <= 1 - scenario.headroom_percent / 100 + 1e-9)
    assert np.all(np.isfinite(found.ttft_seconds[found.fits]))
    assert np.all(np.isfinite(found.devices[found.fits]))


@given(question=scenarios(), looser=st.sampled_from(TPOT_MS))
def test_a_looser_target_never_needs_more_devices(
    question: dict[str, object], looser: float
) -> None:
    tight, loose = sorted((question["tpot_ms"], looser))
    before = estimate(SHORTLIST, **(question | {"tpot_ms": tight}))
    after = estimate(SHORTLIST, **(question | {"tpot_ms": loose}))
    met = before.meets_target
    assert np.all(after.meets_target[met])
    assert np.all(after.devices[met] <= before.devices[met])


@given(question=scenarios(), more=st.sampled_from(USERS))
def test_more_users_never_need_fewer_devices(question: dict[str, object], more: int) -> None:
    few, many = sorted((question["users"], more))
    before = estimate(SHORTLIST, **(question | {"users": few}))
    after = estimate(SHORTLIST, **(question | {"users": many}))
    fits = before.fits
    assert np.all(after.fits == fits)
    assert np.all(after.devices[fits] >= before.devices[fits])


@given(question=scenarios(), longer=st.sampled_from(CONTEXT_TOKENS))
def test_a_longer_context_never_fits_on_fewer(question: dict[str, object], longer: int) -> None:
    short, long = sorted((question["context_tokens"], longer))
    before = estimate(SHORTLIST, **(question | {"context_tokens": short}))
    after = estimate(SHORTLIST, **(question | {"context_tokens": long}))
    assert np.all(before.fits[after.fits])
    assert np.all(after.fewest_devices[after.fits] >= before.fewest_devices[after.fits])
