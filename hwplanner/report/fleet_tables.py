"""Demand and devices of each month, in a file and as cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hwplanner import wording
from hwplanner.catalog.device import device_name
from hwplanner.finance.life import Life
from hwplanner.plan import Plan
from hwplanner.report.statements import Cell, Heading, Record
from hwplanner.report.tables import Column, Table
from hwplanner.units import MONTHS_PER_YEAR

SHOWN_PURCHASES = 8
Words = Callable[[float | None], str]

FLEET_COLUMNS = (
    Column("month", "Month"),
    Column("users", "Users at once"),
    Column("peak", "Busiest hour", "requests/s"),
    Column("owned", "Owned", "devices"),
    Column("bought", "Bought", "devices"),
    Column("sold", "Sold", "devices"),
    Column("rented", "Rented at the peak", "devices"),
    Column("runs", "Rented for runs", "devices"),
    Column("busy", "Busy", "share of paid hours"),
    Column("written", "Written so far", "tokens"),
)


def fleet_table(life: Life) -> Table:
    """Demand and devices of each month."""
    values = zip(
        life.users,
        life.peak_requests_per_s,
        life.owned_devices,
        life.bought_to_grow + life.renewed,
        life.renewed,
        life.serving_rented,
        life.training_rented,
        life.busy_share,
        life.generated_tokens,
        strict=True,
    )
    names = [column.name for column in FLEET_COLUMNS[1:]]
    return Table(
        key="fleet",
        title="Fleet over time",
        columns=FLEET_COLUMNS,
        rows=tuple(
            {"month": month + 1, **dict(zip(names, map(float, row), strict=True))}
            for month, row in enumerate(values)
        ),
    )


def fleet_cells(life: Life, table: Table) -> tuple[tuple[Heading, ...], tuple[Record, ...]]:
    """Columns with something in them, and the months that a reader wants to see."""
    cells: dict[str, tuple[str, Words]] = {
        "users": ("Users at once", _users),
        "peak": ("Peak requests/s", wording.significant),
        "owned": ("Owned devices", _count),
        "bought": ("Bought", _count),
        "sold": ("Sold", _count),
        "rented": ("Rented at the peak", _count),
        "runs": ("Rented for runs", _count),
        "busy": ("Busy, of paid hours", wording.percent),
        "written": ("Tokens written so far", wording.tokens),
    }
    months = shown_months(life)
    names = [name for name in cells if any(table.rows[month][name] for month in months)]
    when = [f"Month{wording.SPACE}{month + 1}" for month in months]
    return (
        (Heading("When"), *(Heading(cells[name][0], is_number=True) for name in names)),
        tuple(
            Record(
                (
                    Cell(f"Every{wording.SPACE}month" if len(months) == 1 else said),
                    *(Cell(cells[name][1](_number(table.rows[month][name]))) for name in names),
                )
            )
            for said, month in zip(when, months, strict=True)
        ),
    )


def shown_months(life: Life) -> tuple[int, ...]:
    """Indices of the first month, the last, and the first of those that buy, or ends of years."""
    last = life.months - 1
    buys = np.flatnonzero(life.bought_to_grow[1:] + life.renewed[1:]) + 1
    if life.is_steady and not buys.size:
        return (last,)
    years = range(MONTHS_PER_YEAR - 1, last, MONTHS_PER_YEAR)
    return tuple(sorted({0, last, *map(int, buys[:SHOWN_PURCHASES] if buys.size else years)}))


def _number(value: object) -> float:
    assert isinstance(value, float)
    return value


def _count(devices: float | None) -> str:
    return wording.count(devices) if devices else wording.NONE


def _users(users: float | None) -> str:
    return wording.count(users) if users and users >= 1 else wording.significant(users)


def fleet_note(plan: Plan, life: Life) -> str:
    """Whose fleet it is, and what its columns mean."""
    places = dict.fromkeys(fleet.place for fleet in life.fleets)
    names = " and ".join(device_name(plan.devices[place]) for place in places)
    sentences = [f"{life.option.label}: {names}."]
    if life.owned_devices.any():
        years = wording.significant(plan.terms.years)
        sentences.append(
            f"Owned devices grow in whole servers, and are replaced after {years} years."
        )
    if life.runs:
        sentences.append("Runs repeat as scheduled and do not grow.")
    return " ".join([*sentences, "The file has every month."])
