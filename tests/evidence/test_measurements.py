"""Shipped measurements as runs."""

import pytest

from hwplanner.evidence.measurements import load_measurements, measurement_rows, measurements_of
from hwplanner.evidence.rows import read_run_rows
from hwplanner.files.csv_files import DATA_DIR


def test_a_row_holds_its_inputs_and_apart_from_them_what_was_measured() -> None:
    run = next(run for run in load_measurements("fp8_tables") if run.id == "fp8-00")
    assert run.text("model") == "nvidia/Llama-3.1-8B-Instruct-FP8"
    assert (run.number("input_tokens"), run.number("output_tokens")) == (128.0, 128.0)
    assert run.measured == {"output_tokens_per_s": 27911.0}
    assert run.address.startswith("https://github.com/NVIDIA/TensorRT-LLM")
    assert run.date == "2025-09"
    with pytest.raises(KeyError):
        run.text("output_tokens_per_s")


def test_shipped_runs_have_the_inputs_that_predict_reads() -> None:
    for name in ("serving", "training", "training_memory", "serving_memory"):
        read = read_run_rows(DATA_DIR / "measurements" / f"{name}.csv")
        for run, row in zip(load_measurements(name), read, strict=True):
            assert (run.id, run.line, run.cells, run.fault) == (row.id, row.line, row.cells, "")


def test_a_kind_has_all_its_files() -> None:
    expected = sum(map(len, map(load_measurements, ("serving", "serving_latency", "fp8_tables"))))
    assert len(measurements_of("serving")) == expected == 894 + 1585 + 60


def test_other_tables_are_read_as_they_stand() -> None:
    row = measurement_rows("latency_percentiles")[1]
    assert row.text("system") == "1xMI300X_2xEPYC-9374F"
    assert row.number("p50_tpot") == 156937729.0


def test_a_file_that_is_missing_is_told() -> None:
    with pytest.raises(KeyError, match="none"):
        measurement_rows("none")
