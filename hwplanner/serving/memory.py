"""Memory of one model copy while it is served: what is fixed, and what each sequence adds.

Everything is per device, for the device of a layout that holds most.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.model.kv_cache import cache_bytes
from hwplanner.model.numbers import ModelNumbers
from hwplanner.model.precision import WeightBytes
from hwplanner.serving.layouts import ServingLayouts, stage_share
from hwplanner.units import Array, Flag, Quantity


@dataclass(frozen=True, slots=True)
class ServingMemory:
    """Bytes on the fullest device of each layout. [bytes/device]

    Attributes
    ----------
    weights_bytes
        Weights of its layers.
    activations_bytes
        Working memory of one step over a full chunk of prompt, with the logits; and of a vision
        tower, where there is one.
    context_bytes
        Context of the driver, and communication buffers.
    graph_bytes
        Captured graphs.
    workspace_bytes
        Expert layers at work.
    cache_bytes_per_sequence
        Cache of one sequence at full context, on a device that keeps it.
    """

    weights_bytes: Array
    activations_bytes: Array
    context_bytes: Array
    graph_bytes: Array
    workspace_bytes: Array
    cache_bytes_per_sequence: Array

    @property
    def overhead_bytes(self) -> Array:
        """All that is neither weights nor activations nor cache. [bytes/device]"""
        return self.context_bytes + self.graph_bytes + self.workspace_bytes

    @property
    def fixed_bytes(self) -> Array:
        """All that does not grow with the sequences. [bytes/device]"""
        return self.weights_bytes + self.activations_bytes + self.overhead_bytes


def working_bytes(
    *,
    chunk_tokens: Quantity,
    hidden: Quantity,
    ffn: Quantity,
    tensor: Quantity,
    tensors: Quantity = 3.0,
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
    tensors
        Tensors of each width that are alive at once.

    Returns
    -------
    float or ndarray
        Peak of the tensors of one layer at 16 bit. [bytes/device]

    Notes
    -----
    Two start-up logs of vLLM with Llama-3.1-8B, 2.07 GiB at 20,000 tokens and 2.99 at 29,000,
    give the same 110 kB per token [1]_: three tensors.

    References
    ----------
    .. [1] github.com/vllm-project/vllm/issues/10517.

    Examples
    --------
    >>> working_bytes(chunk_tokens=1, hidden=4096, ffn=14336, tensor=1)
    110592.0
    """
    return 2 * chunk_tokens * tensors * (hidden + ffn / tensor)


def serving_memory(
    *,
    model: ModelNumbers,
    weights: WeightBytes,
    layouts: ServingLayouts,
    context_tokens: Quantity,
    cache_bytes_per_value: Quantity,
    chunk_tokens: Quantity,
    most_sequences: Quantity,
    assumptions: Assumptions,
) -> ServingMemory:
    """Work out the memory of every layout; it is the same on every device.

    One model in many layouts, or as many models (`stacked`) as layouts, in columns.

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
        Arrays of the shape of the layouts.
    """
    tensor, stages = layouts.tensor, layouts.pipeline
    share = stage_share(layers=model.layers, stages=stages)
    # The first stage holds the input table, the last the output table; alone, it holds both.
    tables_bytes = np.where(
        stages > 1,
        np.maximum(weights.embedding_bytes + weights.other_bytes, weights.head_read_bytes),
        weights.embedding_bytes + weights.other_bytes + weights.head_bytes,
    )
    split_bytes = share * (weights.body_bytes - weights.repeated_bytes) + tables_bytes
    experts_bytes = model.experts * weights.expert_each_bytes
    is_large = np.greater_equal(
        model.total_parameters, assumptions.typical("moe_workspace_parameters")
    )
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
        weights_bytes=np.asarray(
            split_bytes / layouts.attention_split
            + share * (weights.repeated_bytes + experts_bytes / tensor)
        ),
        activations_bytes=np.asarray(
            logits_bytes
            + np.where(
                np.greater(model.other_parameters, 0), assumptions.typical("tower_bytes"), 0.0
            )
            + working_bytes(
                chunk_tokens=chunk_tokens,
                hidden=model.hidden,
                ffn=model.active_ffn,
                tensor=tensor,
                tensors=assumptions.typical("working_tensors"),
            )
        ),
        context_bytes=_context_bytes(tensor, assumptions),
        graph_bytes=np.asarray(share * model.layers * assumptions.typical("graph_bytes_per_layer")),
        workspace_bytes=np.where(
            model.is_moe & is_large,
            chunk_tokens * assumptions.typical("moe_workspace_bytes_per_token"),
            0.0,
        ),
        cache_bytes_per_sequence=np.asarray(share * cache_on_rank),
    )


def cache_pool_bytes(
    *,
    engine: str | NDArray[np.str_],
    usable_bytes: Quantity,
    memory: ServingMemory,
    utilization: Quantity,
    counts_graphs: Flag = True,
) -> Array:
    """Memory that an engine gives to the cache.

    Parameters
    ----------
    engine
        Engine of the scenario, or of each row.
    usable_bytes
        Memory that a process finds on a device. [bytes/device]
    memory
        What else it holds.
    utilization
        The engine's setting, a share of different things. [1]
    counts_graphs
        Whether captured graphs come out of that share; in vLLM before 0.21 they took what it left.

    Returns
    -------
    ndarray
        Pool for all sequences; below 0 where the model does not fit. [bytes/device]

    Notes
    -----
    TensorRT-LLM takes a share of what is free beside the rest (free_gpu_memory_fraction), SGLang
    gives a share of what it finds before loading to weights and cache (mem-fraction-static), vLLM
    of all memory to everything (gpu-memory-utilization).
    """
    free_bytes = usable_bytes - memory.fixed_bytes
    static_bytes = usable_bytes * utilization
    found_bytes = usable_bytes - memory.context_bytes
    charged_bytes = memory.fixed_bytes - np.where(counts_graphs, 0.0, memory.graph_bytes)
    return np.select(
        [np.equal(engine, "trtllm"), np.equal(engine, "sglang")],
        [
            free_bytes * utilization,
            np.minimum(found_bytes * utilization - memory.weights_bytes, free_bytes),
        ],
        np.minimum(static_bytes - charged_bytes, free_bytes),
    )


def _context_bytes(tensor: Array, assumptions: Assumptions) -> Array:
    """Driver context, and the communication buffers of a tensor group."""
    get = assumptions.typical
    buffers = np.select(
        [tensor == 1, tensor <= 4],
        [0.0, get("communication_buffer_bytes", "pair")],
        get("communication_buffer_bytes", "group"),
    )
    return get("context_bytes") + buffers
