"""What a plan says, in sentences: the finding of each page, its weak point, what would flip it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hwplanner import wording
from hwplanner.money.draws import EVEN, is_near_tie, win_share
from hwplanner.money.option import Option, OptionKey
from hwplanner.plan import Plan
from hwplanner.report.chart_rows import device_label
from hwplanner.report.expected import draws_in_words
from hwplanner.report.verdicts import why_not
from hwplanner.units import MONTHS_PER_YEAR


@dataclass(frozen=True, slots=True)
class Phrase:
    """A piece of a sentence, emphasized or not."""

    text: str
    strong: bool = False


LEAST_FLIP = 0.25  # prices that would have to change by more than fourfold flip nothing
SAME = 1e-9
SHOWN_TIES = 2
NOUNS: Mapping[OptionKey, str] = {
    "shared": "one shared family",
    "two_owned": "owning two families",
    "own_and_rent": "owned serving and rented training",
    "rent_all": "renting everything",
}
"""Options as they are named in a sentence."""

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
    rival = likeliest_rival(plan)
    # A lead that the uncertainty eats up is the weak point.
    is_open = rival is not None and (is_tie(best, rival) or wins(best, rival) < EVEN)
    weak = "" if is_open else _weak_point(plan, best)
    detail = " ".join(filter(None, (_margin(plan, best), _device_ties(plan), weak)))
    return Finding(_headline(plan, best), detail)


def _headline(plan: Plan, best: Option) -> Sentence:
    serve = serving_in_words(plan, best)
    if not plan.scenario.all_runs_per_month:
        return (
            Phrase(f"{serve[0].upper()}{serve[1:]}", strong=True),
            Phrase("; no training is planned."),
        )
    if best.key == "shared":
        fleet = devices_in_words(plan, best.serving_device, best.owned_devices)
        grown = _growing(best, best.owned_devices)
        return (
            Phrase(_opening(plan, best)),
            Phrase(f"own {fleet}{grown}", strong=True),
            Phrase(" for serving and training."),
        )
    return (
        Phrase(_opening(plan, best)),
        Phrase(serve, strong=True),
        Phrase(", and " if best.rented_peaks else " and "),
        *_training_phrases(plan, best),
    )


def serving_in_words(plan: Plan, option: Option) -> str:
    """What serves: a fleet that is owned or rented, or a base with rented peaks."""
    if option.rented_peaks:
        owned = devices_in_words(plan, option.serving_device, option.base_devices)
        peaks = wording.count(option.rented_peaks)
        grown = _growing(option, option.base_devices)
        return f"own {owned} for serving{grown} and rent up to {peaks} more at peaks"
    way = "own" if option.owns("serving") else "rent"
    fleet = devices_in_words(plan, option.serving_device, option.serving_devices)
    return f"{way} {fleet} for serving{_growing(option, option.serving_devices)}"


def _growing(option: Option, at_first: float) -> str:
    """Say how many devices an owned fleet has in the end, if that is more than at first."""
    if not option.owns("serving") or option.grown_devices <= at_first:
        return ""
    return f", growing to {wording.count(option.grown_devices)},"


def _opening(plan: Plan, best: Option) -> str:
    if not best.meets_both:
        return "Nothing compared meets every target; the nearest: "
    rival = likeliest_rival(plan)
    if rival is not None and is_tie(best, rival):
        return f"A near tie with {_as_noun(rival)}: "
    if rival is not None and wins(best, rival) < EVEN:
        return "Cheapest on paper: "
    if best.key == "shared":
        return "One family is enough: "
    if best.key == "rent_all":
        return "Buy nothing: "
    two = best.serving_device != best.training_device
    return "Two choices beat one: " if two else "One family, owned and rented: "


def _training_phrases(plan: Plan, best: Option) -> Sentence:
    """What trains: a fleet that is owned, or one rented for the hours of each run."""
    place = best.training_device
    if best.owns("training"):
        fleet = devices_in_words(plan, place, best.training_devices)
        return Phrase(f"own {fleet} to train", strong=True), Phrase(".")
    run_devices = devices_in_words(plan, place, float(plan.training.devices[place]))
    again = "" if best.key == "rent_all" else "rent "
    return (
        Phrase(f"{again}{run_devices} for {wording.hours(best.finish_hours)}", strong=True),
        Phrase(" a run to train."),
    )


def devices_in_words(plan: Plan, place: int | None, count: float) -> str:
    """Say a number of a compared device, the number first."""
    name = "no device" if place is None else wording.short(device_label(plan, place))
    return f"{wording.count(count)}{wording.SPACE}{name}"


def _margin(plan: Plan, best: Option) -> str:
    """Cost of the best option over the horizon, against the next that meets both targets."""
    usd = best.usd_per_year
    low, typical, high = (horizon_usd(plan, end) for end in (usd.low, usd.typical, usd.high))
    total = (
        f"{wording.usd(typical)} over {plan.scenario.horizon_months} months, "
        f"{wording.interval(low, high, wording.usd)} in 8 of 10 cases"
    )
    rival = likeliest_rival(plan)
    if rival is None:
        return f"{total}."
    more = wording.usd(horizon_usd(plan, rival.usd_per_year.typical - usd.typical))
    noun, won = _as_noun(rival), wins(best, rival)
    if is_tie(best, rival) or won < EVEN:
        return (
            f"{total}; {noun} costs {more} more as estimated, and less in "
            f"{draws_in_words(1 - won)}."
        )
    return f"{total}; {more} less than {noun}, and less in {draws_in_words(won)}."


def _as_noun(option: Option) -> str:
    return NOUNS[option.key]


def _device_ties(plan: Plan) -> str:
    """Name other devices that would serve at about the same cost."""
    place = plan.best.serving_device
    tied = () if place is None or not plan.best.meets_both else plan.rivals("serving").ties(place)
    if not tied:
        return ""
    names = [device_label(plan, other) for other in tied[:SHOWN_TIES]]
    if len(tied) > SHOWN_TIES:
        names.append(f"{len(tied) - SHOWN_TIES} more")
    return f"For serving alone, {_listed(names)} {'tie' if len(tied) > 1 else 'ties'} on cost."


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def closest_rival(plan: Plan) -> Option | None:
    """Cheapest other option that meets both targets, if there is one."""
    return next(iter(_rivals(plan)), None)


def likeliest_rival(plan: Plan) -> Option | None:
    """Other option that meets both targets and costs less than the best in most draws."""
    return min(_rivals(plan), key=lambda option: wins(plan.best, option), default=None)


def _rivals(plan: Plan) -> list[Option]:
    """Other options that meet both targets, by cost."""
    cost = plan.best.usd_per_year.typical
    return [
        option
        for option in plan.options
        # Without training runs, several options come to the same.
        if plan.best.meets_both
        and option.meets_both
        and option.usd_per_year.typical > cost * (1 + SAME)
    ]


def wins(best: Option, rival: Option) -> float:
    """Share of the draws in which the best option costs less than another. [1]"""
    return win_share(best.usd_draws, rival.usd_draws)


def is_tie(best: Option, rival: Option) -> bool:
    """Whether two options lie so close that nobody should choose by cost."""
    return is_near_tie(
        usd=best.usd_per_year.typical,
        other_usd=rival.usd_per_year.typical,
        wins=wins(best, rival),
    )


def _weak_point(plan: Plan, best: Option) -> str:
    """What comes nearest to failing: a missed target, a small margin, idle hours."""
    if not best.meets_serving and best.serving_device is not None:
        fault = why_not(plan, best.serving_device, "serving")
        return f"No compared device serves within the targets; this one: {fault}."
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


def one_family_or_two(plan: Plan) -> tuple[str, ...]:
    """Answer the founding question: what the jobs cost on two families, and on a single one."""
    if not plan.scenario.all_runs_per_month or not plan.best.exists:
        return ()
    two, one = _cheapest_of(plan, is_single=False), _cheapest_of(plan, is_single=True)
    shared = next(option for option in plan.options if option.key == "shared")
    lines = []
    if two is not None:
        lines.append(f"Two families: {_told(plan, two)}.")
    if one is not None and one.key != "shared":
        lines.append(f"One family, paid in other ways: {_told(plan, one)}.")
    if shared.exists:
        lines.append(f"One family, owned and shared: {_told(plan, shared, against=plan.best)}.")
    else:
        lines.append(f"One family, owned and shared: {shared.reason}.")
    return tuple(lines)


def _cheapest_of(plan: Plan, *, is_single: bool) -> Option | None:
    """Cheapest option that does as well on the targets as any, on one family or on two."""
    return next(
        (
            option
            for option in plan.options
            if option.exists and is_single == (option.serving_device == option.training_device)
        ),
        None,
    )


def _told(plan: Plan, option: Option, against: Option | None = None) -> str:
    """Hardware and cost of an option; what it misses, or how much of it stands idle."""
    usd = option.usd_per_year.typical
    months = plan.scenario.horizon_months
    total = wording.usd(horizon_usd(plan, usd))
    words = f"{hardware(plan, option)}, {total} over {months} months"
    if against is not None and against is not option:
        more = usd / against.usd_per_year.typical - 1
        words += f", {wording.percent(abs(more))} {'more' if more > 0 else 'less'} than the best"
    missed = [
        what
        for what, met in (
            ("the latency target", option.meets_serving),
            ("the training window", option.meets_training),
        )
        if not met
    ]
    if missed:
        return f"{words}; it misses {' and '.join(missed)}"
    idle = wording.count(round(option.idle_device_hours, -2))
    share = wording.percent(option.idle_share)
    return f"{words}; {idle} paid device-hours a year stand idle ({share})"


def flips(plan: Plan) -> tuple[str, ...]:
    """What would make the closest rival win, with the same devices: prices that change."""
    best, rival = plan.best, closest_rival(plan)
    if rival is None:
        return ()
    lines = [
        f"{rival.label} with {hardware(plan, rival)} costs "
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
    if difference == 0 or gap == 0:
        return None
    ratio = 1 + gap / difference
    return ratio if LEAST_FLIP <= ratio <= 1 / LEAST_FLIP else None


def hardware(plan: Plan, option: Option) -> str:
    """Hardware of an option in words."""
    if not option.exists:
        return wording.NONE
    if option.key == "shared":
        return f"{devices_in_words(plan, option.serving_device, option.owned_devices)} owned"
    if option.rented_peaks:
        base = devices_in_words(plan, option.serving_device, option.base_devices)
        serve = f"{base} owned and up to {wording.count(option.rented_peaks)} rented"
    else:
        fleet = devices_in_words(plan, option.serving_device, option.serving_devices)
        serve = f"{fleet} {'owned' if option.owns('serving') else 'rented'}"
    if option.training_device is None:
        return serve
    train = devices_in_words(plan, option.training_device, option.training_devices)
    way = "owned" if option.owns("training") else "rented"
    return f"{serve} to serve, {train} {way} to train"
