"""A week of demand: the shapes in the data folder, and what a fleet makes of them."""

import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hwplanner import scenario
from hwplanner.errors import DemandError
from hwplanner.files.csv_files import DATA_DIR
from hwplanner.money.demand import (
    DemandShape,
    busy_share_by_hour,
    devices_by_hour,
    free_devices_by_hour,
    has_room_by_hour,
    idle_device_hours_per_week,
    load_demand_shapes,
    requests_per_s_by_hour,
    requests_per_year,
)
from hwplanner.units import Array
from tests.published import published

MONDAY, FRIDAY, SATURDAY, SUNDAY = 0, 4, 5, 6

loads = arrays(float, 168, elements=st.floats(0, 1000))
capacities = st.floats(0.01, 100)


def day(shape: str, weekday: int) -> Array:
    return load_demand_shapes()[shape].relative_load.reshape(7, 24)[weekday]


def test_every_shape_that_the_scenario_offers_is_there() -> None:
    assert set(load_demand_shapes()) == set(get_args(scenario.DemandShape))


@pytest.mark.parametrize("shape", load_demand_shapes().values(), ids=lambda shape: shape.title)
def test_shapes_peak_at_one_and_name_their_source(shape: DemandShape) -> None:
    assert shape.relative_load.shape == (168,)
    assert shape.relative_load.max() == 1
    assert shape.relative_load.min() >= 0
    assert 0 < shape.mean_over_peak <= 1
    assert shape.source
    assert shape.licence


def test_shapes_cannot_be_changed_by_whoever_reads_them() -> None:
    with pytest.raises(ValueError, match="read-only"):
        load_demand_shapes()["flat"].relative_load[0] = 2


def test_flat_demand_keeps_its_fleet_busy() -> None:
    assert load_demand_shapes()["flat"].mean_over_peak == 1


def test_office_hours_are_busy_from_eight_to_eighteen_on_working_days() -> None:
    assert np.flatnonzero(day("office", MONDAY) == 1).tolist() == list(range(8, 18))
    assert day("office", FRIDAY)[3] == 0.05
    assert day("office", SUNDAY).max() == 0.1


@pytest.mark.parametrize("case", published("azure_2024.csv"), ids=lambda case: case["shape"])
def test_azure_weeks_have_the_published_proportions(case: dict[str, str]) -> None:
    shape = load_demand_shapes()[case["shape"]]
    week = shape.relative_load.reshape(7, 24)
    weekday = week[:SATURDAY].mean(axis=0)
    assert 1 / shape.mean_over_peak == pytest.approx(float(case["peak_over_mean"]), abs=0.01)
    assert week.min() / week.mean() == pytest.approx(float(case["trough_over_mean"]), abs=0.005)
    assert week[SATURDAY:].mean() / weekday.mean() == pytest.approx(
        float(case["weekend_over_weekday"]), abs=0.005
    )
    profile = [float(text) for text in case["weekday_profile"].split()]
    assert weekday / weekday.mean() == pytest.approx(profile, abs=0.006)


@pytest.mark.parametrize("case", published("own_base_rent_peaks.csv"), ids=lambda c: c["shape"])
def test_idle_hours_of_a_fleet_sized_to_the_azure_peak(case: dict[str, str]) -> None:
    shape = load_demand_shapes()[case["shape"]]
    # The published means are rounded to 0.1 of 100 devices: 17 of 168 × 100 device-hours.
    assert 100 * shape.mean_over_peak == pytest.approx(float(case["mean_devices"]), abs=0.05)
    assert idle_device_hours_per_week(devices=100, busy_share=shape.relative_load) == pytest.approx(
        float(case["idle_device_hours_per_week"]), abs=17
    )


def test_requests_of_a_year() -> None:
    requests_per_s = requests_per_s_by_hour(
        peak_requests_per_s=4.0, relative_load=np.array([1.0, 0.5])
    )
    assert requests_per_s.tolist() == [4, 2]
    assert requests_per_year(requests_per_s=requests_per_s) == 3 * 365 * 86_400


def test_devices_come_in_whole_replicas_with_headroom() -> None:
    needed = devices_by_hour(
        requests_per_s=np.array([0.0, 8.0, 8.1, 16.0]),
        replica_requests_per_s=np.array([10.0, 20.0, np.nan]),
        devices_per_replica=np.array([4, 8, 1]),
        headroom_share=0.2,
    )
    # 8 of 10 requests/s are used on the first device: 1, 1, 2, 2 replicas of 4
    assert needed[0].tolist() == [4, 4, 8, 8]
    assert needed[1].tolist() == [8, 8, 8, 8]
    assert np.isnan(needed[2]).all()


def test_nothing_is_kept_where_cold_starts_are_accepted() -> None:
    needed = devices_by_hour(
        requests_per_s=np.array([0.0, 1.0]),
        replica_requests_per_s=10.0,
        devices_per_replica=4,
        headroom_share=0.0,
        least_replicas=0,
    )
    assert needed.tolist() == [0, 4]


@given(
    replicas=st.integers(1, 5000),
    capacity=capacities,
    headroom_share=st.floats(0, 0.6),
)
def test_demand_that_fills_its_replicas_needs_no_further_one(
    replicas: int, capacity: float, headroom_share: float
) -> None:
    needed = devices_by_hour(
        requests_per_s=np.array([replicas * (capacity * (1 - headroom_share))]),
        replica_requests_per_s=capacity,
        devices_per_replica=1,
        headroom_share=headroom_share,
    )
    assert needed.tolist() == [replicas]


@given(
    requests_per_s=loads,
    capacity=capacities,
    devices_per_replica=st.integers(1, 64),
    headroom_share=st.floats(0, 0.6),
)
def test_the_peak_fleet_keeps_its_headroom_at_every_hour(
    requests_per_s: Array, capacity: float, devices_per_replica: int, headroom_share: float
) -> None:
    needed = devices_by_hour(
        requests_per_s=requests_per_s,
        replica_requests_per_s=capacity,
        devices_per_replica=devices_per_replica,
        headroom_share=headroom_share,
    )
    busy_share = busy_share_by_hour(
        requests_per_s=requests_per_s,
        devices=needed.max(),
        device_requests_per_s=capacity / devices_per_replica,
    )
    assert busy_share.max() <= (1 - headroom_share) * (1 + 1e-8)
    assert busy_share.mean() <= busy_share.max() * (1 + 1e-12)
    assert (needed % devices_per_replica == 0).all()


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


@pytest.fixture
def broken_demand(tmp_path: Path) -> Callable[[str, str, str], Path]:
    """Copy the shipped files and change a line of one of them."""

    def write(file: str, old: str, new: str) -> Path:
        for name in ("demand.csv", "demand_shapes.csv"):
            shutil.copy(DATA_DIR / name, tmp_path)
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("demand.csv", "\noffice,7,0.4\n", "\n", "office: 1 of 168 hours are missing.* 7"),
        ("demand.csv", "\noffice,7,0.4\n", "\noffice,7,-1\n", "line 177, .*relative_load is '-1'"),
        ("demand.csv", "\noffice,7,0.4\n", "\noffice,6,0.4\n", "line 177, .*repeats line 176"),
        ("demand.csv", "\noffice,7,0.4\n", "\noffice,168,0.4\n", "line 177, .*hour_of_week is"),
        ("demand.csv", "\noffice,7,0.4\n", "\nofice,7,0.4\n", "line 177, ofice: .*not in"),
        (
            "demand_shapes.csv",
            "as hwplanner,2026-11-30,The same",
            ",2026-11-30,The same",
            "licence",
        ),
    ],
)
def test_broken_demand_is_refused_with_its_place(
    broken_demand: Callable[[str, str, str], Path], file: str, old: str, new: str, message: str
) -> None:
    with pytest.raises(DemandError, match=message):
        load_demand_shapes(broken_demand(file, old, new))


def test_a_shape_without_demand_is_refused(tmp_path: Path) -> None:
    shutil.copy(DATA_DIR / "demand_shapes.csv", tmp_path)
    lines = (DATA_DIR / "demand.csv").read_text(encoding="utf-8").splitlines()
    silent = [line.rpartition(",")[0] + ",0" if line.startswith("flat") else line for line in lines]
    (tmp_path / "demand.csv").write_text("\n".join(silent), encoding="utf-8")
    with pytest.raises(DemandError, match="flat: relative_load is 0 throughout"):
        load_demand_shapes(tmp_path)
