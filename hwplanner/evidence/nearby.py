"""How near the published measurements are that an estimate rests on.

`measured`: a run on the same device with the same software, a similar model and a weight format of
the same width. `calibrated`: the device with other models or software, or a device of its
efficiency class. `extrapolated`: nothing of either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import log

import numpy as np
from numpy.typing import NDArray

from hwplanner.catalog.catalog import Catalog, load_catalog
from hwplanner.catalog.device import DeviceArrays
from hwplanner.catalog.software import engines_of
from hwplanner.evidence.device_names import resolve_device
from hwplanner.evidence.engines import resolve_engine
from hwplanner.evidence.intervals import Tier
from hwplanner.evidence.measurements import Measurement, measurements_of
from hwplanner.evidence.model_names import resolve_model
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.run_formats import run_formats
from hwplanner.model.numbers import model_numbers
from hwplanner.model.presets import load_models
from hwplanner.model.workload import Workload
from hwplanner.scenario import Job, Scenario
from hwplanner.units import BILLION

SIMILAR = 3.0  # times as many active parameters, or as few, make another model
ADAPTER_METHODS = ("lora", "qlora")


@dataclass(frozen=True, slots=True)
class RunFeatures:
    """What decides how alike two runs are.

    Attributes
    ----------
    device_id, device_class
        Device, and its efficiency class.
    software
        Engine, whatever its generation; of training, whether all weights or an adapter learn.
    is_moe, active_parameters, total_parameters
        Of the model. [parameters]
    weight_bits
        Width of the weights: 4, 8, 16 or 32.
    """

    device_id: str
    device_class: str
    software: str
    is_moe: bool
    active_parameters: float
    total_parameters: float
    weight_bits: int


class Neighbours:
    """Runs that an estimate may rest on, ready to be asked.

    Parameters
    ----------
    runs
        Features of the runs; equal ones count once.
    """

    def __init__(self, runs: Iterable[RunFeatures]) -> None:
        distinct = tuple(dict.fromkeys(runs))
        self._pairs = tuple((run.device_id, run.software) for run in distinct)
        self._devices = frozenset(run.device_id for run in distinct)
        self._classes = frozenset(run.device_class for run in distinct)
        self._is_moe = np.array([run.is_moe for run in distinct], dtype=bool)
        self._log_active = np.array([log(run.active_parameters) for run in distinct])
        self._bits = np.array([run.weight_bits for run in distinct])

    def tiers(self, asked: Sequence[RunFeatures]) -> tuple[Tier, ...]:
        """How near the runs are to each of some others."""
        return tuple(self._tier(run) for run in asked)

    def _tier(self, run: RunFeatures) -> Tier:
        measured = self._with_similar_model(run.is_moe, run.active_parameters, run.weight_bits)
        if (run.device_id, run.software) in measured:
            return "measured"
        # A class of all that is left has nothing in common.
        is_classed = run.device_class != "other" and run.device_class in self._classes
        return "calibrated" if run.device_id in self._devices or is_classed else "extrapolated"

    @lru_cache(maxsize=4096)  # noqa: B019 - an instance lives as long as the process
    def _with_similar_model(
        self, is_moe: bool, active_parameters: float, weight_bits: int
    ) -> frozenset[tuple[str, str]]:
        """Devices, each with the software of a run of a similar model."""
        is_similar: NDArray[np.bool_] = (
            (self._is_moe == is_moe)
            & (np.abs(self._log_active - log(active_parameters)) <= log(SIMILAR) + 1e-9)
            & (self._bits == weight_bits)
        )
        return frozenset(self._pairs[place] for place in np.flatnonzero(is_similar))


def bits_class(bits: float) -> int:
    """Width class of a format.

    Examples
    --------
    >>> [bits_class(bits) for bits in (4.5, 6.6, 8, 16)]
    [4, 8, 8, 16]
    """
    return next((width for width in (4, 8, 16) if bits <= 1.25 * width), 32)


def serving_features(row: RunRow, catalog: Catalog) -> RunFeatures | None:
    """Features of a published serving run; None where device or model are not known."""
    texts = (row.cells.get(column, "") for column in _SERVING_TEXTS)
    return _serving_features(*texts, catalog=catalog)


_SERVING_TEXTS = ("device", "model", "engine", "weight_precision", "activation_precision")


@lru_cache(maxsize=4096)  # a sweep repeats them in every row
def _serving_features(
    device_text: str,
    model_text: str,
    engine_text: str,
    weights: str,
    activations: str,
    *,
    catalog: Catalog,
) -> RunFeatures | None:
    device, model = resolve_device(device_text), resolve_model(model_text)
    if device is None or model is None:
        return None
    device_class = catalog.device(device.device_id).efficiency_class
    # Generations of an engine are not told apart, so its version and date do not matter.
    engine = resolve_engine(name=engine_text, version="", date="", device_class=device_class)
    formats = run_formats(
        weights=weights,
        activations=activations,
        cache="",
        named=model.weight_format or "",
        model_id=model.model_id,
        engine=engine,
    )
    is_moe, active, total = _sizes(model.model_id)
    return RunFeatures(
        device_id=device.device_id,
        device_class=device_class,
        software=engine_family(engine.key),
        is_moe=is_moe,
        active_parameters=active,
        total_parameters=total,
        weight_bits=bits_class(formats.weights.bits),
    )


def training_features(row: RunRow, catalog: Catalog) -> RunFeatures | None:
    """Features of a published training run; None where device or size are not known."""
    device, model = resolve_device(row.text("device")), resolve_model(row.text("model"))
    if device is None:
        return None
    if model is not None:
        is_moe, active, total = _sizes(model.model_id)
    else:
        total = (row.number("params_b") or 0.0) * BILLION
        active = (row.number("active_params_b") or 0.0) * BILLION or total
        is_moe = active < total
    if not active:
        return None
    method, precision = row.text("method").lower(), row.text("precision").lower()
    return RunFeatures(
        device_id=device.device_id,
        device_class=catalog.device(device.device_id).efficiency_class,
        software=method_family(method),
        is_moe=is_moe,
        active_parameters=active,
        total_parameters=total,
        weight_bits=8 if "fp8" in precision else 16,
    )


def engine_family(key: str) -> str:
    """Engine without its generation.

    Examples
    --------
    >>> engine_family("vllm_v0"), engine_family("neuron_vllm"), engine_family("sglang")
    ('vllm', 'neuron', 'sglang')
    """
    return key.partition("_")[0]


def method_family(method: str) -> str:
    """Whether all weights learn, or an adapter."""
    return "adapter" if method in ADAPTER_METHODS else "full"


@cache
def _sizes(model_id: str) -> tuple[bool, float, float]:
    """Whether a model is a mixture, its active and all parameters."""
    shape = load_models().get(model_id)
    numbers = model_numbers(shape)
    return shape.is_moe, float(numbers.active_parameters), float(numbers.total_parameters)


@cache
def published_features(job: Job) -> tuple[tuple[Measurement, RunFeatures], ...]:
    """Reliable published runs of a job with their features."""
    catalog = load_catalog()
    features_of = serving_features if job == "serving" else training_features
    found = ((run, features_of(run, catalog)) for run in measurements_of(job) if run.is_reliable)
    return tuple((run, features) for run, features in found if features is not None)


@cache
def neighbours(job: Job) -> Neighbours:
    """Published runs of a job."""
    return Neighbours(features for _, features in published_features(job))


def asked_features(
    job: Job, scenario: Scenario, load: Workload, arrays: DeviceArrays
) -> tuple[RunFeatures, ...]:
    """Features of a scenario on each compared device."""
    engines = engines_of(arrays, scenario.engine)
    bits = load.weight_format.bits
    if job == "training":
        bits = 8 if scenario.training_precision == "fp8" else 16
    return tuple(
        RunFeatures(
            device_id=device_id,
            device_class=device_class,
            software=engine_family(engine) if job == "serving" else method_family(scenario.method),
            is_moe=load.shape.is_moe,
            active_parameters=float(load.numbers.active_parameters),
            total_parameters=float(load.numbers.total_parameters),
            weight_bits=bits_class(bits),
        )
        for device_id, device_class, engine in zip(
            arrays.ids, arrays.efficiency_class, engines, strict=True
        )
    )


def device_tiers(
    job: Job, scenario: Scenario, load: Workload, arrays: DeviceArrays
) -> tuple[Tier, ...]:
    """How near the published runs of a job are to a scenario, for each compared device."""
    return neighbours(job).tiers(asked_features(job, scenario, load, arrays))
