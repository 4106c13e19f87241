"""What moves the answer, in words, tables and the rows of charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np

from hwplanner import wording
from hwplanner.finance.break_even import Curve
from hwplanner.finance.cases import distinct_options
from hwplanner.finance.monte_carlo import MonteCarlo
from hwplanner.finance.ranges import HALVED_AND_DOUBLED
from hwplanner.finance.sensitivity import Effect, Outcome
from hwplanner.finance.what_if import WhatIf
from hwplanner.money.option import LABELS, OptionKey
from hwplanner.plan import Plan
from hwplanner.report.chart_rows import device_label
from hwplanner.report.story import NOUNS, Finding, Phrase, horizon_usd
from hwplanner.report.tables import CostRow, CrossingMark, CurveRow, EffectRow
from hwplanner.scenario import controls
from hwplanner.units import Interval

BEYOND_INPUTS = {
    "purchase_price": ("Prices of devices", ("lowest offers", "highest offers")),
    "rents": ("Rents", ("lowest offers", "highest offers")),
    "failures": ("Failures and restarts", ("many, slow", "few, fast")),
    "serving_speed": ("Speed of serving", ("slow", "fast")),
    "training_speed": ("Speed of training", ("slow", "fast")),
}
"""What is no input: its name, and how its ends are called."""
USE_LEVELS = np.linspace(0.1, 1.0, 19)
RULE = (
    "One input at a time, to both ends of its range. Every option keeps its devices, in whatever "
    "number and layout then suits them. Ranges are those of the data folder; what only you can "
    "know is halved and doubled; speeds go to the ends that hold 8 of 10 cases."
)
MONTHS = (
    "By months: the Cost page shows when the money spent on owning falls below that on renting, "
    "and the Over time page when each option has paid back."
)
CASES_RULE = (
    "Prices, terms and speeds are drawn from their ranges, the same for all options in each case. "
    "Fleets stay as they are planned, and so does the demand."
)


def finding(plan: Plan, found: WhatIf | None) -> Finding:
    """What would flip the answer, and which input moves the cost most."""
    if found is None:
        return Finding(
            (Phrase("No plan yet: "), Phrase(plan.best.reason, strong=True), Phrase(".")),
            "There is no answer that an input could move.",
        )
    noun = _noun(plan, plan.best.key)
    opening = f"{noun[0].upper()}{noun[1:]} costs least"
    if not plan.best.meets_both:
        opening = f"No option meets every target; of all, {noun} costs least"
    flips = [text for text in (_rent_flips(found.rents), _user_flips(found.users)) if text]
    if flips:
        pairs = ((" or " if place else "", text) for place, text in enumerate(flips))
        pieces = ((Phrase(word), Phrase(text, strong=True)) for word, text in pairs)
        headline = (
            Phrase(f"{opening} unless "),
            *(phrase for pair in pieces for phrase in pair if phrase.text),
            Phrase("."),
        )
    else:
        users = wording.interval(found.users.levels[0], found.users.levels[-1], wording.count)
        headline = (
            Phrase(f"{opening} "),
            Phrase("at any rent from a quarter to four times", strong=True),
            Phrase(f" today's, and for {users} users."),
        )
    return Finding(headline, f"{_most(effect_rows(found)[0])} {_flipping(found)}")


def _rent_flips(curve: Curve) -> str:
    below, above = curve.flips
    texts = [
        f"fall {wording.percent(1 - below.level)}" if below else "",
        f"rise {wording.percent(above.level - 1)}" if above else "",
    ]
    return _of("rents", texts)


def _user_flips(curve: Curve) -> str:
    below, above = curve.flips
    texts = [
        f"fall to {wording.count(below.level)}" if below else "",
        f"grow to {wording.count(above.level)}" if above else "",
    ]
    return _of("users", texts)


def _of(subject: str, texts: Sequence[str]) -> str:
    said = " or ".join(filter(None, texts))
    return said and f"{subject} {said}"


def _noun(plan: Plan, key: OptionKey) -> str:
    """Name an option in a sentence; without runs there is serving alone."""
    if not plan.scenario.all_runs_per_month and key != "rent_all":
        return "owning"
    return NOUNS[key]


def _most(row: EffectRow) -> str:
    """Say the largest effect."""
    ends = [
        f"{words} {change_in_words(change)}"
        for words, change in zip(row.ends, row.changes, strict=True)
        if words
    ]
    return f"The cost moves most with “{row.label}”: {', '.join(ends)}."


def _flipping(found: WhatIf) -> str:
    """Count the inputs that change the winner."""
    best = found.plan.best.key
    count = sum(any(end.winner != best for end in effect.ends) for effect in found.effects)
    total = len(found.effects)
    if not count:
        return f"None of {total} inputs makes another option win on its own."
    verb = "makes" if count == 1 else "make"
    return f"{count} of {total} inputs {verb} another option win on their own."


def effect_rows(found: WhatIf) -> tuple[EffectRow, ...]:
    """Every input, the one that moves the cost most first."""
    return tuple(_effect_row(found.plan, effect) for effect in found.effects)


def _effect_row(plan: Plan, effect: Effect) -> EffectRow:
    words = tuple(
        _end_words(plan, effect.name, place, end) for place, end in enumerate(effect.ends)
    )
    moved = tuple(said if end.change else "" for said, end in zip(words, effect.ends, strict=True))
    label, _, _ = _named(effect.name)
    return EffectRow(
        label=label,
        planned=_planned(plan, effect.name),
        tried=(words[0], words[1]),
        ends=(moved[0], moved[1]),
        changes=(effect.low.change, effect.high.change),
        remark="; ".join(_remarks(plan, words, effect)),
    )


def _remarks(plan: Plan, words: Sequence[str], effect: Effect) -> Iterator[str]:
    """Say at which end another option wins, or the plan's misses a target."""
    flips = {said: end.winner for said, end in zip(words, effect.ends, strict=True)}
    flips = {said: winner for said, winner in flips.items() if winner != plan.best.key}
    if len(flips) == 2 and len(set(flips.values())) == 1:
        yield f"{_noun(plan, next(iter(flips.values())))} wins at both ends"
    else:
        yield from (f"{said}: {_noun(plan, winner)} wins" for said, winner in flips.items())
    for said, end in zip(words, effect.ends, strict=True):
        if plan.best.meets_both and not end.meets_both:
            yield f"{said}: misses a target"


def _named(name: str) -> tuple[str, str, tuple[str, str]]:
    """Name of an input, its unit, and what its ends are called where they have no number."""
    if name in BEYOND_INPUTS:
        label, ends = BEYOND_INPUTS[name]
        return label, "", ends
    label, _, unit = controls()[name].label.partition(" (")
    return label, unit.rstrip(")"), ("half", "double")


def _end_words(plan: Plan, name: str, place: int, end: Outcome) -> str:
    """Call one end of a range: by its number, or as half, double, low and the like."""
    _, _, words = _named(name)
    if name in BEYOND_INPUTS:
        speed = f" \N{MULTIPLICATION SIGN}{end.value:.2f}" if math.isfinite(end.value) else ""
        return f"{words[place]}{speed}"
    factor = (0.5, 2)[place]
    if name in HALVED_AND_DOUBLED and end.value == getattr(plan.scenario, name) * factor:
        return words[place]
    return _with_unit(name, end.value)


def _planned(plan: Plan, name: str) -> str:
    return "" if name in BEYOND_INPUTS else _with_unit(name, getattr(plan.scenario, name))


def _with_unit(name: str, value: float) -> str:
    """Say a value of an input in the unit of its control."""
    _, unit, _ = _named(name)
    if unit.startswith("%"):
        return f"{wording.significant(value)}%"
    if unit.startswith("$"):
        return wording.usd(value)
    if unit == "tokens":
        return f"{wording.tokens(value)}{wording.SPACE}tokens"
    return wording.quantity(value, unit) if unit else wording.significant(value)


def change_in_words(change: float) -> str:
    """Say a change of a cost with its sign.

    Examples
    --------
    >>> change_in_words(0.442), change_in_words(-0.31)
    ('+44%', '\N{MINUS SIGN}31%')
    """
    return f"{'+' if change > 0 else ''}{wording.percent(change)}"


def use_rows(found: WhatIf) -> tuple[CurveRow, ...]:
    """Cost of a worked hour of the device that serves, owned and rented. [USD/h]"""
    use = found.use
    if use is None:
        return ()
    levels = tuple(float(share) for share in USE_LEVELS)
    owned_wins = use.planned > use.break_even
    return (
        CurveRow(
            "Owned",
            "chosen" if owned_wins else "fine",
            False,
            levels,
            tuple(use.owned_usd_per_hour / share for share in levels),
        ),
        CurveRow(
            "Rented",
            "fine" if owned_wins else "chosen",
            True,
            levels,
            (use.rent_usd_per_hour,) * len(levels),
        ),
    )


def planned_use(found: WhatIf) -> float | None:
    """Share of the hours that a renter would pay for."""
    return found.use.planned if found.use else None


def use_marks(found: WhatIf) -> tuple[CrossingMark, ...]:
    """Use from which owning costs less, if there is one."""
    use = found.use
    if use is None or not USE_LEVELS[0] <= use.break_even <= 1:
        return ()
    words = ("break-even", wording.percent(use.break_even))
    return (CrossingMark(use.break_even, use.rent_usd_per_hour, words),)


def use_note(found: WhatIf) -> str:
    """Say the break-even use in a sentence."""
    use, place = found.use, found.plan.serving_choice
    if use is None or place is None:
        return "Break-even by use needs a purchase price and a rent of the device that serves."
    name = device_label(found.plan, place)
    planned = wording.percent(use.planned)
    if use.break_even > 1:
        return f"Owned hours of {name} cost more than rented ones, however busy it is."
    return (
        f"Owning {name} for serving costs less from {wording.percent(use.break_even)} of the hours "
        f"on; a renter would pay for {planned} of them."
    )


def curve_rows(found: WhatIf, curve: Curve) -> tuple[CurveRow, ...]:
    """Cost of each option over the plan, at each level; those that have a price. [USD]"""
    plan = found.plan
    return tuple(
        CurveRow(
            label=LABELS[option.key],
            state=_state(plan, option.key),
            rented=option.key == "rent_all",
            levels=tuple(float(level) for level in curve.levels),
            usd=tuple(
                horizon_usd(plan, float(usd)) for usd in curve.costs.usd_per_year[option.key]
            ),
        )
        for option in distinct_options(plan)
    )


def _state(plan: Plan, key: OptionKey) -> Literal["chosen", "fine", "misses"]:
    option = next(option for option in plan.options if option.key == key)
    if option is plan.best:
        return "chosen"
    return "fine" if option.meets_both else "misses"


def rent_marks(found: WhatIf) -> tuple[CrossingMark, ...]:
    """Rents at which another option takes over."""
    return _marks(found, found.rents, lambda level: f"rents \N{MULTIPLICATION SIGN}{level:.2f}")


def user_marks(found: WhatIf) -> tuple[CrossingMark, ...]:
    """Users with whom another option wins."""
    return _marks(found, found.users, lambda level: f"{wording.count(level)} users")


def _marks(found: WhatIf, curve: Curve, words: Callable[[float], str]) -> tuple[CrossingMark, ...]:
    return tuple(
        CrossingMark(
            flip.level,
            horizon_usd(
                found.plan,
                float(np.interp(flip.level, curve.levels, curve.costs.usd_per_year[flip.winner])),
            ),
            (words(flip.level),),
        )
        for flip in curve.flips
        if flip is not None
    )


def cases_finding(plan: Plan, drawn: MonteCarlo) -> str:
    """How often the best option stays the cheapest, and what it costs against its rival."""
    best, shares = plan.best.key, drawn.shares
    noun = _noun(plan, best)
    first = (
        f"{noun[0].upper()}{noun[1:]} costs least in {wording.percent(shares[best])} of "
        f"{drawn.cases:,} cases"
    )
    others = [key for key in drawn.competing if key != best]
    if not others:
        return f"{first}."
    rival = max(others, key=lambda key: shares[key])
    gap = drawn.difference(rival, best)
    low, high = (horizon_usd(plan, usd) for usd in (gap.low, gap.high))
    return (
        f"{first}, {_noun(plan, rival)} in {wording.percent(shares[rival])}. In 8 of 10 cases "
        f"{_noun(plan, rival)} costs {_more_or_less(low)} to {_more_or_less(high)}."
    )


def _more_or_less(usd: float) -> str:
    return f"{wording.usd(abs(usd))} {'less' if usd < 0 else 'more'}"


def case_rows(plan: Plan, drawn: MonteCarlo) -> tuple[CostRow, ...]:
    """Cost of the options over the plan in all cases: a tenth, half and nine tenths are below."""

    def over_plan(key: OptionKey) -> Interval:
        usd = drawn.interval(key)
        return Interval(*(horizon_usd(plan, end) for end in (usd.low, usd.typical, usd.high)))

    return tuple(
        CostRow(
            label=LABELS[key],
            state=_state(plan, key),
            reason="" if key in drawn.competing else "misses a target",
            usd=over_plan(key),
            cheapest_share=drawn.shares[key],
        )
        for key in drawn.usd_per_year
    )
