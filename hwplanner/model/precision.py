"""Number formats: what weights and cache weigh in them, and at what rate a device computes.

Weights, cache and arithmetic each have a format of their own. A weight-only format is small in
memory and widened for the products; only a format of the activations changes the arithmetic.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hwplanner.model.numbers import ModelNumbers
from hwplanner.units import BITS_PER_BYTE, Array, Quantity

BYTES_16_BIT = 2.0
FULL_BITS = 16
NOT_TESTED = "quality not yet tested here"


@dataclass(frozen=True, slots=True)
class Format:
    """How weights are stored.

    Attributes
    ----------
    name, label
        Word in links and files; words on the screen.
    bits
        Of one number, without scales.
    stored_bits
        Of one number with its share of scales and zero points.
    arithmetic
        Format of the products, a key of `ARITHMETIC`.
    quantises_tables
        Whether embeddings and head are in this format too; else they are kept.
    keeps_attention
        Models whose attention is kept: none, those with latent attention, all.
    keeps_body
        Whether only experts are in this format, and the whole body is kept.
    kept_bits
        Of one number of what is kept.
    holds_other
        Whether vision towers are in the same file; llama.cpp keeps them apart.
    basis
        Where `stored_bits` comes from.
    """

    name: str
    label: str
    bits: int
    stored_bits: float
    arithmetic: str
    basis: str
    quantises_tables: bool = False
    keeps_attention: Literal["none", "latent", "all"] = "none"
    keeps_body: bool = False
    kept_bits: float = 16
    holds_other: bool = True

    @property
    def kept_bytes_per_parameter(self) -> float:
        """Bytes of a number that is kept. [bytes/parameter]"""
        return self.kept_bits / BITS_PER_BYTE

    @property
    def bytes_per_parameter(self) -> float:
        """Bytes of a quantised number, scales included. [bytes/parameter]"""
        return self.stored_bits / BITS_PER_BYTE

    @property
    def is_weight_only(self) -> bool:
        """Whether the weights are widened to 16 bit before they are multiplied."""
        return self.bits < 16 and self.arithmetic == "bf16"

    @property
    def quality_note(self) -> str:
        """What one cannot know without a test on the team's own data."""
        return NOT_TESTED if self.bits < FULL_BITS else ""


_LLAMA_CPP = "measured on Llama-3.1-8B, llama.cpp tools/quantize README (read 2026-11-30)"


def _gguf(name: str, stored_bits: float, basis: str) -> Format:
    """Format of a file of llama.cpp, which computes in 16 bit."""
    bits = int(name.lstrip("iq")[0])
    label = f"{bits}-bit GGUF ({name.upper()})"
    return Format(
        name, label, bits, stored_bits, "bf16", basis, quantises_tables=True, holds_other=False
    )


FORMATS: Mapping[str, Format] = {
    format.name: format
    for format in (
        Format("fp32", "32-bit", 32, 32, "fp32", "IEEE 754", quantises_tables=True),
        Format("bf16", "16-bit (bf16)", 16, 16, "bf16", "8-bit exponent, 7-bit fraction"),
        Format("fp16", "16-bit (fp16)", 16, 16, "fp16", "IEEE 754"),
        Format("fp8", "8-bit (fp8)", 8, 8, "fp8", "a scale for each channel or 128 x 128 block"),
        Format("int8", "8-bit (int8)", 8, 8, "int8", "weights and activations, channel scales"),
        Format("int4", "4-bit (int4 AWQ/GPTQ)", 4, 4 + (16 + 4) / 128, "bf16",
               "16-bit scale and 4-bit zero point for every 128"),
        Format("nvfp4", "4-bit (NVFP4)", 4, 4 + 8 / 16, "nvfp4", "fp8 scale for every 16",
               keeps_attention="latent"),
        Format("mxfp4", "4-bit (MXFP4)", 4, 4 + 8 / 32, "mxfp4",
               "8-bit scale for every 32; attention stays 16-bit as in gpt-oss",
               keeps_attention="all"),
        _gguf("q8_0", 8 + 16 / 32, "16-bit scale for every 32"),
        _gguf("q6_k", 6.5633, _LLAMA_CPP),
        _gguf("q5_k_m", 5.7036, _LLAMA_CPP),
        _gguf("q4_k_m", 4.8944, _LLAMA_CPP),
        _gguf("q4_0", 4 + 16 / 32, "16-bit scale for every 32"),
    )
}  # fmt: skip
"""Formats that one can ask for."""

_MORE_GGUF = {
    "iq1_s": 2.0042, "iq1_m": 2.1460, "iq2_xxs": 2.3824, "iq2_xs": 2.5882, "iq2_s": 2.7403,
    "iq2_m": 2.9294, "q2_k_s": 2.9697, "q2_k": 3.1593, "iq3_xxs": 3.2548, "iq3_xs": 3.4977,
    "q3_k_s": 3.6429, "iq3_s": 3.6606, "iq3_m": 3.7628, "q3_k_l": 4.2979, "iq4_xs": 4.4597,
    "q4_k_s": 4.6672, "iq4_nl": 4.6818, "q5_k_s": 5.5704,
}  # fmt: skip
PUBLISHED_FORMATS: Mapping[str, Format] = {
    **FORMATS,
    **{name: _gguf(name, bits, _LLAMA_CPP) for name, bits in _MORE_GGUF.items()},
    "q4_1": _gguf("q4_1", 5.0, "two 16-bit numbers for every 32"),
    "q5_0": _gguf("q5_0", 5.5, "16-bit scale for every 32"),
    "q5_1": _gguf("q5_1", 6.0, "two 16-bit numbers for every 32"),
    "q3_k_m": _gguf("q3_k_m", 4.00, "between Q3_K_S and Q3_K_L of the same table"),
    "mxfp4_gguf": Format(
        "mxfp4_gguf", "4-bit GGUF (MXFP4)", 4, 4 + 8 / 32, "bf16",
        "8-bit scale for every 32 in the experts, the rest as Q8_0",
        keeps_attention="all", kept_bits=8.5, holds_other=False,
    ),
    "nf4": Format("nf4", "4-bit (NF4)", 4, 4 + 32 / 64, "bf16", "32-bit scale for every 64"),
    "int4_experts": Format(
        "int4_experts", "4-bit (int4), experts only", 4, 4 + 16 / 32, "bf16",
        "16-bit scale for every 32; Kimi K2 Thinking, K2.5 and K2.6", keeps_body=True,
    ),
    "fp4_experts": Format(
        "fp4_experts", "4-bit experts, fp8 body", 4, 4 + 8 / 32, "fp8",
        "8-bit scale for every 32; DeepSeek V4", keeps_body=True, kept_bits=8,
    ),
    "fp4_experts_widened": Format(
        "fp4_experts_widened", "4-bit experts, 16-bit body", 4, 4 + 32 / 32, "bf16",
        "32-bit scales on a device without fp4: DeepSeek V4 Pro took 125.65 GiB on each of 8 H200",
        keeps_body=True,
    ),
    "fp8_ffn": Format(
        "fp8_ffn", "8-bit (fp8), attention 16-bit", 8, 8, "fp8", "Meta's build of Llama 3.1 405B",
        keeps_attention="all",
    ),
}  # fmt: skip
"""Also those that published runs used."""

CACHE_BYTES_PER_VALUE: Mapping[str, float] = {"bf16": 2.0, "fp8": 1.0, "int8": 1.0}

ARITHMETIC: Mapping[str, tuple[str, ...]] = {
    "fp32": ("fp32",),
    "bf16": ("bf16", "fp16", "fp32"),
    "fp16": ("fp16", "bf16", "fp32"),
    "fp8": ("fp8", "bf16", "fp16", "fp32"),
    "int8": ("int8", "bf16", "fp16", "fp32"),
    "nvfp4": ("fp4", "bf16", "fp16", "fp32"),
    "mxfp4": ("fp8 beside fp4", "bf16", "fp16", "fp32"),
}
"""Rates that serve a format of arithmetic, best first; the rest is what a device falls back to.

MXFP4 weights meet fp8 activations, but only kernels for devices with an fp4 unit do so; 4-bit
weights on a device without one are widened to 16 bit even where it has fp8.
"""


@dataclass(frozen=True, slots=True)
class WeightBytes:
    """Weights by part, before any split over devices. [bytes]

    Attributes
    ----------
    body_bytes
        All that every token passes between embedding and head.
    expert_each_bytes
        One expert in all expert layers.
    embedding_bytes
        Input table.
    head_bytes
        Output projection; 0 where it is the input table.
    head_read_bytes
        Output projection as read in each step, tied or not.
    repeated_bytes
        Of the body, what every rank of a tensor group holds whole.
    other_bytes
        Vision towers and projectors, which engines keep at 16 bit.
    total_bytes
        All of it, every expert included.
    """

    body_bytes: Quantity
    expert_each_bytes: Quantity
    embedding_bytes: Quantity
    head_bytes: Quantity
    head_read_bytes: Quantity
    repeated_bytes: Quantity
    other_bytes: Quantity
    total_bytes: Quantity


@dataclass(frozen=True, slots=True)
class ArithmeticPeaks:
    """Rate and format of the matrix products, one entry per device.

    Attributes
    ----------
    arithmetic
        Format asked for, a key of `ARITHMETIC`.
    flop_per_s
        Dense peak; NaN where a device has no rate for the format or any it falls back to.
    choice
        Place in the chain of `ARITHMETIC`; its length where none is.
    """

    arithmetic: str
    flop_per_s: Array
    choice: NDArray[np.intp]

    @property
    def formats(self) -> NDArray[np.str_]:
        """Format that is used, empty where none is."""
        return np.array([*self._words, ""])[self.choice]

    @property
    def notes(self) -> NDArray[np.str_]:
        """What differs from the request, in words; empty where nothing does."""
        unit = "fp4" if self.arithmetic.endswith("fp4") else self.arithmetic
        substitutes = [f"no {unit} rate: computes in {name}" for name in self._words[1:]]
        nothing = (
            f"no published rate for {self.arithmetic} or what could stand in for it: not supported"
        )
        return np.array(["", *substitutes, nothing])[self.choice]

    @property
    def _words(self) -> list[str]:
        return [name.split()[0] for name in ARITHMETIC[self.arithmetic]]


def weight_bytes(*, model: ModelNumbers, weight_format: Format) -> WeightBytes:
    """Weights of a model in a format, as real checkpoints store them.

    Parameters
    ----------
    model
        The model.
    weight_format
        Format of the matrices of the body. Embeddings and head, and attention where the format
        says so, stay 16-bit: that is why "4-bit" files of 8B models hold 0.7 bytes a parameter.

    Returns
    -------
    WeightBytes
        Parts and their total. Where a checkpoint's own size is known it is the better number:
        builds differ in which layers they leave at 16 bit.
    """
    width = weight_format.bytes_per_parameter
    kept_width = weight_format.kept_bytes_per_parameter
    table_width = width if weight_format.quantises_tables else kept_width
    keeps_attention = weight_format.keeps_attention == "all" or (
        weight_format.keeps_attention == "latent" and model.is_latent
    )
    kept = model.attention_parameters if keeps_attention else 0.0
    if weight_format.keeps_body:
        kept = model.body_parameters
    body_bytes = kept * kept_width + (model.body_parameters - kept) * width
    expert_each_bytes = model.expert_each_parameters * width
    embedding_bytes = model.embedding_parameters * table_width
    head_bytes = model.head_parameters * table_width
    other_bytes = model.other_parameters * (BYTES_16_BIT if weight_format.holds_other else 0.0)
    return WeightBytes(
        body_bytes=body_bytes,
        expert_each_bytes=expert_each_bytes,
        embedding_bytes=embedding_bytes,
        head_bytes=head_bytes,
        head_read_bytes=model.head_read_parameters * table_width,
        repeated_bytes=model.repeated_parameters
        * (kept_width if keeps_attention or weight_format.keeps_body else width),
        other_bytes=other_bytes,
        total_bytes=body_bytes
        + model.experts * expert_each_bytes
        + embedding_bytes
        + head_bytes
        + other_bytes,
    )


def arithmetic_peaks(*, arithmetic: str, peaks: Mapping[str, Quantity]) -> ArithmeticPeaks:
    """Peak rate of every device in a format, or in the next one that it has.

    Parameters
    ----------
    arithmetic
        Format asked for, a key of `ARITHMETIC`.
    peaks
        Dense rates by format (fp32, fp16, bf16, fp8, fp4, int8), one array over the devices
        each; NaN where a rate is not published or not supported. [FLOP/s]

    Returns
    -------
    ArithmeticPeaks
        Rates, formats used and notes.

    Examples
    --------
    A100 has no fp8 unit:

    >>> nan = float("nan")
    >>> rates = {"fp32": 19.5e12, "fp16": 312e12, "bf16": 312e12, "fp8": nan, "fp4": nan}
    >>> used = arithmetic_peaks(arithmetic="fp8", peaks=rates)
    >>> str(used.notes[0])
    'no fp8 rate: computes in bf16'
    """
    rates = {name: np.atleast_1d(np.asarray(rate, dtype=float)) for name, rate in peaks.items()}
    rates["fp8 beside fp4"] = np.where(np.isnan(rates["fp4"]), np.nan, rates["fp8"])
    chain = np.array([rates[name] for name in ARITHMETIC[arithmetic]])
    has_rate = ~np.isnan(chain)
    has_any = has_rate.any(axis=0)
    choice = np.where(has_any, has_rate.argmax(axis=0), len(chain))
    first = np.minimum(choice, len(chain) - 1)[None, :]
    return ArithmeticPeaks(
        arithmetic=arithmetic,
        flop_per_s=np.take_along_axis(chain, first, axis=0)[0],
        choice=choice,
    )


def resolve_arithmetic(
    *, arithmetic: str, peaks: Mapping[str, float | None]
) -> tuple[str, float, str]:
    """Format used, peak rate and note of one device; see `arithmetic_peaks`.

    Parameters
    ----------
    arithmetic
        Format asked for, a key of `ARITHMETIC`.
    peaks
        Dense rates by format; None where not published or not supported. [FLOP/s]

    Returns
    -------
    tuple
        Format used (empty if none), its rate (NaN if none) and what differs, in words.
    """
    known = {name: np.nan if rate is None else rate for name, rate in peaks.items()}
    used = arithmetic_peaks(arithmetic=arithmetic, peaks=known)
    return str(used.formats[0]), float(used.flop_per_s[0]), str(used.notes[0])
