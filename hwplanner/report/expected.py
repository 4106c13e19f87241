"""What is shown with the range that holds 8 of 10 cases: times, memory, devices, costs."""

from __future__ import annotations

import numpy as np

from hwplanner.plan import Plan
from hwplanner.scenario import Job
from hwplanner.units import GIB, SECONDS_PER_HOUR, Interval

MILLISECONDS = 1000


def cost(plan: Plan, job: Job, place: int, usd: float | None = None) -> Interval:
    """Cost of a million output tokens, of a run, or any other cost of a job. [USD]"""
    of_unit = plan.usd(job)[place] if usd is None else usd
    return plan.cost_band(job).around(of_unit, place)


def token_ms(plan: Plan, place: int) -> Interval:
    """Time per output token at the peak. [ms]"""
    ms = plan.serving.tpot_seconds[place] * MILLISECONDS
    return plan.ranges.serving.token_time.around(ms, place)


def first_token_ms(plan: Plan, place: int) -> Interval:
    """Time to the first token at the peak. [ms]"""
    ms = plan.serving.ttft_seconds[place] * MILLISECONDS
    return plan.ranges.serving.first_token_time.around(ms, place)


def run_hours(plan: Plan, place: int, hours: float | None = None) -> Interval:
    """Time of a training run, as the layout has it or as an option finishes it. [h]

    How long devices are waited for and set up is as the scenario has it.
    """
    typical = plan.training.run_hours[place] if hours is None else hours
    before = float(plan.training.seconds_to_first_step[place]) / SECONDS_PER_HOUR
    steps = plan.ranges.training.token_time.around(typical - before, place)
    return Interval(before + steps.low, float(typical), before + steps.high)


def training_speed(plan: Plan, place: int) -> Interval:
    """Speed of a training run. [tokens/s/device]"""
    speed = plan.training.tokens_per_s_per_device[place]
    return plan.ranges.training.speed.around(speed, place)


def memory_gib(plan: Plan, job: Job, place: int) -> Interval:
    """Memory in use on one device. [GiB/device]"""
    used = plan.serving.used_bytes if job == "serving" else plan.training.memory.total_bytes
    return plan.ranges.of(job).memory.around(used[place] / GIB, place)


def devices(plan: Plan, job: Job, place: int) -> Interval:
    """Devices that a job needs; the fleet as it is planned stands between. [devices]"""
    low, high = plan.devices_needed(job)
    return Interval(float(low[place]), float(plan.fleet(job).devices[place]), float(high[place]))


def busy_share(plan: Plan, place: int) -> Interval:
    """Share of the serving capacity that the busiest hour takes; all of it at most. [1]"""
    share = plan.ranges.serving.speed.inverse().around(plan.serving.peak_utilization[place], place)
    return Interval(share.low, share.typical, float(np.minimum(share.high, 1.0)))


def draws_in_words(share: float) -> str:
    """Say a share of draws.

    Examples
    --------
    >>> draws_in_words(0.68), draws_in_words(0.02), draws_in_words(0.999)
    ('7 of 10 draws', '1 of 50 draws', 'nearly all draws')
    """
    if share >= 0.995:
        return "all draws" if share == 1 else "nearly all draws"
    if share >= 0.05:
        return f"{min(max(round(10 * share), 1), 9)} of 10 draws"
    return f"1 of {round(1 / share / 10) * 10 or 10} draws" if share > 0 else "no draw"
