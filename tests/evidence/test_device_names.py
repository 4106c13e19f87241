"""Devices by the names of the published world: known to the letter, or not at all."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.catalog.catalog import load_catalog
from hwplanner.data_check import check_catalog
from hwplanner.evidence.device_names import resolve_device, resolve_system, unknown_device
from hwplanner.files.csv_files import DATA_DIR


@pytest.mark.parametrize(
    ("text", "device_id"),
    [
        ("H100", "nvidia-h100-sxm"),
        ("NVIDIA H100 80GB HBM3", "nvidia-h100-sxm"),
        ("NVIDIA H100 Tensor Core GPU", "nvidia-h100-sxm"),
        ("H100-PCIe-80GB", "nvidia-h100-pcie"),
        ("H100 NVL", "nvidia-h100-nvl"),
        ("H100 94GB", "nvidia-h100-nvl"),
        ("H100-96GB-500W", "nvidia-h100-96-hbm2e"),
        ("NVIDIA A100-SXM4-40GB", "nvidia-a100-40-sxm"),
        ("A100-80", "nvidia-a100-80-sxm"),
        ("A100 PCIe 40 GB", "nvidia-a100-40-pcie"),
        ("A10G 24GB", "nvidia-a10g"),
        ("Tesla V100-SXM2-16GB", "nvidia-v100-16-sxm"),
        ("GeForce RTX 4070 Ti SUPER", "nvidia-rtx-4070-ti-super"),
        ("RTXA5000-24GB", "nvidia-rtx-a5000"),
        ("NVIDIA RTX 6000 Ada Generation", "nvidia-rtx-6000-ada"),
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "nvidia-rtx-pro-6000-maxq"),
        ("GH200 (480GB Grace, 96GB HBM3)", "nvidia-gh200-96"),
        ("GH200 144G HBM3e", "nvidia-gh200-144"),
        ("GB200 NVL72", "nvidia-gb200-nvl72"),
        ("GB200 NVL4", "nvidia-gb200-nvl4"),
        ("DGX Spark / GB10 128GB", "nvidia-dgx-spark-gb10"),
        ("MI250X (one GCD, 64GB)", "amd-mi250x-gcd"),
        ("AMD Instinct MI300X OAM", "amd-mi300x"),
        ("AMD Ryzen AI MAX+ 395 w/ Radeon 8060S", "amd-strix-halo-395"),
        ("Gaudi-2", "intel-gaudi2"),
        ("TPU v5 lite", "google-tpu-v5e"),
        ("Trillium", "google-tpu-v6e"),
        ("Trainium 2", "aws-trainium2"),
        ("Mac Studio M3 Ultra 512GB", "apple-m3-ultra"),
        ("Apple M3 Max (40-core GPU) 64GB", "apple-m3-max-40"),
        ("Ascend910B", "huawei-ascend-910b"),
        ("Wormhole n300 (QuietBox)", "tenstorrent-n300"),
    ],
)
def test_spellings_of_one_device(text: str, device_id: str) -> None:
    match = resolve_device(text)
    assert match is not None
    assert (match.device_id, match.devices_each) == (device_id, 1.0)


@pytest.mark.parametrize(
    "text",
    [
        "", "GPU", "H1000", "H100 64GB", "A100 64GB", "RTX 4090 Laptop GPU", "RTX_4090_Laptop",
        "RTX 4090 Mobile", "not stated (80 GB class)", "ROCm GPU", "16 GB GPU",
        "Apple M3 Max (30-core GPU) 36GB", "H20 141GB", "MI300", "V100 64GB",
    ],
)  # fmt: skip
def test_what_is_not_known_to_the_letter_is_not_known(text: str) -> None:
    assert resolve_device(text) is None


@pytest.mark.parametrize(
    ("text", "devices"),
    [("2x Intel Xeon 6980P", 2), ("Intel Arc Pro B60 Dual 48GB", 2), ("H100", 1)],
)
def test_one_that_is_named_may_hold_several(text: str, devices: int) -> None:
    match = resolve_device(text)
    assert match is not None
    assert match.devices(1) == devices
    assert match.devices(3) == 3 * devices


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("8xH100", 8), ("8x H100 80GB (thread)", 8), ("B200 (8x)", 8), ("L40S x4", 4),
        ("8 GPUs (H200 class)", 8), ("DGX H100", 8), ("p5.48xlarge", 8), ("a3-highgpu-8g", 8),
        ("inf2.48xlarge", 12), ("trn1.32xlarge", 16), ("TPU v6e-8", 8), ("H100", None),
    ],
)  # fmt: skip
def test_a_name_may_count_devices(text: str, named: int | None) -> None:
    match = resolve_device(text)
    assert match is not None
    assert match.devices_named == named


def test_devices_of_a_row_count_unless_the_model_needs_more() -> None:
    match = resolve_device("p5.48xlarge")
    assert match is not None
    assert match.devices(None) == 8
    assert match.devices(8, parallel=8) == 8
    assert match.devices(1, parallel=1) == 1
    assert match.devices(2, parallel=16) == 16


@pytest.mark.parametrize(
    ("text", "watts", "memory_gib"),
    [
        ("A100 SXM 80GB (330 W limit)", 330.0, 80.0),
        ("H100-96GB-500W", 500.0, 96.0),
        ("H100 80GB (79.22 GiB usable)", None, 79.22),
        ("RTX 4090", None, None),
    ],
)
def test_power_cap_and_memory_are_read(
    text: str, watts: float | None, memory_gib: float | None
) -> None:
    match = resolve_device(text)
    assert match is not None
    assert (match.power_cap_watts, match.memory_gib) == (watts, memory_gib)


@pytest.mark.parametrize(
    ("text", "device_id", "named"),
    [
        ("8xMI300X_2xEPYC_9575F", "amd-mi300x", 8),
        ("DGX-H100_H100-SXM-80GBx16_TRT", "nvidia-h100-sxm", 16),
        ("GH200-GraceHopper-Superchip_GH200-144GB_aarch64x1_TRT", "nvidia-gh200-144", 1),
        ("1-node-4x-BMG-Pro-B60-Dual", "intel-arc-pro-b60", 4),
        ("32xMI355X-PollaraCluster-EPYC9575F", "amd-mi355x", 32),
    ],
)
def test_systems_of_mlperf(text: str, device_id: str, named: int) -> None:
    match = resolve_system(text)
    assert match is not None
    assert (match.device_id, match.devices_named) == (device_id, named)


def test_every_device_of_the_catalogue_is_found_by_id_and_name() -> None:
    twice = {"intel-arc-pro-b60-dual": "intel-arc-pro-b60"}  # a card of two others
    with (DATA_DIR / "devices.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for text in (row["device_id"], row["name"]):
                match = resolve_device(text)
                assert match is not None, text
                assert match.device_id == twice.get(row["device_id"], row["device_id"]), text


@given(
    device=st.sampled_from([device.name for device in load_catalog().devices]),
    vendor=st.sampled_from(["", "NVIDIA ", "AMD Instinct ", "Intel(R) "]),
    count=st.integers(2, 64),
    upper=st.booleans(),
)
def test_vendor_case_and_count_change_nothing(
    device: str, vendor: str, count: int, upper: bool
) -> None:
    plain = resolve_device(device)
    text = f"{count}x {vendor}{device}"
    spelled = resolve_device(text.upper() if upper else text)
    assert plain is not None
    assert spelled is not None
    assert spelled.device_id == plain.device_id


@given(st.text(max_size=40))
def test_any_text_is_known_or_refused_with_a_reason(text: str) -> None:
    if resolve_device(text) is None:
        assert unknown_device(text).startswith(("the device ", "no device "))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("H100,nvidia-h1000-sxm,,,,,", "device_id is 'nvidia-h1000-sxm'; write one of devices.csv"),
        ("H100,nvidia-h100-sxm,,80 GB,,,", "memory_gib has '80 GB'; write numbers of GiB"),
    ],
)
def test_a_faulty_name_is_told(tmp_path: Path, line: str, fault: str) -> None:
    path = tmp_path / "device_names.csv"
    header = "names,device_id,form_factors,memory_gib,devices_each,machine_devices,note"
    path.write_text(f"{header}\n{line}\n", encoding="utf-8")
    (found,) = check_catalog(path)
    assert fault in found
