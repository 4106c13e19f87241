"""Times as programs write them."""

from zoneinfo import ZoneInfo

import pytest

from hwplanner.demand.instants import read_instant

UTC, BERLIN = ZoneInfo("UTC"), ZoneInfo("Europe/Berlin")
NEW_YEAR_2024 = 1_704_067_200  # date -ud 2024-01-01 +%s


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-01T00:00:00Z",
        "2024-01-01T00:00Z",
        "2024-01-01 00:00:00.000+00:00",
        "2024-01-01 00:00:00 UTC",
        "2024-01-01 01:00:00 +0100",
        "2024-01-01T05:30:00+05:30",
        "20240101T000000Z",
        "2024/01/01 00:00:00Z",
        "1704067200",
        "1704067200.0",
        "1704067200000",
        "1704067200000000",
        "1704067200000000000",
    ],
)
def test_ways_of_writing_new_year_2024(text: str) -> None:
    found = read_instant(text, BERLIN)
    assert found is not None
    assert found[1] == NEW_YEAR_2024


def test_fractions_of_a_second_are_kept() -> None:
    for text in ("2024-01-01 00:00:00.2500000", "2024-01-01 00:00:00,250"):
        assert read_instant(text, UTC) == ("without an offset", NEW_YEAR_2024 + 0.25)


def test_without_an_offset_the_clock_decides() -> None:
    assert read_instant("2024-01-01 01:00:00", BERLIN) == ("without an offset", NEW_YEAR_2024)
    assert read_instant("2024-07-01 02:00", BERLIN) == read_instant("2024-07-01 00:00", UTC)


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "2024-01-01", "2024-13-01 00:00", "2024-02-30 00:00", "1970-01-01 00:00",
        "9999-12-31 23:59", "0001-01-01T00:00Z", "2024-01-01 25:00", "01/02/2024 10:00", "12",
        "20240101", "0", "-1704067200", "1704067200e9", "nan", "2024-01-01 00:00 there",
        "\N{ARABIC-INDIC DIGIT ONE}704067200", "9" * 400,
    ],
)  # fmt: skip
def test_what_is_no_time(text: str) -> None:
    assert read_instant(text, BERLIN) is None
