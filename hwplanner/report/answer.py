"""A plan as plain numbers for other programs: what `compare --json` prints."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from hwplanner.money.option import Option
from hwplanner.physics.time_parts import LIMITS, TimeParts
from hwplanner.plan import Plan
from hwplanner.report import expected
from hwplanner.report.chart_rows import device_label, state
from hwplanner.report.latency import latency_answer
from hwplanner.report.option_tables import owned_kw
from hwplanner.report.risks import risks
from hwplanner.report.story import flips, hardware, plain, plan_finding
from hwplanner.report.verdicts import verdicts, why_not
from hwplanner.scenario import Job
from hwplanner.training.memory import RECOMPUTE_KINDS
from hwplanner.units import MONTHS_PER_YEAR, Interval


def plan_answer(plan: Plan, notes: Iterable[str] = ()) -> dict[str, Any]:
    """Put a plan into mappings, lists, numbers and texts that JSON can hold.

    Returns
    -------
    dict
        `scenario` (inputs by name), `notes`, `devices` (one entry per device, with `serving` and
        `training`), `plan` (verdict, options, what would flip it, the model that is planned for,
        the date of the catalogue). A number that is not known is null. Units are in the names.
    """
    answer = {
        "scenario": plan.scenario.model_dump(mode="json"),
        "notes": list(notes),
        "devices": [
            {
                "id": device.id,
                "name": device_label(plan, place),
                "serving": _serving(plan, place),
                "training": _training(plan, place),
            }
            for place, device in enumerate(plan.devices)
        ],
        "plan": {"catalogue_date": plan.catalog.date, "model": _model(plan), **_options(plan)},
    }
    return _finite(answer)  # type: ignore[no-any-return]


def _finite(value: Any) -> Any:
    """Replace numbers that JSON cannot hold by null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def _model(plan: Plan) -> dict[str, Any]:
    load = plan.workload
    numbers = load.numbers
    return {
        "id": load.shape.id,
        "name": load.shape.name,
        "parameters": numbers.total_parameters,
        "active_parameters": numbers.active_parameters,
        "weights_bytes": load.weights.total_bytes,
        "layers": numbers.layers,
        "hidden": numbers.hidden,
        "heads": numbers.heads,
        "kv_heads": numbers.kv_heads,
        "head_dim": numbers.head_dim,
        "experts": numbers.experts,
        "experts_per_token": numbers.experts_per_token,
    }


def _ends(name: str, interval: Interval) -> dict[str, float]:
    """Estimate with the ends of the range that holds 8 of 10 cases."""
    return {
        name: interval.typical,
        f"{name}_low": interval.low,
        f"{name}_high": interval.high,
    }


def _verdicts(plan: Plan, place: int, job: Job) -> dict[str, dict[str, str]]:
    return {
        verdict.test: {"level": verdict.level, "reason": verdict.reason}
        for verdict in verdicts(plan, place, job)
    }


def _parts(parts: TimeParts, index: tuple[int, ...]) -> dict[str, float]:
    return {
        "compute": float(parts.compute[index]),
        "memory": float(parts.memory[index]),
        "communication": float(parts.communication[index]),
        "overhead": float(parts.overhead[index]),
    }


def _fitness(plan: Plan, place: int, job: Job) -> dict[str, Any]:
    estimates = plan.serving if job == "serving" else plan.training
    return {
        "state": state(plan, place, job),
        "reason": why_not(plan, place, job),
        "verdicts": _verdicts(plan, place, job),
        "confidence": plan.ranges.of(job).tiers[place],
        "cheapest_share_of_draws": float(plan.cheapest_shares(job)[place]),
        "supported": bool(estimates.supported[place]),
        "fits": bool(estimates.fits[place]),
    }


def _yearly_costs(plan: Plan, place: int, job: Job) -> dict[str, float]:
    money, usd_per_year = plan.money(job), float(plan.fleet(job).usd_per_year[place])
    return {
        "owned_usd_per_year": float(money.owned.usd_per_year[place]),
        "rented_usd_per_year": float(money.rented.usd_per_year[place]),
        **_ends("usd_per_year", expected.cost(plan, job, place, usd_per_year)),
        **_ends("usd_per_month", expected.cost(plan, job, place, usd_per_year / MONTHS_PER_YEAR)),
    }


def _serving(plan: Plan, place: int) -> dict[str, Any]:
    serving = plan.serving
    around = plan.cost_band("serving").around
    per_s = plan.ranges.serving.speed.around
    memory = {
        "weights_bytes": float(serving.weights_bytes[place]),
        "kv_cache_bytes": float(serving.cache_bytes[place]),
        "activations_bytes": float(serving.activations_bytes[place]),
        "overhead_bytes": float(serving.overhead_bytes[place]),
        **_ends("total_bytes", plan.ranges.serving.memory.around(serving.used_bytes[place], place)),
        "usable_bytes": float(serving.usable_bytes[place]),
    }
    answer: dict[str, Any] = {
        **_fitness(plan, place, "serving"),
        "meets_target": bool(serving.meets_target[place]),
        "fewest_devices_that_fit": float(serving.fewest_devices[place]),
        "memory_per_device": memory,
    }
    if not serving.fits[place]:
        return answer | {"short_bytes_per_device": float(serving.short_bytes[place])}
    shares = serving.limit_shares[:, place]
    cost, answers = plan.request_cost.on(place), serving.capacity_requests_per_s[place]
    token_time, first_token = plan.ranges.serving.token_time, plan.ranges.serving.first_token_time
    return answer | {
        "layout": {
            "tensor": float(serving.tensor[place]),
            "pipeline": float(serving.pipeline[place]),
            "experts_spread": bool(serving.attention_parallel[place]),
            "devices_per_copy": float(serving.layout_devices[place]),
            "copies": float(serving.copies[place]),
        },
        "devices": float(serving.devices[place]),
        **_ends("fleet_devices", expected.devices(plan, "serving", place)),
        "limited_by": LIMITS[int(shares.argmax())],
        "held_by_memory": bool(serving.held_by_memory[place]),
        "time_shares": dict(zip(LIMITS, map(float, shares), strict=True)),
        "times": {
            **_ends("tpot_seconds", token_time.around(serving.tpot_seconds[place], place)),
            **_ends("ttft_seconds", first_token.around(serving.ttft_seconds[place], place)),
            "decode_seconds_per_request": _parts(serving.decode, (place,)),
            "prefill_seconds_per_request": _parts(serving.prefill, (place,)),
        },
        "under_load": latency_answer(plan, place),
        "throughput": {
            "largest_batch_per_copy": float(serving.largest_batch[place]),
            "batch_per_copy_at_peak": float(serving.batch[place]),
            **_ends("capacity_requests_per_s", per_s(answers, place)),
            **_ends(
                "capacity_output_tokens_per_s", per_s(answers * serving.times.output_tokens, place)
            ),
            "peak_requests_per_s": serving.peak_requests_per_s,
            "peak_utilization": float(serving.peak_utilization[place]),
        },
        "costs": {
            **_yearly_costs(plan, place, "serving"),
            **_ends("usd_per_request", around(cost.usd, place)),
            **_ends(
                "usd_per_million_input_tokens", around(cost.usd_per_million_input_tokens, place)
            ),
            **_ends(
                "usd_per_million_output_tokens", around(cost.usd_per_million_output_tokens, place)
            ),
            **_ends(
                "usd_per_million_output_tokens_all_in",
                expected.cost(plan, "serving", place),
            ),
            "purchase_usd_per_device": float(plan.prices.purchase_usd[place]),
            "purchase_basis": plan.prices.purchase_basis[place],
            "rent_usd_per_device_hour": float(plan.prices.rent_usd_per_hour[place]),
            "rent_basis": plan.prices.rent_basis[place],
        },
    }


def _training(plan: Plan, place: int) -> dict[str, Any]:
    training = plan.training
    memory = training.memory
    answer: dict[str, Any] = {
        **_fitness(plan, place, "training"),
        "meets_window": bool(training.meets_window[place]),
        "fewest_devices_that_fit": float(training.fewest_devices[place]),
        "memory_per_device": {
            "weights_bytes": float(memory.weights_bytes[place]),
            "gradients_bytes": float(memory.gradients_bytes[place]),
            "optimizer_bytes": float(memory.optimizer_bytes[place]),
            "activations_bytes": float(memory.activations_bytes[place]),
            "logits_bytes": float(memory.logits_bytes[place]),
            "buffers_bytes": float(memory.buffers_bytes[place]),
            "overhead_bytes": float(memory.overhead_bytes[place]),
            **_ends(
                "total_bytes", plan.ranges.training.memory.around(memory.total_bytes[place], place)
            ),
            "usable_bytes": float(training.usable_bytes[place]),
        },
    }
    if not training.fits[place]:
        return answer | {"short_bytes_per_device": float(training.short_bytes[place])}
    shares = training.limit_shares[:, place]
    layout = training.layout
    runs = plan.scenario.all_runs_per_month
    return answer | {
        "layout": {
            "tensor": float(layout.tensor[place]),
            "pipeline": float(layout.pipeline[place]),
            "context": float(layout.context[place]),
            "expert": float(layout.expert[place]),
            "replicas": float(layout.replicas[place]),
            "micro_batch": float(layout.micro_batch[place]),
            "accumulation": float(layout.accumulation[place]),
            "recompute": RECOMPUTE_KINDS[int(training.recompute[place])],
            "sharding_stage": float(training.stage[place]),
        },
        "devices": float(training.devices[place]),
        **_ends("fleet_devices", expected.devices(plan, "training", place)),
        "limited_by": LIMITS[int(shares.argmax())],
        "time_shares": dict(zip(LIMITS, map(float, shares), strict=True)),
        "times": {
            "step_seconds": _parts(training.step, (place,)),
            "work_seconds": float(training.work_seconds[place]),
            "goodput": float(training.goodput[place]),
            "setup_seconds": float(training.setup_seconds[place]),
            "queue_seconds": float(training.queue_seconds[place]),
            **_ends("run_hours", expected.run_hours(plan, place)),
            "device_hours_per_run": float(training.device_hours[place]),
        },
        "throughput": {
            **_ends("tokens_per_s_per_device", expected.training_speed(plan, place)),
            "model_flop_utilization": float(training.mfu[place]),
        },
        "costs": {
            **_yearly_costs(plan, place, "training"),
            **_ends("usd_per_run", expected.cost(plan, "training", place)),
            "runs_per_month": runs,
        },
    }


def _options(plan: Plan) -> dict[str, Any]:
    finding = plan_finding(plan)
    return {
        "verdict": plain(finding.headline),
        "detail": finding.detail,
        "best": plan.best.key,
        "options": [_option(plan, option) for option in plan.options],
        "flips": list(flips(plan)),
        "requests_per_year": plan.requests_per_year,
    }


def _option(plan: Plan, option: Option) -> dict[str, Any]:
    def device_id(place: int | None) -> str | None:
        return None if place is None else plan.devices[place].id

    ledger = option.ledger
    fields = asdict(replace(option, ledger=None))
    del fields["usd_draws"], fields["ledger"]
    return fields | {
        "serving_device": device_id(option.serving_device),
        "training_device": device_id(option.training_device),
        "parts_usd_per_year": dict(option.parts_usd_per_year),
        "purchase_usd": option.purchase_usd,
        "owned_kw": owned_kw(plan, option),
        "total_cost_usd": ledger.total_cost_usd if ledger else None,
        "net_present_cost_usd": ledger.net_present_cost_usd if ledger else None,
        "cash_usd_by_month": ledger.cash_usd.tolist() if ledger else None,
        "risks": list(risks(plan, option)),
        "label": option.label,
        "hardware": hardware(plan, option),
        "meets_both": option.meets_both,
    }
