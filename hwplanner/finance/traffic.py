"""What serving on one device costs at other traffic than the plan's.

The device stands once for each traffic, as if they were many devices, so that one evaluation prices
them all: in whole copies and servers, and with a base and peaks of its own at each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from hwplanner.money.job_money import JobMoney
from hwplanner.money.serving_money import priced_serving
from hwplanner.plan import Plan
from hwplanner.serving.estimates import ServingEstimates
from hwplanner.units import Array


def serving_at(plan: Plan, place: int, traffic: Array) -> JobMoney[ServingEstimates]:
    """Cost of serving at other traffic, in the layouts of the plan and without growth.

    Parameters
    ----------
    plan
        The plan.
    place
        Device, by its place in the comparison.
    traffic
        Users and requests over those of the first month. [ratio, (levels,)]

    Returns
    -------
    JobMoney
        All ways of paying, one entry for each traffic.

    Notes
    -----
    The caches that users fill and the requests that arrive grow alike. Left out: that another
    layout of the device may suit another traffic better.
    """
    at_each = np.full(len(traffic), place)

    def repeated(structure: Any) -> Any:
        return taken(structure, at_each, entries=len(plan.devices))

    market, calendar = plan.market, plan.market.calendar
    market = replace(
        market,
        arrays=repeated(market.arrays),
        prices=repeated(market.prices),
        peak_prices=repeated(market.peak_prices),
        calendar=replace(calendar, growth=np.ones(calendar.months)),
    )
    owned, rented = (
        with_traffic(repeated(fleet.estimates), traffic)
        for fleet in (plan.serving_cost.owned, plan.serving_cost.rented)
    )
    return priced_serving(owned, rented, shape=plan.shape, market=market)


def with_traffic(serving: ServingEstimates, traffic: Array) -> ServingEstimates:
    """Let so many times the users ask: the same layouts in more or fewer copies."""
    copies = np.ceil(serving.load_in_copies * traffic) + serving.spare_copies
    changes: dict[str, Any] = {
        "users_load": serving.users_load * traffic,
        "requests_load": serving.requests_load * traffic,
        "copies": copies,
        "devices": copies * serving.layout_devices,
        "capacity_requests_per_s": serving.capacity_requests_per_s * copies / serving.copies,
        "peak_requests_per_s": serving.peak_requests_per_s * traffic,
    }
    return replace(serving, **changes)


def taken(structure: Any, places: Any, *, entries: int) -> Any:
    """Take entries of a structure of arrays, in nested dataclasses and mappings too.

    Parameters
    ----------
    structure
        Entries run along the first axis of its arrays, and through its tuples.
    places
        Which to take; one may come several times.
    entries
        How many there are; what has another length is no structure of them, and stays.

    Examples
    --------
    >>> taken({"usd": np.array([5.0, 7.0]), "name": ("a", "b")}, [1, 1, 0], entries=2)
    {'usd': array([7., 7., 5.]), 'name': ('b', 'b', 'a')}
    """
    if is_dataclass(structure) and not isinstance(structure, type):
        parts = {
            field.name: taken(getattr(structure, field.name), places, entries=entries)
            for field in fields(structure)
            if field.init
        }
        return type(structure)(**parts)
    if isinstance(structure, Mapping):
        return {name: taken(part, places, entries=entries) for name, part in structure.items()}
    if isinstance(structure, np.ndarray) and structure.shape[:1] == (entries,):
        return structure[places]
    if isinstance(structure, tuple) and len(structure) == entries:
        return tuple(map(structure.__getitem__, places))
    return structure
