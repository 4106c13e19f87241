"""How well measurements are predicted that the fit has not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.calibration.fit import fit_constants
from hwplanner.calibration.study import Names, Observations, Study
from hwplanner.evidence.nearby import Neighbours, RunFeatures
from hwplanner.units import Array

Scheme = Literal["group", "source", "device"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
PARTS = 10  # into which sweeps and devices are dealt; sources are left out one by one
ROUNDS = 6  # of a fit that starts from the fit to everything

NO_TIER = ""  # of a run whose estimate is no surer where others were measured

_LEFT_OUT: dict[Scheme, Callable[[Observations], Names]] = {
    "group": lambda seen: seen.sweep,
    "source": lambda seen: seen.source,
    "device": lambda seen: seen.device,
}


def parts(names: Names, *, most: int | None) -> list[NDArray[np.bool_]]:
    """Divide observations so that all with one name stay together.

    Parameters
    ----------
    names
        What holds together, one entry an observation.
    most
        Most parts, of about the same size; None for one part for every name.

    Returns
    -------
    list of ndarray
        Which observations belong to each part; the same in every run.

    Examples
    --------
    >>> [part.tolist() for part in parts(np.array(["a", "b", "a"]), most=2)]
    [[True, False, True], [False, True, False]]
    """
    each, place, counts = np.unique(names, return_inverse=True, return_counts=True)
    part_count = min(len(each), most or len(each))
    sizes = np.zeros(part_count)
    part_of = np.zeros(len(each), dtype=np.intp)
    for name in np.argsort(-counts, kind="stable"):
        part_of[name] = sizes.argmin()
        sizes[part_of[name]] += counts[name]
    return [part_of[place] == part for part in range(part_count)]


def scheme_parts(study: Study, scheme: Scheme) -> list[NDArray[np.bool_]]:
    """Observations that are left out together, part by part."""
    return parts(_LEFT_OUT[scheme](study.observations), most=None if scheme == "source" else PARTS)


def left_out_tiers(study: Study, features: Mapping[str, RunFeatures], *, scheme: Scheme) -> Names:
    """How near the rest of the measurements is to each observation when it is left out.

    Parameters
    ----------
    study
        What was measured.
    features
        By id of the run; one without any counts whatever the tier.
    scheme
        As in `left_out_predictions`.
    """
    ids = study.observations.ids
    tiers = np.full(len(ids), NO_TIER, dtype="<U12")
    for part in scheme_parts(study, scheme):
        rest = {str(name) for name in ids[~part]}
        nearby = Neighbours(found for name, found in features.items() if name in rest)
        asked = [place for place in np.flatnonzero(part) if str(ids[place]) in features]
        tiers[asked] = nearby.tiers([features[str(ids[place])] for place in asked])
    return tiers


@dataclass(frozen=True, slots=True)
class _Refit:
    """A fit without some of the observations, and what it says of these."""

    study: Study
    priors: Assumptions
    start: Array

    def __call__(self, is_left_out: NDArray[np.bool_]) -> Array:
        is_used = self.study.observations.is_fitted & ~is_left_out
        if not np.any(self.study.observations.is_fitted & is_left_out):
            is_used = self.study.observations.is_fitted  # nothing changes
        fit = fit_constants(
            self.study, self.priors, is_used=is_used, start=self.start, rounds=ROUNDS
        )
        return self.study.predicted(fit.applied(self.priors))[is_left_out]


def left_out_predictions(
    study: Study, priors: Assumptions, *, start: Array, scheme: Scheme, processes: int = 2
) -> Array:
    """Predict every observation by a fit that has not seen what belongs with it.

    Parameters
    ----------
    study, priors
        As in `fit_constants`.
    start
        Logarithms of the constants fitted to everything, from which each fit sets out.
    scheme
        What is left out together: all rows of one source, device and model; of one source; of
        one device.
    processes
        Fits that run side by side.

    Returns
    -------
    ndarray
        In the unit of each observation; NaN where there is no estimate.
    """
    left_out = scheme_parts(study, scheme)
    predicted = np.full(len(study.observations), np.nan)
    for part, values in zip(
        left_out, _in_parallel(_Refit(study, priors, start), left_out, processes), strict=True
    ):
        predicted[part] = values
    return predicted


def _in_parallel(
    refit: _Refit, left_out: Sequence[NDArray[np.bool_]], processes: int
) -> list[Array]:
    if processes == 1:
        return [refit(part) for part in left_out]
    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(refit, left_out))
