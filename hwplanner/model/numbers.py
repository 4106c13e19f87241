"""A model as plain numbers: what the formulas of memory and time need, worked out once."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TypeVar

import numpy as np

from hwplanner.model.parameter_counts import count_parameters
from hwplanner.model.shape import ModelShape
from hwplanner.units import Flag, Quantity

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class ModelNumbers:
    """One model in the words of the formulas, or several as columns of one row each (`stacked`).

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
    repeated_parameters
        Of these, what every rank of a tensor group holds whole: the projections down to latent
        vectors, and the index of sparse attention.
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

    layers: Quantity
    hidden: Quantity
    vocab: Quantity
    heads: Quantity
    kv_heads: Quantity
    head_dim: Quantity
    full_layers: Quantity
    sliding_layers: Quantity
    linear_layers: Quantity
    sliding_window: Quantity
    attended_tokens: Quantity
    ffn: Quantity
    active_ffn: Quantity
    experts: Quantity
    experts_per_token: Quantity
    moe_layers: Quantity
    total_parameters: Quantity
    active_parameters: Quantity
    embedding_parameters: Quantity
    head_parameters: Quantity
    head_read_parameters: Quantity
    attention_parameters: Quantity
    repeated_parameters: Quantity
    body_parameters: Quantity
    expert_each_parameters: Quantity
    mtp_parameters: Quantity
    other_parameters: Quantity
    attention_width: Quantity
    sliding_attention_width: Quantity
    full_kv_heads: Quantity
    full_kv_values: Quantity
    sliding_kv_values: Quantity
    latent_values: Quantity
    latent_rope_values: Quantity
    compressed_values: Quantity
    indexer_bytes: Quantity
    state_heads: Quantity
    state_values: Quantity
    conv_values: Quantity
    gated_mlp: Flag
    tied_embeddings: Flag
    is_moe: Flag
    is_latent: Flag


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
        repeated_parameters=float(counts.repeated),
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


def stacked(records: Sequence[Record]) -> Record:
    """Join records of plain numbers to one whose every figure is a column, one row each.

    A formula that takes one record then works out all of them, ahead of a last axis of layouts.

    Parameters
    ----------
    records
        Results of one dataclass whose fields are single numbers: `ModelNumbers`, `WeightBytes`.
    """
    kind = type(records[0])
    columns = {
        name: np.array([getattr(record, name) for record in records])[:, None]
        for name in (field.name for field in fields(records[0]))  # type: ignore[arg-type]
    }
    return kind(**columns)
