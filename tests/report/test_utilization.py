"""The week of the serving fleet in words and key figures."""

import re

import pytest

from hwplanner.report.story import plain
from hwplanner.report.utilization import facts, finding, fleet_rows, key_figures, shape_note
from hwplanner.wording import SPACE
from tests.finance.test_fleet_week import known_week, week_of
from tests.plans import owning_and_renting, plan_of, renting, sharing


def said(text: str) -> str:
    return text.replace(SPACE, " ")


def headline(**changes: object) -> str:
    plan = plan_of(**changes)
    return said(plain(finding(plan, week_of(plan)).headline))


def test_work_quiet_hours_and_headroom_make_up_the_week() -> None:
    words = re.fullmatch(
        r"Serving is busy (\d+)% of the week; quiet hours leave (\d+)% idle, headroom (\d+)%\.",
        headline(shape="office"),
    )
    assert words
    assert sum(map(int, words.groups())) == pytest.approx(100, abs=1.5)


def test_flat_demand_has_no_quiet_hours() -> None:
    assert re.fullmatch(
        r"Serving is busy \d+% of the week; headroom leaves \d+% idle\.", headline(shape="flat")
    )


def test_without_a_device_that_fits_there_is_nothing_to_say() -> None:
    plan = plan_of(model="llama-3.1-405b", weight_format="bf16", devices=("nvidia-l4",))
    assert plain(finding(plan, week_of(plan)).headline) == "No compared device holds the model."


@pytest.mark.parametrize(
    ("plan", "detail", "note"),
    [
        (renting(), "The plan rents them as the hours need them.", "all rented"),
        (sharing(), "The plan owns them all.", "all owned"),
        (owning_and_renting(), "The plan owns them all.", "all owned"),
    ],
)
def test_who_owns_the_devices_is_said(plan: object, detail: str, note: str) -> None:
    week = known_week(plan)
    assert finding(plan, week).detail.endswith(detail)
    assert key_figures(plan, week)[1].note == note


def test_peaks_above_a_base_are_rented() -> None:
    plan = plan_of()
    week = known_week(plan)
    assert 0 < week.owned_devices < week.devices
    owned, rented = week.owned_devices, week.devices - week.owned_devices
    assert f"owns {owned:.0f} and rents up to {rented:.0f} more" in finding(plan, week).detail
    assert key_figures(plan, week)[1].note == f"{owned:.0f} owned, {rented:.0f} rented"


def test_key_figures_are_those_of_the_week() -> None:
    plan = plan_of(shape="flat", users=100, growth_percent_per_month=10, horizon_months=12)
    busiest, devices, work, idle, requests = key_figures(plan, known_week(plan))
    assert (busiest.value, busiest.note) == ("5", "mean of the week 5")  # 100 users every 20 s
    assert float(devices.value) > 0
    assert work.value.endswith("%")
    assert idle.unit == "device-hours a week"
    # 5 a second are 13.14 million a month, times 1.1 to the 11th
    assert (requests.value, requests.note) == ("13.1M", "37.5M in month 12")


def test_a_price_that_is_not_known_is_said() -> None:
    plan = plan_of(devices=("aws-trainium2",), engine="vendor")
    assert key_figures(plan, known_week(plan))[3].note == "no purchase price known"


def facts_of(**changes: object) -> dict[str, str]:
    plan = plan_of(**changes)
    return {name: said(fact) for name, fact in facts(plan, known_week(plan))}


def test_facts_count_the_burst_headroom_and_spare_copies() -> None:
    found = facts_of(burst_factor=1.5, spare_copies=2, headroom_percent=20)
    assert found["Demand"].startswith("6.4 requests/s in the busiest hour, 3.87 ")
    assert found["Busiest minute"] == "1.5 times its hour: 9.6 requests/s are planned for"
    assert found["Devices needed"].endswith("with 20% headroom and 2 spare copies")
    assert found["Requests a month"].endswith("the same in every month")
    one, none = (facts_of(spare_copies=copies)["Devices needed"] for copies in (1, 0))
    assert one.endswith("and 1 spare copy")
    assert none.endswith("and no spare copy")


def test_the_owned_fleet_grows_in_the_month_in_which_the_ledger_buys() -> None:
    plan = plan_of(growth_percent_per_month=10, market="hyperscaler")
    more = sum(fleet.bought - fleet.sold for fleet in plan.best.ledger.fleets)
    first = next(month for month in range(1, 36) if more[month] > 0)
    words = said(facts(plan, known_week(plan))[-1][1])
    assert words == f"must grow by {more[first]:.0f} devices by month {first + 1}"


def test_growth_that_is_rented_is_told() -> None:
    plan = plan_of(growth_percent_per_month=1)
    [rented] = [
        fleet.devices
        for fleet in plan.best.ledger.fleets
        if (fleet.job, fleet.way) == ("serving", "rented")
    ]
    assert said(facts(plan, known_week(plan))[-1][1]) == (
        f"stays as it is; peaks rent {rented[-1]:.0f} devices in month 36, {rented[0]:.0f} in the "
        "first"
    )


def test_without_growth_the_owned_fleet_stays() -> None:
    owned = facts_of(users=512, devices=("nvidia-h200-sxm",))["Owned fleet"]
    assert owned == "carries the plan without growing"


def test_rows_of_the_fleet_are_those_of_the_week() -> None:
    week = known_week(plan_of(shape="office"))
    rows = fleet_rows(week)
    assert [(row.day, row.hour) for row in rows[:25:24]] == [("Mon", 0), ("Tue", 0)]
    assert [row.needed for row in rows] == week.needed_devices.tolist()
    assert sum(row.requests_per_s for row in rows) == pytest.approx(week.requests_per_s.sum())
    assert {row.owned for row in rows} == {week.owned_devices}
    assert sum(row.free_for_training for row in rows) == week.is_free.sum()


def test_the_note_names_shape_clock_and_source() -> None:
    turned = shape_note(plan_of(time_zone="Europe/Berlin"))
    assert turned.startswith("Azure chat trace, 2024. Azure LLM Inference Trace 2024")
    assert "Hours: Europe/Berlin, UTC+1. Source: digitised from the plots" in turned
    own = shape_note(plan_of(shape="own", own_week=(1.0,) * 168))
    assert own == "Your own week. Hours: local time. Source: drawn or uploaded by you."
