"""Tables of a scenario as one text each: a week of demand, and prices of one's own.

A week is 168 numbers of two letters and digits, Monday 0:00 first. Prices read like a line of a
price list: ``NVIDIA H200 SXM;on demand;2.99;EUR;1.08;2026-11-02;10;2026-11-20;Acme``, one after
the other with a bar between them.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import ValidationError

from hwplanner.links.names import LinkNames, slug
from hwplanner.quote import LONGEST_NOTE, MOST_QUOTES, Quote, QuoteKind
from hwplanner.scenario import MOST_LOAD, WEEK_HOURS

DAY_HOURS = 24
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
KIND_WORDS: Mapping[QuoteKind, str] = {
    "purchase": "buy",
    "on_demand": "on demand",
    "reserved_1y": "reserved 1 year",
    "reserved_3y": "reserved 3 years",
    "spot": "spot",
}
SEPARATORS = ";|~"
_RULES = {
    "amount": "the amount must be above 0 and at most a billion",
    "currency": "the currency must be three letters, such as EUR",
    "usd_per_unit": "the exchange rate must be above 0 and at most a million",
    "discount_percent": "the discount must be from 0 to below 100",
}
"""What `Quote` asks of a cell, in words."""


def week_text(week: Sequence[float]) -> str:
    """Write a week of demand, whole numbers from 0 to `MOST_LOAD`.

    Examples
    --------
    >>> week_text([0, 35, 36, 1000])
    '000z10rs'
    """
    base = len(DIGITS)
    return "".join(DIGITS[int(load) // base] + DIGITS[int(load) % base] for load in week)


def read_week(text: str) -> tuple[float, ...]:
    """Read a week, or numbers with commas between them: 168 hours, or 24 for every day.

    Raises
    ------
    ValueError
        When it is neither; the message is the middle of a sentence.

    Examples
    --------
    >>> read_week(",".join(["0"] * 12 + ["5"] * 12))[11:13]
    (0.0, 1000.0)
    """
    text = text.strip().lower()
    if re.fullmatch("([0-9a-z]{2})*", text) and len(text) == 2 * WEEK_HOURS:
        pairs = (text[place : place + 2] for place in range(0, len(text), 2))
        loads = [float(int(pair, len(DIGITS))) for pair in pairs]
    else:
        loads = [float(number) for number in _numbers(text)]
    return scaled_week(loads * (WEEK_HOURS // DAY_HOURS) if len(loads) == DAY_HOURS else loads)


def _numbers(text: str) -> list[str]:
    numbers = text.split(",")
    if not all(re.fullmatch(r"\s*\d{1,12}(\.\d{1,9})?\s*", number, re.ASCII) for number in numbers):
        raise ValueError(f"it is not {WEEK_HOURS} hours of demand")
    return numbers


def scaled_week(loads: Sequence[float]) -> tuple[float, ...]:
    """Demand of 168 hours in any unit as a scenario holds it: the busiest hour at `MOST_LOAD`.

    Raises
    ------
    ValueError
        When it is not such a week, or has no demand; the message is the middle of a sentence.
    """
    if len(loads) != WEEK_HOURS:
        raise ValueError(f"it has {len(loads)} hours; a week has {WEEK_HOURS}")
    values = np.asarray(loads, dtype=np.float64)
    if not (np.isfinite(values).all() and values.min() >= 0 and values.max() > 0):
        raise ValueError("an hour must not be negative, and one must have demand")
    return tuple(float(load) for load in np.round(values / values.max() * MOST_LOAD))


def quotes_text(quotes: Sequence[Quote], names: LinkNames) -> str:
    """Write prices of one's own."""
    return "|".join(_quote_text(quote, names) for quote in quotes)


def _quote_text(quote: Quote, names: LinkNames) -> str:
    spoken = names.devices.get(quote.device)
    cells = (
        spoken[0] if spoken else quote.device,
        KIND_WORDS[quote.kind],
        _plain(quote.amount),
        quote.currency,
        _plain(quote.usd_per_unit),
        quote.rate_date,
        _plain(quote.discount_percent),
        quote.date,
        quote.note,
    )
    return ";".join(cells).rstrip(";")


def _plain(value: float) -> str:
    return np.format_float_positional(value, trim="-")


def read_quotes(text: str, names: LinkNames) -> tuple[tuple[Quote, ...], list[str]]:
    """Read prices of one's own, and say which of them cannot be read."""
    quotes, faults = [], []
    lines = [line for line in text.split("|") if line.strip()]
    for number, line in enumerate(lines[:MOST_QUOTES], 1):
        try:
            quotes.append(_quote(line, names))
        except ValidationError as error:
            found = error.errors()[0]
            field = str(found["loc"][0]) if found["loc"] else ""
            why = _RULES.get(field, found["msg"].removeprefix("Value error, "))
            faults.append(f"price {number} is left out: {why}")
        except ValueError as error:
            faults.append(f"price {number} is left out: {error}")
    if len(lines) > MOST_QUOTES:
        faults.append(f"{len(lines) - MOST_QUOTES} more than the {MOST_QUOTES} that are kept")
    return tuple(quotes), faults


def _quote(line: str, names: LinkNames) -> Quote:
    cells = [*line.split(";"), *[""] * 9][:9]
    device, kind, amount, currency, rate, rate_date, discount, date, note = map(str.strip, cells)
    found = names.ids_of("quotes", device)
    if len(found) != 1:
        raise ValueError("the device is not known" if not found else "the device is ambiguous")
    kinds = {slug(word): key for key, word in KIND_WORDS.items()}
    if slug(kind) not in kinds:
        raise ValueError(f"the kind must be one of {', '.join(KIND_WORDS.values())}")
    if currency.upper() not in ("", "USD") and not rate:
        raise ValueError("it has no exchange rate, US dollars for one unit of its currency")
    return Quote(
        device=found[0],
        kind=kinds[slug(kind)],
        amount=_number(amount, "the amount"),
        currency=currency.upper() or "USD",
        usd_per_unit=_number(rate or "1", "the exchange rate"),
        rate_date=_day(rate_date),
        discount_percent=_number(discount or "0", "the discount"),
        date=_day(date),
        note=clean_note(note),
    )


def clean_note(text: str) -> str:
    """Make a note printable, short and free of what separates prices in a link."""
    return "".join(c for c in text if c.isprintable() and c not in SEPARATORS)[
        :LONGEST_NOTE
    ].strip()


def _number(text: str, what: str) -> float:
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{0,12})?)([kKmM]?)", text, re.ASCII)
    if not match:
        raise ValueError(f"{what} is not a number")
    return float(match[1]) * {"": 1, "k": 1e3, "m": 1e6}[match[2].lower()]


def _day(text: str) -> str:
    if text:
        try:
            datetime.date.fromisoformat(text)
        except ValueError:
            raise ValueError("a date is not written YYYY-MM-DD") from None
    return text
