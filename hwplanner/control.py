"""How one input is asked for: what the screen calls it, what it accepts, its name in a link."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Group = Literal["headline", "serving", "demand", "training", "money", "devices"]


@dataclass(frozen=True, slots=True)
class Control:
    """How one input is asked for, checked and written in a link.

    Parameters
    ----------
    key
        Name in the link. Public and stable.
    label
        What the screen calls it, unit included.
    group
        Part of the sidebar that shows it.
    help
        One or two sentences on what it means and what to choose.
    low, high
        Smallest and largest number accepted, for inputs that are numbers.
    step
        Step of a plain number field.
    options
        Steps of a slider, or the words to choose from.
    names
        What the screen calls each option, when the option itself does not say it.
    is_table
        Whether it is a table, which a page edits, not the sidebar.
    """

    key: str
    label: str
    group: Group
    help: str
    low: float | None = None
    high: float | None = None
    step: float | None = None
    options: tuple[Any, ...] = ()
    names: Mapping[str, str] | None = None
    is_table: bool = False

    @property
    def is_slider(self) -> bool:
        """Whether it is a slider over fixed numbers."""
        return bool(self.options) and not isinstance(self.options[0], str)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Smallest and largest number accepted, or nothing for words. [unit of the input]"""
        if self.is_slider:
            return self.options[0], self.options[-1]
        return None if self.low is None or self.high is None else (self.low, self.high)

    def fault(self, value: object) -> str | None:
        """Say why a value is refused, or nothing when it is fine."""
        if self.bounds is not None:
            low, high = self.bounds
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return f"{self.label} is {value!r}; give a number from {low:g} to {high:g}"
            if not (math.isfinite(value) and low <= value <= high):
                return f"{self.label} is {value!r}; it must lie from {low:g} to {high:g}"
        elif self.options and value not in self.options:
            return f"{self.label} is {value!r}; choose one of {', '.join(map(str, self.options))}"
        return None


def slider(key: str, label: str, group: Group, help: str, options: tuple[float, ...]) -> Control:
    """A slider over fixed numbers."""
    return Control(key, label, group, help, options=options)


def number(
    key: str, label: str, group: Group, help: str, low: float, high: float, step: float
) -> Control:
    """A field for a number."""
    return Control(key, label, group, help, low=low, high=high, step=step)


def choice(
    key: str, label: str, group: Group, help: str, kind: Any, names: Mapping[str, str]
) -> Control:
    """A choice of words."""
    return Control(key, label, group, help, options=get_args(kind), names=names)
