"""The benchmarks run and print what the README shows."""

import json
import subprocess
import sys

import pytest

from benchmarks.harness import PROJECT

ENGINE = [
    "catalog_load_ms_p50",
    "shortlist_ms_p50",
    "all_devices_ms_p50",
    "what_if_ms_p50",
    "monte_carlo_ms_p50",
    "candidates_per_s",
    "devices",
    "candidates",
]
APP = [
    "script_ms_p50",
    "repaint_ms_p50",
    "repaint_ratio_p50",
    "server_cpu_ratio",
    "first_load_ratio",
    "first_script_ratio",
]


@pytest.mark.parametrize(
    ("script", "options", "names"),
    [
        ("engine.py", ["--rounds=3"], ENGINE),
        ("app.py", ["--changes=2", "--loads=1", "--starts=1"], APP),
    ],
)
def test_benchmark_prints_its_measurements(
    script: str, options: list[str], names: list[str]
) -> None:
    command = [sys.executable, f"benchmarks/{script}", "--json", *options]
    run = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=True)
    printed = json.loads(run.stdout)
    assert list(printed) == names
    assert all(value > 0 for value in printed.values())
