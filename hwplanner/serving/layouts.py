"""Ways to spread one copy of a model over devices for serving."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from hwplanner.units import Array, Quantity

MOST_DEVICES = 64
TENSOR_WIDTHS = (1, 2, 4, 8, 16, 32, 64)
PIPELINE_STAGES = (1, 2, 3, 4, 6, 8, 12, 16)


@dataclass(frozen=True, slots=True)
class ServingLayouts:
    """Layouts of one model copy, one entry each.

    Attributes
    ----------
    tensor
        Devices that share each layer: its matrices are split, or (attention-parallel) its
        experts are split while every device runs attention for its own sequences. [devices]
    pipeline
        Groups of consecutive layers, each on its own devices. [stages]
    attention_parallel
        1 where sequences rather than attention heads are split, else 0.
    attention_tensor
        Where they are: devices that share the attention of one sequence. [devices]
    """

    tensor: Array
    pipeline: Array
    attention_parallel: Array
    attention_tensor: Quantity = 1.0

    @property
    def devices(self) -> Array:
        """Devices that hold one copy of the model. [devices]"""
        return self.tensor * self.pipeline

    @property
    def attention_split(self) -> Array:
        """Devices that share what is not an expert: attention, tables, head. [devices]"""
        return np.where(self.attention_parallel > 0, self.attention_tensor, self.tensor)

    @property
    def ranks(self) -> Array:
        """Groups of devices that each keep sequences of their own. [ranks]"""
        return self.tensor / self.attention_split


def stage_share(*, layers: Quantity, stages: Quantity) -> Quantity:
    """Share of the layers on the fullest of several pipeline stages.

    Examples
    --------
    >>> float(stage_share(layers=126, stages=4))
    0.25396825396825395
    """
    return np.ceil(layers / stages) / layers


@cache
def serving_layouts(*, mixture_of_experts: bool) -> ServingLayouts:
    """List every sensible layout of up to 64 devices.

    Tensor splits go by powers of two since heads do; pipelines also take 3, 6 and 12 stages, so
    that a model a little too large for 8 devices is not sent to 16 at once. Experts can be spread
    with attention left whole on each device, which saves latent caches from being repeated.
    """
    rows = [
        (tensor, pipeline, spread)
        for spread in ((0, 1) if mixture_of_experts else (0,))
        for tensor in TENSOR_WIDTHS
        for pipeline in PIPELINE_STAGES
        if tensor * pipeline <= MOST_DEVICES and not (spread and tensor == 1)
    ]
    tensor, pipeline, spread = np.array(rows, dtype=float).T
    return ServingLayouts(tensor=tensor, pipeline=pipeline, attention_parallel=spread)
