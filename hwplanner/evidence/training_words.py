"""Words of publications about training, in ours: software, its year, precision, optimizer."""

from __future__ import annotations

import re

# Words in the name of the software, first match wins.
_STACKS: tuple[tuple[str, str], ...] = (
    ("automodel", "pytorch"),
    ("gaudi", "megatron"),
    ("deepspeed", "deepspeed"),
    ("megatron", "megatron"),
    ("nemo", "megatron"),
    ("ngc", "megatron"),
    ("nvidia", "megatron"),
    ("primus", "megatron"),
    ("neuronx", "megatron"),
    ("maxtext", "jax"),
    ("pax", "jax"),
    ("jax", "jax"),
    ("levanter", "jax"),
    ("t5x", "jax"),
    ("hf ", "transformers"),
    ("hugging", "transformers"),
    ("transformers", "transformers"),
    ("peft", "transformers"),
    ("trl", "transformers"),
    ("axolotl", "transformers"),
    ("swift", "transformers"),
    ("factory", "transformers"),
    ("xtuner", "transformers"),
    ("unsloth", "transformers"),
    ("qlora", "transformers"),
    ("optimum", "transformers"),
)
_STACK_OF_CLASS = {"tpu": "jax", "aws": "megatron"}


def software_stack(
    *,
    framework: str,
    method: str,
    device_class: str,
    is_split: bool,
    is_narrow: bool,
    is_lightning: bool,
) -> str:
    """Family of the software: `megatron`, `pytorch`, `jax` or `transformers`.

    Parameters
    ----------
    framework
        Its name as published; may be blank.
    method
        What is trained, a word of the scenario.
    device_class
        Efficiency class of the device.
    is_split
        Whether layers or the model are split over devices, as Megatron does.
    is_narrow
        Whether it computes at 8 or 4 bit without a word on sharding, as vendors' software does.
    is_lightning
        Whether its precision is spelled as Lightning does.

    Examples
    --------
    >>> software_stack(framework="NeMo 24.07", method="pretrain", device_class="hopper",
    ...                is_split=True, is_narrow=False, is_lightning=False)
    'megatron'
    """
    words = framework.lower()
    for word, stack in _STACKS:
        if word in words:
            return stack
    if device_class in _STACK_OF_CLASS:
        return _STACK_OF_CLASS[device_class]
    if not words:
        if is_narrow or (is_split and method == "pretrain"):
            return "megatron"
        return "pytorch" if is_lightning or method == "pretrain" else "transformers"
    return "pytorch"


def software_year(*, framework: str, date: str) -> float | None:
    """When the software of a run was released: its release, or else the publication. [year]

    Examples
    --------
    >>> software_year(framework="Megatron-Bridge 25.11", date="release 25.11 (page 2026-08-11)")
    2025.875
    """
    release = re.search(r"(?:release |bridge |^)(2\d)\.(\d\d)\b", f"{framework} {date}", re.I)
    release = release or re.match(r"(2\d)\.(\d\d)\b", date)
    if release:
        return 2000 + int(release[1]) + (int(release[2]) - 0.5) / 12
    found = re.search(r"(20\d\d)(?:-(\d\d))?", date)
    if not found:
        return None
    return int(found[1]) + ((int(found[2]) - 0.5) / 12 if found[2] else 0.5)


def training_precision(text: str) -> str:
    """Format in which linear layers compute, a word of `rates.NARROW_BITS` or a wide one.

    Examples
    --------
    >>> training_precision("fp8/fp4 (submission default, not verified)")
    'fp8 or nvfp4'
    """
    words = text.lower()
    if "fp4" in words and "fp8" in words:
        return "fp8 or nvfp4"
    if "fp4" in words:
        return "nvfp4"
    if "fp8" in words:
        return "fp8"
    if "int8 mixed" in words:
        return "int8"
    if "fp16" in words and "bf16" not in words:
        return "fp16"
    if "fp32" in words and "bf16" not in words:
        return "fp32"
    return "bf16"


def base_bits(text: str) -> float:
    """Bits in which a frozen base is kept, by the precision's words; 16 where none are named.

    Examples
    --------
    >>> base_bits("int4 base + bf16"), base_bits("bf16-true")
    (4.0, 16.0)
    """
    words = text.lower()
    for bits in (2, 4, 8):
        if any(word in words for word in (f"int{bits}", f"nf{bits}", f"{bits}-bit")):
            return float(bits)
    return 16.0


def is_pure_16_bit(text: str) -> bool:
    """Whether weights, gradients and moments are all 16 bit, without a 32-bit copy."""
    words = text.lower()
    return any(word in words for word in ("true", "pure", "stochastic", "bfloat16"))


def is_lightning(text: str) -> bool:
    """Whether a precision is spelled as Lightning does: bf16-true, bnb.nf4."""
    return text.lower().startswith(("bnb.", "bf16-", "16-", "32-"))


def optimizer_word(text: str) -> str:
    """Optimizer of the scenario that a text means; AdamW where it is blank."""
    words = text.lower()
    if "8-bit" in words or "8bit" in words:
        return "adam8bit"
    if "4-bit" in words or "4bit" in words:
        return "adam4bit"
    for word in ("adafactor", "muon", "sgd"):
        if word in words:
            return word
    return "adamw"


METHODS = {
    "pretrain": "pretrain",
    "full_ft": "full",
    "full": "full",
    "lora": "lora",
    "qlora": "qlora",
}

STAGES = {
    "none": 0.0,
    "zero0": 0.0,
    "ddp": 0.0,
    "zero1": 1.0,
    "zero2": 2.0,
    "zero3": 3.0,
    "fsdp": 3.0,
    "hsdp": 3.0,
}


def recompute_word(text: str) -> str:
    """What is worked out anew, a word of `recompute_passes`; empty where a text does not say.

    Examples
    --------
    >>> recompute_word("Full (uniform)"), recompute_word("off"), recompute_word("custom")
    ('full', 'none', '')
    """
    words = text.lower().strip()
    if words in ("no", "off", "false"):
        return "none"
    return next((word for word in ("selective", "full", "none") if word in words), "")


def sharding_stage(text: str) -> float | None:
    """ZeRO stage that a text means; None where it says nothing of it."""
    return STAGES.get(text.lower().strip(" ?"))


def is_layer_split(text: str) -> bool:
    """Whether layers lie on devices one after the other, which then work one at a time."""
    return "device_map" in text.lower()
