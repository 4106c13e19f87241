"""Ways to spread one training run over devices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hwplanner.units import Array

MOST_DEVICES = 32768
TENSOR_WIDTHS = (1, 2, 4, 8)
PIPELINE_STAGES = (1, 2, 4, 8, 16, 32, 64)
CONTEXT_PARTS = (1, 2, 4, 8, 16, 32)
EXPERT_GROUPS = (8, 64)
MICRO_BATCHES = (1, 2, 4, 8)

SHORTEST_CONTEXT_PART = 8192  # a sequence is worth splitting where each part is still long
LONGEST_MICRO_BATCH_TOKENS = 32768
DEEP_PIPELINE = 8  # more stages, only where each layer is already split in eight


class TrainingLayout(NamedTuple):
    """One way to spread a run.

    Attributes
    ----------
    tensor
        Devices that share each layer. [devices]
    pipeline
        Groups of consecutive layers, each on its own devices. [stages]
    context
        Devices that share each sequence. [devices]
    replicas
        Copies of the model that read different sequences. [copies]
    expert
        Devices, of one replica each, that share the experts. [devices]
    micro_batch
        Sequences that a replica takes at once. [sequences]
    """

    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    replicas: int = 1
    expert: int = 1
    micro_batch: int = 1

    @property
    def devices(self) -> int:
        """Devices of the run. [devices]"""
        return self.tensor * self.pipeline * self.context * self.replicas


@dataclass(frozen=True, slots=True)
class TrainingLayouts:
    """Layouts as arrays, one entry each; the words are those of `TrainingLayout`.

    Attributes
    ----------
    accumulation
        Micro-batches that each replica adds up in one step. [micro-batches]
    """

    tensor: Array
    pipeline: Array
    context: Array
    replicas: Array
    expert: Array
    micro_batch: Array
    accumulation: Array

    @property
    def devices(self) -> Array:
        """Devices of the run. [devices]"""
        return self.tensor * self.pipeline * self.context * self.replicas

    @property
    def sequences(self) -> Array:
        """Sequences of one optimizer step. [sequences]"""
        return self.replicas * self.micro_batch * self.accumulation

    @property
    def shards(self) -> Array:
        """Devices with the same part of the model, over which ZeRO divides states. [devices]"""
        return self.context * self.replicas

    def take(self, index: NDArray[np.bool_] | NDArray[np.intp]) -> TrainingLayouts:
        """Layouts at some places, or where a condition holds."""
        return TrainingLayouts(*(getattr(self, name)[index] for name in self.__slots__))


def as_arrays(layouts: Iterable[TrainingLayout], *, batch_sequences: int) -> TrainingLayouts:
    """Put layouts into arrays; a batch that does not divide evenly is rounded up."""
    columns = np.array(list(layouts), dtype=np.float64).reshape(-1, len(TrainingLayout._fields)).T
    named = dict(zip(TrainingLayout._fields, columns, strict=True))
    at_once = named["replicas"] * named["micro_batch"]
    return TrainingLayouts(**named, accumulation=np.ceil(batch_sequences / at_once))


@lru_cache(maxsize=256)
def training_layouts(
    *, layers: int, heads: int, experts: int, sequence_tokens: int, batch_sequences: int
) -> TrainingLayouts:
    """List every sensible layout of up to 32,768 devices, the smallest first.

    Parameters
    ----------
    layers, heads, experts
        Of the model; layers, heads of a layer, experts of a layer (0 if dense).
    sequence_tokens
        Length of a sequence. [tokens]
    batch_sequences
        Sequences of one optimizer step. [sequences]

    Notes
    -----
    All sizes are powers of two. Left out, as runs hardly ever do it: tensor groups above eight,
    replicas that leave a pipeline idle for more than half of a step, larger micro-batches where
    pipeline, context or eight-fold tensor splits have already made memory the concern.
    """
    rows = [
        layout
        for tensor in TENSOR_WIDTHS
        for pipeline in PIPELINE_STAGES
        for context in CONTEXT_PARTS
        for micro_batch in MICRO_BATCHES
        if _is_sensible(tensor, pipeline, context, micro_batch, sequence_tokens)
        and heads % tensor == 0
        and pipeline <= layers
        for layout in _growing(tensor, pipeline, context, micro_batch, experts, batch_sequences)
    ]
    rows.sort(key=lambda layout: layout.devices)
    return as_arrays(rows, batch_sequences=batch_sequences)


def _is_sensible(
    tensor: int, pipeline: int, context: int, micro_batch: int, sequence_tokens: int
) -> bool:
    """Whether splits of the model go together."""
    is_full_tensor = tensor == TENSOR_WIDTHS[-1]
    if micro_batch > 1:
        is_split = pipeline > 1 or context > 1 or is_full_tensor
        return not is_split and micro_batch * sequence_tokens <= LONGEST_MICRO_BATCH_TOKENS
    if context > 1:
        is_long = sequence_tokens / context >= SHORTEST_CONTEXT_PART
        return is_long and (pipeline == 1 or is_full_tensor)
    return pipeline <= DEEP_PIPELINE or is_full_tensor


def _growing(
    tensor: int, pipeline: int, context: int, micro_batch: int, experts: int, batch_sequences: int
) -> Iterable[TrainingLayout]:
    """Layouts of one split of the model, with more and more replicas."""
    groups = {np.gcd(experts, group) for group in EXPERT_GROUPS if experts}
    replicas = 1
    while (
        tensor * pipeline * context * replicas <= MOST_DEVICES
        and replicas * micro_batch * (pipeline if replicas > 1 else 1) <= batch_sequences
    ):
        for expert in {1, *(int(group) for group in groups if group <= replicas)}:
            yield TrainingLayout(tensor, pipeline, context, replicas, expert, micro_batch)
        replicas *= 2
