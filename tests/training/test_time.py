"""Time of a step: its parts by hand, speeds that others measured, laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.catalog import load_catalog
from hwplanner.catalog.device import DeviceArrays, device_arrays
from hwplanner.evidence.intervals import load_intervals
from hwplanner.model.numbers import ModelNumbers
from hwplanner.physics.time_parts import TimeParts
from hwplanner.training.compute import micro_batch_time
from hwplanner.training.layouts import TrainingLayout
from hwplanner.training.links import training_links
from hwplanner.training.rates import training_peaks, training_rates
from hwplanner.training.run import TrainingRun
from hwplanner.training.time import step_time
from tests.devices import ROUND, arrays
from tests.published import published
from tests.training_runs import (
    ASSUMPTIONS,
    assumed,
    jobs,
    layouts_of_small_models,
    run_of,
    small_model,
    small_models,
)

BANDWIDTH = 3e12


def step_of(
    run: TrainingRun,
    devices: DeviceArrays | None = None,
    *,
    recompute_passes: float = 0,
    assumptions: Assumptions = ASSUMPTIONS,
) -> TimeParts:
    known = arrays() if devices is None else devices
    passes = np.full((len(known), len(run.layouts.tensor)), recompute_passes)
    return step_time(
        run,
        training_rates(training_peaks(run.recipe, known), assumptions),
        training_links(known, assumptions),
        passes,
        assumptions,
    )


def micro_batch_of(run: TrainingRun, assumptions: Assumptions = ASSUMPTIONS) -> TimeParts:
    rates = training_rates(training_peaks(run.recipe, arrays()), assumptions)
    return micro_batch_time(run, rates, np.array([[0.0]]), assumptions)


def test_one_device_repeats_micro_batches_and_then_updates() -> None:
    # AdamW: master copy and moments, 12 bytes, read and written; gradient and weight, 2 each.
    assumptions = assumed(training_bandwidth_efficiency=1)
    model = small_model()
    run = run_of(model, batch_sequences=32)
    step = step_of(run, assumptions=assumptions)
    micro = micro_batch_of(run, assumptions)
    assert step.communication == 0
    assert step.compute == pytest.approx(32 * micro.compute)
    update = 28 * model.total_parameters / BANDWIDTH
    assert step.memory == pytest.approx(32 * micro.memory + update)


def test_a_pipeline_is_idle_while_it_fills() -> None:
    # Four stages in two chunks each: 3/2 micro-batches of idling beside the eight of the batch.
    run = run_of(small_model(), TrainingLayout(pipeline=4), batch_sequences=8)
    assumptions = assumed(pipeline_interleave=2, training_host_layer_seconds__pytorch=0)
    step = step_of(run, assumptions=assumptions)
    assert step.overhead == pytest.approx(1.5 * micro_batch_of(run, assumptions).total)


def test_stragglers_cost_a_share_with_each_doubling_above_eight() -> None:
    # A pipeline of one replica: nothing to exchange.
    layouts = TrainingLayout(pipeline=8), TrainingLayout(pipeline=8, tensor=4)
    run = run_of(small_model(), *layouts)
    step = step_of(
        run, assumptions=assumed(scaling_loss_per_doubling=0.01, exposed_share__tensor=0)
    )
    assert step.communication[0, 0] == pytest.approx(0, abs=1e-12)
    assert step.communication[0, 1] == pytest.approx(step.total[0, 1] * (1 - 1 / 1.02))


def test_offload_updates_on_the_host_instead() -> None:
    model = small_model()
    run = run_of(model, offload=True, batch_sequences=1)
    assumptions = assumed(
        offload_seconds_per_parameter=2e-9, training_host_layer_seconds__pytorch=0
    )
    step = step_of(run, assumptions=assumptions)
    assert step.overhead == pytest.approx(2e-9 * model.total_parameters)
    assert step.memory == pytest.approx(micro_batch_of(run, assumptions).memory)


def test_zero_stage_1_shares_the_update() -> None:
    model = small_model()
    run = {"assumptions": assumed(training_bandwidth_efficiency=1), "batch_sequences": 8}
    layout = TrainingLayout(replicas=8)
    whole, shared = (
        step_of(run_of(model, layout, sharding=stage, **run), assumptions=run["assumptions"])
        for stage in ("zero0", "zero1")
    )
    update = 28 * model.total_parameters / BANDWIDTH
    assert whole.memory - shared.memory == pytest.approx(update * 7 / 8)


def measured_over_estimated(case: dict[str, str]) -> float:
    count = {name: int(text) for name, text in case.items() if text.isdigit()}
    layers, hidden, heads = count["layers"], count["hidden"], count["heads"]
    model = small_model(
        layers=layers,
        full_layers=layers,
        dense_layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=count["kv_heads"],
        head_dim=hidden // heads,
        ffn=count["ffn"],
        vocab=count["vocab"],
        gated_mlp=case["gated"] == "1",
    )
    layout = TrainingLayout(
        tensor=count["tensor"],
        pipeline=count["pipeline"],
        replicas=count["replicas"],
        micro_batch=count["micro_batch"],
    )
    run = run_of(
        model,
        layout,
        method=case["method"],
        training_precision=case["precision"],
        sharding=case["sharding"],
        sequence_tokens=count["sequence_tokens"],
        batch_sequences=count["batch_sequences"],
    )
    step = step_of(
        run,
        device_arrays([load_catalog().device(case["device"])]),
        recompute_passes=ASSUMPTIONS.typical("recompute_passes", case["recompute"]),
    )
    tokens = count["batch_sequences"] * count["sequence_tokens"]
    estimate = tokens / layout.devices / step.total[0, 0]
    return float(case["tokens_per_s_per_device"]) / float(estimate)


def test_the_band_holds_eight_of_ten_measured_speeds() -> None:
    ratios = np.array([measured_over_estimated(case) for case in published("training_speeds.csv")])
    low, high = load_intervals().range("training", "tokens_per_s_per_device", "dense", "calibrated")
    assert np.mean((low <= ratios) & (ratios <= high)) >= 0.8
    assert np.median(np.abs(ratios - 1)) < 0.15


@given(
    model=small_models(),
    layout=layouts_of_small_models(),
    job=jobs(),
    recompute_passes=st.floats(0, 1),
)
def test_parts_are_never_negative_and_sum_to_the_step(
    model: ModelNumbers, layout: TrainingLayout, job: dict[str, object], recompute_passes: float
) -> None:
    step = step_of(run_of(model, layout, **job), recompute_passes=recompute_passes)
    parts = np.stack([step.compute, step.memory, step.communication, step.overhead])
    assert (parts >= -1e-12).all()
    assert parts.sum() == pytest.approx(step.total[0, 0])


@given(
    model=small_models(),
    layout=layouts_of_small_models(),
    job=jobs(),
    faster=st.sampled_from(
        [
            ("memory_bandwidth_bytes_per_s",),
            ("bf16_flop_per_s", "fp16_flop_per_s", "fp8_flop_per_s", "fp32_flop_per_s"),
            ("fp8_flop_per_s",),
            ("link_bytes_per_s",),
            ("host_link_bytes_per_s",),
            ("scale_out_bytes_per_s",),
            ("tdp_watts",),
        ]
    ),
    factor=st.floats(1, 4),
)
def test_a_faster_device_is_never_slower(
    model: ModelNumbers,
    layout: TrainingLayout,
    job: dict[str, object],
    faster: tuple[str, ...],
    factor: float,
) -> None:
    run = run_of(model, layout, **job)
    better = {name: ROUND[name] * factor for name in faster}
    before, after = step_of(run, arrays({}, better)).total[:, 0]
    assert after <= before * (1 + 1e-9)


@given(model=small_models(), layout=layouts_of_small_models(), job=jobs())
def test_recomputing_more_never_saves_time(
    model: ModelNumbers, layout: TrainingLayout, job: dict[str, object]
) -> None:
    run = run_of(model, layout, **job)
    some, more = (step_of(run, recompute_passes=passes).total[0, 0] for passes in (0.2, 1.0))
    assert more >= some
