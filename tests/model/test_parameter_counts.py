"""Parameters of small architectures worked out by hand; published ones: test_shipped_models."""

from hypothesis import given

from hwplanner.model.parameter_counts import count_parameters
from hwplanner.model.shape import ModelShape
from tests.shapes import shapes, tiny

# Tiny: queries 8x8, keys and values 8x4 each, output 8x8: 192; feed-forward 3x8x16: 384;
# two norms of 8: 16; in two layers. A final norm of 8; embedding and head 10x8 each.
ATTENTION, FFN, NORMS, TABLE = 2 * 192, 2 * 384, 2 * 16 + 8, 80


def test_dense_by_hand() -> None:
    counts = count_parameters(tiny())
    assert (counts.attention, counts.dense_ffn, counts.norms) == (ATTENTION, FFN, NORMS)
    assert counts.total == ATTENTION + FFN + NORMS + 2 * TABLE
    assert counts.active == counts.total - TABLE  # the input table is only looked up


def test_a_tied_table_counts_once_but_is_read_as_head() -> None:
    counts = count_parameters(tiny(tied_embeddings=True))
    assert counts.total == ATTENTION + FFN + NORMS + TABLE
    assert counts.head == 0
    assert counts.active == counts.total


def test_biases_by_hand() -> None:
    # Queries, keys and values 8 + 4 + 4, then output 8 and feed-forward 2x16 + 8; two layers.
    plain = count_parameters(tiny()).total
    assert count_parameters(tiny(biases="qkv")).total == plain + 2 * 16
    assert count_parameters(tiny(biases="all")).total == plain + 2 * (16 + 8 + 40)


def test_experts_by_hand() -> None:
    shape = tiny(
        dense_layers=1, moe_layers=1, experts=4, experts_per_token=2, moe_ffn=6, shared_ffn=5,
        router_bias=True,
    )  # fmt: skip
    counts = count_parameters(shape)
    assert counts.expert_each == 3 * 8 * 6
    assert counts.router == 8 * 4 + 4
    assert counts.dense_ffn == 384 + 3 * 8 * 5
    assert counts.total == ATTENTION + NORMS + 2 * TABLE + 384 + 120 + 36 + 4 * 144
    assert counts.active == counts.total - TABLE - 2 * 144


def test_experts_on_fewer_inputs_by_hand() -> None:
    shape = tiny(
        dense_layers=1, moe_layers=1, experts=4, experts_per_token=2, moe_ffn=6, moe_latent=2
    )
    counts = count_parameters(shape)
    assert counts.expert_each == 3 * 2 * 6
    assert counts.dense_ffn == 384 + 2 * 8 * 2  # to the narrow width and back


def test_latent_attention_by_hand() -> None:
    # Queries 8x3, norm 3, 3x(2 heads x 5); latent 8x(4 + 2), norm 4, 4x(2x(3 + 5)); output 10x8.
    shape = tiny(
        kv_heads=2, q_lora_rank=3, kv_lora_rank=4, qk_rope_head_dim=2, qk_nope_head_dim=3,
        v_head_dim=5,
    )  # fmt: skip
    assert count_parameters(shape).attention == 2 * (24 + 3 + 30 + 48 + 4 + 64 + 80)
    whole_query = shape.model_copy(update={"q_lora_rank": 0})
    assert count_parameters(whole_query).attention == 2 * (80 + 48 + 4 + 64 + 80)


def test_mtp_stands_beside_the_model() -> None:
    # A block of 192 + 384 + 16, a projection of 2x8x8 and three norms; perhaps tables of its own.
    assert count_parameters(tiny()).mtp == 0
    one = count_parameters(tiny(mtp_layers=1))
    assert one.mtp == 592 + 128 + 24
    assert one.total == count_parameters(tiny()).total
    assert count_parameters(tiny(mtp_layers=1, mtp_own_embeddings=True)).mtp == one.mtp + 2 * TABLE


@given(shapes())
def test_parts_sum_to_the_total(shape: ModelShape) -> None:
    counts = count_parameters(shape)
    parts = (counts.embedding, counts.attention, counts.dense_ffn, counts.router, counts.norms,
             counts.experts * counts.expert_each, counts.head)  # fmt: skip
    assert sum(parts) == counts.total
    assert all(part >= 0 for part in parts)


@given(shapes())
def test_no_token_passes_more_than_there_is(shape: ModelShape) -> None:
    counts = count_parameters(shape)
    assert counts.active <= counts.total + counts.head_read * shape.tied_embeddings
    every_expert = shape.model_copy(update={"experts_per_token": shape.experts})
    assert counts.active <= count_parameters(every_expert).active


@given(shapes())
def test_another_layer_of_any_kind_adds_parameters(shape: ModelShape) -> None:
    for kind in ("full_layers", "sliding_layers", "linear_layers", "dense_layers", "moe_layers"):
        deeper = shape.model_copy(update={kind: getattr(shape, kind) + 1})
        assert count_parameters(deeper).total > count_parameters(shape).total
