"""Where a number was read, in words."""

from __future__ import annotations

from hwplanner.plan import Plan


def witness(plan: Plan, place: int, column: str) -> str:
    """Where a figure of the catalogue was read; '' where nobody says."""
    source = plan.catalog.source(plan.devices[place].id, column)
    if source is None:
        return ""
    return ", ".join(filter(None, (source.title or source.kind, source.date)))


def assumed(plan: Plan, name: str) -> str:
    """Where a number that is in no data sheet comes from."""
    return plan.assumptions.get(name).source
