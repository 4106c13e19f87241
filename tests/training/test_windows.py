"""Time that is billed for a run, and when it ends if it must wait for its devices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.training.windows import billed_hours, hours_to_end, progress_by_hour


@pytest.mark.parametrize(
    ("hours", "block", "billed"), [(30, 24, 48), (24, 24, 24), (0.1, 1, 1), (2.5, 0.25, 2.5)]
)
def test_blocks_are_billed_whole(hours: float, block: float, billed: float) -> None:
    assert billed_hours(hours=hours, block_hours=block) == billed


def test_a_rounding_error_is_not_a_block() -> None:
    assert billed_hours(hours=0.1 + 0.2, block_hours=0.3) == pytest.approx(0.3)


@given(hours=st.floats(0.01, 1e4), block=st.floats(0.25, 720))
def test_less_than_a_block_more_is_billed(hours: float, block: float) -> None:
    billed = float(billed_hours(hours=hours, block_hours=block))
    assert hours * (1 - 1e-8) <= billed < hours + block


NIGHT = np.tile(np.repeat([True, False], [8, 16]), 7)  # from 0:00 to 8:00 every day


def test_every_night_costs_a_start_and_a_checkpoint() -> None:
    progress = progress_by_hour(has_room=NIGHT, restart_hours=0.5, checkpoint_hours=0.1)
    assert progress[:9] == pytest.approx([0.5, 1, 1, 1, 1, 1, 1, 0.9, 0])
    assert progress.sum() == pytest.approx(7 * 7.4)


def test_devices_that_are_always_free_are_never_left() -> None:
    progress = progress_by_hour(
        has_room=np.full(168, True), restart_hours=0.5, checkpoint_hours=0.1
    )
    assert (progress == 1).all()


def test_a_stretch_across_the_end_of_the_week_is_one() -> None:
    has_room = np.zeros(168, dtype=bool)
    has_room[[0, 167]] = True
    progress = progress_by_hour(has_room=has_room, restart_hours=0.5, checkpoint_hours=0.1)
    assert (progress[167], progress[0]) == pytest.approx((0.5, 0.9))


def test_a_run_of_two_nights_and_a_half() -> None:
    # 8 hours a night: 20 hours end at 4:00 of the third night if it starts with the first.
    end = hours_to_end(progress=NIGHT.astype(float), run_hours=20)
    assert end[0] == 2 * 24 + 4
    # Asked for at 8:00, it waits for 16 hours first; at 4:00, half of that night is used.
    assert end[8] == 16 + 52
    assert end[4] == 4 + 16 + 8 + 16 + 8
    # Past the end of the week all goes on as before.
    assert end[6 * 24] == end[0]


def test_a_run_of_many_weeks_takes_them() -> None:
    progress = NIGHT.astype(float)
    end = hours_to_end(progress=progress, run_hours=10 * 56 + 4)
    assert end[0] == 10 * 168 + 4
    # Exactly ten weeks of nights end with the last night, not with the next week.
    assert hours_to_end(progress=progress, run_hours=10 * 56)[0] == 10 * 168 - 16


def test_without_room_a_run_never_ends() -> None:
    assert np.isinf(hours_to_end(progress=np.zeros(168), run_hours=1)).all()


@given(
    progress=st.lists(st.sampled_from([0.0, 0.25, 0.9, 1.0]), min_size=168, max_size=168),
    run_hours=st.floats(0.01, 1000),
    start=st.integers(0, 167),
)
@settings(max_examples=50)
def test_time_to_the_end_is_that_of_a_walk_through_the_hours(
    progress: list[float], run_hours: float, start: int
) -> None:
    end = hours_to_end(progress=np.array(progress), run_hours=run_hours)[start]
    if not any(progress):
        assert end == np.inf
        return
    assert end >= run_hours * (1 - 1e-9)
    left, hour = run_hours, start
    while left > progress[hour % 168]:
        left -= progress[hour % 168]
        hour += 1
    part = left / progress[hour % 168] if left > 1e-9 else 0
    if 1e-6 < part < 1 - 1e-6:  # else rounding decides which of two stretches is meant
        assert end == pytest.approx(hour + part - start)
