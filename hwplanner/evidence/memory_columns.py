"""Every quantity of serving memory that logs print, of many rows at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.evidence.memory_inputs import MemoryInputs
from hwplanner.model.kv_cache import (
    cache_bytes_per_token,
    state_bytes,
    window_bytes_per_token,
)
from hwplanner.model.numbers import ModelNumbers, stacked
from hwplanner.model.precision import WeightBytes
from hwplanner.serving.layouts import ServingLayouts, stage_share
from hwplanner.serving.memory import (
    ServingMemory,
    cache_pool_bytes,
    serving_memory,
    working_bytes,
)
from hwplanner.units import Array, Quantity

ENGINES = ("vllm", "trtllm", "sglang", "llamacpp", "vendor")
BLOCK_TOKENS = 16  # vLLM keeps the cache in blocks of a multiple of it
LLAMACPP_CELLS = 256  # llama.cpp rounds a window up to it
LLAMACPP_STATE_WIDTH = 4.0  # bytes of a kept convolution input, 2 elsewhere

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class CacheParts:
    """What one sequence keeps on one rank: for a token, a token in a window, and always. [bytes]

    `growing_tokens` is the window with what an engine keeps beyond it.
    """

    per_token: Array
    per_window_token: Array
    constant: Array
    window_tokens: Array

    def of(self, context_tokens: Quantity) -> Array:
        """Cache of a context. [bytes]"""
        return (
            self.per_token * context_tokens
            + self.per_window_token * np.minimum(context_tokens, self.window_tokens)
            + self.constant
        )

    def longest(self, pool_bytes: Array) -> Array:
        """Context that fills a pool. [tokens]"""
        left = pool_bytes - self.constant
        in_window = left / (self.per_token + self.per_window_token)
        beyond = (left - self.per_window_token * self.window_tokens) / self.per_token
        return np.where(in_window > self.window_tokens, beyond, in_window)


@dataclass(frozen=True, slots=True, eq=False)
class MemoryColumns:
    """Inputs of rows as columns; see `MemoryInputs` and `MemoryHabits`."""

    model: ModelNumbers
    weights: WeightBytes
    layouts: ServingLayouts
    engine: NDArray[np.str_]
    chunk_tokens: Array
    logit_rows: Array
    window_chunk_tokens: Array
    partial_sums: Array
    graphs_factor_key: NDArray[np.str_]
    counts_graphs: Mask
    charges_all_layers: Mask
    unfolds_latent: Mask
    file_bytes: Array
    counted_parameters: Array
    device_bytes: Array
    free_bytes: Array
    utilization: Array
    context_tokens: Array
    sequences: Array
    cache_bytes_per_value: Array
    sees_images: Mask
    head_dim: Array

    @classmethod
    def of(cls, rows: Sequence[MemoryInputs]) -> MemoryColumns:
        """Join rows."""

        def column(get: Callable[[MemoryInputs], float]) -> Array:
            return np.array([get(row) for row in rows], dtype=float)[:, None]

        def mask(get: Callable[[MemoryInputs], bool]) -> Mask:
            return np.array([get(row) for row in rows])[:, None]

        return cls(
            model=stacked([row.numbers for row in rows]),
            weights=stacked([row.weights for row in rows]),
            layouts=ServingLayouts(
                tensor=column(lambda row: row.layout.tensor),
                pipeline=column(lambda row: row.layout.pipeline),
                attention_parallel=column(lambda row: row.layout.attention_parallel),
                attention_tensor=column(lambda row: row.layout.attention_tensor),
            ),
            engine=np.array([row.habits.engine for row in rows])[:, None],
            chunk_tokens=column(lambda row: row.habits.chunk_tokens),
            logit_rows=column(lambda row: row.habits.logit_rows),
            window_chunk_tokens=column(lambda row: row.habits.window_chunk_tokens),
            partial_sums=column(lambda row: row.habits.partial_sums),
            graphs_factor_key=np.array([row.habits.graphs for row in rows])[:, None],
            counts_graphs=mask(lambda row: row.habits.counts_graphs),
            charges_all_layers=mask(lambda row: row.habits.charges_all_layers),
            unfolds_latent=mask(lambda row: row.habits.unfolds_latent),
            file_bytes=column(lambda row: row.file_bytes),
            counted_parameters=column(lambda row: row.counted_parameters),
            device_bytes=column(lambda row: row.device_bytes),
            free_bytes=column(lambda row: row.free_bytes),
            utilization=column(lambda row: row.utilization),
            context_tokens=column(lambda row: row.context_tokens),
            sequences=column(lambda row: row.sequences),
            cache_bytes_per_value=column(lambda row: row.cache_bytes_per_value),
            sees_images=mask(lambda row: row.sees_images),
            head_dim=column(lambda row: row.head_dim),
        )

    @property
    def is_llamacpp(self) -> Mask:
        """Whether buffers are made for what is asked, rather than for all that fits."""
        return np.asarray(self.engine == "llamacpp")

    @property
    def is_mixed(self) -> Mask:
        """Whether some layers keep less than the whole context."""
        return np.asarray(np.greater(self.model.sliding_layers + self.model.linear_layers, 0))

    def quantities(self, assumptions: Assumptions) -> Mapping[str, Quantity]:
        """Work out all quantities of all rows, in base units, by what they mean."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._of_models() | self._of_devices(assumptions)

    def _of_models(self) -> dict[str, Quantity]:
        """Arithmetic: counts, files and caches of what is asked, over all devices together."""
        model, whole = self.model, self._cache()
        windows = np.minimum(self.context_tokens, whole.window_tokens) * whole.per_window_token
        return {
            "parameters": self.counted_parameters,
            "active_parameters": model.active_parameters,
            "other_parameters": model.other_parameters,
            "mtp_parameters": model.mtp_parameters,
            "head_dim": self.head_dim,
            "file": self.file_bytes,
            "cache": self.sequences * self._cached_at(whole, self.context_tokens),
            "cache_per_token": whole.per_token,
            "cache_of_windows": self.sequences * windows,
            "state": self.sequences * whole.constant,
            "attention_block": self._block_tokens(whole),
        }

    def _of_devices(self, assumptions: Assumptions) -> dict[str, Quantity]:
        """What a device holds."""
        get = assumptions.typical
        memory, share = self._memory(assumptions), self._share(assumptions)
        cache = self._cache(
            tensor_parallel=self.layouts.attention_split,
            share=stage_share(layers=self.model.layers, stages=self.layouts.pipeline),
        )
        whole = self._cache()
        images_bytes = np.where(self.sees_images, get("vision_profile_bytes"), 0.0)
        pool = self._pool(memory, share) - images_bytes
        of_one = cache.of(self.context_tokens)
        concurrency = pool / of_one
        tokens = self._tokens(pool, concurrency, cache)
        total = self._total(assumptions)
        asked = np.where(self.is_llamacpp, self.sequences, 1.0) * of_one
        # Graphs that are not counted come out of what the engine leaves.
        rest = np.where(self.counts_graphs, np.inf, self.device_bytes * (1 - share))
        spare = np.minimum(pool - asked, rest - memory.graph_bytes)
        return {
            "weights": memory.weights_bytes,
            "weights_and_context": memory.weights_bytes + memory.context_bytes,
            "activations": memory.activations_bytes + memory.workspace_bytes + images_bytes,
            "non_torch": memory.context_bytes,
            "context": get("context_bytes"),
            "communication": get("communication_buffer_bytes", "pair"),
            "graphs": memory.graph_bytes,
            "graph_each": get("single_graph_bytes"),
            "overhead": memory.overhead_bytes + memory.activations_bytes,
            "compute_buffer": get("compute_buffer_bytes"),
            "usable": self.device_bytes,
            "free": self.free_bytes,
            "free_before_cache": self.device_bytes - memory.weights_bytes - memory.context_bytes,
            "free_after_cache": self.device_bytes * (1 - share),
            "pool": np.where(
                self.is_llamacpp, self.sequences * whole.per_token * self.context_tokens, pool
            ),
            "tokens": tokens,
            "blocks": tokens,
            "concurrency": concurrency,
            "longest": cache.longest(pool),
            "cache_of_one": of_one,
            "process": np.where(self.is_llamacpp, total, self.device_bytes * share),
            "total": total,
            # Needed over what there is: a yes up to 1.
            "fits": 1 - spare / self.device_bytes,
            "spread_ratio": self.layouts.tensor * cache.per_token / whole.per_token,
        }

    def _memory(self, assumptions: Assumptions) -> ServingMemory:
        """Memory on each device, with what only some releases hold."""
        get = assumptions.typical
        memory = serving_memory(
            model=self.model,
            weights=self.weights,
            layouts=self.layouts,
            context_tokens=self.context_tokens,
            cache_bytes_per_value=self.cache_bytes_per_value,
            chunk_tokens=self.chunk_tokens,
            most_sequences=self.logit_rows,
            assumptions=assumptions,
        )
        partial = working_bytes(
            chunk_tokens=self.chunk_tokens,
            hidden=0.0,
            ffn=self.model.active_ffn * (self.partial_sums - 1),
            tensor=self.layouts.tensor,
            tensors=get("working_tensors"),
        )
        older = get("graph_bytes_per_layer", "old") / get("graph_bytes_per_layer")
        return replace(
            memory,
            activations_bytes=memory.activations_bytes + partial,
            graph_bytes=memory.graph_bytes * np.where(self.graphs_factor_key == "old", older, 1.0),
        )

    def _share(self, assumptions: Assumptions) -> Array:
        """Setting of the engine, its usual one where none is said. [1]"""
        settings = [assumptions.typical("memory_utilization", key) for key in ENGINES]
        usual = np.select([self.engine == key for key in ENGINES], settings)
        return np.where(np.isnan(self.utilization), usual, self.utilization)

    def _pool(self, memory: ServingMemory, share: Array) -> Array:
        return cache_pool_bytes(
            engine=self.engine,
            usable_bytes=self.device_bytes,
            memory=memory,
            utilization=share,
            counts_graphs=self.counts_graphs,
        )

    def _cache(self, *, tensor_parallel: Quantity = 1.0, share: Quantity = 1.0) -> CacheParts:
        """Cache of a sequence on one rank that has a share of the layers; all of it if not told."""
        model, width = self.model, self.cache_bytes_per_value
        plain = cache_bytes_per_token(
            model=model, bytes_per_value=width, tensor_parallel=tensor_parallel
        )
        keys_and_values = 2 * model.attention_width * width  # of every head
        is_unfolded = self.unfolds_latent & np.asarray(model.is_latent)
        state_width = np.where(self.is_llamacpp, LLAMACPP_STATE_WIDTH, 2.0)
        windows = model.sliding_window + self.window_chunk_tokens
        cells = np.ceil(windows / LLAMACPP_CELLS) * LLAMACPP_CELLS
        return CacheParts(
            per_token=share * np.where(is_unfolded, keys_and_values / tensor_parallel, plain),
            per_window_token=np.asarray(
                share
                * window_bytes_per_token(
                    model=model, bytes_per_value=width, tensor_parallel=tensor_parallel
                )
            ),
            constant=np.asarray(
                share
                * state_bytes(
                    model=model, conv_bytes_per_value=state_width, tensor_parallel=tensor_parallel
                )
            ),
            window_tokens=np.asarray(np.where(self.is_llamacpp, cells, windows)),
        )

    def _cached_at(self, whole: CacheParts, context_tokens: Array) -> Array:
        """Cache of a sequence whose prompt is read: windows hold no chunk beyond their size."""
        return replace(whole, window_tokens=np.asarray(self.model.sliding_window, dtype=float)).of(
            context_tokens
        )

    def _tokens(self, pool: Array, concurrency: Array, cache: CacheParts) -> Array:
        """Tokens that a log says the pool holds. [tokens]

        Of mixed layers, old releases count as if each kept all tokens, new ones what full
        concurrency holds.
        """
        linear_layers = np.asarray(self.model.linear_layers)
        as_if_full = cache.per_token * linear_layers / np.maximum(self.model.full_layers, 1.0)
        charged = pool / (cache.per_token + cache.per_window_token + as_if_full)
        mixed = np.where(self.charges_all_layers, charged, concurrency * self.context_tokens)
        return np.where(self.is_mixed, mixed, pool / cache.per_token)

    def _total(self, assumptions: Assumptions) -> Array:
        """Peak of a library or of llama.cpp that holds what is asked, over all devices. [bytes]"""
        whole = self._cache()
        held = np.where(
            self.is_llamacpp,
            whole.of(self.context_tokens),
            self._cached_at(whole, self.context_tokens),
        )
        buffers = np.where(
            self.is_llamacpp,
            assumptions.typical("compute_buffer_bytes"),
            assumptions.typical("runtime_bytes"),
        )
        return self.weights.total_bytes + self.sequences * held + buffers

    def _block_tokens(self, whole: CacheParts) -> Array:
        """Tokens of a block of attention that is as large as the state of a linear layer."""
        one_layer = whole.per_token / np.maximum(self.model.full_layers, 1.0)
        one_state = whole.constant / np.maximum(self.model.linear_layers, 1.0)
        return np.asarray(np.ceil(one_state / one_layer / BLOCK_TOKENS) * BLOCK_TOKENS)
