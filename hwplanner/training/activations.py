"""What a layer keeps from the forward pass for the backward pass of training."""

from typing import Literal

import numpy as np

from hwplanner.units import Flag, Quantity


def layer_activation_bytes_per_token(
    *,
    hidden: Quantity,
    attention: Quantity,
    key_value: Quantity,
    ffn: Quantity,
    gated: Flag,
    tensor: Quantity = 1.0,
    sequence_parallel: Flag = True,
) -> Quantity:
    """Activations that one layer keeps for the backward pass, with fused attention, at 16 bit.

    Parameters
    ----------
    hidden
        Width of the model. [values]
    attention
        Heads times head size: width of queries and of the attention's result. [values]
    key_value
        Key-value heads times head size: width of keys, and of values. [values]
    ffn
        Width of what one token passes in a feed-forward layer. [values]
    gated
        Whether the feed-forward layer has a gate, hence two inner results and their product.
    tensor
        Devices that share the layer. [devices]
    sequence_parallel
        Whether they also share what lies between the matrix products.

    Returns
    -------
    float or ndarray
        Kept bytes. [bytes/token/device]

    Notes
    -----
    2 bytes each: inputs of two norms and of two first products (8 h); queries, result, keys and
    values (4 a + 4 kv); inner values before and after the activation function (4 f), with a gate
    also the gate and the product (8 f). Scores are not kept; dropout is left out.

    References
    ----------
    .. [1] Korthikanti et al. 2022, "Reducing activation recomputation in large transformer
       models", section 4.1, less dropout masks and scores.

    Examples
    --------
    Llama-3.1-8B keeps 168 kB for each token and layer:

    >>> float(layer_activation_bytes_per_token(hidden=4096, attention=4096, key_value=1024,
    ...                                        ffn=14336, gated=True))
    167936.0
    """
    between = 8 * hidden / np.where(sequence_parallel, tensor, 1.0)
    inside = 4 * attention + 4 * key_value + np.where(gated, 8, 4) * ffn
    return between + inside / tensor


def megatron_layer_activation_bytes(
    *,
    sequence_tokens: Quantity,
    micro_batch: Quantity,
    hidden: Quantity,
    heads: Quantity,
    tensor: Quantity,
    sequence_parallel: bool,
    recompute: Literal["none", "selective", "full"],
) -> Quantity:
    """Activations of one layer of a GPT with dropout and without fused attention.

    Parameters
    ----------
    sequence_tokens, micro_batch
        Tokens of a sequence, sequences at once. [tokens], [sequences]
    hidden, heads
        Width of the model; feed-forward layers are four times as wide. [values], [heads]
    tensor
        Devices that share the layer. [devices]
    sequence_parallel
        Whether they also share what lies between the matrix products.
    recompute
        Selective drops scores and their softmax; full keeps only the layer's input.

    Returns
    -------
    float or ndarray
        Kept bytes. [bytes/layer/device]

    Notes
    -----
    s b h (10 + 24/t + 5 a s/(h t)); with sequence parallelism 34/t instead of 10 + 24/t. The
    planner uses `layer_activation_bytes_per_token`; this is the yardstick it descends from.

    References
    ----------
    .. [1] Korthikanti et al. 2022, table 2.

    Examples
    --------
    The 22-billion model on 8 devices, 48 layers: 59.25 GiB without any of it [1]_.

    >>> layer = dict(sequence_tokens=2048, micro_batch=4, hidden=6144, heads=64, tensor=8)
    >>> 48 * megatron_layer_activation_bytes(sequence_parallel=False, recompute="none",
    ...                                      **layer) / 2**30
    59.25
    """
    width = sequence_tokens * micro_batch * hidden
    if recompute == "full":
        return 2 * width / (tensor if sequence_parallel else 1)
    dense = 34 / tensor if sequence_parallel else 10 + 24 / tensor
    scores = 5 * heads * sequence_tokens / hidden / tensor
    return width * (dense + (scores if recompute == "none" else 0))
