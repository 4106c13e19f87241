import math

import numpy as np
import pytest

from hwplanner.assumptions import load_priors
from hwplanner.calibration.percentiles import (
    benchmarks,
    lognormal_variation,
    over_mean,
    p95,
    percentile_ranges,
    spread_of_benchmarks,
)
from hwplanner.files.csv_files import Row


def run(**changes: str) -> Row:
    cells = {
        "ver": "v1", "org": "A", "system": "s", "bench": "llama-99", "scen": "Server",
        "valid": "True", "mean_tpot": "100", "p50_tpot": "90", "p90_tpot": "110",
        "p99_tpot": "220",
    }  # fmt: skip
    return Row(line=2, cells=cells | changes)


def test_a_run_under_two_accuracy_targets_counts_once() -> None:
    rows = [run(), run(bench="llama-99.9"), run(system="t"), run(scen="Interactive")]
    assert [len(runs) for runs in benchmarks(rows, "tpot")] == [2, 1]


def test_runs_of_other_kinds_are_left_out() -> None:
    rows = [run(scen="Offline"), run(valid="False"), run(p99_tpot="")]
    assert benchmarks(rows, "tpot") == []


def test_ratios_to_the_mean() -> None:
    # 110 to 220 is a doubling; (1.6449 - 1.2816) / (2.3263 - 1.2816) = 0.3477 of it
    [runs] = benchmarks([run()], "tpot")
    assert over_mean(runs)[0] == pytest.approx([0.9, 1.1 * 2**0.3477, 2.2], rel=1e-4)


def test_p95_of_a_lognormal_is_exact() -> None:
    log = {"p90": 1.281552, "p95": 1.644854, "p99": 2.326348}
    figures = {name: math.exp(0.5 * deviations) for name, deviations in log.items()}
    assert p95(figures) == pytest.approx(figures["p95"], rel=1e-5)


def test_variation_of_a_lognormal() -> None:
    # s = 0.4: p99 over mean is exp(2.326348 * 0.4 - 0.08)
    ratio = math.exp(2.326348 * 0.4 - 0.08)
    assert lognormal_variation(ratio) == pytest.approx(math.sqrt(math.exp(0.16) - 1), rel=1e-5)


def test_assumptions_hold_what_the_shipped_runs_say() -> None:
    priors = load_priors()
    for place, found in percentile_ranges().items():
        assert priors.range(*place) == pytest.approx(found, rel=0.01)


def test_first_token_of_shipped_runs_is_about_log_normal() -> None:
    """The log-normal through the middle 99th percentile meets the median and the 95th."""
    p50, p95_, p99 = spread_of_benchmarks("ttft")[1]
    log = math.log1p(lognormal_variation(p99) ** 2)
    expected = [math.exp(z * math.sqrt(log) - log / 2) for z in (0.0, 1.644854)]
    assert np.array([p50, p95_]) == pytest.approx(expected, rel=0.05)
