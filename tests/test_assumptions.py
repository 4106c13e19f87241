"""Assumptions are found by name and key, and a file of them is checked."""

from pathlib import Path

import pytest

from hwplanner.assumptions import Assumptions, load_assumptions, load_priors
from hwplanner.errors import AssumptionError

HEADER = "name,key,low,typical,high,unit,meaning,source,date"
FAST = "bandwidth_efficiency,fast,0.7,0.8,0.9,share,Of the peak,A report,2026-02"
SLOW = "bandwidth_efficiency,slow,0.3,0.4,0.5,share,Of the peak,A report,2026"
PUE = "pue,,1.1,1.4,1.6,ratio,Site power over IT power,A survey,2025"


def load(tmp_path: Path, *lines: str) -> Assumptions:
    path = tmp_path / "assumptions.csv"
    path.write_text("\n".join((HEADER, *lines)))
    return load_priors(path)


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


FITTED_HEADER = "name,key,low,typical,high,kind,n,sources"
PUE_FITTED = "pue,,1.2,1.3,1.4,power,12,3"


def fitted(tmp_path: Path, *lines: str) -> Assumptions:
    path = tmp_path / "calibration.csv"
    path.write_text("\n".join((FITTED_HEADER, *lines)))
    return load_assumptions(path)


def test_a_fitted_constant_takes_the_place_of_its_prior(tmp_path: Path) -> None:
    pue = fitted(tmp_path, PUE_FITTED).get("pue")
    assert (pue.low, pue.typical, pue.high) == (1.2, 1.3, 1.4)
    assert pue.source == "fitted to 12 published measurements of 3 sources"
    assert pue.meaning == load_priors().get("pue").meaning


def test_a_fitted_constant_without_a_prior(tmp_path: Path) -> None:
    with pytest.raises(AssumptionError, match="no row 'luck'"):
        fitted(tmp_path, PUE_FITTED.replace("pue", "luck"))


def test_a_fitted_range_out_of_order(tmp_path: Path) -> None:
    with pytest.raises(AssumptionError, match="calibration.csv line 2, pue: low, typical, high"):
        fitted(tmp_path, PUE_FITTED.replace("1.3", "1.5"))


def test_other_typical_values_leave_the_rest(tmp_path: Path) -> None:
    before = load(tmp_path, FAST, SLOW)
    after = before.replaced({("bandwidth_efficiency", "slow"): 0.45})
    assert after.range("bandwidth_efficiency", "slow") == (0.3, 0.45, 0.5)
    assert after.typical("bandwidth_efficiency", "fast") == 0.8
    assert before.typical("bandwidth_efficiency", "slow") == 0.4
    with pytest.raises(AssumptionError, match="no key 'none'"):
        before.replaced({("bandwidth_efficiency", "none"): 1.0})
