"""Files that cannot be used, each refused with its place, its value and what would be right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.demand import uploads
from hwplanner.demand.uploads import UploadedDemand, read_demand
from hwplanner.errors import DemandError

TIME = "2026-11-30 10:00:00"
WEEKDAYS = "weekday,hour,requests\n"

FAULTS = {
    "empty": (b"", "The file is empty"),
    "blanks": (b" \n\t\n", "The file is empty"),
    "only a mark": (b"\xef\xbb\xbf\n", "The file is empty"),
    "only separators": (b",,\n,,\n", "The file has separators and nothing between them"),
    "only a heading": (b"time,count\n", "The file has a heading and nothing below it"),
    "UTF-16": (TIME.encode("utf-16"), "The file is encoded as UTF-16; save it as 'CSV UTF-8'"),
    "Latin-1": (
        f"{TIME},caf\xe9\n".encode("latin-1"),
        "Line 1: the byte 0xe9 is not UTF-8; save the file as 'CSV UTF-8'",
    ),
    "workbook": (b"PK\x03\x04...", "The file is a spreadsheet workbook; save the sheet as"),
    "binary": (b"a\n\x00\x01", "Line 2: the control character U.0000 does not belong"),
    "text": (b"Dear all,\nplease find\n", "The file has no column of times such as 2026-11-30 14:"),
    "days without times": (b"day,hits\n2026-11-30,5\n", "The file has no column of times"),
    "day first": (b"30/11/2026 10:00\n", "line 1 begins with '30/11/2026 10:00'"),
    "a quotation without end": (f'{TIME},"x\n'.encode(), "Line 1: .*check the quotation marks"),
    "a word among times": (
        f"{TIME}\n2026-11-30 10:70:00\n{TIME}\n".encode(),
        r"Line 2: '2026-11-30 10:70:00' is no time; write it as 2026-11-30 14:05:09, 2026-11-30T",
    ),
    "the beginning of Unix": (f"{TIME}\n1970-01-01 00:00:00\n".encode(), "Line 2: '1970-01-01"),
    "a line without its time": (f"a,b\n1,{TIME}\n2\n".encode(), "Line 3 has 1 cell; what is read"),
    "offsets mixed": (
        f"{TIME}\n{TIME}\n{TIME}Z\n".encode(),
        "Line 3: '2026-11-30 10:00:00Z' is a time with an offset, those before are without an",
    ),
    "Unix units mixed": (
        b"1796043909\n1796043909000\n",
        "Line 2: '1796043909000' is a time Unix ms, those before are Unix s; write all alike",
    ),
    "formats mixed": (f"{TIME}\n1796043909\n".encode(), "Line 2: '1796043909' is a time Unix s"),
    "negative": (f"time,count\n{TIME},-3\n".encode(), "Line 2: '-3' is no count; write a number"),
    "NaN": (f"time,count\n{TIME},nan\n".encode(), "Line 2: 'nan' is no count; write a number"),
    "infinite": (f"time,count\n{TIME},1e999\n".encode(), "Line 2: '1e999' is no count"),
    "too large": (f"time,count\n{TIME},2e12\n".encode(), "Line 2: '2e12' is no count"),
    "separators in digits": (f'time,count\n{TIME},"1,200"\n'.encode(), "'1,200' is no count"),
    "decimal comma": (f"time;count\n{TIME};1,5\n".encode(), "'1,5' is no count; .*a point only"),
    "blank count": (f"time,count\n{TIME},\n".encode(), "Line 2: column 2 is blank; write a number"),
    "no demand": (f"time,count\n{TIME},0\n".encode(), "The file has no demand: every count is 0"),
    "no demand in numbers": (b"0\n" * 168, "The file has no demand: every count is 0"),
    "counts by day": (
        b"time,count\n2026-11-30 00:00,5\n2026-12-01 00:00,5\n",
        "The file has counts 24 h apart; give a count for each hour",
    ),
    "counts at uneven times": (
        b"time,count\n2026-11-30 10:00,5\n2026-11-30 10:07,5\n2026-11-30 10:16,5\n",
        "The file has counts at uneven times, at the closest 420 s apart",
    ),
    "too short": (f"{TIME}\n2026-11-30 10:05:00\n".encode(), "The file spans 5 min; at least half"),
    "too long": (
        f"2020-01-01 00:00:00\n{TIME}\n".encode(),
        "The file has times from 2020 to 2026; give at most 5 years",
    ),
    "no hour of the day": ((WEEKDAYS + "Mon,24,5\n").encode(), "Line 2: '24' is no hour; .* to 23"),
    "no hour of the week": (b"hour_of_week,count\n168,5\n", "'168' is no hour; .* to 167"),
    "half an hour": (b"hour_of_week,count\n1.5,5\n", "Line 2: '1.5' is no hour"),
    "no day": ((WEEKDAYS + "Mon,1,5\nFunday,1,5\n").encode(), "Line 3: 'Funday' is no day of the"),
    "days from 0 to 7": ((WEEKDAYS + "0,1,5\n7,1,5\n").encode(), "days from 0 to 7; write 0 "),
    "days both ways": ((WEEKDAYS + "Mon,1,5\n2,1,5\n").encode(), "days as names and as numbers"),
    "some numbers": (b"1\n2\n3\n", "numbers without times, 3 of them; write 24 for a day or 168"),
    "lines of numbers": (b"1,2\n3\n", "lines of different lengths"),
}


@pytest.mark.parametrize(("content", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faults_are_told(content: bytes, message: str) -> None:
    with pytest.raises(DemandError, match=message) as fault:
        read_demand(content, "Europe/Berlin")
    assert str(fault.value)[0].isupper()


def test_a_huge_file_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", 1000)
    with pytest.raises(DemandError, match=r"The file has 0\.0 MB; the limit is 0\.001 MB"):
        read_demand(b"1" * 1001, "UTC")


def test_too_many_lines_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_LINES", 100)
    with pytest.raises(DemandError, match="more than 100 lines; count the requests of each hour"):
        read_demand(f"{TIME}\n".encode() * 101, "UTC")


def outcome(content: bytes) -> UploadedDemand | str:
    """Demand of a file, or what is said of it."""
    try:
        return read_demand(content, "Europe/Berlin")
    except DemandError as fault:
        return str(fault)


@given(
    st.binary(max_size=300)
    | st.text("0123456789-:TZ., ;\n\tnaMoinf\"'+e", max_size=300).map(str.encode)
)
def test_whatever_is_uploaded_is_read_or_refused_in_one_line(content: bytes) -> None:
    found = outcome(content)
    if isinstance(found, str):
        assert found.isprintable()
    else:
        assert found.week.min() >= 0
        assert found.week.max() > 0
