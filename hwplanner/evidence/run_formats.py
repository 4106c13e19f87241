"""Number formats of published runs: weights, arithmetic and cache, where blank by what is usual."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hwplanner.evidence.engines import Engine
from hwplanner.model.precision import CACHE_BYTES_PER_VALUE, PUBLISHED_FORMATS, Format

# Words of publications to formats; the first that the name starts with, longest first.
_FORMAT_OF: tuple[tuple[str, str], ...] = (
    ("nvfp4", "nvfp4"),
    ("mxfp4", "mxfp4"),
    ("fp4", "nvfp4"),
    ("fp8", "fp8"),
    ("e4m3", "fp8"),
    ("bf16", "bf16"),
    ("bfloat16", "bf16"),
    ("fp16", "bf16"),
    ("float16", "bf16"),
    ("f16", "bf16"),
    ("fp32", "fp32"),
    ("tf32", "fp32"),
    ("int8", "int8"),
    ("w8a8", "int8"),
    ("w8a16", "int8"),
    ("bfp8", "fp8"),
    ("int4", "int4"),
    ("uint4", "int4"),
    ("w4a16", "int4"),
    ("awq", "int4"),
    ("gptq", "int4"),
    ("nf4", "int4"),
    ("bnb", "int4"),
    ("exl", "int4"),
    ("q8", "q8_0"),
    ("q6", "q6_k"),
    ("q5", "q5_k_m"),
    ("q4_0", "q4_0"),
    ("q4", "q4_k_m"),
    ("iq4", "q4_k_m"),
    ("q3", "q4_0"),
    ("mlx_8", "q8_0"),
    ("mlx", "q4_0"),
)
_EIGHT_BIT_ACTIVATIONS = ("fp8", "e4m3")


@dataclass(frozen=True, slots=True)
class RunFormats:
    """Formats in which a run computes.

    Attributes
    ----------
    weights
        Format of the weights.
    width_factor
        Published bits per weight over those of the format, where a name says them. [1]
    arithmetic
        Key of `precision.ARITHMETIC`.
    cache_bytes_per_value
        Width of a cached number. [bytes/value]
    """

    weights: Format
    width_factor: float
    arithmetic: str
    cache_bytes_per_value: float


def _format(words: str) -> str | None:
    file = re.search(r"i?q[1-8]_[a-z0-9]+(?:_[a-z]+)?", words)
    if "gguf" in words and "mxfp4" in words:
        return "mxfp4_gguf"
    if file:
        # Plain Q4_K means the mix Q4_K_M; XL builds keep a little more.
        for name in (file[0], f"{file[0]}_m", re.sub(r"_x?l$", "_m", file[0])):
            if name in PUBLISHED_FORMATS:
                return name
    for word, name in _FORMAT_OF:
        if word in words:
            return name
    return None


def run_formats(
    *, weights: str, activations: str, cache: str, named: str, model_id: str, engine: Engine
) -> RunFormats:
    """Read the precision columns of a run, with what is usual where they are blank.

    Parameters
    ----------
    weights, activations, cache
        As published; any may be blank.
    named
        Format that the model's name says; '' if none.
    model_id
        Model, for those that are published in one format.
    engine
        Its habits.
    """
    words = weights.lower().removeprefix("gguf_")
    own = (
        "fp8"
        if engine.key == "tt"
        else "mxfp4"
        if model_id.startswith("gpt-oss")
        else "fp8"
        if _is_fp8_model(model_id)
        else ""
    )
    name = _format(words) or _format(named.lower()) or own or "bf16"
    if name == "fp8" and model_id.startswith("gpt-oss") and words == "fp8":
        name = "mxfp4"  # published in no other; fp8 is then the arithmetic beside it
    weight_format = PUBLISHED_FORMATS[name]
    bits = re.search(r"(\d+(?:\.\d+)?)bpw", words)
    width_factor = float(bits[1]) / weight_format.stored_bits if bits else 1.0
    return RunFormats(
        weights=weight_format,
        width_factor=width_factor,
        arithmetic="nvfp4"
        if name == "mxfp4" and not model_id.startswith("gpt-oss")
        else _arithmetic(weight_format, words, activations.lower()),
        cache_bytes_per_value=_cache_width(cache.lower(), weight_format, engine),
    )


def _is_fp8_model(model_id: str) -> bool:
    return model_id.startswith(("deepseek-v3", "deepseek-r1"))


def _arithmetic(weight_format: Format, words: str, activations: str) -> str:
    """Activations decide what computes; 8-bit integer weights alone do not."""
    if weight_format.name == "int8" and not ("w8a8" in words or activations.startswith("int8")):
        return "bf16"
    if activations.startswith(_EIGHT_BIT_ACTIVATIONS) and weight_format.bits <= 8:
        return "fp8"
    if activations.startswith(("bf16", "fp16")) and weight_format.name in ("fp8", "int8"):
        return "bf16"
    return weight_format.arithmetic


def _cache_width(cache: str, weight_format: Format, engine: Engine) -> float:
    """Published width, or that of the engine's usual recipe for such weights."""
    if cache:
        return 1.0 if cache.startswith(("fp8", "int8", "e4m3", "q8")) else 2.0
    habit = engine.key in ("trtllm", "trtllm_cpp", "habana")
    is_quantised = weight_format.name in ("fp8", "nvfp4")
    return CACHE_BYTES_PER_VALUE["fp8" if habit and is_quantised else "bf16"]
