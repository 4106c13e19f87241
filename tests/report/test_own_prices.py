"""Edited rows of prices: what they mean, and what is said of those that mean nothing yet."""

import pytest
from hypothesis import given

from hwplanner.links.names import LinkNames, shipped_names
from hwplanner.links.tables import quotes_text
from hwplanner.quote import MOST_QUOTES, Quote
from hwplanner.report.own_prices import LONGEST_TEXT, OwnPrices, price_row, read_price_rows
from tests.links.test_link import NAMES, quotes

ROW = {"device": "NVIDIA L4", "kind": "Rent on demand", "amount": 0.5, "currency": "USD"}


def read(*rows: dict[str, object], names: LinkNames | None = None) -> OwnPrices:
    return read_price_rows(rows, names or shipped_names())


def test_a_row_is_a_price() -> None:
    row = {
        "device": "AMD MI300X",
        "kind": "Reserved 1 year",
        "amount": 2,
        "currency": "eur",
        "usd_per_unit": 1.1,
        "rate_date": "2026-11-02",
        "discount_percent": 10,
        "date": "2026-11-20",
        "note": "Acme;",
    }
    (quote,) = read(row).quotes
    assert quote == Quote(
        device="amd-mi300x",
        kind="reserved_1y",
        amount=2,
        currency="EUR",
        usd_per_unit=1.1,
        rate_date="2026-11-02",
        discount_percent=10,
        date="2026-11-20",
        note="Acme",
    )
    assert quote.usd == pytest.approx(1.98)  # 2 EUR x 1.1 less a tenth


def test_what_is_left_empty_has_a_plain_meaning() -> None:
    assert read({**ROW, "currency": None, "note": None}) == OwnPrices(
        (Quote(device="nvidia-l4", kind="on_demand", amount=0.5),), ()
    )
    assert read({}, {"currency": "USD"}) == OwnPrices((), ())


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"device": None}, "Row 1, Device: is empty; choose a device."),
        (
            {"device": "ZX81"},
            "Row 1, Device: “ZX81” is not one device of the catalogue; choose one.",
        ),
        (
            {"kind": ""},
            "Row 1, Way to pay: is empty; choose Buy, Rent on demand, Reserved 1 year, Reserved 3 "
            "years, Spot.",
        ),
        (
            {"amount": None},
            "Row 1, Amount: is empty; write the price of one device, or of one for an hour.",
        ),
        (
            {"amount": 0},
            "Row 1, Amount: 0 is not above 0; write the price of one device, or of one for an "
            "hour.",
        ),
        (
            {"amount": "x"},
            "Row 1, Amount: “x” cannot be used; write the price of one device, or of one for an "
            "hour.",
        ),
        (
            {"amount": 1e12},
            "Row 1, Amount: 1e+12 is more than a billion; write the price of one device, or of one "
            "for an hour.",
        ),
        (
            {"currency": "€", "usd_per_unit": 1.1},
            "Row 1, Currency: “€” is no currency; write three letters, such as EUR.",
        ),
        (
            {"currency": "EUR"},
            "Row 1, USD for one: is empty; write how many US dollars one EUR is.",
        ),
        (
            {"currency": "EUR", "usd_per_unit": -1},
            "Row 1, USD for one: “-1” cannot be used; write how many US dollars one EUR is.",
        ),
        (
            {"usd_per_unit": 1.1},
            "Row 1, USD for one: 1.1 for a US dollar; leave it empty, or name the currency.",
        ),
        (
            {"discount_percent": 100},
            "Row 1, Discount %: 100 is out of range; write 0 to below 100.",
        ),
        (
            {"date": "20.11.2026"},
            "Row 1, Price day: “20.11.2026” is not a day; write it as 2026-11-30.",
        ),
        (
            {"rate_date": "soon"},
            "Row 1, Rate day: “soon” is not a day; write it as 2026-11-30.",
        ),
    ],
)
def test_a_cell_that_cannot_be_used_is_told_with_its_remedy(
    change: dict[str, object], fault: str
) -> None:
    assert read(ROW | change) == OwnPrices((), (fault,))


def test_a_faulty_row_keeps_no_other_from_being_used() -> None:
    found = read(ROW, ROW | {"amount": -1, "device": ""}, {}, ROW | {"amount": 3})
    assert [quote.amount for quote in found.quotes] == [0.5, 3]
    assert [fault.partition(":")[0] for fault in found.faults] == ["Row 2, Device", "Row 2, Amount"]


def test_more_prices_than_a_link_holds_are_told_and_the_first_are_kept() -> None:
    assert read(*[ROW] * MOST_QUOTES).faults == ()
    many = read(*[ROW] * (MOST_QUOTES + 1))
    assert len(many.quotes) == MOST_QUOTES
    assert many.faults == ("A link holds the first 40 prices; delete some or shorten their notes.",)
    long = {"note": "x" * 40, "date": "2026-11-20", "discount_percent": 12.3456789}
    wordy = read(*[ROW | long | {"currency": "EUR", "usd_per_unit": 1.0123456789}] * MOST_QUOTES)
    assert len(quotes_text(wordy.quotes, shipped_names())) <= LONGEST_TEXT
    assert wordy.faults == (
        f"A link holds the first {len(wordy.quotes)} prices; delete some or shorten their notes.",
    )


def test_a_dollar_leaves_no_rate_behind_for_another_currency() -> None:
    row = price_row(Quote(device="nvidia-l4", kind="spot", amount=1), shipped_names())
    assert row["usd_per_unit"] is None
    assert read(row | {"currency": "EUR"}).faults == (
        "Row 1, USD for one: is empty; write how many US dollars one EUR is.",
    )


@given(quotes)
def test_a_price_comes_back_from_its_row(quote: Quote) -> None:
    assert read_price_rows([price_row(quote, NAMES)], NAMES) == OwnPrices((quote,), ())
