"""The table of software: narrow rows win, silence is unknown, a broken table is refused."""

from pathlib import Path

import pytest

from hwplanner.catalog.catalog import DATA_DIR, load_catalog
from hwplanner.catalog.software import serving_support, training_support
from hwplanner.catalog.software_support import (
    RANKS,
    SoftwareSupport,
    Statement,
    family_names,
    load_software_support,
    table_format,
)
from hwplanner.data_check import check_catalog
from hwplanner.errors import CatalogError

HEADER = "engine,families,formats,job,status,since,note,source,address,date\n"
H100 = ("nvidia-h100-sxm", "Hopper", "hopper")
LISTED = ("pytorch", "vllm", "tensorrt-llm")


def statement(families: tuple[str, ...], status: str) -> Statement:
    return Statement(
        engine="vllm",
        families=families,
        formats=("fp8",),
        job="serving",
        status=status,
        since="",
        note="",
        source="a page",
        address="https://docs.example.org/a/page",
        date="2026-11",
    )


def test_a_device_beats_its_class_and_a_class_its_family() -> None:
    rows = (
        statement(("Blackwell",), "yes"),
        statement(("Blackwell/gddr",), "limited"),
        statement(("card",), "no"),
    )
    support = SoftwareSupport(rows)
    found = [
        support.find("vllm", device, "fp8", "serving").status
        for device in (
            ("module", "Blackwell", "blackwell"),
            ("other", "Blackwell", "gddr"),
            ("card", "Blackwell", "gddr"),
        )
    ]
    assert found == ["yes", "limited", "no"]
    assert support.find("vllm", ("card", "Blackwell", "gddr"), "int8", "serving") is None
    assert support.find("vllm", ("card", "Blackwell", "gddr"), "fp8", "training") is None
    assert rows[0].witness == "docs.example.org, 2026-11"


@pytest.mark.parametrize(
    ("weights", "cache", "status", "of"),
    [
        ("fp8", "bf16", "yes", "fp8"),
        ("fp8", "fp8", "yes", "fp8"),
        ("fp8", "int8", "unknown", "kv_int8"),
        ("q4_k_m", "bf16", "yes", "gguf"),
        ("nvfp4", "fp8", "limited", "nvfp4"),
        ("fp32", "bf16", "unknown", "fp32"),
    ],
)
def test_the_worse_of_weights_and_cache_counts(
    weights: str, cache: str, status: str, of: str
) -> None:
    found = serving_support(H100, LISTED, "vllm", weights, cache)
    assert (found.status, found.number_format) == (status, of)


def test_an_engine_that_nobody_names_for_a_device_does_not_run() -> None:
    assert serving_support(H100, ("pytorch",), "llamacpp", "int8", "bf16").status == "limited"
    assert serving_support(("x", "X", "x"), ("pytorch",), "vllm", "fp8", "bf16").status == "no"
    assert serving_support(("x", "X", "x"), ("vllm",), "vllm", "fp8", "bf16").status == "unknown"


def test_the_best_framework_counts_in_training() -> None:
    found = training_support(H100, "fp8")
    assert (found.status, found.statement is not None) == ("yes", True)
    assert training_support(("x", "Ampere", "a100"), "fp8").status == "no"
    assert training_support(("x", "X", "x"), "bf16").status == "unknown"


def test_a_vendor_s_engine_may_be_one_of_the_others() -> None:
    a100 = ("a100", "Ampere", "a100")
    assert serving_support(a100, LISTED, "vendor", "fp8", "bf16").engine == "trtllm"
    mi300x = ("amd-mi300x", "CDNA 3", "mi")
    assert serving_support(mi300x, ("pytorch", "vllm"), "vendor", "fp8", "bf16").status == "yes"


def test_the_shipped_table_knows_its_families_and_brings_its_sources() -> None:
    kinds = [(d.id, d.family, d.efficiency_class) for d in load_catalog().devices]
    known = family_names(kinds)
    statements = load_software_support().statements
    assert {one.job for one in statements} == {"serving", "training"}
    assert {one.status for one in statements} == set(RANKS)
    for one in statements:
        assert set(one.families) <= known
        assert one.address.startswith("https://")
        assert one.note or one.status != "limited", one
    assert check_catalog(DATA_DIR / "software_support.csv") == []


def test_every_gguf_file_is_read_alike() -> None:
    assert {table_format(name) for name in ("q8_0", "q6_k", "q5_k_m", "q4_0")} == {"gguf"}


def test_a_case_stated_twice_and_a_family_of_no_device_are_named(tmp_path: Path) -> None:
    row = "vllm,{},fp8;int8,serving,yes,,,a page,https://example.org,2026-11\n"
    file = tmp_path / "software_support.csv"
    file.write_text(HEADER + row.format("Hopper") + row.format("Ampere;Hopper"), encoding="utf-8")
    with pytest.raises(CatalogError, match="line 3, vllm: fp8 on Hopper repeats line 2"):
        load_software_support(file)
    file.write_text(HEADER + row.format("Hoper"), encoding="utf-8")
    (fault,) = check_catalog(file)
    assert "line 2, vllm: no device is of family 'Hoper'" in fault
