"""How engines of different years share out a device's memory, and what they do if not told."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hwplanner.evidence.engines import Engine
from hwplanner.units import GIB

LARGE_DEVICE_BYTES = 70 * GIB  # vLLM's own line between small and large devices
NEWEST = (99, 0)
# First release of each year's quarter, for logs that give a date alone.
_RELEASED = (
    ("2023-10", (0, 2)), ("2024-04", (0, 4)), ("2024-07", (0, 5)), ("2024-09", (0, 6)),
    ("2025-01", (0, 7)), ("2025-03", (0, 8)), ("2025-06", (0, 9)), ("2025-07", (0, 10)),
    ("2025-10", (0, 11)), ("2025-12", (0, 12)), ("2026-01", (0, 14)), ("2026-03", (0, 17)),
    ("2026-04", (0, 19)), ("2026-05", (0, 20)), ("2026-06", (0, 22)), ("2026-08", (0, 25)),
    ("2026-09", (0, 27)),
)  # fmt: skip
# Since when vLLM does what it does now.
WHOLE_AWQ = (0, 3)  # before, kernels added up partial sums of every product
LONG_IN_CHUNKS = (0, 5)  # long contexts switch small chunks on
SMALLER_GRAPHS = (0, 6)
LATENT_CACHE = (0, 7)  # before, latent models kept keys and values of all heads
SECOND_ENGINE = (0, 8)  # reads prompts in chunks, always
GRAPHS_COUNTED = (0, 21)
GROUPED_TOKENS = (0, 21)  # "cache size" in tokens is concurrency times longest context

LONG_CONTEXT_TOKENS = 32_768
OLD_CHUNK_TOKENS = 512.0
LEAST_STEP_TOKENS = 2048.0
AWQ_PARTIAL_SUMS = 8.0
TGI_STEP_TOKENS = 4096.0
LLAMACPP_STEP_TOKENS = 512.0


@dataclass(frozen=True, slots=True)
class MemoryHabits:
    """What an engine of some release does.

    Attributes
    ----------
    engine
        Rule of cache capacity, a key of `memory_utilization`.
    chunk_tokens
        Prompt tokens that one step takes at most. [tokens]
    counts_graphs
        Whether captured graphs come out of its share of the memory.
    charges_all_layers
        Whether its log counts tokens as if every layer kept all of them.
    unfolds_latent
        Whether latent models keep keys and values of all heads.
    window_chunk_tokens
        Tokens kept beyond a sliding window. [tokens]
    logit_rows
        Tokens of a step whose logits it keeps. [tokens]
    partial_sums
        Copies of each product's output that its kernels add up.
    graphs
        Key of `graph_bytes_per_layer`.
    """

    engine: str
    chunk_tokens: float
    counts_graphs: bool
    charges_all_layers: bool
    unfolds_latent: bool
    window_chunk_tokens: float
    logit_rows: float
    partial_sums: float = 1.0
    graphs: str = ""


def release(*, version: str, date: str) -> tuple[int, int]:
    """Release of vLLM, by its number or else by its day.

    Examples
    --------
    >>> release(version="0.6.x V0", date=""), release(version="", date="2025-09-21")
    ((0, 6), (0, 10))
    """
    number = re.search(r"(\d+)\.(\d+)", version)
    if number:
        return int(number[1]), int(number[2])
    earlier = [since for day, since in _RELEASED if date >= day]
    return (earlier[-1] if earlier else (0, 1)) if date[:4].isdigit() else NEWEST


def memory_habits(
    *,
    engine: Engine,
    name: str,
    version: str,
    date: str,
    usable_bytes: float,
    is_a100: bool,
    context_tokens: float,
    is_context_asked: bool,
    sequences: float | None,
    is_awq: bool,
) -> MemoryHabits:
    """Find the habits of an engine.

    Parameters
    ----------
    engine, name, version, date
        Its class; its name, version and date as published.
    usable_bytes, is_a100
        Memory of the device; whether it is one of those that vLLM counts as small all the same.
    context_tokens
        Longest context. [tokens]
    is_context_asked
        Whether it is asked for, rather than the model's own.
    sequences
        Largest batch that it is asked for; None for its own. [sequences]
    is_awq
        Whether the weights are in AWQ, whose first kernels split their sums.
    """
    words = name.lower()
    is_large = usable_bytes >= LARGE_DEVICE_BYTES and not is_a100
    if engine.memory == "llamacpp":
        return _llamacpp(sequences or 1.0)
    if "tgi" in words or "text-generation" in words:
        return _tgi(context_tokens if is_context_asked else None)
    # Most of what is published without an engine's name runs in vLLM.
    if "vllm" in words or (engine.key == "other" and "transformers" not in words):
        return _vllm(
            at=release(version=version, date=date),
            version=version.lower(),
            is_large=is_large,
            context_tokens=context_tokens,
            sequences=sequences,
            is_awq=is_awq,
        )
    batch = sequences or (2048.0 if engine.memory == "trtllm" else 256.0)
    return MemoryHabits(
        engine=engine.memory,
        chunk_tokens=_chunk_tokens(is_large),
        counts_graphs=True,
        charges_all_layers=False,
        unfolds_latent=False,
        window_chunk_tokens=0.0,
        logit_rows=batch,
    )


def _chunk_tokens(is_large: bool) -> float:
    return 8192.0 if is_large else 2048.0


def _vllm(
    *,
    at: tuple[int, int],
    version: str,
    is_large: bool,
    context_tokens: float,
    sequences: float | None,
    is_awq: bool,
) -> MemoryHabits:
    """Read what a release of vLLM does; its first engine and its second ran side by side."""
    is_first = "v1" not in version and (at < SECOND_ENGINE or "v0" in version)
    chunk_tokens = _chunk_tokens(is_large)
    if is_first:
        is_long = context_tokens > LONG_CONTEXT_TOKENS and at >= LONG_IN_CHUNKS
        chunk_tokens = OLD_CHUNK_TOKENS if is_long else max(context_tokens, LEAST_STEP_TOKENS)
    return MemoryHabits(
        engine="vllm",
        chunk_tokens=chunk_tokens,
        counts_graphs=at >= GRAPHS_COUNTED,
        charges_all_layers=at < GROUPED_TOKENS,
        unfolds_latent=at < LATENT_CACHE,
        window_chunk_tokens=chunk_tokens,
        logit_rows=sequences or (1024.0 if is_large and not is_first else 256.0),
        partial_sums=AWQ_PARTIAL_SUMS if is_awq and at < WHOLE_AWQ else 1.0,
        graphs="old" if at < SMALLER_GRAPHS else "",
    )


def _tgi(context_tokens: float | None) -> MemoryHabits:
    """Read prompts whole, and warm up with the logits of all their tokens."""
    return MemoryHabits(
        engine="vllm",
        chunk_tokens=context_tokens or TGI_STEP_TOKENS,
        counts_graphs=True,
        charges_all_layers=False,
        unfolds_latent=False,
        window_chunk_tokens=0.0,
        logit_rows=context_tokens or 256.0,
    )


def _llamacpp(sequences: float) -> MemoryHabits:
    """Keep one step of every sequence beyond each window."""
    return MemoryHabits(
        engine="llamacpp",
        chunk_tokens=LLAMACPP_STEP_TOKENS,
        counts_graphs=True,
        charges_all_layers=False,
        unfolds_latent=False,
        window_chunk_tokens=LLAMACPP_STEP_TOKENS * sequences,
        logit_rows=sequences,
    )
