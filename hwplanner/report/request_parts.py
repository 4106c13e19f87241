"""What an average request is paid for: rows by device, lines for the chosen one, a sentence."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hwplanner import wording
from hwplanner.finance.request_cost import RequestParts, request_parts
from hwplanner.plan import Plan
from hwplanner.report.chart_rows import device_label, paid, state
from hwplanner.report.statements import Cell, Heading, Record
from hwplanner.report.tables import RequestRow
from hwplanner.report.verdicts import why_not

PART_NAMES: Mapping[str, str] = {
    "weights": "weights",
    "kv_cache": "KV cache",
    "prefill": "prefill",
    "decode": "decode",
    "idle": "idle",
}
RULE = (
    "Every hour that is paid for costs the same. Worked hours are divided by what takes the time "
    "of a request in the largest batch within memory and targets; the rest is idle."
)
WORTH_SAYING = 0.01  # share of a request below which a part is not named
RECORD_HEADINGS = (
    Heading("Part"),
    Heading("A request", is_number=True),
    Heading("Share", is_number=True),
)


def request_rows(plan: Plan) -> tuple[RequestRow, ...]:
    """Parts of a request on each device, cheapest first. [USD/request]"""
    parts = request_parts(plan)
    return tuple(_row(plan, parts, place) for place in plan.order("serving"))


def _row(plan: Plan, parts: RequestParts, place: int) -> RequestRow:
    here = parts.on(place)
    is_known = np.isfinite(here.usd)
    return RequestRow(
        label=device_label(plan, place, plan.fleet("serving").devices[place]),
        state=state(plan, place, "serving"),
        reason=why_not(plan, place, "serving")
        or (paid(plan, place, "serving") if is_known else "no price known"),
        parts_usd={name: float(usd) for name, usd in here.by_name.items()} if is_known else {},
        held_usd=float(here.cache_held_usd) if is_known else 0.0,
    )


def _chosen(plan: Plan) -> tuple[int, RequestParts] | None:
    """The device that serves and its parts, if it has a price."""
    place = plan.serving_choice
    if place is None or not np.isfinite(plan.fleet("serving").usd_per_year[place]):
        return None
    return place, request_parts(plan).on(place)


def part_records(plan: Plan) -> tuple[Record, ...]:
    """Parts of a request on the chosen device, each with what it is and what it falls with."""
    chosen = _chosen(plan)
    if chosen is None:
        return ()
    place, parts = chosen
    meanings = _meanings(plan, place, float(parts.cache_held_usd))
    lines = (
        (Cell(_capital(PART_NAMES[name]), meanings[name]), usd, False)
        for name, usd in parts.by_name.items()
    )
    return tuple(
        Record(
            (
                cell,
                Cell(wording.usd(float(usd)), strong=is_sum),
                Cell(wording.percent(float(usd / parts.usd))),
            ),
            chosen=is_sum,
        )
        for cell, usd, is_sum in (*lines, (Cell("Request", strong=True), parts.usd, True))
    )


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _meanings(plan: Plan, place: int, held_usd: float) -> Mapping[str, str]:
    """What each part is on a device, and what it falls with."""
    batch = wording.count(max(float(plan.serving.largest_batch[place]), 1.0))
    held = f", {wording.usd(held_usd)} of it for copies that only hold it" if held_usd else ""
    new = wording.percent(1 - plan.scenario.prefix_reuse_percent / 100)
    return {
        "weights": f"Read for each token of an answer, shared by up to {batch} requests. Falls "
        "with fewer bits and larger batches.",
        "kv_cache": f"Read for each token of an answer{held}. Falls with an 8-bit cache and "
        "shorter contexts.",
        "prefill": f"Reading the {new} of a prompt that no cache holds. Falls with reused "
        "prefixes and 8-bit arithmetic.",
        "decode": "Rest of the answer: arithmetic, communication, fixed times. Falls with shorter "
        "answers and fewer devices a copy.",
        "idle": "Paid hours without work: headroom, quiet hours, whole copies and servers. Falls "
        "with a flatter demand and rented peaks.",
    }


def by_tokens(plan: Plan) -> str:
    """Say the same cost by tokens of the prompt and of the answer."""
    chosen = _chosen(plan)
    if chosen is None:
        return ""
    cost = plan.request_cost.on(chosen[0])
    prompt, answer = float(cost.input_tokens), float(cost.output_tokens)
    return (
        f"By tokens: {wording.count(prompt)} of input at "
        f"{wording.usd(float(cost.usd_per_million_input_tokens))} a million and "
        f"{wording.count(answer)} of output at "
        f"{wording.usd(float(cost.usd_per_million_output_tokens))} a million make "
        f"{wording.usd(float(cost.usd))}. Input bears prefill, output the rest of the time; hours "
        "without work are spread over both in proportion."
    )


def finding(plan: Plan) -> str:
    """What most of a request is paid for, in a sentence."""
    chosen = _chosen(plan)
    if chosen is None:
        return "No device that serves has a known price."
    place, parts = chosen
    shares = {name: float(usd / parts.usd) for name, usd in parts.by_name.items()}
    first, second = sorted(shares, key=lambda name: -shares[name])[:2]
    also = f" and {wording.percent(shares[second])} for {_SAID[second]}"
    return (
        f"Of {wording.usd(float(parts.usd))} a request on {device_label(plan, place)}, "
        f"{wording.percent(shares[first])} pays for {_SAID[first]}"
        f"{also if shares[second] >= WORTH_SAYING else ''}."
    )


_SAID: Mapping[str, str] = {
    "weights": "reading the weights",
    "kv_cache": "reading and holding caches",
    "prefill": "reading the prompt",
    "decode": "the rest of writing the answer",
    "idle": "hours without work",
}
