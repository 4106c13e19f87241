"""What a reader takes away: CSV that a spreadsheet opens right and cannot be hurt by, images."""

import csv
import io
import zipfile
from typing import Any

import pytest

from dashboard import downloads, state, theme
from dashboard.downloads import table_csv
from hwplanner.report.tables import Column, Table
from hwplanner.scenario import Scenario

ORIGIN = (("Scenario", "=HYPERLINK(1)"), ("Link", "http://planner.example/?v=1"))
TABLE = Table(
    "devices",
    "Devices",
    (Column("name", "Device"), Column("memory", "Memory", "GiB"), Column("watts", "Power", "W")),
    (
        {"name": "NVIDIA H200", "memory": 141.5, "watts": 700},
        {"name": "=1+1", "memory": -3.0, "watts": None},
        {"name": "Ü, “x”\n", "memory": float("nan"), "watts": float("inf")},
        {"name": "@sum", "memory": 1e-9},
    ),
)


def read(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_the_first_row_holds_labels_with_units_and_the_origin() -> None:
    assert read(table_csv(TABLE, ORIGIN))[0] == [
        "Device", "Memory [GiB]", "Power [W]", "Scenario", "Link",
    ]  # fmt: skip


def test_numbers_stay_numbers_and_what_is_not_known_is_blank() -> None:
    rows = read(table_csv(TABLE, ORIGIN))[1:]
    assert [row[1:3] for row in rows] == [["141.5", "700"], ["-3.0", ""], ["", ""], ["1e-09", ""]]


def test_no_text_is_taken_for_a_formula() -> None:
    rows = read(table_csv(TABLE, ORIGIN))[1:]
    assert [row[0] for row in rows] == ["NVIDIA H200", "'=1+1", "Ü, “x”\n", "'@sum"]
    assert {row[3] for row in rows} == {"'=HYPERLINK(1)"}


def test_excel_is_told_that_it_is_utf_8() -> None:
    assert table_csv(TABLE, ORIGIN).startswith(b"\xef\xbb\xbf")


def test_an_image_is_as_wide_as_a_slide_and_its_button_always_there() -> None:
    config = theme.figure_config(file_stem="memory-x", image_format="SVG", height_px=400)
    image = config["toImageButtonOptions"]
    assert image["width"] * image["scale"] == 1920
    assert (image["format"], image["filename"], image["height"]) == ("svg", "memory-x", 400)
    assert config["displayModeBar"] is True
    assert config["modeBarButtons"] == [["toImage"]]


def test_a_workbook_is_named_and_made_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr(
        downloads.st, "download_button", lambda label, data, **rest: asked.update(rest, made=data)
    )
    monkeypatch.setattr(state, "scenario", lambda: Scenario(name="Half / as many: 8", users=16))
    monkeypatch.setattr(state, "origin", lambda: ORIGIN)
    downloads.workbook_button()
    date = state.catalogue_date()
    assert asked["file_name"] == f"workbook-half-as-many-8-{date}.xlsx"
    with zipfile.ZipFile(io.BytesIO(asked["made"]())) as parts:
        assert "xl/workbook.xml" in parts.namelist()
