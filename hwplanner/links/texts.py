"""One value of an input as a text, and a text of any kind as a value.

Screen, address bar and command line say a value with the same words: ``16k``, ``8-bit (fp8)``,
``NVIDIA H200 SXM``. Reading is kinder than writing: the option's own name, other punctuation and
numbers between two steps are understood as well.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from hwplanner.links.names import LinkNames, slug
from hwplanner.links.tables import quotes_text, read_quotes, read_week, week_text
from hwplanner.scenario import Scenario, controls
from hwplanner.units import KIB, MIB

LONGEST_NAME = 60
LONGEST_WORD = 100
LISTED_AT_MOST = 5
QUOTED_AT_MOST = 40

_NUMBER = re.compile(
    r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([km]?)", re.ASCII | re.IGNORECASE
)
_BINARY = {"": 1, "k": KIB, "m": MIB}
_DECIMAL = {"": 1, "k": 1000, "m": 1_000_000}

Value = str | float | bool


class UnusableError(Exception):
    """Why a text cannot be used, as the middle of a sentence."""


class AmbiguousError(UnusableError):
    """A text names several things."""


def text_of(name: str, value: Any, names: LinkNames) -> str:
    """Say one value of an input.

    Examples
    --------
    >>> from hwplanner.links.names import shipped_names
    >>> text_of("context_tokens", 16384, shipped_names()), text_of("pue", 1.5, shipped_names())
    ('16k', '1.5')
    """
    control = controls()[name]
    if name == "own_week":
        return week_text(value)
    if name == "quotes":
        return quotes_text(value, names)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        spoken = names.of_field(name).get(value)
        return spoken[0] if spoken else (control.names or {}).get(value, value)
    if control.is_slider and value >= KIB and value % KIB == 0:
        return f"{value // MIB:.0f}M" if value % MIB == 0 else f"{value // KIB:.0f}k"
    return np.format_float_positional(value, trim="-")


def value_of(name: str, text: str, names: LinkNames) -> tuple[Any, str]:
    """Read one value of an input, and say what was changed about it, if anything.

    Raises
    ------
    UnusableError
        When nothing sensible can be read.

    Examples
    --------
    >>> from hwplanner.links.names import shipped_names
    >>> value_of("weight_format", "8-BIT fp8", shipped_names())
    ('fp8', '')
    >>> value_of("users", "47", shipped_names())
    (48, '“47” lies between two steps; 48 is used')
    """
    control, default = controls()[name], Scenario.model_fields[name].default
    if control.is_table:
        return _table(name, text, names)
    if name == "plan_date":
        return _day(text), ""
    if name == "name":
        return clean_name(text), f"cut at {LONGEST_NAME} characters" * (len(text) > LONGEST_NAME)
    if not text.strip():
        if default == "":
            return "", ""
        raise UnusableError("it is empty")
    if names.of_field(name):
        return _id(name, text, names), ""
    if isinstance(default, bool):
        return _word(text, {"true": True, "false": False}), ""
    if control.bounds is None:
        spoken = {word: option for option, word in (control.names or {}).items()}
        return _word(text, {option: option for option in control.options} | spoken), ""
    return _number(name, text, names)


def clean_name(text: str) -> str:
    """Make a scenario's name printable and short; an empty one becomes the default."""
    printable = "".join(c if c.isprintable() else " " for c in text[:LONGEST_NAME])
    return printable if printable.strip() else str(Scenario.model_fields["name"].default)


def quoted(text: str) -> str:
    """Quote a text from outside, printable and short."""
    shown = "".join(c if c.isprintable() else "?" for c in text[:QUOTED_AT_MOST])
    return f"“{shown}{'…' if len(text) > QUOTED_AT_MOST else ''}”"


def listed(texts: Iterable[str]) -> str:
    """Quote the first few texts from outside and count the others."""
    texts = list(texts)
    others = len(texts) - LISTED_AT_MOST
    return ", ".join(map(quoted, texts[:LISTED_AT_MOST])) + f" and {others} more" * (others > 0)


def _number(name: str, text: str, names: LinkNames) -> tuple[float, str]:
    control = controls()[name]
    for option in control.options:
        if text.strip().lower() == text_of(name, option, names).lower():
            return option, ""
    match = _NUMBER.fullmatch(text.strip())
    if not match:
        raise UnusableError(f"{quoted(text)} is not a number")
    # Tokens and other counts are spoken of in powers of two, dollars and hours are not.
    is_count = Scenario.model_fields[name].annotation is int
    asked = float(match[1]) * (_BINARY if is_count else _DECIMAL)[match[2].lower()]
    if control.fault(asked):
        low, high = (text_of(name, bound, names) for bound in control.bounds or ())
        raise UnusableError(f"{quoted(text)} lies outside {low} to {high}")
    used, reason = asked, "lies between two steps"
    if control.is_slider:
        used = min(control.options, key=lambda option: abs(option - asked))
    elif is_count:
        used, reason = round(asked), "is not a whole number"
    changed = f"{quoted(text)} {reason}; {text_of(name, used, names)} is used"
    return used, "" if used == asked else changed


def _table(name: str, text: str, names: LinkNames) -> tuple[Any, str]:
    """Read a table; what of it cannot be read is told and left out."""
    if not text.strip():
        return (), ""
    if name == "quotes":
        quotes, faults = read_quotes(text, names)
        others = len(faults) - LISTED_AT_MOST
        told = "; ".join(faults[:LISTED_AT_MOST])
        return quotes, told + f"; and {others} more faults" * (others > 0)
    try:
        return read_week(text), ""
    except ValueError as fault:
        raise UnusableError(str(fault)) from None


def _day(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text.strip()).isoformat() if text.strip() else ""
    except ValueError:
        raise UnusableError(f"{quoted(text)} is not a day, YYYY-MM-DD") from None


def _word(text: str, words: Mapping[str, Any]) -> Any:
    for word, value in words.items():
        if slug(word) == slug(text[:LONGEST_WORD]):
            return value
    raise UnusableError(f"{quoted(text)} is not one of the choices")


def _id(name: str, text: str, names: LinkNames) -> str:
    found = names.ids_of(name, text[:LONGEST_WORD])
    if not found:
        raise UnusableError(f"{quoted(text)} is not known")
    if len(found) > 1:
        raise AmbiguousError(f"{quoted(text)} can mean {' or '.join(found)}")
    return found[0]
