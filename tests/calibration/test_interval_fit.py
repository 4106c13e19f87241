from collections.abc import Mapping

import numpy as np
import pytest

from hwplanner.calibration.interval_fit import fitted_intervals
from hwplanner.calibration.study import Names
from hwplanner.units import Array
from tests.studies import line_study

COUNT = 1001
ERRORS = np.linspace(-0.5, 0.5, COUNT)  # logarithm of measured over predicted
MEASURED = np.full(COUNT, "measured")


def intervals_of(
    group: Array, device: Array, tiers: Mapping[str, Names]
) -> dict[tuple[str, str], tuple[float, float]]:
    study = line_study(
        np.exp(ERRORS), np.ones(COUNT), sources=[f"s{place}" for place in range(COUNT)]
    )
    rows = fitted_intervals(study, {"group": group, "device": device}, tiers)
    return {(row.tier, row.regime): (row.low, row.high) for row in rows}


def test_ends_are_the_first_and_last_tenth_of_the_errors() -> None:
    ones = np.ones(COUNT)
    found = intervals_of(ones, ones, {"group": MEASURED, "device": MEASURED})
    ends = np.exp(-0.4), np.exp(0.4)
    assert found["measured", ""] == pytest.approx(ends, rel=2e-3)
    assert found["measured", "all"] == pytest.approx(ends, rel=2e-3)


def test_what_was_never_tried_takes_a_range_further_than_the_next() -> None:
    ones = np.ones(COUNT)
    found = intervals_of(ones, ones, {"group": MEASURED, "device": MEASURED})
    # The logarithms are 1.3 times as far apart: 0.4, 0.52, 0.676.
    assert found["calibrated", "all"] == pytest.approx((np.exp(-0.52), np.exp(0.52)), rel=2e-3)
    assert found["extrapolated", ""] == pytest.approx((np.exp(-0.676), np.exp(0.676)), rel=2e-3)


def test_only_errors_made_with_evidence_as_near_count() -> None:
    ones = np.ones(COUNT)
    tiers = {"group": MEASURED, "device": np.full(COUNT, "calibrated")}
    found = intervals_of(ones, np.full(COUNT, 7.0), tiers)
    assert found["measured", ""] == pytest.approx((np.exp(-0.4), np.exp(0.4)), rel=2e-3)
    # Seven times too high where the device was left out: its range reaches far down, not up.
    low, high = found["calibrated", ""]
    assert low < 0.15
    assert high == pytest.approx(found["measured", ""][1])


def test_errors_without_a_tier_count_for_each() -> None:
    ones = np.ones(COUNT)
    nowhere = np.full(COUNT, "")
    found = intervals_of(ones, ones, {"group": nowhere, "device": nowhere})
    for tier in ("measured", "calibrated", "extrapolated"):
        assert found[tier, ""] == pytest.approx((np.exp(-0.4), np.exp(0.4)), rel=1e-2)
