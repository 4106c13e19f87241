"""A model as plain numbers: what the formulas of memory and time need, worked out once."""

from dataclasses import dataclass
from functools import lru_cache

from hwplanner.model.parameter_counts import count_parameters
from hwplanner.model.shape import ModelShape


@dataclass(frozen=True, slots=True)
class ModelNumbers:
    """One model in the words of the formulas.

    Attributes
    ----------
    layers, hidden, vocab, heads, kv_heads, head_dim
        As in `ModelShape`.
    full_layers, sliding_layers, linear_layers
        Layers whose cache grows with the context, stops at a window, is constant.
    sliding_window
        Tokens that a sliding layer looks back. [tokens]
    attended_tokens
        Most tokens that one query of a full layer attends to: the limit of sparse attention, else
        infinite. [tokens]
    ffn
        Width of a dense feed-forward layer.
    active_ffn
        Feed-forward width that one token passes, mean over `layers`.
    experts, experts_per_token, moe_layers
        Experts in an expert layer, those that a token passes, layers of this kind.
    total_parameters, active_parameters
        Without MTP layers; active ones are multiplied with each token (head in, embedding out).
    embedding_parameters, head_parameters
        Input table; output projection, 0 where tied.
    head_read_parameters
        Output projection as read for each step, tied or not.
    attention_parameters
        Attention projections of all layers, a part of the body.
    body_parameters
        All that every token passes between embedding and head.
    expert_each_parameters
        One expert in all expert layers.
    mtp_parameters, other_parameters
        Layers that predict further tokens; vision towers and projectors: in no other count.
    attention_width
        heads x (query width + value width) / 2, summed over full layers: one query against one
        key costs 4 x this in FLOP.
    sliding_attention_width
        The same, summed over sliding layers.
    full_kv_heads, full_kv_values
        Key-value heads of a full layer, and numbers that one of them keeps of a token; 0 where
        attention is latent.
    sliding_kv_values
        Numbers that one key-value head of a sliding layer keeps of a token.
    latent_values, latent_rope_values
        Numbers that a latent layer keeps of a token; of these, position-dependent.
    compressed_values
        Numbers that layers with compressed attention keep of a token, all layers together.
    indexer_bytes
        Kept by the index of sparse attention for a token, all layers together. [bytes]
    state_heads, state_values, conv_values
        Heads of a linear layer; its state and its convolution inputs, for a sequence.
    gated_mlp, tied_embeddings, is_moe, is_latent
        As in `ModelShape`.
    """

    layers: float
    hidden: float
    vocab: float
    heads: float
    kv_heads: float
    head_dim: float
    full_layers: float
    sliding_layers: float
    linear_layers: float
    sliding_window: float
    attended_tokens: float
    ffn: float
    active_ffn: float
    experts: float
    experts_per_token: float
    moe_layers: float
    total_parameters: float
    active_parameters: float
    embedding_parameters: float
    head_parameters: float
    head_read_parameters: float
    attention_parameters: float
    body_parameters: float
    expert_each_parameters: float
    mtp_parameters: float
    other_parameters: float
    attention_width: float
    sliding_attention_width: float
    full_kv_heads: float
    full_kv_values: float
    sliding_kv_values: float
    latent_values: float
    latent_rope_values: float
    compressed_values: float
    indexer_bytes: float
    state_heads: float
    state_values: float
    conv_values: float
    gated_mlp: bool
    tied_embeddings: bool
    is_moe: bool
    is_latent: bool


@lru_cache(maxsize=512)
def model_numbers(shape: ModelShape) -> ModelNumbers:
    """Numbers of a shape; the same shape is worked out once."""
    counts = count_parameters(shape)
    full_head_dim = shape.head_dim_global or shape.head_dim
    value_head_dim = shape.v_head_dim if shape.is_latent else full_head_dim
    query_head_dim = shape.qk_head_dim if shape.is_latent else full_head_dim
    moe_ffn = shape.experts_per_token * shape.moe_ffn + shape.shared_ffn
    key_width = shape.linear_key_heads * shape.linear_key_head_dim
    value_width = shape.linear_value_heads * shape.linear_value_head_dim
    return ModelNumbers(
        layers=float(shape.layers),
        hidden=float(shape.hidden),
        vocab=float(shape.vocab),
        heads=float(shape.heads),
        kv_heads=float(shape.kv_heads),
        head_dim=float(shape.head_dim),
        full_layers=float(shape.full_layers),
        sliding_layers=float(shape.sliding_layers),
        linear_layers=float(shape.linear_layers),
        sliding_window=float(shape.sliding_window),
        attended_tokens=float(shape.indexer_top_k or "inf"),
        ffn=float(shape.ffn),
        active_ffn=(shape.dense_layers * shape.ffn + shape.moe_layers * moe_ffn) / shape.layers,
        experts=float(shape.experts),
        experts_per_token=float(shape.experts_per_token),
        moe_layers=float(shape.moe_layers),
        total_parameters=float(counts.total),
        active_parameters=float(counts.active),
        embedding_parameters=float(counts.embedding),
        head_parameters=float(counts.head),
        head_read_parameters=float(counts.head_read),
        attention_parameters=float(counts.attention),
        body_parameters=float(counts.body),
        expert_each_parameters=float(counts.expert_each),
        mtp_parameters=float(counts.mtp),
        other_parameters=float(shape.other_parameters),
        attention_width=shape.full_layers * shape.heads * (query_head_dim + value_head_dim) / 2,
        sliding_attention_width=float(shape.sliding_layers * shape.heads * shape.head_dim),
        full_kv_heads=float(shape.kv_heads_global or shape.kv_heads),
        full_kv_values=0.0 if shape.is_latent else 2.0 * full_head_dim,
        sliding_kv_values=shape.head_dim * (1.0 if shape.shared_key_value == "cache" else 2.0),
        latent_values=float(shape.kv_lora_rank + shape.qk_rope_head_dim),
        latent_rope_values=float(shape.qk_rope_head_dim),
        compressed_values=shape.compressed_values_per_token,
        # One fp8 number each and a 32-bit scale for every 128 of them.
        indexer_bytes=(shape.indexer_layers or shape.full_layers)
        * shape.indexer_head_dim
        * (1 + 4 / 128),
        state_heads=float(shape.linear_value_heads),
        state_values=float(value_width * shape.linear_key_head_dim),
        conv_values=float((2 * key_width + value_width) * max(0, shape.linear_conv_kernel - 1)),
        gated_mlp=shape.gated_mlp,
        tied_embeddings=shape.tied_embeddings,
        is_moe=shape.is_moe,
        is_latent=shape.is_latent,
    )
