"""Memory of one model copy while it is served: what is fixed, and what each sequence adds.

Everything is per device, for the device of a layout that holds most.
"""

from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.model.kv_cache import cache_bytes
from hwplanner.model.numbers import ModelNumbers
from hwplanner.model.precision import WeightBytes
from hwplanner.serving.layouts import ServingLayouts, stage_share
from hwplanner.units import Array, Quantity


@dataclass(frozen=True, slots=True)
class ServingMemory:
    """Bytes on the fullest device of each layout. [bytes/device]

    Attributes
    ----------
    weights_bytes
        Weights of its layers.
    activations_bytes
        Working memory of one step over a full chunk of prompt, with the logits.
    overhead_bytes
        Context, communication buffers, captured graphs and expert workspace.
    cache_bytes_per_sequence
        Cache of one sequence at full context, on a device that keeps it.
    """

    weights_bytes: Array
    activations_bytes: Array
    overhead_bytes: Array
    cache_bytes_per_sequence: Array

    @property
    def fixed_bytes(self) -> Array:
        """All that does not grow with the sequences. [bytes/device]"""
        return self.weights_bytes + self.activations_bytes + self.overhead_bytes


def working_bytes(
    *, chunk_tokens: Quantity, hidden: Quantity, ffn: Quantity, tensor: Quantity
) -> Quantity:
    """Working memory of a step over a chunk of prompt.

    Parameters
    ----------
    chunk_tokens
        Tokens that one step takes. [tokens]
    hidden, ffn
        Width of the model, and of what a token passes in a feed-forward layer. [values/token]
    tensor
        Devices that share the layer. [devices]

    Returns
    -------
    float or ndarray
        Peak of the tensors of one layer at 16 bit. [bytes/device]

    Notes
    -----
    Three tensors of each width are alive at once. Two start-up logs of vLLM with Llama-3.1-8B,
    2.07 GiB at 20,000 tokens and 2.99 at 29,000, give the same 110 kB per token [1]_.

    References
    ----------
    .. [1] github.com/vllm-project/vllm/issues/10517.

    Examples
    --------
    >>> working_bytes(chunk_tokens=1, hidden=4096, ffn=14336, tensor=1)
    110592.0
    """
    return 2 * chunk_tokens * (3 * hidden + 3 * ffn / tensor)


def serving_memory(
    *,
    model: ModelNumbers,
    weights: WeightBytes,
    layouts: ServingLayouts,
    context_tokens: float,
    cache_bytes_per_value: float,
    chunk_tokens: float,
    most_sequences: float,
    assumptions: Assumptions,
) -> ServingMemory:
    """Work out the memory of every layout; it is the same on every device.

    Parameters
    ----------
    model, weights
        The model, and the bytes of its parts in the format that serves.
    layouts
        Layouts, one entry each.
    context_tokens
        Tokens that each sequence holds. [tokens]
    cache_bytes_per_value
        Width of a cached number. [bytes/value]
    chunk_tokens
        Prompt tokens that one step takes at most. [tokens]
    most_sequences
        Largest batch that the engine admits; it keeps logits for as many. [sequences]
    assumptions
        Overheads.

    Returns
    -------
    ServingMemory
        Arrays with one entry per layout.
    """
    tensor, stages = layouts.tensor, layouts.pipeline
    share = stage_share(layers=model.layers, stages=stages)
    # The first stage holds the input table, the last the output table; alone, it holds both.
    tables_bytes = np.where(
        stages > 1,
        np.maximum(weights.embedding_bytes, weights.head_read_bytes),
        weights.embedding_bytes + weights.head_bytes,
    )
    experts_bytes = model.experts * weights.expert_each_bytes
    logits_bytes = (
        assumptions.typical("logit_bytes_per_entry")
        * most_sequences
        * model.vocab
        / layouts.attention_split
    )
    cache_on_rank = cache_bytes(
        model=model,
        context_tokens=context_tokens,
        bytes_per_value=cache_bytes_per_value,
        tensor_parallel=layouts.attention_split,
    )
    return ServingMemory(
        weights_bytes=(share * weights.body_bytes + tables_bytes) / layouts.attention_split
        + share * experts_bytes / tensor,
        activations_bytes=logits_bytes
        + working_bytes(
            chunk_tokens=chunk_tokens,
            hidden=model.hidden,
            ffn=model.active_ffn,
            tensor=tensor,
        ),
        overhead_bytes=_overhead_bytes(model, layouts, chunk_tokens, assumptions),
        cache_bytes_per_sequence=np.asarray(share * cache_on_rank),
    )


def cache_pool_bytes(
    *, engine: str, usable_bytes: Quantity, memory: ServingMemory, utilization: float
) -> Array:
    """Memory that an engine gives to the cache.

    Parameters
    ----------
    engine
        Engine of the scenario.
    usable_bytes
        Memory that a process finds on a device. [bytes/device]
    memory
        What else it holds.
    utilization
        The engine's setting, a share of different things. [1]

    Returns
    -------
    ndarray
        Pool for all sequences; below 0 where the model does not fit. [bytes/device]

    Notes
    -----
    TensorRT-LLM takes a share of what is free beside the rest (free_gpu_memory_fraction), SGLang
    gives a share of all memory to weights and cache (mem-fraction-static), vLLM to everything
    (gpu-memory-utilization).
    """
    free_bytes = usable_bytes - memory.fixed_bytes
    if engine == "trtllm":
        return free_bytes * utilization
    if engine == "sglang":
        return np.minimum(usable_bytes * utilization - memory.weights_bytes, free_bytes)
    return np.asarray(usable_bytes * utilization - memory.fixed_bytes)


def _overhead_bytes(
    model: ModelNumbers, layouts: ServingLayouts, chunk_tokens: float, assumptions: Assumptions
) -> Array:
    """Context, buffers, graphs, and the workspace of large mixtures."""
    get = assumptions.typical
    buffers = np.select(
        [layouts.tensor == 1, layouts.tensor <= 4],
        [0.0, get("communication_buffer_bytes", "pair")],
        get("communication_buffer_bytes", "group"),
    )
    is_large = model.is_moe and model.total_parameters >= get("moe_workspace_parameters")
    workspace = chunk_tokens * get("moe_workspace_bytes_per_token") if is_large else 0.0
    return np.asarray(get("context_bytes") + get("graph_bytes") + workspace + buffers)
