"""Parameters of a model, counted part by part from its shape.

Checked against the element counts of published checkpoints (`data/models.csv`).
"""

from dataclasses import dataclass

from hwplanner.model.shape import ModelShape


@dataclass(frozen=True, slots=True)
class ParameterCounts:
    """Parameters by part. [parameters]

    Attributes
    ----------
    embedding
        Input table, learned positions included.
    head
        Output projection; 0 where it is the input table.
    attention
        Softmax, latent and linear attention of all layers.
    repeated
        Of it, what cannot be split over the heads: projections down to latent vectors, the index.
    dense_ffn
        Dense feed-forward layers, shared experts included.
    router
        Routers of all expert layers.
    expert_each
        One expert in all expert layers.
    experts
        Experts in each expert layer. [experts]
    experts_per_token
        Of these, those that one token passes. [experts]
    norms
        Normalisations of the blocks and of the output.
    mtp
        Layers that predict further tokens; not in `total`.
    head_read
        Output projection as multiplied for every token, tied or not.
    """

    embedding: int
    head: int
    attention: int
    repeated: int
    dense_ffn: int
    router: int
    expert_each: int
    experts: int
    experts_per_token: int
    norms: int
    mtp: int
    head_read: int

    @property
    def body(self) -> int:
        """All that every token passes between embedding and head."""
        return self.attention + self.dense_ffn + self.router + self.norms

    @property
    def total(self) -> int:
        """All parameters of the main model, without MTP layers."""
        return self.embedding + self.body + self.experts * self.expert_each + self.head

    @property
    def active(self) -> int:
        """Parameters that one token is multiplied with: the input table is only looked up."""
        return self.body + self.experts_per_token * self.expert_each + self.head_read


def count_parameters(shape: ModelShape) -> ParameterCounts:
    """Count the parameters of each part.

    Notes
    -----
    Per attention layer h(2H + 2Hkv)d, feed-forward 3hf (2hf where not gated), expert layer
    E 3h f_e and a router hE; embeddings Vh once if tied, else twice [1]_. Latent attention, biases
    and norms follow the published model code, named at each function.

    References
    ----------
    .. [1] "How to Scale Your Model", ch. Transformer math, github.com/jax-ml/scaling-book.
    """
    table = shape.vocab * shape.hidden
    norm = _norm(shape)
    index = (shape.indexer_layers or shape.full_layers) * _indexer(shape)
    attention = (
        shape.full_layers * _full_attention(shape)
        + index
        + shape.sliding_layers * _attention(shape, shape.kv_heads, shape.head_dim)
        + shape.linear_layers * _linear_attention(shape)
    )
    dense_ffn = shape.dense_layers * _mlp(shape, shape.ffn)
    return ParameterCounts(
        embedding=table + shape.learned_positions * shape.hidden + norm * shape.embedding_norm,
        head=0 if shape.tied_embeddings else table,
        attention=attention,
        repeated=index + shape.full_layers * _latent_down(shape),
        dense_ffn=dense_ffn + shape.moe_layers * _shared_experts(shape),
        router=shape.moe_layers * _router(shape),
        expert_each=shape.moe_layers * _expert(shape),
        experts=shape.experts,
        experts_per_token=shape.experts_per_token,
        norms=(shape.layers * shape.norms_per_layer + 1) * norm,
        mtp=shape.mtp_layers * _mtp_layer(shape),
        head_read=table,
    )


def _norm(shape: ModelShape) -> int:
    """Scale, and for LayerNorm also shift."""
    return shape.hidden * (2 if shape.norm == "layer" else 1)


def _full_attention(shape: ModelShape) -> int:
    """Attention of a layer that sees the whole context."""
    if shape.is_latent:
        return _latent_attention(shape)
    return _attention(
        shape,
        shape.kv_heads_global or shape.kv_heads,
        shape.head_dim_global or shape.head_dim,
        is_global=True,
    )


def _attention(shape: ModelShape, kv_heads: int, head_dim: int, *, is_global: bool = False) -> int:
    """Query, key, value and output projections with their biases, norms and sinks."""
    shares = {"none": False, "global_projection": is_global, "cache": True}[shape.shared_key_value]
    query = shape.heads * head_dim * (2 if shape.attention_output_gate else 1)
    key_value = (1 if shares else 2) * kv_heads * head_dim
    output = shape.heads * head_dim
    biases = {"none": 0, "qkv": query + key_value, "all": query + key_value + shape.hidden}
    norms = {"none": 0, "head": 2 * head_dim, "full": (shape.heads + kv_heads) * head_dim}
    return (
        _low_rank(shape.hidden, query, shape.q_lora_rank)
        + shape.hidden * key_value
        + _output(shape, output)
        + biases[shape.biases]
        + norms[shape.qk_norm]
        + shape.heads * shape.attention_sinks
    )


def _latent_attention(shape: ModelShape) -> int:
    """Multi-head latent attention with its two inner norms, as in DeepSeek-V3."""
    queries = shape.heads * shape.qk_head_dim
    query = (shape.q_lora_rank or shape.hidden) * queries
    up = shape.kv_lora_rank * shape.heads * (shape.qk_nope_head_dim + shape.v_head_dim)
    output = shape.heads * shape.v_head_dim * shape.hidden
    return _latent_down(shape) + query + up + output


def _latent_down(shape: ModelShape) -> int:
    """Projections from the hidden size to the latent vectors, with their inner norms."""
    if not shape.is_latent:
        return 0
    key_value = shape.hidden * (shape.kv_lora_rank + shape.qk_rope_head_dim) + shape.kv_lora_rank
    return key_value + (shape.hidden + 1) * shape.q_lora_rank


def _low_rank(inputs: int, outputs: int, rank: int) -> int:
    """Projection, in two steps with a norm between them where it has a rank."""
    return (inputs + 1 + outputs) * rank if rank else inputs * outputs


def _output(shape: ModelShape, width: int) -> int:
    """Output projection, in two steps where it is grouped (DeepSeek-V4)."""
    if shape.o_lora_rank:
        return (width + shape.o_groups * shape.hidden) * shape.o_lora_rank
    return width * shape.hidden


def _indexer(shape: ModelShape) -> int:
    """Index of sparse attention (DeepSeek-V3.2): queries, one key with LayerNorm, head weights."""
    width = shape.indexer_head_dim
    if not width:
        return 0
    query = shape.q_lora_rank * shape.indexer_heads * width
    key = shape.hidden * width + 2 * width
    return query + key + shape.hidden * shape.indexer_heads


def _linear_attention(shape: ModelShape) -> int:
    """Gated delta rule (Qwen3-Next) or Mamba-2 (Nemotron-H) layer."""
    heads, head_dim = shape.linear_value_heads, shape.linear_value_head_dim
    values = heads * head_dim
    mixed = 2 * shape.linear_key_heads * shape.linear_key_head_dim + values
    # In: queries, keys and values together, which also pass the convolution, and a gate. Out.
    projections = shape.hidden * (mixed + values + values) + mixed * shape.linear_conv_kernel
    if shape.linear_kind == "gated_delta":
        return projections + 2 * heads * (shape.hidden + 1) + head_dim
    return projections + heads * (shape.hidden + 3) + mixed + values


def _mtp_layer(shape: ModelShape) -> int:
    """Block that predicts one token more: it joins two inputs and has three norms of its own."""
    ffn = _mlp(shape, shape.ffn)
    if shape.is_moe:
        ffn = _shared_experts(shape) + _router(shape) + shape.experts * _expert(shape)
    attention = _full_attention(shape) + _indexer(shape)
    norms = (max(2, shape.norms_per_layer) + 3) * _norm(shape)
    tables = 2 * shape.vocab * shape.hidden if shape.mtp_own_embeddings else 0
    return attention + ffn + norms + 2 * shape.hidden**2 + tables


def _router(shape: ModelShape) -> int:
    """Router of an expert layer, in some models with one number more for each expert."""
    return (shape.hidden + shape.router_bias) * shape.experts


def _expert(shape: ModelShape) -> int:
    """One routed expert of one layer."""
    return _mlp(shape, shape.moe_ffn, inputs=shape.moe_latent)


def _shared_experts(shape: ModelShape) -> int:
    """What every token passes in an expert layer: shared experts, their gate, a change of width."""
    experts = _mlp(shape, shape.shared_ffn) if shape.shared_ffn else 0
    gate = shape.hidden if shape.shared_expert_gate else 0
    return experts + gate + 2 * shape.hidden * shape.moe_latent


def _mlp(shape: ModelShape, width: int, inputs: int = 0) -> int:
    """Feed-forward layer of a width, on the hidden size or on fewer inputs."""
    ends = inputs or shape.hidden
    ways_in = 2 if shape.gated_mlp else 1
    biases = ways_in * width + ends if shape.biases == "all" else 0
    return (ways_in + 1) * ends * width + biases
