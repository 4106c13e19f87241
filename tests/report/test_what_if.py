"""What moves the answer, in words and rows."""

import pytest

from hwplanner import wording
from hwplanner.finance.monte_carlo import monte_carlo
from hwplanner.finance.what_if import WhatIf, what_if
from hwplanner.plan import Plan
from hwplanner.report import what_if as report
from hwplanner.report.story import plain
from hwplanner.report.tables import EffectRow
from tests.plans import owning_and_renting, plan_of, renting, sharing, small_plan


def found(plan: Plan) -> WhatIf:
    result = what_if(plan)
    assert result is not None
    return result


def row(plan: Plan, label: str) -> EffectRow:
    (only,) = (each for each in report.effect_rows(found(plan)) if each.label == label)
    return only


def test_the_finding_says_what_flips_and_what_moves_most() -> None:
    plan = plan_of()
    shown = found(plan)
    finding = report.finding(plan, shown)
    headline = plain(finding.headline)
    below = shown.rents.flips[0]
    assert below is not None
    assert f"rents fall {wording.percent(1 - below.level)}" in headline
    assert "users fall to 32" in headline
    assert report.effect_rows(shown)[0].label in finding.detail
    flipping = [
        each for each in shown.effects if {each.low.winner, each.high.winner} != {plan.best.key}
    ]
    assert f"{len(flipping)} of {len(shown.effects)} inputs" in finding.detail


def test_a_plan_that_nothing_flips_says_within_what() -> None:
    headline = plain(report.finding(sharing(), found(sharing())).headline)
    assert headline == (
        "One shared family costs least at any rent from a quarter to four times today's, and for "
        "1–8 users."
    )


def test_without_a_plan_there_is_nothing_to_move() -> None:
    plan = small_plan()
    assert "No plan yet" in plain(report.finding(plan, what_if(plan)).headline)


def test_without_runs_options_are_owning_and_renting() -> None:
    plan = plan_of(runs_per_month=0)
    headline = plain(report.finding(plan, found(plan)).headline)
    assert headline.startswith(("Owning costs least", "Renting everything costs least"))
    assert "training" not in headline


def test_ends_are_called_by_their_number_or_as_half_and_double() -> None:
    users = row(plan_of(), "Users at once")
    assert (users.planned, users.tried) == ("128", ("half", "double"))
    assert row(plan_of(), "Depreciate over").tried == ("3\xa0years", "6\xa0years")
    assert row(plan_of(), "Electricity").tried == ("$0.06", "$0.20")
    assert row(plan_of(), "Context").planned == "8k\xa0tokens"
    assert row(plan_of(), "Rents").tried == ("lowest offers", "highest offers")
    assert row(plan_of(users=16384), "Users at once").tried == ("half", "16,400")


def test_an_end_that_does_not_move_the_cost_is_not_drawn() -> None:
    # The planned headroom is the low end of its range.
    headroom = row(plan_of(), "Headroom at the peak")
    assert headroom.tried == ("15%", "50%")
    assert headroom.ends == ("", "50%")


def test_a_remark_says_where_another_option_wins() -> None:
    assert row(plan_of(), "Rents change by").remark == "−40%: renting everything wins"
    assert row(renting(), "PUE").remark == ""


@pytest.mark.parametrize(("change", "words"), [(0.442, "+44%"), (-0.31, "−31%"), (0, "0%")])
def test_changes_carry_their_sign(change: float, words: str) -> None:
    assert report.change_in_words(change) == words


def test_use_is_a_curve_with_its_crossing() -> None:
    shown = found(plan_of())
    owned, rented = report.use_rows(shown)
    assert owned.levels[-1] == 1
    assert shown.use is not None
    assert owned.usd[-1] == pytest.approx(shown.use.owned_usd_per_hour)
    assert owned.usd[0] == pytest.approx(10 * owned.usd[-1])
    assert set(rented.usd) == {shown.use.rent_usd_per_hour}
    (mark,) = report.use_marks(shown)
    # Where both cost the same for a worked hour.
    assert owned.usd[-1] / mark.level == pytest.approx(mark.usd)
    assert wording.percent(mark.level) in report.use_note(shown)
    assert report.planned_use(shown) == shown.use.planned


def test_use_without_a_rent_says_what_is_missing() -> None:
    shown = found(sharing())
    assert report.use_rows(shown) == ()
    assert report.use_marks(shown) == ()
    assert "needs a purchase price and a rent" in report.use_note(shown)
    assert report.planned_use(shown) is None


def test_curves_are_totals_over_the_plan() -> None:
    plan = plan_of()
    shown = found(plan)
    rows = report.curve_rows(shown, shown.rents)
    chosen = next(each for each in rows if each.state == "chosen")
    assert chosen.label == plan.best.label
    assert chosen.usd[shown.rents.planned] == pytest.approx(3 * plan.best.usd_per_year.typical)
    assert [each.rented for each in rows].count(True) == 1
    (mark,) = report.rent_marks(shown)
    renting_all = next(each for each in rows if each.rented)
    at = sum(level <= mark.level for level in renting_all.levels)
    assert renting_all.usd[at - 1] <= mark.usd <= renting_all.usd[at]
    assert [each.words[0] for each in report.user_marks(shown)][0] == "32 users"


def test_cases_are_told_with_their_shares_and_rival() -> None:
    plan = plan_of()
    drawn = monte_carlo(plan, 1000)
    assert drawn is not None
    text = report.cases_finding(plan, drawn)
    best = wording.percent(drawn.shares[plan.best.key])
    assert f"costs least in {best} of 1,000 cases" in text
    assert "renting everything" in text
    rows = report.case_rows(plan, drawn)
    assert sum(each.cheapest_share for each in rows) == pytest.approx(1)
    assert [each.label for each in rows] == [option.label for option in plan.options]
    low = drawn.interval(plan.best.key).low
    assert rows[0].usd is not None
    assert rows[0].usd.low == pytest.approx(3 * low)


def test_one_option_alone_is_always_the_cheapest() -> None:
    plan = sharing()
    drawn = monte_carlo(plan, 100)
    assert drawn is not None
    assert report.cases_finding(plan, drawn).endswith("costs least in 100% of 100 cases.")
    assert monte_carlo(owning_and_renting(), 100) is not None
