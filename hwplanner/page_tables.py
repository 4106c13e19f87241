"""A plan as the tables that pages print and files hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from hwplanner import wording
from hwplanner.chart_rows import device_label, state
from hwplanner.cost import capital_left_usd
from hwplanner.csv_files import shipped_dictionary
from hwplanner.device_prices import device_prices
from hwplanner.explain import cost_per_request, serving_cost
from hwplanner.kv_cache import cache_bytes_per_token
from hwplanner.model_numbers import model_numbers
from hwplanner.models import load_models
from hwplanner.options import Option
from hwplanner.plan import Plan
from hwplanner.precision import resolve_arithmetic
from hwplanner.scenario import controls
from hwplanner.statements import (
    CONFIDENCE_WORDS,
    Cell,
    Confidence,
    Heading,
    JobRow,
    KeyFigure,
    Record,
    Status,
)
from hwplanner.story import hardware, horizon_usd
from hwplanner.tables import LIMITS, Column, Job, Table
from hwplanner.units import BILLION, GIB, MONTHS_PER_YEAR, SECONDS_PER_HOUR
from hwplanner.verdicts import TESTS, verdicts, why_not

MISSING = Cell(wording.NONE)


def job_rows(plan: Plan) -> tuple[JobRow, ...]:
    """The one table: training and serving side by side, for the devices that the plan chooses."""
    serve, train = plan.serving_choice, plan.training_choice
    names = (
        "Memory needed",
        "Limited by",
        "Time target",
        "Communication",
        "Precision",
        "Pattern",
        "Hardware",
        "Cost",
        "Confidence",
    )
    training = [MISSING] * len(names) if train is None else _training_cells(plan, train)
    serving = [MISSING] * len(names) if serve is None else _serving_cells(plan, serve)
    return tuple(JobRow(*cells) for cells in zip(names, training, serving, strict=True))


def _largest(parts: Mapping[str, float]) -> str:
    name = max(parts, key=lambda part: parts[part])
    return f"{name} {wording.percent(parts[name] / sum(parts.values()))}"


def _training_cells(plan: Plan, place: int) -> list[Cell]:
    training, scenario = plan.training, plan.scenario
    memory = training.memory
    devices = float(training.devices[place])
    shares = training.limit_shares[:, place]
    limit = int(shares.argmax())
    communication = float(shares[LIMITS.index("communication")])
    run_hours = plan.best.finish_hours
    owned = plan.best.key in ("shared", "two_owned")
    usd, (low, high) = _run_usd(plan, place), plan.bands.training
    parts = {
        "weights": float(memory.weights_bytes[place]),
        "gradients": float(memory.gradients_bytes[place]),
        "optimizer": float(memory.optimizer_bytes[place]),
        "activations": float((memory.activations_bytes + memory.logits_bytes)[place]),
    }
    precision = controls()["training_precision"].names or {}
    return [
        Cell(wording.gib(float(memory.total_bytes[place]) * devices / GIB), _largest(parts)),
        Cell(LIMITS[limit], f"{wording.percent(float(shares[limit]))} of the step"),
        Cell(
            f"in {wording.hours(scenario.window_hours)}",
            status=_target_status(run_hours / scenario.window_hours),
            verdict=wording.hours(run_hours),
        ),
        Cell(
            f"constant, {wording.count(devices)} devices" if devices > 1 else "none, one device",
            f"{wording.percent(communication)} of the step",
        ),
        Cell(
            precision[scenario.training_precision],
            "32-bit master weights" if scenario.training_precision != "fp32" else "",
        ),
        Cell(
            f"{wording.hours(run_hours)}, {_times(scenario.runs_per_month)}",
            f"{wording.tokens(scenario.training_tokens_million * 1e6)} tokens a run",
        ),
        Cell(
            f"{'own' if owned else 'rent'} {wording.count(devices)} {wording.TIMES} "
            f"{device_label(plan, place)}",
            strong=True,
        ),
        Cell(f"{wording.usd(usd)} a run", wording.interval(usd / high, usd / low, wording.usd)),
        Cell(confidence=_confidence(plan, place)),
    ]


def _confidence(plan: Plan, place: int) -> Confidence:
    """How far an estimate can be trusted: constants of the device's class, or of none."""
    is_classed = plan.devices[place].efficiency_class != "other"
    return "calibrated" if is_classed else "extrapolated"


def _times(runs: float) -> str:
    return "once a month" if runs == 1 else f"{wording.significant(runs)} times a month"


def _run_usd(plan: Plan, place: int) -> float:
    owned = plan.best.key in ("shared", "two_owned")
    money = plan.training_cost
    yearly = (money.owned_usd_per_year if owned else money.rent_usd_per_year)[place]
    return float(yearly) / max(plan.scenario.runs_per_month * 12, 1)


def _target_status(ratio: float) -> Status:
    return "poor" if ratio > 1 else "near" if ratio > 0.9 else "good"


def _serving_cells(plan: Plan, place: int) -> list[Cell]:
    serving, scenario = plan.serving, plan.scenario
    copy_devices = float(serving.layout_devices[place])
    communication = float(serving.limit_shares[LIMITS.index("communication"), place])
    tpot_ms = float(serving.tpot_seconds[place]) * 1000
    owned = plan.best.key != "rent_all"
    usd, (low, high) = serving_cost(plan, place).value, plan.bands.serving
    parts = {
        "weights": float(serving.weights_bytes[place]),
        "cache": float(serving.cache_bytes[place]),
        "activations": float(serving.activations_bytes[place]),
        "overhead": float(serving.overhead_bytes[place]),
    }
    copies = float(serving.copies[place])
    return [
        Cell(
            wording.gib(float(serving.used_bytes[place]) * copy_devices / GIB)
            + (" a copy" if copies > 1 else ""),
            _largest(parts),
        ),
        _serving_limit(plan, place),
        Cell(
            f"{wording.ms(scenario.tpot_ms)} a token",
            status=_target_status(tpot_ms / scenario.tpot_ms),
            verdict=wording.ms(tpot_ms),
        ),
        Cell(
            f"inside {wording.count(copy_devices)} devices" if copy_devices > 1 else "none",
            f"{wording.percent(communication)} of a request"
            if copy_devices > 1
            else "one device holds a copy",
        ),
        Cell(f"{plan.workload.weight_format.label} weights", _precision_note(plan, place)),
        Cell(
            plan.shape.title,
            f"peak {wording.rate(serving.peak_requests_per_s, 'requests/s')}",
        ),
        Cell(
            f"{'own' if owned else 'rent'} {wording.count(serving.devices[place])} "
            f"{wording.TIMES} {device_label(plan, place)}",
            strong=True,
        ),
        Cell(
            f"{wording.usd(usd)} per 1M tokens out",
            wording.interval(usd / high, usd / low, wording.usd),
        ),
        Cell(confidence=_confidence(plan, place)),
    ]


def _precision_note(plan: Plan, place: int) -> str:
    """What the formats leave open: untested quality, arithmetic in another format."""
    arithmetic = verdicts(plan, place, "serving")[TESTS.index("precision")]
    substitute = arithmetic.reason if arithmetic.level == "near" else ""
    return "; ".join(filter(None, (plan.workload.quality_note, substitute)))


def _serving_limit(plan: Plan, place: int) -> Cell:
    """What stops a copy from serving more: full memory, else what takes most of the time."""
    shares = plan.serving.limit_shares[:, place]
    limit = LIMITS[int(shares.argmax())]
    share = f"{wording.percent(float(shares.max()))} of a request"
    if plan.serving.held_by_memory[place] and plan.serving.copies[place] > 1:
        return Cell("capacity", f"{limit} {share}")
    return Cell(limit, share)


def key_figures(plan: Plan) -> tuple[KeyFigure, ...]:
    """Headline numbers of serving, for the device that the plan chooses."""
    place = plan.serving_choice
    if place is None:
        return ()
    serving, scenario = plan.serving, plan.scenario
    low, high = plan.bands.serving
    request = cost_per_request(plan, place).value
    million = serving_cost(plan, place).value
    busy = plan.shape.mean_over_peak * float(serving.peak_utilization[place])

    def ranged(usd: float) -> str:
        return wording.interval(usd / high, usd / low, wording.usd)

    def timed(label: str, seconds: float, target_ms: float) -> KeyFigure:
        value, _, unit = wording.ms(seconds * 1000).partition(wording.SPACE)
        return KeyFigure(label, value, unit, f"target {wording.ms(target_ms)}")

    return (
        KeyFigure("Cost per request", wording.usd(request), note=ranged(request)),
        KeyFigure("Per 1M output tokens", wording.usd(million), note=ranged(million)),
        timed("Time per token", float(serving.tpot_seconds[place]), scenario.tpot_ms),
        timed("First token", float(serving.ttft_seconds[place]), scenario.ttft_ms),
        KeyFigure(
            "Busy, week average",
            wording.percent(busy),
            note=f"peak {wording.percent(float(serving.peak_utilization[place]))}",
        ),
    )


OPTION_HEADINGS = (
    Heading("Option"),
    Heading("Hardware"),
    Heading("Total", is_number=True),
    Heading("8 of 10", is_number=True),
    Heading("Idle hours", is_number=True),
    Heading("Run finishes in", is_number=True),
    Heading("Targets"),
)


def option_records(plan: Plan) -> tuple[Record, ...]:
    """The four options as cells, best first."""
    return tuple(_option_record(plan, option) for option in plan.options)


def _option_record(plan: Plan, option: Option) -> Record:
    if not option.exists:
        return Record((Cell(option.label), Cell(wording.NONE)), reason=option.reason)

    def total(usd_per_year: float) -> str:
        return wording.usd(horizon_usd(plan, usd_per_year))

    usd, is_best = option.usd_per_year, option is plan.best
    return Record(
        cells=(
            Cell(option.label),
            Cell(hardware(plan, option)),
            Cell(total(usd.typical), strong=is_best),
            Cell(f"{total(usd.low)}{wording.DASH}{total(usd.high)}"),
            Cell(wording.percent(option.idle_share)),
            Cell(wording.hours(option.finish_hours)),
            Cell(
                status="good" if option.meets_both else "poor",
                verdict=option_targets(plan, option),
            ),
        ),
        chosen=is_best,
    )


OPTION_COLUMNS = (
    Column("option", "Option"),
    Column("hardware", "Hardware"),
    Column("total_usd", "Total", "USD over the horizon"),
    Column("low_usd", "Low", "USD over the horizon"),
    Column("high_usd", "High", "USD over the horizon"),
    Column("purchase_usd", "Purchase", "USD at the start"),
    Column("idle_share", "Idle hours", "share of paid hours"),
    Column("finish_hours", "Run finishes in", "h"),
    Column("meets_serving", "Serving target met"),
    Column("meets_training", "Training window met"),
    Column("remark", "Remark"),
)


def options_table(plan: Plan) -> Table:
    """The four options, best first."""
    return Table(
        key="options",
        title="Four ways to do it",
        columns=OPTION_COLUMNS,
        rows=tuple(_option_row(plan, option) for option in plan.options),
    )


def _option_row(plan: Plan, option: Option) -> Mapping[str, object]:
    return {
        "option": option.label,
        "hardware": hardware(plan, option),
        "total_usd": horizon_usd(plan, option.usd_per_year.typical),
        "low_usd": horizon_usd(plan, option.usd_per_year.low),
        "high_usd": horizon_usd(plan, option.usd_per_year.high),
        "purchase_usd": option.purchase_usd,
        "idle_share": option.idle_share,
        "finish_hours": option.finish_hours,
        "meets_serving": option.meets_serving,
        "meets_training": option.meets_training,
        "remark": option.reason or option_targets(plan, option),
    }


def option_targets(plan: Plan, option: Option) -> str:
    """Whether an option meets the targets, in words."""
    if not option.exists:
        return option.reason
    faults = []
    if not option.meets_serving and option.serving_device is not None:
        faults.append(why_not(plan, option.serving_device, "serving"))
    if not option.meets_training:
        late = option.finish_hours - plan.scenario.window_hours
        faults.append(f"run {wording.hours(late)} late")
    return ", ".join(faults) or "both met"


def device_table(plan: Plan, job: Job) -> Table:
    """Every compared device in one job: layout, figures, verdicts and reasons."""
    build = _serving_row if job == "serving" else _training_row
    order = plan.serving_order if job == "serving" else plan.training_order
    columns = _SERVING_COLUMNS if job == "serving" else _TRAINING_COLUMNS
    return Table(
        key=f"{job}_devices",
        title=f"Devices for {job}",
        columns=(*columns, *(Column(test, test.capitalize()) for test in TESTS)),
        rows=tuple(build(plan, place) | _verdict_cells(plan, place, job) for place in order),
    )


_SERVING_COLUMNS = (
    Column("device", "Device"),
    Column("state", "State"),
    Column("reason", "Why not"),
    Column("devices", "Devices", "count"),
    Column("copies", "Copies", "count"),
    Column("tensor", "Tensor split", "devices"),
    Column("pipeline", "Pipeline", "stages"),
    Column("memory_gib", "Memory used", "GiB/device"),
    Column("usable_gib", "Usable", "GiB/device"),
    Column("tpot_ms", "Time per token", "ms"),
    Column("ttft_ms", "First token", "ms"),
    Column("busy_share", "Busy at peak", "share"),
    Column("usd_per_million", "Cost", "USD per 1M output tokens"),
    Column("owned_usd", "Owned", "USD a year"),
    Column("rented_usd", "Rented", "USD a year"),
    Column("price_basis", "Price from"),
)


def _serving_row(plan: Plan, place: int) -> dict[str, object]:
    serving, money = plan.serving, plan.serving_cost
    fits = bool(serving.fits[place])

    def only_if_fits(value: float) -> float:
        return float(value) if fits else float("nan")

    usd = plan.usd_per_million_output_tokens(money.usd_per_year)[place]
    return {
        "device": device_label(plan, place),
        "state": state(plan, place, "serving").replace("_", " "),
        "reason": why_not(plan, place, "serving"),
        "devices": only_if_fits(serving.devices[place]),
        "copies": only_if_fits(serving.copies[place]),
        "tensor": only_if_fits(serving.tensor[place]),
        "pipeline": only_if_fits(serving.pipeline[place]),
        "memory_gib": float(serving.used_bytes[place] / GIB),
        "usable_gib": float(serving.usable_bytes[place] / GIB),
        "tpot_ms": only_if_fits(serving.tpot_seconds[place] * 1000),
        "ttft_ms": only_if_fits(serving.ttft_seconds[place] * 1000),
        "busy_share": only_if_fits(serving.peak_utilization[place]),
        "usd_per_million": float(usd),
        "owned_usd": float(money.owned_usd_per_year[place]),
        "rented_usd": float(money.rent_usd_per_year[place]),
        "price_basis": _price_basis(plan, place),
    }


def _price_basis(plan: Plan, place: int) -> str:
    found = [plan.prices.purchase_basis[place], plan.prices.rent_basis[place]]
    return "; ".join(filter(None, found)) or "no price known"


_TRAINING_COLUMNS = (
    Column("device", "Device"),
    Column("state", "State"),
    Column("reason", "Why not"),
    Column("devices", "Devices", "count"),
    Column("tensor", "Tensor split", "devices"),
    Column("pipeline", "Pipeline", "stages"),
    Column("replicas", "Replicas", "count"),
    Column("memory_gib", "Memory used", "GiB/device"),
    Column("usable_gib", "Usable", "GiB/device"),
    Column("run_hours", "Run", "h"),
    Column("tokens_per_s_per_device", "Speed", "tokens/s/device"),
    Column("mfu", "Model FLOP utilization", "share"),
    Column("usd_per_run", "Cost", "USD a run"),
    Column("owned_usd", "Owned", "USD a year"),
    Column("rented_usd", "Rented", "USD a year"),
    Column("price_basis", "Price from"),
)


def _training_row(plan: Plan, place: int) -> dict[str, object]:
    training, money = plan.training, plan.training_cost
    fits = bool(training.fits[place])

    def only_if_fits(value: float) -> float:
        return float(value) if fits else float("nan")

    return {
        "device": device_label(plan, place),
        "state": state(plan, place, "training").replace("_", " "),
        "reason": why_not(plan, place, "training"),
        "devices": only_if_fits(training.devices[place]),
        "tensor": only_if_fits(training.layout.tensor[place]),
        "pipeline": only_if_fits(training.layout.pipeline[place]),
        "replicas": only_if_fits(training.layout.replicas[place]),
        "memory_gib": float(training.memory.total_bytes[place] / GIB),
        "usable_gib": float(training.usable_bytes[place] / GIB),
        "run_hours": only_if_fits(training.run_seconds[place] / SECONDS_PER_HOUR),
        "tokens_per_s_per_device": only_if_fits(training.tokens_per_s_per_device[place]),
        "mfu": only_if_fits(training.mfu[place]),
        "usd_per_run": float(plan.usd_per_run[place]),
        "owned_usd": float(money.owned_usd_per_year[place]),
        "rented_usd": float(money.rent_usd_per_year[place]),
        "price_basis": _price_basis(plan, place),
    }


def _verdict_cells(plan: Plan, place: int, job: Job) -> dict[str, object]:
    return {
        verdict.test: f"{verdict.level}: {verdict.reason}" for verdict in verdicts(plan, place, job)
    }


def catalogue_table(plan: Plan) -> Table:
    """Every device with its published figures; what is not published stays empty."""
    columns = (
        Column("device", "Device"),
        Column("vendor", "Vendor"),
        Column("memory_gib", "Memory", "GiB"),
        Column("usable_gib", "Usable", "GiB"),
        Column("bandwidth_gb_per_s", "Bandwidth", "GB/s"),
        Column("bf16_tflops", "bf16", "TFLOP/s"),
        Column("fp8_tflops", "fp8", "TFLOP/s"),
        Column("fp4_tflops", "fp4", "TFLOP/s"),
        Column("tdp_w", "Power", "W"),
        Column("link", "Link"),
        Column("domain", "Fast domain", "devices"),
        Column("training", "Training"),
        Column("purchase_usd", "Purchase", "USD"),
        Column("rent_usd", "Rent", "USD/h"),
        Column("price_basis", "Price from"),
    )
    ids = tuple(device.id for device in plan.catalog.devices)
    prices = device_prices(plan.scenario, ids, plan.catalog)

    def in_unit(value: float | None, unit: float) -> float:
        return float("nan") if value is None else value / unit

    rows = tuple(
        {
            "device": device.name,
            "vendor": device.vendor,
            "memory_gib": device.memory_bytes / GIB,
            "usable_gib": device.usable_memory_bytes / GIB,
            "bandwidth_gb_per_s": in_unit(device.memory_bandwidth_bytes_per_s, 1e9),
            "bf16_tflops": in_unit(device.bf16_flop_per_s, 1e12),
            "fp8_tflops": in_unit(device.fp8_flop_per_s, 1e12),
            "fp4_tflops": in_unit(device.fp4_flop_per_s, 1e12),
            "tdp_w": in_unit(device.tdp_watts, 1),
            "link": device.scale_up_link,
            "domain": device.scale_up_domain,
            "training": device.training_supported,
            "purchase_usd": float(prices.purchase_usd[index]),
            "rent_usd": float(prices.rent_usd_per_hour[index]),
            "price_basis": "; ".join(
                filter(None, (prices.purchase_basis[index], prices.rent_basis[index]))
            ),
        }
        for index, device in enumerate(plan.catalog.devices)
    )
    return Table("catalogue", "Devices of the catalogue", columns, rows)


def assumptions_table(plan: Plan) -> Table:
    """Every hand-set number with its range and source."""
    columns = tuple(
        Column(name, name.capitalize())
        for name in ("name", "key", "low", "typical", "high", "unit", "meaning", "source", "date")
    )
    rows = tuple(
        {column.name: getattr(item, column.name) for column in columns}
        for item in plan.assumptions.by_name_and_key.values()
    )
    return Table("assumptions", "Assumptions", columns, rows)


DEVICE_HEADINGS = (
    Heading("Device"),
    Heading("Cost", is_number=True),
    *(Heading(test.capitalize()) for test in TESTS),
)


def device_records(plan: Plan, job: Job) -> tuple[Record, ...]:
    """Every compared device in one job with its four verdicts in words, in order of cost."""
    order = plan.serving_order if job == "serving" else plan.training_order
    usd = (
        plan.usd_per_million_output_tokens(plan.serving_cost.usd_per_year)
        if job == "serving"
        else plan.usd_per_run
    )
    choice = plan.serving_choice if job == "serving" else plan.training_choice
    count = plan.serving.devices if job == "serving" else plan.training_cost.devices
    return tuple(
        Record(
            cells=(
                Cell(device_label(plan, place, count[place]), why_not(plan, place, job)),
                Cell(wording.usd(float(usd[place]))),
                *(
                    Cell(status=verdict.level, verdict=verdict.level, note=verdict.reason)
                    for verdict in verdicts(plan, place, job)
                ),
            ),
            chosen=place == choice,
        )
        for place in order
    )


def model_facts(plan: Plan) -> tuple[tuple[str, str], ...]:
    """The architecture that is planned for, as names and facts."""
    shape, numbers, weights = plan.workload.shape, plan.workload.numbers, plan.workload.weights
    per_token = cache_bytes_per_token(
        model=numbers, bytes_per_value=plan.workload.cache_bytes_per_value
    )
    attention = (
        f"latent, {shape.kv_lora_rank} + {shape.qk_rope_head_dim} values a token"
        if shape.is_latent
        else f"{shape.heads} heads, {shape.kv_heads} for keys and values, {shape.head_dim} wide"
    )
    facts = [
        ("Model", shape.name),
        ("Parameters", f"{numbers.total_parameters:,.0f}"),
        ("Used by a token", f"{numbers.active_parameters:,.0f}"),
        ("Layers and width", f"{shape.layers} layers, {shape.hidden:,} wide"),
        ("Attention", attention),
        ("Weights", f"{wording.gib(weights.total_bytes / GIB)} in {_format_name(plan)}"),
        ("Cache of a token", f"{float(per_token):,.0f} bytes, growing with the context"),
    ]
    if shape.is_moe:
        facts.insert(4, ("Experts", f"{shape.experts_per_token} of {shape.experts} a token"))
    if shape.sliding_layers:
        window = f"{shape.sliding_layers} layers keep {shape.sliding_window:,} tokens only"
        facts.insert(-2, ("Sliding window", window))
    if shape.linear_layers:
        facts.insert(-2, ("Linear layers", f"{shape.linear_layers} with a constant state"))
    return (*facts, ("Source", shape.source))


def _format_name(plan: Plan) -> str:
    return plan.workload.weight_format.label


def witness_table(plan: Plan, device_id: str) -> Table:
    """Every figure of a device with where it was read, and its prices."""
    columns = (
        Column("figure", "Figure"),
        Column("value", "Value"),
        Column("source", "Source"),
        Column("date", "Date"),
        Column("kind", "Kind"),
        Column("note", "Note"),
    )
    figures = tuple(
        {
            "figure": source.column,
            "value": source.value,
            "source": " ".join(filter(None, (source.title, source.address))) or source.kind,
            "date": source.date,
            "kind": source.kind,
            "note": source.note,
        }
        for source in plan.catalog.sources
        if source.device_id == device_id
    )
    return Table("witnesses", "Figures and where they were read", columns, figures)


def price_table(plan: Plan, device_id: str) -> Table:
    """Every price point of a device."""
    columns = (
        Column("kind", "Kind"),
        Column("provider", "Provider"),
        Column("market", "Market"),
        Column("term", "Term"),
        Column("usd", "Price", "USD, a device or a device-hour"),
        Column("date", "Date"),
        Column("used", "Used"),
        Column("source", "Source"),
    )
    rows = tuple(
        {
            "kind": point.kind.replace("_", " "),
            "provider": point.provider,
            "market": point.market,
            "term": point.term,
            "usd": point.usd,
            "date": point.date,
            "used": point.use,
            "source": point.source,
        }
        for point in plan.catalog.prices_for(device_id)
    )
    return Table("prices", "Price points", columns, rows)


def dictionary_table() -> Table:
    """What each column of each data file holds."""
    columns = (
        Column("file", "File"),
        Column("column", "Column"),
        Column("unit", "Unit"),
        Column("holds", "Holds"),
        Column("meaning", "Meaning"),
    )
    rows = tuple(
        {
            "file": file,
            "column": column.name,
            "unit": column.unit,
            "holds": column.wanted,
            "meaning": column.meaning,
        }
        for file, described in shipped_dictionary().items()
        for column in described
    )
    return Table("columns", "Columns of the data files", columns, rows)


def yearly_cost_table(plan: Plan) -> Table:
    """What serving costs a year on each device by each way of paying, part by part."""
    money = plan.serving_cost
    columns = (
        Column("device", "Device"),
        Column("devices", "Devices", "count"),
        Column("capital", "Capital", "USD a year"),
        Column("power", "Power", "USD a year"),
        Column("maintenance", "Maintenance", "USD a year"),
        Column("staff", "Staff", "USD a year"),
        Column("owned", "Owned", "USD a year"),
        Column("rented", "Rented", "USD a year"),
        Column("price_basis", "Price from"),
    )
    owned = money.owned
    rows = tuple(
        {
            "device": device_label(plan, place),
            "devices": int(money.devices[place]),
            "capital": float(money.devices[place] * owned.capital_usd_per_year[place]),
            "power": float(money.devices[place] * owned.power_usd_per_year[place]),
            "maintenance": float(money.devices[place] * owned.maintenance_usd_per_year[place]),
            "staff": float(money.devices[place] * owned.staff_usd_per_year[place]),
            "owned": float(money.owned_usd_per_year[place]),
            "rented": float(money.rent_usd_per_year[place]),
            "price_basis": _price_basis(plan, place),
        }
        for place in plan.serving_order
        if plan.serving.fits[place]
    )
    return Table("yearly_cost", "Serving for a year, owned and rented", columns, rows)


def token_cost_table(plan: Plan) -> Table:
    """Cost of a request, of input and of output tokens on each device."""
    columns = (
        Column("device", "Device"),
        Column("request", "Request", "USD"),
        Column("input", "Input", "USD per 1M tokens"),
        Column("output", "Output", "USD per 1M tokens"),
        Column("all_in", "Output, prompts included", "USD per 1M tokens"),
    )
    cost = plan.request_cost
    all_in = plan.usd_per_million_output_tokens(plan.serving_cost.usd_per_year)
    rows = tuple(
        {
            "device": device_label(plan, place),
            "request": float(cost.usd[place]),
            "input": float(cost.usd_per_million_input_tokens[place]),
            "output": float(cost.usd_per_million_output_tokens[place]),
            "all_in": float(all_in[place]),
        }
        for place in plan.serving_order
        if np.isfinite(all_in[place])
    )
    return Table("token_cost", "Cost of a request and of tokens", columns, rows)


def busy_facts(plan: Plan, place: int) -> tuple[tuple[str, str], ...]:
    """How much of compute, bandwidth, memory and links a serving device uses at the peak."""
    serving = plan.serving
    shares = serving.limit_shares[:, place]
    busy = float(serving.peak_utilization[place])
    memory = float(serving.used_bytes[place] / serving.usable_bytes[place])
    device = plan.devices[place]
    rate = plan.serving.peak_requests_per_s / float(serving.devices[place])
    flop = plan.request_flop * rate
    peak = resolve_arithmetic(
        arithmetic=plan.workload.arithmetic,
        peaks={name: float(rates[place]) for name, rates in plan.arrays.peak_flop_per_s.items()},
    )[1]
    step_bytes = float(serving.decode.memory[place] + serving.prefill.memory[place])
    return (
        ("Capacity in requests", f"{wording.percent(busy)} of what the fleet can answer"),
        ("Memory", f"{wording.percent(memory)} of the usable memory holds something"),
        ("Arithmetic", f"{wording.percent(flop / peak)} of the peak of {device.name}"),
        (
            "Memory bandwidth",
            f"{wording.percent(step_bytes * rate * float(serving.layout_devices[place]))} of the "
            "time memory is being read",
        ),
        (
            "Links",
            f"{wording.percent(float(shares[LIMITS.index('communication')]) * busy)} of the time",
        ),
    )


def models_table() -> Table:
    """Published architectures."""
    columns = (
        Column("name", "Model"),
        Column("parameters", "Parameters", "billion"),
        Column("active", "Used by a token", "billion"),
        Column("layers", "Layers"),
        Column("hidden", "Width"),
        Column("kv_heads", "Key-value heads"),
        Column("cache", "Cache of a token", "bytes at 16 bit"),
        Column("context", "Longest context", "tokens"),
        Column("confidence", "Confidence"),
        Column("source", "Source"),
    )
    rows = []
    for shape in load_models().shapes:
        numbers = model_numbers(shape)
        rows.append(
            {
                "name": shape.name,
                "parameters": round(numbers.total_parameters / BILLION, 3),
                "active": round(numbers.active_parameters / BILLION, 3),
                "layers": shape.layers,
                "hidden": shape.hidden,
                "kv_heads": shape.kv_heads,
                "cache": float(cache_bytes_per_token(model=numbers, bytes_per_value=2.0)),
                "context": shape.max_context,
                "confidence": shape.confidence,
                "source": shape.source,
            }
        )
    return Table("models", "Models", columns, tuple(rows))


def cash_table(plan: Plan) -> Table:
    """From the cash that each option pays over the horizon to what it costs."""
    columns = (
        Column("option", "Option"),
        Column("purchase", "Purchases", "USD"),
        Column("running", "Rent and running cost", "USD"),
        Column("cash", "Cash paid", "USD"),
        Column("left", "Less value still owned", "USD"),
        Column("interest", "Plus interest", "USD"),
        Column("total", "Cost", "USD"),
    )
    rows = tuple(_cash_row(plan, option) for option in plan.options if option.exists)
    title = f"From cash to cost over {plan.scenario.horizon_months} months"
    return Table("cash", title, columns, rows)


def _cash_row(plan: Plan, option: Option) -> dict[str, object]:
    months, terms = plan.scenario.horizon_months, plan.terms
    life_months = terms.years * MONTHS_PER_YEAR
    residual_usd = option.purchase_usd * terms.residual_share
    renewals = max(float(np.ceil(months / life_months)) - 1, 0.0)
    purchases = option.purchase_usd + renewals * (option.purchase_usd - residual_usd)
    running = option.running_usd_per_year * months / MONTHS_PER_YEAR
    left = float(
        capital_left_usd(
            purchase_usd=option.purchase_usd,
            residual_usd=residual_usd,
            rate_per_year=terms.rate_per_year,
            years=terms.years,
            age_years=(months - renewals * life_months) / MONTHS_PER_YEAR,
        )
    )
    total = horizon_usd(plan, option.usd_per_year.typical)
    return {
        "option": option.label,
        "purchase": purchases,
        "running": running,
        "cash": purchases + running,
        "left": 0.0 - left,
        "interest": total - purchases - running + left,
        "total": total,
    }


def job_table(plan: Plan) -> Table:
    """The one table as a file holds it: text, remark and verdict of each cell."""
    rows = tuple(
        {
            "question": row.label,
            "training": _flat(row.training),
            "serving": _flat(row.serving),
        }
        for row in job_rows(plan)
    )
    columns = (
        Column("question", "Question"),
        Column("training", "Training"),
        Column("serving", "Serving"),
    )
    return Table("jobs", "Training and serving side by side", columns, rows)


def _flat(cell: Cell) -> str:
    badge = CONFIDENCE_WORDS[cell.confidence][1] if cell.confidence else ""
    return "; ".join(filter(None, (cell.text, cell.verdict or badge, cell.note)))


def facts_table(key: str, title: str, facts: Iterable[tuple[str, str]]) -> Table:
    """Names and facts as a file holds them."""
    columns = (Column("name", "Name"), Column("fact", "Fact"))
    return Table(key, title, columns, tuple({"name": name, "fact": fact} for name, fact in facts))
