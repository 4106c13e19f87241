"""What a plan says, in sentences: the finding of each page, its weak point, what would flip it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner import wording
from hwplanner.chart_rows import device_label
from hwplanner.kv_cache import cache_bytes
from hwplanner.options import Option
from hwplanner.plan import Plan
from hwplanner.precision import FORMATS, weight_bytes
from hwplanner.rent_or_buy import payback_months
from hwplanner.tables import LIMITS
from hwplanner.units import GIB, HOURS_PER_YEAR, MONTHS_PER_YEAR


@dataclass(frozen=True, slots=True)
class Phrase:
    """A piece of a sentence, emphasized or not."""

    text: str
    strong: bool = False


TIE = 0.05  # far inside the uncertainty of either option

Sentence = tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a page opens with: the finding, and the one line below it."""

    headline: Sentence
    detail: str


def plain(sentence: Sentence) -> str:
    """Sentence as text."""
    return "".join(phrase.text for phrase in sentence)


def eyebrow(plan: Plan) -> str:
    """Scenario and date of the prices, above the headline."""
    return f"{plan.scenario.name} · {plan.workload.shape.name} · prices to {plan.catalog.date}"


def horizon_usd(plan: Plan, usd_per_year: float) -> float:
    """Cost over the months that the plan looks ahead. [USD]"""
    return usd_per_year * plan.scenario.horizon_months / MONTHS_PER_YEAR


def plan_finding(plan: Plan) -> Finding:
    """Which option wins, with what hardware, and where it is weakest."""
    best = plan.best
    if not best.exists:
        return Finding(
            (Phrase("No plan yet: "), Phrase(best.reason, strong=True), Phrase(".")),
            "Compare more devices, choose a smaller model or fewer bits, loosen a target, or add a "
            "quote where only a price is missing.",
        )
    weak = _weak_point(plan, best)
    return Finding(_headline(plan, best), f"{_margin(plan, best)} {weak}".strip())


def _headline(plan: Plan, best: Option) -> Sentence:
    serve = _devices(plan, best.serving_device, best.serving_devices)
    train = _devices(plan, best.training_device, best.training_devices)
    run = wording.hours(best.finish_hours)
    if not plan.scenario.runs_per_month:
        way = "rent" if best.key == "rent_all" else "own"
        return (
            Phrase(f"{way.capitalize()} {serve} for serving", strong=True),
            Phrase("; no training is planned."),
        )
    if best.key == "shared":
        fleet = _devices(plan, best.serving_device, best.owned_devices)
        return (
            Phrase("One family is enough: "),
            Phrase(f"own {fleet}", strong=True),
            Phrase(" for serving and training."),
        )
    if best.key == "two_owned":
        return (
            Phrase("Two choices beat one: "),
            Phrase(f"own {serve} for serving", strong=True),
            Phrase(" and "),
            Phrase(f"own {train} to train", strong=True),
            Phrase("."),
        )
    if best.key == "own_and_rent":
        return (
            Phrase("Two choices beat one: "),
            Phrase(f"own {serve} for serving", strong=True),
            Phrase(" and "),
            Phrase(f"rent {train} for {run}", strong=True),
            Phrase(" a run to train."),
        )
    return (
        Phrase("Buy nothing: "),
        Phrase(f"rent {serve} for serving", strong=True),
        Phrase(" and "),
        Phrase(f"{train} for {run}", strong=True),
        Phrase(" a run to train."),
    )


def _devices(plan: Plan, place: int | None, count: float) -> str:
    name = "no device" if place is None else device_label(plan, place)
    return f"{wording.count(count)}{wording.SPACE}{name}"


def _margin(plan: Plan, best: Option) -> str:
    """Cost of the best option over the horizon, against the next that meets both targets."""
    total = wording.usd(horizon_usd(plan, best.usd_per_year.typical))
    span = f"{plan.scenario.horizon_months} months"
    rival = closest_rival(plan)
    if rival is None:
        return f"{total} over {span}."
    more = wording.usd(horizon_usd(plan, rival.usd_per_year.typical - best.usd_per_year.typical))
    if is_tie(best, rival):
        return f"{total} over {span}; {rival.label.lower()} costs about the same ({more} more)."
    return f"{total} over {span}, {more} less than to {_verb(rival)}."


def _verb(option: Option) -> str:
    return {
        "shared": "own one shared family",
        "two_owned": "own two families",
        "own_and_rent": "own serving and rent training",
        "rent_all": "rent everything",
    }[option.key]


def closest_rival(plan: Plan) -> Option | None:
    """Cheapest other option that meets both targets, if there is one."""
    others = [option for option in plan.options if option is not plan.best and option.meets_both]
    return others[0] if others and plan.best.meets_both else None


def is_tie(best: Option, rival: Option) -> bool:
    """Whether two options lie so close that nobody should choose by cost."""
    return rival.usd_per_year.typical <= best.usd_per_year.typical * (1 + TIE)


def _weak_point(plan: Plan, best: Option) -> str:
    """What comes nearest to failing: a missed target, a small margin, idle hours."""
    if not best.meets_serving and best.serving_device is not None:
        tpot = plan.serving.tpot_seconds[best.serving_device] * 1000
        return (
            "No compared device serves within the targets; this one takes "
            f"{wording.ms(tpot)} a token."
        )
    if not best.meets_training:
        hours = wording.hours(best.finish_hours)
        return f"No compared device ends a run in time; this one takes {hours}."
    assert best.serving_device is not None
    spare = 1 - plan.serving.tpot_seconds[best.serving_device] * 1000 / plan.scenario.tpot_ms
    if spare < 0.15:
        return (
            f"Serving meets its {wording.ms(plan.scenario.tpot_ms)} target with "
            f"{wording.percent(spare)} to spare; that margin is the weak point."
        )
    return (
        f"{wording.percent(best.idle_share)} of the paid hours stand idle; that is the weak point."
    )


def flips(plan: Plan) -> tuple[str, ...]:
    """What would make the closest rival win, with the same devices: prices that change."""
    best, rival = plan.best, closest_rival(plan)
    if rival is None:
        return ()
    lines = [
        f"{rival.label} with {_hardware(plan, rival)} costs "
        f"{wording.usd(horizon_usd(plan, rival.usd_per_year.typical - best.usd_per_year.typical))} "
        f"more over {plan.scenario.horizon_months} months."
    ]
    for words, kind in (("rented hours cost", "rented"), ("owned hardware costs", "owned")):
        ratio = _flip_ratio(best, rival, kind)
        if ratio is not None:
            change = "more" if ratio > 1 else "less"
            lines.append(
                f"It wins if {words} {wording.percent(abs(ratio - 1))} {change}, all else equal."
            )
    return tuple(lines)


def _flip_ratio(best: Option, rival: Option, kind: str) -> float | None:
    """Factor on one kind of cost at which two options cost the same; None if there is none."""

    def of_kind(option: Option) -> float:
        return sum(usd for part, usd in option.parts_usd_per_year.items() if part.endswith(kind))

    difference = of_kind(best) - of_kind(rival)
    gap = rival.usd_per_year.typical - best.usd_per_year.typical
    if difference == 0:
        return None
    ratio = 1 + gap / difference
    return ratio if 0.05 <= ratio <= 20 else None


def hardware(plan: Plan, option: Option) -> str:
    """Hardware of an option in words."""
    return _hardware(plan, option)


def _hardware(plan: Plan, option: Option) -> str:
    if not option.exists:
        return wording.NONE
    if option.key == "shared":
        return f"{_devices(plan, option.serving_device, option.owned_devices)} owned"
    ways = {"two_owned": ("owned", "owned"), "own_and_rent": ("owned", "rented")}
    serve_way, train_way = ways.get(option.key, ("rented", "rented"))
    serve = _devices(plan, option.serving_device, option.serving_devices)
    train = _devices(plan, option.training_device, option.training_devices)
    return f"{serve} {serve_way}, {train} {train_way}"


def memory_finding(plan: Plan) -> Finding:
    """How much each job needs, and what most of it is."""
    serve, train = plan.serving_choice, plan.training_choice
    if serve is None or train is None:
        return Finding(
            (Phrase("Not every job fits on a compared device."),),
            "The bars below say what is missing on each.",
        )
    serving, training = plan.serving, plan.training
    serving_gib = float(serving.used_bytes[serve] * serving.layout_devices[serve] / GIB)
    training_gib = float(training.memory.total_bytes[train] * training.devices[train] / GIB)
    copies = float(serving.copies[serve])
    ratio = training_gib / serving_gib
    return Finding(
        (
            Phrase("A serving copy takes "),
            Phrase(wording.gib(serving_gib), strong=True),
            Phrase("; training takes "),
            Phrase(wording.gib(training_gib), strong=True),
            Phrase(f", {wording.significant(ratio)} times as much."),
        ),
        f"{_largest_part(plan)} {_copies(copies)} for {plan.scenario.users:,} users.",
    )


def _copies(copies: float) -> str:
    return "There is one copy" if copies == 1 else f"There are {copies:,.0f} copies"


def _largest_part(plan: Plan) -> str:
    serve, train = plan.serving_choice, plan.training_choice
    serving, memory = plan.serving, plan.training.memory
    training_parts = {
        "optimizer state": memory.optimizer_bytes,
        "weights": memory.weights_bytes,
        "gradients": memory.gradients_bytes,
        "activations": memory.activations_bytes + memory.logits_bytes,
    }
    serving_parts = {"the cache": serving.cache_bytes, "weights": serving.weights_bytes}

    def largest(parts: dict[str, np.ndarray], place: int | None, total: np.ndarray) -> str:
        name = max(parts, key=lambda part: float(parts[part][place]))
        return f"{name} ({wording.percent(float(parts[name][place] / total[place]))})"

    return (
        f"Most of training memory is {largest(training_parts, train, memory.total_bytes)}, "
        f"most of serving memory {largest(serving_parts, serve, serving.used_bytes)}."
    )


def growth(plan: Plan) -> tuple[tuple[str, str], ...]:
    """What a step of each slider adds to the memory of serving all users."""
    load, scenario = plan.workload, plan.scenario

    def users_gib(context: float, users: float) -> float:
        one = cache_bytes(
            model=load.numbers,
            context_tokens=context,
            bytes_per_value=load.cache_bytes_per_value,
        )
        return float(one) * users / GIB

    now = users_gib(scenario.context_tokens, scenario.users)
    longer = users_gib(scenario.context_tokens + 8192, scenario.users) - now
    more = users_gib(scenario.context_tokens, scenario.users + 10) - now
    return (
        ("8k more context", f"cache + {wording.gib(longer)}"),
        ("10 more users", f"cache + {wording.gib(more)}"),
        *_four_bit(plan),
    )


def _four_bit(plan: Plan) -> tuple[tuple[str, str], ...]:
    model = plan.workload.numbers
    four = weight_bytes(model=model, weight_format=FORMATS["int4"]).total_bytes
    less = (plan.workload.weights.total_bytes - four) / GIB
    if less <= 0:
        return ()
    return (
        (
            "4-bit weights",
            f"weights {wording.MINUS} {wording.gib(less)} a copy, quality not yet tested here",
        ),
    )


def speed_finding(plan: Plan) -> Finding:
    """How fast the chosen device answers at the peak, and what limits it."""
    place = plan.serving_choice
    if place is None:
        return Finding((Phrase("No compared device holds the model."),), "")
    serving = plan.serving
    tpot = float(serving.tpot_seconds[place]) * 1000
    spare = 1 - tpot / plan.scenario.tpot_ms
    fit = "just inside" if 0 <= spare < 0.1 else "inside" if spare >= 0 else "outside"
    shares = serving.limit_shares[:, place]
    limit = LIMITS[int(shares.argmax())]
    held = (
        " Memory, not latency, stops the batch from growing."
        if serving.held_by_memory[place]
        else ""
    )
    return Finding(
        (
            Phrase(
                f"At {plan.scenario.users:,} users {_devices(plan, place, serving.devices[place])} "
            ),
            Phrase("take "),
            Phrase(f"{wording.ms(tpot)} a token", strong=True),
            Phrase(f", {fit} the {wording.ms(plan.scenario.tpot_ms)} target."),
        ),
        f"{limit.capitalize()} takes {wording.percent(float(shares.max()))} of the time of a "
        f"request.{held}",
    )


def cost_finding(plan: Plan) -> Finding:
    """Whether buying for serving pays, and at what use."""
    place = plan.serving_choice
    if place is None:
        return Finding((Phrase("There is no cost without a device that fits."),), "")
    cost = plan.serving_cost
    owned = float(cost.owned_usd_per_year[place])
    rent = float(cost.rent_usd_per_year[place])
    name = device_label(plan, place)
    if not np.isfinite(owned) or not np.isfinite(rent):
        missing = "purchase price" if not np.isfinite(owned) else "rent"
        return Finding(
            (Phrase(f"{name} has no published {missing}; "), Phrase("add a quote", strong=True),
             Phrase(" under Money to compare.")),
            "A missing price is shown as missing and never ranked.",
        )  # fmt: skip
    months = float(
        payback_months(
            purchase_usd=float(cost.devices[place] * np.asarray(cost.owned.purchase_usd)[place]),
            rent_usd_per_year=rent,
            running_usd_per_year=float(
                cost.devices[place] * np.asarray(cost.owned.running_usd_per_year)[place]
            ),
        )
    )
    rented_share = float(cost.rented_device_hours[place]) / (
        float(cost.devices[place]) * HOURS_PER_YEAR
    )
    if owned <= rent:
        headline = (
            Phrase(f"Buying {name} for serving pays off after "),
            Phrase(f"{wording.significant(months)} months", strong=True),
            Phrase("."),
        )
    else:
        headline = (
            Phrase(f"Renting {name} for serving is cheaper: "),
            Phrase(f"{wording.usd(rent)} a year", strong=True),
            Phrase(f" against {wording.usd(owned)} owned."),
        )
    owned_hour = wording.usd(owned / cost.devices[place] / HOURS_PER_YEAR)
    rented_hour = wording.usd(float(plan.prices.rent_usd_per_hour[place]))
    return Finding(
        headline,
        f"A renter would pay for {wording.percent(rented_share)} of the hours of the fleet that "
        f"the busiest hour needs. An owned hour costs {owned_hour}, a rented one {rented_hour}.",
    )


def utilization_finding(plan: Plan) -> Finding:
    """How busy the serving devices are over the week, and what idle hours could do."""
    place = plan.serving_choice
    if place is None:
        return Finding((Phrase("No compared device holds the model."),), "")
    mean = plan.shape.mean_over_peak * float(plan.serving.peak_utilization[place])
    fleet = float(plan.serving.devices[place])
    free = fleet - plan.devices_by_hour[place]
    needed = float(plan.training.devices[place])
    hours = int((free >= needed).sum())
    together = (
        f"finds them free together in {hours} hours a week"
        if hours
        else ("never finds them free together")
    )
    run = (
        f"A run on it takes {wording.count(needed)} at once, and {together}."
        if plan.training.fits[place]
        else "A run of this kind does not fit on it."
    )
    return Finding(
        (
            Phrase("Serving is busy "),
            Phrase(f"{wording.percent(mean)} of the week", strong=True),
            Phrase("; the rest is headroom, nights and weekends."),
        ),
        f"Whole copies stand free for {wording.count(float(free.sum()))} device-hours a week. {run}",
    )


def catalogue_finding(plan: Plan) -> Finding:
    """How much the catalogue holds, and how well it is witnessed."""
    catalog = plan.catalog
    weak = sum(source.kind in ("memory", "unsourced") for source in catalog.sources)
    return Finding(
        (
            Phrase(f"{len(catalog.devices)} devices", strong=True),
            Phrase(f" and {len(catalog.prices)} prices, each with its source and date."),
        ),
        f"{weak:,} of {len(catalog.sources):,} figures rest on memory or have no source yet; they "
        f"are marked. {len(plan.devices)} devices are compared in this scenario.",
    )


def method_finding(plan: Plan) -> Finding:
    """How the estimates are made, and how far off they can be."""
    low, high = plan.bands.serving
    return Finding(
        (
            Phrase("Estimates are arithmetic on published figures, "),
            Phrase("right to a factor, not to a digit", strong=True),
            Phrase("."),
        ),
        f"Measured serving throughput lay between {low:g} and {high:g} times such estimates in 8 "
        "of 10 published runs of other sources; profile your own job before you buy.",
    )
