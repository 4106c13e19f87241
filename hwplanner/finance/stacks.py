"""Structures of arrays below one another, as if the devices of many cases were compared at once."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from hwplanner.finance.traffic import taken
from hwplanner.money.device_prices import DevicePrices, Prices
from hwplanner.money.fleets import Market


def stacked(parts: Sequence[Any], entries: int) -> Any:
    """Put structures of arrays below one another, in nested dataclasses and mappings too.

    Parameters
    ----------
    parts
        Structures of the same kind, whose entries run along the first axis of their arrays.
    entries
        Entries of each. A number, or an array of another length, is repeated for each entry where
        it differs between the structures.

    Examples
    --------
    >>> stacked([np.array([1.0, 2.0]), np.array([3.0, 4.0])], 2)
    array([1., 2., 3., 4.])
    >>> stacked([5.0, 6.0], 2)
    array([5., 5., 6., 6.])
    """
    first = parts[0]
    if all(part is first for part in parts):
        return taken(first, np.tile(np.arange(entries), len(parts)), entries=entries)
    if is_dataclass(first):
        return _stacked_dataclasses(parts, entries)
    if isinstance(first, Mapping):
        return {name: stacked([part[name] for part in parts], entries) for name in first}
    if isinstance(first, np.ndarray) and first.shape[:1] == (entries,):
        return np.concatenate(parts)
    same = np.array_equal if isinstance(first, np.ndarray) else operator.eq
    if all(same(part, first) for part in parts):
        return first
    return np.repeat(np.stack(parts), entries, axis=0)


def stacked_markets(markets: Sequence[Market], entries: int) -> Market:
    """Put markets below one another, which differ in typical prices, terms and trends alone."""
    first, at = markets[0], np.tile(np.arange(entries), len(markets))

    def typical(prices: Sequence[Prices]) -> Prices:
        usd = np.concatenate([of_case.typical_usd for of_case in prices])
        alike: Prices = taken(prices[0], at, entries=entries)
        return replace(alike, typical_usd=usd)

    def both(prices: Sequence[DevicePrices]) -> DevicePrices:
        return DevicePrices(
            purchase=typical([of_case.purchase for of_case in prices]),
            rent=typical([of_case.rent for of_case in prices]),
            rent_is_kept=prices[0].rent_is_kept[at],
        )

    return replace(
        first,
        arrays=taken(first.arrays, at, entries=entries),
        prices=both([market.prices for market in markets]),
        peak_prices=both([market.peak_prices for market in markets]),
        terms=stacked([market.terms for market in markets], entries),
        rents=stacked([market.rents for market in markets], entries),
        calendar=stacked([market.calendar for market in markets], entries),
    )


def stacked_estimates(parts: Sequence[Any], entries: int) -> Any:
    """Put estimates below one another, of which many cases have the same."""
    different = {id(part): part for part in parts}
    stack = stacked(list(different.values()), entries)
    places = {key: place for place, key in enumerate(different)}
    rows = np.array([places[id(part)] for part in parts])[:, None] * entries
    return taken(stack, (rows + np.arange(entries)).ravel(), entries=len(different) * entries)


def _stacked_dataclasses(parts: Sequence[Any], entries: int) -> Any:
    """Put dataclasses below one another; numbers that differ become as deep as their arrays."""
    first = parts[0]
    values = {
        field.name: stacked([getattr(part, field.name) for part in parts], entries)
        for field in fields(first)
        if field.init
    }
    arrays = (getattr(first, name) for name in values)
    depth = min((a.ndim for a in arrays if isinstance(a, np.ndarray)), default=2)
    for name, value in values.items():
        if np.isscalar(getattr(first, name)) and isinstance(value, np.ndarray):
            values[name] = value.reshape(-1, *[1] * (depth - 1))
    return type(first)(**values)
