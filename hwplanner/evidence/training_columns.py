"""Published training runs as the columns that formulas take, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.device import Device, DeviceArrays, device_arrays
from hwplanner.evidence.training_inputs import TrainingInputs
from hwplanner.model.numbers import ModelNumbers, stacked
from hwplanner.training.layouts import TrainingLayouts
from hwplanner.training.rates import TrainingPeaks, training_peaks
from hwplanner.training.recipe import Choice, TrainingRecipe
from hwplanner.training.run import TrainingRun, training_run
from hwplanner.units import Array

# A run that was published had some link and some network: PCIe 4.0 x16 and 100 Gbit/s.
UNKNOWN_LINK_BYTES_PER_S, UNKNOWN_NETWORK_BYTES_PER_S = 32e9, 12.5e9
BRIDGED = "gddr"  # class of cards whose fast link is a bridge that few machines have


@dataclass(frozen=True, slots=True)
class TrainingColumns:
    """Runs as columns.

    Attributes
    ----------
    devices, peaks, model, layouts, recipe
        As the formulas take them.
    recompute
        Kind of recomputation: none, selective, full or unknown.
    named_devices
        Devices as the publication counts them. [devices]
    memory_bytes
        Label of the device's memory; NaN where it is not known. [bytes/device]
    is_batch_stated
        Whether lengths and micro-batch are published, not inferred.
    """

    devices: DeviceArrays
    peaks: TrainingPeaks
    model: ModelNumbers
    layouts: TrainingLayouts
    recipe: TrainingRecipe
    recompute: Choice
    named_devices: Array
    memory_bytes: Array
    is_batch_stated: NDArray[np.bool_]

    @classmethod
    def of(cls, runs: Sequence[TrainingInputs]) -> TrainingColumns:
        """Stack runs."""

        def column(name: str) -> Array:
            return np.array([float(getattr(run, name)) for run in runs])[:, None]

        def words(name: str) -> Choice:
            return Choice.column([str(getattr(run, name)) for run in runs])

        def flags(name: str) -> NDArray[np.bool_]:
            return np.array([bool(getattr(run, name)) for run in runs])[:, None]

        devices = device_arrays([_as_built(run.device) for run in runs])
        recipe = TrainingRecipe(
            method=words("method"),
            optimizer=words("optimizer"),
            precision=words("precision"),
            stack=words("stack"),
            software_year=column("year"),
            sequence_tokens=column("sequence_tokens"),
            lora_rank=column("lora_rank"),
            base_bits=column("base_bits"),
            sequence_parallel=flags("sequence_parallel"),
            fused_attention=flags("fused_attention"),
            keeps_no_master=flags("keeps_no_master"),
            stage=column("stage"),
            offload=flags("offload"),
        )
        layouts = TrainingLayouts(**{name: column(name) for name in TrainingLayouts.__slots__})
        return cls(
            devices=devices,
            peaks=training_peaks(recipe, devices),
            model=stacked([run.model for run in runs]),
            layouts=layouts,
            recipe=recipe,
            recompute=words("recompute"),
            named_devices=layouts.devices / column("devices_each"),
            memory_bytes=column("memory_bytes"),
            is_batch_stated=flags("is_batch_stated"),
        )

    def run(self, assumptions: Assumptions) -> TrainingRun:
        """Split every run."""
        return training_run(
            recipe=self.recipe, model=self.model, layouts=self.layouts, assumptions=assumptions
        )


def _as_built(device: Device) -> Device:
    """Device as machines of published runs have it."""
    changes: dict[str, object] = {}
    if device.efficiency_class == BRIDGED or device.link_bytes_per_s is None:
        changes = {"link_bytes_per_s": None, "scale_up_domain": 1}
        if device.host_link_bytes_per_s is None:
            changes["host_link_bytes_per_s"] = UNKNOWN_LINK_BYTES_PER_S
    if device.scale_out_bytes_per_s is None:
        changes["scale_out_bytes_per_s"] = UNKNOWN_NETWORK_BYTES_PER_S
    return device.model_copy(update=changes) if changes else device
