"""Measure the engine without a screen: whole plans, and single serving candidates.

Usage: python benchmarks/engine.py [--json] [--rounds N]

catalog_load_ms_p50 read and check the catalogue's files [ms]
shortlist_ms_p50   one scenario, both jobs and their money, on the shortlist [ms]
all_devices_ms_p50 the same on the whole catalogue [ms]
what_if_ms_p50     what moves the answer of a plan: every input, every break-even [ms]
monte_carlo_ms_p50 10,000 cases of a plan [ms]
devices            devices of the catalogue
candidates         serving candidates: every layout that a device can run, at every batch below
candidates_per_s   how many are worked out in a second: memory, times, throughput and cost

Every round asks another scenario, so that no answer is remembered from the round before.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice, product
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hwplanner.assumptions import load_assumptions
from hwplanner.catalog.catalog import load_catalog
from hwplanner.catalog.device import device_arrays
from hwplanner.finance.monte_carlo import monte_carlo
from hwplanner.finance.what_if import what_if
from hwplanner.model.workload import workload
from hwplanner.money.device_prices import device_prices
from hwplanner.plan import Plan, make_plan
from hwplanner.scenario import Scenario
from hwplanner.serving.estimates import load_in_copies, peak_requests_per_s, serving_grid

BATCHES = 2.0 ** np.arange(16)[:, None, None]  # ahead of device and layout

Work = Callable[[Scenario], object]


def scenarios(*, all_devices: bool) -> Iterator[Scenario]:
    """Ask many different questions: small and large, dense and sparse, short and long."""
    for billion, kind, context_tokens, tpot_ms, users in product(
        (7, 30, 70, 405), ("dense", "moe"), (4096, 32768), (24, 40, 80), (16, 512)
    ):
        yield Scenario(
            parameters_billion=billion,
            kind=kind,
            context_tokens=context_tokens,
            tpot_ms=tpot_ms,
            users=users,
            all_devices=all_devices,
        )


def p50_seconds(rounds: int, work: Work, *, all_devices: bool) -> float:
    """Median time of some work on one scenario. [s]"""
    questions = list(scenarios(all_devices=all_devices))
    for scenario in questions[::8]:  # what a running app has behind it: files read, modules loaded
        work(scenario)
    elapsed = []
    for scenario in islice(cycle(questions), rounds):
        start = time.perf_counter()
        work(scenario)
        elapsed.append(time.perf_counter() - start)
    return median(elapsed)


def work_out_candidates(scenario: Scenario) -> int:
    """Work out every layout of every device at every batch; return how many can be run."""
    catalog, assumptions = load_catalog(), load_assumptions()
    devices = device_arrays(catalog.devices)
    prices = device_prices(scenario, devices.ids, catalog)
    grid = serving_grid(scenario, workload(scenario), devices, assumptions)
    times, memory = grid.times, grid.memory
    with np.errstate(divide="ignore", invalid="ignore"):  # figures that are not published
        step = times.step_seconds(BATCHES)
        rate = times.requests_per_s(BATCHES, step)
        copies = np.ceil(
            load_in_copies(
                users=scenario.users,
                requests_per_s=peak_requests_per_s(scenario),
                cached_users=grid.cached_users,
                copy_requests_per_s=rate,
                headroom=scenario.headroom_percent / 100,
            )
        )
        candidates = {
            "bytes": memory.fixed_bytes + memory.cache_bytes_per_sequence * BATCHES,
            "fits": grid.memory_batch >= BATCHES,
            "tpot_seconds": times.tpot_seconds(BATCHES, step),
            "ttft_seconds": times.ttft_seconds(BATCHES, step),
            "requests_per_s": rate,
            "usd_per_hour": copies * grid.layouts.devices * prices.rent_usd_per_hour[:, None],
        }
    possible = np.broadcast_to(grid.possible, candidates["fits"].shape)
    return int(possible.sum())


def catalog_load_seconds(rounds: int = 9) -> float:
    """Median time to read and check the catalogue's files. [s]"""
    elapsed = []
    for _ in range(rounds):
        load_catalog.cache_clear()
        start = time.perf_counter()
        load_catalog()
        elapsed.append(time.perf_counter() - start)
    return median(elapsed)


def of_plans_seconds(rounds: int, work: Callable[[Plan], object]) -> float:
    """Median time of some work on a plan that is made already. [s]"""
    plans = [make_plan(scenario) for scenario in scenarios(all_devices=False)]
    for plan in plans[::8]:
        work(plan)
    elapsed = []
    for plan in islice(cycle(plans), rounds):
        start = time.perf_counter()
        work(plan)
        elapsed.append(time.perf_counter() - start)
    return median(elapsed)


def measure(rounds: int) -> dict[str, float]:
    """Take all measurements."""
    counts = [work_out_candidates(scenario) for scenario in scenarios(all_devices=True)]
    candidates = round(median(counts))
    candidates_seconds = p50_seconds(rounds, work_out_candidates, all_devices=True)
    return {
        "catalog_load_ms_p50": 1000 * catalog_load_seconds(),
        "shortlist_ms_p50": 1000 * p50_seconds(rounds, make_plan, all_devices=False),
        "all_devices_ms_p50": 1000 * p50_seconds(rounds, make_plan, all_devices=True),
        "what_if_ms_p50": 1000 * of_plans_seconds(rounds, what_if),
        "monte_carlo_ms_p50": 1000 * of_plans_seconds(rounds, monte_carlo),
        "candidates_per_s": round(candidates / candidates_seconds),
        "devices": len(load_catalog().devices),
        "candidates": candidates,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The engine without a screen.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=192, help="scenarios for each figure")
    options = parser.parse_args()
    results = measure(options.rounds)
    if options.json:
        print(json.dumps(results))
    else:
        for name, value in results.items():
            print(f"{name:20} {value:14,.2f}")


if __name__ == "__main__":
    main()
