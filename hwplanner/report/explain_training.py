"""Memory and time of a training run, step by step."""

from __future__ import annotations

from dataclasses import replace

from hwplanner import wording
from hwplanner.plan import Plan
from hwplanner.report.sources import assumed, witness
from hwplanner.report.statements import Explanation, Step
from hwplanner.training.goodput import Interruptions, most_available_interval_seconds
from hwplanner.units import GIB, MILLION, SECONDS_PER_HOUR, Quantity


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
    work, goodput = float(training.work_seconds[place]), float(training.goodput[place])
    run = float(training.run_seconds[place])
    return Explanation(
        title="Time of a training run",
        result=_time(run),
        value=run,
        steps=(
            Step(
                "One step",
                "arithmetic + memory traffic + communication not hidden + fixed time",
                " + ".join(wording.ms(1000 * value) for value in seconds),
                wording.ms(1000 * sum(seconds)),
                witness(plan, place, "bf16_tflops"),
            ),
            Step(
                "Steps",
                "tokens of a run ÷ (sequences × length)",
                f"{wording.tokens(scenario.training_tokens_million * MILLION)} ÷ "
                f"({scenario.batch_sequences:,} × {scenario.sequence_tokens:,})",
                wording.significant(steps),
            ),
            Step(
                "Productive time",
                "steps × time of a step",
                f"model FLOP utilization {wording.percent(float(training.mfu[place]))}",
                _time(work),
            ),
            _interruptions(plan, place),
            _goodput(plan, place),
            Step(
                "Run",
                "wait for devices + set-up + productive time ÷ goodput",
                f"{_time(training.queue_seconds[place])} + {_time(training.setup_seconds[place])}"
                f" + {_time(work)} ÷ {wording.significant(goodput)}",
                _time(run),
            ),
        ),
    )


def _interruptions(plan: Plan, place: int) -> Step:
    """How often the run starts again from a checkpoint."""
    devices, run = float(plan.training.devices[place]), _run(plan, place)
    failures = f"{wording.count(devices)} ÷ {wording.count(run.device_hours_between_failures)}"
    taken_back = f" + {wording.significant(float(run.interruptions_per_hour))}"
    return Step(
        "Interruptions",
        "1 ÷ (devices ÷ device-hours between failures + times taken back per hour)",
        f"1 ÷ ({failures}{taken_back if run.interruptions_per_hour else ''})",
        f"one in {_time(run.seconds_between(devices))}",
        assumed(plan, "device_hours_between_failures"),
    )


def _goodput(plan: Plan, place: int) -> Step:
    """What checkpoints and restarts leave of the time."""
    devices, run = float(plan.training.devices[place]), _run(plan, place)
    most_available = most_available_interval_seconds(
        checkpoint_seconds=run.checkpoint_seconds,
        seconds_between_interruptions=run.seconds_between(devices),
        restart_seconds=run.restart_seconds,
    )
    worst, _, best = Interruptions.range_of(plan.assumptions)
    rate = run.interruptions_per_hour
    low, high = (
        float(replace(end, interruptions_per_hour=rate).goodput(devices)) for end in (worst, best)
    )
    return Step(
        "Goodput",
        "1 ÷ ((1 + checkpoint ÷ interval) × (1 + (interval ÷ 2 + restart) ÷ interruptions)), "
        "interval by Young",
        f"checkpoint {_time(run.checkpoint_seconds)}, restart {_time(run.restart_seconds)}, "
        f"interval {_time(run.interval_seconds(devices))} (for most availability "
        f"{_time(most_available)}); {wording.interval(low, high, wording.significant)} if all is "
        "at its worst or best",
        wording.significant(float(plan.training.goodput[place])),
        assumed(plan, "checkpoint_seconds"),
    )


def _run(plan: Plan, place: int) -> Interruptions:
    """What interrupts a run on one device."""
    rate = float(plan.training.interruptions_per_hour[place])
    return replace(Interruptions.of(plan.assumptions), interruptions_per_hour=rate)


def _time(seconds: Quantity) -> str:
    return wording.hours(float(seconds) / SECONDS_PER_HOUR)
