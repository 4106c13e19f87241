"""The table that sets both jobs side by side, and the headline numbers below it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hwplanner import wording
from hwplanner.physics.time_parts import LIMITS
from hwplanner.plan import Plan
from hwplanner.report import expected
from hwplanner.report.chart_rows import device_label, memory_parts_bytes
from hwplanner.report.explain_cost import cost_per_request, cost_per_run, serving_cost
from hwplanner.report.statements import (
    CONFIDENCE_WORDS,
    Cell,
    JobRow,
    KeyFigure,
    Status,
)
from hwplanner.report.tables import Column, Table
from hwplanner.report.verdicts import TESTS, verdicts, why_not
from hwplanner.scenario import Job, Scenario, controls
from hwplanner.units import GIB, MILLION, SECONDS_PER_HOUR, Interval

MISSING = Cell(wording.NONE)
A_MOMENT_HOURS = 0.01  # what takes less is not worth a word
NARROW = 0.9  # share of a target from which meeting it is called near
QUESTIONS = (
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


def job_rows(plan: Plan) -> tuple[JobRow, ...]:
    """The one table: training and serving side by side, for the devices that the plan chooses."""
    training, serving = _training_cells(plan), _serving_cells(plan)
    return tuple(
        JobRow(question, training.get(question, MISSING), serving.get(question, MISSING))
        for question in QUESTIONS
    )


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


def _training_cells(plan: Plan) -> Mapping[str, Cell]:
    """Answers for training, by question; few where nothing holds a run or none is planned."""
    scenario, place = plan.scenario, plan.training_choice
    if not scenario.all_runs_per_month:
        return {"Pattern": Cell("no run is planned")}
    if place is None:
        return {}
    training = plan.training
    devices = float(training.devices[place])
    shares = training.limit_shares[:, place]
    communication = float(shares[LIMITS.index("communication")])
    run_hours = plan.best.finish_hours if plan.best.exists else float(training.run_hours[place])
    precision = controls()["training_precision"].names or {}
    return {
        "Memory needed": _memory(plan, place, "training", devices),
        "Limited by": Cell(
            LIMITS[int(shares.argmax())], f"{wording.percent(float(shares.max()))} of the step"
        ),
        "Time target": Cell(
            f"in {wording.hours(scenario.window_hours)}",
            note=_range(expected.run_hours(plan, place, run_hours), wording.hours),
            status=_status(run_hours / scenario.window_hours),
            verdict=wording.hours(run_hours),
        ),
        "Communication": Cell(
            f"constant, {wording.count(devices)} devices" if devices > 1 else "none, one device",
            f"{wording.percent(communication)} of the step",
        ),
        "Precision": Cell(
            precision[scenario.training_precision],
            "32-bit master weights" if scenario.training_precision != "fp32" else "",
        ),
        "Pattern": Cell(
            f"{wording.hours(run_hours)}, {_times(scenario)}",
            f"{wording.tokens(scenario.training_tokens_million * MILLION)} tokens a run: "
            f"{_time_parts(plan, place, run_hours)}",
        ),
        "Hardware": _hardware(plan, place, "training"),
        "Cost": _cost(plan, place, cost_per_run(plan, place).value, "a run", "training"),
        "Confidence": Cell(confidence=plan.ranges.training.tiers[place]),
    }


def _serving_cells(plan: Plan) -> Mapping[str, Cell]:
    """Answers for serving, by question; none where nothing holds the model."""
    place = plan.serving_choice
    if place is None:
        return {}
    serving = plan.serving
    devices = float(serving.layout_devices[place])
    shares = serving.limit_shares[:, place]
    communication = f"{wording.percent(float(shares[LIMITS.index('communication')]))} of a request"
    return {
        "Memory needed": _memory(
            plan, place, "serving", devices, each=" a copy" if serving.copies[place] > 1 else ""
        ),
        "Limited by": _serving_limit(plan, place),
        "Time target": _serving_target(plan, place),
        "Communication": Cell(f"inside {wording.count(devices)} devices", communication)
        if devices > 1
        else Cell("none", "one device holds a copy"),
        "Precision": Cell(
            f"{plan.workload.weight_format.label} weights", _precision_note(plan, place)
        ),
        "Pattern": Cell(
            plan.shape.title, f"peak {wording.rate(serving.peak_requests_per_s, 'requests/s')}"
        ),
        "Hardware": _hardware(plan, place, "serving"),
        "Cost": _cost(plan, place, serving_cost(plan, place).value, "per 1M tokens out", "serving"),
        "Confidence": Cell(confidence=plan.ranges.serving.tiers[place]),
    }


def _memory(plan: Plan, place: int, job: Job, devices: float, each: str = "") -> Cell:
    """Memory of all devices together, and what takes most of it."""
    parts = {name: float(size[place]) for name, size in memory_parts_bytes(plan, job).items()}
    total = sum(parts.values())
    name = max(parts, key=lambda part: parts[part])
    gib = plan.ranges.of(job).memory.around(total * devices / GIB, place)
    return Cell(
        f"{wording.gib(gib.typical)}{each}",
        f"{_range(gib, wording.gib)}, "
        f"{name.removeprefix('kv_')} {wording.percent(parts[name] / total)}",
    )


def _hardware(plan: Plan, place: int, job: Job) -> Cell:
    count = wording.count(plan.fleet(job).devices[place])
    name = device_label(plan, place)
    if plan.best.key == "shared":
        devices = wording.count(plan.best.owned_devices)
        at_once = f"{wording.count(plan.best.training_devices)} at once for a run"
        return Cell(
            f"own {devices} {wording.TIMES} {name}",
            at_once if job == "training" else "for both jobs",
            strong=True,
        )
    needed = expected.devices(plan, job, place)
    varies = needed.low < needed.high
    said = f"{_range(needed, wording.count)} needed" if varies else ""
    if job == "serving" and plan.best.rented_peaks:
        more = f"up to {wording.count(plan.best.rented_peaks)} more rented at peaks"
        return Cell(
            f"own {wording.count(plan.best.base_devices)} {wording.TIMES} {name}",
            "; ".join(filter(None, (more, said))),
            strong=True,
        )
    way = "own" if plan.best.owns(job) else "rent"
    return Cell(
        f"{way} {count} {wording.TIMES} {name}",
        said,
        strong=True,
    )


def _cost(plan: Plan, place: int, usd: float, of: str, job: Job) -> Cell:
    return Cell(
        f"{wording.usd(usd)} {of}", _range(expected.cost(plan, job, place, usd), wording.usd)
    )


def _range(interval: Interval, word: Callable[[float | None], str]) -> str:
    return wording.interval(interval.low, interval.high, word)


def _times(scenario: Scenario) -> str:
    """How often a run is repeated."""
    if scenario.schedule == "weekly":
        return "once a week"
    if scenario.schedule == "continuous":
        return f"every {wording.hours(scenario.window_hours)}, one after the other"
    runs = scenario.runs_per_month
    return "once a month" if runs == 1 else f"{wording.significant(runs)} times a month"


def _time_parts(plan: Plan, place: int, run_hours: float) -> str:
    """What the time of a run is spent on: steps, what interruptions cost, and waiting."""
    training = plan.training
    work = wording.hours(float(training.work_seconds[place]) / SECONDS_PER_HOUR)
    goodput = wording.significant(100 * float(training.goodput[place]))
    others = {
        "queue": float(training.queue_seconds[place]) / SECONDS_PER_HOUR,
        "set-up": float(training.setup_seconds[place]) / SECONDS_PER_HOUR,
        "waiting for idle devices": run_hours - float(training.run_hours[place]),
    }
    said = (
        f"{wording.hours(hours)} {name}" for name, hours in others.items() if hours > A_MOMENT_HOURS
    )
    return ", ".join((f"{work} of steps at {goodput}% goodput", *said))


def _status(share_of_target: float) -> Status:
    if share_of_target > 1:
        return "poor"
    return "near" if share_of_target > NARROW else "good"


def _serving_target(plan: Plan, place: int) -> Cell:
    tpot_ms, target_ms = float(plan.serving.tpot_seconds[place]) * 1000, plan.scenario.tpot_ms
    is_met = plan.serving.meets_target[place]
    return Cell(
        f"{wording.ms(target_ms)} a token",
        note=why_not(plan, place, "serving") or _range(expected.token_ms(plan, place), wording.ms),
        status=_status(tpot_ms / target_ms) if is_met else "poor",
        verdict=wording.ms(tpot_ms),
    )


def _serving_limit(plan: Plan, place: int) -> Cell:
    """What stops a copy from serving more: full memory, else what takes most of the time."""
    shares = plan.serving.limit_shares[:, place]
    limit = LIMITS[int(shares.argmax())]
    share = f"{wording.percent(float(shares.max()))} of a request"
    if plan.serving.held_by_memory[place] and plan.serving.copies[place] > 1:
        return Cell("capacity", f"{limit} {share}")
    return Cell(limit, share)


def _precision_note(plan: Plan, place: int) -> str:
    """What the formats leave open: untested quality, arithmetic in another format."""
    arithmetic = verdicts(plan, place, "serving")[TESTS.index("precision")]
    substitute = arithmetic.reason if arithmetic.level == "near" else ""
    return "; ".join(filter(None, (plan.workload.quality_note, substitute)))


def key_figures(plan: Plan) -> tuple[KeyFigure, ...]:
    """Headline numbers of serving, for the device that the plan chooses."""
    place = plan.serving_choice
    if place is None:
        return ()
    scenario = plan.scenario
    peak, mean = expected.busy_share(plan, place), plan.shape.mean_over_peak

    def priced(label: str, usd: float) -> KeyFigure:
        return KeyFigure(label, wording.usd(usd), note=_cost(plan, place, usd, "", "serving").note)

    def timed(label: str, ms: Interval, target_ms: float) -> KeyFigure:
        value, _, unit = wording.ms(ms.typical).partition(wording.SPACE)
        target = f"target {wording.ms(target_ms)}"
        return KeyFigure(label, value, unit, f"{_range(ms, wording.ms)}, {target}")

    return (
        priced("Cost per request", cost_per_request(plan, place).value),
        priced("Per 1M output tokens", serving_cost(plan, place).value),
        timed("Time per token", expected.token_ms(plan, place), scenario.tpot_ms),
        timed("First token", expected.first_token_ms(plan, place), scenario.ttft_ms),
        KeyFigure(
            "Busy, week average",
            wording.percent(mean * peak.typical),
            note=f"{wording.interval(mean * peak.low, mean * peak.high, wording.percent)}, "
            f"peak {wording.percent(peak.typical)}",
        ),
    )
