"""Small architectures that tests work out by hand, and random ones for laws."""

from hypothesis import strategies as st

from hwplanner.model.shape import ModelShape

TINY = {
    "id": "tiny",
    "name": "Tiny",
    "layers": 2,
    "hidden": 8,
    "vocab": 10,
    "max_context": 64,
    "heads": 2,
    "kv_heads": 1,
    "head_dim": 4,
    "full_layers": 2,
    "dense_layers": 2,
    "ffn": 16,
}


def tiny(**changes: object) -> ModelShape:
    """Two layers of hidden size 8, with changes."""
    return ModelShape.model_validate(TINY | changes)


@st.composite
def shapes(draw: st.DrawFn) -> ModelShape:
    """Any mix of full, sliding, linear, dense and expert layers."""
    full, sliding, linear, dense, moe = (draw(st.integers(0, 6)) for _ in range(5))
    kv_heads = draw(st.sampled_from([1, 2, 4, 8]))
    experts = draw(st.integers(2, 64))
    return tiny(
        layers=max(1, full + sliding + linear, dense, moe),
        hidden=draw(st.integers(1, 64)) * 8,
        heads=kv_heads * draw(st.integers(1, 4)),
        kv_heads=kv_heads,
        full_layers=full,
        sliding_layers=sliding,
        sliding_window=draw(st.integers(1, 4096)),
        linear_layers=linear,
        linear_kind=draw(st.sampled_from(["gated_delta", "mamba2"])),
        linear_key_heads=2,
        linear_key_head_dim=16,
        linear_value_heads=4,
        linear_value_head_dim=8,
        linear_conv_kernel=4,
        dense_layers=dense,
        moe_layers=moe,
        experts=experts,
        experts_per_token=draw(st.integers(1, experts)),
        moe_ffn=draw(st.integers(1, 32)),
        tied_embeddings=draw(st.booleans()),
        gated_mlp=draw(st.booleans()),
        biases=draw(st.sampled_from(["none", "qkv", "all"])),
    )
