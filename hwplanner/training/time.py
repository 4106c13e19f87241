"""Time of one optimizer step, by what it is spent on, for devices (rows) and layouts (columns)."""

from __future__ import annotations

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.physics.time_parts import TimeParts
from hwplanner.training.compute import micro_batch_time, smooth_maximum
from hwplanner.training.links import TrainingLinks, communication
from hwplanner.training.rates import TrainingRates
from hwplanner.training.recipe import Choice, TrainingRecipe
from hwplanner.training.run import TrainingRun
from hwplanner.units import Array


def recompute_passes(kind: Choice, recipe: TrainingRecipe, assumptions: Assumptions) -> Array:
    """Forward passes that the backward pass repeats. [passes]

    Megatron's selective recomputation repeats less than that of others; where nothing is said,
    the mean of what is done is taken.
    """
    passes = kind.typical(assumptions, "recompute_passes")
    is_megatron = kind.is_in("selective") & recipe.stack.is_in("megatron")
    of_megatron = assumptions.typical("recompute_passes", "selective megatron")
    return np.where(is_megatron, of_megatron, passes)


def step_time(
    run: TrainingRun,
    rates: TrainingRates,
    links: TrainingLinks,
    recompute_passes: Array,
    assumptions: Assumptions,
) -> TimeParts:
    """Work out the time of one optimizer step.

    Parameters
    ----------
    run
        The run, split in every layout.
    rates, links
        What each device reaches.
    recompute_passes
        Forward passes that the backward pass repeats, for each device and layout. [passes]
    assumptions
        Everything that is not in a data sheet.

    Returns
    -------
    TimeParts
        Arrays of devices by layouts; NaN where what joins the devices of a layout is not
        published. Overhead is launching, the pipeline's idle time and work on the host. [s]

    Notes
    -----
    Every micro-batch computes while sharded weights are gathered, and waits for a part of what
    tensor, context and expert groups send. The step ends with the optimizer's update. Data
    loading and saving the model are left out.

    References
    ----------
    .. [1] Narayanan et al. 2021, "Efficient large-scale language model training on GPU clusters
       using Megatron-LM", section 2.2: the idle share of an interleaved pipeline.
    """
    get = assumptions.typical
    layouts = run.layouts
    micro = micro_batch_time(run, rates, recompute_passes, assumptions)
    busy = micro.total
    sent = communication(run, links, recompute_passes, assumptions)
    gathering = smooth_maximum(busy, sent.gather, exponent=get("gather_overlap_exponent"))
    exposed = gathering - busy + sent.waits
    idle = (layouts.pipeline - 1) / get("pipeline_interleave") * (busy + exposed)

    update_traffic, update_on_host = _update(run, assumptions)
    compute = layouts.accumulation * micro.compute
    memory = layouts.accumulation * micro.memory + update_traffic / rates.memory_bytes_per_s
    communicating = layouts.accumulation * exposed + sent.gradients
    overhead = layouts.accumulation * micro.overhead + idle + update_on_host
    total = compute + memory + communicating + overhead
    doublings = np.maximum(np.log2(layouts.devices / get("scaling_free_devices")), 0.0)
    stragglers = get("scaling_loss_per_doubling") * doublings * total
    return TimeParts(compute, memory, communicating + stragglers, overhead)


def _update(run: TrainingRun, assumptions: Assumptions) -> tuple[Array, Array]:
    """Memory traffic of the optimizer's update, and its time on the host. [bytes], [s]"""
    trained = run.trained.total
    # Master copy and moments are read and written; the gradient is read, the weight written.
    touched = 2 * run.width.optimizer + run.width.gradient + run.width.value
    divided = np.where(run.stage >= 1, run.layouts.shards, 1.0)
    per_parameter = assumptions.typical("offload_seconds_per_parameter")
    on_host = trained / run.layouts.shards * per_parameter
    offload = run.recipe.offload
    return np.where(offload, 0.0, trained / divided * touched), np.where(offload, on_host, 0.0)
