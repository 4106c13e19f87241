"""The choice for each device: fewest devices in time, what does not fit, what is not known."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.catalog.catalog import load_catalog
from hwplanner.catalog.device import device_arrays
from hwplanner.training.candidates import estimate_training, training_candidates
from hwplanner.training.grid import training_grid
from hwplanner.training.layouts import TrainingLayout, as_arrays
from hwplanner.units import GB, SECONDS_PER_HOUR
from tests.devices import NO_FAST_LINK, arrays
from tests.training_runs import ASSUMPTIONS, estimate, published_model, scenario

LLAMA_70B = published_model("llama-3.1-70b")
EIGHTY_GB = {"usable_memory_bytes": 80e9}


def test_llama_70b_needs_sixteen_devices_of_80_gb() -> None:
    # 16 bytes x 70.55e9 = 1,129 GB of states alone: fourteen devices, and powers of two.
    found = estimate(EIGHTY_GB, window_hours=8760)
    assert found.fits[0]
    assert found.devices[0] == found.fewest_devices[0] == 16
    assert found.limited_by[0] == "capacity"
    assert found.fits_barely[0]


def test_llama_405b_does_not_fit_eight_devices_and_says_how_many_it_needs() -> None:
    found = estimate(EIGHTY_GB, model="llama-3.1-405b", max_training_devices=8)
    assert not found.fits[0]
    assert found.devices[0] == 8
    # 16 bytes x 405.85e9 / 8 = 812 GB of states on each device of 80.
    assert found.short_bytes[0] / GB > 812 - 80
    assert found.fewest_devices[0] == 128
    for figure in (found.run_seconds, found.tokens_per_s_per_device, found.mfu, found.step.total):
        assert math.isnan(figure[0])
    assert found.limited_by[0] == "capacity"


def test_without_a_network_a_large_run_fits_no_number_of_devices() -> None:
    card = NO_FAST_LINK | {"scale_out_bytes_per_s": None, "usable_memory_bytes": 24e9}
    found = estimate(card)
    assert not found.fits[0]
    assert math.isnan(found.fewest_devices[0])
    assert found.devices[0] == 8


def test_a_small_run_takes_one_card() -> None:
    card = NO_FAST_LINK | {"scale_out_bytes_per_s": None, "usable_memory_bytes": 24e9}
    found = estimate(card, model="llama-3.1-8b", method="qlora", training_tokens_million=10)
    assert found.devices[0] == 1
    assert found.meets_window[0]


@pytest.mark.parametrize(
    "gap",
    [
        {"training_supported": "no"},
        {"memory_bandwidth_bytes_per_s": None},
        {"bf16_flop_per_s": None, "fp16_flop_per_s": None, "fp32_flop_per_s": None},
    ],
)
def test_what_is_unsupported_or_unpublished_has_no_time(gap: dict[str, object]) -> None:
    found = estimate({}, gap)
    assert found.supported.tolist() == [True, False]
    assert found.fits.tolist() == [True, False]
    assert math.isnan(found.run_seconds[1])


def test_more_devices_are_taken_only_for_a_shorter_window() -> None:
    relaxed, tight = estimate(window_hours=8760), estimate(window_hours=6)
    assert tight.devices[0] > relaxed.devices[0]
    assert tight.meets_window[0]
    assert tight.run_seconds[0] <= 6 * SECONDS_PER_HOUR
    assert not tight.limited_by_capacity[0]


def test_the_chosen_layout_evaluated_alone_gives_the_same_figures() -> None:
    question = scenario()
    found = estimate_training(question, LLAMA_70B, arrays(), ASSUMPTIONS)
    layout = TrainingLayout(
        **{name: int(getattr(found.layout, name)[0]) for name in TrainingLayout._fields}
    )
    alone = as_arrays([layout], batch_sequences=question.batch_sequences)
    grid = training_grid(question, LLAMA_70B, arrays(), alone, ASSUMPTIONS)
    assert grid.work_seconds[0, 0] == found.work_seconds[0]
    assert grid.recompute[0, 0] == found.recompute[0]
    assert grid.memory.total_bytes[found.recompute[0], 0] == found.memory.total_bytes[0]
    assert grid.step.total[0, 0] == pytest.approx(found.step.total[0])


@given(
    window=st.floats(1, 1000),
    looser=st.floats(1, 8760),
    tokens=st.sampled_from([1.0, 100.0, 10_000.0]),
)
@settings(max_examples=30)
def test_a_looser_window_never_needs_more_devices(
    window: float, looser: float, tokens: float
) -> None:
    tight = estimate(window_hours=window, training_tokens_million=tokens)
    loose = estimate(window_hours=min(window + looser, 8760), training_tokens_million=tokens)
    assert loose.meets_window[0] >= tight.meets_window[0]
    if tight.meets_window[0]:
        assert loose.devices[0] <= tight.devices[0]


@given(
    method=st.sampled_from(["pretrain", "full", "lora", "qlora"]),
    precision=st.sampled_from(["bf16", "fp16", "fp8", "fp32"]),
    sequence_tokens=st.sampled_from([512, 4096, 32768, 262144]),
    batch_sequences=st.sampled_from([1, 64, 16384]),
    most=st.sampled_from([1, 8, 1024, 32768]),
    model=st.sampled_from(["llama-3.2-1b", "mixtral-8x7b", "gemma-3-27b", "deepseek-v3"]),
)
@settings(max_examples=40)
def test_every_device_of_the_catalogue_has_an_answer(
    method: str, precision: str, sequence_tokens: int, batch_sequences: int, most: int, model: str
) -> None:
    found = estimate_training(
        scenario(
            method=method,
            training_precision=precision,
            sequence_tokens=sequence_tokens,
            batch_sequences=batch_sequences,
            max_training_devices=most,
        ),
        published_model(model),
        device_arrays(load_catalog().devices),
        ASSUMPTIONS,
    )
    fits = found.fits
    assert (found.devices <= most).all()
    assert np.isfinite(found.run_seconds[fits]).all()
    assert np.isnan(found.run_seconds[~fits]).all()
    assert (found.memory.total_bytes[fits] <= found.usable_bytes[fits]).all()
    assert (found.fewest_devices[fits] <= found.devices[fits]).all()
    assert not (found.meets_window & ~fits).any()
    assert not (fits & ~found.supported).any()
    assert (found.mfu[fits] > 0).all()


def test_the_least_burden_in_time_is_chosen_and_the_least_busy_of_several() -> None:
    question = scenario(window_hours=72)
    found = training_candidates(question, LLAMA_70B, arrays(), ASSUMPTIONS)
    in_time = found.possible[0] & (found.run_hours[0] <= 72)
    hours = np.where(in_time, found.layout_devices * found.run_hours[0], np.inf)
    fewest_hours = found.least(found.layout_devices * found.run_hours)
    assert fewest_hours.device_hours[0] == pytest.approx(hours.min())
    # Where nothing is better than anything else, or nothing is known, the least work is.
    for burden in (np.zeros(1), np.full_like(found.run_hours, np.nan)):
        assert found.least(burden).device_hours[0] == pytest.approx(hours.min())


def test_pretraining_at_scale_loses_a_seventh_of_its_time() -> None:
    # 405B on 16,384 H100: one interruption in 3.1 h, checkpoints of 60 s and restarts of 600 s.
    question = {
        "method": "pretrain",
        "training_tokens_million": 1_000_000,
        "batch_sequences": 16384,
        "max_training_devices": 16384,
        "window_hours": 1,
    }
    found = estimate(EIGHTY_GB, model="llama-3.1-405b", **question)
    assert found.devices[0] == 16384
    assert found.goodput[0] == pytest.approx(0.8597, abs=1e-4)


def test_rented_devices_are_waited_for_but_not_paid_for_until_they_come() -> None:
    question = scenario(window_hours=72, setup_hours=2)
    owned = training_candidates(question, LLAMA_70B, arrays(), ASSUMPTIONS)
    rented = owned.rented(40)
    assert rented.run_hours == pytest.approx(owned.run_hours + 40)
    assert rented.held_hours == pytest.approx(owned.held_hours)
    late = owned.in_time & (owned.run_hours > 32)
    assert late.any()
    assert (rented.in_time == owned.in_time & ~late).all()
    found = rented.least(rented.layout_devices)
    assert found.run_hours[0] == pytest.approx(found.held_hours[0] + 40)
    assert found.device_hours[0] == pytest.approx(found.devices[0] * found.held_hours[0])
    assert found.meets_window[0]
    assert found.run_hours[0] <= 72


def test_devices_that_are_taken_back_slow_a_run_down() -> None:
    candidates = training_candidates(scenario(), LLAMA_70B, arrays({}, {}), ASSUMPTIONS)
    spot = candidates.rented(0, np.array([0.0, 0.5]))
    assert spot.run_hours[0] == pytest.approx(candidates.run_hours[0], nan_ok=True)
    assert (spot.goodput[1] < 0.9).all()
    found = spot.least(np.zeros(1))
    assert found.interruptions_per_hour.tolist() == [0, 0.5]
    assert found.goodput[1] < found.goodput[0]
    tokens = found.tokens_per_s_per_device * found.devices * found.work_seconds
    assert tokens == pytest.approx(2000e6)


def test_a_wait_as_long_as_the_window_leaves_no_time() -> None:
    candidates = training_candidates(scenario(window_hours=24), LLAMA_70B, arrays(), ASSUMPTIONS)
    found = candidates.rented(24).least(np.zeros(1))
    assert found.fits[0]
    assert not found.meets_window[0]
