"""Published training runs: the planner's own formulas, all rows at once."""

import time

import numpy as np
import pytest

from hwplanner.assumptions import load_assumptions
from hwplanner.catalog.catalog import load_catalog
from hwplanner.catalog.device import device_arrays
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.training_memory_runs import TrainingMemoryRuns
from hwplanner.evidence.training_runs import TrainingRuns
from hwplanner.training.grid import training_grid
from hwplanner.training.layouts import TrainingLayout, as_arrays
from tests.training_rows import training_row
from tests.training_runs import published_model, scenario

CATALOG, ASSUMPTIONS = load_catalog(), load_assumptions()


def estimates(*rows: RunRow) -> dict[str, np.ndarray]:
    return dict(TrainingRuns.prepare(rows, CATALOG).outcome(ASSUMPTIONS).figures)


def value(**changes: str) -> float:
    row = training_row(**{"quantity": "peak per device", "unit": "GB"} | changes)
    outcome = TrainingMemoryRuns.prepare([row], CATALOG).outcome(ASSUMPTIONS)
    assert outcome.statuses == ("ok",)
    return float(outcome.figures["value"][0])


def test_a_row_is_estimated_as_the_planner_estimates_the_same_run() -> None:
    question = scenario(
        method="pretrain", sequence_tokens=8192, batch_sequences=16, recompute="full",
        sharding="zero3",
    )  # fmt: skip
    layout = as_arrays([TrainingLayout(replicas=8, micro_batch=2)], batch_sequences=16)
    devices = device_arrays([CATALOG.device("nvidia-h100-sxm")])
    grid = training_grid(question, published_model("llama-3.1-8b"), devices, layout, ASSUMPTIONS)
    found = estimates(training_row())
    assert found["step_time_s"][0] == pytest.approx(grid.step.total[0, 0])
    assert found["tokens_per_s_per_device"][0] == pytest.approx(
        16 * 8192 / grid.step.total[0, 0] / 8
    )
    assert found["peak_memory_gb"][0] == pytest.approx(grid.memory.total_bytes[2, 0] / 1e9)


def test_rows_do_not_mind_their_neighbours() -> None:
    rows = (
        training_row(id="a"),
        training_row(id="b", model="Qwen3-30B-A3B", framework="Megatron-Bridge 26.04", ep="8"),
        training_row(id="c", method="qlora", precision="nf4 base + bf16", device="RTX 4090"),
    )
    together = estimates(*rows)
    for place, row in enumerate(rows):
        for figure, values in estimates(row).items():
            assert together[figure][place] == pytest.approx(values[0], rel=1e-12)


def test_a_lower_power_limit_is_slower() -> None:
    speed = estimates(training_row(device="A100-80GB"), training_row(device="A100-80GB (330 W)"))[
        "tokens_per_s_per_device"
    ]
    assert speed[1] < speed[0]


def test_software_older_than_kernels_for_the_device_attends_slower() -> None:
    rows = [training_row(seq_len="65536", source_date=date) for date in ("2024-03", "2025-06")]
    speed = estimates(*rows)["tokens_per_s_per_device"]
    assert speed[0] < speed[1]


def test_an_unknown_name_is_unsupported_in_words() -> None:
    rows = [training_row(), training_row(device="Gronk 9000"), training_row(model="Gronk-7")]
    outcome = TrainingRuns.prepare(rows, CATALOG).outcome(ASSUMPTIONS)
    assert outcome.statuses == ("ok", "unsupported", "unsupported")
    assert "Gronk 9000" in outcome.reasons[1]
    assert np.isnan(outcome.figures["step_time_s"][1:]).all()


def test_no_rows_are_no_estimates() -> None:
    assert TrainingRuns.prepare([], CATALOG).outcome(ASSUMPTIONS).statuses == ()
    assert TrainingMemoryRuns.prepare([], CATALOG).outcome(ASSUMPTIONS).statuses == ()


def test_a_thousand_rows_take_milliseconds() -> None:
    runs = TrainingRuns.prepare([training_row(id=str(place)) for place in range(1000)], CATALOG)
    runs.outcome(ASSUMPTIONS)
    begun = time.perf_counter()
    runs.outcome(ASSUMPTIONS)
    assert time.perf_counter() - begun < 0.1


def test_regimes_tell_mixtures_and_long_sequences() -> None:
    rows = [
        training_row(),
        training_row(model="Qwen3-30B-A3B"),
        training_row(seq_len="131072"),
    ]
    runs = TrainingRuns.prepare(rows, CATALOG)
    assert runs.regimes["tokens_per_s_per_device"] == ("dense", "moe", "long")


def test_memory_comes_in_the_unit_of_the_row() -> None:
    assert value(unit="GB") / value(unit="GiB") == pytest.approx(2**30 / 1e9)


def test_adam_keeps_16_bytes_of_state_for_a_parameter() -> None:
    states = {"quantity": "model states per parameter", "unit": "bytes/param"}
    assert value(method="full_ft", optimizer="adam", **states) == 16


@pytest.mark.parametrize(
    ("words", "percent"),
    [
        # Korthikanti et al. 2022, figure 7, the 22-billion model.
        ("sequence parallel only", 66.84),
        ("selective recompute only", 49.42),
        ("sequence parallel + selective", 16.18),
        ("full recompute", 7.64),
    ],
)
def test_activations_against_tensor_parallelism_alone(words: str, percent: float) -> None:
    share = value(
        quantity=f"activation memory as % of tensor-parallel baseline: {words}",
        unit="%", model="megatron-22B", params_b="22", layers="48", hidden="6144", heads="64",
        ffn="24576", vocab="51200", seq_len="2048", tp="8", source_date="2022-05",
    )  # fmt: skip
    assert share == pytest.approx(percent, abs=0.6)


def test_a_run_shows_no_more_than_its_device_has() -> None:
    assert value(seq_len="1048576", micro_batch="8") == pytest.approx(80 * 2**30 / 1e9)


def test_an_unstated_batch_is_drawn_to_the_devices_memory() -> None:
    small = {"model": "Llama-3.2-1B", "micro_batch": ""}
    assert value(device="H200", **small) > value(device="H100-80GB", **small)


def test_an_average_is_below_the_peak_and_above_the_states() -> None:
    peak = value(quantity="peak reserved per device")
    states = value(quantity="parameters+optimizer state per device")
    assert states < value(quantity="average reserved per device") < peak


def test_what_is_not_estimated_is_said() -> None:
    row = training_row(quantity="carbon", unit="kg")
    outcome = TrainingMemoryRuns.prepare([row], CATALOG).outcome(ASSUMPTIONS)
    assert outcome.statuses == ("unsupported",)
    assert "carbon" in outcome.reasons[0]
