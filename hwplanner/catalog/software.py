"""Whether a device has the software for a job, and which engine class describes it.

Rests on the `frameworks`, `software_stack` and `training_supported` columns of the catalogue.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from hwplanner.catalog.device import DeviceArrays

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


def serves(devices: DeviceArrays, engine: str) -> NDArray[np.bool_]:
    """Whether an engine is listed for each device."""
    return np.array(
        [
            serving_framework(frameworks, engine) is not None and support != "no"
            for frameworks, support in zip(
                devices.frameworks, devices.inference_supported, strict=True
            )
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
