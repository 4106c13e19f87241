"""Runs in idle hours of serving devices: whether they fit, how late they end, what they save."""

from __future__ import annotations

from hwplanner import wording
from hwplanner.finance.nights import NightRun, Nights
from hwplanner.plan import Plan
from hwplanner.report.chart_rows import device_label
from hwplanner.units import HOURS_PER_WEEK, SECONDS_PER_HOUR

ALWAYS = 1 - 1e-9


def finding(plan: Plan, found: Nights) -> str:
    """Say whether idle serving devices can do the planned runs, in a sentence or two."""
    run = found.run
    if run is None:
        return (
            f"Serving leaves {wording.count(found.free_device_hours_per_week)} device-hours a week "
            f"free, but {_why_not(plan, found.place)}: runs need devices of their own."
        )
    return (
        f"In the {wording.significant(run.open_hours)} hours a week in which "
        f"{wording.device_count(run.devices)} of the serving fleet "
        f"{'is' if run.devices == 1 else 'are'} free, {_how_many(found)}. "
        f"A run ends {wording.hours(run.mean_end_hours)} after it is asked for, {_judged(found)}."
    )


def _why_not(plan: Plan, place: int) -> str:
    """What keeps any run off the serving fleet."""
    if not plan.fits("training")[place]:
        return f"a run is not for {device_label(plan, place)}"
    fewest = plan.training.fewest_devices[place]
    return f"never the {wording.count(fewest)} devices at once that a run takes at least"


def facts(plan: Plan, found: Nights) -> tuple[tuple[str, str], ...]:
    """Idle hours of the serving fleet and the runs in them, as names and facts."""
    free = found.free_device_hours_per_week
    share = free / (found.owned_devices * HOURS_PER_WEEK)
    about = (
        (
            "Fleet, if owned",
            f"{wording.count(found.owned_devices)} {wording.TIMES} "
            f"{device_label(plan, found.place)}",
        ),
        (
            "Free",
            f"{wording.count(free)} device-hours a week, {wording.percent(share)} of all",
        ),
    )
    return about if found.run is None else (*about, *_facts_of_run(plan, found, found.run))


def _facts_of_run(plan: Plan, found: Nights, run: NightRun) -> tuple[tuple[str, str], ...]:
    get = plan.assumptions.typical
    lost_hours = (get("restart_seconds") + get("checkpoint_seconds")) / SECONDS_PER_HOUR
    return (
        (
            "A run takes",
            f"{wording.device_count(run.devices)} at once for {wording.hours(run.run_hours)}, if "
            "it is never interrupted",
        ),
        (
            "Finds them free",
            f"{wording.significant(run.open_hours)} hours a week, so that it can use "
            f"{wording.count(found.used_device_hours_per_week)} device-hours; every stretch costs "
            f"{wording.hours(lost_hours)} for its start and the checkpoint at its end",
        ),
        (
            "Ends",
            f"{wording.hours(run.mean_end_hours)} after it is asked for on average, "
            f"{wording.hours(float(run.end_hours.max()))} at the latest{_rented_time(found)}",
        ),
        ("In time", _in_window(found)),
        (
            "Runs a month",
            f"{wording.significant(run.runs_per_month)} fit, "
            f"{wording.significant(found.planned_runs_per_month)} planned",
        ),
        ("Rent", _rent(found)),
    )


def _how_many(found: Nights) -> str:
    """Which part of the planned runs finds room."""
    if found.done_runs_per_month >= found.planned_runs_per_month * ALWAYS:
        return "all planned runs find room"
    return (
        f"{wording.significant(found.done_runs_per_month)} of "
        f"{wording.significant(found.planned_runs_per_month)} planned runs a month find room"
    )


def _judged(found: Nights) -> str:
    """How that compares with its window and with rented devices, and what it saves."""
    judged = _in_window(found)
    if not found.saved_usd_per_year > 0:
        return judged
    delay = f"{wording.hours(found.delay_hours)} later than" if found.delay_hours > 0 else "before"
    saves = "saves" if found.in_time_share else "would save"
    saved = wording.usd(found.saved_usd_per_year)
    return f"{judged} and {delay} on rented devices, and {saves} {saved} of rent a year"


def _in_window(found: Nights) -> str:
    """From how many hours of the week a run ends in its window."""
    window, share = wording.hours(found.window_hours), found.in_time_share
    if share >= ALWAYS:
        return f"always within its window of {window}"
    if share:
        return f"within its window of {window} from {wording.percent(share)} of the hours of a week"
    return f"past its window of {window}"


def _rented_time(found: Nights) -> str:
    hours = found.rented_hours
    return f"; on rented devices {wording.hours(hours)}" if hours > 0 else ""


def _rent(found: Nights) -> str:
    """Rent that is saved and that remains."""
    if not found.rent_usd_per_year > 0:
        return "not known without a rent"
    energy = wording.usd(found.energy_usd_per_run)
    return (
        f"{wording.usd(found.saved_usd_per_year)} a year saved of "
        f"{wording.usd(found.rent_usd_per_year)}, {energy} of electricity a run taken off; "
        f"{wording.usd(found.left_usd_per_year)} a year remain to be rented"
    )
