"""The week of the serving fleet in words, key figures and the rows of charts."""

from __future__ import annotations

from hwplanner import wording
from hwplanner.finance.fleet_week import FleetWeek
from hwplanner.finance.life import life
from hwplanner.plan import Plan
from hwplanner.report import expected
from hwplanner.report.chart_rows import DAYS, device_label
from hwplanner.report.statements import KeyFigure
from hwplanner.report.story import Finding, Phrase
from hwplanner.report.tables import FleetHourRow
from hwplanner.units import HOURS_PER_DAY, HOURS_PER_WEEK

NOTICEABLE = 0.01


def finding(plan: Plan, week: FleetWeek | None) -> Finding:
    """How busy the devices of the busiest hour are over the week, and why not more."""
    place = plan.serving_choice
    if place is None or week is None:
        return Finding((Phrase("No compared device holds the model."),), "")
    busy, peak = float(week.busy_share.mean()), float(week.busy_share.max())
    rest = [f"headroom {wording.percent(1 - peak)}"]
    if peak - busy >= NOTICEABLE:
        rest.insert(0, f"quiet hours leave {wording.percent(peak - busy)} idle")
    else:
        rest[0] = f"headroom leaves {wording.percent(1 - peak)} idle"
    range_ = expected.busy_share(plan, place)
    low, high = (busy * end / range_.typical for end in (range_.low, range_.high))
    fleet = device_label(plan, place, week.devices)
    return Finding(
        (
            Phrase("Serving is busy "),
            Phrase(f"{wording.percent(busy)} of the week", strong=True),
            Phrase(f"; {', '.join(rest)}."),
        ),
        f"That is of {fleet}, the devices of the busiest hour, kept all week; "
        f"{wording.interval(low, high, wording.percent)} in 8 of 10 cases. {_ownership(week)}",
    )


def _ownership(week: FleetWeek) -> str:
    """What of the fleet the plan owns."""
    rented = week.devices - week.owned_devices
    if not week.owned_devices:
        return "The plan rents them as the hours need them."
    if rented > 0:
        return (
            f"The plan owns {wording.count(week.owned_devices)} and rents up to "
            f"{wording.count(rented)} more in busy hours."
        )
    return "The plan owns them all."


def key_figures(plan: Plan, week: FleetWeek) -> tuple[KeyFigure, ...]:
    """Demand, the fleet, its work and its idle hours."""
    peak, mean = float(week.requests_per_s.max()), float(week.requests_per_s.mean())
    return (
        KeyFigure(
            "Busiest hour",
            wording.significant(peak),
            "requests/s",
            f"mean of the week {wording.significant(mean)}",
        ),
        KeyFigure("Devices then", wording.count(week.devices), "", _split(week)),
        KeyFigure(
            "At work",
            wording.percent(float(week.busy_share.mean())),
            "of the week",
            "if all of them are kept",
        ),
        KeyFigure(
            "Idle",
            wording.significant(week.idle_device_hours_per_week),
            "device-hours a week",
            _idle_usd(week),
        ),
        KeyFigure(
            "Requests",
            wording.tokens(week.requests_per_month),
            "a month",
            _growth(plan, week),
        ),
    )


def _split(week: FleetWeek) -> str:
    rented = week.devices - week.owned_devices
    if not week.owned_devices:
        return "all rented"
    if rented > 0:
        return f"{wording.count(week.owned_devices)} owned, {wording.count(rented)} rented"
    return "all owned"


def _idle_usd(week: FleetWeek) -> str:
    if not wording.known(week.idle_usd_per_week):
        return "no purchase price known"
    return f"{wording.usd(week.idle_usd_per_week)} if all are owned"


def _growth(plan: Plan, week: FleetWeek) -> str:
    last = float(plan.market.calendar.growth[-1])
    if last == 1:
        return "the same in every month"
    requests = wording.tokens(week.requests_per_month * last)
    return f"{requests} in month {plan.scenario.horizon_months}"


def facts(plan: Plan, week: FleetWeek) -> tuple[tuple[str, str], ...]:
    """Demand and the fleet as names and facts, with what growth asks of it."""
    peak, mean = float(week.requests_per_s.max()), float(week.requests_per_s.mean())
    burst = plan.scenario.burst_factor
    return (
        (
            "Demand",
            f"{wording.rate(peak, 'requests/s')} in the busiest hour, "
            f"{wording.rate(mean, 'requests/s')} on average, "
            f"{wording.rate(float(week.requests_per_s.min()), 'requests/s')} in the quietest",
        ),
        (
            "Busiest minute",
            f"{wording.significant(burst)} times its hour: "
            f"{wording.rate(burst * peak, 'requests/s')} are planned for",
        ),
        (
            "Devices needed",
            f"{wording.count(week.needed_devices.max())} in the busiest hour, "
            f"{wording.significant(float(week.needed_devices.mean()))} on average, "
            f"{wording.count(week.needed_devices.min())} in the quietest; with "
            f"{wording.percent(plan.scenario.headroom_percent / 100)} headroom and "
            f"{_spare(plan.scenario.spare_copies)}",
        ),
        (
            "Idle",
            f"{wording.count(week.idle_device_hours_per_week)} of "
            f"{wording.count(week.devices * HOURS_PER_WEEK)} device-hours a week, were all "
            f"{wording.count(week.devices)} devices kept; {_idle_usd(week)}",
        ),
        (
            "Requests a month",
            f"{wording.tokens(week.requests_per_month)}; {_growth(plan, week)}",
        ),
        ("Owned fleet", _when_it_grows(plan, week)),
    )


def _spare(copies: int) -> str:
    if not copies:
        return "no spare copy"
    return "1 spare copy" if copies == 1 else f"{copies} spare copies"


def _when_it_grows(plan: Plan, week: FleetWeek) -> str:
    """By which month the plan buys more devices, or rents what its own do not carry."""
    months = life(plan)
    if not week.owned_devices or months is None:
        return "none; what is rented follows the demand"
    if months.growing_months:
        month = months.growing_months[0]
        more = wording.device_count(float(months.bought_to_grow[month - 1]))
        return f"must grow by {more} by month {month}"
    first, last = float(months.serving_rented[0]), float(months.serving_rented[-1])
    if last > first:
        return (
            f"stays as it is; peaks rent {wording.device_count(last)} in month {months.months}, "
            f"{wording.count(first)} in the first"
        )
    if plan.scenario.growth_percent_per_month > 0:
        return f"carries the growth of {months.months} months as it is"
    return "carries the plan without growing"


def fleet_rows(week: FleetWeek) -> tuple[FleetHourRow, ...]:
    """Devices needed and owned in each hour of the week."""
    is_free = week.is_free
    return tuple(
        FleetHourRow(
            day=DAYS[hour // HOURS_PER_DAY],
            hour=hour % HOURS_PER_DAY,
            requests_per_s=float(week.requests_per_s[hour]),
            needed=float(week.needed_devices[hour]),
            owned=week.owned_devices,
            free_for_training=bool(is_free[hour]),
        )
        for hour in range(HOURS_PER_WEEK)
    )


def shape_note(plan: Plan) -> str:
    """What the shape of the demand is, on which clock, and says who."""
    shape = plan.shape
    clock = "local time" if shape.clock == "local" else shape.clock
    said = (shape.title, shape.note, f"Hours: {clock}", f"Source: {shape.source}")
    return ". ".join(filter(None, said)) + "."
