"""Headline numbers opened: each as steps of formula, values with units, result and source.

The steps restate what the engine computed for one device; a test holds their results equal to the
plan's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner import wording
from hwplanner.plan import Plan
from hwplanner.units import GB, GIB, HOURS_PER_YEAR, MILLION, SECONDS_PER_HOUR


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a calculation: what, how, with which values, what comes out, says who."""

    label: str
    formula: str
    values: str
    result: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A number with the steps that lead to it; `value` is in base units."""

    title: str
    result: str
    value: float
    steps: tuple[Step, ...]


def explanations(plan: Plan) -> tuple[Explanation, ...]:
    """Explain every headline number of a plan, for the devices that it chooses."""
    serve, train = plan.serving_choice, plan.training_choice
    found: list[Explanation] = []
    if serve is not None:
        found += [
            serving_memory(plan, serve),
            time_per_token(plan, serve),
            time_to_first_token(plan, serve),
            serving_devices(plan, serve),
            serving_cost(plan, serve),
            cost_per_request(plan, serve),
        ]
    if train is not None:
        found += [
            training_memory(plan, train),
            run_time(plan, train),
            cost_per_run(plan, train),
        ]
    if plan.best.exists:
        found.append(option_cost(plan))
    return tuple(found)


def _witness(plan: Plan, place: int, column: str) -> str:
    """Where a figure of the catalogue was read."""
    source = plan.catalog.source(plan.devices[place].id, column)
    if source is None:
        return ""
    where = source.title or source.kind
    return f"{where}, {source.date}" if source.date else where


def _assumption(plan: Plan, name: str, key: str = "") -> str:
    item = plan.assumptions.get(name, key)
    return f"{item.source}"


def serving_memory(plan: Plan, place: int) -> Explanation:
    """Memory on one device of a serving copy. [bytes]"""
    serving, load, scenario = plan.serving, plan.workload, plan.scenario
    parts = (
        ("Weights", float(serving.weights_bytes[place])),
        ("Cache", float(serving.cache_bytes[place])),
        ("Activations", float(serving.activations_bytes[place])),
        ("Overhead", float(serving.overhead_bytes[place])),
    )
    weights, cache, activations, overhead = (wording.gib(size / GIB) for _, size in parts)
    total = sum(size for _, size in parts)
    devices = wording.count(serving.layout_devices[place])
    batch = float(serving.batch[place])
    return Explanation(
        title="Serving memory on one device",
        result=wording.gib(total / GIB),
        value=total,
        steps=(
            Step(
                "Weights",
                "weights of the model, divided over the devices of a copy",
                f"{wording.gib(load.weights.total_bytes / GIB)} in {load.weight_format.label} "
                f"over {devices} devices",
                weights,
                load.shape.source,
            ),
            Step(
                "Cache",
                "cache of one user at full context × users on a copy",
                f"{wording.gib(float(serving.cache_bytes[place]) / batch / GIB)} on this device "
                f"× {wording.count(batch)} users at {wording.tokens(scenario.context_tokens)}",
                cache,
                load.shape.source,
            ),
            Step(
                "Activations",
                "tokens of a step × 2 bytes × (3 hidden + 3 feed-forward width) + logits",
                f"{scenario.prefill_chunk_tokens:,} tokens, hidden {load.numbers.hidden:,.0f}",
                activations,
                _assumption(plan, "logit_bytes_per_entry"),
            ),
            Step(
                "Overhead",
                "context + communication buffers + graphs + expert workspace",
                "per device",
                overhead,
                _assumption(plan, "context_bytes"),
            ),
            Step(
                "Total against usable",
                "sum of the four",
                " + ".join((weights, cache, activations, overhead)),
                f"{wording.gib(total / GIB)} of "
                f"{wording.gib(float(serving.usable_bytes[place]) / GIB)}",
                _witness(plan, place, "usable_memory_gib") or _witness(plan, place, "memory_gib"),
            ),
        ),
    )


def time_per_token(plan: Plan, place: int) -> Explanation:
    """Time per output token at the peak. [s]"""
    serving, device = plan.serving, plan.devices[place]
    times = serving.times
    batch = float(serving.batch[place])

    def of(values: np.ndarray) -> float:
        return float(values[place, 0])

    experts = times.experts * times.touched_share(serving.batch[:, None])
    compute = batch * of(times.per_sequence.compute) + of(experts.compute)
    weights = of(times.fixed.memory) + of(experts.memory)
    cache = batch * of(times.per_sequence.memory)
    links = of(times.fixed.communication) + batch * of(times.per_sequence.communication)
    fixed = of(times.fixed.overhead) + batch * of(times.per_sequence.overhead)
    others = (batch - 1) * of(times.prefill.total) / times.output_tokens
    total = compute + weights + cache + links + fixed + others
    bandwidth = (device.memory_bandwidth_bytes_per_s or 0) / GB
    ms = 1000
    users = f"{wording.count(batch)} users on a copy"
    return Explanation(
        title="Time per output token at the peak",
        result=wording.ms(total * ms),
        value=total,
        steps=(
            Step(
                "Read the weights",
                "bytes of the weights that a step touches ÷ (bandwidth × efficiency)",
                f"{wording.count(serving.layout_devices[place])} devices at "
                f"{bandwidth:,.0f}{wording.SPACE}GB/s",
                wording.ms(weights * ms),
                _witness(plan, place, "memory_bandwidth_gb_per_s"),
            ),
            Step(
                "Read cache and activations",
                "users × bytes of one user's cache ÷ (bandwidth × efficiency)",
                users,
                wording.ms(cache * ms),
                _assumption(plan, "cache_read_efficiency"),
            ),
            Step(
                "Arithmetic",
                "users × 2 FLOP × active parameters ÷ (peak × efficiency)",
                f"{users}, {wording.significant(plan.workload.numbers.active_parameters / 1e9)} "
                f"billion active parameters in {plan.workload.arithmetic}",
                wording.ms(compute * ms),
                _assumption(plan, "gemm_efficiency"),
            ),
            Step(
                "Links",
                "two all-reduces a layer: start-up time + bytes ÷ (link × efficiency)",
                f"{plan.workload.numbers.layers:.0f} layers over "
                f"{wording.count(serving.tensor[place])} devices",
                wording.ms(links * ms),
                _witness(plan, place, "link_gb_per_s_per_direction"),
            ),
            Step(
                "Fixed time",
                "layers × time of a layer + time of a step + users × host time",
                f"{plan.workload.numbers.layers:.0f} layers",
                wording.ms(fixed * ms),
                _assumption(plan, "layer_seconds"),
            ),
            Step(
                "Other users' prompts",
                "(users − 1) × time to read a prompt ÷ tokens of an answer",
                f"{wording.ms(of(times.prefill.total) * ms)} a prompt, "
                f"{wording.count(times.output_tokens)} tokens",
                wording.ms(others * ms),
                _assumption(plan, "prefill_efficiency"),
            ),
        ),
    )


def time_to_first_token(plan: Plan, place: int) -> Explanation:
    """Mean time to the first token at the peak. [s]"""
    serving, times = plan.serving, plan.serving.times
    batch = float(serving.batch[place])
    alone = float(times.first_token_seconds[place, 0])
    step = float(np.asarray(times.step_seconds(serving.batch[:, None]))[place, 0])
    wait = float(serving.ttft_seconds[place]) - alone - step
    ms = 1000
    return Explanation(
        title="Time to the first token at the peak",
        result=wording.ms(float(serving.ttft_seconds[place]) * ms),
        value=float(serving.ttft_seconds[place]),
        steps=(
            Step(
                "Read the prompt",
                "2 FLOP × active parameters × new tokens ÷ (peak × efficiency) + attention + host",
                f"{wording.percent(1 - plan.scenario.prefix_reuse_percent / 100)} of the prompt "
                "is new",
                wording.ms(alone * ms),
                _assumption(plan, "prefill_efficiency"),
            ),
            Step("One decode step", "as in the time per token", "", wording.ms(step * ms)),
            Step(
                "Wait behind other prompts",
                "R D² ÷ (2 (1 − R D)): R requests/s of a copy, D the time of a prompt",
                f"{wording.count(batch)} users on a copy",
                wording.ms(wait * ms),
                "M/D/1 queue; Zhong et al. 2024, DistServe, section 3.1",
            ),
        ),
    )


def serving_devices(plan: Plan, place: int) -> Explanation:
    """Devices that carry the busiest hour. [devices]"""
    serving, scenario = plan.serving, plan.scenario
    free = 1 - scenario.headroom_percent / 100
    largest = float(serving.largest_batch[place])
    limit = "memory" if serving.held_by_memory[place] else "the latency targets"
    return Explanation(
        title="Devices for serving",
        result=wording.count(serving.devices[place]),
        value=float(serving.devices[place]),
        steps=(
            Step(
                "Users on one copy",
                "largest batch within memory and latency targets × (1 − headroom)",
                f"{wording.count(largest)} (held by {limit}) × {wording.significant(free)}",
                wording.count(max(np.floor(largest * free), 1)),
            ),
            Step(
                "Copies",
                "larger of users ÷ users on a copy and requests/s ÷ requests/s of a copy, "
                "rounded up",
                f"{scenario.users:,} users, "
                f"{wording.rate(serving.peak_requests_per_s, 'requests/s')}",
                wording.count(serving.copies[place]),
            ),
            Step(
                "Devices",
                "copies × devices of a copy",
                f"{wording.count(serving.copies[place])} × "
                f"{wording.count(serving.layout_devices[place])}",
                wording.count(serving.devices[place]),
            ),
        ),
    )


def _hourly(plan: Plan, place: int, *, owned: bool, job: str) -> tuple[float, str, str]:
    """Cost of a device-hour in one way of paying, its words and its source."""
    money = plan.serving_cost if job == "serving" else plan.training_cost
    if owned:
        parts = {
            "capital": money.owned.capital_usd_per_year,
            "power": money.owned.power_usd_per_year,
            "maintenance": money.owned.maintenance_usd_per_year,
            "staff": money.owned.staff_usd_per_year,
        }
        words = " + ".join(
            f"{name} {wording.usd(float(np.asarray(value)[place]))}"
            for name, value in parts.items()
        )
        hour = float(np.asarray(money.owned.usd_per_year)[place]) / HOURS_PER_YEAR
        return hour, f"a year: {words}", plan.prices.purchase_basis[place]
    return float(plan.prices.rent_usd_per_hour[place]), "rent", plan.prices.rent_basis[place]


def serving_cost(plan: Plan, place: int) -> Explanation:
    """Cost of serving per million output tokens, all cost included. [USD]"""
    money = plan.serving_cost
    owned = plan.best.key != "rent_all"
    yearly = float((money.owned_usd_per_year if owned else money.rent_usd_per_year)[place])
    hour, words, basis = _hourly(plan, place, owned=owned, job="serving")
    tokens = plan.requests_per_year * plan.serving.times.output_tokens
    per_million = yearly / tokens * MILLION
    paid = (
        float(money.devices[place]) * HOURS_PER_YEAR
        if owned
        else float(money.rented_device_hours[place])
    )
    return Explanation(
        title="Cost per million output tokens",
        result=wording.usd(per_million),
        value=per_million,
        steps=(
            Step("Device-hour", "owned" if owned else "rented", words, wording.usd(hour), basis),
            Step(
                "Year of serving",
                "paid device-hours × cost of a device-hour",
                f"{wording.count(paid)} h × {wording.usd(hour)}",
                wording.usd(yearly),
            ),
            Step(
                "Tokens of a year",
                "peak requests/s × mean over peak × seconds of a year × tokens of an answer",
                f"{wording.rate(plan.serving.peak_requests_per_s, 'requests/s')} × "
                f"{wording.percent(plan.shape.mean_over_peak)}",
                wording.tokens(tokens),
                plan.shape.source,
            ),
            Step(
                "Per million",
                "cost of a year ÷ tokens of a year",
                f"{wording.usd(yearly)} ÷ {wording.tokens(tokens)}",
                wording.usd(per_million),
            ),
        ),
    )


def cost_per_request(plan: Plan, place: int) -> Explanation:
    """Cost of an average request, and its prompt's and its answer's share. [USD]"""
    money = plan.serving_cost
    owned = plan.best.key != "rent_all"
    yearly = money.owned_usd_per_year if owned else money.rent_usd_per_year
    cost = plan.request_cost_at(yearly)
    usd = float(np.asarray(cost.usd)[place])
    prompt = float(np.asarray(cost.prefill_usd)[place])
    return Explanation(
        title="Cost per request",
        result=wording.usd(usd),
        value=usd,
        steps=(
            Step(
                "Request",
                "cost of a year ÷ requests of a year",
                f"{wording.usd(float(yearly[place]))} ÷ {wording.tokens(plan.requests_per_year)}",
                wording.usd(usd),
            ),
            Step(
                "Its prompt",
                "share of the device time that reading the prompt takes",
                wording.percent(prompt / usd) if usd else wording.NONE,
                wording.usd(prompt),
            ),
            Step("Its answer", "the rest", "", wording.usd(usd - prompt)),
        ),
    )


def training_memory(plan: Plan, place: int) -> Explanation:
    """Memory on one device of the run. [bytes]"""
    memory, layout = plan.training.memory, plan.training.layout
    named = (
        ("Weights", memory.weights_bytes, "parameters on the device × bytes of a weight"),
        ("Gradients", memory.gradients_bytes, "trained parameters × bytes of a gradient"),
        ("Optimizer", memory.optimizer_bytes, "trained parameters × bytes of state, master copy"),
        ("Activations", memory.activations_bytes, "kept activations of the layers in flight"),
        ("Logits", memory.logits_bytes, "vocabulary × tokens × bytes of a logit"),
        ("Buffers", memory.buffers_bytes, "gathered weights and gradient buckets"),
        ("Overhead", memory.overhead_bytes, "context, libraries, allocator"),
    )
    total = float(memory.total_bytes[place])
    split = (
        f"tensor {layout.tensor[place]:.0f}, pipeline {layout.pipeline[place]:.0f}, context "
        f"{layout.context[place]:.0f}, {layout.replicas[place]:.0f} replicas"
    )
    return Explanation(
        title="Training memory on one device",
        result=wording.gib(total / GIB),
        value=total,
        steps=tuple(
            Step(
                label,
                formula,
                split if label == "Weights" else "",
                wording.gib(float(values[place]) / GIB),
            )
            for label, values, formula in named
        ),
    )


def run_time(plan: Plan, place: int) -> Explanation:
    """Time of a training run. [s]"""
    training, scenario = plan.training, plan.scenario
    step = training.step
    seconds = [
        float(part[place])
        for part in (step.compute, step.memory, step.communication, step.overhead)
    ]
    steps = (
        scenario.training_tokens_million
        * MILLION
        / (scenario.batch_sequences * scenario.sequence_tokens)
    )
    run = float(training.run_seconds[place])
    return Explanation(
        title="Time of a training run",
        result=wording.hours(run / SECONDS_PER_HOUR),
        value=run,
        steps=(
            Step(
                "One step",
                "arithmetic + memory traffic + communication not hidden + fixed time",
                " + ".join(wording.ms(1000 * value) for value in seconds),
                wording.ms(1000 * sum(seconds)),
                _witness(plan, place, "bf16_tflops"),
            ),
            Step(
                "Steps",
                "tokens of a run ÷ (sequences × length)",
                f"{wording.tokens(scenario.training_tokens_million * MILLION)} ÷ "
                f"({scenario.batch_sequences:,} × {scenario.sequence_tokens:,})",
                wording.count(steps),
            ),
            Step(
                "Run",
                "steps × time of a step",
                f"model FLOP utilization {wording.percent(float(training.mfu[place]))}",
                wording.hours(run / SECONDS_PER_HOUR),
            ),
        ),
    )


def cost_per_run(plan: Plan, place: int) -> Explanation:
    """Cost of one run in the way that the best option pays. [USD]"""
    money = plan.training_cost
    owned = plan.best.key in ("shared", "two_owned")
    runs = max(plan.scenario.runs_per_month * 12, 1)
    yearly = float((money.owned_usd_per_year if owned else money.rent_usd_per_year)[place])
    hour, words, basis = _hourly(plan, place, owned=owned, job="training")
    paid = (
        float(money.devices[place]) * HOURS_PER_YEAR
        if owned
        else float(money.rented_device_hours[place])
    )
    return Explanation(
        title="Cost of a training run",
        result=wording.usd(yearly / runs),
        value=yearly / runs,
        steps=(
            Step("Device-hour", "owned" if owned else "rented", words, wording.usd(hour), basis),
            Step(
                "Year of runs",
                "paid device-hours × cost of a device-hour",
                f"{wording.count(paid)} h × {wording.usd(hour)}",
                wording.usd(yearly),
            ),
            Step(
                "Run",
                "cost of a year ÷ runs of a year",
                f"{wording.usd(yearly)} ÷ {wording.significant(runs)}",
                wording.usd(yearly / runs),
            ),
        ),
    )


def option_cost(plan: Plan) -> Explanation:
    """Cost of the best option over the horizon. [USD]"""
    best, months = plan.best, plan.scenario.horizon_months
    total = best.usd_per_year.typical * months / 12
    return Explanation(
        title=f"{best.label}: cost over {months} months",
        result=wording.usd(total),
        value=total,
        steps=(
            *(
                Step(part.capitalize(), "a year", "", wording.usd(usd))
                for part, usd in best.parts_usd_per_year.items()
            ),
            Step(
                "Horizon",
                "sum of the parts × months ÷ 12",
                f"{wording.usd(best.usd_per_year.typical)} × {months} ÷ 12",
                wording.usd(total),
            ),
        ),
    )
