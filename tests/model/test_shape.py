import pytest
from pydantic import ValidationError

from tests.shapes import tiny


def test_a_shape_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        tiny().layers = 3


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="colour"):
        tiny(colour="red")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sliding_layers": 1}, "sliding_window is blank; write it, since sliding_layers is 1"),
        ({"moe_layers": 1}, "experts is blank"),
        ({"moe_layers": 1, "experts": 4, "experts_per_token": 2}, "moe_ffn is blank"),
        ({"linear_layers": 1}, "linear_kind is blank"),
        ({"kv_lora_rank": 512}, "qk_rope_head_dim is blank"),
        ({"ffn": 0}, "ffn is blank"),
        (
            {"experts": 4, "experts_per_token": 8},
            "experts_per_token is 8; write at most experts, 4",
        ),
        ({"kv_heads": 4}, "kv_heads is 4; write at most heads, 2"),
        ({"heads": 30, "kv_heads": 8}, "heads is 30; write a multiple of kv_heads, 8"),
        (
            {"heads": 6, "kv_heads_global": 4},
            "heads is 6; write a multiple of kv_heads_global, 4",
        ),
        (
            {"sliding_layers": 1, "sliding_window": 8},
            "full, sliding and linear layers are 3; write at most layers, 2",
        ),
        (
            {"moe_layers": 3, "experts": 4, "experts_per_token": 2, "moe_ffn": 8},
            "moe_layers is 3; write at most layers, 2",
        ),
        ({"dense_layers": 3}, "dense_layers is 3; write at most layers, 2"),
    ],
)
def test_sizes_that_are_missing_or_impossible_are_named(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        tiny(**changes)


@pytest.mark.parametrize("field", ["layers", "hidden", "vocab", "heads", "kv_heads", "head_dim"])
@pytest.mark.parametrize("value", [0, -1, 1.5])
def test_sizes_are_whole_and_above_zero(field: str, value: float) -> None:
    with pytest.raises(ValidationError, match=field):
        tiny(**{field: value})


def test_a_latent_query_has_two_parts() -> None:
    latent = {"kv_lora_rank": 4, "qk_rope_head_dim": 2, "qk_nope_head_dim": 3, "v_head_dim": 5}
    assert tiny(**latent).qk_head_dim == 5
    assert tiny().qk_head_dim == 4
