"""Memory and time of a training run, step by step."""

from __future__ import annotations

from hwplanner import wording
from hwplanner.plan import Plan
from hwplanner.report.sources import witness
from hwplanner.report.statements import Explanation, Step
from hwplanner.units import GIB, MILLION, SECONDS_PER_HOUR


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
                "Run",
                "steps × time of a step",
                f"model FLOP utilization {wording.percent(float(training.mfu[place]))}",
                wording.hours(run / SECONDS_PER_HOUR),
            ),
        ),
    )
