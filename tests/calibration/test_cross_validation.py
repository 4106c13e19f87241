import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.calibration.cross_validation import (
    left_out_predictions,
    left_out_tiers,
    parts,
)
from hwplanner.calibration.fit import fit_constants
from hwplanner.evidence.nearby import RunFeatures
from tests.studies import PRIORS, line_study


@given(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=60), st.integers(1, 10))
def test_parts_cover_every_row_once_and_keep_names_together(names: list[str], most: int) -> None:
    divided = parts(np.array(names), most=most)
    assert np.sum(divided, axis=0).tolist() == [1] * len(names)
    for name in set(names):
        holders = [part for part in divided if part[np.array(names) == name].any()]
        assert len(holders) == 1


def test_each_source_is_left_out_by_itself() -> None:
    assert len(parts(np.array(list("abcabcz")), most=None)) == 4


def test_a_source_is_predicted_without_its_own_rows() -> None:
    x = np.linspace(1, 10, 40)
    sources = ["odd" if place % 2 else "even" for place in range(40)]
    # On odd rows everything takes twice as long: without them the even line is found, and back.
    measured = np.where(np.array(sources) == "odd", 2.0, 1.0) * (2 * x + 3)
    study = line_study(measured, x, sources=sources)
    start = fit_constants(study, PRIORS, is_used=study.observations.is_fitted).logs
    predicted = left_out_predictions(study, PRIORS, start=start, scheme="source", processes=1)
    swapped = np.where(np.array(sources) == "odd", 1.0, 2.0) * (2 * x + 3)
    assert predicted == pytest.approx(swapped, rel=0.03)


def test_a_device_that_two_sources_measured_stays_measured_without_one() -> None:
    x = np.ones(4)
    study = line_study(x, x, sources=["a", "b", "c", "d"])
    features = {
        f"row-{place}": RunFeatures(device, of_class, "vllm", False, 8e9, 8e9, 16)
        for place, (device, of_class) in enumerate(
            [("h100", "hopper"), ("h100", "hopper"), ("h200", "hopper"), ("mi300x", "mi")]
        )
    }
    tiers = left_out_tiers(study, features, scheme="source")
    assert tiers.tolist() == ["measured", "measured", "calibrated", "extrapolated"]
