"""Fit what devices draw in each state of work to measured power: rows for `calibration.csv`.

A decode step of the planner's own engine says which share of its time a device reads memory,
computes or waits; the measured draw over the rating is the mean of the levels of these states.
Levels are found by least squares of the logarithm, held below the rating, with every device and
model weighing the same. Tasks whose prompts are long or unknown are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.calibration.files import FittedConstant
from hwplanner.catalog.catalog import load_catalog
from hwplanner.catalog.device import DeviceArrays, device_arrays
from hwplanner.evidence.device_names import resolve_device
from hwplanner.evidence.measurements import measurement_rows
from hwplanner.evidence.model_names import resolve_model
from hwplanner.model.numbers import ModelNumbers, model_numbers, stacked
from hwplanner.model.precision import FORMATS, WeightBytes, arithmetic_peaks, weight_bytes
from hwplanner.model.presets import load_models
from hwplanner.physics.power import NAME
from hwplanner.physics.time_parts import TimeParts
from hwplanner.serving.job import Requests, ServingJob
from hwplanner.serving.layouts import ServingLayouts
from hwplanner.serving.links import serving_links
from hwplanner.serving.rates import serving_rates
from hwplanner.serving.steps import serving_times
from hwplanner.units import Array

KIND = "power"
TASKS = ("lm-arena-chat", "gpqa")  # short prompts, long answers
STATES = ("waiting", "memory", "compute")
WEIGHTS = {"bfloat16": "bf16", "fp8": "fp8", "mxfp4": "mxfp4"}
TENTH_NORMAL = 1.2816  # standard deviations from the median to the tenth of 10
CHUNK_TOKENS = 8192
FULL = 0.999


@dataclass(frozen=True, eq=False)
class PowerRuns:
    """Measured runs, one entry each.

    Attributes
    ----------
    groups
        Device and model of each run: runs of one group are alike.
    formats
        Number format of the weights.
    measured_share
        Measured draw of a device over its rating. [share of rating]
    devices, numbers, weights, tensor, output_tokens, batch
        What was run; batch in requests.
    """

    groups: tuple[str, ...]
    formats: tuple[str, ...]
    measured_share: Array
    devices: DeviceArrays
    numbers: ModelNumbers
    weights: WeightBytes
    tensor: Array
    output_tokens: Array
    batch: Array

    def decode(self, assumptions: Assumptions) -> TimeParts:
        """Time of a request's answer, by what it is spent on. [s]"""
        layouts = ServingLayouts(
            tensor=self.tensor,
            pipeline=np.ones_like(self.tensor),
            attention_parallel=np.zeros_like(self.tensor),
        )
        peaks = self.devices.peak_flop_per_s
        by_format = {
            name: arithmetic_peaks(arithmetic=name, peaks=peaks).flop_per_s
            for name in {FORMATS[name].arithmetic for name in self.formats}
        }
        times = serving_times(
            ServingJob(
                model=self.numbers,
                weights=self.weights,
                requests=Requests(
                    context_tokens=self.output_tokens + 1,
                    output_tokens=self.output_tokens,
                    reused_share=0.0,
                    chunk_tokens=CHUNK_TOKENS,
                ),
                cache_bytes_per_value=2.0,
                layouts=layouts,
                rates=serving_rates(
                    devices=self.devices,
                    engines=("vllm",) * len(self.groups),
                    linear_peak_flop_per_s=np.array(
                        [
                            by_format[FORMATS[name].arithmetic][row]
                            for row, name in enumerate(self.formats)
                        ]
                    ),
                    half_peak_flop_per_s=by_format["bf16"],
                    assumptions=assumptions,
                ),
                links=serving_links(devices=self.devices, layouts=layouts, assumptions=assumptions),
                assumptions=assumptions,
            )
        )
        return times.decode(self.batch)

    def state_shares(self, assumptions: Assumptions) -> Array:
        """Share of the time in each of `STATES`, one row a run. [1]"""
        time = self.decode(assumptions)
        parts = (time.communication + time.overhead, time.memory, time.compute)
        return np.stack([np.broadcast_to(part / time.total, self.batch.shape) for part in parts])[
            ..., 0
        ].T


def load_power_runs() -> PowerRuns:
    """Read the runs whose device and model the planner knows."""
    catalog, models = load_catalog(), load_models()
    found = []
    for row in measurement_rows("energy"):
        device, model = resolve_device(row.text("gpu_model")), resolve_model(row.text("model"))
        if row.text("task") in TASKS and device is not None and model is not None:
            found.append((row, catalog.device(device.device_id), models.get(model.model_id)))
    formats = tuple(WEIGHTS[row.text("prec")] for row, _, _ in found)
    numbers = [model_numbers(shape) for _, _, shape in found]

    def column(name: str) -> Array:
        return np.array([[float(row.text(name))] for row, _, _ in found])

    devices = device_arrays([device for _, device, _ in found])
    drawn_watts = column("avg_power_watts") / column("num_gpus")
    return PowerRuns(
        groups=tuple(f"{device.id} {shape.id}" for _, device, shape in found),
        formats=formats,
        measured_share=drawn_watts[:, 0] / devices.rated_watts,
        devices=devices,
        numbers=stacked(numbers),
        weights=stacked(
            [
                weight_bytes(model=model, weight_format=FORMATS[name])
                for model, name in zip(numbers, formats, strict=True)
            ]
        ),
        tensor=column("num_gpus"),
        output_tokens=column("avg_output_len"),
        batch=column("avg_batch_size"),
    )


def power_constants(assumptions: Assumptions) -> list[FittedConstant]:
    """Levels of the states of work and the band of the draw, with the ranges of 8 of 10 cases.

    Parameters
    ----------
    assumptions
        Constants of the time of a step; fit these first.

    Notes
    -----
    Ranges of levels come from leaving out one device and model at a time, the band from what the
    runs so left out drew over what was then expected of them.
    """
    runs = load_power_runs()
    shares, groups = runs.state_shares(assumptions), np.array(runs.groups)
    levels = _levels(shares, runs.measured_share, groups)
    names, counts = np.unique(groups, return_counts=True)
    without = np.array(
        [
            _levels(
                shares[groups != name], runs.measured_share[groups != name], groups[groups != name]
            )
            for name in names
        ]
    )
    error = np.sqrt((len(names) - 1) * without.var(axis=0))
    expected = (shares * without[np.searchsorted(names, groups)]).sum(axis=1)
    worth = 1 / counts[np.searchsorted(names, groups)]
    low, high = _quantiles(runs.measured_share / expected, worth, (0.1, 0.9))
    return [
        *_level_rows(levels, error, len(groups), assumptions),
        FittedConstant("power_band", "", low, 1.0, high, KIND, len(groups), 1),
    ]


def _level_rows(
    levels: Array, error: Array, n: int, assumptions: Assumptions
) -> Iterator[FittedConstant]:
    """Rows of the levels; one that stands at the rating keeps the low end it had."""
    for state, level, spread in zip(STATES, levels, TENTH_NORMAL * error, strict=True):
        low, high = max(level - spread, 0.0), min(level + spread, 1.0)
        if level > FULL:
            level, low, high = 1.0, assumptions.range(NAME, state)[0], 1.0
        yield FittedConstant(NAME, state, float(low), float(level), float(high), KIND, n, 1)


def _levels(shares: Array, measured: Array, groups: Array) -> Array:
    """Level of each state with the least squares of the logarithm. [share of rating]"""
    from scipy.optimize import least_squares

    _, place, count = np.unique(groups, return_inverse=True, return_counts=True)
    worth = 1 / np.sqrt(count[place])

    def errors(levels: Array) -> Array:
        return np.asarray(worth * np.log(shares @ levels / measured))

    start = np.full(len(STATES), measured.mean())
    return np.asarray(least_squares(errors, start, bounds=(0.05, 1.0)).x)


def _quantiles(values: Array, weights: Array, levels: tuple[float, float]) -> tuple[float, float]:
    """Weighted quantiles."""
    order = np.argsort(values)
    reached = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    low, high = np.interp(levels, reached, values[order])
    return float(low), float(high)
