"""Each way in which a data file can be broken, told with its place and its remedy."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.errors import CatalogError, DataFileError
from hwplanner.files.columns import Column
from hwplanner.files.csv_files import (
    DATA_DIR,
    MAX_FAULTS,
    check_rows,
    load_dictionary,
    read_rows,
    shipped_dictionary,
)
from hwplanner.files.csv_text import MAX_FILE_BYTES

COLUMNS = (
    Column("id", "text", "Name", required=True, key=True),
    Column("memory_gib", "number", "Memory", minimum=0, minimum_excluded=True, maximum=2000),
    Column("domain", "integer", "Devices joined", minimum=1, maximum=100),
    Column("kind", "choice", "Kind", required=True, choices=("hbm", "gddr")),
    Column("shortlist", "flag", "Compared", required=True),
    Column("date", "date", "Day"),
    Column("frameworks", "list", "Names"),
)
HEADER = "id,memory_gib,domain,kind,shortlist,date,frameworks"
GOOD = "h100,80,8,hbm,yes,2022-10,vllm;sglang"


def faults(*lines: str, header: str = HEADER, end: str = "\n") -> list[str]:
    """Everything wrong with a file of these lines."""
    content = end.join((header, *lines)).encode()
    return check_rows(content, file="parts.csv", columns=COLUMNS)[1]


def fault(cell: str, column: str) -> str:
    """Return the one fault of a file where one cell of the good line is replaced."""
    names = HEADER.split(",")
    cells = GOOD.split(",")
    cells[names.index(column)] = cell
    (only,) = faults(GOOD.replace("h100", "other"), ",".join(cells))
    return only


def test_a_good_file_is_read_in_the_types_of_its_columns() -> None:
    rows, found = check_rows(f"{HEADER}\n{GOOD}\n".encode(), file="parts.csv", columns=COLUMNS)
    assert found == []
    (row,) = rows
    assert row.line == 2
    assert row.number("memory_gib") == 80.0
    assert row.integer("domain") == 8
    assert row.flag("shortlist") is True
    assert row.names("frameworks") == ("vllm", "sglang")
    assert row.text("date") == "2022-10"


def test_a_blank_cell_is_unknown_and_not_zero() -> None:
    rows, found = check_rows(
        f"{HEADER}\nh100,,,hbm,no,,\n".encode(), file="parts.csv", columns=COLUMNS
    )
    assert found == []
    assert (rows[0].number("memory_gib"), rows[0].integer("domain")) == (None, None)
    assert rows[0].names("frameworks") == ()


@pytest.mark.parametrize("text", ["-80", "0", "nan", "inf", "-inf", "1e999", "2001", "80 GB", "٨٠"])
def test_a_number_out_of_range_or_without_a_finite_value(text: str) -> None:
    assert fault(text, "memory_gib") == (
        f"parts.csv line 3, h100: memory_gib is {text!r}; "
        "write a number above 0 and at most 2000, or leave it blank if not published"
    )


@pytest.mark.parametrize("text", ['"1,555"', "1 555", "1'555", "1_555", "1\u00a0555", "1.555.000"])
def test_thousands_separators(text: str) -> None:
    # A quoted comma is what remains of a number once the cells are taken apart.
    cells = GOOD.replace("80", text, 1)
    (only,) = faults(cells)
    assert "memory_gib is" in only
    assert only.endswith("write the digits without separators, with a point before decimals")


def test_a_fraction_where_a_count_belongs() -> None:
    assert "domain is '7.5'; write a whole number of at least 1 and at most 100" in fault(
        "7.5", "domain"
    )


def test_an_unknown_word_where_a_choice_belongs() -> None:
    assert fault("hmb", "kind") == (
        "parts.csv line 3, h100: kind is 'hmb'; write one of hbm, gddr, did you mean 'hbm'?"
    )


def test_a_flag_is_yes_or_no() -> None:
    assert fault("true", "shortlist").endswith("shortlist is 'true'; write yes or no")


@pytest.mark.parametrize("text", ["30.11.2026", "2026-13", "2026-02-30", "26", "11/30/2026"])
def test_dates_are_written_from_year_to_day(text: str) -> None:
    assert f"date is {text!r}; write a date such as 2026-11-30" in fault(text, "date")


@pytest.mark.parametrize("text", ["vllm;;sglang", "vllm;vllm", ";"])
def test_a_list_has_each_name_once_and_none_blank(text: str) -> None:
    assert "names separated by ';', each once" in fault(text, "frameworks")


def test_a_required_cell_is_blank() -> None:
    assert fault("", "kind") == "parts.csv line 3, h100: kind is blank; write one of hbm, gddr"


def test_a_repeated_key_names_both_lines() -> None:
    assert faults(GOOD, GOOD.replace("80", "96", 1)) == [
        "parts.csv line 3, h100: repeats line 2; keep one of the two"
    ]


def test_a_key_in_other_letters_is_the_same_key() -> None:
    assert faults(GOOD, GOOD.replace("h100", "H100")) == [
        "parts.csv line 3, H100: repeats line 2 in another spelling; keep one of the two"
    ]


@pytest.mark.parametrize("hour", ["7", "07", "7.0", "+7"])
def test_a_key_that_is_a_number_has_one_spelling(hour: str) -> None:
    columns = (Column("hour", "integer", "Hour", required=True, key=True),)
    rows, found = check_rows(f"hour\n7\n{hour}\n".encode(), file="x.csv", columns=columns)
    assert [row.text("hour") for row in rows] == ["7", "7"]
    assert len(found) == 1
    assert "repeats line 2" in found[0]


@pytest.mark.parametrize("start", "=+-@")
def test_a_key_is_no_formula(start: str) -> None:
    assert faults(GOOD.replace("h100", f"{start}h100")) == [
        f"parts.csv line 2, {start}h100: id is '{start}h100'; "
        "write a text that begins with a letter or a digit"
    ]


def test_without_key_columns_only_the_same_line_twice_is_a_repetition() -> None:
    columns = (Column("a", "text", ""), Column("b", "text", ""))
    content = b"a,b\n1,2\n1,3\n1,2\n"
    assert check_rows(content, file="x.csv", columns=columns)[1] == [
        "x.csv line 4, 1: repeats line 2; keep one of the two"
    ]


def test_an_unknown_column_and_the_missing_one_it_stands_for() -> None:
    assert faults(GOOD, header=HEADER.replace("memory_gib", "memory_gb")) == [
        "parts.csv line 1: the column 'memory_gb' is not known; delete or rename it, "
        "did you mean 'memory_gib'?",
        "parts.csv line 1: the column 'memory_gib' is missing; add it, with blank cells if unknown",
    ]


def test_a_column_in_capital_letters() -> None:
    assert faults(GOOD, header=HEADER.replace("memory_gib", "Memory_GiB")) == [
        "parts.csv line 1: the column 'Memory_GiB' has capital letters; use lower case"
    ]


@pytest.mark.parametrize("text", ["80\nparts.csv: no faults found", "\u202e08", "8\u20280"])
def test_a_cell_cannot_forge_a_message(text: str) -> None:
    for line in (GOOD.replace("80", f'"{text}"', 1), GOOD.replace("h100", f'"{text}"') + ",more"):
        (only,) = faults(line)
        assert only.isprintable()


def test_a_huge_cell_is_cut_in_messages() -> None:
    (only,) = faults(GOOD.replace("80", "8" * 100_000 + "x", 1))
    assert f"memory_gib is '{'8' * 59}…'; write" in only
    assert len(faults(f"{'h' * 100_000},80")[0]) < 250


def test_a_column_that_appears_twice() -> None:
    (only,) = faults(f"{GOOD},8", header=f"{HEADER},domain")
    assert only == "parts.csv line 1: the column 'domain' appears 2 times; keep one"


@pytest.mark.parametrize(
    ("line", "cells"), [("h100,80,8", 3), (f"{GOOD},more", 8), ("h100,1,555,8,hbm,yes,,", 8)]
)
def test_a_line_that_is_too_short_or_too_long(line: str, cells: int) -> None:
    (only,) = faults(line)
    assert only.startswith(f"parts.csv line 2, h100: has {cells} cells instead of 7; look for")


def test_a_line_of_separators_alone() -> None:
    assert faults(GOOD, ",,,,,,") == ["parts.csv line 3 is blank; delete it"]


def test_empty_lines_are_passed_over_but_counted() -> None:
    assert fault_lines(faults("", GOOD, "", "b200,-1,,hbm,no,,")) == ["line 5"]


def test_a_text_of_several_lines_does_not_shift_the_count() -> None:
    assert fault_lines(faults('"h\n100",80,8,hbm,no,,', "b200,-1,,hbm,no,,")) == ["line 4"]


def fault_lines(found: list[str]) -> list[str]:
    return [text.split(",")[0].removeprefix("parts.csv ") for text in found]


def test_a_quotation_mark_that_is_never_closed() -> None:
    (only,) = faults(GOOD, '"b200,80')
    assert only.startswith("parts.csv line 3: unexpected end of data")


def test_all_faults_are_told_and_not_only_the_first() -> None:
    found = faults("a,-1,0,hbm,yes,,", "b,80,8,x,y,z,")
    assert fault_lines(found) == ["line 2"] * 2 + ["line 3"] * 3


def test_a_hopeless_file_is_given_up_after_a_hundred_faults() -> None:
    found = faults(*(f"d{number},-1,8,hbm,yes,," for number in range(500)))
    assert len(found) == MAX_FAULTS + 1
    assert found[-1] == f"parts.csv: only the first {MAX_FAULTS} faults are listed"


def whole_file_fault(content: bytes) -> str:
    rows, found = check_rows(content, file="parts.csv", columns=COLUMNS)
    assert rows == []
    (only,) = found
    return only


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_an_empty_file(content: bytes) -> None:
    assert whole_file_fault(content) == ("parts.csv is empty; its first line must name the columns")


def test_a_header_without_rows() -> None:
    assert whole_file_fault(HEADER.encode()) == ("parts.csv has no line below its header; add one")


def test_a_file_in_the_encoding_of_an_older_spreadsheet() -> None:
    content = f"{HEADER}\n{GOOD}\nGerät,80,8,hbm,yes,,\n".encode("latin-1")
    assert whole_file_fault(content) == (
        "parts.csv line 3: the byte 0xe4 is not UTF-8; save the file as 'CSV UTF-8'"
    )


def test_a_file_in_utf_16() -> None:
    assert "encoded as UTF-16; save it as 'CSV UTF-8'" in whole_file_fault(
        f"{HEADER}\n{GOOD}\n".encode("utf-16")
    )


@pytest.mark.parametrize("start", [b"PK\x03\x04rest", b"\xd0\xcf\x11\xe0rest"])
def test_a_workbook_instead_of_a_table(start: bytes) -> None:
    assert "is a spreadsheet workbook; save the sheet as 'CSV UTF-8'" in whole_file_fault(start)


def test_a_binary_file() -> None:
    assert "line 2: the control character U+0000 does not belong" in whole_file_fault(
        f"{HEADER}\nh100,\x00".encode()
    )


def test_a_file_above_the_size_limit() -> None:
    assert whole_file_fault(b"x" * (MAX_FILE_BYTES + 1)) == (
        "parts.csv has 10.0 MB; the limit is 10 MB"
    )


def test_a_table_separated_by_tabs() -> None:
    content = f"{HEADER}\n{GOOD}\n".replace(",", "\t").encode()
    assert "separated by tabs; separate them by commas" in whole_file_fault(content)


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    content = f"\ufeff{HEADER}\n{GOOD}\n".encode()
    assert check_rows(content, file="parts.csv", columns=COLUMNS)[1] == []


SEMICOLONS = (
    f"{HEADER}\n{GOOD}\n".replace(",", "@").replace("vllm;sglang", '"vllm;sglang"')
).replace("@", ";")


def test_a_spreadsheet_export_with_semicolons_reads_the_same() -> None:
    with_commas, _ = check_rows(f"{HEADER}\n{GOOD}\n".encode(), file="", columns=COLUMNS)
    with_semicolons, found = check_rows(SEMICOLONS.encode(), file="", columns=COLUMNS)
    assert found == []
    assert with_semicolons == with_commas


def test_decimal_commas_of_such_an_export_are_refused() -> None:
    content = SEMICOLONS.replace("80", "80,5", 1).encode()
    (only,) = check_rows(content, file="parts.csv", columns=COLUMNS)[1]
    assert only == (
        "parts.csv line 2, h100: memory_gib is '80,5'; "
        "write the digits without separators, with a point before decimals"
    )


def test_windows_line_ends_and_blanks_around_cells_do_not_matter() -> None:
    assert faults(GOOD.replace(",", " , "), end="\r\n") == []


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused_in_words(content: bytes) -> None:
    rows, found = check_rows(content, file="parts.csv", columns=COLUMNS)
    assert rows or found
    assert all(text.startswith("parts.csv") for text in found)


@given(st.lists(st.text(max_size=12), min_size=7, max_size=7))
def test_any_cells_are_read_or_refused_in_words(texts: list[str]) -> None:
    line = ",".join('"' + text.replace('"', '""') + '"' for text in texts)
    rows, found = check_rows(f"{HEADER}\n{line}\n".encode(), file="p.csv", columns=COLUMNS)
    assert found or rows[0].text("kind") in ("hbm", "gddr")


@pytest.fixture
def dictionary() -> dict[str, tuple[Column, ...]]:
    return {"parts.csv": COLUMNS}


def test_reading_raises_the_first_fault_and_counts_the_others(
    tmp_path: Path, dictionary: dict[str, tuple[Column, ...]]
) -> None:
    path = tmp_path / "parts.csv"
    path.write_text(f"{HEADER}\na,-1,0,hbm,yes,,\n")
    with pytest.raises(CatalogError, match=r"parts.csv line 2, a: memory_gib.* \(and 1 more\)$"):
        read_rows(path, error=CatalogError, dictionary=dictionary)


def test_a_file_that_is_not_there(
    tmp_path: Path, dictionary: dict[str, tuple[Column, ...]]
) -> None:
    with pytest.raises(CatalogError, match="parts.csv cannot be read: No such file"):
        read_rows(tmp_path / "parts.csv", error=CatalogError, dictionary=dictionary)


def write_dictionary(tmp_path: Path, row: str) -> Path:
    path = tmp_path / "columns.csv"
    path.write_text(f"file,column,type,unit,required,minimum,maximum,choices,meaning\n{row}\n")
    return path


def test_a_dictionary_row_becomes_a_column(tmp_path: Path) -> None:
    path = write_dictionary(tmp_path, "p.csv,memory_gib,number,GiB,no,>0,2000,,Memory")
    assert load_dictionary(path)["p.csv"] == (
        Column(
            "memory_gib",
            "number",
            "Memory",
            unit="GiB",
            minimum=0,
            minimum_excluded=True,
            maximum=2000,
        ),
    )


def test_a_dictionary_with_an_unreadable_minimum(tmp_path: Path) -> None:
    path = write_dictionary(tmp_path, "p.csv,memory_gib,number,GiB,no,low,,,Memory")
    with pytest.raises(DataFileError, match=r"columns.csv line 2, memory_gib: minimum is 'low'"):
        load_dictionary(path)


def test_every_shipped_data_file_has_its_columns_described() -> None:
    described = set(shipped_dictionary())
    assert {path.name for path in DATA_DIR.glob("*.csv")} <= described
