"""What each page but the first finds, in a sentence."""

from __future__ import annotations

import numpy as np

from hwplanner import wording
from hwplanner.money.draws import EVEN, is_near_tie, win_share
from hwplanner.money.rent_or_buy import payback_months
from hwplanner.physics.time_parts import LIMITS
from hwplanner.plan import Plan
from hwplanner.report import expected
from hwplanner.report.chart_rows import device_label, memory_parts_bytes
from hwplanner.report.story import Finding, Phrase, devices_in_words
from hwplanner.scenario import Job
from hwplanner.units import GIB, HOURS_PER_YEAR


def memory(plan: Plan) -> Finding:
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
    return Finding(
        (
            Phrase("A serving copy takes "),
            Phrase(wording.gib(serving_gib), strong=True),
            Phrase(f" on {wording.device_count(serving.layout_devices[serve])}; training takes "),
            Phrase(wording.gib(training_gib), strong=True),
            Phrase(f" on {wording.device_count(training.devices[train])}."),
        ),
        f"In 8 of 10 cases a copy takes {_around(plan, 'serving', serve, serving_gib)} and "
        f"training {_around(plan, 'training', train, training_gib)}. "
        f"Most of training memory is {_largest_part(plan, 'training', train)}, most of serving "
        f"memory {_largest_part(plan, 'serving', serve)}. {_copies(copies)} for {_users(plan)}.",
    )


def _around(plan: Plan, job: Job, place: int, gib: float) -> str:
    """Range of the memory of several devices together."""
    total = plan.ranges.of(job).memory.around(gib, place)
    return wording.interval(total.low, total.high, wording.gib)


def _copies(copies: float) -> str:
    return "There is one copy" if copies == 1 else f"There are {copies:,.0f} copies"


def _users(plan: Plan) -> str:
    return "1 user" if plan.scenario.users == 1 else f"{plan.scenario.users:,} users"


def _largest_part(plan: Plan, job: Job, place: int) -> str:
    parts = {name: float(size[place]) for name, size in memory_parts_bytes(plan, job).items()}
    name = max(parts, key=lambda part: parts[part])
    words = {"optimizer": "optimizer state", "kv_cache": "the cache"}.get(name, name)
    return f"{words} ({wording.percent(parts[name] / sum(parts.values()))})"


def speed(plan: Plan) -> Finding:
    """How fast the chosen device answers at the peak, and what limits it."""
    place = plan.serving_choice
    if place is None:
        return Finding((Phrase("No compared device holds the model."),), "")
    serving = plan.serving
    range_ = expected.token_ms(plan, place)
    tpot = range_.typical
    spare = 1 - tpot / plan.scenario.tpot_ms
    fit = "just inside" if 0 <= spare < 0.1 else "inside" if spare >= 0 else "outside"
    shares = serving.limit_shares[:, place]
    limit = LIMITS[int(shares.argmax())]
    count = float(serving.devices[place])
    fleet = devices_in_words(plan, place, count)
    held = (
        " Memory, not latency, stops the batch from growing."
        if serving.held_by_memory[place]
        else ""
    )
    return Finding(
        (
            Phrase(f"With {_users(plan)}, {fleet} {'takes' if count == 1 else 'take'} "),
            Phrase(f"{wording.ms(tpot)} a token", strong=True),
            Phrase(f", {fit} the {wording.ms(plan.scenario.tpot_ms)} target."),
        ),
        f"In 8 of 10 cases it takes {wording.interval(range_.low, range_.high, wording.ms)}. "
        f"{limit.capitalize()} takes {wording.percent(float(shares.max()))} of the time of a "
        f"request.{held}",
    )


def cost(plan: Plan) -> Finding:
    """Whether buying for serving pays, and at what use."""
    place = plan.serving_choice
    if place is None:
        return Finding((Phrase("There is no cost without a device that fits."),), "")
    owned, rented = plan.serving_cost.paid(owned=True), plan.serving_cost.rented
    owned_usd, rent_usd = float(owned.usd_per_year[place]), float(rented.usd_per_year[place])
    name = device_label(plan, place)
    if not np.isfinite(owned_usd + rent_usd):
        missing = "rent" if np.isfinite(owned_usd) else "purchase price"
        return Finding(
            (
                Phrase(f"{name} has no published {missing}; "),
                Phrase("add a price", strong=True),
                Phrase(" of your own on the Prices page to compare."),
            ),
            "A missing price is shown as missing and never ranked.",
        )
    rented_share = rented.paid_device_hours[place] / (rented.devices[place] * HOURS_PER_YEAR)
    months = payback_months(
        purchase_usd=float(owned.purchase_usd[place]),
        rent_usd_per_year=rent_usd,
        running_usd_per_year=float(owned.running_usd_per_year[place]),
    )
    is_mixed = bool(plan.serving_cost.is_mixed[place])
    way = "with an owned base and rented peaks" if is_mixed else "owned"
    (cheaper, usd), (other, other_usd) = sorted(
        [(way, owned_usd), ("rented", rent_usd)], key=lambda way: way[1]
    )
    won = _owned_against_rented(plan, place)
    won = won if cheaper == way else 1 - won
    opening = f"Serving on {name} is cheaper {cheaper}: "
    if is_near_tie(usd=usd, other_usd=other_usd, wins=won):
        opening = f"Serving on {name} is a near tie, a little cheaper {cheaper}: "
    elif won < EVEN:
        opening = f"On paper serving on {name} is cheaper {cheaper}: "
    headline = (
        Phrase(opening),
        Phrase(f"{wording.usd(usd)} a year", strong=True),
        Phrase(f" against {wording.usd(other_usd)} {other}."),
    )
    paid_back = (
        f" Rent saved pays the purchase back in {wording.significant(float(months))} months; "
        "what the hardware is still worth then comes on top."
        if np.isfinite(months)
        else ""
    )
    all_owned = plan.serving_cost.owned
    owned_hour = wording.usd(float(all_owned.usd_per_device_hour[place]))
    rented_hour = wording.usd(float(rented.usd_per_device_hour[place]))
    return Finding(
        headline,
        f"It costs less {cheaper} in {expected.draws_in_words(won)}. A renter would pay for "
        f"{wording.percent(rented_share)} of the hours of the fleet that the busiest hour needs. "
        f"An hour of an owned device costs {owned_hour}, a rented one {rented_hour}."
        f"{paid_back}",
    )


def _owned_against_rented(plan: Plan, place: int) -> float:
    """Share of the draws in which serving on a device costs less if it is owned."""
    both = (
        plan.draws.job_usd("serving", places=np.array([place]), is_owned=np.array([owned]))
        for owned in (True, False)
    )
    return win_share(*both)


def catalogue(plan: Plan) -> Finding:
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


def method(plan: Plan) -> Finding:
    """How the estimates are made, and how far off they can be."""
    low, high = plan.ranges.serving.speed.at(plan.serving_choice or 0)
    return Finding(
        (
            Phrase("Estimates are arithmetic on published figures, "),
            Phrase("right to a factor, not to a digit", strong=True),
            Phrase("."),
        ),
        f"Measured serving throughput lay between {low:.2g} and {high:.2g} times such estimates in "
        "8 of 10 published runs that they had not seen; profile your own job before you buy.",
    )
