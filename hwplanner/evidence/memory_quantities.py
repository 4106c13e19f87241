"""What a row of memory measurements asks for, whatever it is called, and in which unit."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hwplanner.units import BILLION, GB, GIB, KIB, MB, MIB, MILLION

_BYTE_UNITS = {
    "b": 1.0, "bytes": 1.0, "kib": KIB, "kb": 1e3, "mib": MIB, "mb": MB, "gib": GIB, "gb": GB,
    "tib": 2.0**40, "tb": 1e12,
}  # fmt: skip
_COUNT_UNITS = {"m": MILLION, "million": MILLION, "b": BILLION, "billion": BILLION}

# Words of a quantity to what it means; the first pattern that is found decides.
_MEANINGS: tuple[tuple[str, str], ...] = (
    (r"^fits|^starts|^boots|^loads\b", "fits"),
    (r"^kv_ratio_dp", "spread_ratio"),
    (r"^params?_(vision|other)", "other_parameters"),
    (r"^params?_active|^active_params?", "active_parameters"),
    (r"^params?_mtp", "mtp_parameters"),
    (r"^params?(_|$)|^parameters", "parameters"),
    (r"^(file|checkpoint|download)_", "file"),
    (r"^head_dim", "head_dim"),
    (r"^attention_block_tokens", "attention_block"),
    (r"^hidden_copies_per_layer", "hidden_copies"),
    (r"train", "training_peak"),
    (r"^usable|^total_device_memory|^device_memory", "usable"),
    (r"^weights?_plus_non_?torch", "weights_and_context"),
    (r"^(model_)?weights?(_|$)|^model_(gib|gb|mib|mb)|^load(ed|ing)_", "weights"),
    (r"^non_?torch", "non_torch"),
    (r"context_(gib|gb|mib|mb)|^cuda_context", "context"),
    (r"^nccl|^dist_init|^comm", "communication"),
    (r"graph_?s?_.*each", "graph_each"),
    (r"graph", "graphs"),
    (r"^runtime_overhead|^overhead", "overhead"),
    (r"^compute_buffer", "compute_buffer"),
    (r"^activation", "activations"),
    (r"^free_before|^free_after_(load|weights)", "free_before_cache"),
    (r"^free_after", "free_after_cache"),
    (r"^free_at_boot|^free", "free"),
    (r"swa|sliding|window", "cache_of_windows"),
    (r"recurrent|^rs_|ssm|mamba|^state|gdn_", "state"),
    (r"^kv_.*(per_token|_tok\b)", "cache_per_token"),
    (r"^kv_.*(needed|one_request|per_request|per_seq)", "cache_of_one"),
    (r"max_model_len|max_context|max_len", "longest"),
    (r"concurrency", "concurrency"),
    (r"blocks", "blocks"),
    (r"tokens", "tokens"),
    (r"^kv_capacity", "tokens"),
    (r"^kv_suggestion|^(kv_)?(cache_)?pool|^available_kv", "pool"),
    (r"^kv_cache", "pool"),
    (r"^kv_(gib|gb|mib|mb)", "cache"),
    (r"^process_memory", "process"),
    (r"peak|^(total_)?memory|^vram", "total"),
)
KNOWN = frozenset(meaning for _, meaning in _MEANINGS)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a row asks for.

    Attributes
    ----------
    meaning
        One of `KNOWN`, '' where it is none.
    unit
        Size of the row's unit in base units: bytes, tokens, parameters.
    """

    meaning: str
    unit: float


def read_quantity(quantity: str, unit: str) -> Asked:
    """Find what a quantity means.

    Examples
    --------
    >>> read_quantity("gpu_blocks(16)", "blocks")
    Asked(meaning='blocks', unit=16.0)
    >>> read_quantity("weights_gib_per_device", "GB(GiB)") == Asked("weights", 2**30)
    True
    """
    words = quantity.strip().lower()
    meaning = next((known for pattern, known in _MEANINGS if re.search(pattern, words)), "")
    return Asked(meaning, _unit(meaning, words, unit.strip().lower()))


def _unit(meaning: str, words: str, unit: str) -> float:
    """Base units in one of the row's. Engines print GB and mean GiB: what is in brackets counts."""
    if meaning in ("blocks", "longest", "tokens", "concurrency", "fits", "head_dim"):
        size = re.search(r"\((\d+)\)", words)
        return float(size[1]) if size else (16.0 if meaning == "blocks" else 1.0)
    if meaning.endswith("parameters"):
        return _COUNT_UNITS.get(unit, BILLION if words.endswith("_b") else 1.0)
    named = re.search(r"_([kmgt]i?b)(?:_|$)", words)
    printed = re.search(r"\(([kmgt]i?b)", unit)
    if printed and not unit.startswith("gib"):
        return float(_BYTE_UNITS[printed[1]])
    plain = re.match(r"[a-z]+", unit)
    if plain and plain[0] in _BYTE_UNITS:
        return float(_BYTE_UNITS[plain[0]])
    return float(_BYTE_UNITS[named[1]]) if named else 1.0
