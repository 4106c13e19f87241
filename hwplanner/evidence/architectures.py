"""Architectures of published training runs, from whatever the publication says of them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hwplanner.model.derived_shape import derive_shape
from hwplanner.model.numbers import ModelNumbers, model_numbers
from hwplanner.model.shape import ModelShape
from hwplanner.units import BILLION

MOE_SHARE = 0.95  # fewer active parameters than this of all: a mixture of experts
SAME_SIZE = 0.12  # two counts of parameters closer than this are one model's
HEAD_DIM = 128
USUAL_VOCAB = 50_304
LONGEST_CONTEXT = 1_048_576


class Sizes(NamedTuple):
    """What a row says of its model; 0 where it says nothing."""

    parameters: float = 0.0
    active_parameters: float = 0.0
    layers: int = 0
    hidden: int = 0
    heads: int = 0
    kv_heads: int = 0
    ffn: int = 0
    vocab: int = 0


@lru_cache(maxsize=1024)
def architecture(sizes: Sizes, *, named: ModelShape | None) -> ModelNumbers | None:
    """Find the architecture of a run.

    Parameters
    ----------
    sizes
        What the row states.
    named
        Published architecture of the model's name, if it is known.

    Returns
    -------
    ModelNumbers or None
        The named one unless the row contradicts it, else one built from the sizes stated, else
        one derived from the number of parameters; None where there is nothing to go by.
    """
    if named and _agrees(sizes, named):
        return model_numbers(named)
    if sizes.hidden and (sizes.layers or sizes.parameters):
        return model_numbers(_stated(sizes))
    if sizes.parameters:
        share = (sizes.active_parameters or sizes.parameters) / sizes.parameters
        return model_numbers(
            derive_shape(
                total_parameters=sizes.parameters,
                kind="moe" if share < MOE_SHARE else "dense",
                active_share=share,
            )
        )
    return model_numbers(named) if named else None


def _agrees(sizes: Sizes, shape: ModelShape) -> bool:
    """Whether what a row states is true of an architecture."""
    pairs = ((sizes.layers, shape.layers), (sizes.hidden, shape.hidden))
    if any(stated and stated != known for stated, known in pairs):
        return False
    known = model_numbers(shape).total_parameters
    return not sizes.parameters or abs(float(known) / sizes.parameters - 1) < SAME_SIZE


def _stated(sizes: Sizes) -> ModelShape:
    """Architecture of the sizes that a row states; the rest follows from its parameters."""
    hidden, vocab = sizes.hidden, sizes.vocab or USUAL_VOCAB
    heads = sizes.heads or max(1, round(hidden / HEAD_DIM))
    kv_heads = sizes.kv_heads or heads
    # An old GPT has 12 h^2 parameters in a layer.
    layers = sizes.layers or max(1, round((sizes.parameters - vocab * hidden) / 12 / hidden**2))
    head_dim = HEAD_DIM if 2 * heads * HEAD_DIM < hidden else max(1, hidden // heads)
    attention = 2 * layers * hidden * head_dim * (heads + kv_heads)
    active = sizes.active_parameters or sizes.parameters
    is_moe = active < MOE_SHARE * sizes.parameters
    ffn = sizes.ffn or 4 * hidden
    experts, per_token = 0, 0
    if is_moe:
        expert = 3 * layers * hidden * ffn
        tables = 2 * vocab * hidden
        experts = max(2, round((sizes.parameters - attention - tables) / expert))
        per_token = max(1, round((active - attention - tables) / expert))
        experts = max(experts, per_token)
    body = {products: attention + products * layers * hidden * ffn for products in (2, 3)}
    counts = {
        (products, tables): total + tables * vocab * hidden
        for products, total in body.items()
        for tables in (1, 2)
    }
    products, tables = (
        (3, 2)
        if is_moe or not sizes.parameters
        else min(counts, key=lambda kind: abs(counts[kind] - sizes.parameters))
    )
    if not sizes.ffn:
        products = 2
    return ModelShape(
        id="stated",
        name="stated",
        layers=layers,
        hidden=hidden,
        vocab=vocab,
        max_context=LONGEST_CONTEXT,
        tied_embeddings=tables == 1,
        heads=heads,
        kv_heads=kv_heads if heads % kv_heads == 0 else heads,
        head_dim=head_dim,
        full_layers=layers,
        gated_mlp=products == 3,
        dense_layers=0 if is_moe else layers,
        ffn=0 if is_moe else ffn,
        moe_layers=layers if is_moe else 0,
        experts=experts,
        experts_per_token=per_token,
        moe_ffn=ffn if is_moe else 0,
    )


def sizes_of(
    *,
    parameters_billion: float | None,
    active_billion: float | None,
    layers: float | None,
    hidden: float | None,
    heads: float | None,
    kv_heads: float | None,
    ffn: float | None,
    vocab: float | None,
) -> Sizes:
    """Sizes of a row, with None where a cell is blank."""
    return Sizes(
        parameters=(parameters_billion or 0.0) * BILLION,
        active_parameters=(active_billion or 0.0) * BILLION,
        layers=int(layers or 0),
        hidden=int(hidden or 0),
        heads=int(heads or 0),
        kv_heads=int(kv_heads or 0),
        ffn=int(ffn or 0),
        vocab=int(vocab or 0),
    )
