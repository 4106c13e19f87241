"""Rows that tables and charts show: each number travels with its label and unit.

A `Table` is what a page prints and a CSV file holds. The chart rows below are what a figure
function takes; it draws them and computes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hwplanner.units import Interval

State = Literal["chosen", "fine", "misses", "does_not_fit", "unsupported", "no_price"]

MEMORY_PARTS = ("weights", "gradients", "optimizer", "kv_cache", "activations", "overhead")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name in files, its heading and its unit ('' where it has none)."""

    name: str
    label: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a page or file, in order, one mapping per row keyed by column name."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class CostRow:
    """Cost of one device: chart of intervals. [USD per million output tokens, or a run]

    `cheapest_share` is the share of draws in which no other device that meets the target is
    cheaper.
    """

    label: str
    state: State
    reason: str
    usd: Interval | None
    cheapest_share: float = 0.0


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """Memory of one device's layout, all its devices together. [GiB]

    `needed_over` holds the factors on the sum of the parts that hold 8 of 10 cases.
    """

    label: str
    state: State
    reason: str
    parts_gib: Mapping[str, float]
    usable_gib: float
    needed_over: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, slots=True)
class FrontierRow:
    """Throughput against time per token of one device as the batch grows.

    `operating` indexes the point at which the plan runs it; low and high bound the throughput.
    """

    label: str
    state: State
    tpot_ms: tuple[float, ...]
    tokens_per_s: tuple[float, ...]
    users: tuple[float, ...]
    tokens_per_s_low: tuple[float, ...]
    tokens_per_s_high: tuple[float, ...]
    operating: int | None


@dataclass(frozen=True, slots=True)
class LimitRow:
    """Shares of the time of one activity that each limit takes; they sum to 1."""

    label: str
    shares: Mapping[str, float]
    limited_by: str


@dataclass(frozen=True, slots=True)
class SpendRow:
    """Money spent so far by one option, month by month. [USD]"""

    label: str
    state: State
    rented: bool
    months: tuple[float, ...]
    usd: tuple[float, ...]
    usd_low: tuple[float, ...]
    usd_high: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class WeekRow:
    """Busy share of the serving capacity in each hour of one day. [share, 24 values]"""

    day: str
    busy: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class DayRow:
    """Demand and capacity in one hour of the busiest day. [requests/s]

    Low and high hold the capacity in 8 of 10 cases.
    """

    hour: int
    demand_per_s: float
    capacity_per_s: float
    capacity_low_per_s: float
    capacity_high_per_s: float
    free_for_training: bool


@dataclass(frozen=True, slots=True)
class ScaleRow:
    """Time of a training run on more and more devices of one kind. [h]

    `target` is the time that a run may take; `operating` indexes the number that the plan uses;
    low and high hold 8 of 10 cases.
    """

    label: str
    state: State
    devices: tuple[int, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    target: float
    operating: int | None = None


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """One device of the catalogue as published; NaN where a figure is not published."""

    label: str
    vendor: str
    role: Literal["chosen", "compared", "other"]
    memory_gib: float
    bandwidth_gb_per_s: float
    bf16_tflop_per_s: float


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One published figure beside the estimate of a fit that had not seen it, in its own unit.

    `is_of_plan` marks runs on a device that the plan chooses.
    """

    label: str
    source: str
    date: str
    engine: str
    measured: float
    predicted: float
    low: float
    high: float
    is_of_plan: bool


@dataclass(frozen=True, slots=True)
class LoadRow:
    """One time of the chosen device as demand grows to the most that its copies answer. [ms]

    `lines_ms` holds mean, p50, p95, p99 and the low and high of mean and p99, one entry for each
    `load`. `planned` is the load that is asked for, past 1 where more arrives than is answered, and
    `planned_ms` the mean there; from `unsure_from` on tails are not known.
    """

    key: Literal["ttft", "tpot"]
    label: str
    load: tuple[float, ...]
    requests_per_s: tuple[float, ...]
    lines_ms: Mapping[str, tuple[float, ...]]
    target_ms: float
    planned: float
    planned_ms: float
    unsure_from: float
