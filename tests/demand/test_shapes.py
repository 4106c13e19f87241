"""The shapes of the data folder: what they are, and how broken files are refused."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from hwplanner import scenario
from hwplanner.demand.shapes import DemandShape, load_demand_shapes
from hwplanner.errors import DemandError
from hwplanner.files.csv_files import DATA_DIR
from hwplanner.units import Array
from tests.published import published

MONDAY, FRIDAY, SATURDAY, SUNDAY = 0, 4, 5, 6


def day(shape: str, weekday: int) -> Array:
    return load_demand_shapes()[shape].relative_load.reshape(7, 24)[weekday]


def test_every_shape_that_the_scenario_offers_is_there() -> None:
    assert {*load_demand_shapes(), "own"} == set(get_args(scenario.DemandShape))


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
