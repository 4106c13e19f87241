"""Spot hardware: what interruptions leave of it, and what an hour of use then costs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.assumptions import load_assumptions
from hwplanner.money.cost import usd_per_useful_hour
from hwplanner.money.spot import lost_share
from hwplanner.training.goodput import Interruptions

rates = st.floats(0, 10)
hours = st.floats(0, 5)


def test_a_copy_alternates_between_work_and_restarts() -> None:
    # Taken back every 2 hours, back after 5 minutes: 5 of 125 minutes are lost.
    assert lost_share(interruptions_per_hour=0.5, restart_hours=5 / 60) == pytest.approx(0.04)
    assert lost_share(interruptions_per_hour=0.0, restart_hours=1.0) == 0


@given(rate=rates, restart=hours)
def test_of_paid_hours_some_are_left(rate: float, restart: float) -> None:
    assert 0 <= lost_share(interruptions_per_hour=rate, restart_hours=restart) < 1


@given(rates=st.tuples(rates, rates), restart=hours)
def test_more_interruptions_never_leave_more(rates: tuple[float, float], restart: float) -> None:
    few, many = (
        lost_share(interruptions_per_hour=rate, restart_hours=restart) for rate in sorted(rates)
    )
    assert few <= many


def test_an_effective_rent_is_the_rent_and_its_overhead() -> None:
    """Rent x (1 + checkpoints + lost work and restarts), which goodput multiplies out.

    One interruption in five hours; a checkpoint of a minute, by Young's rule after every
    sqrt(2 x 60 x 18,000) = 1,470 s of work; 600 s to start again.
    """
    run = Interruptions(
        device_hours_between_failures=float("inf"),
        checkpoint_seconds=60,
        restart_seconds=600,
        interruptions_per_hour=0.2,
    )
    checkpoints, restarts = 60 / 1469.69, (1469.69 / 2 + 600) / 18_000
    rent = usd_per_useful_hour(usd_per_hour=2.0, useful_share=run.goodput(8))
    assert rent == pytest.approx(2.0 * (1 + checkpoints) * (1 + restarts), rel=1e-5)
    # The overheads alone, added up, leave out their product.
    assert rent == pytest.approx(2.0 * (1 + checkpoints + restarts), rel=0.003)


def test_what_is_assumed_of_interruptions_is_wide() -> None:
    low, typical, high = load_assumptions().range("spot_interruptions_per_hour")
    # 802 interruptions in 3,497 instance-hours were counted
    assert low < typical <= 802 / 3497 < high
