"""Rows for the tests of figures, and every figure drawn from them; the numbers are invented."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any

import plotly.graph_objects as go

from dashboard.figures import (
    break_even,
    cases,
    cash,
    catalogue,
    cost,
    day,
    evidence,
    fleet,
    frontier,
    job_spend,
    limits,
    load,
    memory,
    request_cost,
    scaling,
    spend,
    tornado,
    traffic,
    unit_cost,
    week,
)
from dashboard.figures.base import Frame
from dashboard.figures.palette import LIGHT
from hwplanner.physics.time_parts import LIMITS
from hwplanner.report.tables import (
    CashRow,
    CatalogueRow,
    CheckRow,
    CostRow,
    CrossingMark,
    CurveRow,
    DayRow,
    EffectRow,
    FleetHourRow,
    FrontierRow,
    JobSpendRow,
    LimitRow,
    LoadRow,
    MemoryRow,
    RequestRow,
    ScaleRow,
    SpendRow,
    State,
    TrafficRow,
    UnitCostRow,
    WeekRow,
)
from hwplanner.units import Interval

FRAME = Frame("Support assistant", "30 Nov 2026", LIGHT)
NAN = math.nan

COST = (
    CostRow("NVIDIA H200 SXM 141GB ×2", "chosen", "rented", Interval(0.74, 0.92, 1.21), 0.68),
    CostRow("AMD Instinct MI300X ×1", "fine", "owned", Interval(0.71, 1.04, 1.58), 0.3),
    CostRow("Intel Gaudi 3 ×2", "fine", "", Interval(0.98, 1.47, 2.35)),
    CostRow("NVIDIA L40S ×4", "misses", "too slow, 74 ms a token", Interval(0.8, 1.12, 1.71)),
    CostRow("NVIDIA L4 ×8", "does_not_fit", "6.5 GiB short on 8 devices", None),
    CostRow("Apple M3 Ultra ×1", "no_price", "no price known", None),
)
MEMORY = (
    MemoryRow(
        "NVIDIA H200 SXM 141GB ×2",
        "chosen",
        "",
        {"weights": 66, "kv_cache": 80, "activations": 5, "overhead": 6},
        260,
        (0.9, 1.2),
    ),
    MemoryRow(
        "NVIDIA GB300 (per GPU, NVL72) ×72", "fine", "", {"weights": 66, "kv_cache": 80}, 20_000
    ),
    MemoryRow(
        "NVIDIA L4 ×8", "does_not_fit", "6.5 GiB short", {"weights": 66, "kv_cache": 112}, 171.5
    ),
    MemoryRow("Groq LPU v1 ×64", "unsupported", "no software for this model", {}, 14),
)


def frontier_row(
    label: str, state: State, first_ms: float, ms_per_user: float, operating: int | None
) -> FrontierRow:
    users = tuple(float(2**i) for i in range(9))
    tpot = tuple(first_ms + ms_per_user * n for n in users)
    rate = tuple(1000 * n / ms for n, ms in zip(users, tpot, strict=True))
    low, high = tuple(0.8 * r for r in rate), tuple(1.2 * r for r in rate)
    return FrontierRow(label, state, tpot, rate, users, low, high, operating)


FRONTIER = (
    frontier_row("NVIDIA H200 SXM 141GB ×2", "chosen", 13, 0.2, 7),
    frontier_row("AMD Instinct MI300X ×1", "fine", 15, 0.4, 5),
    frontier_row("NVIDIA H100 SXM5 80GB ×4", "fine", 15, 0.41, 5),
    frontier_row("NVIDIA L40S ×4", "misses", 46, 0.6, 0),
    frontier_row("NVIDIA A2 ×8", "misses", 240, 0.6, 0),
    FrontierRow("NVIDIA L4 ×8", "does_not_fit", (), (), (), (), (), None),
)
COUNTS = tuple(2**i for i in range(11))


def scale_row(
    label: str, state: State, hours: tuple[float, ...], operating: int | None = None
) -> ScaleRow:
    low, high = tuple(0.8 * hour for hour in hours), tuple(1.5 * hour for hour in hours)
    return ScaleRow(label, state, COUNTS, hours, low, high, 72, operating)


SCALING = (
    scale_row("NVIDIA H200 SXM", "chosen", tuple(900 / n + 2 for n in COUNTS), 4),
    scale_row("AMD MI300X", "fine", (NAN, NAN, *(999 / n + 2 for n in COUNTS[2:]))),
    scale_row("NVIDIA L4", "does_not_fit", (NAN,) * 11),
)
LIMIT = (
    LimitRow(
        "Serving: reading the prompt", dict(zip(LIMITS, (0.7, 0.1, 0.15, 0.05), strict=True)),
        "compute",
    ),
    LimitRow(
        "Serving: writing each token", dict(zip(LIMITS, (0.04, 0.9, 0.06, 0), strict=True)),
        "memory bandwidth",
    ),
)  # fmt: skip
MONTHS = tuple(range(37))


def spend_row(label: str, state: State, rented: bool, start: float, monthly: float) -> SpendRow:
    usd = tuple(start + monthly * month for month in MONTHS)
    low, high = tuple(0.9 * x for x in usd), tuple(1.1 * x for x in usd)
    return SpendRow(label, state, rented, MONTHS, usd, low, high)


SPEND = (
    spend_row("Own serving, rent training", "chosen", False, 286e3, 13.2e3),
    spend_row("One shared family, owned", "misses", False, 412e3, 9.1e3),
    spend_row("Rent everything", "fine", True, 0, 31.4e3),
    spend_row("One L4 family", "does_not_fit", False, 0, 0),
)
JOB_SPEND = (
    JobSpendRow("serving", MONTHS, tuple(500.0 * month**2 for month in MONTHS)),
    JobSpendRow("training", MONTHS, tuple(10_000.0 * month for month in MONTHS)),
)
UNIT_COST = tuple(
    UnitCostRow(
        month, 3 / month, 0.001 / month, 8 + 8 * (month >= 4) + month // 9, 8 * (month == 4)
    )
    for month in range(1, 37)
)


def cash_row(label: str, state: State, bought: dict[int, float], monthly: float) -> CashRow:
    purchases = tuple(bought.get(month, 0.0) for month in range(1, 37))
    rent = (monthly,) * 36
    return CashRow(label, state, purchases, rent, {"purchases": purchases, "rent": rent})


CASH = (
    cash_row("Own serving, rent training", "chosen", {1: 286e3, 30: 40e3}, 13.2e3),
    cash_row("One shared family, owned", "misses", {1: 412e3}, 9.1e3),
    cash_row("Rent everything", "fine", {}, 31.4e3),
)
WEEK = tuple(
    WeekRow(day, tuple(0.02 if hour < 7 else 0.9 for hour in range(24))) for day in ("Mon", "Tue")
)
FLEET = tuple(
    FleetHourRow(day, hour, 4.0, 2.0 + 4 * (hour >= 8) + 6 * (hour >= 20), 8.0, hour < 8)
    for day in ("Mon", "Tue")
    for hour in range(24)
)
DAY = tuple(DayRow(hour, 4 + 2 * hour, 52, 40, 70, hour < 7) for hour in range(24))
CATALOGUE = (
    CatalogueRow("NVIDIA H200 SXM", "NVIDIA", "chosen", 141, 4800, 989),
    CatalogueRow("NVIDIA L4", "NVIDIA", "compared", 24, 300, 121),
    CatalogueRow("AMD MI300X", "AMD", "compared", 192, 5300, 1307),
    CatalogueRow("Intel Arc B580", "Intel", "other", 12, 456, 98),
    CatalogueRow("Cerebras WSE-3", "Cerebras", "other", 44, 21_000_000, 12_500),
    CatalogueRow("Tenstorrent n150", "Tenstorrent", "other", 12, 288, NAN),
)

EVIDENCE = (
    CheckRow("Llama 70B on H200 ×8", "A blog", "2026-01", "vLLM 0.9", 5000, 4600, 3900, 6100, True),
    CheckRow("Llama 8B on L4", "A table", "2025-03", "vLLM 0.8", 90, 130, 100, 170, False),
    CheckRow("Unknown 1B on A2", "A table", "2025-03", "vLLM 0.8", 90, NAN, NAN, NAN, False),
)

LOADS = tuple(i / 20 for i in range(1, 20))
LOAD = (
    LoadRow(
        key="tpot",
        label="NVIDIA H200 SXM 141GB ×2",
        load=LOADS,
        requests_per_s=tuple(10 * load for load in LOADS),
        lines_ms={
            name: tuple(factor * (12 + 40 * load) for load in LOADS)
            for name, factor in {
                "mean": 1.0, "p50": 0.9, "p95": 1.1, "p99": 1.2, "mean_low": 0.8,
                "mean_high": 1.3, "p99_low": 1.0, "p99_high": 1.7,
            }.items()
        },
        target_ms=40,
        planned=0.6,
        planned_ms=36,
        unsure_from=0.85,
    ),
)  # fmt: skip

REQUEST = (
    RequestRow(
        "NVIDIA H200 SXM 141GB ×2",
        "chosen",
        "owned, peaks rented",
        {"weights": 0.003, "kv_cache": 0.002, "prefill": 0.001, "decode": 0.0005, "idle": 0.0035},
        0.0015,
    ),
    RequestRow(
        "AMD Instinct MI300X ×1",
        "fine",
        "rented",
        {"weights": 0.004, "kv_cache": 0.001, "prefill": 0.002, "decode": 0.0, "idle": 0.005},
    ),
    RequestRow(
        "NVIDIA L40S ×4",
        "misses",
        "too slow, 74 ms a token",
        {"weights": 0.02, "kv_cache": 0.01, "prefill": 0.01, "decode": 0.01, "idle": 0.03},
    ),
    RequestRow("Apple M3 Ultra ×1", "no_price", "no price known", {}),
)
REQUESTS = (1e3, 1e4, 1e5, 1e6)


def traffic_row(label: str, state: State, *usd: float, is_api: bool = False) -> TrafficRow:
    low, high = tuple(0.8 * x for x in usd), tuple(1.2 * x for x in usd)
    return TrafficRow(label, state, is_api, REQUESTS, usd, low, high)


TRAFFIC = (
    traffic_row("NVIDIA H200 SXM 141GB, owned", "chosen", 900, 90, 9, 2),
    traffic_row("NVIDIA H200 SXM 141GB, rented", "fine", NAN, NAN, NAN, NAN),
    traffic_row("API", "fine", 12, 12, 12, 12, is_api=True),
)

EFFECTS = (
    EffectRow("Growth", "0%", ("0%", "5%"), ("", "5%"), (0.0, 1.6), ""),
    EffectRow("Users at once", "128", ("half", "double"), ("half", "double"), (-0.31, 0.44), ""),
    EffectRow(
        "Context",
        "8k tokens",
        ("half", "double"),
        ("half", "double"),
        (-0.36, 0.4),
        "half: renting everything wins",
    ),
    EffectRow("Answer length", "400", ("half", "double"), ("half", "double"), (-0.1, -0.2), ""),
    EffectRow("PUE", "1.5", ("1.1", "1.6"), ("", ""), (0.0, 0.0), ""),
)
CROSSINGS = (CrossingMark(0.8, 420_000, ("rents ×0.80",)),)
CURVES = (
    CurveRow("Own serving, rent training", "chosen", False, (0.25, 1, 4), (350e3, 440e3, 600e3)),
    CurveRow("Rent everything", "fine", True, (0.25, 1, 4), (130e3, 520e3, 2e6)),
    CurveRow("One shared family, owned", "misses", False, (0.25, 1, 4), (700e3, 700e3, 700e3)),
    CurveRow("Two families, both owned", "fine", False, (0.25, 1, 4), (NAN, NAN, NAN)),
)
BY_USE = (
    CurveRow("Owned", "chosen", False, (0.1, 0.55, 1.0), (11.0, 2.0, 1.1)),
    CurveRow("Rented", "fine", True, (0.1, 0.55, 1.0), (2.0, 2.0, 2.0)),
)
CASES = (
    CostRow("Own serving, rent training", "chosen", "", Interval(330e3, 456e3, 660e3), 0.54),
    CostRow("Rent everything", "fine", "", Interval(222e3, 484e3, 990e3), 0.46),
    CostRow("One shared family", "misses", "misses a target", Interval(6e5, 9e5, 14e5)),
)

Figure = Callable[[Sequence[Any], Frame], go.Figure]
FIGURES: dict[str, tuple[Any, Figure]] = {
    "cost of serving": (COST, cost.figure),
    "cost of training": (COST, partial(cost.figure, job="training")),
    "spend": (SPEND, partial(spend.figure, break_even_month=15.7)),
    "request": (REQUEST, request_cost.figure),
    "traffic": (TRAFFIC, partial(traffic.figure, break_even=1e5, planned=3e5)),
    "job spend": (JOB_SPEND, partial(job_spend.figure, crossing_months=20.0)),
    "unit cost": (UNIT_COST, unit_cost.figure),
    "cash": (CASH, cash.figure),
    "tornado": (EFFECTS, tornado.figure),
    "break-even by rent": (
        CURVES,
        partial(break_even.figure, job="rent", planned=1.0, crossings=CROSSINGS),
    ),
    "break-even by users": (CURVES, partial(break_even.figure, job="users", planned=1.0)),
    "break-even by use": (
        BY_USE,
        partial(
            break_even.figure,
            job="use",
            planned=0.65,
            crossings=(CrossingMark(0.55, 2.0, ("break-even", "55%")),),
        ),
    ),
    "cases": (CASES, cases.figure),
    "memory": (MEMORY, partial(memory.figure, detail="8-bit weights, 48 users at 16k tokens.")),
    "frontier": (FRONTIER, partial(frontier.figure, target_ms=40)),
    "scaling": (SCALING, scaling.figure),
    "load": (LOAD, load.figure),
    "limits": (LIMIT, partial(limits.figure, device="NVIDIA H200 SXM 141GB ×2")),
    "week": (WEEK, week.figure),
    "day": (DAY, day.figure),
    "fleet": (FLEET, fleet.figure),
    "evidence": (EVIDENCE, partial(evidence.figure, unit="tokens/s")),
    "catalogue, compute": (CATALOGUE, catalogue.figure),
    "catalogue, memory": (CATALOGUE, partial(catalogue.figure, measure="memory")),
}
TEXTS: dict[str, tuple[Any, Callable[[Any], str], Callable[[Any], Any]]] = {
    "cost": (COST, cost.alt_text, cost.data_table),
    "spend": (SPEND, spend.alt_text, spend.data_table),
    "request": (REQUEST, request_cost.alt_text, request_cost.data_table),
    "traffic": (TRAFFIC, traffic.alt_text, traffic.data_table),
    "job spend": (
        JOB_SPEND,
        partial(job_spend.alt_text, crossing_months=20.0),
        job_spend.data_table,
    ),
    "unit cost": (UNIT_COST, unit_cost.alt_text, unit_cost.data_table),
    "cash": (CASH, cash.alt_text, cash.data_table),
    "tornado": (EFFECTS, tornado.alt_text, tornado.data_table),
    "break-even": (
        CURVES,
        partial(break_even.alt_text, job="rent"),
        partial(break_even.data_table, job="rent"),
    ),
    "cases": (CASES, cases.alt_text, cases.data_table),
    "memory": (MEMORY, memory.alt_text, memory.data_table),
    "frontier": (FRONTIER, partial(frontier.alt_text, target_ms=40), frontier.data_table),
    "scaling": (SCALING, scaling.alt_text, scaling.data_table),
    "load": (LOAD, load.alt_text, load.data_table),
    "limits": (LIMIT, partial(limits.alt_text, device="NVIDIA H200 ×2"), limits.data_table),
    "week": (WEEK, week.alt_text, week.data_table),
    "day": (DAY, day.alt_text, day.data_table),
    "fleet": (FLEET, fleet.alt_text, fleet.data_table),
    "evidence": (EVIDENCE, evidence.alt_text, evidence.data_table),
    "catalogue": (CATALOGUE, catalogue.alt_text, catalogue.data_table),
}


def renamed(rows: Sequence[Any], name: str) -> list[Any]:
    """Give every text of every row that names something another name."""
    assert all(is_dataclass(row) for row in rows)
    named = {"label", "reason", "vendor", "day", "source", "engine", "date"}
    return [
        replace(row, **{field.name: name for field in fields(row) if field.name in named})
        for row in rows
    ]


def texts(part: object) -> Iterator[str]:
    """Walk through every text of a figure's JSON."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for value in part.values():
            yield from texts(value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from texts(value)


def shown(fig: go.Figure) -> str:
    """Join all texts of a figure."""
    return "\n".join(texts(fig.to_plotly_json()))


def trace(fig: go.Figure, **wanted: object) -> Any:
    """Find the one trace with these properties."""
    [found] = [part for part in fig.data if wanted.items() <= part.to_plotly_json().items()]
    return found
