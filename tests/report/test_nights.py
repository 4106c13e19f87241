"""What is said of runs in idle hours."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings

from hwplanner.finance.nights import Nights, nights
from hwplanner.plan import Plan, make_plan
from hwplanner.report.nights import facts, finding
from hwplanner.scenario import Scenario
from hwplanner.wording import SPACE
from tests.devices import device
from tests.plans import SMALL, catalog, plan_of, price, questions

NIGHTLY = {"users": 4096, "devices": ("nvidia-h100-sxm",), "training_tokens_million": 10}


def night(**changes: object) -> tuple[Plan, Nights]:
    plan = plan_of(**NIGHTLY)
    found = nights(plan)
    assert found is not None
    return plan, replace(found, **changes)


def said(plan: Plan, found: Nights) -> dict[str, str]:
    return {name: fact.replace(SPACE, " ") for name, fact in facts(plan, found)}


def test_runs_that_fit_save_rent_and_are_late() -> None:
    plan, found = night(rented_hours=2.0)
    assert found.run is not None
    text = finding(plan, found).replace(SPACE, " ")
    assert text.startswith(f"In the {found.run.open_hours} hours a week in which ")
    assert "all planned runs find room" in text
    assert "always within its window of 72 h" in text
    assert "later than on rented devices, and saves $" in text
    facts_said = said(plan, found)
    assert facts_said["In time"] == "always within its window of 72 h"
    assert facts_said["Ends"].endswith("; on rented devices 2 h")
    assert facts_said["Runs a month"].endswith(" fit, 1 planned")
    assert "11 min for its start" in facts_said["Finds them free"]
    assert facts_said["Rent"].endswith("$0 a year remain to be rented")


def test_runs_that_end_too_late_would_save() -> None:
    plan, found = night(window_hours=1.0)
    text = finding(plan, found).replace(SPACE, " ")
    assert "past its window of 1 h" in text
    assert "would save $" in text


def test_runs_that_find_room_now_and_then() -> None:
    plan, found = night(window_hours=24.0, planned_runs_per_month=1000.0)
    assert found.run is not None
    text = finding(plan, found).replace(SPACE, " ")
    assert " of 1,000 planned runs a month find room" in text
    share = (found.run.end_hours <= 24).mean()
    assert f"from {share:.0%} of the hours of a week" in text


def test_without_a_rent_nothing_is_said_to_be_saved() -> None:
    plan, found = night(rent_usd_per_year=np.nan)
    assert "rent" not in finding(plan, found)
    assert said(plan, found)["Rent"] == "not known without a rent"


def test_without_room_runs_need_devices_of_their_own() -> None:
    plan, found = night(run=None)
    fewest = plan.training.fewest_devices[found.place]
    assert f"never the {fewest:.0f} devices at once" in finding(plan, found)
    assert set(said(plan, found)) == {"Fleet, if owned", "Free"}


def test_a_device_that_does_not_train_is_named() -> None:
    known = catalog([device(training_supported="no")], price("round", 10_000, "purchase"))
    plan = make_plan(Scenario(devices=("round",), users=1, **SMALL), catalog=known)
    found = nights(plan)
    assert found is not None
    assert "but a run is not for Nobody Round" in finding(plan, found)


@given(question=questions())
@settings(max_examples=20, deadline=None)
def test_every_plan_has_words(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    found = nights(plan)
    if found is None:
        return
    for text in (finding(plan, found), *said(plan, found).values()):
        assert "nan" not in text
        assert "inf" not in text.split()
