"""Four tests of a device for a job, in words: memory, precision, interconnect, software.

Labels such as "training chip" decide nothing; these four do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hwplanner import wording
from hwplanner.plan import Plan
from hwplanner.precision import ARITHMETIC, resolve_arithmetic
from hwplanner.software import ENGINE_NAMES, serving_framework, training_frameworks
from hwplanner.tables import LIMITS, Job
from hwplanner.units import GIB

Level = Literal["good", "near", "poor"]
TESTS = ("memory", "precision", "interconnect", "software")
NEARLY_FULL = 0.9  # share of the usable memory from which a fit is called tight
NOTICEABLE = 0.3  # share of the time on links from which they are called a burden
SPACE = wording.SPACE


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a device stands in one test, and why."""

    test: str
    level: Level
    reason: str


def verdicts(plan: Plan, place: int, job: Job) -> tuple[Verdict, ...]:
    """Test one device of a plan for one job, in the order of `TESTS`."""
    if job == "serving":
        found = (
            _serving_memory(plan, place),
            _serving_precision(plan, place),
            _serving_interconnect(plan, place),
            _serving_software(plan, place),
        )
    else:
        found = (
            _training_memory(plan, place),
            _training_precision(plan, place),
            _training_interconnect(plan, place),
            _training_software(plan, place),
        )
    return tuple(
        Verdict(test, level, reason) for test, (level, reason) in zip(TESTS, found, strict=True)
    )


def why_not(plan: Plan, place: int, job: Job) -> str:
    """Why a device is out for a job, or misses its target; '' where nothing is wrong."""
    estimates = plan.serving if job == "serving" else plan.training
    if not estimates.supported[place]:
        poor = [verdict for verdict in verdicts(plan, place, job) if verdict.level == "poor"]
        return poor[0].reason if poor else "figures are not published"
    if not estimates.fits[place]:
        return _does_not_fit(plan, place, job)
    if job == "serving" and not plan.serving.meets_target[place]:
        tpot_ms = plan.serving.tpot_seconds[place] * 1000
        if tpot_ms > plan.scenario.tpot_ms:
            return f"too slow, {wording.ms(tpot_ms)} a token"
        return f"first token late, {wording.ms(plan.serving.ttft_seconds[place] * 1000)}"
    if job == "training" and not plan.training.meets_window[place]:
        return f"run takes {wording.hours(plan.training.run_seconds[place] / 3600)}"
    return ""


def _does_not_fit(plan: Plan, place: int, job: Job) -> str:
    estimates = plan.serving if job == "serving" else plan.training
    devices = plan.serving.layout_devices if job == "serving" else plan.training.devices
    short = wording.gib(float(estimates.short_bytes[place]) / GIB)
    count = float(devices[place])
    return f"does not fit: {short} short" + (f" on each of {count:.0f}" if count > 1 else "")


def _memory(used: float, usable: float, devices: float, what: str) -> tuple[Level, str]:
    level: Level = "near" if used > NEARLY_FULL * usable else "good"
    each = " on each" if devices > 1 else ""
    return level, (
        f"{what} takes {wording.gib(used / GIB)} of {wording.gib(usable / GIB)} usable{each}"
    )


def _count(devices: float) -> str:
    return "1 device" if devices == 1 else f"{devices:,.0f} devices"


def _serving_memory(plan: Plan, place: int) -> tuple[Level, str]:
    serving = plan.serving
    if not serving.supported[place]:
        return "near", f"{wording.gib(float(serving.usable_bytes[place]) / GIB)} usable"
    if not serving.fits[place]:
        return "poor", _does_not_fit(plan, place, "serving")
    devices = float(serving.layout_devices[place])
    used = float(serving.used_bytes[place])
    return _memory(
        used, float(serving.usable_bytes[place]), devices, f"a copy on {_count(devices)}"
    )


def _serving_precision(plan: Plan, place: int) -> tuple[Level, str]:
    rates = {name: float(peak[place]) for name, peak in plan.arrays.peak_flop_per_s.items()}
    return _precision(plan.workload.arithmetic, rates)


def _precision(arithmetic: str, rates: dict[str, float]) -> tuple[Level, str]:
    used, _, note = resolve_arithmetic(arithmetic=arithmetic, peaks=rates)
    if not used:
        return "poor", note
    if note:
        return "near", note
    return "good", f"computes in {used}, which the device has"


def _interconnect(
    plan: Plan, place: int, *, span: float, tensor: float, share: float, alone: str
) -> tuple[Level, str]:
    """Judge by the time that links take, naming the medium that joins the devices."""
    if span <= 1:
        return "good", alone
    device = plan.devices[place]
    server = plan.assumptions.typical("pcie_server_devices")
    if span <= device.scale_up_domain:
        medium = device.scale_up_link
    elif tensor <= max(device.scale_up_domain, 1) or span > server:
        medium = f"{device.scale_up_link} and network" if device.scale_up_domain > 1 else "network"
    else:
        medium = device.host_link
    level: Level = "near" if share > NOTICEABLE else "good"
    if share > 2 * NOTICEABLE:
        level = "poor"
    return (
        level,
        f"{_count(span)} joined by {medium}; links take {wording.percent(share)} of the time",
    )


def _serving_interconnect(plan: Plan, place: int) -> tuple[Level, str]:
    serving = plan.serving
    if not serving.fits[place]:
        return "near", f"link: {plan.devices[place].scale_up_link}"
    return _interconnect(
        plan,
        place,
        span=float(serving.layout_devices[place]),
        tensor=float(serving.tensor[place]),
        share=float(serving.limit_shares[LIMITS.index("communication"), place]),
        alone="not needed: one device holds a copy",
    )


def _serving_software(plan: Plan, place: int) -> tuple[Level, str]:
    device = plan.devices[place]
    engine = plan.scenario.engine
    framework = serving_framework(device.frameworks, engine)
    if framework is None:
        listed = ", ".join(device.frameworks[:3])
        return "poor", f"{ENGINE_NAMES[engine]} is not listed for it; listed are {listed}"
    if engine == "vendor":
        return "good", f"{device.software_stack} with {framework}"
    if framework.startswith(ENGINE_NAMES[engine].lower()) and framework != engine:
        return "near", f"runs {ENGINE_NAMES[engine]} through a port ({framework})"
    return "good", f"{ENGINE_NAMES[engine]} is listed for it, on {device.software_stack}"


def _training_memory(plan: Plan, place: int) -> tuple[Level, str]:
    training = plan.training
    if not training.supported[place]:
        return "near", f"{wording.gib(float(training.usable_bytes[place]) / GIB)} usable"
    if not training.fits[place]:
        return "poor", _does_not_fit(plan, place, "training")
    devices = float(training.devices[place])
    used = float(training.memory.total_bytes[place])
    return _memory(
        used, float(training.usable_bytes[place]), devices, f"the run on {_count(devices)}"
    )


def _training_precision(plan: Plan, place: int) -> tuple[Level, str]:
    rates = {name: float(peak[place]) for name, peak in plan.arrays.peak_flop_per_s.items()}
    wanted = plan.scenario.training_precision
    assert wanted in ARITHMETIC
    return _precision(wanted, rates)


def _training_interconnect(plan: Plan, place: int) -> tuple[Level, str]:
    training = plan.training
    if not training.fits[place]:
        return "near", f"link: {plan.devices[place].scale_up_link}"
    return _interconnect(
        plan,
        place,
        span=float(training.devices[place]),
        tensor=float(training.layout.tensor[place]),
        share=float(training.limit_shares[LIMITS.index("communication"), place]),
        alone="not needed: one device holds the run",
    )


def _training_software(plan: Plan, place: int) -> tuple[Level, str]:
    device = plan.devices[place]
    listed = ", ".join(training_frameworks(device.frameworks)) or "no training framework"
    if device.training_supported == "no":
        return "poor", f"training is not supported on {device.software_stack}"
    if device.training_supported == "limited":
        return "near", f"limited: {listed} on {device.software_stack}, few published runs"
    return "good", f"{listed} on {device.software_stack}"
