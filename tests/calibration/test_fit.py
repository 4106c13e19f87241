import numpy as np
import pytest

from hwplanner.calibration.fit import fit_constants, prior_log_error, robust
from tests.studies import PRIORS, line_study, prior

X = np.linspace(1, 10, 40)
SOURCES = [f"source {place % 5}" for place in range(40)]


def test_a_line_without_scatter_is_found() -> None:
    study = line_study(2 * X + 3, X, sources=SOURCES)
    fit = fit_constants(study, PRIORS, is_used=study.observations.is_fitted)
    # The priors, at 1, draw both a little.
    assert np.exp(fit.logs[:2]) == pytest.approx([2, 3], rel=0.01)


def test_what_no_measurement_bears_on_stays_at_its_prior() -> None:
    study = line_study(2 * X + 3, X, sources=SOURCES)
    fit = fit_constants(study, PRIORS, is_used=study.observations.is_fitted)
    assert fit.range(2) == pytest.approx((0.5, 1.0, 2.0))
    assert fit.counts.tolist() == [40, 40, 0]
    assert fit.sources.tolist() == [5, 5, 0]


def test_a_tenth_of_wild_rows_moves_the_line_little() -> None:
    measured = 2 * X + 3
    measured[::10] *= 20
    study = line_study(measured, X, sources=SOURCES)
    fit = fit_constants(study, PRIORS, is_used=study.observations.is_fitted)
    line = np.exp(fit.logs[0]) * X + np.exp(fit.logs[1])
    assert line == pytest.approx(2 * X + 3, rel=0.06)


def test_rows_that_take_no_part_have_no_say() -> None:
    measured = 2 * X + 3
    is_fitted = np.arange(40) < 30
    changed = np.where(is_fitted, measured, 1000.0)
    fits = []
    for values in (measured, changed):
        study = line_study(values, X, sources=SOURCES, is_fitted=is_fitted)
        fits.append(fit_constants(study, PRIORS, is_used=is_fitted).logs)
    assert np.array_equal(*fits)


def test_a_narrow_prior_holds_against_few_rows_and_yields_to_many() -> None:
    firm = PRIORS.by_name_and_key | {("slope", ""): prior("slope", 0.9, 1.0, 1.1)}
    priors = type(PRIORS)(firm)
    found = []
    for count in (1, 40):
        study = line_study(2 * X[:count], X[:count], sources=SOURCES[:count])
        fit = fit_constants(study, priors, is_used=study.observations.is_fitted)
        found.append(np.exp(fit.logs[0]))
    assert found[0] < 1.2 < found[1]


def test_sources_that_disagree_widen_the_range() -> None:
    together = line_study(2 * X, X, sources=SOURCES)
    factor = np.array([1.3 if source == "source 0" else 1.0 for source in SOURCES])
    apart = line_study(2 * X * factor, X, sources=SOURCES)
    errors = [
        fit_constants(study, PRIORS, is_used=study.observations.is_fitted).log_errors[0]
        for study in (together, apart)
    ]
    assert errors[1] > 1.5 * errors[0]


def test_the_range_of_a_prior_leaves_out_one_case_in_ten_at_each_end() -> None:
    # exp(±1.2816 x 0.5) = 0.527, 1.898
    assert prior_log_error(prior("any", 0.527, 1.0, 1.898)) == pytest.approx(0.5, rel=1e-3)


def test_small_residuals_are_kept_and_large_ones_grow_like_a_root() -> None:
    assert robust(np.array([1e-3]))[0] == pytest.approx(1e-3, rel=1e-3)
    assert robust(np.array([10_000.0]))[0] / robust(np.array([100.0]))[0] == pytest.approx(
        10, rel=0.01
    )
