import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.model.numbers import model_numbers
from hwplanner.model.precision import (
    ARITHMETIC,
    CACHE_BYTES_PER_VALUE,
    FORMATS,
    Format,
    arithmetic_peaks,
    resolve_arithmetic,
    weight_bytes,
)
from hwplanner.model.presets import load_models
from hwplanner.model.shape import ModelShape
from hwplanner.scenario import ArithmeticFormat, CacheFormat, WeightFormat
from hwplanner.units import GIB, TERA
from tests.published import published
from tests.shapes import shapes

NAN = math.nan
# Dense rates in TFLOP/s as the makers publish them.
V100 = {"fp32": 14, "fp16": 112, "bf16": None, "fp8": None, "fp4": None, "int8": None}
A100 = {"fp32": 19.5, "fp16": 312, "bf16": 312, "fp8": None, "fp4": None, "int8": 624}
H100 = {"fp32": 67, "fp16": 989, "bf16": 989, "fp8": 1979, "fp4": None, "int8": 1979}
B200 = {"fp32": 75, "fp16": 2250, "bf16": 2250, "fp8": 4500, "fp4": 9000, "int8": 4500}
CPU = {"fp32": 3, "fp16": None, "bf16": None, "fp8": None, "fp4": None, "int8": None}
UNKNOWN = dict.fromkeys(V100)
DEVICES = [V100, A100, H100, B200, CPU, UNKNOWN]


@pytest.mark.parametrize("case", published("weight_logs.csv"), ids=lambda case: case["case"])
def test_weights_that_engines_report(case: dict[str, str]) -> None:
    model = model_numbers(load_models().get(case["model"]))
    weights = weight_bytes(model=model, weight_format=FORMATS[case["weight_format"]])
    tolerance = float(case["tolerance"])
    assert weights.total_bytes / GIB == pytest.approx(float(case["gib"]), rel=tolerance)


def test_the_file_of_deepseek_v3() -> None:
    # 688,586,727,753 bytes: fp8 but for four tables (two of them the MTP layer's) in 16 bit.
    model = model_numbers(load_models().get("deepseek-v3"))
    weights = weight_bytes(model=model, weight_format=FORMATS["fp8"])
    mtp_bytes = model.mtp_parameters + 2 * model.embedding_parameters
    assert weights.total_bytes + mtp_bytes == pytest.approx(688_586_727_753, rel=0.001)


def test_every_expert_counts_for_memory_and_few_for_a_token() -> None:
    # DeepSeek-V3 in four bits takes about 390 GB, not the 22 GB of its active parameters.
    model = model_numbers(load_models().get("deepseek-v3"))
    weights = weight_bytes(model=model, weight_format=FORMATS["q4_0"])
    assert weights.total_bytes == pytest.approx(390e9, rel=0.05)
    touched = weights.body_bytes + model.experts_per_token * weights.expert_each_bytes
    assert touched + weights.head_read_bytes < 22e9


@pytest.mark.parametrize(
    ("name", "bytes_per_parameter"),
    [
        ("fp32", 4),
        ("bf16", 2),
        ("fp16", 2),
        ("fp8", 1),
        ("int8", 1),
        ("int4", 0.51953125),
        ("nvfp4", 0.5625),
        ("mxfp4", 0.53125),
        ("q8_0", 1.0625),
        ("q4_0", 0.5625),
        ("q4_k_m", 0.6118),
    ],
)
def test_bytes_of_a_parameter_with_its_scales(name: str, bytes_per_parameter: float) -> None:
    assert FORMATS[name].bytes_per_parameter == bytes_per_parameter


@pytest.mark.parametrize("weight_format", FORMATS.values(), ids=FORMATS)
def test_anything_below_16_bit_says_that_quality_is_untested(weight_format: Format) -> None:
    untested = weight_format.quality_note == "quality not yet tested here"
    assert untested == (weight_format.bits < 16)


def test_tables_stay_16_bit_except_in_gguf() -> None:
    model = model_numbers(load_models().get("qwen3-8b"))
    table_bytes = 151_936 * 4096 * 2
    for name in ("fp8", "int8", "int4", "nvfp4", "mxfp4"):
        weights = weight_bytes(model=model, weight_format=FORMATS[name])
        assert weights.embedding_bytes == weights.head_bytes == table_bytes
    gguf = weight_bytes(model=model, weight_format=FORMATS["q8_0"])
    assert gguf.embedding_bytes == table_bytes / 2 * 1.0625


def test_a_tied_table_is_held_once_and_read_as_head() -> None:
    model = model_numbers(load_models().get("qwen3-0.6b"))
    weights = weight_bytes(model=model, weight_format=FORMATS["bf16"])
    assert weights.total_bytes == 2 * 596_049_920
    assert weights.head_bytes == 0
    assert weights.head_read_bytes == 2 * 155_582_464


def test_attention_stays_16_bit_where_checkpoints_leave_it() -> None:
    latent, grouped = (model_numbers(load_models().get(n)) for n in ("deepseek-v3", "qwen3-8b"))
    for model, width in ((latent, 2), (grouped, 0.5625)):
        weights = weight_bytes(model=model, weight_format=FORMATS["nvfp4"])
        rest = (model.body_parameters - model.attention_parameters) * 0.5625
        assert weights.body_bytes == model.attention_parameters * width + rest


@given(shape=shapes(), name=st.sampled_from(sorted(FORMATS)))
def test_parts_sum_to_the_total(shape: ModelShape, name: str) -> None:
    model = model_numbers(shape)
    weights = weight_bytes(model=model, weight_format=FORMATS[name])
    tables = weights.embedding_bytes + weights.head_bytes
    experts = model.experts * weights.expert_each_bytes
    assert weights.total_bytes == pytest.approx(weights.body_bytes + experts + tables)


@given(shape=shapes())
def test_half_the_bits_are_half_the_weights(shape: ModelShape) -> None:
    full, half = (
        weight_bytes(model=model_numbers(shape), weight_format=FORMATS[name]).total_bytes
        for name in ("fp32", "bf16")
    )
    assert half == full / 2


@given(shape=shapes(), name=st.sampled_from(sorted(FORMATS)))
def test_more_parameters_never_weigh_less(shape: ModelShape, name: str) -> None:
    for kind in ("full_layers", "dense_layers", "moe_layers", "experts"):
        larger = shape.model_copy(update={kind: getattr(shape, kind) + 1})
        lighter, heavier = (
            weight_bytes(model=model_numbers(s), weight_format=FORMATS[name]).total_bytes
            for s in (shape, larger)
        )
        assert lighter <= heavier


@pytest.mark.parametrize(
    ("device", "arithmetic", "used", "rate", "note"),
    [
        (H100, "bf16", "bf16", 989, ""),
        (V100, "bf16", "fp16", 112, "no bf16 rate: computes in fp16"),
        (CPU, "bf16", "fp32", 3, "no bf16 rate: computes in fp32"),
        (H100, "fp8", "fp8", 1979, ""),
        (A100, "fp8", "bf16", 312, "no fp8 rate: computes in bf16"),
        (V100, "fp8", "fp16", 112, "no fp8 rate: computes in fp16"),
        (A100, "int8", "int8", 624, ""),
        (B200, "nvfp4", "fp4", 9000, ""),
        (H100, "nvfp4", "bf16", 989, "no fp4 rate: computes in bf16"),
        (B200, "mxfp4", "fp8", 4500, ""),
        (H100, "mxfp4", "bf16", 989, "no fp4 rate: computes in bf16"),
        (A100, "mxfp4", "bf16", 312, "no fp4 rate: computes in bf16"),
        (H100, "fp32", "fp32", 67, ""),
    ],
)
def test_a_device_computes_in_the_next_format_that_it_has(
    device: dict[str, float | None], arithmetic: str, used: str, rate: float, note: str
) -> None:
    assert resolve_arithmetic(arithmetic=arithmetic, peaks=device) == (used, rate, note)


@pytest.mark.parametrize("arithmetic", ARITHMETIC)
def test_a_device_without_any_rate_is_not_supported(arithmetic: str) -> None:
    used, rate, note = resolve_arithmetic(arithmetic=arithmetic, peaks=UNKNOWN)
    assert used == ""
    assert math.isnan(rate)
    assert note.endswith("not supported")
    assert arithmetic in note


@pytest.mark.parametrize("name", ["int4", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q4_0"])
def test_weight_only_formats_compute_at_16_bit(name: str) -> None:
    assert FORMATS[name].is_weight_only
    used, rate, _ = resolve_arithmetic(arithmetic=FORMATS[name].arithmetic, peaks=B200)
    assert (used, rate) == ("bf16", 2250)


def test_every_format_names_a_known_arithmetic() -> None:
    assert {weight_format.arithmetic for weight_format in FORMATS.values()} <= set(ARITHMETIC)


def test_the_formats_are_those_that_one_can_ask_for() -> None:
    assert set(get_args(WeightFormat)) == set(FORMATS)
    assert set(get_args(CacheFormat)) == set(CACHE_BYTES_PER_VALUE)
    assert set(get_args(ArithmeticFormat)) == {*ARITHMETIC, "auto"}


def test_cached_numbers_are_16_or_8_bit() -> None:
    assert CACHE_BYTES_PER_VALUE == {"bf16": 2, "fp8": 1, "int8": 1}


@given(
    devices=st.lists(st.sampled_from(DEVICES), min_size=1, max_size=8),
    arithmetic=st.sampled_from(sorted(ARITHMETIC)),
)
def test_the_whole_catalogue_at_once_is_each_device_by_itself(
    devices: list[dict[str, float | None]], arithmetic: str
) -> None:
    peaks = {
        name: np.array([NAN if d[name] is None else d[name] for d in devices]) * TERA
        for name in V100
    }
    together = arithmetic_peaks(arithmetic=arithmetic, peaks=peaks)
    for index, device in enumerate(devices):
        used, rate, note = resolve_arithmetic(arithmetic=arithmetic, peaks=device)
        assert (together.formats[index], together.notes[index]) == (used, note)
        assert together.flop_per_s[index] == pytest.approx(rate * TERA, nan_ok=True)
