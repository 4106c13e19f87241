"""Devices with round figures, for tests that work them out by hand."""

from hwplanner.catalog.device import Device, DeviceArrays, device_arrays
from hwplanner.units import GIB

ROUND = {
    "id": "round",
    "name": "Round",
    "vendor": "Nobody",
    "family": "Round",
    "form_factor": "SXM",
    "release_date": "2026",
    "segment": "datacenter",
    "shortlist": True,
    "efficiency_class": "hopper",
    "memory_bytes": 80 * GIB,
    "usable_memory_bytes": 80 * GIB,
    "usable_memory_basis": "measured",
    "memory_type": "HBM3",
    "memory_kind": "hbm",
    "memory_bandwidth_bytes_per_s": 3e12,
    "fp64_flop_per_s": None,
    "fp32_flop_per_s": 60e12,
    "tf32_flop_per_s": None,
    "fp16_flop_per_s": 1000e12,
    "bf16_flop_per_s": 1000e12,
    "fp8_flop_per_s": 2000e12,
    "fp6_flop_per_s": None,
    "fp4_flop_per_s": None,
    "int8_flop_per_s": 2000e12,
    "int4_flop_per_s": None,
    "cache_bytes": None,
    "tdp_watts": 700,
    "devices_per_server": 8,
    "link_class": "nvlink",
    "scale_up_link": "NVLink",
    "link_bytes_per_s": 450e9,
    "pairwise_link_bytes_per_s": None,
    "scale_up_domain": 8,
    "host_link": "PCIe 5.0 x16",
    "host_link_bytes_per_s": 64e9,
    "scale_out_bytes_per_s": 50e9,
    "training_supported": "yes",
    "inference_supported": "yes",
    "software_stack": "CUDA",
    "frameworks": ("pytorch", "vllm"),
    "confidence": "high",
    "note": "",
}
NO_FAST_LINK = {"link_class": "pcie", "link_bytes_per_s": None, "scale_up_domain": 1}


def device(**changes: object) -> Device:
    """A module for servers of eight, with changes."""
    return Device.model_validate(ROUND | changes)


def arrays(*several: dict[str, object]) -> DeviceArrays:
    """Devices that differ from the round one as given; one unchanged if nothing is given."""
    return device_arrays([device(**changes) for changes in several or ({},)])
