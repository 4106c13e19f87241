"""Facts about the shipped catalogue: what it must hold, and figures that traps have changed."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from hwplanner.catalog.catalog import DATA_DIR, FORMATS, Device, check_catalog, load_catalog
from hwplanner.files.columns import last_day
from hwplanner.files.csv_files import shipped_dictionary

CATALOG = load_catalog()

# Texts of ours and classifications need no witness; every other column is a figure.
NO_FIGURE = {
    *("device_id", "name", "vendor", "family", "form_factor", "segment", "shortlist"),
    *("efficiency_class", "memory_kind", "cache_mb", "link_class", "confidence", "note"),
}


def device_rows() -> list[dict[str, str]]:
    with (DATA_DIR / "devices.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_all_devices_are_there_and_about_two_dozen_are_compared_by_default() -> None:
    assert len(CATALOG.devices) == 140
    assert len(CATALOG.shortlist) == 24


@pytest.mark.parametrize("row", device_rows(), ids=lambda row: row["device_id"])
def test_every_figure_has_a_witness_of_the_same_value(row: dict[str, str]) -> None:
    figures = {name: text for name, text in row.items() if name not in NO_FIGURE and text}
    witnessed = {
        source.column: source.value
        for source in CATALOG.sources
        if source.device_id == row["device_id"]
    }
    assert witnessed == figures


def test_a_witness_without_a_title_says_what_it_rests_on() -> None:
    for source in CATALOG.sources:
        told = source.title or source.note
        assert told, source
        assert source.title or source.kind in ("memory", "unsourced", "derived"), source


@pytest.mark.parametrize("device", CATALOG.shortlist, ids=lambda device: device.id)
def test_a_device_of_the_shortlist_has_what_a_plan_needs(device: Device) -> None:
    assert device.memory_bandwidth_bytes_per_s is not None
    assert device.bf16_flop_per_s is not None
    assert device.tdp_watts is not None
    assert device.devices_per_server is not None
    assert device.scale_up_domain == 1 or device.link_bytes_per_s is not None
    assert device.inference_supported == "yes"
    assert device.efficiency_class != "other"


def test_every_device_of_the_shortlist_has_a_price() -> None:
    without = [
        device.id
        for device in CATALOG.shortlist
        if not any(price.use for price in CATALOG.prices_for(device.id))
    ]
    assert without == []


def test_usable_memory_is_what_drivers_report() -> None:
    gib = {
        device.id: device.usable_memory_bytes / 2**30
        for device in CATALOG.devices
        if device.usable_memory_basis == "measured"
    }
    assert len(gib) == 23
    assert gib["nvidia-h100-sxm"] == pytest.approx(79.22)
    assert gib["nvidia-l40s"] == pytest.approx(45.0)
    assert gib["nvidia-b200-sxm"] == pytest.approx(178.35)
    assert gib["nvidia-dgx-spark-gb10"] == pytest.approx(102.2)


@pytest.mark.parametrize(
    ("device_id", "number_format", "teraflops"),
    [
        ("nvidia-h100-sxm", "bf16", 989.4),  # sheets print 1979, with sparsity
        ("nvidia-l4", "bf16", 121),  # 242 with sparsity
        ("nvidia-rtx-4090", "bf16", 165.2),  # 330 with FP16 accumulation
        ("nvidia-b300-sxm", "int8", 153.5),  # cut hard against B200's 4500
        ("intel-gaudi3-oam", "bf16", 1678),  # 1835 at a clock that does not ship
        ("google-tpu-v5e", "int8", 393),
        ("amd-mi355x", "fp4", 10066.3),
    ],
)
def test_peaks_are_dense_and_those_that_ship(
    device_id: str, number_format: str, teraflops: float
) -> None:
    peak = CATALOG.device(device_id).peak_flop_per_s(number_format)
    assert peak == pytest.approx(teraflops * 1e12, rel=2e-3)


def test_links_are_per_direction_and_meshes_know_their_pairs() -> None:
    assert CATALOG.device("nvidia-h100-sxm").link_bytes_per_s == 450e9
    assert CATALOG.device("nvidia-h100-sxm").pairwise_link_bytes_per_s is None
    mi300x = CATALOG.device("amd-mi300x")
    assert mi300x.link_bytes_per_s == 7 * 64e9
    assert mi300x.pairwise_link_bytes_per_s == 64e9
    ironwood = CATALOG.device("google-tpu-v7")
    assert (ironwood.link_bytes_per_s, ironwood.pairwise_link_bytes_per_s) == (600e9, 100e9)


def test_lower_precision_is_never_slower_where_tensor_units_have_it() -> None:
    slower = [
        device.id
        for device in CATALOG.devices
        if (device.fp8_flop_per_s or 1e30) < (device.bf16_flop_per_s or 0)
    ]
    assert slower == []


def test_every_rate_of_the_arrays_is_a_column_of_the_file() -> None:
    columns = {column.name for column in shipped_dictionary()["devices.csv"]}
    rates = {f"{name}_{'tops' if name.startswith('int') else 'tflops'}" for name in FORMATS}
    assert rates <= columns


def test_a_device_without_a_link_has_no_domain() -> None:
    for device in CATALOG.devices:
        if device.link_class in ("pcie", "none"):
            assert device.scale_up_domain == 1, device.id


def test_all_price_points_are_there_and_none_is_zero() -> None:
    assert len(CATALOG.prices) == 337
    assert min(price.usd for price in CATALOG.prices) > 0
    assert Counter(price.kind for price in CATALOG.prices) == {
        "on_demand": 132,
        "purchase": 107,
        "spot": 50,
        "reserved": 48,
    }


def test_a_price_that_is_not_used_says_why() -> None:
    left_out = [price for price in CATALOG.prices if not price.use]
    assert all(price.note.startswith("not used: ") for price in left_out)
    assert 0 < len(left_out) < 20


def test_no_used_spot_price_is_above_on_demand_of_the_same_provider_and_day() -> None:
    on_demand: dict[tuple[str, str, str], float] = {}
    for price in CATALOG.prices:
        key = (price.device_id, price.provider, price.date)
        if price.kind == "on_demand":
            on_demand[key] = max(price.usd, on_demand.get(key, 0))
    for price in CATALOG.prices:
        if price.kind == "spot" and price.use:
            key = (price.device_id, price.provider, price.date)
            assert price.usd <= on_demand.get(key, price.usd), price


def test_hyperscalers_and_neoclouds_are_different_markets() -> None:
    markets: dict[str, set[str]] = {}
    for price in CATALOG.prices:
        if price.kind != "purchase":
            markets.setdefault(price.market, set()).add(price.provider)
    assert markets["hyperscaler"] == {"AWS", "Azure", "GCP", "OCI"}
    assert markets["marketplace"] == {"Vast.ai", "SF Compute"}
    assert markets["estimate"] == {"SemiAnalysis model"}
    assert set(markets) == {"hyperscaler", "marketplace", "neocloud", "estimate"}


def test_the_catalogue_date_is_that_of_its_newest_fact() -> None:
    assert CATALOG.date == "2026-11-30"
    dates = [item.date for item in (*CATALOG.sources, *CATALOG.prices) if item.date]
    assert max(last_day(date) for date in dates if len(date) == 10).isoformat() == CATALOG.date


@pytest.mark.parametrize("path", sorted(DATA_DIR.glob("*.csv")), ids=lambda path: path.name)
def test_every_shipped_file_passes_the_check(path: Path) -> None:
    assert check_catalog(path, today=last_day(load_catalog().date)) == []
