"""How published runs are spread over devices, inferred where a publication does not say it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.catalog.device import Device
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.training_words import is_pure_16_bit, sharding_stage
from hwplanner.model.numbers import ModelNumbers
from hwplanner.training.recipe import ADAPTER_METHODS

MOST_TENSOR = 8
STATE_BYTES, SHARDED_BYTES = 6.0, 12.0  # weights with gradients; what ZeRO stage 1 divides
MIXED_BYTES, FULL_SHARE = 16.0, 0.9  # of mixed precision; of the memory, what states fill at most
ROOM = 0.7  # share of the memory that states are given when a layout is chosen
TOKENS_AT_ONCE = 8192.0
USUAL_FILLING = 8.0  # micro-batches for each pipeline stage


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """What is trained, on what, with what."""

    device: Device
    model: ModelNumbers
    method: str
    stack: str
    tokens: float
    base_bits: float

    @property
    def is_adapter(self) -> bool:
        """Whether the model itself is not trained."""
        return self.method in ADAPTER_METHODS


@dataclass(frozen=True, slots=True)
class Split:
    """How a model is spread; `is_stated` where the publication says so."""

    devices: float
    tensor: float
    pipeline: float
    context: float
    expert: float
    is_stated: bool

    @property
    def model_devices(self) -> float:
        """Devices of one copy of the model. [devices]"""
        return self.tensor * self.pipeline * self.context

    @property
    def replicas(self) -> float:
        """Copies of the model. [copies]"""
        return max(1.0, self.devices / self.model_devices)

    def spread(self, model_devices: float, device: Device, in_server: bool) -> Split:
        """Give a copy of the model so many devices, tensor groups first.

        They need fast links, or too few micro-batches to keep a pipeline busy.
        """
        widest = MOST_TENSOR if in_server else min(MOST_TENSOR, device.scale_up_domain)
        tensor = max(1.0, min(widest, model_devices / self.context))
        pipeline = max(1.0, model_devices / tensor / self.context)
        return Split(self.devices, tensor, pipeline, self.context, self.expert, True)

    def as_pipeline(self) -> Split:
        """Put layers on devices one after the other."""
        return Split(self.devices, 1.0, self.devices, 1.0, 1.0, True)


def stated_split(row: RunRow, devices: float) -> Split:
    """How a row says that its model is spread over so many devices."""
    tensor, pipeline, context = (row.number(name) or 1.0 for name in ("tp", "pp", "cp"))
    # Some publications count cores of which a device has two.
    cores = tensor * pipeline * context * (row.number("dp") or 0.0)
    if cores > devices:
        parts = min(cores / devices, tensor)
        tensor = tensor / parts if parts == round(parts) else tensor
    devices = max(devices, tensor * pipeline * context)
    expert = min(row.number("ep") or 1.0, devices / tensor / pipeline)
    is_stated = any(row.number(name) for name in ("tp", "pp", "dp"))
    return Split(devices, tensor, pipeline, context, max(1.0, expert), is_stated)


def with_batch(row: RunRow, job: TrainingJob, split: Split) -> tuple[Split, float, float]:
    """Split, micro-batch and accumulation, each as stated or else as the others leave it."""
    micro, batch = row.number("micro_batch"), row.number("global_batch")
    steps = row.number("grad_accum")
    is_sharded = sharding_stage(row.text("sharding")) == 3
    is_megatron = job.stack == "megatron" and not is_sharded
    has_few = batch is not None and batch < split.devices
    if not split.is_stated and (is_megatron or has_few):
        if micro and batch and steps:
            of_model = split.devices * steps * micro / batch
        else:
            most = split.devices / min(batch or split.devices, split.devices)
            of_model = max(_fewest_devices(job, split.devices), most if steps is None else 1.0)
            if batch and steps:
                of_model = max(of_model, split.devices * steps / batch)
        in_server = steps is not None and steps < MOST_TENSOR
        split = split.spread(float(np.clip(of_model, 1.0, split.devices)), job.device, in_server)
    replicas = split.replicas
    if micro is None:
        micro = _usual_micro_batch(job, split, batch, steps)
    if batch is None:
        usual = USUAL_FILLING * split.pipeline if split.pipeline > 1 else 1.0
        batch = replicas * micro * (steps or usual)
    return split, micro, max(1.0, batch / (replicas * micro))


def _usual_micro_batch(
    job: TrainingJob, split: Split, batch: float | None, steps: float | None
) -> float:
    """Sequences that a copy of the model takes at once. [sequences]"""
    if batch is None:
        return 1.0
    of_replica = max(1.0, batch / split.replicas)
    if steps:
        return max(1.0, of_replica / steps)
    if split.pipeline > 1 or split.tensor >= MOST_TENSOR:
        return 1.0
    if job.stack == "jax":
        return of_replica
    return min(of_replica, max(1.0, TOKENS_AT_ONCE // job.tokens))


def _fewest_devices(job: TrainingJob, devices: float) -> float:
    """Devices over which a copy must be split so that its states leave room. [devices]"""
    room = ROOM * job.device.usable_memory_bytes
    parameters = float(job.model.total_parameters)
    width = 2.0 if job.is_adapter else STATE_BYTES
    sharded = 0.0 if job.is_adapter else SHARDED_BYTES * parameters / devices
    of_model = 1.0
    while of_model < devices and parameters * width / of_model + sharded > room:
        of_model *= 2
    return of_model


def usual_stage(job: TrainingJob, split: Split) -> float:
    """ZeRO stage of a run that does not state it."""
    if job.stack == "megatron" or split.pipeline > 1:
        return 1.0
    if job.stack == "jax":
        return 3.0
    width = job.base_bits / 8 if job.is_adapter else STATE_BYTES + SHARDED_BYTES
    whole = float(job.model.total_parameters) / split.model_devices * width
    return 0.0 if whole < ROOM * job.device.usable_memory_bytes else 3.0


def keeps_no_master(row: RunRow, job: TrainingJob, split: Split, stage: float) -> bool:
    """Whether all states are 16 bit: where it is said, or where wider ones would not fit."""
    if is_pure_16_bit(row.text("precision")):
        return True
    if job.is_adapter or stage > 0 or job.stack == "megatron":
        return False
    whole = float(job.model.total_parameters) / split.model_devices * MIXED_BYTES
    return whole > FULL_SHARE * job.device.memory_bytes
