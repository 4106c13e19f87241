import pytest

from hwplanner.assumptions import load_assumptions
from hwplanner.catalog.catalog import device_arrays, load_catalog
from hwplanner.catalog.software import (
    ENGINE_FRAMEWORKS,
    efficiency_engine,
    engines_of,
    serves,
    serving_framework,
)
from tests.devices import arrays


@pytest.mark.parametrize(
    ("listed", "engine", "found"),
    [
        (("pytorch", "vllm"), "vllm", "vllm"),
        (("jax", "vllm-tpu"), "vllm", "vllm-tpu"),
        (("tt-nn", "vllm(tt)"), "vllm", "vllm(tt)"),
        (("pytorch", "ollama"), "llamacpp", "ollama"),
        (("mlx", "pytorch"), "vendor", "mlx"),
        (("pytorch",), "vllm", None),
        ((), "vendor", None),
        (("vllmish",), "vllm", None),
    ],
)
def test_a_framework_counts_under_its_name_or_as_a_port(
    listed: tuple[str, ...], engine: str, found: str | None
) -> None:
    assert serving_framework(listed, engine) == found


@pytest.mark.parametrize(
    ("listed", "efficiency_class", "engine", "described_by"),
    [
        (("vllm",), "hopper", "vllm", "vllm"),
        (("tensorrt-llm", "vllm"), "hopper", "vendor", "trtllm"),
        (("vllm-tpu",), "tpu", "vllm", "tpu"),
        (("vllm",), "gaudi", "vllm", "vllm"),
        (("vllm",), "gaudi", "vendor", "habana"),
        (("pytorch", "vllm"), "mi", "vendor", "vllm"),
        (("vllm(cpu)",), "cpu", "vllm", "vllm"),
        (("mlx",), "apple", "vendor", "other"),
    ],
)
def test_a_port_is_as_quick_as_its_vendor_s_engine(
    listed: tuple[str, ...], efficiency_class: str, engine: str, described_by: str
) -> None:
    assert efficiency_engine(listed, efficiency_class, engine) == described_by


def test_support_is_listed_and_not_refused() -> None:
    several = arrays({}, {"frameworks": ("pytorch",)}, {"inference_supported": "no"})
    found = serves(several, "vllm", weight_format="bf16", cache_format="bf16")
    assert found.tolist() == [True, False, False]


@pytest.mark.parametrize("engine", [*ENGINE_FRAMEWORKS, "vendor"])
def test_every_engine_of_the_catalogue_has_its_efficiencies(engine: str) -> None:
    devices = device_arrays(load_catalog().devices)
    for name in ("bandwidth", "prefill", "layer_seconds"):
        known = load_assumptions().keys(f"engine_factor_{name}")
        assert set(engines_of(devices, engine)) <= set(known)
