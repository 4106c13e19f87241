"""Ranges are found by figure, regime and tier; every shipped one is sensible."""

from pathlib import Path

import pytest

from hwplanner.errors import EvidenceError
from hwplanner.evidence.intervals import ALL_REGIMES, Intervals, load_intervals

HEADER = "kind,figure,regime,tier,low,high,n,sources"
ALL = "serving,tpot_ms_mean,,measured,0.7,1.4,100,9"
LONE = "serving,tpot_ms_mean,single_stream dense,measured,0.8,1.2,30,4"


def load(tmp_path: Path, *lines: str) -> Intervals:
    path = tmp_path / "intervals.csv"
    path.write_text("\n".join((HEADER, *lines)))
    return load_intervals(path)


def test_a_regime_has_its_own_range_and_a_new_one_that_of_all(tmp_path: Path) -> None:
    intervals = load(tmp_path, ALL, LONE)
    found = [
        intervals.range("serving", "tpot_ms_mean", regime, "measured")
        for regime in ("single_stream dense", "never seen")
    ]
    assert found == [(0.8, 1.2), (0.7, 1.4)]


def test_a_missing_figure_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="no serving luck; it has serving tpot_ms_mean"):
        load(tmp_path, ALL).range("serving", "luck", "", "measured")


def test_a_range_must_be_above_nothing(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="line 2"):
        load(tmp_path, ALL.replace("0.7", "0"))


def test_shipped_ranges_hold_the_estimate_or_lie_near_it() -> None:
    for (_, _, _, _), (low, high) in load_intervals().ranges.items():
        assert low < high
        assert low < 1.5
        assert high > 0.67


def test_thinner_evidence_never_narrows_the_range_of_a_figure() -> None:
    ranges = load_intervals().ranges
    for (kind, figure, regime, tier), (low, high) in ranges.items():
        if tier == "extrapolated" and regime == ALL_REGIMES:
            inner = ranges[kind, figure, regime, "calibrated"]
            assert high / low >= inner[1] / inner[0]
