"""Latency under load, step by step."""

from __future__ import annotations

from hwplanner import wording
from hwplanner.plan import Plan
from hwplanner.report.latency import MILLISECONDS, without_times
from hwplanner.report.sources import assumed
from hwplanner.report.statements import Explanation, Step


def explanations(plan: Plan) -> tuple[Explanation, ...]:
    """Explain the percentiles of the chosen device; nothing where it has none."""
    place = plan.serving_choice
    if place is None or without_times(plan, place) or plan.latency.is_unsure[place]:
        return ()
    return first_token(plan, place), time_per_token(plan, place)


def first_token(plan: Plan, place: int) -> Explanation:
    """Time to the first token that 99 in 100 requests keep, under load. [s]"""
    queue, spread = plan.latency.queue, plan.latency.ttft
    place_wait = float(queue.mean_wait_seconds[place])
    tail_wait = float(queue.wait_seconds(0.99)[place])
    p99 = float(spread.p99[place])
    _, tail, _ = plan.assumptions.range("first_token_percentile", "p99")
    return Explanation(
        title="First token for 99 in 100",
        result=_ms(p99),
        value=p99,
        steps=(
            _arrivals(plan, place),
            Step(
                "Wait for a place in the batch",
                "chance of k requests ∝ product of R ÷ answers of a batch of 1…k; Little's law",
                f"{wording.count(plan.serving.memory_batch[place])} places; "
                f"{wording.percent(float(queue.wait_chance[place]))} of requests wait",
                f"{_ms(place_wait)} on average",
                "Ramani and Tantawi 2026, state-dependent M/M/1 queue; variation of arrivals: "
                + assumed(plan, "arrival_variation"),
            ),
            Step(
                "Mean",
                "that wait + half a round + wait for prompts before it R E[D²] ÷ (2 (1 − R D)) + "
                "its own prompt + one step",
                f"{wording.significant(float(queue.in_service[place]))} requests in a batch",
                _ms(float(spread.mean[place])),
                "M/G/1 queue (Pollaczek and Khinchine)",
            ),
            Step(
                "Quantile without the wait for a place",
                "mean × exp(2.33 s − s² ÷ 2) × tail: log-normal, s from the variance of round, "
                "prompts before it and its own",
                f"own prompts vary by "
                f"{wording.percent(plan.assumptions.typical('first_token_variation'))}; "
                f"tail {tail:g}",
                _ms(p99 - tail_wait),
                f"{assumed(plan, 'first_token_variation')}; tail: "
                f"{plan.assumptions.get('first_token_percentile', 'p99').source}",
            ),
            Step(
                "With the quantile of the wait for a place",
                "ln(share that waits ÷ 0.01) ÷ (most − R)",
                f"{_ms(tail_wait)} more",
                _ms(p99),
            ),
        ),
    )


def time_per_token(plan: Plan, place: int) -> Explanation:
    """Time per output token that 99 in 100 requests keep, under load. [s]"""
    queue, spread, times = plan.latency.queue, plan.latency.tpot, plan.serving.times
    p99, ratio = float(spread.p99[place]), plan.assumptions.get("token_time_percentile", "p99")
    return Explanation(
        title="Time per token for 99 in 100",
        result=_ms(p99),
        value=p99,
        steps=(
            _arrivals(plan, place),
            Step(
                "Time in the batch",
                "requests in the batch ÷ requests answered a second (Little's law)",
                f"{wording.significant(float(queue.in_service[place]))} ÷ "
                f"{wording.rate(float(queue.answered_per_s[place]), 'requests/s')}",
                _ms(float(queue.service_seconds[place])),
                "Ramani and Tantawi 2026, state-dependent M/M/1 queue",
            ),
            Step(
                "Mean",
                "(time in the batch − time of its prompt) ÷ tokens of an answer",
                f"{_ms(float(times.prefill.total[place, 0]))} a prompt, "
                f"{wording.count(float(times.output_tokens))} tokens",
                _ms(float(spread.mean[place])),
            ),
            Step(
                "For 99 in 100",
                "mean × measured ratio of the 99th percentile of requests to their mean",
                f"× {ratio.typical:g} ({ratio.low:g} to {ratio.high:g})",
                _ms(p99),
                ratio.source,
            ),
        ),
    )


def _arrivals(plan: Plan, place: int) -> Step:
    queue, demand = plan.latency.queue, plan.scenario.demand_percent
    return Step(
        "Requests that arrive at a copy, R",
        "demand of the busiest hour × share asked for ÷ copies",
        f"{wording.rate(plan.serving.peak_requests_per_s, 'requests/s')} × {demand:g}% ÷ "
        f"{wording.count(plan.serving.copies[place])}; "
        f"most {wording.rate(float(queue.most_requests_per_s[place]), 'requests/s')}",
        wording.rate(float(queue.requests_per_s[place]), "requests/s"),
    )


def _ms(seconds: float) -> str:
    return wording.ms(seconds * MILLISECONDS)
