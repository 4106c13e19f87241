"""Rows of published runs as a file gives them: what was run, never what was measured.

Only the columns of `INPUTS` are read. A file may have others, e.g. the measured ones; whatever
stands in them has no influence. Columns that a file lacks are blank.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hwplanner.errors import EvidenceError
from hwplanner.files.columns import did_you_mean
from hwplanner.files.csv_files import MAX_FAULTS, refuse
from hwplanner.files.csv_text import one_line, quoted, read_bytes, records, shown

NUMBERS = (
    *("n_devices", "tp", "pp", "cp", "ep", "dp"),
    *("input_tokens", "output_tokens", "concurrency", "request_rate"),
    *("params_b", "active_params_b", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab"),
    *("seq_len", "micro_batch", "global_batch", "grad_accum", "lora_rank"),
    *("gpu_memory_utilization", "max_model_len", "max_num_seqs"),
)
TEXTS = (
    *("id", "engine", "engine_version", "source_date", "model", "device"),
    *("weight_precision", "activation_precision", "kv_precision", "precision", "mode"),
    *("framework", "sharding", "recompute", "optimizer", "method", "quantity", "unit"),
)
MAY_BE_ZERO = ("input_tokens", "output_tokens")
INPUTS = frozenset((*NUMBERS, *TEXTS))
REQUIRED = ("id", "model")

_DAY = r"20\d\d(?:-(?:0[1-9]|1[0-2])(?:-\d\d)?)?(?!\d)"
_DATE = re.compile(_DAY)
_MEASURED = re.compile(rf"(?:measured|table|page from) ({_DAY})")
_RELEASE = re.compile(r"(?:^|release )(2\d)\.(0[1-9]|1[0-2])\b")
_NUMBER = re.compile(r"[~≈≥>=]*\s*([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*(?:\(.*\))?")


@dataclass(frozen=True, slots=True)
class RunRow:
    """Inputs of one published run."""

    id: str
    line: int
    cells: Mapping[str, str]
    fault: str = ""
    """What is wrong with a number of the row, and what to write instead."""

    def text(self, column: str) -> str:
        """Return the text of an input, empty if blank; of a date the day that it means."""
        if column not in INPUTS:
            raise KeyError(f"{column} is not an input of a run")
        text = self.cells.get(column, "")
        return published_date(text) if column == "source_date" else text

    def number(self, column: str) -> float | None:
        """Return the number of an input; None if blank, unlimited or none that can be.

        Zero tokens are told apart from tokens that are not stated; zero of anything else is blank.
        """
        number = _number(self.text(column))
        if number is None or number < 0 or (number == 0 and column not in MAY_BE_ZERO):
            return None
        return number


def published_date(text: str) -> str:
    """When a run was made, from how a publication is dated; empty where it says no year.

    A release or the day of a measurement tells more of the software than the day of the page.

    Examples
    --------
    >>> published_date("release 25.11 (page 2026-08-11)"), published_date("2023 (measured 2022)")
    ('2025-11', '2022')
    >>> published_date("2026-05 (file date)")
    '2026-05'
    """
    if release := _RELEASE.search(text):
        return f"20{release[1]}-{release[2]}"
    dates = _MEASURED.findall(text) or _DATE.findall(text)
    return str(dates[0]) if dates else ""


def read_run_rows(path: Path) -> list[RunRow]:
    """Read the inputs of published runs, in the order of the file.

    Raises
    ------
    EvidenceError
        When the file is not a table of runs: with line, column and remedy. A row with a number
        that is none is kept, with its fault, so that the others can be predicted.
    """
    try:
        table = records(read_bytes(path))
        header = [name.strip().lower() for name in next(table)[1]]
        refuse([f"{path.name} {fault}" for fault in _header_faults(header)], EvidenceError)
        return _rows(table, header, path.name)
    except ValueError as fault:
        raise EvidenceError(one_line(f"{path.name} {fault}")) from fault


def _header_faults(header: Sequence[str]) -> Iterator[str]:
    for name in REQUIRED:
        if name not in header:
            near = did_you_mean(name, header)
            yield f"line 1: the column {name!r} is missing; add it{near}"
    for name in dict.fromkeys(header):
        if name in INPUTS and header.count(name) > 1:
            yield f"line 1: the column {quoted(name)} appears {header.count(name)} times; keep one"


def _rows(table: Iterator[tuple[int, list[str]]], header: Sequence[str], file: str) -> list[RunRow]:
    read = [(place, name) for place, name in enumerate(header) if name in INPUTS]
    rows: list[RunRow] = []
    faults: list[str] = []
    first: dict[str, int] = {}
    for line, texts in table:
        if not any(text.strip() for text in texts):
            continue
        place = f"{file} line {line}, {shown(texts[0])}"
        if len(texts) != len(header):
            faults.append(
                f"{place}: has {len(texts)} cells instead of {len(header)}; "
                "look for a missing or a stray separator, or a text that wants quotation marks"
            )
        else:
            row = _run_row({name: texts[column].strip() for column, name in read}, line)
            if not row.id:
                faults.append(f"{place}: id is blank; write a name that no other row has")
            elif first.setdefault(row.id, line) != line:
                faults.append(f"{place}: id repeats line {first[row.id]}; write another")
            rows.append(row)
        if len(faults) == MAX_FAULTS:
            break
    if not rows and not faults:
        faults.append(f"{file} has no line below its header; add one")
    refuse(faults, EvidenceError)
    return rows


def _run_row(cells: Mapping[str, str], line: int) -> RunRow:
    """Row of inputs, with the first number that is none as its fault."""
    fault = next(filter(None, (_fault(name, cells.get(name, "")) for name in NUMBERS)), "")
    return RunRow(
        id=cells.get("id", ""),
        line=line,
        cells=cells,
        fault=f"line {line}, {fault}" if fault else "",
    )


def _fault(column: str, text: str) -> str:
    if not text or text.casefold() in ("inf", "unlimited"):
        return ""
    number = _number(text)
    if number is None or number < 0:
        return f"{column} is {quoted(text)}; write a number of at least 0, or leave it blank"
    return ""


def _number(text: str) -> float | None:
    """Return the number of a cell, whatever remark follows it in brackets.

    Examples
    --------
    >>> _number("0.9 (default)"), _number("inf"), _number("many")
    (0.9, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        found = _NUMBER.fullmatch(text)
        value = float(found[1]) if found else math.nan
    return value if math.isfinite(value) else None
