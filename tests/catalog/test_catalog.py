"""Vendor units become base units, gaps stay gaps, and a broken catalogue is refused."""

import csv
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hwplanner.catalog.catalog import (
    DATA_DIR,
    Catalog,
    PricePoint,
    check_catalog,
    device_arrays,
    load_catalog,
)
from hwplanner.catalog.device import with_power_cap
from hwplanner.errors import CatalogError
from hwplanner.files.csv_files import shipped_dictionary
from tests.devices import arrays

DEVICE = {
    "device_id": "acme-one",
    "name": "One",
    "vendor": "Acme",
    "family": "First",
    "form_factor": "OAM",
    "release_date": "2026-03",
    "segment": "datacenter",
    "shortlist": "yes",
    "efficiency_class": "other",
    "memory_gib": "80",
    "memory_type": "HBM3",
    "memory_kind": "hbm",
    "memory_bandwidth_gb_per_s": "3350",
    "bf16_tflops": "989.4",
    "int8_tops": "1979",
    "tdp_w": "700",
    "devices_per_server": "8",
    "link_class": "fabric",
    "scale_up_link": "mesh",
    "link_gb_per_s_per_direction": "448",
    "pairwise_link_gb_per_s_per_direction": "64",
    "scale_up_domain": "8",
    "scale_out_gbit_per_s": "400",
    "training_supported": "limited",
    "inference_supported": "yes",
    "software_stack": "Acme",
    "frameworks": "pytorch;vllm",
    "confidence": "low",
}
SOURCE = {"device_id": "acme-one", "column": "tdp_w", "value": "700", "kind": "unsourced"}
RENT = {
    "device_id": "acme-one",
    "provider": "Cloud",
    "kind": "on_demand",
    "market": "neocloud",
    "usd_per_device_hour": "2.5",
    "date": "2026-09-17",
    "use": "yes",
    "source": "A page",
}


def write(path: Path, *rows: dict[str, str]) -> Path:
    """Write rows under the full header of a data file, with blanks for what they leave out."""
    with path.open("w", newline="") as file:
        header = [column.name for column in shipped_dictionary()[path.name]]
        writer = csv.DictWriter(file, header)
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def catalog_of(tmp_path: Path) -> Callable[..., Catalog]:
    """Load a catalogue of one device, one witness and one price with some cells changed."""

    def load(
        device: dict[str, str] | None = None,
        source: dict[str, str] | None = None,
        price: dict[str, str] | None = None,
    ) -> Catalog:
        write(tmp_path / "devices.csv", DEVICE | (device or {}))
        write(tmp_path / "device_sources.csv", SOURCE | (source or {}))
        write(tmp_path / "prices.csv", RENT | (price or {}))
        load_catalog.cache_clear()
        return load_catalog(tmp_path)

    return load


def test_vendor_units_become_base_units(catalog_of: Callable[..., Catalog]) -> None:
    device = catalog_of().device("acme-one")
    assert device.memory_bytes == 85_899_345_920  # 80 GiB, although the label says GB
    assert device.memory_bandwidth_bytes_per_s == 3.35e12
    assert device.peak_flop_per_s("bf16") == pytest.approx(9.894e14)
    assert device.int8_flop_per_s == pytest.approx(1.979e15)
    assert device.link_bytes_per_s == 4.48e11
    assert device.pairwise_link_bytes_per_s == 6.4e10
    assert device.scale_out_bytes_per_s == 5e10  # 400 Gbit/s are 50 GB/s
    assert device.tdp_watts == 700
    assert device.training_supported == "limited"
    assert device.frameworks == ("pytorch", "vllm")


def test_a_gap_is_none_and_nan_and_never_zero(catalog_of: Callable[..., Catalog]) -> None:
    device = catalog_of({"host_link_gb_per_s_per_direction": ""}).device("acme-one")
    assert device.host_link_bytes_per_s is None
    assert device.peak_flop_per_s("fp8") is None
    arrays = device_arrays([device])
    assert math.isnan(arrays.host_link_bytes_per_s[0])
    assert math.isnan(arrays.peak_flop_per_s["fp8"][0])


def test_measured_memory_goes_before_the_assumed_share(catalog_of: Callable[..., Catalog]) -> None:
    assumed = catalog_of().device("acme-one")
    assert assumed.usable_memory_basis == "assumed"
    assert assumed.usable_memory_bytes == pytest.approx(0.99 * 80 * 2**30)
    measured = catalog_of({"usable_memory_gib": "79.25"}).device("acme-one")
    assert measured.usable_memory_basis == "measured"
    assert measured.usable_memory_bytes == 79.25 * 2**30


def test_without_a_published_domain_a_device_stands_alone(
    catalog_of: Callable[..., Catalog],
) -> None:
    assert catalog_of({"scale_up_domain": ""}).device("acme-one").scale_up_domain == 1


def test_arrays_keep_the_order_and_the_figures_of_the_devices() -> None:
    devices = load_catalog().devices[::-1]
    arrays = device_arrays(devices)
    assert arrays.ids == tuple(device.id for device in devices)
    assert len(arrays) == len(devices)
    bf16 = [device.bf16_flop_per_s or math.nan for device in devices]
    np.testing.assert_array_equal(arrays.peak_flop_per_s["bf16"], bf16)
    with pytest.raises(ValueError, match="read-only"):
        arrays.tdp_watts[0] = 0


def test_prices_and_witnesses_are_found_by_device(catalog_of: Callable[..., Catalog]) -> None:
    catalog = catalog_of(source={"date": "2026-08-21"})
    (price,) = catalog.prices_for("acme-one")
    assert isinstance(price, PricePoint)
    assert (price.usd, price.use) == (2.5, True)
    assert catalog.prices_for("acme-two") == ()
    witness = catalog.source("acme-one", "tdp_w")
    assert witness is not None
    assert witness.kind == "unsourced"
    assert catalog.source("acme-one", "bf16_tflops") is None
    assert catalog.date == "2026-09-17"


def test_an_unknown_device_suggests_near_names() -> None:
    with pytest.raises(CatalogError, match="no device 'nvidia-h100-smx' .*'nvidia-h100-sxm'"):
        load_catalog().device("nvidia-h100-smx")


def test_a_negative_figure_is_named_with_its_remedy(catalog_of: Callable[..., Catalog]) -> None:
    with pytest.raises(CatalogError) as refused:
        catalog_of({"memory_gib": "-80"})
    assert str(refused.value) == (
        "devices.csv line 2, acme-one: memory_gib is '-80'; "
        "write a number of at least 0.05 and at most 20000"
    )


CONTRADICTIONS = {
    "more usable than there is": ({"usable_memory_gib": "81"}, "usable_memory_gib is 81, more"),
    "a pair faster than all links": (
        {"pairwise_link_gb_per_s_per_direction": "500"},
        "pairwise_link_gb_per_s_per_direction is 500, more than link_gb_per_s_per_direction 448",
    ),
    "a link speed without a link": (
        {"link_class": "pcie"},
        "link_gb_per_s_per_direction is '448' but link_class is 'pcie'",
    ),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_a_device_that_contradicts_itself(case: str, catalog_of: Callable[..., Catalog]) -> None:
    change, words = CONTRADICTIONS[case]
    with pytest.raises(CatalogError, match=f"devices.csv line 2, acme-one: {words}"):
        catalog_of(change)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"device_id": "acme-two"}, "device_id is 'acme-two'; write one of devices.csv"),
        ({"column": "speed"}, "column is 'speed'; write a column of devices.csv"),
        ({"value": "750"}, "value is '750'; devices.csv has '700', correct one"),
    ],
)
def test_a_witness_of_something_else(
    change: dict[str, str], words: str, catalog_of: Callable[..., Catalog]
) -> None:
    with pytest.raises(CatalogError, match=f"device_sources.csv line 2, .*{words}"):
        catalog_of(source=change)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"device_id": "acme-two"}, "device_id is 'acme-two'; write one of devices.csv"),
        ({"usd_per_device_hour": ""}, "usd_per_device_hour is blank; a price of kind on_demand"),
        ({"usd_per_device": "9"}, "usd_per_device is '9'; leave it blank for the kind on_demand"),
        (
            {"usd_per_device_hour": "0"},
            "usd_per_device_hour is '0'; write a number of at least 0.001",
        ),
        ({"usd_per_device_hour": "700"}, "usd_per_device_hour is '700'; .* at most 200"),
    ],
)
def test_a_price_that_cannot_be_meant(
    change: dict[str, str], words: str, catalog_of: Callable[..., Catalog]
) -> None:
    with pytest.raises(CatalogError, match=f"prices.csv line 2, .*: {words}"):
        catalog_of(price=change)


def test_a_purchase_has_its_price_per_device(catalog_of: Callable[..., Catalog]) -> None:
    purchase = {"kind": "purchase", "usd_per_device_hour": "", "usd_per_device": "30000"}
    assert catalog_of(price=purchase).prices[0].usd == 30_000


def test_checking_tells_the_file_by_its_header_whatever_its_name(tmp_path: Path) -> None:
    path = write(tmp_path / "devices.csv", DEVICE | {"memory_gib": "x"}, DEVICE | {"tdp_w": "-1"})
    renamed = path.rename(tmp_path / "mine.csv")
    assert check_catalog(renamed) == [
        "mine.csv line 2, acme-one: memory_gib is 'x'; "
        "write a number of at least 0.05 and at most 20000",
        "mine.csv line 3, acme-one: tdp_w is '-1'; "
        "write a number of at least 0.1 and at most 100000, or leave it blank if not published",
        "mine.csv line 3, acme-one: repeats line 2; keep one of the two",
    ]


def test_checking_looks_beyond_single_cells(tmp_path: Path) -> None:
    write(tmp_path / "devices.csv", DEVICE)
    prices = write(tmp_path / "prices.csv", RENT | {"usd_per_device_hour": ""})
    assert check_catalog(prices) == [
        "prices.csv line 2, acme-one: usd_per_device_hour is blank; "
        "a price of kind on_demand stands there"
    ]
    sources = write(tmp_path / "device_sources.csv", SOURCE | {"device_id": "acme-two"})
    assert "device_id is 'acme-two'" in check_catalog(sources)[0]


def test_prices_alone_are_held_against_the_shipped_devices(tmp_path: Path) -> None:
    prices = write(tmp_path / "prices.csv", RENT | {"device_id": "nvidia-h100-sxm"}, RENT)
    assert [fault.split(";")[0] for fault in check_catalog(prices)] == [
        "prices.csv line 3, acme-one: device_id is 'acme-one'"
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a,b,c\n1,2,3\n", "line 1: the columns fit none of"),
        (b"", "is empty"),
        (b"PK\x03\x04", "is a spreadsheet workbook"),
        (b'"device_id', "line 1: unexpected end of data"),
    ],
)
def test_checking_a_file_of_another_kind(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    (fault,) = check_catalog(path)
    assert fault.startswith(f"mine.csv {words}")


def test_checking_a_file_that_is_too_large_or_not_there(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="none.csv cannot be read: No such file or directory"):
        check_catalog(tmp_path / "none.csv")
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(11_000_000)
    assert check_catalog(path) == ["large.csv has 11.0 MB; the limit is 10 MB"]


def test_a_folder_with_a_spreadsheet_export_loads_the_same(tmp_path: Path) -> None:
    for name in ("device_sources.csv", "prices.csv"):
        shutil.copy(DATA_DIR / name, tmp_path)
    with (DATA_DIR / "devices.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    with (tmp_path / "devices.csv").open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    assert load_catalog(tmp_path).devices == load_catalog().devices


def test_a_power_cap_replaces_a_higher_rating_only() -> None:
    devices = arrays({"tdp_watts": 700.0}, {"tdp_watts": 72.0}, {"tdp_watts": None})
    capped = with_power_cap(devices, 500)
    assert capped.tdp_watts[:2].tolist() == [500, 72]
    assert capped.rated_watts[:2].tolist() == [700, 72]
    assert np.isnan(capped.tdp_watts[2])
    assert with_power_cap(devices, 0).tdp_watts[:2].tolist() == [700, 72]
    each = with_power_cap(devices, np.array([np.nan, 50.0, 100.0]))
    assert each.tdp_watts[:2].tolist() == [700, 50]
