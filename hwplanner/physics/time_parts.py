"""Seconds of a step, a request or a run, kept apart by what they are spent on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hwplanner.units import Array, Quantity

LIMITS = ("compute", "memory bandwidth", "communication", "overhead")


@dataclass(frozen=True, slots=True)
class TimeParts:
    """Seconds by what they are spent on; sums and multiples keep them apart. [s]

    Attributes
    ----------
    compute, memory, communication, overhead
        Arithmetic, traffic of the device's memory, traffic between devices, fixed costs.
    total
        All of it, added once since every batch that is tried asks for it.

    Examples
    --------
    >>> step = TimeParts(np.array(1.0), np.array(2.0), np.array(0.0), np.array(0.5))
    >>> float((step * 2 + step).total)
    10.5
    """

    compute: Array
    memory: Array
    communication: Array
    overhead: Array
    total: Array = field(init=False)

    def __post_init__(self) -> None:
        total = self.compute + self.memory + self.communication + self.overhead
        object.__setattr__(self, "total", total)

    def __add__(self, other: TimeParts) -> TimeParts:
        """Time of both, one after the other."""
        return TimeParts(
            self.compute + other.compute,
            self.memory + other.memory,
            self.communication + other.communication,
            self.overhead + other.overhead,
        )

    def __mul__(self, factor: Quantity) -> TimeParts:
        """Time of several, or of a part."""
        return TimeParts(
            self.compute * factor,
            self.memory * factor,
            self.communication * factor,
            self.overhead * factor,
        )

    def flat(self) -> TimeParts:
        """Drop the single column, after `take`: one entry per device."""
        return TimeParts(
            self.compute[:, 0], self.memory[:, 0], self.communication[:, 0], self.overhead[:, 0]
        )

    def take(self, layout: NDArray[np.intp]) -> TimeParts:
        """Keep one layout (column) per device (row), as a column."""
        rows, shape = np.arange(len(layout)), self.total.shape
        parts = (self.compute, self.memory, self.communication, self.overhead)
        # Broadcasting costs more than the choice, and is seldom needed.
        whole = (part if part.shape == shape else np.broadcast_to(part, shape) for part in parts)
        return TimeParts(*(part[rows, layout][:, None] for part in whole))

    def of_device(self, place: int) -> TimeParts:
        """Keep one device, after `take`: one row."""
        rows = slice(place, place + 1)
        return TimeParts(
            self.compute[rows], self.memory[rows], self.communication[rows], self.overhead[rows]
        )
