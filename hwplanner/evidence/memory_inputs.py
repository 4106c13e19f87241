"""Rows about the memory of serving: names, formats, layouts, and what engines do if not told."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from hwplanner.assumptions import load_assumptions
from hwplanner.catalog.catalog import Catalog
from hwplanner.catalog.device import Device
from hwplanner.evidence.device_names import resolve_device, unknown_device
from hwplanner.evidence.engine_memory import MemoryHabits, memory_habits
from hwplanner.evidence.engines import Engine, resolve_engine
from hwplanner.evidence.memory_quantities import Asked, read_quantity
from hwplanner.evidence.model_names import resolve_model, unknown_model
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.run_formats import RunFormats, run_formats
from hwplanner.evidence.run_layouts import RunLayout, run_layout
from hwplanner.model.numbers import ModelNumbers, model_numbers
from hwplanner.model.precision import PUBLISHED_FORMATS, Format, WeightBytes, weight_bytes
from hwplanner.model.presets import load_models
from hwplanner.model.shape import ModelShape
from hwplanner.units import GIB

# What is asked of a device or a library alone; and of a model, whatever it runs on.
NEEDS_NO_MODEL = ("usable", "free", "context", "communication", "graph_each")
NEEDS_NO_DEVICE = (
    "parameters", "active_parameters", "other_parameters", "mtp_parameters", "file", "weights",
    "head_dim", "cache", "cache_per_token", "cache_of_one", "cache_of_windows", "state",
    "attention_block", "context", "communication", "graph_each", "graphs", "compute_buffer",
    "total", "process", "hidden_copies", "spread_ratio",
)  # fmt: skip
ANY_MODEL = "llama-3.1-8b"  # stands in where none is needed

# Models that are published in one format, which their name does not repeat.
NATIVE_FORMATS = (
    ("kimi-k2.5", "int4"),  # of its experts
    ("kimi-k2", "fp8"),
    ("minimax-m2", "fp8"),
    ("deepseek-v4", "fp8"),  # but for its experts
)
USUAL_GGUF = "gguf_q4_k_m"  # of llama.cpp and Ollama
OLLAMA_CONTEXT = 4096.0  # what it opens if not told; servers open all that a model can
META_FP8 = re.compile(r"meta-llama/.*405B.*FP8", re.IGNORECASE)
SEES_IMAGES = re.compile(r"(?i)\bVL\b|vision|llava|pixtral|internvl")
PADDED_HIDDEN, PADDED_FFN = 256, 128  # tiles of MXFP4 experts as vLLM lays them out
USUAL_DEVICE_BYTES = 80 * GIB  # decides how a model is split where no device is named
LABEL_TO_USABLE = 0.985


@dataclass(frozen=True, slots=True)
class MemoryInputs:
    """What the memory of one row depends on.

    Attributes
    ----------
    numbers, weights, layout, habits
        The model, its parts as loaded, how it is split, how the engine behaves.
    file_bytes
        Checkpoint, with the layers that predict further tokens. [bytes]
    counted_parameters
        Parameters of the model; where no engine is named, of its checkpoint. [parameters]
    device_bytes, free_bytes
        Memory that the driver counts, and what of it the system leaves; NaN if unknown. [bytes]
    utilization
        Setting of the engine; NaN if not said. [1]
    context_tokens, sequences
        Longest context, and how many of it. [tokens], [sequences]
    cache_bytes_per_value
        Width of a cached number. [bytes/value]
    sees_images
        Whether the engine makes room for images too.
    head_dim
        Of the model. [values/head]
    """

    numbers: ModelNumbers
    weights: WeightBytes
    layout: RunLayout
    habits: MemoryHabits
    file_bytes: float
    counted_parameters: float
    device_bytes: float
    free_bytes: float
    utilization: float
    context_tokens: float
    sequences: float
    cache_bytes_per_value: float
    sees_images: bool
    head_dim: float


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A row with what its names mean; without inputs there is a reason."""

    asked: Asked
    device_id: str
    model_id: str
    engine: str
    kind_of_model: str
    reason: str
    inputs: MemoryInputs | None


def read_memory_row(row: RunRow, catalog: Catalog) -> MemoryRow:
    """Resolve a row."""
    asked = read_quantity(row.text("quantity"), row.text("unit"))
    device_match, model_match = resolve_device(row.text("device")), resolve_model(row.text("model"))
    device = catalog.device(device_match.device_id) if device_match else None
    model_id = model_match.model_id if model_match else ""
    engine = resolve_engine(
        name=row.text("engine"),
        version=row.text("engine_version"),
        date=row.text("source_date"),
        device_class=device.efficiency_class if device else "",
    )
    reason = row.fault
    if not reason and not asked.meaning:
        reason = f"the quantity {row.text('quantity')!r} is none that is estimated"
    if not reason and not model_id and asked.meaning not in NEEDS_NO_MODEL:
        reason = unknown_model(row.text("model"))
    knows_memory = device is not None or _stated_bytes(row) is not None
    is_buffer = asked.meaning == "pool" and engine.memory == "llamacpp"
    needs_memory = asked.meaning not in NEEDS_NO_DEVICE and not is_buffer
    if not reason and needs_memory and not knows_memory:
        reason = unknown_device(row.text("device"))
    shape = load_models().get(model_id or ANY_MODEL)
    named = (model_match.weight_format or "") if model_match else ""
    return MemoryRow(
        asked=asked,
        device_id=device.id if device else "",
        model_id=model_id,
        engine=engine.memory,
        kind_of_model="moe" if shape.is_moe else "dense",
        reason=reason,
        inputs=None if reason else _inputs(row, shape, named, device, engine),
    )


def _inputs(
    row: RunRow, shape: ModelShape, named: str, device: Device | None, engine: Engine
) -> MemoryInputs:
    numbers = model_numbers(shape)
    formats = _formats(row, shape.id, named, device, engine)
    weights = _loaded(shape, formats.weights, engine)
    device_bytes, free_bytes = _device_memory(row, device)
    usual_context = OLLAMA_CONTEXT if engine.memory == "llamacpp" else float(shape.max_context)
    asked_context = row.number("max_model_len")
    sequences, utilization = row.number("max_num_seqs"), row.number("gpu_memory_utilization")
    plain = weight_bytes(model=numbers, weight_format=formats.weights)
    mtp_bytes = numbers.mtp_parameters * formats.weights.bytes_per_parameter
    return MemoryInputs(
        numbers=numbers,
        weights=weights,
        layout=_layout(row, device, float(weights.total_bytes), device_bytes, shape.is_moe),
        habits=memory_habits(
            engine=engine,
            name=row.text("engine"),
            version=row.text("engine_version"),
            date=row.text("source_date"),
            usable_bytes=device_bytes,
            is_a100=device is not None and device.efficiency_class == "a100",
            context_tokens=asked_context or usual_context,
            is_context_asked=asked_context is not None,
            sequences=sequences,
            is_awq="awq" in f"{row.text('model')} {row.text('weight_precision')}".lower(),
        ),
        file_bytes=float(plain.total_bytes + mtp_bytes),
        counted_parameters=_counted(row, shape, float(numbers.total_parameters)),
        device_bytes=device_bytes,
        free_bytes=free_bytes,
        utilization=np.nan if utilization is None else utilization,
        context_tokens=asked_context or usual_context,
        sequences=sequences or 1.0,
        cache_bytes_per_value=formats.cache_bytes_per_value,
        sees_images=bool(SEES_IMAGES.search(row.text("model"))),
        head_dim=float(shape.head_dim),
    )


def _formats(
    row: RunRow, model_id: str, named: str, device: Device | None, engine: Engine
) -> RunFormats:
    """Formats of weights and cache, by what is usual where neither column nor name says it."""
    native = (name for start, name in NATIVE_FORMATS if model_id.startswith(start))
    usual = USUAL_GGUF if engine.memory == "llamacpp" else next(native, "")
    loaded, _, _ = row.text("weight_precision").partition("->")  # reduced only once it is loaded
    formats = run_formats(
        weights=loaded or ("" if named else usual),
        activations="",
        cache=row.text("kv_precision"),
        named=named,
        model_id=model_id,
        engine=engine,
    )
    build = _build(row, model_id, formats.weights.name, device)
    return replace(formats, weights=PUBLISHED_FORMATS[build])


def _build(row: RunRow, model_id: str, name: str, device: Device | None) -> str:
    """Format of a model whose own build reduces only some of its parts."""
    if name == "fp8" and META_FP8.search(row.text("model")):
        return "fp8_ffn"
    if name == "int4" and model_id.startswith("kimi-k2"):
        return "int4_experts"
    if name in ("fp8", "mxfp4") and model_id.startswith("deepseek-v4"):
        has_unit = device is None or device.fp4_flop_per_s is not None
        return "fp4_experts" if has_unit else "fp4_experts_widened"
    return name


def _loaded(shape: ModelShape, weight_format: Format, engine: Engine) -> WeightBytes:
    """Weights as an engine holds them, where that is not how the file does."""
    weights = weight_bytes(model=model_numbers(shape), weight_format=weight_format)
    more = 0.0
    if weight_format.name == "mxfp4" and engine.memory == "vllm" and shape.moe_ffn:
        tiled = _padding(shape.hidden, PADDED_HIDDEN) * _padding(shape.moe_ffn, PADDED_FFN)
        each = weights.expert_each_bytes * tiled
        more = float(shape.experts * (each - weights.expert_each_bytes))
        weights = replace(weights, expert_each_bytes=each)
    if weight_format.name == "fp8" and engine.key == "transformers" and shape.tied_embeddings:
        # The library unties the head of fp8 checkpoints: Qwen3-4B took 1.30 bytes a parameter.
        more = float(weights.embedding_bytes)
        weights = replace(weights, head_bytes=weights.embedding_bytes)
    return replace(weights, total_bytes=weights.total_bytes + more)


def _counted(row: RunRow, shape: ModelShape, loaded: float) -> float:
    """Parameters; of a file also copies of tables and layers that a model runs without."""
    is_of_file = row.text("engine") in ("", "-") and shape.published_parameters is not None
    return float(shape.published_parameters or loaded) if is_of_file else loaded


def _padding(width: int, tile: int) -> float:
    """Whole tiles over a width. [1]"""
    return -(-width // tile) * tile / width


def _device_memory(row: RunRow, device: Device | None) -> tuple[float, float]:
    """Memory that the driver counts, and what the system leaves of it. [bytes]"""
    stated = _stated_bytes(row)
    if stated is not None:
        return stated, stated if device is None else min(stated, device.usable_memory_bytes)
    if device is None:
        return np.nan, np.nan
    if device.memory_kind == "unified":
        most = load_assumptions().range("usable_memory_share", device.memory_kind)[2]
        return device.memory_bytes * most, device.usable_memory_bytes
    return device.usable_memory_bytes, device.usable_memory_bytes


def _stated_bytes(row: RunRow) -> float | None:
    """Memory that a device's name states: what is usable, else of its class. [bytes]"""
    usable = re.search(r"(\d+(?:\.\d+)?) ?GiB", row.text("device"))
    if usable:
        return float(usable[1]) * GIB
    label = re.search(r"(\d+)[ -]?GB (?:class|GPU)", row.text("device"))
    return float(label[1]) * GIB * LABEL_TO_USABLE if label else None


def _layout(
    row: RunRow, device: Device | None, weights_bytes: float, device_bytes: float, is_moe: bool
) -> RunLayout:
    """How the model is split; experts over more devices than a layer mean spread attention."""
    tensor, stages, expert = row.number("tp"), row.number("pp"), row.number("ep")
    devices = max(row.number("n_devices") or 1.0, (tensor or 1.0) * (stages or 1.0))
    if "_vs_tp" in row.text("quantity"):
        tensor = tensor or devices
    spread = devices / tensor if expert and tensor and expert > tensor else None
    return run_layout(
        devices=devices,
        tensor=tensor,
        pipeline=stages,
        data=row.number("dp") or spread,
        expert=expert,
        device_class=device.efficiency_class if device else "",
        weights_bytes=weights_bytes,
        usable_bytes=USUAL_DEVICE_BYTES if np.isnan(device_bytes) else device_bytes,
        is_moe=is_moe,
        is_one_request=False,
        spreads_attention=False,
    )
