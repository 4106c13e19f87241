"""What a sequence keeps in memory while it is served, on one rank of a tensor-parallel group.

Three parts: bytes for each token of the context, bytes for each token of a sliding window, and a
constant for each sequence. Layers are not yet divided over pipeline stages here.
"""

import numpy as np

from hwplanner.model.numbers import ModelNumbers
from hwplanner.units import Quantity

STATE_BYTES_PER_VALUE = 4.0  # engines keep recurrent states in fp32 whatever the weights are


def heads_per_rank(*, kv_heads: Quantity, tensor_parallel: Quantity) -> Quantity:
    """Heads whose cache one rank keeps.

    Parameters
    ----------
    kv_heads
        Key-value heads of a layer. [heads/layer]
    tensor_parallel
        Ranks that share a layer. [ranks]

    Returns
    -------
    float or ndarray
        At least one: with more ranks than heads, ranks hold copies. [heads/layer/rank]

    Examples
    --------
    >>> float(heads_per_rank(kv_heads=8, tensor_parallel=16))
    1.0
    """
    return np.maximum(1.0, kv_heads / tensor_parallel)


def cache_bytes_per_token(
    *, model: ModelNumbers, bytes_per_value: Quantity, tensor_parallel: Quantity = 1.0
) -> Quantity:
    """Cache that each further token of a context adds, without end.

    Parameters
    ----------
    model
        The model; its full-attention and latent layers count here.
    bytes_per_value
        Width of one cached number. [bytes/value]
    tensor_parallel
        Ranks that share a layer. [ranks]

    Returns
    -------
    float or ndarray
        All layers of one rank. [bytes/token/rank]

    Notes
    -----
    A key and a value for each head; latent attention (MLA) keeps one vector that every rank needs
    whole, so it is not divided [1]_. Kernels of sparse latent attention below 16 bit keep the
    position part at 16 bit and a 32-bit scale for every 128 numbers: 656 bytes for DeepSeek-V3.2
    and GLM-5 ("fp8_ds_mla" of vLLM); their index adds 132 bytes at any width.

    References
    ----------
    .. [1] DeepSeek-AI, "DeepSeek-V2", 2024, section 2.1; vLLM log of Kimi-K2-Thinking at 8 ranks:
       715,072 tokens in 46.80 GiB on each.

    Examples
    --------
    Llama-3.1-8B keeps 32 layers x 8 heads x 2 x 128 numbers of two bytes: 131,072 bytes.
    """
    heads = heads_per_rank(kv_heads=model.full_kv_heads, tensor_parallel=tensor_parallel)
    layer_bytes = heads * model.full_kv_values * bytes_per_value + _latent_bytes(
        model, bytes_per_value
    )
    compressed_bytes = model.compressed_values * bytes_per_value
    return model.full_layers * layer_bytes + model.indexer_bytes + compressed_bytes


def _latent_bytes(model: ModelNumbers, bytes_per_value: Quantity) -> Quantity:
    """Latent vector of a token in one layer."""
    latent = model.latent_values - model.latent_rope_values
    scaled = latent * (bytes_per_value + 4 / 128) + 2.0 * model.latent_rope_values
    is_scaled = np.greater(model.indexer_bytes, 0) & np.less(bytes_per_value, 2)
    return np.where(is_scaled, scaled, model.latent_values * bytes_per_value)


def window_bytes_per_token(
    *, model: ModelNumbers, bytes_per_value: Quantity, tensor_parallel: Quantity = 1.0
) -> Quantity:
    """Cache that a token adds in sliding layers, until their window is full.

    Parameters
    ----------
    model
        The model; its sliding layers count here.
    bytes_per_value
        Width of one cached number. [bytes/value]
    tensor_parallel
        Ranks that share a layer. [ranks]

    Returns
    -------
    float or ndarray
        All sliding layers of one rank. [bytes/token/rank]
    """
    heads = heads_per_rank(kv_heads=model.kv_heads, tensor_parallel=tensor_parallel)
    return model.sliding_layers * heads * model.sliding_kv_values * bytes_per_value


def state_bytes(
    *, model: ModelNumbers, conv_bytes_per_value: Quantity = 2.0, tensor_parallel: Quantity = 1.0
) -> Quantity:
    """Recurrent state of one sequence, whatever its length.

    Parameters
    ----------
    model
        The model; its linear-attention and state-space layers count here.
    conv_bytes_per_value
        Width of a kept convolution input: 2 in vLLM, 4 in llama.cpp. [bytes/value]
    tensor_parallel
        Ranks that share a layer. [ranks]

    Returns
    -------
    float or ndarray
        All linear layers of one rank. [bytes/sequence/rank]

    Notes
    -----
    The state is a matrix for each head, heads x key width x value width, not one key and one
    value; convolutions also keep their last inputs.
    """
    on_rank = heads_per_rank(kv_heads=model.state_heads, tensor_parallel=tensor_parallel)
    layer_bytes = (
        model.state_values * STATE_BYTES_PER_VALUE + model.conv_values * conv_bytes_per_value
    )
    return model.linear_layers * layer_bytes * on_rank / np.maximum(model.state_heads, 1.0)


def cache_bytes(
    *,
    model: ModelNumbers,
    context_tokens: Quantity,
    bytes_per_value: Quantity,
    tensor_parallel: Quantity = 1.0,
    prefill_chunk_tokens: Quantity = 0.0,
) -> Quantity:
    """Cache of one sequence on one rank.

    Parameters
    ----------
    model
        The model.
    context_tokens
        Prompt and answer kept. [tokens/sequence]
    bytes_per_value
        Width of one cached number. [bytes/value]
    tensor_parallel
        Ranks that share a layer. [ranks]
    prefill_chunk_tokens
        Tokens that an engine keeps above the window while it reads a prompt in chunks; 0 once the
        prompt is read. [tokens]

    Returns
    -------
    float or ndarray
        Growing, windowed and constant part together. [bytes/sequence/rank]

    Examples
    --------
    Gemma-3-27B at 131,072 tokens keeps 10 layers in full and 52 for 1,024 tokens: 10.41 GiB,
    where 62 full layers would be 62.
    """
    window_tokens = np.minimum(context_tokens, model.sliding_window + prefill_chunk_tokens)
    per_token = cache_bytes_per_token(
        model=model, bytes_per_value=bytes_per_value, tensor_parallel=tensor_parallel
    )
    per_window_token = window_bytes_per_token(
        model=model, bytes_per_value=bytes_per_value, tensor_parallel=tensor_parallel
    )
    constant = state_bytes(model=model, tensor_parallel=tensor_parallel)
    return per_token * context_tokens + per_window_token * window_tokens + constant
