"""What a language model is made of: the exact architecture from which everything is counted.

A shape holds what a checkpoint's configuration states. `parameter_counts` counts parameters from
it, `kv_cache` what a sequence keeps.
"""

from typing import Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    model_validator,
)

_SIZES = {
    "sliding_layers": ("sliding_window",),
    "linear_layers": (
        "linear_kind",
        "linear_key_heads",
        "linear_key_head_dim",
        "linear_value_heads",
        "linear_value_head_dim",
    ),
    "kv_lora_rank": ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"),
    "indexer_head_dim": ("indexer_heads", "q_lora_rank"),
    "dense_layers": ("ffn",),
    "moe_layers": ("experts", "experts_per_token", "moe_ffn"),
}
"""What must be known of each kind of layer that a model has."""

_NEVER_MORE = (
    ("experts_per_token", "experts"),
    ("kv_heads", "heads"),
    ("dense_layers", "layers"),
    ("moe_layers", "layers"),
)
_SHARED = (("heads", "kv_heads"), ("heads", "kv_heads_global"))


class ModelShape(BaseModel):
    """One architecture; `data/columns.csv` says what each field holds.

    A usual block holds one attention and one feed-forward layer, so `full_layers +
    sliding_layers + linear_layers == layers == dense_layers + moe_layers`. Blocks of some hybrids
    hold just one of them (Nemotron-H), those of Gemma 4 a dense *and* an expert layer; hence each
    kind has a count of its own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()

    layers: PositiveInt
    hidden: PositiveInt
    vocab: PositiveInt
    max_context: PositiveInt
    tied_embeddings: bool = False
    learned_positions: NonNegativeInt = 0
    embedding_norm: bool = False
    norm: Literal["rms", "layer"] = "rms"
    norms_per_layer: PositiveInt = 2
    biases: Literal["none", "qkv", "all"] = "none"

    # Softmax attention. Sliding layers have heads x head_dim; full layers too, unless *_global.
    heads: PositiveInt
    kv_heads: PositiveInt
    head_dim: PositiveInt
    full_layers: NonNegativeInt
    sliding_layers: NonNegativeInt = 0
    sliding_window: NonNegativeInt = 0
    kv_heads_global: NonNegativeInt = 0
    head_dim_global: NonNegativeInt = 0
    shared_key_value: Literal["none", "global_projection", "cache"] = "none"
    compressed_values_per_token: NonNegativeFloat = 0.0
    qk_norm: Literal["none", "head", "full"] = "none"
    attention_sinks: bool = False
    attention_output_gate: bool = False

    # Latent attention (MLA), with the index of sparse attention where there is one.
    q_lora_rank: NonNegativeInt = 0
    kv_lora_rank: NonNegativeInt = 0
    qk_rope_head_dim: NonNegativeInt = 0
    qk_nope_head_dim: NonNegativeInt = 0
    v_head_dim: NonNegativeInt = 0
    o_lora_rank: NonNegativeInt = 0
    o_groups: NonNegativeInt = 0
    indexer_layers: NonNegativeInt = 0
    indexer_heads: NonNegativeInt = 0
    indexer_head_dim: NonNegativeInt = 0
    indexer_top_k: NonNegativeInt = 0

    # Linear attention and state-space layers: constant memory per sequence.
    linear_kind: Literal["gated_delta", "mamba2"] | None = None
    linear_layers: NonNegativeInt = 0
    linear_key_heads: NonNegativeInt = 0
    linear_key_head_dim: NonNegativeInt = 0
    linear_value_heads: NonNegativeInt = 0
    linear_value_head_dim: NonNegativeInt = 0
    linear_conv_kernel: NonNegativeInt = 0

    # Feed-forward layers, dense and of experts.
    gated_mlp: bool = True
    dense_layers: NonNegativeInt
    ffn: NonNegativeInt = 0
    moe_layers: NonNegativeInt = 0
    experts: NonNegativeInt = 0
    experts_per_token: NonNegativeInt = 0
    moe_ffn: NonNegativeInt = 0
    moe_latent: NonNegativeInt = 0
    shared_ffn: NonNegativeInt = 0
    shared_expert_gate: bool = False
    router_bias: bool = False

    # Layers that predict further tokens; they sit in the checkpoint, not in the main pass.
    mtp_layers: NonNegativeInt = 0
    mtp_own_embeddings: bool = False

    other_parameters: NonNegativeInt = 0
    published_parameters: PositiveInt | None = None
    published_counts: tuple[Literal["mtp", "other", "tied_copy"], ...] = ()
    confidence: Literal["high", "medium", "low"] = "high"
    source: str = ""
    source_date: str = ""

    @model_validator(mode="after")
    def _kinds_are_complete(self) -> Self:
        """Refuse a kind of layer whose sizes are missing, and sizes that contradict each other."""
        for kind, sizes in _SIZES.items():
            count = getattr(self, kind)
            for size in sizes:
                if count and not getattr(self, size):
                    raise ValueError(f"{size} is blank; write it, since {kind} is {count}")
        for part, whole in _NEVER_MORE:
            if getattr(self, part) > getattr(self, whole):
                raise ValueError(
                    f"{part} is {getattr(self, part)}; "
                    f"write at most {whole}, {getattr(self, whole)}"
                )
        for count, divisor in _SHARED:
            if getattr(self, divisor) and getattr(self, count) % getattr(self, divisor):
                raise ValueError(
                    f"{count} is {getattr(self, count)}; "
                    f"write a multiple of {divisor}, {getattr(self, divisor)}"
                )
        attention = self.full_layers + self.sliding_layers + self.linear_layers
        if attention > self.layers:
            raise ValueError(
                f"full, sliding and linear layers are {attention}; "
                f"write at most layers, {self.layers}"
            )
        return self

    @property
    def is_moe(self) -> bool:
        """Whether a token passes only some of the weights."""
        return self.moe_layers > 0

    @property
    def is_latent(self) -> bool:
        """Whether keys and values are kept as one latent vector (MLA)."""
        return self.kv_lora_rank > 0

    @property
    def qk_head_dim(self) -> int:
        """Width of one query or key. [values/head]"""
        if self.is_latent:
            return self.qk_nope_head_dim + self.qk_rope_head_dim
        return self.head_dim
