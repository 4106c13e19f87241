"""Files of the planner as LibreOffice works them out: every formula anew, no stored value used."""

from __future__ import annotations

import io
import re
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import openpyxl
from openpyxl.cell import Cell
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

STARTED_SECONDS = 240
ALWAYS_WORK_OUT = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>"""
_STORED = re.compile(rb"(</f>)<v>[^<]*</v>")


def worked_out(folder: Path, files: Mapping[str, bytes]) -> dict[str, Workbook]:
    """Let LibreOffice open files, work out all formulas and save them; read the values."""
    user = folder / "profile" / "user"
    user.mkdir(parents=True)
    (user / "registrymodifications.xcu").write_text(ALWAYS_WORK_OUT)
    for name, data in files.items():
        (folder / f"{name}.xlsx").write_bytes(data)
    subprocess.run(
        [
            "soffice",
            f"-env:UserInstallation={(folder / 'profile').as_uri()}",
            "--headless",
            *("--convert-to", "xlsx"),
            *("--outdir", str(folder / "out")),
            *(str(folder / f"{name}.xlsx") for name in files),
        ],
        check=True,
        capture_output=True,
        timeout=STARTED_SECONDS,
    )
    return {
        name: openpyxl.load_workbook(folder / "out" / f"{name}.xlsx", data_only=True)
        for name in files
    }


def emptied(data: bytes) -> bytes:
    """File whose formulas all hold 0 as their stored value."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.startswith("xl/worksheets/sheet"):
                content = _STORED.sub(rb"\1<v>0</v>", content)
            new.writestr(name, content)
    return file.getvalue()


def opened(data: bytes, *, values: bool = False) -> Workbook:
    """File as openpyxl reads it: its formulas, or the values stored beside them."""
    return openpyxl.load_workbook(io.BytesIO(data), data_only=values)


def saved(book: Workbook) -> bytes:
    """File that openpyxl writes: formulas without any stored value."""
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def formulas(book: Workbook) -> Iterator[tuple[Worksheet, Cell]]:
    """All cells with a formula."""
    for sheet in book:
        for row in sheet.iter_rows():
            yield from ((sheet, cell) for cell in row if cell.data_type == "f")


def row_of(sheet: Worksheet, label: str) -> list[object]:
    """Cells right of a label, of the last row that has it."""
    found = [row for row in sheet.iter_rows(values_only=True) if row[0] == label]
    assert found, f"{sheet.title} has no row {label!r}"
    return list(found[-1][1:])


def named(book: Workbook, name: str) -> Cell:
    """Cell of a name."""
    ((sheet, cell),) = book.defined_names[name].destinations
    return book[sheet][cell]
