"""A plausible architecture for any number of parameters, as the size slider asks for."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from math import floor, log, log2
from typing import Literal, NamedTuple

from hwplanner.model.shape import ModelShape
from hwplanner.scenario import PARAMETERS_BILLION
from hwplanner.units import BILLION

SIZES = tuple(billion * BILLION for billion in PARAMETERS_BILLION)
SMALLEST_SHARE = 0.01
NEAR_A_STEP = 0.995  # of it: nearer sizes are taken as this, lest rounding carry them past the step

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
HEADS = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256)
"""Numbers of heads that large models can still share among 16, 32 or 64 devices."""
KV_HEADS = 8
HEAD_DIM = 128
HIDDEN_STEP = 128
VOCAB_STEP = 256
SMALLEST_VOCAB = 16_128
LLAMA_3_VOCAB = 128_256
EXPERTS_PER_TOKEN = 8
ATTENTION_SHARE = 0.15  # of a Llama's body: 2 h^2 of about 13 h^2 in each layer


class _Trunk(NamedTuple):
    """All of an architecture but the width of its feed-forward layers."""

    heads: int
    layers: int
    hidden: int
    vocab: int


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
        Within 1 % of the size, except mixtures below 1e9. A larger size never gives fewer layers
        or heads, a smaller hidden size, less cache or fewer parameters; from one step of the
        slider to the next nor narrower feed-forward layers, hence no less memory of any kind.

    Notes
    -----
    Hidden size and layers are interpolated on the Llama 3 ladder (a mixture stands at the size
    that it activates), the feed-forward width takes up what is left. Grouped-query attention with
    8 key-value heads of 128, gated feed-forward layers, untied embeddings.
    """
    size = min(max(total_parameters, SIZES[0]), SIZES[-1])
    share = min(max(active_share, SMALLEST_SHARE), 1.0) if kind == "moe" else 1.0
    experts = _experts(share) if kind == "moe" else 0
    step = bisect_right(SIZES, size)
    trunk = _trunks(share, experts)[step - 1]
    total = min([size, *(NEAR_A_STEP * next_size for next_size in SIZES[step : step + 1])])
    ffn = _rounded(_ffn_width(total, trunk, experts))
    label = f"{size / 1e12:.3g}T" if size >= 1e12 else f"{size / 1e9:.3g}B"
    return ModelShape(
        id=f"{kind}-{label.lower()}",
        name=f"{label} {'mixture of experts' if experts else 'dense'} (derived)",
        **trunk._asdict(),
        full_layers=trunk.layers,
        kv_heads=KV_HEADS,
        head_dim=HEAD_DIM,
        max_context=131_072,
        dense_layers=0 if experts else trunk.layers,
        ffn=0 if experts else ffn,
        moe_layers=trunk.layers if experts else 0,
        experts=experts,
        experts_per_token=EXPERTS_PER_TOKEN if experts else 0,
        moe_ffn=ffn if experts else 0,
        confidence="low",
        source="derived from the Llama 3 ladder",
    )


@lru_cache(maxsize=256)
def _trunks(share: float, experts: int) -> tuple[_Trunk, ...]:
    """Trunk at each step of the slider.

    Heads, layers and hidden size grow in whole steps, of which one alone can be more than a step
    of the slider. Each step is therefore taken as soon as it leaves the feed-forward layers no
    narrower than before.
    """
    trunks = [_on_ladder(SIZES[0] * share)]
    width = _ffn_width(SIZES[0], trunks[0], experts)
    for size in SIZES[1:]:
        trunk, goal = trunks[-1], _on_ladder(size * share)
        for part in _Trunk._fields:
            for wider in _steps(trunk, goal, part):
                if _ffn_width(size, wider, experts) < width:
                    break
                trunk = wider
        width = _ffn_width(size, trunk, experts)
        trunks.append(trunk)
    return tuple(trunks)


def _steps(trunk: _Trunk, goal: _Trunk, part: str) -> Iterator[_Trunk]:
    """Trunks between two, of which one part grows step by step."""
    start, end = getattr(trunk, part), getattr(goal, part)
    step = {"layers": 1, "hidden": HIDDEN_STEP, "vocab": VOCAB_STEP}.get(part)
    values = range(start, end + 1, step) if step else HEADS
    return (trunk._replace(**{part: value}) for value in values if start < value <= end)


def _on_ladder(parameters: float) -> _Trunk:
    """Trunk between two rungs, straight in the logarithms, rounded to whole steps."""
    rung = min(max(bisect_right(LADDER, (parameters,)), 1), len(LADDER) - 1)
    (low, low_hidden, low_layers), (high, high_hidden, high_layers) = LADDER[rung - 1 : rung + 1]
    way = min(max(log(parameters / low) / log(high / low), 0.0), 1.0)
    hidden = low_hidden * (high_hidden / low_hidden) ** way
    vocab = min(max(32_500 * (parameters / 1e9) ** (2 / 3), SMALLEST_VOCAB), LLAMA_3_VOCAB)
    return _Trunk(
        heads=min(HEADS, key=lambda heads: abs(heads - hidden / HEAD_DIM)),
        layers=round(low_layers * (high_layers / low_layers) ** way),
        hidden=HIDDEN_STEP * round(hidden / HIDDEN_STEP),
        vocab=VOCAB_STEP * round(vocab / VOCAB_STEP),
    )


def _ffn_width(total: float, trunk: _Trunk, experts: int) -> float:
    """Feed-forward width that brings a trunk to a number of parameters.

    total = h (2 V + 1) + L h (2 (heads + kv heads) d + 2 + E + 3 f max(E, 1)), with the router's E.
    """
    attention = 2 * (trunk.heads + KV_HEADS) * HEAD_DIM
    body = total / trunk.hidden - 2 * trunk.vocab - 1
    return (body / trunk.layers - attention - 2 - experts) / (3 * max(experts, 1))


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
