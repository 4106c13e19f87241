"""Names with a fact each: the model, what grows with what, how busy a device is."""

from __future__ import annotations

from collections.abc import Iterable

from hwplanner import wording
from hwplanner.model.kv_cache import cache_bytes, cache_bytes_per_token
from hwplanner.model.precision import FORMATS, NOT_TESTED, resolve_arithmetic, weight_bytes
from hwplanner.physics.time_parts import LIMITS
from hwplanner.plan import Plan
from hwplanner.report import expected
from hwplanner.report.tables import Column, Table
from hwplanner.units import GIB


def model(plan: Plan) -> tuple[tuple[str, str], ...]:
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
        (
            "Weights",
            f"{wording.gib(float(weights.total_bytes) / GIB)} in "
            f"{plan.workload.weight_format.label}",
        ),
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


def growth(plan: Plan) -> tuple[tuple[str, str], ...]:
    """What a step of each slider adds to the memory of serving all users."""
    load, scenario = plan.workload, plan.scenario

    def added(*, tokens: int = 0, users: int = 0) -> str:
        of_a_user, of_a_longer_one = (
            cache_bytes(
                model=load.numbers,
                context_tokens=scenario.context_tokens + more,
                bytes_per_value=load.cache_bytes_per_value,
            )
            for more in (0, tokens)
        )
        after = of_a_longer_one * (scenario.users + users)
        return f"cache + {wording.gib(float(after - of_a_user * scenario.users) / GIB)}"

    facts = [
        ("8k more context", added(tokens=8192)),
        ("10 more users", added(users=10)),
    ]
    four_bit = weight_bytes(model=load.numbers, weight_format=FORMATS["int4"])
    saved_bytes = float(load.weights.total_bytes - four_bit.total_bytes)
    if saved_bytes > 0:
        saved = f"weights {wording.MINUS} {wording.gib(saved_bytes / GIB)} a copy"
        facts.append(("4-bit weights", f"{saved}, {NOT_TESTED}"))
    return tuple(facts)


def busy(plan: Plan, place: int) -> tuple[tuple[str, str], ...]:
    """How much of compute, bandwidth, memory and links a serving device uses at the peak."""
    serving, device = plan.serving, plan.devices[place]
    copy_requests_per_s = serving.peak_requests_per_s / serving.copies[place]
    flop_per_s = plan.request_flop * copy_requests_per_s / serving.layout_devices[place]
    peak_flop_per_s = resolve_arithmetic(
        arithmetic=plan.workload.arithmetic,
        peaks={name: float(rates[place]) for name, rates in plan.arrays.peak_flop_per_s.items()},
    )[1]
    reading_seconds = serving.decode.memory[place] + serving.prefill.memory[place]
    talking = serving.limit_shares[LIMITS.index("communication"), place]
    of_capacity = serving.peak_utilization[place]
    range_ = expected.busy_share(plan, place)
    at_peak = wording.interval(range_.low, range_.high, wording.percent)
    of_memory = serving.used_bytes[place] / serving.usable_bytes[place]
    return (
        (
            "Capacity in requests",
            f"{wording.percent(of_capacity)} of what the fleet can answer, {at_peak} in 8 of 10 "
            "cases",
        ),
        ("Memory", f"{wording.percent(of_memory)} of the usable memory holds something"),
        (
            "Arithmetic",
            f"{wording.percent(flop_per_s / peak_flop_per_s)} of the peak of {device.name}",
        ),
        (
            "Memory bandwidth",
            f"{wording.percent(reading_seconds * copy_requests_per_s)} of the time memory is being "
            "read",
        ),
        ("Links", f"{wording.percent(talking * of_capacity)} of the time"),
    )


def facts_table(key: str, title: str, facts: Iterable[tuple[str, str]]) -> Table:
    """Names and facts as a file holds them."""
    columns = (Column("name", "Name"), Column("fact", "Fact"))
    return Table(key, title, columns, tuple({"name": name, "fact": fact} for name, fact in facts))
