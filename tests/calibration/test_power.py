"""Levels of power are found again from draws made of them, and fit the published runs."""

import numpy as np
import pytest

from hwplanner.assumptions import load_assumptions
from hwplanner.calibration.power import STATES, load_power_runs, power_constants
from hwplanner.calibration.power import _levels as levels_of
from hwplanner.calibration.power import _quantiles as quantiles
from hwplanner.physics.power import NAME


@pytest.fixture(scope="module")
def fitted() -> dict[str, tuple[float, float, float]]:
    rows = power_constants(load_assumptions())
    return {row.key or row.name: (row.low, row.typical, row.high) for row in rows}


def test_known_levels_are_found_again() -> None:
    shares = np.random.default_rng(1).dirichlet([1, 1, 1], size=60)
    groups = np.repeat(["a", "b", "c"], 20)
    found = levels_of(shares, shares @ np.array([0.3, 0.7, 0.95]), groups)
    assert found == pytest.approx([0.3, 0.7, 0.95], abs=1e-4)


def test_a_group_of_many_runs_weighs_as_much_as_one_of_few() -> None:
    shares = np.tile([0.0, 1.0, 0.0], (11, 1))
    measured = np.array([0.4] + [0.9] * 10)
    level = levels_of(shares, measured, np.array(["few"] + ["many"] * 10))[1]
    assert level == pytest.approx((0.4 * 0.9) ** 0.5, rel=1e-3)


def test_quantiles_are_weighted() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert quantiles(values, np.ones(5), (0.1, 0.9)) == (1, 5)
    low, high = quantiles(values, np.array([1.0, 1.0, 1.0, 1.0, 100.0]), (0.1, 0.5))
    assert low > 4
    assert high > 4.9


def test_the_published_runs_are_read_with_their_devices() -> None:
    runs = load_power_runs()
    assert len(runs.groups) > 400
    assert {group.split()[0] for group in runs.groups} == {"nvidia-h100-sxm", "nvidia-b200-sxm"}
    assert ((runs.measured_share > 0.2) & (runs.measured_share < 1)).all()
    shares = runs.state_shares(load_assumptions())
    assert shares.shape == (len(runs.groups), len(STATES))
    assert shares.sum(axis=1) == pytest.approx(1)


def test_fitted_levels_rise_with_the_work(fitted: dict[str, tuple[float, float, float]]) -> None:
    assert list(fitted) == [*STATES, "power_band"]
    for low, typical, high in fitted.values():
        assert 0 < low <= typical <= high
    waiting, memory, compute = (fitted[state][1] for state in STATES)
    assert waiting < memory < compute <= 1
    low, _, high = fitted["power_band"]
    assert 0.7 < low < 0.9
    assert 1.1 < high < 1.4


def test_fitted_constants_have_a_row_among_the_assumptions() -> None:
    for row in power_constants(load_assumptions()):
        assert load_assumptions().get(row.name, row.key).unit
        assert (row.kind, row.sources) == ("power", 1)
    assert load_assumptions().keys(NAME) == ("idle", "waiting", "memory", "compute")
