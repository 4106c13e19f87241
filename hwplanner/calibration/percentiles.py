"""How percentiles of latency stand to the mean in published runs of servers under load.

`python -m hwplanner.calibration.percentiles` prints what stands in `data/assumptions.csv` as
`token_time_percentile` and `first_token_variation`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from statistics import NormalDist

import numpy as np

from hwplanner.evidence.measurements import measurement_rows
from hwplanner.files.csv_files import Row
from hwplanner.units import Array

SCENARIOS = ("Server", "Interactive")
ACCURACY_TARGETS = ("-99.9", "-99")  # of one benchmark; often the same run under both
SPREAD = (10, 50, 90)

Figures = dict[str, float]


def benchmarks(rows: Iterable[Row], quantity: str) -> list[list[Figures]]:
    """Runs of each benchmark and scenario, each run once: mean, p50, p90, p99 of a quantity.

    Parameters
    ----------
    rows
        Of `latency_percentiles.csv`.
    quantity
        `ttft` or `tpot`.
    """
    runs: dict[tuple[str, str], dict[tuple[str, ...], Figures]] = defaultdict(dict)
    for row in rows:
        figures = {name: row.number(f"{name}_{quantity}") for name in ("mean", "p50", "p90", "p99")}
        known = {name: figure for name, figure in figures.items() if figure is not None}
        if row.text("scen") in SCENARIOS and row.text("valid") == "True" and len(known) == 4:
            name = row.text("bench").replace("_", ".")
            for target in ACCURACY_TARGETS:
                name = name.removesuffix(target)
            run = (row.text("ver"), row.text("org"), row.text("system"), str(known["mean"]))
            runs[name, row.text("scen")][run] = known
    return [list(same.values()) for same in runs.values()]


def over_mean(runs: Iterable[Figures]) -> Array:
    """p50, p95 and p99 over the mean of each run. [ratio, (runs, 3)]"""
    ratios = [(run["p50"], p95(run), run["p99"], run["mean"]) for run in runs]
    return np.array([np.array(points) / mean for *points, mean in ratios])


def p95(run: Figures) -> float:
    """95th percentile between the 90th and the 99th, as of a log-normal.

    Examples
    --------
    >>> round(p95({"p90": 1.0, "p99": 2.0}), 3)
    1.273
    """
    low, middle, high = (NormalDist().inv_cdf(share) for share in (0.9, 0.95, 0.99))
    return float(run["p90"] * (run["p99"] / run["p90"]) ** ((middle - low) / (high - low)))


def spread_of_benchmarks(quantity: str) -> Array:
    """Ratios to the mean in the 10th, 50th and 90th percentile of runs. [ratio, (3, p50 p95 p99)]

    Of each benchmark apart, then their median: one has three times the runs of the next.
    """
    by_benchmark = [
        np.percentile(over_mean(runs), SPREAD, axis=0)
        for runs in benchmarks(measurement_rows("latency_percentiles"), quantity)
    ]
    return np.asarray(np.median(by_benchmark, axis=0))


def steadiest_p99() -> float:
    """p99 over mean of the first token in the steadiest tenth of the steadiest benchmark."""
    return min(
        float(np.percentile(over_mean(runs)[:, 2], SPREAD[0]))
        for runs in benchmarks(measurement_rows("latency_percentiles"), "ttft")
    )


def lognormal_variation(p99_over_mean: float) -> float:
    """Coefficient of variation of the log-normal with such a 99th percentile.

    Examples
    --------
    >>> round(lognormal_variation(2.17), 2)
    0.37
    """
    deviations = NormalDist().inv_cdf(0.99)
    log_deviation = deviations - math.sqrt(deviations**2 - 2 * math.log(p99_over_mean))
    return math.sqrt(math.expm1(log_deviation**2))


def percentile_ranges() -> dict[tuple[str, str], tuple[float, float, float]]:
    """Low, typical and high value of each assumption, by name and key."""
    tokens = spread_of_benchmarks("tpot")
    first = spread_of_benchmarks("ttft")[:, 2]
    steady = [lognormal_variation(ratio) for ratio in (steadiest_p99(), first[0], first[1])]
    found: dict[tuple[str, str], tuple[float, float, float]] = {
        ("first_token_variation", ""): (steady[0], steady[1], steady[2])
    }
    for place, name in enumerate(("p50", "p95", "p99")):
        low, typical, high = map(float, tokens[:, place])
        found["token_time_percentile", name] = (low, typical, high)
    return found


if __name__ == "__main__":
    for (name, key), (low, typical, high) in percentile_ranges().items():
        print(f"{name},{key},{low:.3g},{typical:.3g},{high:.3g}")
