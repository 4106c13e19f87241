"""From the bytes of a file to lines of cells; ValueError says in words why there are none.

A table is UTF-8 text with or without a byte-order mark. Columns are separated by commas, or by
semicolons as spreadsheets of many countries write them.
"""

import codecs
import csv
import io
import re
import stat
from collections.abc import Iterator
from pathlib import Path

MAX_FILE_BYTES = 10 * 10**6
LONGEST_QUOTE = 60
LONGEST_MESSAGE = 500

_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class UnreadableError(ValueError):
    """There is no ordinary file to read."""


def read_bytes(path: Path) -> bytes:
    """Content of an ordinary file of a size that we accept; ValueError says why not."""
    try:
        status = path.stat()
        # A pipe would be waited for, and a device may never end.
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise UnreadableError("cannot be read: it is not an ordinary file")
        if status.st_size > MAX_FILE_BYTES:
            raise ValueError(_too_large(status.st_size))
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as fault:
        raise UnreadableError(f"cannot be read: {fault.strerror}") from fault


def quoted(text: str) -> str:
    r"""Quote a text from a file: short, and on one line.

    Examples
    --------
    >>> quoted("80\n90")
    "'80\\n90'"
    """
    return repr(text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1]}…")


def shown(text: str) -> str:
    """Say a text from a file without quotation marks, short and on one line."""
    return quoted(text)[1:-1]


def one_line(message: str) -> str:
    """Keep whatever a message quotes from breaking it into several, or from flooding the screen."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in message[:LONGEST_MESSAGE])


def records(
    content: bytes, *, separators: str = ",;", most_bytes: int = MAX_FILE_BYTES
) -> Iterator[tuple[int, list[str]]]:
    """First line and cells of every record; lines with nothing on them are passed over."""
    text = _decode(content, most_bytes)
    delimiter = _delimiter(text, separators)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as fault:
        raise ValueError(f"line {line}: {fault}; check the quotation marks") from fault


def _decode(content: bytes, most_bytes: int) -> str:
    """Text of a file; ValueError names what it is instead."""
    if len(content) > most_bytes:
        raise ValueError(_too_large(len(content), most_bytes))
    if content.startswith(_WORKBOOKS):
        raise ValueError("is a spreadsheet workbook; save the sheet as 'CSV UTF-8'")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ValueError("is encoded as UTF-16; save it as 'CSV UTF-8'")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise ValueError(
            f"line {line}: the byte 0x{content[fault.start]:02x} is not UTF-8; "
            "save the file as 'CSV UTF-8'"
        ) from fault
    if control := _CONTROL_CHARACTER.search(text):
        line = text.count("\n", 0, control.start()) + 1
        raise ValueError(
            f"line {line}: the control character U+{ord(control[0]):04X} does not belong in a "
            "table; save the file as 'CSV UTF-8'"
        )
    if not text.strip():
        raise ValueError("is empty; its first line must name the columns")
    return text


def _delimiter(text: str, separators: str) -> str:
    header = text.lstrip().partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    if delimiter not in separators:
        raise ValueError("line 1: columns are separated by tabs; separate them by commas")
    return delimiter


def _too_large(size_bytes: int, most_bytes: int = MAX_FILE_BYTES) -> str:
    return f"has {size_bytes / 1e6:.1f} MB; the limit is {most_bytes / 1e6:g} MB"
