"""Times in an uploaded file: ISO 8601 or Unix, each file in one style."""

from __future__ import annotations

import datetime
import re
from typing import Literal
from zoneinfo import ZoneInfo

Style = Literal["with an offset", "without an offset", "Unix s", "Unix ms", "Unix µs", "Unix ns"]

EXAMPLES = "2026-11-30 14:05:09, 2026-11-30T14:05:09+01:00 or 1796043909"
FIRST_YEAR, LAST_YEAR = 2000, 2099  # other years are faults, or no times at all
_UTC = datetime.UTC
_FIRST_SECOND = datetime.datetime(FIRST_YEAR, 1, 1, tzinfo=_UTC).timestamp()
_LAST_SECOND = datetime.datetime(LAST_YEAR + 1, 1, 1, tzinfo=_UTC).timestamp()
_UNIX: tuple[tuple[Style, float], ...] = (
    ("Unix s", 1e0), ("Unix ms", 1e3), ("Unix µs", 1e6), ("Unix ns", 1e9),
)  # fmt: skip
_NUMBER = re.compile(r"\d{9,19}(\.\d*)?", re.ASCII)
_WITH_TIME = re.compile(r"\d{4}[-/]?\d\d[-/]?\d\d[T ]\d\d", re.ASCII)
_ZULU = re.compile(r"\s*(Z|UTC|GMT)$")
_SPACED_OFFSET = re.compile(r"(?<=\d) (?=[+-]\d\d)")


def read_instant(text: str, zone: ZoneInfo) -> tuple[Style, float] | None:
    """Style of a time and its seconds since 1970 UTC; None where a text is no time.

    Parameters
    ----------
    text
        A cell. A day alone is no time, nor is one of another century.
    zone
        Clock of times without an offset. Of the two times in the hour that is set back in autumn
        it means the first.

    Examples
    --------
    >>> berlin = ZoneInfo("Europe/Berlin")
    >>> read_instant("2026-11-30 14:05:09", berlin)
    ('without an offset', 1796043909.0)
    >>> read_instant("2026-11-30T13:05:09Z", berlin)
    ('with an offset', 1796043909.0)
    >>> read_instant("1796043909000", berlin)
    ('Unix ms', 1796043909.0)
    >>> read_instant("2026-11-30", berlin)
    """
    if _NUMBER.fullmatch(text):
        return _unix(float(text))
    if not _WITH_TIME.match(text):
        return None
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        try:
            moment = datetime.datetime.fromisoformat(_plain(text))
        except ValueError:
            return None
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        return None
    if moment.tzinfo is None:
        return "without an offset", moment.replace(tzinfo=zone).timestamp()
    return "with an offset", moment.timestamp()


def _unix(number: float) -> tuple[Style, float] | None:
    """Take a number as Unix time in the unit that puts it into our century."""
    for style, per_second in _UNIX:
        if _FIRST_SECOND <= number / per_second < _LAST_SECOND:
            return style, number / per_second
    return None


def _plain(text: str) -> str:
    """Write what other programs write as ISO 8601 has it: slashes, UTC, an offset after a space."""
    text = _ZULU.sub("+00:00", text.replace("/", "-"))
    return _SPACED_OFFSET.sub("", text)
