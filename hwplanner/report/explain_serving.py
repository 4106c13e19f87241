"""Memory, times and devices of serving, step by step."""

from __future__ import annotations

import numpy as np

from hwplanner import wording
from hwplanner.plan import Plan
from hwplanner.report.sources import assumed, witness
from hwplanner.report.statements import Explanation, Step
from hwplanner.units import BILLION, GB, GIB


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
    users = float(serving.users_per_copy[place])
    return Explanation(
        title="Serving memory on one device",
        result=wording.gib(total / GIB),
        value=total,
        steps=(
            Step(
                "Weights",
                "weights of the model, divided over the devices of a copy",
                f"{wording.gib(float(load.weights.total_bytes) / GIB)} in "
                f"{load.weight_format.label} over {devices} devices",
                weights,
                load.shape.source,
            ),
            Step(
                "Cache",
                "cache of one user at full context × users on a copy",
                f"{wording.gib(float(serving.cache_bytes[place]) / users / GIB)} on this device "
                f"× {wording.count(users)} users at {wording.tokens(scenario.context_tokens)}",
                cache,
                load.shape.source,
            ),
            Step(
                "Activations",
                "tokens of a step × 2 bytes × (3 hidden + 3 feed-forward width) + logits",
                f"{scenario.prefill_chunk_tokens:,} tokens, hidden {load.numbers.hidden:,.0f}",
                activations,
                assumed(plan, "logit_bytes_per_entry"),
            ),
            Step(
                "Overhead",
                "context + communication buffers + graphs + expert workspace",
                "per device",
                overhead,
                assumed(plan, "context_bytes"),
            ),
            Step(
                "Total against usable",
                "sum of the four",
                " + ".join((weights, cache, activations, overhead)),
                f"{wording.gib(total / GIB)} of "
                f"{wording.gib(float(serving.usable_bytes[place]) / GIB)}",
                witness(plan, place, "usable_memory_gib") or witness(plan, place, "memory_gib"),
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
    products = batch * of(times.per_sequence.compute) + of(experts.compute)
    read = of(times.fixed.memory) + of(experts.memory)
    count = float(serving.layout_devices[place])
    # A device does both at once; each counts by its part of the time that they take together.
    together = float(np.hypot(read, products))
    compute = of(times.fixed.compute) + products**2 / together
    weights = read**2 / together
    cache = batch * of(times.per_sequence.memory)
    links = of(times.fixed.communication) + batch * of(times.per_sequence.communication)
    fixed = of(times.fixed.overhead) + batch * of(times.per_sequence.overhead)
    others = (batch - 1) * of(times.prefill.total) / float(times.output_tokens)
    total = compute + weights + cache + links + fixed + others
    active_billion = float(plan.workload.numbers.active_parameters) / BILLION
    bandwidth = (device.memory_bandwidth_bytes_per_s or 0) / GB
    ms = 1000
    users = f"{wording.significant(batch)} requests in flight on a copy"
    return Explanation(
        title="Time per output token at the peak",
        result=wording.ms(total * ms),
        value=total,
        steps=(
            Step(
                "Read the weights",
                "reading = bytes of the weights that a step touches ÷ (bandwidth × efficiency); it "
                "counts reading² ÷ √(reading² + arithmetic²): both run at once",
                f"{wording.ms(read * ms)} on {wording.device_count(count)} "
                f"at {bandwidth:,.0f}{wording.SPACE}GB/s, both {wording.ms(together * ms)}",
                wording.ms(weights * ms),
                witness(plan, place, "memory_bandwidth_gb_per_s"),
            ),
            Step(
                "Read cache and activations",
                "requests × bytes of one cache ÷ (bandwidth × efficiency)",
                users,
                wording.ms(cache * ms),
                assumed(plan, "cache_read_efficiency"),
            ),
            Step(
                "Arithmetic",
                "2 FLOP × active parameters × requests ÷ (peak × efficiency); counts likewise",
                f"{wording.ms(products * ms)} for {users}, {wording.significant(active_billion)} "
                f"billion active parameters in {plan.workload.arithmetic}",
                wording.ms(compute * ms),
                assumed(plan, "gemm_efficiency"),
            ),
            Step(
                "Links",
                "two all-reduces a layer: start-up time + bytes ÷ (link × efficiency)",
                f"{plan.workload.numbers.layers:.0f} layers over "
                f"{wording.count(serving.tensor[place])} devices",
                wording.ms(links * ms),
                witness(plan, place, "link_gb_per_s_per_direction"),
            ),
            Step(
                "Fixed time",
                "layers × time of a layer + time of a step + requests × host time",
                f"{plan.workload.numbers.layers:.0f} layers",
                wording.ms(fixed * ms),
                assumed(plan, "layer_seconds"),
            ),
            Step(
                "Prompts of others",
                "(requests − 1) × time to read a prompt ÷ tokens of an answer",
                f"{wording.ms(of(times.prefill.total) * ms)} a prompt, "
                f"{wording.count(float(times.output_tokens))} tokens",
                wording.ms(others * ms),
                assumed(plan, "prefill_efficiency"),
            ),
        ),
    )


def time_to_first_token(plan: Plan, place: int) -> Explanation:
    """Mean time to the first token at the peak. [s]"""
    serving, times = plan.serving, plan.serving.times
    rate = serving.peak_requests_per_s / float(serving.copies[place])
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
                assumed(plan, "prefill_efficiency"),
            ),
            Step("One decode step", "as in the time per token", "", wording.ms(step * ms)),
            Step(
                "Wait behind other prompts",
                "R D² ÷ (2 (1 − R D)): R requests/s of a copy, D the time of a prompt",
                f"{wording.rate(rate, 'requests/s')}, "
                f"{wording.ms(float(times.prefill.total[place, 0]) * ms)} a prompt",
                wording.ms(wait * ms),
                "M/D/1 queue; Zhong et al. 2024, DistServe, section 3.1",
            ),
        ),
    )


def serving_devices(plan: Plan, place: int) -> Explanation:
    """Devices that carry the busiest hour. [devices]"""
    serving, scenario = plan.serving, plan.scenario
    free = 1 - scenario.headroom_percent / 100
    copies, demand = float(serving.copies[place]), serving.peak_requests_per_s
    of_copy = float(serving.capacity_requests_per_s[place]) / copies
    by_rate = demand / (of_copy * free)
    load = float(serving.load_in_copies[place])
    return Explanation(
        title="Devices for serving",
        result=wording.count(serving.devices[place]),
        value=float(serving.devices[place]),
        steps=(
            Step(
                "Demand of the busiest hour",
                "users ÷ larger of their interval and an answer at the targets",
                f"{scenario.users:,} users, {scenario.request_interval_seconds:g} s",
                wording.rate(demand, "requests/s"),
            ),
            Step(
                "Answers of one copy",
                "requests/s at the largest batch within memory and latency targets",
                f"batch {wording.count(serving.largest_batch[place])}",
                wording.rate(of_copy, "requests/s"),
            ),
            Step(
                "Copies for the requests",
                "demand ÷ (answers of one copy × (1 − headroom))",
                f"{wording.significant(demand)} ÷ "
                f"({wording.significant(of_copy)} × {wording.significant(free)})",
                wording.significant(by_rate),
            ),
            Step(
                "Copies for the caches of all users",
                "users ÷ (caches that a copy holds × (1 − headroom))",
                f"{scenario.users:,} users at {wording.tokens(scenario.context_tokens)}",
                wording.significant(load) if load > by_rate else "fewer",
            ),
            Step(
                "Copies",
                "the larger of both, in whole copies",
                "",
                wording.count(copies),
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
