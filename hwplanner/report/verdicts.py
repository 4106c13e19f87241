"""Four tests of a device for a job, in words: memory, precision, interconnect, software.

Labels such as "training chip" decide nothing; these four do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hwplanner import wording
from hwplanner.catalog.software import (
    ENGINE_FRAMEWORKS,
    ENGINE_NAMES,
    TRAINING_NAMES,
    Finding,
    device_kinds,
    serving_framework,
    serving_support,
    training_frameworks,
    training_support,
)
from hwplanner.model.precision import resolve_arithmetic
from hwplanner.physics.network import box_devices
from hwplanner.physics.time_parts import LIMITS
from hwplanner.plan import Plan
from hwplanner.scenario import Job
from hwplanner.units import GIB

Level = Literal["good", "near", "poor"]
Found = tuple[Level, str]
TESTS = ("memory", "precision", "interconnect", "software")
NEARLY_FULL = 0.9  # share of the usable memory from which a fit is called tight
NOTICEABLE = 0.3  # share of the time on links from which they are called a burden


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a device stands in one test, and why."""

    test: str
    level: Level
    reason: str


def verdicts(plan: Plan, place: int, job: Job) -> tuple[Verdict, ...]:
    """Test one device of a plan for one job, in the order of `TESTS`."""
    software = _serving_software if job == "serving" else _training_software
    found = (
        _memory(plan, place, job),
        _precision(plan, place, job),
        _interconnect(plan, place, job),
        software(plan, place),
    )
    return tuple(
        Verdict(test, level, reason) for test, (level, reason) in zip(TESTS, found, strict=True)
    )


def why_not(plan: Plan, place: int, job: Job) -> str:
    """Why a device is out for a job, or misses its target; '' where nothing is wrong."""
    if not plan.supported(job)[place]:
        poor = [verdict for verdict in verdicts(plan, place, job) if verdict.level == "poor"]
        return poor[0].reason if poor else "figures are not published"
    if not plan.fits(job)[place]:
        return _does_not_fit(plan, place, job)
    if plan.meets_target(job)[place]:
        return ""
    if job == "training":
        return f"run takes {wording.hours(float(plan.training.run_hours[place]))}"
    tpot_ms = float(plan.serving.tpot_seconds[place]) * 1000
    if tpot_ms > plan.scenario.tpot_ms:
        return f"too slow, {wording.ms(tpot_ms)} a token"
    return f"first token late, {wording.ms(float(plan.serving.ttft_seconds[place]) * 1000)}"


def _does_not_fit(plan: Plan, place: int, job: Job) -> str:
    estimates = plan.serving if job == "serving" else plan.training
    if estimates.short_bytes[place] <= 0:
        return f"the rate of {plan.devices[place].scale_up_link} is not published"
    short = wording.gib(float(estimates.short_bytes[place]) / GIB)
    count, fewest = _group_devices(plan, place, job), float(estimates.fewest_devices[place])
    each = f" on each of {count:.0f}" if count > 1 else ""
    needs = f", needs {fewest:,.0f} devices" if np.isfinite(fewest) else ""
    return f"does not fit: {short} short{each}{needs}"


def _group_devices(plan: Plan, place: int, job: Job) -> float:
    """Devices that hold one copy of the served model, or the run. [devices]"""
    devices = plan.serving.layout_devices if job == "serving" else plan.training.devices
    return float(devices[place])


def _memory(plan: Plan, place: int, job: Job) -> Found:
    if job == "serving":
        used, usable = plan.serving.used_bytes[place], plan.serving.usable_bytes[place]
    else:
        used, usable = plan.training.memory.total_bytes[place], plan.training.usable_bytes[place]
    if not plan.supported(job)[place]:
        return "near", f"{wording.gib(float(usable) / GIB)} usable"
    if not plan.fits(job)[place]:
        return "poor", _does_not_fit(plan, place, job)
    devices = _group_devices(plan, place, job)
    what = "a copy" if job == "serving" else "the run"
    return (
        "near" if used > NEARLY_FULL * usable else "good",
        f"{what} on {wording.device_count(devices)} takes {wording.gib(float(used) / GIB)} of "
        f"{wording.gib(float(usable) / GIB)} usable{' on each' if devices > 1 else ''}",
    )


def _precision(plan: Plan, place: int, job: Job) -> Found:
    serving, training = plan.workload.arithmetic, plan.scenario.training_precision
    used, _, note = resolve_arithmetic(
        arithmetic=serving if job == "serving" else training,
        peaks={name: float(peak[place]) for name, peak in plan.arrays.peak_flop_per_s.items()},
    )
    if not used:
        return "poor", note
    if note:
        return "near", note
    return "good", f"computes in {used}, which the device has"


def _interconnect(plan: Plan, place: int, job: Job) -> Found:
    """Judge by the time that links take, naming the media that join the devices."""
    if not plan.fits(job)[place]:
        return "near", f"link: {plan.devices[place].scale_up_link}"
    span = _group_devices(plan, place, job)
    if span == 1:
        what = "a copy" if job == "serving" else "the run"
        return "good", f"not needed: one device holds {what}"
    if job == "serving":
        tensor, shares = plan.serving.tensor, plan.serving.limit_shares
    else:
        tensor, shares = plan.training.layout.tensor, plan.training.limit_shares
    share = float(shares[LIMITS.index("communication"), place])
    level: Level = "near" if share > NOTICEABLE else "good"
    if share > 2 * NOTICEABLE:
        level = "poor"
    media = dict.fromkeys(
        _medium(plan, place, devices) for devices in (float(tensor[place]), span) if devices > 1
    )
    return (
        level,
        f"{wording.device_count(span)} joined by {' and '.join(media)}; "
        f"links take {wording.percent(share)} of the time",
    )


def _medium(plan: Plan, place: int, devices: float) -> str:
    """What joins so many neighbouring devices: the fast link, a server's host links, a network."""
    device, arrays = plan.devices[place], plan.arrays
    if devices <= device.scale_up_domain:
        return device.scale_up_link
    box = box_devices(
        domain_devices=device.scale_up_domain,
        link_bytes_per_s=arrays.link_bytes_per_s[place],
        host_link_bytes_per_s=arrays.host_link_bytes_per_s[place],
        server_devices=plan.assumptions.typical("pcie_server_devices"),
        fastest_pcie_bytes_per_s=plan.assumptions.typical("fastest_pcie_bytes_per_s"),
    )
    return device.host_link if devices <= box else "network"


def _serving_software(plan: Plan, place: int) -> Found:
    """Judge by what sources say of the engine with these formats; silence is not a yes."""
    device, scenario = plan.devices[place], plan.scenario
    found = serving_support(
        device_kinds(plan.arrays)[place],
        device.frameworks,
        scenario.engine,
        scenario.weight_format,
        scenario.cache_format,
    )
    framework = serving_framework(device.frameworks, scenario.engine)
    engine = ENGINE_NAMES[scenario.engine]
    if scenario.engine == "vendor":
        engine = f"{device.software_stack} with {framework}"
    if framework is None and found.statement is None:
        listed = ", ".join(device.frameworks[:3])
        return "poor", f"{engine} is not listed for it; listed are {listed}"
    is_port = scenario.engine != "vendor" and framework not in ENGINE_FRAMEWORKS[scenario.engine]
    through = f" through a port ({framework})" if is_port and framework else ""
    what = _format_words(found.number_format)
    match found.status:
        case "no":
            return "poor", f"{engine} does not run {what} on it{_remark(found)}"
        case "unknown":
            return "near", (
                f"{engine} is listed for it{through}; whether it runs {what} is unknown"
                f"{_remark(found)}"
            )
        case "limited":
            return "near", f"{engine} runs {what} on it{through}, with limits{_remark(found)}"
        case "yes":
            level: Level = "near" if through else "good"
            return level, f"{engine} runs {what} on it{through}{_remark(found)}"


def _training_software(plan: Plan, place: int) -> Found:
    """Judge by the vendor's support and by what sources say of the precision."""
    device = plan.devices[place]
    listed = ", ".join(training_frameworks(device.frameworks)) or "no training framework"
    if device.training_supported == "no":
        return "poor", f"training is not supported on {device.software_stack}"
    found = training_support(device_kinds(plan.arrays)[place], plan.scenario.training_precision)
    what, framework = found.number_format, TRAINING_NAMES.get(found.engine, found.engine)
    if found.status == "no":
        return "poor", f"no framework is known to train in {what} on it{_remark(found)}"
    if device.training_supported == "limited":
        return "near", f"limited: {listed} on {device.software_stack}, few published runs"
    on_stack = f"{listed} on {device.software_stack}"
    if found.status == "unknown":
        return "near", f"{on_stack}; whether it trains in {what} is unknown{_remark(found)}"
    if found.status == "limited":
        return "near", f"{framework} trains in {what} on it, with limits{_remark(found)}"
    return "good", f"{on_stack}; {framework} trains in {what}{_remark(found)}"


def _format_words(number_format: str) -> str:
    """Name a format of the table of software.

    Examples
    --------
    >>> _format_words("kv_fp8"), _format_words("fp8")
    ('an fp8 cache', 'fp8 weights')
    """
    if number_format.startswith("kv_"):
        return f"an {number_format.removeprefix('kv_')} cache"
    return f"{'GGUF' if number_format == 'gguf' else number_format} weights"


def _remark(found: Finding) -> str:
    """Note and source of a statement, in brackets."""
    one = found.statement
    if one is None:
        return ""
    return f"{f': {one.note}' if one.note else ''} ({one.witness})"
