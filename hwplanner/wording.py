"""Numbers in words: three significant digits, a unit that stays with its number.

Every page, chart label, report and command-line table says its numbers through these functions,
so that one figure reads the same everywhere. What is not known is said as such, never as zero.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable

SPACE = "\N{NO-BREAK SPACE}"
DASH = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"
NONE = DASH
NOT_PUBLISHED = "not published"

_MAKER = re.compile(
    r"^(NVIDIA|AMD|Intel|Google|AWS|Apple|Qualcomm|Tenstorrent|Huawei|Cerebras|SambaNova|Groq) "
    r"(Instinct |GeForce |Cloud )?(?=\S)"
)
_REMARK = re.compile(r" \([^()]*\)")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_USD_SCALES = ((1e9, "B"), (1e6, "M"), (1e3, "k"))
_USD_SHORTENED_FROM = 10_000
_TOKEN_SCALES = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))
_DAYS_FROM_HOURS = 72
_YEARS_FROM_HOURS = 2 * 8760
_SECONDS_FROM_MS = 10_000


def known(value: float | None) -> bool:
    """Whether there is a number to say: neither None, NaN nor infinite."""
    return value is not None and math.isfinite(value)


def significant(value: float | None, missing: str = NONE) -> str:
    """Say a number with three significant digits and no trailing zeros.

    Examples
    --------
    >>> significant(1559.6), significant(40.0), significant(0.00041234)
    ('1,560', '40', '0.000412')
    """
    if value is None or not known(value):
        return missing
    rounded = _rounded(value)
    return _plain(rounded, 0 if rounded == 0 else max(0, 2 - _exponent(rounded)))


def quantity(value: float | None, unit: str, missing: str = NONE) -> str:
    """Say a number with its unit, joined by a space that does not break.

    Examples
    --------
    >>> quantity(2934.2, "TFLOP/s") == f"2,930{SPACE}TFLOP/s"
    True
    """
    return f"{significant(value)}{SPACE}{unit}" if known(value) else missing


def usd(value: float | None, missing: str = NONE) -> str:
    """Say an amount of US dollars; thousands and millions are shortened.

    Examples
    --------
    >>> usd(0.92), usd(3184), usd(761_000), usd(1_020_000), usd(0.00041)
    ('$0.92', '$3,180', '$761k', '$1.02M', '$0.00041')
    """
    if value is None or not known(value):
        return missing
    amount, sign = _rounded(abs(value)), MINUS if value < 0 else ""
    if amount >= _USD_SHORTENED_FROM:
        scale, letter = next(pair for pair in _USD_SCALES if amount >= pair[0])
        return f"{sign}${significant(amount / scale)}{letter}"
    if 0.1 <= amount < 10:
        return f"{sign}${amount:.2f}"
    return f"{sign}${significant(amount)}"


def gib(value: float | None, missing: str = NONE) -> str:
    """Say an amount of memory given in GiB."""
    return quantity(value, "GiB", missing)


def ms(value: float | None, missing: str = NONE) -> str:
    """Say a short time given in milliseconds; from 10 s on in seconds."""
    if value is not None and value >= _SECONDS_FROM_MS:
        return quantity(value / 1000, "s", missing)
    return quantity(value, "ms", missing)


def hours(value: float | None, missing: str = NONE) -> str:
    """Say a time given in hours, in the unit that a person would choose.

    Examples
    --------
    >>> [hours(h).replace(SPACE, " ") for h in (0.75, 58.1, 76.8)]
    ['45 min', '58.1 h', '3.2 days']
    """
    if value is None or not known(value):
        return missing
    if value >= _YEARS_FROM_HOURS:
        return quantity(value / 8760, "years")
    if value > _DAYS_FROM_HOURS:
        return quantity(value / 24, "days")
    if value >= 1 or value == 0:
        return quantity(value, "h")
    return quantity(value * 60, "min") if value >= 1 / 60 else quantity(value * 3600, "s")


def percent(share: float | None, missing: str = NONE) -> str:
    """Say a share as whole percent; below one percent with one digit.

    Examples
    --------
    >>> percent(0.512), percent(0.0042), percent(12.3)
    ('51%', '0.4%', '1,230%')
    """
    if share is None or not known(share):
        return missing
    if 0 < abs(share) < 0.0095:
        return f"{_plain(float(f'{share * 100:.0e}'), 2)}%"
    return f"{_plain(_rounded(share * 100), 0)}%"


def count(value: float | None, missing: str = NONE) -> str:
    """Say a whole number exactly, with thousands marked."""
    return missing if value is None or not known(value) else _plain(value, 0)


def tokens(value: float | None, missing: str = NONE) -> str:
    """Say a number of tokens: contexts in steps of 1,024, amounts of text in steps of 1,000.

    Examples
    --------
    >>> tokens(16384), tokens(1048576), tokens(500_000_000), tokens(400)
    ('16k', '1M', '500M', '400')
    """
    if value is None or not known(value):
        return missing
    kibi, rest = divmod(value, 1024)
    if rest == 0 and 0 < kibi < 1024:
        return f"{kibi:.0f}k"
    if kibi % 1024 == 0 and rest == 0 and 0 < kibi < 1024**2:
        return f"{kibi / 1024:.0f}M"
    rounded = _rounded(value)
    for scale, letter in _TOKEN_SCALES:
        if abs(rounded) >= scale:
            return f"{significant(rounded / scale)}{letter}"
    return significant(rounded)


def rate(value: float | None, unit: str = "tokens/s", missing: str = NONE) -> str:
    """Say a rate, by default tokens per second."""
    return quantity(value, unit, missing)


def interval(
    low: float | None, high: float | None, word: Callable[[float | None], str] = significant
) -> str:
    """Say a range with one of the functions above; a common unit is said once.

    Examples
    --------
    >>> interval(0.74, 1.21, usd)
    '$0.74–$1.21'
    >>> interval(40.2, 157.3, gib).replace(SPACE, " ")
    '40.2–157 GiB'
    """
    if not (known(low) and known(high)):
        return NONE
    first, last = word(low), word(high)
    if first == last:
        return first
    number, space, unit = first.partition(SPACE)
    return f"{number if space and last.endswith(space + unit) else first}{DASH}{last}"


def device_count(number: float) -> str:
    """Say how many devices.

    Examples
    --------
    >>> device_count(1), device_count(1024)
    ('1 device', '1,024 devices')
    """
    return "1 device" if number == 1 else f"{number:,.0f} devices"


def devices(number: int, name: str) -> str:
    """Say a group of equal devices.

    Examples
    --------
    >>> devices(2, "NVIDIA H200").replace(SPACE, " ")
    'NVIDIA H200 ×2'
    """
    return f"{name}{SPACE}{TIMES}{count(number)}"


def day(date: str | dt.date) -> str:
    """Say a date, given as such or as ISO text, the same in every country.

    Examples
    --------
    >>> day("2026-11-03")
    '3 Nov 2026'
    """
    when = dt.date.fromisoformat(date) if isinstance(date, str) else date
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}"


def short(name: str) -> str:
    """Leave out of a device's name its maker and remarks in brackets, where room is scarce.

    Examples
    --------
    >>> short("NVIDIA A16 (per GPU, board has 4) ×2"), short("AMD Instinct MI300X")
    ('A16 ×2', 'MI300X')
    """
    return _REMARK.sub("", _MAKER.sub("", name))


def _rounded(value: float) -> float:
    return float(f"{value:.2e}")


def _exponent(value: float) -> int:
    return math.floor(math.log10(abs(value)))


def _plain(value: float, decimals: int) -> str:
    """Write a number without exponent or trailing zeros, with a real minus sign."""
    text = f"{value:,.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", MINUS) if text != "-0" else "0"
