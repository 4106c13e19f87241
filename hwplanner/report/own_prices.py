"""Prices of one's own as rows that a reader edits, and edited rows as prices."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from hwplanner.errors import PlannerError
from hwplanner.links.names import LinkNames
from hwplanner.links.tables import clean_note, quotes_text
from hwplanner.quote import LARGEST_AMOUNT, MOST_QUOTES, Quote, QuoteKind

LABELS: Mapping[str, str] = {
    "device": "Device",
    "kind": "Way to pay",
    "amount": "Amount",
    "currency": "Currency",
    "usd_per_unit": "USD for one",
    "rate_date": "Rate day",
    "discount_percent": "Discount %",
    "date": "Price day",
    "note": "Note",
}
"""What the editor calls the fields of a quote, in the order of its columns."""
KIND_NAMES: Mapping[QuoteKind, str] = {
    "purchase": "Buy",
    "on_demand": "Rent on demand",
    "reserved_1y": "Reserved 1 year",
    "reserved_3y": "Reserved 3 years",
    "spot": "Spot",
}
LONGEST_TEXT = 4000
"""Letters that a link keeps for prices of one's own, beside all else."""

PriceRow = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class OwnPrices:
    """What edited rows mean: their prices, and what keeps a row from being used."""

    quotes: tuple[Quote, ...]
    faults: tuple[str, ...]


class _FaultError(PlannerError):
    """Why a cell cannot be used, as the end of a sentence."""


def price_row(quote: Quote, names: LinkNames) -> dict[str, object]:
    """Row of the editor that holds a price."""
    spoken = names.devices.get(quote.device)
    row = quote.model_dump() | {
        "device": spoken[0] if spoken else quote.device,
        "kind": KIND_NAMES[quote.kind],
    }
    # The rate of a dollar is left out, so that it cannot stay behind when the currency is changed.
    if quote.currency == "USD":
        row["usd_per_unit"] = None
    return row


def read_price_rows(rows: Iterable[PriceRow], names: LinkNames) -> OwnPrices:
    """Read edited rows; those that cannot be used are told by row, column and remedy.

    Examples
    --------
    >>> from hwplanner.links.names import shipped_names
    >>> read_price_rows([{"device": "NVIDIA L4", "kind": "Spot", "amount": -1}],
    ...                 shipped_names()).faults
    ('Row 1, Amount: -1 is not above 0; write the price of one device, or of one for an hour.',)
    """
    quotes: list[Quote] = []
    faults: list[str] = []
    for number, row in enumerate(rows, 1):
        if not any(row.get(name) for name in ("device", "kind", "amount", "note")):
            continue  # a row that was added and not yet filled
        found, wrong = _read(row, names)
        faults += [f"Row {number}, {LABELS[name]}: {words}." for name, words in wrong.items()]
        if found is not None:
            quotes.append(found)
    kept = len(quotes)
    while kept > MOST_QUOTES or len(quotes_text(quotes[:kept], names)) > LONGEST_TEXT:
        kept -= 1
    if kept < len(quotes):
        faults.append(f"A link holds the first {kept} prices; delete some or shorten their notes.")
    return OwnPrices(tuple(quotes[:kept]), tuple(faults))


def _read(row: PriceRow, names: LinkNames) -> tuple[Quote | None, dict[str, str]]:
    """Price of a row, or what is wrong with its cells by column."""
    readers: Mapping[str, Callable[[], object]] = {
        "device": lambda: _device(row.get("device"), names),
        "kind": lambda: _kind(row.get("kind")),
        "amount": lambda: _amount(row.get("amount")),
        "currency": lambda: _currency(row.get("currency")),
        "usd_per_unit": lambda: _rate(row.get("usd_per_unit"), row.get("currency")),
        "rate_date": lambda: _day(row.get("rate_date")),
        "discount_percent": lambda: _discount(row.get("discount_percent")),
        "date": lambda: _day(row.get("date")),
        "note": lambda: clean_note(str(row.get("note") or "")),
    }
    values: dict[str, object] = {}
    wrong: dict[str, str] = {}
    for name, reader in readers.items():
        try:
            values[name] = reader()
        except _FaultError as fault:
            wrong[name] = str(fault)
    return (None if wrong else Quote.model_validate(values)), wrong


def _device(cell: object, names: LinkNames) -> str:
    if not cell:
        raise _FaultError("is empty; choose a device")
    found = names.ids_of("quotes", str(cell))
    if len(found) != 1:
        raise _FaultError(f"“{cell}” is not one device of the catalogue; choose one")
    return found[0]


def _kind(cell: object) -> str:
    kinds = {name: kind for kind, name in KIND_NAMES.items()}
    if cell not in kinds:
        raise _FaultError(f"{_said(cell)}; choose {', '.join(kinds)}")
    return kinds[str(cell)]


def _amount(cell: object) -> float:
    amount = _number(cell)
    if amount is not None and 0 < amount <= LARGEST_AMOUNT:
        return amount
    wrong = _said(cell)
    if amount is not None:
        wrong = f"{amount:g} is {'not above 0' if amount <= 0 else 'more than a billion'}"
    raise _FaultError(f"{wrong}; write the price of one device, or of one for an hour")


def _currency(cell: object) -> str:
    currency = str(cell or "USD").strip().upper()
    if not re.fullmatch("[A-Z]{3}", currency):
        raise _FaultError(f"“{cell}” is no currency; write three letters, such as EUR")
    return currency


def _rate(cell: object, currency_cell: object) -> float:
    rate, currency = _number(cell), str(currency_cell or "USD").strip().upper()
    if currency == "USD":
        if rate not in (None, 1):
            raise _FaultError(f"{rate:g} for a US dollar; leave it empty, or name the currency")
        return 1.0
    if rate is None or not 0 < rate <= 1e6:
        raise _FaultError(f"{_said(cell)}; write how many US dollars one {currency} is")
    return rate


def _discount(cell: object) -> float:
    percent = _number(cell) or 0.0
    if not 0 <= percent < 100:
        raise _FaultError(f"{percent:g} is out of range; write 0 to below 100")
    return percent


def _day(cell: object) -> str:
    if not cell:
        return ""
    try:
        return datetime.date.fromisoformat(str(cell)[:10]).isoformat()
    except ValueError:
        raise _FaultError(f"“{cell}” is not a day; write it as 2026-11-30") from None


def _number(cell: object) -> float | None:
    """Number of a cell, None where there is none."""
    try:
        value = float(str(cell))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _said(cell: object) -> str:
    return "is empty" if cell in (None, "") else f"“{cell}” cannot be used"
