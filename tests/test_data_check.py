"""Files that no single cell shows to be broken, each told in one printable line."""

import csv
import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hwplanner.data_check import check_catalog
from hwplanner.errors import CatalogError
from hwplanner.files.csv_files import DATA_DIR

TODAY = datetime.date(2026, 11, 30)
Cells = dict[str, str]


@pytest.fixture
def changed(tmp_path: Path) -> Callable[..., Path]:
    """Write the first rows of a shipped file, changed."""

    def write(name: str, change: Callable[[list[Cells]], object], rows: int = 2000) -> Path:
        with (DATA_DIR / name).open(newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))[:rows]
        change(lines)
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(lines[0]))
            writer.writeheader()
            writer.writerows(lines)
        return tmp_path / name

    return write


def set_cells(**cells: str) -> Callable[[list[Cells]], object]:
    """Change cells of the first row."""
    return lambda rows: rows[0].update(cells)


def silence(rows: list[Cells]) -> None:
    for row in rows[:168]:
        row["relative_load"] = "0"


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("demand.csv", lambda rows: rows.pop(5), "flat: 1 of 168 hours are missing"),
        ("demand.csv", silence, "flat: relative_load is 0 throughout"),
        ("demand.csv", set_cells(shape="mine"), "mine: the shape is not in demand_shapes.csv"),
        ("demand_shapes.csv", set_cells(shape="mine"), "flat: the shape is not in demand_shapes"),
        (
            "demand.csv",
            set_cells(hour_of_week="168"),
            "hour_of_week is '168'; write a whole",
        ),
        ("demand.csv", set_cells(hour_of_week="1"), "repeats line 2"),
        (
            "demand.csv",
            set_cells(relative_load="-1"),
            "relative_load is '-1'; write a number",
        ),
        ("demand.csv", set_cells(relative_load="nan"), "relative_load is 'nan'; write a number of"),
        ("demand_shapes.csv", set_cells(source=""), "source is blank; write a text"),
        ("demand_shapes.csv", set_cells(licence=""), "licence is blank; write a text"),
        ("demand_shapes.csv", set_cells(clock="CET"), "clock is 'CET'; write one of local, UTC"),
        ("demand_shapes.csv", set_cells(date="May"), "date is 'May'; write a date such as"),
        ("demand_shapes.csv", set_cells(date="2027"), "date is '2027', a day still to come"),
        ("models.csv", set_cells(heads="30", kv_heads="8"), "heads is 30; write a multiple of kv"),
        (
            "models.csv",
            set_cells(moe_layers="9", experts="8", experts_per_token="9", moe_ffn="64"),
            "experts_per_token is 9; write at most experts, 8",
        ),
        ("models.csv", set_cells(full_layers="33"), "layers are 33; write at most layers, 32"),
        ("models.csv", set_cells(ffn=""), "ffn is blank; write it, since dense_layers is 32"),
        ("models.csv", set_cells(name="Llama 2 13B"), "the name 'llama 2 13b' belongs to"),
        ("prices.csv", set_cells(date="2026-12-02"), "date is '2026-12-02', a day still to come"),
        ("device_sources.csv", set_cells(date="2027"), "date is '2027', a day still to come"),
        ("models.csv", set_cells(source_date="2027-01"), "source_date is '2027-01', a day still"),
        ("devices.csv", set_cells(memory_gib="1e-300"), "memory_gib is '1e-300'; write a number"),
        ("devices.csv", set_cells(tdp_w="1e-9"), "tdp_w is '1e-9'; write a number of at least"),
        ("devices.csv", set_cells(device_id="NVIDIA-V100-16-SXM"), "repeats line 2 in another"),
        ("devices.csv", set_cells(device_id="=cmd"), "device_id is '=cmd'; write a text that"),
    ],
)
def test_what_the_planner_would_refuse_is_a_fault(
    name: str, change: Callable[[list[Cells]], object], fault: str, changed: Callable[..., Path]
) -> None:
    faults = check_catalog(changed(name, change), today=TODAY)
    assert any(fault in found for found in faults), faults
    assert all(found.startswith(("demand.csv", name)) for found in faults)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("prices.csv", {"date": "2026-12-01"}),  # tomorrow here is today further east
        ("prices.csv", {"date": "2026"}),
        ("devices.csv", {"release_date": "2027-06"}),
        ("devices.csv", {"frameworks": "vllm;nobody-knows-it"}),
    ],
)
def test_what_is_no_fault(name: str, cells: Cells, changed: Callable[..., Path]) -> None:
    assert check_catalog(changed(name, set_cells(**cells)), today=TODAY) == []


def test_headers_in_capital_letters_are_asked_for_in_small_ones(
    changed: Callable[..., Path],
) -> None:
    path = changed("prices.csv", lambda rows: None)
    header, _, lines = path.read_text(encoding="utf-8").partition("\n")
    path.write_text(f"{header.upper()}\n{lines}", encoding="utf-8")
    faults = check_catalog(path)
    assert len(faults) == len(header.split(","))
    assert all(fault.endswith("has capital letters; use lower case") for fault in faults)


def test_a_broken_file_beside_is_named_with_its_path(changed: Callable[..., Path]) -> None:
    devices = changed("devices.csv", set_cells(memory_gib="x"))
    prices = changed("prices.csv", lambda rows: None)
    with pytest.raises(CatalogError) as error:
        check_catalog(prices)
    assert str(error.value).startswith(
        f"{prices} cannot be checked before {devices} is put right: devices.csv line 2, "
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    text=st.text("ab\n\r\u2028\u202e\x1b\x85,;'\" =", min_size=1, max_size=20)
    | st.just("x" * 9999),
    place=st.sampled_from(
        [
            ("devices.csv", "device_id"),
            ("devices.csv", "memory_gib"),
            ("device_sources.csv", "column"),
            ("device_sources.csv", "value"),
            ("prices.csv", "device_id"),
            ("models.csv", "aliases"),
            ("models.csv", "published_counts"),
            ("assumptions.csv", "low"),
            ("demand.csv", "shape"),
        ]
    ),
)
def test_no_cell_breaks_a_message(
    text: str, place: tuple[str, str], changed: Callable[..., Path]
) -> None:
    name, column = place
    path = changed(name, set_cells(**{column: text}), rows=200)
    faults = check_catalog(path, today=TODAY)
    path.unlink()
    for fault in faults:
        assert fault.isprintable()
        assert len(fault) <= 500


def test_no_name_of_a_file_breaks_a_message(tmp_path: Path) -> None:
    path = tmp_path / "a\nb.csv"
    path.write_text("x,y\n")
    (fault,) = check_catalog(path)
    assert fault.startswith("a\\nb.csv line 1: the columns fit none of")
