"""Fit all constants anew and write the data files that hold them: `scripts/calibrate`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from hwplanner.assumptions import load_priors
from hwplanner.calibration.cross_validation import SCHEMES, left_out_predictions, left_out_tiers
from hwplanner.calibration.files import (
    FittedConstant,
    LeftOutPrediction,
    fitted_constants,
    left_out_rows,
    write_rows,
)
from hwplanner.calibration.fit import fit_constants
from hwplanner.calibration.interval_fit import FittedInterval, fitted_intervals
from hwplanner.calibration.power import power_constants
from hwplanner.calibration.serving_memory_study import serving_memory_study
from hwplanner.calibration.serving_study import serving_study
from hwplanner.calibration.study import Study
from hwplanner.calibration.training_memory_study import training_memory_study
from hwplanner.calibration.training_study import training_study
from hwplanner.evidence.nearby import RunFeatures, published_features
from hwplanner.files.csv_files import DATA_DIR
from hwplanner.scenario import Job

STUDIES = (serving_study, training_study, training_memory_study, serving_memory_study)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit every study, predict what each fit left out, write the files."""
    parser = argparse.ArgumentParser(prog="scripts/calibrate", description=__doc__)
    parser.add_argument("--out", type=Path, default=DATA_DIR, help="folder; data/ by default")
    out: Path = parser.parse_args(arguments).out
    priors = fitted = load_priors()
    constants: list[FittedConstant] = []
    predictions: list[LeftOutPrediction] = []
    intervals: list[FittedInterval] = []
    for make in STUDIES:
        begun = time.monotonic()
        study = make()
        fit = fit_constants(study, priors, is_used=study.observations.is_fitted)
        features = _features(study)
        left_out, tiers = {}, {}
        for scheme in SCHEMES:
            left_out[scheme] = left_out_predictions(study, priors, start=fit.logs, scheme=scheme)
            tiers[scheme] = left_out_tiers(study, features, scheme=scheme)
        constants += fitted_constants(fit)
        predictions += left_out_rows(study, left_out, tiers)
        intervals += fitted_intervals(study, left_out, tiers)
        fitted = fit.applied(fitted)
        print(
            f"{study.kind}: {len(study.constants)} constants, {len(study.observations)} "
            f"measured figures, {time.monotonic() - begun:.0f} s",
            flush=True,
        )
    constants += power_constants(fitted)
    write_rows(out / "calibration.csv", constants)
    write_rows(out / "cross_validation.csv", predictions)
    write_rows(out / "intervals.csv", intervals)


def _features(study: Study) -> Mapping[str, RunFeatures]:
    """What makes runs alike, by id; memory is no nearer for one device than for another."""
    if study.kind not in ("serving", "training"):
        return {}
    return {run.id: features for run, features in published_features(cast(Job, study.kind))}


if __name__ == "__main__":
    main()
