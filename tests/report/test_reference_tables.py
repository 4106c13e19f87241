"""What the planner knows, as tables: nothing left out, a gap shown as a gap."""

import csv
import math
from pathlib import Path

import pytest

from hwplanner.files.csv_files import DATA_DIR
from hwplanner.quote import Quote
from hwplanner.report.reference_tables import (
    assumptions_table,
    catalogue_table,
    dictionary_table,
    models_table,
    price_table,
    witness_table,
)
from hwplanner.report.tables import Table
from tests.plans import SHIPPED, plan_of


def rows_of(file: str) -> list[dict[str, str]]:
    with Path(DATA_DIR / file).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize(
    "table",
    [
        catalogue_table(plan_of()),
        witness_table(plan_of(), "nvidia-h100-sxm"),
        price_table(plan_of(), "nvidia-h100-sxm"),
        models_table(),
        assumptions_table(plan_of()),
        dictionary_table(),
    ],
    ids=lambda table: table.key,
)
def test_every_row_has_every_column(table: Table) -> None:
    names = {column.name for column in table.columns}
    assert table.rows
    assert all(set(row) == names for row in table.rows)


def test_the_catalogue_holds_all_devices_in_the_units_of_their_labels() -> None:
    table = catalogue_table(plan_of())
    assert len(table.rows) == 140
    rows = {row["device"]: row for row in table.rows}
    h100 = rows[SHIPPED.device("nvidia-h100-sxm").name]
    assert h100["memory_gib"] == 80
    assert h100["bandwidth_gb_per_s"] == pytest.approx(3350, rel=0.01)
    assert h100["fp8_tflops"] == pytest.approx(1979, rel=0.01)
    assert math.isnan(h100["fp4_tflops"])
    assert h100["tdp_w"] == 700
    assert h100["purchase_usd"] == 31_800


def test_a_device_without_a_price_has_none_in_the_catalogue() -> None:
    rows = {row["device"]: row for row in catalogue_table(plan_of()).rows}
    row = rows[SHIPPED.device("nvidia-h200-nvl").name]
    assert math.isnan(row["purchase_usd"])
    assert math.isnan(row["rent_usd"])
    assert row["price_basis"] == ""


def test_a_quote_shows_in_the_catalogue() -> None:
    plan = plan_of(quotes=(Quote(device="nvidia-h200-nvl", kind="on_demand", amount=2.5),))
    rows = {row["device"]: row for row in catalogue_table(plan).rows}
    row = rows[SHIPPED.device("nvidia-h200-nvl").name]
    assert row["rent_usd"] == 2.5
    assert row["price_basis"] == "your price"


def test_witnesses_and_prices_of_one_device_are_all_listed() -> None:
    plan = plan_of()
    written = [row for row in rows_of("device_sources.csv") if row["device_id"] == "nvidia-l4"]
    listed = witness_table(plan, "nvidia-l4").rows
    assert [row["figure"] for row in listed] == [row["column"] for row in written]
    assert all(row["source"] for row in listed)
    points = [row for row in rows_of("prices.csv") if row["device_id"] == "nvidia-l4"]
    assert len(price_table(plan, "nvidia-l4").rows) == len(points)


def test_assumptions_are_those_of_the_file() -> None:
    written = rows_of("assumptions.csv")
    table = assumptions_table(plan_of())
    assert [(row["name"], row["key"]) for row in table.rows] == [
        (row["name"], row["key"]) for row in written
    ]
    assert all(row["low"] <= row["typical"] <= row["high"] for row in table.rows)


def test_models_are_those_of_the_file_with_their_computed_totals() -> None:
    table = models_table()
    assert len(table.rows) == len(rows_of("models.csv"))
    rows = {row["name"]: row for row in table.rows}
    llama = rows["Llama 3.1 8B"]
    assert llama["parameters"] == 8.030
    assert llama["cache"] == 131_072


def test_the_dictionary_describes_the_columns_of_every_file() -> None:
    described = {(row["file"], row["column"]) for row in dictionary_table().rows}
    with (DATA_DIR / "devices.csv").open(encoding="utf-8", newline="") as stream:
        header = next(csv.reader(stream))
    assert {("devices.csv", column) for column in header} <= described
    assert all(row["meaning"] for row in dictionary_table().rows)
