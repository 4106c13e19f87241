"""Rows to predict: only inputs are read; what is wrong is told with its place and its remedy."""

from pathlib import Path

import pytest

from hwplanner.errors import EvidenceError
from hwplanner.evidence.rows import RunRow, published_date, read_run_rows


def read(folder: Path, text: str) -> list[RunRow]:
    path = folder / "rows.csv"
    path.write_text(text, encoding="utf-8")
    return read_run_rows(path)


def test_inputs_are_read_and_missing_columns_are_blank(tmp_path: Path) -> None:
    (row,) = read(tmp_path, "id,model,n_devices,concurrency\na,Llama-3.1-8B, 8 ,inf\n")
    assert (row.id, row.line, row.text("model"), row.fault) == ("a", 2, "Llama-3.1-8B", "")
    assert (row.number("n_devices"), row.number("concurrency"), row.number("tp")) == (
        8.0,
        None,
        None,
    )


@pytest.mark.parametrize("column", ["value", "note", "source", "output_tokens_per_s", "mfu_pct"])
def test_nothing_but_inputs_can_be_asked_for(column: str, tmp_path: Path) -> None:
    (row,) = read(tmp_path, f"id,model,{column}\na,b,1\n")
    with pytest.raises(KeyError, match="is not an input"):
        row.text(column)


def test_header_may_be_shuffled_capital_and_semicolons(tmp_path: Path) -> None:
    (row,) = read(tmp_path, "Model;garbage;ID\nb;=1+1;a\n")
    assert (row.id, row.text("model")) == ("a", "b")


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.9 (default)", 0.9), ("8", 8.0), ("~3.5", 3.5), (">=9 (16)", 9.0), ("1e3", 1000.0)],
)
def test_remarks_around_a_number_do_not_hide_it(text: str, number: float, tmp_path: Path) -> None:
    (row,) = read(tmp_path, f"id,model,concurrency\na,b,{text}\n")
    assert row.number("concurrency") == number
    assert not row.fault


def test_no_tokens_are_a_number_but_no_devices_are_not(tmp_path: Path) -> None:
    (row,) = read(tmp_path, "id,model,input_tokens,n_devices,micro_batch\na,b,0,0,0\n")
    assert row.number("input_tokens") == 0.0
    assert (row.number("n_devices"), row.number("micro_batch"), row.fault) == (None, None, "")


@pytest.mark.parametrize("text", ["many", "-1", "8x", "1,5"])
def test_a_number_that_is_none_is_a_fault_of_its_row_alone(text: str, tmp_path: Path) -> None:
    first, second = read(tmp_path, f'id,model,tp\na,b,"{text}"\nc,d,8\n')
    assert first.fault == (
        f"line 2, tp is {text!r}; write a number of at least 0, or leave it blank"
    )
    assert not second.fault
    assert (first.number("tp"), second.number("tp")) == (None, 8.0)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("model\nb\n", "line 1: the column 'id' is missing; add it"),
        ("id\na\n", "line 1: the column 'model' is missing; add it"),
        ("id,model,tp,tp\na,b,1,2\n", "line 1: the column 'tp' appears 2 times; keep one"),
        ("id,model\na,b\na,c\n", "line 3, a: id repeats line 2; write another"),
        ("id,model\n,b\n", "line 2, : id is blank; write a name that no other row has"),
        ("id,model\na,b,c\n", "line 2, a: has 3 cells instead of 2"),
        ("id,model\n", "has no line below its header; add one"),
        ("", "is empty; its first line must name the columns"),
        ('id,model\n"a,b\n', "check the quotation marks"),
        ("PK\x03\x04", "is a spreadsheet workbook"),
    ],
)
def test_what_is_no_table_of_runs_is_refused(text: str, fault: str, tmp_path: Path) -> None:
    with pytest.raises(EvidenceError) as refused:
        read(tmp_path, text)
    assert fault in str(refused.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match=r"none\.csv cannot be read"):
        read_run_rows(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2025-09-09", "2025-09-09"),
        ("release 26.04.01 (page 2026-08-11)", "2026-04"),
        ("24.07 (page 2024-11-27)", "2024-07"),
        ("2024-06-20 (table 2023-12)", "2023-12"),
        ("2026-03-05 (page from 2023)", "2023"),
        ("2021-05/06", "2021-05"),
        ("2025-2026", "2025"),
        ("not shown", ""),
        ("", ""),
    ],
)
def test_dates_of_publications(text: str, date: str) -> None:
    assert published_date(text) == date
