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
REQUEST_PARTS = ("weights", "kv_cache", "prefill", "decode", "idle")


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
class WayRow:
    """Cost of one way of paying over the horizon: due at all hours, and by the hour. [USD]

    Both are NaN without a price.
    """

    label: str
    state: State
    reason: str
    fixed_usd: float
    hourly_usd: float


@dataclass(frozen=True, slots=True)
class RequestRow:
    """Cost of an average request on one device by part, named as in `REQUEST_PARTS`. [USD]

    There are no parts without a price; `held_usd` is what of the cache's part only holds it.
    """

    label: str
    state: State
    reason: str
    parts_usd: Mapping[str, float]
    held_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class TrafficRow:
    """Cost of a million output tokens, prompts included, against traffic. [USD]

    Of devices of one's own as they are paid for, the chosen way first, or of an API.
    """

    label: str
    state: State
    is_api: bool
    requests_per_month: tuple[float, ...]
    usd: tuple[float, ...]
    usd_low: tuple[float, ...]
    usd_high: tuple[float, ...]


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
class EffectRow:
    """What one input does to the cost of the plan, at both ends of its range. [change, share]

    `tried` calls both ends; `ends` only those that move the cost. `remark` says where another
    option wins, or a target is missed.
    """

    label: str
    planned: str
    tried: tuple[str, str]
    ends: tuple[str, str]
    changes: tuple[float, float]
    remark: str


@dataclass(frozen=True, slots=True)
class CurveRow:
    """Cost of one way of paying at several levels of an input. [USD], or [USD/h] by use.

    Levels are shares of the hours, rents over today's, or users.
    """

    label: str
    state: State
    rented: bool
    levels: tuple[float, ...]
    usd: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CrossingMark:
    """A point at which another way of paying becomes the cheaper one, in words."""

    level: float
    usd: float
    words: tuple[str, ...]


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
class FleetHourRow:
    """Demand and serving devices in one hour of the week. [requests/s], [devices]"""

    day: str
    hour: int
    requests_per_s: float
    needed: float
    owned: float
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


@dataclass(frozen=True, slots=True)
class JobSpendRow:
    """What one job has cost so far, at the start and by the end of each month. [USD]"""

    job: Literal["training", "serving"]
    months: tuple[float, ...]
    usd: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class UnitCostRow:
    """What serving costs in one month, and its fleet in the busiest hour.

    `bought` counts devices bought at its start to grow, after the first month.
    """

    month: int
    usd_per_million: float
    usd_per_request: float
    devices: float
    bought: float


@dataclass(frozen=True, slots=True)
class CashRow:
    """Cash of one option month by month. [USD]

    `parts_usd` sum to the cash, sales being negative; purchases are set apart from what is due in
    every month.
    """

    label: str
    state: State
    purchases_usd: tuple[float, ...]
    regular_usd: tuple[float, ...]
    parts_usd: Mapping[str, tuple[float, ...]]
