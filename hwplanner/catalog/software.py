"""Whether a device has the software for a job, and which engine class describes it.

Rests on the statements of `software_support.csv`, and on the `frameworks` and
`training_supported` columns of the catalogue for whether an engine is there at all.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from hwplanner.catalog.device import DeviceArrays, Support
from hwplanner.catalog.software_support import (
    CACHE_FORMATS,
    RANKS,
    DeviceKind,
    Statement,
    Status,
    load_software_support,
    table_format,
)
from hwplanner.scenario import Job

# How the frameworks column names each engine: the exact name, or a port such as "vllm(tt)".
ENGINE_FRAMEWORKS = {
    "vllm": ("vllm",),
    "trtllm": ("tensorrt-llm",),
    "sglang": ("sglang",),
    "llamacpp": ("llama.cpp", "ollama"),
}
ENGINE_NAMES = {
    "vllm": "vLLM",
    "trtllm": "TensorRT-LLM",
    "sglang": "SGLang",
    "llamacpp": "llama.cpp",
    "vendor": "the vendor's own software",
}
TRAINING_NAMES = {
    "pytorch": "PyTorch",
    "megatron": "Megatron",
    "deepspeed": "DeepSpeed",
    "jax": "JAX",
    "nxd": "NxD Training",
    "optimum-habana": "Optimum Habana",
    "mindspore": "MindSpore",
    "mlx": "MLX",
}
# Efficiencies of a vendor's own engine, or of a port built on it, by device class; that of AMD and
# of Intel's cards is a build of vLLM.
VENDOR_ENGINES = {
    "gaudi": "habana",
    "aws": "neuron",
    "tpu": "tpu",
    "tt": "tt",
    "mi": "vllm",
    "radeon": "vllm",
    "arc": "vllm",
}


def software_name(engine: str) -> str:
    """Name of a serving engine or training framework on the screen.

    Examples
    --------
    >>> software_name("trtllm"), software_name("jax")
    ('TensorRT-LLM', 'JAX')
    """
    return ENGINE_NAMES.get(engine) or TRAINING_NAMES[engine]


@cache
def serving_framework(frameworks: tuple[str, ...], engine: str) -> str | None:
    """Name under which the catalogue lists an engine for a device; None if it does not."""
    if engine == "vendor":
        return frameworks[0] if frameworks else None
    for name in ENGINE_FRAMEWORKS[engine]:
        for framework in frameworks:
            if framework == name or framework.startswith((f"{name}(", f"{name}-")):
                return framework
    return None


@cache
def efficiency_engine(frameworks: tuple[str, ...], efficiency_class: str, engine: str) -> str:
    """Engine class whose measured efficiencies describe an engine on a device.

    A port ("vllm-tpu", "vllm(tt)") runs on the vendor's kernels and is taken as the vendor's own.
    """
    framework = serving_framework(frameworks, engine)
    is_port = framework not in ENGINE_FRAMEWORKS.get(engine, ())
    if engine != "vendor" and not (is_port and efficiency_class in VENDOR_ENGINES):
        return engine
    own = "trtllm" if "tensorrt-llm" in frameworks else "other"
    return VENDOR_ENGINES.get(efficiency_class, own)


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether software runs a job on a device, in which format, and who says so."""

    status: Status
    engine: str
    number_format: str
    statement: Statement | None = None


@cache
def serving_support(
    device: DeviceKind,
    frameworks: tuple[str, ...],
    engine: str,
    weight_format: str,
    cache_format: str,
) -> Finding:
    """Say whether an engine serves weights and cache of these formats on a device.

    The worse of the two counts. An engine that neither the catalogue nor a statement knows for
    the device does not run; of one that is known, a format that no source speaks of is unknown.
    """
    name = _table_engine(frameworks, device[2], engine)
    weights = _found(name, device, table_format(weight_format), "serving")
    runs = RANKS[weights.status] > RANKS["unknown"]
    if serving_framework(frameworks, engine) is None and not runs:
        return Finding("no", name, weights.number_format, weights.statement)
    if cache_format not in CACHE_FORMATS:
        return weights
    return _worst((weights, _found(name, device, CACHE_FORMATS[cache_format], "serving")))


@cache
def training_support(device: DeviceKind, training_precision: str) -> Finding:
    """Say whether some framework trains in a precision on a device: what the best of them does."""
    found = [
        _found(name, device, training_precision, "training")
        for name in load_software_support().training_engines
    ]
    told = [finding for finding in found if finding.statement is not None]
    return max(told, key=lambda finding: RANKS[finding.status], default=found[0])


def _found(engine: str, device: DeviceKind, number_format: str, job: Job) -> Finding:
    statement = load_software_support().find(engine, device, number_format, job)
    return Finding(statement.status if statement else "unknown", engine, number_format, statement)


def _worst(findings: Iterable[Finding]) -> Finding:
    return min(findings, key=lambda finding: RANKS[finding.status])


def _table_engine(frameworks: tuple[str, ...], efficiency_class: str, engine: str) -> str:
    """Name under which the table knows an engine: the vendor's own may be one of the others."""
    if engine != "vendor":
        return engine
    if "tensorrt-llm" in frameworks:
        return "trtllm"
    return "vllm" if VENDOR_ENGINES.get(efficiency_class) == "vllm" else "vendor"


def device_kinds(devices: DeviceArrays) -> tuple[DeviceKind, ...]:
    """How the table of software finds each device."""
    return tuple(zip(devices.ids, devices.family, devices.efficiency_class, strict=True))


def serves(
    devices: DeviceArrays, engine: str, *, weight_format: str, cache_format: str
) -> NDArray[np.bool_]:
    """Whether an engine is there for each device and not known to lack a format."""
    return _serves(
        device_kinds(devices),
        devices.frameworks,
        devices.inference_supported,
        engine,
        weight_format,
        cache_format,
    )


@lru_cache(maxsize=256)
def _serves(
    kinds: tuple[DeviceKind, ...],
    frameworks: tuple[tuple[str, ...], ...],
    supported: tuple[Support, ...],
    engine: str,
    weight_format: str,
    cache_format: str,
) -> NDArray[np.bool_]:
    return np.array(
        [
            support != "no"
            and serving_support(kind, listed, engine, weight_format, cache_format).status != "no"
            for kind, listed, support in zip(kinds, frameworks, supported, strict=True)
        ]
    )


def trains(devices: DeviceArrays, training_precision: str) -> NDArray[np.bool_]:
    """Whether each device trains at all and no source denies it the precision."""
    return _trains(device_kinds(devices), devices.training_supported, training_precision)


@lru_cache(maxsize=256)
def _trains(
    kinds: tuple[DeviceKind, ...], supported: tuple[Support, ...], training_precision: str
) -> NDArray[np.bool_]:
    return np.array(
        [
            support != "no" and training_support(kind, training_precision).status != "no"
            for kind, support in zip(kinds, supported, strict=True)
        ]
    )


def engines_of(devices: DeviceArrays, engine: str) -> tuple[str, ...]:
    """Efficiency class of an engine on each device."""
    return tuple(
        efficiency_engine(frameworks, efficiency_class, engine)
        for frameworks, efficiency_class in zip(
            devices.frameworks, devices.efficiency_class, strict=True
        )
    )


def training_frameworks(frameworks: tuple[str, ...]) -> tuple[str, ...]:
    """Frameworks of a device that can train: PyTorch, JAX and what builds on them."""
    known = ("pytorch", "jax", "nxd", "optimum-habana", "mindspore", "mlx")
    return tuple(name for name in frameworks if name.startswith(known))
