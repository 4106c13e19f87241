"""Numbers in words, checked against values written by hand."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner import wording


def plain(text: str) -> str:
    """Show the non-breaking spaces of a text as '_'."""
    return text.replace(wording.SPACE, "_")


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "$0"),
        (0.00041, "$0.00041"),
        (0.000412345, "$0.000412"),
        (0.074, "$0.074"),
        (0.0999999, "$0.10"),
        (0.92, "$0.92"),
        (1.5, "$1.50"),
        (2, "$2.00"),
        (9.999, "$10"),
        (12.34, "$12.3"),
        (369.4, "$369"),
        (3184, "$3,180"),
        (9994, "$9,990"),
        (9996, "$10k"),
        (761_000, "$761k"),
        (999_600, "$1M"),
        (1_020_000, "$1.02M"),
        (12_345_678, "$12.3M"),
        (2_500_000_000, "$2.5B"),
        (-369_000, "−$369k"),
    ],
)
def test_dollars(amount: float, text: str) -> None:
    assert wording.usd(amount) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(157.3, "157"), (40.0, "40"), (1559.6, "1,560"), (0.005, "0.005"), (-6.54, "−6.54"),
     (0, "0"), (-0.0, "0"), (999.6, "1,000"), (1e12, "1,000,000,000,000")],
)  # fmt: skip
def test_three_significant_digits(value: float, text: str) -> None:
    assert wording.significant(value) == text


@pytest.mark.parametrize(
    ("word", "value", "text"),
    [
        (wording.gib, 157.3, "157_GiB"),
        (wording.gib, 1559.6, "1,560_GiB"),
        (wording.ms, 38.51, "38.5_ms"),
        (wording.ms, 12_345, "12.3_s"),
        (wording.rate, 2934, "2,930_tokens/s"),
        (wording.hours, 58.1, "58.1_h"),
        (wording.hours, 72, "72_h"),
        (wording.hours, 76.8, "3.2_days"),
        (wording.hours, 0.75, "45_min"),
        (wording.hours, 0.005, "18_s"),
        (wording.hours, 0, "0_h"),
        (wording.hours, 21_900, "2.5_years"),
        (wording.percent, 0.512, "51%"),
        (wording.percent, 0.0951, "10%"),
        (wording.percent, 0.01, "1%"),
        (wording.percent, 0.004, "0.4%"),
        (wording.percent, 0.0094, "0.9%"),
        (wording.percent, 0, "0%"),
        (wording.percent, -0.31, "−31%"),
        (wording.count, 1560, "1,560"),
        (wording.count, 1024, "1,024"),
        (wording.tokens, 512, "512"),
        (wording.tokens, 1024, "1k"),
        (wording.tokens, 16_384, "16k"),
        (wording.tokens, 131_072, "128k"),
        (wording.tokens, 1_048_576, "1M"),
        (wording.tokens, 500_000_000, "500M"),
        (wording.tokens, 1_000_000_000_000, "1T"),
        (wording.tokens, 1_500, "1.5k"),
    ],
)
def test_units(word: Callable[[float], str], value: float, text: str) -> None:
    assert plain(word(value)) == text


@pytest.mark.parametrize("missing", [None, math.nan, math.inf])
def test_what_is_not_known_is_never_a_number(missing: float | None) -> None:
    for word in (wording.usd, wording.gib, wording.ms, wording.hours, wording.percent,
                 wording.count, wording.tokens, wording.rate, wording.significant):  # fmt: skip
        assert word(missing) == "–"
        assert word(missing, missing=wording.NOT_PUBLISHED) == "not published"
    assert wording.interval(1.0, missing) == "–"


def test_a_range_says_its_unit_once() -> None:
    assert plain(wording.interval(40.2, 157.3, wording.gib)) == "40.2–157_GiB"
    assert wording.interval(0.74, 1.21, wording.usd) == "$0.74–$1.21"
    assert plain(wording.interval(0.5, 3, wording.hours)) == "30_min–3_h"
    assert plain(wording.interval(2, 2.001, wording.gib)) == "2_GiB"


def test_a_group_of_devices_stays_on_one_line() -> None:
    assert plain(wording.devices(2, "NVIDIA H200")) == "NVIDIA H200_×2"
    assert plain(wording.devices(1024, "H100")) == "H100_×1,024"


def test_a_date_reads_the_same_as_text_and_as_date() -> None:
    assert wording.day("2026-11-30") == wording.day(dt.date(2026, 11, 30)) == "30 Nov 2026"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("NVIDIA H200 SXM 141GB ×2", "H200 SXM 141GB ×2"),
        ("AMD Instinct MI300X", "MI300X"),
        ("NVIDIA GeForce RTX 4090 ×8", "RTX 4090 ×8"),
        ("NVIDIA GB300 (per GPU, NVL72) ×72", "GB300 ×72"),
        ("Huawei", "Huawei"),
        ("Own Device", "Own Device"),
    ],
)
def test_short_names_leave_out_maker_and_remarks(name: str, text: str) -> None:
    assert wording.short(name) == text


@given(value=st.floats(min_value=1e-9, max_value=1e15))
def test_the_words_lie_within_half_a_percent_of_the_number(value: float) -> None:
    said = float(wording.significant(value).replace(",", ""))
    assert said == pytest.approx(value, rel=0.00501)
