"""What a reader should know before trusting a plan: inputs without effect or at odds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hwplanner import wording
from hwplanner.catalog.device import device_name
from hwplanner.catalog.software import ENGINE_NAMES
from hwplanner.links.names import device_words
from hwplanner.money.price import quotes_in_use
from hwplanner.plan import Plan
from hwplanner.report import energy, expected
from hwplanner.report.own_prices import KIND_NAMES
from hwplanner.serving.grid import answer_tokens
from hwplanner.units import GIB

GGUF_ENGINE = "llamacpp"
NOTICEABLY_LATE = 1.1  # time over its target from which a reader is told


def cautions(plan: Plan) -> tuple[str, ...]:
    """Say in words what of a scenario was changed, ignored or is doubtful."""
    return (
        *_of_lengths(plan),
        *_of_demand(plan),
        *_of_random_arrivals(plan),
        *_of_formats(plan),
        *_of_training_memory(plan),
        *_of_quotes(plan),
        *_of_old_prices(plan),
        *_of_power_cap(plan),
    )


def _of_lengths(plan: Plan) -> Iterator[str]:
    scenario, shape = plan.scenario, plan.workload.shape
    if answer_tokens(scenario) < scenario.output_tokens:
        yield (
            f"An answer of {scenario.output_tokens:,} tokens does not fit in a context of "
            f"{scenario.context_tokens:,}; {answer_tokens(scenario):,} are planned."
        )
    if scenario.context_tokens > shape.max_context:
        yield (
            f"{shape.name} takes a context of {wording.tokens(shape.max_context)} at most; the "
            f"plan is for {wording.tokens(scenario.context_tokens)}."
        )
    if plan.serving.peak_requests_per_s < scenario.users / scenario.request_interval_seconds:
        yield (
            "At the targets an answer takes longer than the time between two requests of a user; "
            "users are planned to ask again when it has come."
        )


def _of_demand(plan: Plan) -> Iterator[str]:
    if plan.scenario.shape == "own" and not plan.scenario.own_week:
        yield (
            "No week of your own is drawn or uploaded yet, so demand is taken as flat; do it on "
            "the Utilization page."
        )


def _of_random_arrivals(plan: Plan) -> Iterator[str]:
    """A target that an even flow meets, but not the mean of requests that come at random."""
    place, scenario = plan.serving_choice, plan.scenario
    if place is None or not plan.meets_target("serving")[place] or scenario.demand_percent != 100:
        return
    for what, mean, target_ms in (
        ("a first token", plan.latency.ttft.mean, scenario.ttft_ms),
        ("a token", plan.latency.tpot.mean, scenario.tpot_ms),
    ):
        mean_ms = float(mean[place]) * expected.MILLISECONDS
        if mean_ms > NOTICEABLY_LATE * target_ms:
            yield (
                f"Planned for an even flow; requests that come at random would wait "
                f"{wording.ms(mean_ms)} for {what} on average, against a target of "
                f"{wording.ms(target_ms)}: prompts of others interrupt. More headroom helps; see "
                "the Speed page."
            )


def _of_formats(plan: Plan) -> Iterator[str]:
    scenario, weights = plan.scenario, plan.workload.weight_format
    is_gguf = "GGUF" in weights.label
    if is_gguf and scenario.engine not in (GGUF_ENGINE, "vendor"):
        yield (
            f"{weights.label} is a format of llama.cpp; {ENGINE_NAMES[scenario.engine]} may not "
            "load it or run it slowly."
        )
    if scenario.engine == GGUF_ENGINE and not is_gguf and weights.bits < 16:
        yield f"llama.cpp loads GGUF files; {weights.label} weights would have to be converted."


def _of_training_memory(plan: Plan) -> Iterator[str]:
    place, training = plan.training_choice, plan.training
    if place is not None and training.fits_barely[place]:
        needed = wording.gib(float(training.memory.total_bytes[place]) / GIB)
        usable = wording.gib(float(training.usable_bytes[place]) / GIB)
        range_ = expected.memory_gib(plan, "training", place)
        yield (
            f"Training barely fits: {needed} of {usable} on each device, in 8 of 10 cases "
            f"{wording.interval(range_.low, range_.high, wording.gib)}; try it before you pay."
        )


def _of_quotes(plan: Plan) -> Iterator[str]:
    """Prices of one's own that change nothing."""
    quotes = plan.scenario.quotes
    for device in sorted({quote.device for quote in quotes} - set(plan.arrays.ids)):
        yield f"Your price for {device_words(device)} is not used: not compared."
    counts = Counter((quote.device, quote.kind) for quote in quotes)
    for (device, kind), used in quotes_in_use(quotes).items():
        if counts[device, kind] > 1 and device in plan.arrays.ids:
            yield (
                f"Of your {counts[device, kind]} prices for {device_words(device)} "
                f"({KIND_NAMES[kind].lower()}) the newest counts, {wording.usd(used.usd)}; delete "
                "the others."
            )


def _of_old_prices(plan: Plan) -> Iterator[str]:
    """Prices older than six months that decide what the best option costs."""
    fleets = plan.best.ledger.fleets if plan.best.ledger else ()
    for way, place in dict.fromkeys((fleet.way, fleet.place) for fleet in fleets):
        what, prices = "purchase price", plan.prices.purchase
        if way == "rented":
            is_peak = plan.best.rented_peaks > 0
            what, prices = "rent", (plan.market.peak_prices if is_peak else plan.prices).rent
        if prices.is_stale[place]:
            seen = f"is of {prices.date[place]}" if prices.date[place] else "has no date"
            yield (
                f"The {what} of {device_name(plan.devices[place])} {seen}, more than six months "
                "before the plan; ask anew and enter it on the Prices page."
            )


def _of_power_cap(plan: Plan) -> Iterator[str]:
    """Tell where the cap is below what serving would draw: its times are estimated without it."""
    place, cap_watts = plan.serving_choice, plan.scenario.power_cap_watts
    if not cap_watts or place is None:
        return
    drawn_watts = energy.free_peak_watts(plan, place)
    if drawn_watts > cap_watts:
        yield (
            f"Serving on {device_name(plan.devices[place])} would draw "
            f"{wording.quantity(drawn_watts, 'W')} at the peak without the cap of "
            f"{wording.quantity(cap_watts, 'W')}. Decoding hardly slowed down under the one cap "
            "that was measured, 330 W on an A100; what a lower one costs nobody has published, and "
            "the times shown leave it out."
        )
