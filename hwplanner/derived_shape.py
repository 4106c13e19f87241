"""A plausible architecture for any number of parameters, as the size slider asks for."""

from bisect import bisect_right
from math import exp, floor, log, log2
from typing import Literal

from hwplanner.model_shape import ModelShape
from hwplanner.parameter_counts import count_parameters

SMALLEST, LARGEST = 1e8, 2e12
SMALLEST_SHARE = 0.01
STEP = log(1.005)  # sizes are taken in steps of 0.5 %, wider than rounding moves a total

# parameters, hidden, layers: GPT-2 small, then the Llama 3 family (Grattafiori et al. 2024,
# table 3, and the 3.2 model cards); the last rung carries on its growth from 70B to 405B.
LADDER = (
    (0.1e9, 768, 12),
    (1.24e9, 2048, 16),
    (3.21e9, 3072, 28),
    (8.03e9, 4096, 32),
    (70.55e9, 8192, 80),
    (405.85e9, 16384, 126),
    (2000e9, 30720, 176),
)
KV_HEADS = 8
LLAMA_3_VOCAB = 128_256
EXPERTS_PER_TOKEN = 8
ATTENTION_SHARE = 0.15  # of a Llama's body: 2 h^2 of about 13 h^2 in each layer


def derive_shape(
    *, total_parameters: float, kind: Literal["dense", "moe"] = "dense", active_share: float = 1.0
) -> ModelShape:
    """Architecture of about a number of parameters.

    Parameters
    ----------
    total_parameters
        Size asked for, 0.1e9 to 2e12; beyond, the nearest end is taken. [parameters]
    kind
        Dense, or mixture of experts.
    active_share
        Of a mixture, the part that each token passes, 0.01 to 1; DeepSeek-V3 0.055, Mixtral 0.28.

    Returns
    -------
    ModelShape
        Within 0.5 % of the size, except mixtures that activate less than 0.5e9. A larger size
        never gives fewer layers, a smaller hidden size, less cache or fewer parameters.

    Notes
    -----
    Hidden size and layers are interpolated on the Llama 3 ladder (a mixture stands at the size
    that it activates), the feed-forward width takes up what is left. Grouped-query attention with
    8 key-value heads, gated feed-forward layers, untied embeddings.
    """
    size = min(max(total_parameters, SMALLEST), LARGEST)
    total = exp(round(log(size) / STEP) * STEP)
    share = min(max(active_share, SMALLEST_SHARE), 1.0) if kind == "moe" else 1.0
    experts = _experts(share) if kind == "moe" else 1
    narrowest = _trunk(total * share, experts if kind == "moe" else 0)
    counts = count_parameters(narrowest)
    width = "moe_ffn" if narrowest.is_moe else "ffn"
    parameters_per_width = 3 * narrowest.hidden * narrowest.layers * experts
    ffn = _rounded(1 + (total - counts.total) / parameters_per_width)
    label = f"{size / 1e12:.3g}T" if size >= 1e12 else f"{size / 1e9:.3g}B"
    words = "mixture of experts" if narrowest.is_moe else "dense"
    return narrowest.model_copy(
        update={"id": f"{kind}-{label.lower()}", "name": f"{label} {words} (derived)", width: ffn}
    )


def _trunk(active: float, experts: int) -> ModelShape:
    """Architecture of a number of active parameters, its feed-forward layers one number wide."""
    smooth_hidden, smooth_layers = _on_ladder(active)
    hidden, layers = 128 * round(smooth_hidden / 128), round(smooth_layers)
    head_dim = 64 if hidden < 3072 else 128
    # Tables grow smoothly though the hidden size grows in steps.
    table = min(LLAMA_3_VOCAB, max(16_000, 32_000 * (active / 1e9) ** (2 / 3)))
    vocab = min(LLAMA_3_VOCAB, 16 * round(table * smooth_hidden / hidden / 16))
    return ModelShape(
        id="derived",
        name="derived",
        layers=layers,
        full_layers=layers,
        hidden=hidden,
        heads=KV_HEADS * (hidden // (KV_HEADS * head_dim)),
        kv_heads=KV_HEADS,
        head_dim=head_dim,
        vocab=vocab,
        max_context=131_072,
        dense_layers=0 if experts else layers,
        ffn=0 if experts else 1,
        moe_layers=layers if experts else 0,
        experts=experts,
        experts_per_token=EXPERTS_PER_TOKEN if experts else 0,
        moe_ffn=1 if experts else 0,
        confidence="low",
        source="derived from the Llama 3 ladder",
    )


def _on_ladder(parameters: float) -> tuple[float, float]:
    """Hidden size and layers between two rungs, straight in the logarithms."""
    rung = min(max(bisect_right(LADDER, (parameters,)), 1), len(LADDER) - 1)
    (low, low_hidden, low_layers), (high, high_hidden, high_layers) = LADDER[rung - 1 : rung + 1]
    way = min(max(log(parameters / low) / log(high / low), 0.0), 1.0)
    return (
        low_hidden * (high_hidden / low_hidden) ** way,
        low_layers * (high_layers / low_layers) ** way,
    )


def _experts(active_share: float) -> int:
    """Experts in a layer, of which 8 make up the active share; a multiple of 8.

    With `a` the attention's part of what is active, active = a s + (1 - a s) k/E of all.
    """
    outside = ATTENTION_SHARE * active_share
    ratio = (active_share - outside) / (1 - outside)
    return max(2 * EXPERTS_PER_TOKEN, 8 * round(EXPERTS_PER_TOKEN / ratio / 8))


def _rounded(width: float) -> int:
    """Nearest multiple of a power of two that is at most 1/256 of the width."""
    multiple = 2 ** max(0, floor(log2(max(width, 1.0) / 256)))
    return int(max(1, round(width / multiple)) * multiple)
