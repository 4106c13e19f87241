"""Strict reading of the data files: every fault is told with its place and its remedy.

The rules of each column stand in `data/columns.csv`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias, cast

from hwplanner.errors import DataFileError
from hwplanner.files.columns import Column, ColumnType, did_you_mean
from hwplanner.files.csv_text import one_line, quoted, read_bytes, records, shown

DATA_DIR = Path(__file__).parent.parent.parent / "data"
MAX_FAULTS = 100

Dictionary: TypeAlias = Mapping[str, tuple[Column, ...]]
"""The columns of each data file, by file name."""

# The dictionary cannot describe itself before it is read.
_DICTIONARY_COLUMNS = (
    Column("file", "text", "Data files, separated by ';'.", required=True, key=True),
    Column("column", "text", "Name in the file's first line.", required=True, key=True),
    Column(
        "type",
        "choice",
        "What a cell holds; a list is separated by ';'.",
        required=True,
        choices=("text", "number", "integer", "choice", "date", "flag", "list"),
    ),
    Column("unit", "text", "Unit of the number."),
    Column(
        "required",
        "choice",
        "Whether a cell may be blank; 'key' columns together identify a row.",
        required=True,
        choices=("yes", "no", "key"),
    ),
    Column("minimum", "text", "Smallest number; '>0' leaves 0 out."),
    Column("maximum", "number", "Largest number."),
    Column("choices", "list", "Words that a choice may be."),
    Column("meaning", "text", "What the column says.", required=True),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a data file whose cells keep the rules of their columns."""

    line: int
    cells: Mapping[str, str]

    def text(self, column: str) -> str:
        """Return the cell as it stands, without blanks around it; empty if blank."""
        return self.cells[column]

    def number(self, column: str) -> float | None:
        """Return the number of a cell, None if blank."""
        text = self.cells[column]
        return float(text) if text else None

    def integer(self, column: str) -> int | None:
        """Return the whole number of a cell, None if blank."""
        text = self.cells[column]
        return int(float(text)) if text else None

    def flag(self, column: str) -> bool:
        """Say whether a cell says yes."""
        return self.cells[column] == "yes"

    def names(self, column: str) -> tuple[str, ...]:
        """Return the names listed in a cell."""
        text = self.cells[column]
        return tuple(name.strip() for name in text.split(";")) if text else ()


def read_rows(
    path: Path, *, error: type[DataFileError], dictionary: Dictionary | None = None
) -> list[Row]:
    """Read a data file, or refuse it.

    Parameters
    ----------
    path
        File; its name says which columns it has.
    error
        Raised with the first fault, and the number of further ones.
    dictionary
        Columns of each file, those of `data/columns.csv` by default.
    """
    columns = (dictionary or shipped_dictionary())[path.name]
    try:
        content = read_bytes(path)
    except ValueError as fault:
        raise error(f"{path.name} {fault}") from fault
    rows, faults = check_rows(content, file=path.name, columns=columns)
    refuse(faults, error)
    return rows


def refuse(faults: Sequence[str], error: type[DataFileError]) -> None:
    """Raise the first of the faults and say how many more there are."""
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise error(one_line(faults[0]) + more)


def check_rows(
    content: bytes, *, file: str, columns: Sequence[Column]
) -> tuple[list[Row], list[str]]:
    """Rows of a file and all that is wrong with it; the rows count only without faults."""
    rows: list[Row] = []
    faults: list[str] = []
    for item in _check(content, columns):
        if isinstance(item, Row):
            rows.append(item)
        else:
            faults.append(f"{file} {item}")
        if len(faults) == MAX_FAULTS:
            faults.append(f"{file}: only the first {MAX_FAULTS} faults are listed")
            break
    if not rows and not faults:
        faults.append(f"{file} has no line below its header; add one")
    return rows, faults


@lru_cache
def shipped_dictionary() -> Dictionary:
    """Columns of every data file, as `data/columns.csv` lists them."""
    return load_dictionary(DATA_DIR / "columns.csv")


def load_dictionary(path: Path) -> Dictionary:
    """Read a dictionary of columns."""
    own = {path.name: _DICTIONARY_COLUMNS}
    columns: dict[str, list[Column]] = {}
    for row in read_rows(path, error=DataFileError, dictionary=own):
        for file in row.names("file"):
            columns.setdefault(file, []).append(_column(row, path.name))
    return own | {file: tuple(listed) for file, listed in columns.items()}


def _column(row: Row, file: str) -> Column:
    minimum = row.text("minimum")
    maximum = row.number("maximum")
    try:
        lowest = float(minimum.removeprefix(">") or "-inf")
    except ValueError as fault:
        raise DataFileError(
            f"{file} line {row.line}, {row.text('column')}: minimum is {minimum!r}; "
            "write a number, or '>' and a number"
        ) from fault
    return Column(
        name=row.text("column"),
        type=cast(ColumnType, row.text("type")),
        meaning=row.text("meaning"),
        unit=row.text("unit"),
        required=row.text("required") != "no",
        key=row.text("required") == "key",
        minimum=lowest,
        minimum_excluded=minimum.startswith(">"),
        maximum=float("inf") if maximum is None else maximum,
        choices=row.names("choices"),
    )


def _check(content: bytes, columns: Sequence[Column]) -> Iterator[Row | str]:
    """Rows that are well and, in between, faults from `line` onwards."""
    lines = records(content)
    try:
        header = [name.strip() for name in next(lines)[1]]
        yield from _check_header(header, columns)
        yield from _check_lines(lines, header, columns)
    except ValueError as fault:
        yield str(fault)


def _check_header(header: Sequence[str], columns: Sequence[Column]) -> Iterator[str]:
    known = [column.name for column in columns]
    for name in dict.fromkeys(header):
        if header.count(name) > 1:
            yield f"line 1: the column {quoted(name)} appears {header.count(name)} times; keep one"
        if name not in known and name.lower() in known:
            yield f"line 1: the column {quoted(name)} has capital letters; use lower case"
        elif name not in known:
            near = did_you_mean(name, set(known) - set(header))
            yield f"line 1: the column {quoted(name)} is not known; delete or rename it{near}"
    for name in known:
        if name not in map(str.lower, header):
            yield f"line 1: the column {name!r} is missing; add it, with blank cells if unknown"


def _check_lines(
    lines: Iterator[tuple[int, list[str]]], header: Sequence[str], columns: Sequence[Column]
) -> Iterator[Row | str]:
    present = [column for column in columns if column.name in header]
    ruled = [column for column in present if column.required or column.type != "text"]
    keys = [column for column in present if column.key]
    first: dict[tuple[str, ...], tuple[int, str]] = {}
    for line, texts in lines:
        if not any(text.strip() for text in texts):
            yield f"line {line} is blank; delete it"
            continue
        if len(texts) != len(header):
            yield (
                f"line {line}, {shown(texts[0])}: has {len(texts)} cells instead of {len(header)}; "
                "look for a missing or a stray separator, or a text that wants quotation marks"
            )
            continue
        cells = {name: text.strip() for name, text in zip(header, texts, strict=True)}
        subject = " / ".join(shown(cells[column.name]) for column in keys) or shown(texts[0])
        for column in ruled:
            text = cells[column.name]
            if remedy := column.remedy(text):
                found = f"is {quoted(text)}" if text else "is blank"
                yield f"line {line}, {subject}: {column.name} {found}; {remedy}"
            elif column.key and column.type == "integer":
                cells[column.name] = f"{float(text):.0f}"  # 07 and 7.0 are the same row as 7
        identity = tuple(cells[column.name].casefold() for column in keys)
        earlier, spelling = first.setdefault(identity or tuple(cells.values()), (line, subject))
        if earlier != line:
            aside = "" if spelling == subject else " in another spelling"
            yield f"line {line}, {subject}: repeats line {earlier}{aside}; keep one of the two"
        yield Row(line, cells)
