"""Assumptions are found by name and key, and a file of them is checked."""

from pathlib import Path

import pytest

from hwplanner.assumptions import Assumptions, load_assumptions
from hwplanner.errors import AssumptionError

HEADER = "name,key,low,typical,high,unit,meaning,source,date"
FAST = "bandwidth_efficiency,fast,0.7,0.8,0.9,share,Of the peak,A report,2026-02"
SLOW = "bandwidth_efficiency,slow,0.3,0.4,0.5,share,Of the peak,A report,2026"
PUE = "pue,,1.1,1.4,1.6,ratio,Site power over IT power,A survey,2025"


def load(tmp_path: Path, *lines: str) -> Assumptions:
    path = tmp_path / "assumptions.csv"
    path.write_text("\n".join((HEADER, *lines)))
    return load_assumptions(path)


def test_a_name_alone_and_a_name_with_a_key(tmp_path: Path) -> None:
    assumptions = load(tmp_path, FAST, SLOW, PUE)
    assert assumptions.typical("pue") == 1.4
    assert assumptions.range("bandwidth_efficiency", "slow") == (0.3, 0.4, 0.5)
    assert assumptions.get("pue").source == "A survey"
    assert assumptions.keys("bandwidth_efficiency") == ("fast", "slow")


def test_a_missing_key_names_those_there_are(tmp_path: Path) -> None:
    assumptions = load(tmp_path, FAST, SLOW)
    with pytest.raises(AssumptionError, match="has no key 'vllm'; it has fast, slow"):
        assumptions.typical("bandwidth_efficiency", "vllm")


def test_a_missing_name_suggests_a_near_one(tmp_path: Path) -> None:
    with pytest.raises(AssumptionError, match="no row 'bandwith_efficiency'.*did you mean 'ban"):
        load(tmp_path, FAST).typical("bandwith_efficiency")


def test_a_range_out_of_order(tmp_path: Path) -> None:
    with pytest.raises(AssumptionError, match=r"line 2, pue: low, typical, high are 1.1, 1.7, 1.6"):
        load(tmp_path, PUE.replace("1.4", "1.7"))


def test_a_name_and_key_used_twice(tmp_path: Path) -> None:
    with pytest.raises(AssumptionError, match="line 4, pue: repeats line 2"):
        load(tmp_path, PUE, FAST, PUE.replace("1.4", "1.3"))


def test_a_blank_value(tmp_path: Path) -> None:
    with pytest.raises(AssumptionError, match="line 2, pue: typical is blank; write a number"):
        load(tmp_path, PUE.replace("1.4", ""))
