"""Which engine class describes a published run: its efficiencies, memory rule and batching.

Runs name their engine in many spellings, often with the product around it. A name that is not
known here is not refused: it is taken as `other`, whose factors are wide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

V1_OF_VLLM = (0, 8)  # its engine was rewritten; the new one is the default since 0.8
V1_OF_VLLM_DATE = "2025-03"
GRAPHS_OF_LLAMACPP_DATE = "2024-08"  # it launches a step as one graph since
PYTORCH_OF_TRTLLM = (1, 0)  # compiled engines before, PyTorch since
PYTORCH_OF_TRTLLM_DATE = "2025-09"


@dataclass(frozen=True, slots=True)
class Engine:
    """How an engine is described.

    Attributes
    ----------
    key
        Class of its efficiencies, a key of `engine_factor_bandwidth`.
    memory
        Engine whose rule of cache capacity it follows, a key of `memory_utilization`.
    is_static
        Whether a batch starts and ends together, so that no prompt delays others' tokens.
    """

    key: str
    memory: str
    is_static: bool = False


# Words in the name, first match wins; the class where it is not told by generation.
_SPELLINGS: tuple[tuple[str, Engine], ...] = (
    ("neuronx", Engine("neuron", "vendor", is_static=True)),
    ("neuron", Engine("neuron_vllm", "vendor")),
    ("vllm tpu", Engine("tpu", "vllm")),
    ("tpu", Engine("tpu", "vendor")),
    ("jetstream", Engine("tpu", "vendor")),
    ("maxtext", Engine("tpu", "vendor")),
    ("sax", Engine("tpu", "vendor")),
    ("habana", Engine("habana", "vendor", is_static=True)),
    ("gaudi", Engine("habana", "vendor", is_static=True)),
    ("tt-metal", Engine("tt", "vendor")),
    ("tt-", Engine("tt", "vendor")),
    ("tenstorrent", Engine("tt", "vendor")),
    ("tensorrt", Engine("trtllm", "trtllm")),
    ("trt-llm", Engine("trtllm", "trtllm")),
    ("trtllm", Engine("trtllm", "trtllm")),
    ("nvidia nim", Engine("trtllm", "trtllm")),
    ("sglang", Engine("sglang", "sglang")),
    ("vllm", Engine("vllm", "vllm")),
    ("llmboost", Engine("vllm", "vllm")),
    ("llama.cpp", Engine("llamacpp", "llamacpp")),
    ("llamacpp", Engine("llamacpp", "llamacpp")),
    ("ollama", Engine("llamacpp", "llamacpp")),
    ("lm studio", Engine("llamacpp", "llamacpp")),
    ("koboldcpp", Engine("llamacpp", "llamacpp")),
    ("llamafile", Engine("llamacpp", "llamacpp")),
    ("gguf", Engine("llamacpp", "llamacpp")),
    ("mlx", Engine("llamacpp", "llamacpp")),
    ("gpt-fast", Engine("gptfast", "vendor", is_static=True)),
    ("mlc", Engine("mlc", "vendor")),
    ("exllama", Engine("exllama", "vendor")),
    ("tabbyapi", Engine("exllama", "vendor")),
    ("autoawq", Engine("transformers", "vendor", is_static=True)),
    ("transformers", Engine("transformers", "vendor", is_static=True)),
    ("turbomind", Engine("turbomind", "vllm")),
    ("lmdeploy", Engine("turbomind", "vllm")),
    ("fastertransformer", Engine("fastertransformer", "vendor", is_static=True)),
    ("text-generation-inference", Engine("other", "vllm")),
    ("tgi", Engine("other", "vllm")),
)
_OTHER = Engine("other", "vendor")

# What a device class runs where the engine is not named, or only a framework is.
_OF_DEVICE: dict[str, Engine] = {
    "gaudi": Engine("habana", "vendor", is_static=True),
    "aws": Engine("neuron", "vendor", is_static=True),
    "tpu": Engine("tpu", "vendor"),
    "tt": Engine("tt", "vendor"),
    "cpu": Engine("cpu", "vendor"),
    "apple": Engine("llamacpp", "llamacpp"),
    "mi": Engine("vllm", "vllm"),
    **dict.fromkeys(("a100", "hopper", "blackwell"), Engine("trtllm", "trtllm")),
}


def resolve_engine(*, name: str, version: str, date: str, device_class: str) -> Engine:
    """Find the class of an engine as a publication spells it.

    Parameters
    ----------
    name, version
        As published; either may be blank.
    date
        Date of the publication, year first.
    device_class
        Efficiency class of the device.

    Returns
    -------
    Engine
        Never fails; `other` for what is not known.

    Examples
    --------
    >>> resolve_engine(name="vLLM", version="0.6.x", date="", device_class="hopper").key
    'vllm_v0'
    """
    words = name.lower()
    if not words or words.startswith("pytorch"):
        found = _OF_DEVICE.get(device_class, _OTHER)
    else:
        found = next((engine for word, engine in _SPELLINGS if word in words), _OTHER)
    # A port runs on the kernels of the device's vendor.
    if device_class == "cpu":
        return Engine("cpu", found.memory)
    if found.key == "llamacpp" and date and date[:7] < GRAPHS_OF_LLAMACPP_DATE:
        return Engine("llamacpp_old", found.memory)
    if found.key == "vllm" and device_class in ("gaudi", "aws", "tpu", "tt"):
        return Engine(_PORTS[device_class], found.memory)
    if found.key == "vllm" and not _is_new(words, version, date, V1_OF_VLLM, V1_OF_VLLM_DATE):
        return Engine("vllm_v0", found.memory)
    if found.key == "trtllm" and not _is_new(
        "", version, date, PYTORCH_OF_TRTLLM, PYTORCH_OF_TRTLLM_DATE
    ):
        return Engine("trtllm_cpp", found.memory)
    return found


_PORTS = {"gaudi": "habana", "aws": "neuron_vllm", "tpu": "tpu", "tt": "tt"}


def _is_new(name: str, version: str, date: str, since: tuple[int, int], since_date: str) -> bool:
    """Whether a run uses the generation since a version, by its version or else its date."""
    text = version.lower()
    own = re.search(r"vllm[ -]v?(\d+)\.(\d+)", f"{name} {text}") or re.match(
        r"v?(\d+)\.(\d+)", text
    )
    if own and not text.startswith(("tensorrt", "cuda", "rocm", "pytorch", "nim")):
        return (int(own[1]), int(own[2])) >= since
    return date[:7] >= since_date if date else True
