"""The model that a scenario speaks of, in the formats that it trains and serves in."""

from dataclasses import dataclass

from hwplanner.model.derived_shape import derive_shape
from hwplanner.model.numbers import ModelNumbers, model_numbers
from hwplanner.model.precision import (
    BYTES_16_BIT,
    CACHE_BYTES_PER_VALUE,
    FORMATS,
    NOT_TESTED,
    Format,
    WeightBytes,
    weight_bytes,
)
from hwplanner.model.presets import load_models
from hwplanner.model.shape import ModelShape
from hwplanner.scenario import Scenario
from hwplanner.units import BILLION


@dataclass(frozen=True, slots=True)
class Workload:
    """A model as it is planned for: shape, numbers, served weights and cache width."""

    shape: ModelShape
    numbers: ModelNumbers
    weight_format: Format
    weights: WeightBytes
    cache_bytes_per_value: float
    arithmetic: str
    """Format of the matrix products, a key of `precision.ARITHMETIC`."""
    quality_note: str
    """What has to be tested before any of the reduced formats is trusted; '' where none is."""


def model_shape(scenario: Scenario) -> ModelShape:
    """Architecture of a scenario: the published one that it names, or one of its size.

    Raises
    ------
    ModelFileError
        When the named model is not known.
    """
    if scenario.model:
        return load_models().get(scenario.model)
    return derive_shape(
        total_parameters=scenario.parameters_billion * BILLION,
        kind=scenario.kind,
        active_share=scenario.active_percent / 100,
    )


def workload(scenario: Scenario) -> Workload:
    """Resolve the model of a scenario and its formats."""
    shape = model_shape(scenario)
    numbers = model_numbers(shape)
    weight_format = FORMATS[scenario.weight_format]
    chosen = scenario.arithmetic
    arithmetic = weight_format.arithmetic if chosen == "auto" else chosen
    cache_width = CACHE_BYTES_PER_VALUE[scenario.cache_format]
    is_reduced = cache_width < BYTES_16_BIT or arithmetic not in ("fp32", "bf16", "fp16")
    return Workload(
        shape=shape,
        numbers=numbers,
        weight_format=weight_format,
        weights=weight_bytes(model=numbers, weight_format=weight_format),
        cache_bytes_per_value=cache_width,
        arithmetic=arithmetic,
        quality_note=NOT_TESTED if is_reduced else weight_format.quality_note,
    )
