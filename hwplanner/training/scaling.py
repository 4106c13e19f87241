"""Time of a run on more and more devices of one kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.model.numbers import ModelNumbers
from hwplanner.scenario import Scenario
from hwplanner.training.candidates import training_candidates
from hwplanner.units import Array


def training_time_by_devices(
    scenario: Scenario,
    model: ModelNumbers,
    devices: DeviceArrays,
    place: int,
    assumptions: Assumptions,
    *,
    queue_hours: float = 0.0,
    interruptions_per_hour: float = 0.0,
) -> tuple[Array, Array]:
    """Time of the run on more and more of one device, each number in its fastest layout.

    Parameters
    ----------
    scenario, model, assumptions
        As in `estimate_training`.
    devices, place
        Devices, and which of them.
    queue_hours, interruptions_per_hour
        As in `TrainingCandidates.rented`; 0 on devices that are owned.

    Returns
    -------
    tuple of ndarray
        Numbers of devices that hold the run, and its time on each. [devices], [h]
    """
    one = training_candidates(scenario, model, _only(devices, place), assumptions)
    one = one.rented(queue_hours, interruptions_per_hour)
    counts = np.unique(one.layout_devices[one.possible[0]])
    hours = np.where(one.possible[0], one.run_hours[0], np.inf)
    return counts, np.array([hours[one.layout_devices == count].min() for count in counts])


def _only(devices: DeviceArrays, place: int) -> DeviceArrays:
    """Keep one device of several."""
    one = slice(place, place + 1)

    def kept(values: Any) -> Any:
        is_mapping = isinstance(values, Mapping)
        return {key: entry[one] for key, entry in values.items()} if is_mapping else values[one]

    names = (field.name for field in fields(devices))
    return DeviceArrays(**{name: kept(getattr(devices, name)) for name in names})
