"""Published training runs in the words of our formulas, with what they leave out filled in.

Nothing measured is read, only what a run was set up to do. What a publication does not say is
inferred from what it does: the same inputs give the same answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hwplanner.catalog.catalog import Catalog
from hwplanner.catalog.device import Device
from hwplanner.evidence.architectures import architecture, sizes_of
from hwplanner.evidence.device_names import DeviceMatch, resolve_device, unknown_device
from hwplanner.evidence.model_names import resolve_model
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.training_splits import (
    TrainingJob,
    keeps_no_master,
    stated_split,
    usual_stage,
    with_batch,
)
from hwplanner.evidence.training_words import (
    METHODS,
    base_bits,
    is_layer_split,
    is_lightning,
    optimizer_word,
    recompute_word,
    sharding_stage,
    software_stack,
    software_year,
    training_precision,
)
from hwplanner.model.numbers import ModelNumbers
from hwplanner.model.presets import load_models
from hwplanner.training.rates import NARROW_BITS
from hwplanner.training.recipe import FULL_BITS, QLORA_BITS
from hwplanner.units import GIB

USUAL_YEAR = 2024.5
USUAL_DEVICE = "nvidia-a100-80-sxm"
USUAL_TOKENS = 4096.0
EARLY_TOKENS, EARLY = 2048.0, 2023.0  # what models were trained at before
USUAL_RANK = 16.0
FUSED_YEAR = 2022.6  # FlashAttention, Dao et al. 2022, in released software
SEQUENCE_PARALLEL_YEAR = 2022.5  # Korthikanti et al. 2022, who brought selective recomputation too


@dataclass(frozen=True, slots=True)
class TrainingInputs:
    """One run, everything filled in.

    Attributes
    ----------
    device, is_device_known
        Device of the catalogue, or the usual one where the name is not known.
    model_id, model
        Published architecture, '' where the sizes are the row's own; its numbers.
    method ... base_bits, keeps_no_master, sequence_parallel, fused_attention
        As in `recipe.TrainingRecipe`.
    recompute
        Kind of recomputation; `unknown` where neither the row nor habit says it.
    tensor, pipeline, context, replicas, expert, micro_batch, accumulation
        As in `layouts.TrainingLayouts`.
    memory_bytes
        Label of the device's memory, as far as its name says it; NaN where not. [bytes]
    devices_each
        Devices of the catalogue in one that the row counts.
    is_batch_stated
        Whether length and micro-batch are published.
    """

    device: Device
    is_device_known: bool
    model_id: str
    model: ModelNumbers
    method: str
    optimizer: str
    precision: str
    stack: str
    year: float
    sequence_tokens: float
    lora_rank: float
    stage: float
    offload: bool
    base_bits: float
    keeps_no_master: bool
    sequence_parallel: bool
    fused_attention: bool
    memory_bytes: float
    recompute: str
    tensor: float
    pipeline: float
    context: float
    replicas: float
    expert: float
    micro_batch: float
    accumulation: float
    devices_each: float
    is_batch_stated: bool


def read_training_run(
    row: RunRow, catalog: Catalog, *, needs_device: bool = True
) -> TrainingInputs | str:
    """Fill in one published run, or say in words why it has no estimate.

    Where only memory is asked for, a device that is not known is no obstacle.
    """
    match = resolve_device(row.text("device"))
    if match is None and needs_device:
        return unknown_device(row.text("device"))
    is_known = match is not None
    match = match or DeviceMatch(USUAL_DEVICE)
    device = catalog.device(match.device_id)
    if needs_device and not _has_rates(device):
        return f"{device.name} has no published rate at 16 bit, or no memory bandwidth"
    if match.power_cap_watts:
        device = device.model_copy(update={"tdp_watts": match.power_cap_watts})
    named = resolve_model(row.text("model"))
    sizes = sizes_of(
        parameters_billion=row.number("params_b"),
        active_billion=row.number("active_params_b"),
        **{
            name: row.number(name)
            for name in ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab")
        },
    )
    model = architecture(sizes, named=load_models().get(named.model_id) if named else None)
    if model is None:
        return f"the model {row.text('model')!r} is not known and no size is stated"
    method = METHODS.get(row.text("method").lower(), "pretrain")
    year = software_year(framework=row.text("framework"), date=row.text("source_date"))
    split = stated_split(row, match.devices(row.number("n_devices")))
    precision = training_precision(row.text("precision"))
    sharding = row.text("sharding")
    stack = software_stack(
        framework=row.text("framework"),
        method=method,
        device_class=device.efficiency_class,
        is_split=split.tensor * split.pipeline > 1 or sharding_stage(sharding) == 1,
        is_narrow=precision in NARROW_BITS and not sharding,
        is_lightning=is_lightning(row.text("precision")),
    )
    usual_tokens = EARLY_TOKENS if (year or USUAL_YEAR) < EARLY else USUAL_TOKENS
    tokens = row.number("seq_len") or usual_tokens
    job = TrainingJob(device, model, method, stack, tokens, base_bits(row.text("precision")))
    split, micro_batch, accumulation = with_batch(row, job, split)
    stated_stage = sharding_stage(sharding)
    stage = usual_stage(job, split) if stated_stage is None else stated_stage
    if is_layer_split(sharding):
        split, stage = split.as_pipeline(), 0.0
    return TrainingInputs(
        device=device,
        is_device_known=is_known,
        model_id=named.model_id if named else "",
        model=model,
        method=method,
        optimizer=optimizer_word(row.text("optimizer")),
        precision=precision,
        stack=stack,
        year=year or USUAL_YEAR,
        sequence_tokens=tokens,
        lora_rank=row.number("lora_rank") or USUAL_RANK,
        stage=stage,
        offload="offload" in row.text("optimizer").lower(),
        base_bits=QLORA_BITS if method == "qlora" and job.base_bits == FULL_BITS else job.base_bits,
        keeps_no_master=keeps_no_master(row, job, split, stage),
        recompute=recompute_word(row.text("recompute")) or _usual_recompute(method, stack),
        sequence_parallel=(year or USUAL_YEAR) > SEQUENCE_PARALLEL_YEAR
        or recompute_word(row.text("recompute")) == "selective",
        fused_attention=(year or USUAL_YEAR) > FUSED_YEAR,
        memory_bytes=_memory_bytes(row.text("device"), device if is_known else None),
        tensor=split.tensor,
        pipeline=split.pipeline,
        context=split.context,
        replicas=split.replicas,
        expert=split.expert,
        micro_batch=micro_batch,
        accumulation=accumulation,
        devices_each=match.devices_each,
        is_batch_stated=bool(row.number("micro_batch") and row.number("seq_len")),
    )


def _has_rates(device: Device) -> bool:
    """Whether the figures are published that a time needs."""
    rates = (device.bf16_flop_per_s, device.fp16_flop_per_s, device.fp32_flop_per_s)
    return any(rates) and device.memory_bandwidth_bytes_per_s is not None


def _usual_recompute(method: str, stack: str) -> str:
    """Recomputation of a run that does not state it; libraries for fine-tuning have it on."""
    is_tuned = method != "pretrain" and stack == "transformers"
    return "full" if is_tuned else "unknown"


def _memory_bytes(text: str, device: Device | None) -> float:
    """Memory of a device as named, of which at least the size may be known; else NaN. [bytes]"""
    if device:
        return device.memory_bytes
    size = re.search(r"(\d+)\s*GB", text)
    return float(size[1]) * GIB if size else float("nan")
