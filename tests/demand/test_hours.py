"""What a week of demand asks of a fleet: worked by hand, published, and laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hwplanner.demand.hours import (
    busy_share_by_hour,
    free_devices_by_hour,
    has_room_by_hour,
    idle_device_hours_per_week,
    requests_per_s_by_hour,
    requests_per_year,
)
from hwplanner.demand.shapes import load_demand_shapes
from hwplanner.units import Array
from tests.published import published

loads = arrays(float, 168, elements=st.floats(0, 1000))
capacities = st.floats(0.01, 100)


def test_requests_of_a_year() -> None:
    requests_per_s = requests_per_s_by_hour(
        peak_requests_per_s=4.0, relative_load=np.array([1.0, 0.5])
    )
    assert requests_per_s.tolist() == [4, 2]
    assert requests_per_year(requests_per_s=requests_per_s) == 3 * 365 * 86_400


@given(requests_per_s=loads, capacity=capacities, factor=st.integers(1, 100))
def test_demand_and_fleet_scaled_together_stay_as_busy(
    requests_per_s: Array, capacity: float, factor: int
) -> None:
    once, scaled = (
        busy_share_by_hour(
            requests_per_s=scale * requests_per_s,
            devices=8 * scale,
            device_requests_per_s=capacity,
        )
        for scale in (1, factor)
    )
    assert scaled == pytest.approx(once)


@given(needed=arrays(float, 168, elements=st.integers(0, 400).map(float)))
def test_serving_and_free_devices_make_up_the_fleet(needed: Array) -> None:
    free = free_devices_by_hour(owned_devices=needed.max(), devices_by_hour=needed)
    assert (free + needed == needed.max()).all()


def test_training_fits_into_the_hours_that_serving_leaves() -> None:
    free = free_devices_by_hour(
        owned_devices=np.array([8, np.nan]), devices_by_hour=np.array([2.0, 4.0, 6.0, 10.0])
    )
    assert free[0].tolist() == [6, 4, 2, 0]
    room = has_room_by_hour(free_devices=free, training_devices=4)
    assert room.tolist() == [[True, True, False, False], [False] * 4]


def test_a_fleet_of_unknown_size_has_unknown_idle_hours() -> None:
    idle = idle_device_hours_per_week(
        devices=np.array([2.0, np.nan]), busy_share=np.array([[0.5, 1.0], [0.5, 1.0]])
    )
    assert idle[0] == 1
    assert math.isnan(idle[1])


@pytest.mark.parametrize("case", published("own_base_rent_peaks.csv"), ids=lambda c: c["shape"])
def test_idle_hours_of_a_fleet_sized_to_the_azure_peak(case: dict[str, str]) -> None:
    shape = load_demand_shapes()[case["shape"]]
    # The published means are rounded to 0.1 of 100 devices: 17 of 168 × 100 device-hours.
    assert 100 * shape.mean_over_peak == pytest.approx(float(case["mean_devices"]), abs=0.05)
    assert idle_device_hours_per_week(devices=100, busy_share=shape.relative_load) == pytest.approx(
        float(case["idle_device_hours_per_week"]), abs=17
    )
