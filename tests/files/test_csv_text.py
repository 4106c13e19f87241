"""What is no ordinary file is refused at once."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.files.csv_text import LONGEST_QUOTE, UnreadableError, one_line, quoted, read_bytes


def make_pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def make_loop(path: Path) -> Path:
    path.symlink_to(path)
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (make_pipe, "it is not an ordinary file"),
        (make_loop, "Too many levels of symbolic links"),
        (lambda path: path, "No such file or directory"),
        (lambda path: path.parent, "Is a directory"),
        (lambda path: Path("/dev/zero"), "it is not an ordinary file"),
    ],
)
def test_what_is_no_ordinary_file(make: object, words: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=f"^cannot be read: {words}$"):
        read_bytes(make(tmp_path / "file.csv"))


def test_an_ordinary_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(b"a,b\r\n\xff\x00")
    assert read_bytes(path) == b"a,b\r\n\xff\x00"


@given(st.text(max_size=200))
def test_a_quotation_is_short_and_on_one_line(text: str) -> None:
    assert quoted(text).isprintable()
    assert len(quoted(text)) <= 10 * LONGEST_QUOTE + 2  # where every character is a code
    assert one_line(text).isprintable()
