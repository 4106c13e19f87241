"""Ranges of the estimates of a scenario, device by device."""

import numpy as np
import pytest

from hwplanner.errors import EvidenceError
from hwplanner.evidence.intervals import Intervals, Tier
from hwplanner.evidence.ranges import Band, serving_ranges, training_ranges
from hwplanner.units import Interval
from tests.plans import plan_of

TIERS: tuple[Tier, ...] = ("measured", "extrapolated", "measured")
WIDTHS = {"measured": (0.8, 1.25), "calibrated": (0.7, 1.4), "extrapolated": (0.5, 2.0)}
FIGURES = (
    ("serving", "output_tokens_per_s"),
    ("serving", "tpot_ms_mean"),
    ("serving", "ttft_ms_mean"),
    ("serving-memory", "value"),
    ("training", "tokens_per_s_per_device"),
    ("training-memory", "value"),
)
KNOWN = Intervals(
    {(*figure, "", tier): ends for figure in FIGURES for tier, ends in WIDTHS.items()}
    | {("serving", "output_tokens_per_s", "fixed_concurrency moe", "measured"): (0.1, 9.0)}
)


def test_each_device_has_the_range_of_its_tier() -> None:
    ranges = serving_ranges(tiers=TIERS, is_moe=False, intervals=KNOWN)
    assert ranges.speed.low.tolist() == [0.8, 0.5, 0.8]
    assert ranges.token_time.high.tolist() == [1.25, 2.0, 1.25]
    assert ranges.tiers == TIERS


def test_a_regime_has_a_range_of_its_own() -> None:
    ranges = serving_ranges(tiers=TIERS, is_moe=True, intervals=KNOWN)
    assert ranges.speed.at(0) == (0.1, 9.0)
    assert ranges.speed.at(1) == (0.5, 2.0)  # never measured for this tier: that of all


def test_the_time_of_a_run_is_as_uncertain_as_its_speed() -> None:
    ranges = training_ranges(tiers=TIERS, is_moe=False, is_long=False, intervals=KNOWN)
    assert ranges.token_time.at(1) == (0.5, 2.0)
    assert ranges.token_time.at(0) == pytest.approx((0.8, 1.25))


def test_a_band_around_an_estimate() -> None:
    band = Band(np.array([0.5, 0.8]), np.array([3.0, 1.25]))
    assert band.around(10.0, 0) == Interval(5.0, 10.0, 30.0)
    assert band.inverse().at(0) == pytest.approx((1 / 3, 2.0))


def test_a_figure_that_is_missing_is_named() -> None:
    with pytest.raises(EvidenceError, match="has no serving"):
        serving_ranges(
            tiers=TIERS,
            is_moe=False,
            intervals=Intervals(
                {("serving", "output_tokens_per_s", "", t): (1, 1) for t in WIDTHS}
            ),
        )


def test_every_plan_has_ranges_that_hold_its_estimates() -> None:
    for changes in ({}, {"kind": "moe"}, {"sequence_tokens": 32768}):
        plan = plan_of(**changes)
        for job in ("serving", "training"):
            ranges = plan.ranges.of(job)
            for band in (ranges.speed, ranges.memory, ranges.token_time, ranges.first_token_time):
                assert (band.low > 0).all()
                assert (band.low < band.high).all()
                assert len(band.low) == len(plan.devices)
