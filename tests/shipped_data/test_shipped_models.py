"""Facts about `data/models.csv`: parameter counts against what others published."""

import pytest

from hwplanner.model.parameter_counts import count_parameters
from hwplanner.model.presets import load_models
from hwplanner.model.shape import ModelShape

MODELS = load_models()

# Published counts that hold something which is no parameter, or leave something out: how much.
BESIDE_PARAMETERS = {
    "llama-2-7b": (32 * 64, "rotary frequencies of 32 layers"),
    "llama-2-13b": (40 * 64, "rotary frequencies of 40 layers"),
    "llama-2-70b": (80 * 64, "rotary frequencies of 80 layers"),
    "gpt2": (12 * 1024**2, "causal masks of 12 layers"),
    "gpt2-xl": (48 * 1024**2, "causal masks of 48 layers"),
    "deepseek-v3": (
        62 * 11_448 + 3 * 24_192 + 59 * 257 * 2_688,
        "scales of 128 x 128 blocks: attention, dense layers, experts",
    ),
    "minimax-m2.5": (
        62 * (1152 + 2 * 192 + 1152 + 256 * 864),
        "scales of 128 x 128 blocks: attention, experts",
    ),
    "kimi-k2": (61 * 56, "one row of block scales in 61 layers"),
    "nemotron-3-nano-30b-a3b": (-23 * 128, "router biases are not counted"),
    "nemotron-3-super-120b-a12b": (-41 * 512, "router biases are not counted"),
    "nemotron-3-ultra-550b-a55b": (-49 * 512, "router biases are not counted"),
    "gpt-j-6b": (623840, "biases of feed-forward layers and of the head"),
    "gpt-neox-20b": (184549904, "causal masks and rotary frequencies of 44 layers"),
    "pythia-70m": (25165872, "causal masks and rotary frequencies of 6 layers"),
    "pythia-160m": (50331744, "causal masks and rotary frequencies of 12 layers"),
    "pythia-410m": (100663488, "causal masks and rotary frequencies of 24 layers"),
    "pythia-1b": (67109376, "causal masks and rotary frequencies of 16 layers"),
    "pythia-1.4b": (100663680, "causal masks and rotary frequencies of 24 layers"),
    "pythia-2.8b": (134218048, "causal masks and rotary frequencies of 32 layers"),
    "pythia-6.9b": (134218240, "causal masks and rotary frequencies of 32 layers"),
    "pythia-12b": (150995520, "causal masks and rotary frequencies of 36 layers"),
    "opt-1.3b": (-4841472, "norms and biases that the published file leaves out"),
    "opt-2.7b": (-6318080, "norms and biases that the published file leaves out"),
    "opt-6.7b": (-10108928, "norms and biases that the published file leaves out"),
    "opt-30b": (-19181568, "norms and biases that the published file leaves out"),
    "llama-30b": (3840, "rotary frequencies of 60 layers"),
    "llama-65b": (5120, "rotary frequencies of 80 layers"),
    "phi-2": (51200, "biases of the head"),
    "olmo-1b": (-67584, "its norms have no scale"),
    "olmo-7b": (-266240, "its norms have no scale"),
    "starcoder-15b": (301989888, "a part of the checkpoint that is not read"),
    "command-r-plus-104b": (851968, "norms of queries and keys, one for each head"),
    "internlm-7b": (524288, "biases of the four projections of attention"),
    "moonlight-16b-a3b": (1728, "27 x 64 numbers beside the layers"),
    "apertus-8b": (64, "two numbers of the activation function in each layer"),
    "apertus-70b": (160, "two numbers of the activation function in each layer"),
    "gpt2-medium": (25165824, "causal masks of 24 layers"),
    "gpt2-large": (37748736, "causal masks of 36 layers"),
    "phi-3.5-moe": (359744, "biases of attention and of the head"),
}

# Counts that arithmetic does not reach, or that are published as rounded words only.
NOT_REACHED = {
    "mistral-small-22b": (3e-3, "published as 22.2B"),
    "gpt-3-175b": (3e-3, "published as 175B"),
    "opt-13b": (4e-3, "published as 12.9B"),
    "opt-66b": (1e-3, "published as 65.7B"),
    "opt-175b": (3e-3, "published as 175B"),
    "nemotron-4-340b": (1e-3, "published as 341B"),
    "nemotron-super-49b": (1e-5, "feed-forward widths differ by block; their mean is rounded"),
    "deepseek-v4-flash": (2e-3, "compressors and indexes are not in the shape"),
    "deepseek-v4-pro": (1e-3, "compressors and indexes are not in the shape"),
    "mpt-760m": (0.003, "as printed in billions in the llm-foundry benchmark tables"),
    "mpt-1b": (0.003, "as printed in billions in the llm-foundry benchmark tables"),
    "mpt-3b": (0.003, "as printed in billions in the llm-foundry benchmark tables"),
    "mpt-13b": (0.003, "as printed in billions in the llm-foundry benchmark tables"),
    "mpt-30b": (0.003, "as printed in billions in the llm-foundry benchmark tables"),
    "mpt-70b": (0.003, "as printed in billions in the llm-foundry benchmark tables"),
    "grok-1": (0.01, "published as 314B"),
    "internlm-20b": (0.01, "published as 20B"),
    "megatron-gpt-1.7b": (0.03, "published as 1.7B"),
    "megatron-gpt-3.6b": (0.03, "published as 3.6B"),
    "megatron-gpt-7.5b": (0.03, "published as 7.5B"),
    "megatron-gpt-18.4b": (0.03, "published as 18.4B"),
    "megatron-gpt-39.1b": (0.03, "published as 39.1B"),
    "megatron-gpt-76.1b": (0.03, "published as 76.1B"),
    "megatron-gpt-145.6b": (0.03, "published as 145.6B"),
    "megatron-gpt-310.1b": (0.03, "published as 310.1B"),
    "megatron-gpt-529.6b": (0.03, "published as 529.6B"),
    "megatron-gpt-1008b": (0.03, "published as 1008.0B"),
    "megatron-gpt-22b": (0.02, "published as 22B"),
    "gpt-3-1.3b": (0.03, "published as 1.3B"),
    "gpt-3-2.7b": (0.03, "published as 2.7B"),
    "gpt-3-6.7b": (0.03, "published as 6.7B"),
    "gpt-3-13b": (0.03, "published as 13B"),
    "gpt-3-5b": (0.03, "published as 5B"),
    "gpt-3-20b": (0.03, "published as 20B"),
    "kimi-linear-48b-a3b": (4e-3, "its linear layers have more parts than those of Qwen"),
}


def published_count(shape: ModelShape) -> int:
    """Count of what the published number holds."""
    counts = count_parameters(shape)
    beside = {"mtp": counts.mtp, "other": shape.other_parameters, "tied_copy": counts.head_read}
    return counts.total + sum(beside[part] for part in shape.published_counts)


@pytest.mark.parametrize("shape", MODELS.shapes, ids=lambda shape: shape.id)
def test_parameters_are_those_of_the_published_checkpoint(shape: ModelShape) -> None:
    assert shape.published_parameters is not None
    extra, _ = BESIDE_PARAMETERS.get(shape.id, (0, ""))
    tolerance, _ = NOT_REACHED.get(shape.id, (0, ""))
    expected = shape.published_parameters - extra
    assert published_count(shape) == pytest.approx(expected, rel=tolerance, abs=0)


@pytest.mark.parametrize("name", NOT_REACHED)
def test_an_exception_is_still_needed(name: str) -> None:
    shape = MODELS.get(name)
    assert published_count(shape) != shape.published_parameters


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("llama-3.1-8b", 8_030_261_248),
        ("llama-3.1-70b", 70_553_706_496),
        ("llama-3.1-405b", 405_853_388_800),
        ("deepseek-v3", 671_026_419_200),
        ("qwen3-0.6b", 596_049_920),
        ("qwen3-1.7b", 1_720_574_976),
        ("qwen2.5-7b", 7_615_616_512),
        ("qwen3-32b", 32_762_123_264),
        ("mixtral-8x7b", 46_702_792_704),
        ("gpt-oss-120b", 116_829_156_672),
        ("gpt-oss-20b", 20_914_757_184),
        ("gemma-3-27b", 27_009_346_304),
        ("kimi-k2", 1_026_408_232_448),
        ("minimax-m2.5", 228_689_764_864),
        ("nemotron-h-56b", 56_324_350_464),
    ],
)
def test_exact_counts_of_the_language_model(name: str, parameters: int) -> None:
    assert count_parameters(MODELS.get(name)).total == parameters


@pytest.mark.parametrize(
    ("name", "with_mtp"),
    [
        ("deepseek-v3", 684_489_845_504),
        ("deepseek-v3.2", 685_355_329_792),
        ("glm-5", 753_864_139_008),
    ],
)
def test_exact_counts_with_the_mtp_layer(name: str, with_mtp: int) -> None:
    counts = count_parameters(MODELS.get(name))
    assert counts.total + counts.mtp == with_mtp


@pytest.mark.parametrize(
    ("name", "billion"),
    [
        ("llama-4-maverick", 17),
        ("mixtral-8x7b", 12.9),
        ("qwen3-235b-a22b", 22),
        ("qwen3.5-397b-a17b", 17),
        ("deepseek-v3", 37),
        ("kimi-k2", 32),
        ("glm-4.5", 32),
        ("gpt-oss-120b", 5.1),
        ("minimax-m2.5", 10),
        ("nemotron-3-super-120b-a12b", 12),
        ("nemotron-3-ultra-550b-a55b", 55),
        ("deepseek-v4-flash", 13),
        ("deepseek-v4-pro", 49),
    ],
)
def test_active_parameters_are_what_the_makers_say(name: str, billion: float) -> None:
    # Makers round, and some count the input table too.
    assert count_parameters(MODELS.get(name)).active == pytest.approx(billion * 1e9, rel=0.06)


def vision_tower(*, patch: int, frames: int, positions: int, patch_bias: bool = True) -> int:
    """SigLIP-like tower of Qwen, Gemma 3 and Kimi: 27 blocks of 1152, feed-forward 4304."""
    width, ffn = 1152, 4304
    attention = 4 * (width * width + width)
    feed_forward = 2 * width * ffn + ffn + width
    blocks = 27 * (attention + feed_forward + 4 * width)
    embedding = 3 * frames * patch**2 * width + width * patch_bias + positions * width
    return blocks + embedding + 2 * width


def qwen_tower(out: int) -> int:
    merged = 4 * 1152
    return (
        vision_tower(patch=16, frames=2, positions=2304)
        + (merged + 1) * merged
        + (merged + 1) * out
    )


def gemma_3_tower(out: int) -> int:
    return vision_tower(patch=14, frames=1, positions=4096) + 1152 * out + 1152


def gemma_4_tower(out: int, layers: int) -> int:
    """Gated blocks without biases, a table of 2 x 10240 positions, a scalar for each text layer."""
    block = 4 * 1152**2 + 3 * 1152 * 4304 + 4 * 1152 + 2 * 72
    return 27 * block + 768 * 1152 + 2 * 10_240 * 1152 + 2 * 1152 + 1152 * out + layers


def llama_4_tower() -> int:
    """34 blocks of 1408, feed-forward 5632; adapter 5632 to 4096 twice, projector to 5120."""
    block = 4 * (1408**2 + 1408) + 2 * 1408 * 5632 + 5632 + 1408 + 4 * 1408
    embedding = 588 * 1408 + 577 * 1408 + 1408 + 4 * 1408
    return 34 * block + embedding + 5632 * 4096 + 4096**2 + 4096 * 5120


@pytest.mark.parametrize(
    ("name", "tower"),
    [
        ("qwen3.5-9b", qwen_tower(4096)),
        ("qwen3.5-27b", qwen_tower(5120)),
        ("qwen3.5-35b-a3b", qwen_tower(2048)),
        ("qwen3.5-122b-a10b", qwen_tower(3072)),
        ("qwen3.5-397b-a17b", qwen_tower(4096)),
        ("gemma-3-4b", gemma_3_tower(2560)),
        ("gemma-3-12b", gemma_3_tower(3840)),
        ("gemma-3-27b", gemma_3_tower(5376)),
        ("gemma-4-31b", gemma_4_tower(5376, 60)),
        ("gemma-4-26b-a4b", gemma_4_tower(2816, 30)),
        ("llama-4-scout", llama_4_tower()),
        ("llama-4-maverick", llama_4_tower()),
        (
            "kimi-k2.5",
            vision_tower(patch=14, frames=1, positions=4096)
            + 2 * 1152
            + (4608 + 1) * 4608
            + (4608 + 1) * 7168,
        ),
    ],
)
def test_what_is_no_language_model_is_the_vision_tower(name: str, tower: int) -> None:
    assert MODELS.get(name).other_parameters == tower


def test_every_vision_tower_is_worked_out() -> None:
    by_difference = [
        *("llama-3.2-11b-vision", "llama-3.2-90b-vision", "phi-1.5"),
        *("qwen3.5-0.8b", "qwen3.5-2b", "qwen3.5-4b"),
    ]
    with_tower = {shape.id for shape in MODELS.shapes if shape.other_parameters}
    language_models_of_vl = {name for name in with_tower if "-vl-" in name}
    assert len(with_tower.difference(by_difference, language_models_of_vl)) == 13


def test_layers_of_every_kind_fit_the_blocks() -> None:
    for shape in MODELS.shapes:
        attention = shape.full_layers + shape.sliding_layers + shape.linear_layers
        feed_forward = shape.dense_layers + shape.moe_layers
        assert attention <= shape.layers
        assert feed_forward <= 2 * shape.layers
        assert attention + feed_forward >= shape.layers
        assert shape.heads % shape.kv_heads == 0


@pytest.mark.parametrize(
    ("name", "model_id"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("Qwen3-30B-A3B", "qwen3-30b-a3b"),
        ("openai/gpt-oss-120b", "gpt-oss-120b"),
        ("deepseek-ai/DeepSeek-R1-0528", "deepseek-r1"),
        ("google/gemma-3-27b-it", "gemma-3-27b"),
    ],
)
def test_usual_names_are_known(name: str, model_id: str) -> None:
    assert MODELS.get(name).id == model_id
