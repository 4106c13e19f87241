"""Unit sizes, and the types that formulas take and return.

Inside the package only base units are used: bytes, FLOP, seconds, watts, US dollars and plain
counts. Vendor units are converted once, where a file is read, and back where a table is made.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Quantity: TypeAlias = float | Array
Flag: TypeAlias = bool | NDArray[np.bool_]

KIB = 2**10
MIB = 2**20
GIB = 2**30
MB = 10**6
GB = 10**9
TERA = 10**12
MILLION = 10**6
BILLION = 10**9

BITS_PER_BYTE = 8
SECONDS_PER_HOUR = 3600
HOURS_PER_DAY = 24
HOURS_PER_WEEK = 168
HOURS_PER_YEAR = 8760
HOURS_PER_MONTH = HOURS_PER_YEAR / 12
MONTHS_PER_YEAR = 12


@dataclass(frozen=True, slots=True)
class Interval:
    """A typical value inside a range that is meant to hold 8 of 10 cases."""

    low: float
    typical: float
    high: float
