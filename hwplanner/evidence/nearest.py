"""Published runs that are most like what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from hwplanner.evidence.measurements import Measurement
from hwplanner.evidence.nearby import RunFeatures, published_features
from hwplanner.scenario import Job

OTHER_DEVICE, OTHER_CLASS = 1.0, 3.0
OTHER_KIND, OTHER_SOFTWARE, OTHER_WIDTH = 1.5, 0.7, 0.5
PER_ACTIVE, PER_TOTAL, PER_LENGTH, PER_COUNT = 1.0, 0.5, 0.3, 0.2
UNKNOWN = 0.3  # what a figure that is not published adds
OF_ONE_SWEEP = 2  # runs of the same source, device and model that are shown


@dataclass(frozen=True, slots=True)
class Asked:
    """A run to compare with: its features, lengths and load.

    Attributes
    ----------
    features
        Device, software and model.
    input_tokens, output_tokens
        Prompt and answer; of training, the sequence and 0. [tokens]
    requests
        In flight on all devices; of training, 0.
    devices
        Devices of one copy, or of the run. [devices]
    """

    features: RunFeatures
    input_tokens: float
    output_tokens: float
    requests: float
    devices: float


@dataclass(frozen=True, slots=True)
class NearRun:
    """A published run and how far it is; 0 is the same run."""

    run: Measurement
    features: RunFeatures
    distance: float


def nearest_runs(job: Job, asked: Asked, n: int) -> tuple[NearRun, ...]:
    """Published runs that are most like what is asked, the nearest first.

    Parameters
    ----------
    job
        The job.
    asked
        What is asked.
    n
        How many are wanted.

    Returns
    -------
    tuple of NearRun
        At most two of one source, device and model, as others of a sweep say little more.

    Notes
    -----
    The distance adds up: another device of the class 1, of another class 3; dense against mixture
    1.5; other software 0.7; another width of the weights 0.5; and for each factor e between them,
    1 for active parameters, 0.5 for all parameters, 0.3 for a length, 0.2 for the number of
    devices and of requests. What is not published adds 0.3.
    """
    found = sorted(
        (
            NearRun(run, features, _distance(job, asked, run, features))
            for run, features in published_features(job)
        ),
        key=lambda near: near.distance,
    )
    taken: dict[tuple[str, str, str], int] = {}
    nearest = []
    for near in found:
        sweep = near.run.source, near.features.device_id, near.run.text("model")
        taken[sweep] = taken.get(sweep, 0) + 1
        if taken[sweep] <= OF_ONE_SWEEP:
            nearest.append(near)
        if len(nearest) == n:
            break
    return tuple(nearest)


def _distance(job: Job, asked: Asked, run: Measurement, features: RunFeatures) -> float:
    wanted = asked.features
    far = 0.0
    if wanted.device_id != features.device_id:
        is_class = wanted.device_class == features.device_class != "other"
        far += OTHER_DEVICE if is_class else OTHER_CLASS
    far += OTHER_KIND * (wanted.is_moe != features.is_moe)
    far += OTHER_SOFTWARE * (wanted.software != features.software)
    far += OTHER_WIDTH * (wanted.weight_bits != features.weight_bits)
    far += PER_ACTIVE * abs(log(wanted.active_parameters / features.active_parameters))
    far += PER_TOTAL * abs(log(wanted.total_parameters / features.total_parameters))
    far += _apart(PER_COUNT, asked.devices, run.number("n_devices"))
    if job == "training":
        return far + _apart(PER_LENGTH, asked.input_tokens, run.number("seq_len"))
    far += _apart(PER_LENGTH, asked.input_tokens, run.number("input_tokens"))
    far += _apart(PER_LENGTH, asked.output_tokens, run.number("output_tokens"))
    return far + _apart(PER_COUNT, asked.requests, run.number("concurrency"))


def _apart(weight: float, asked: float, published: float | None) -> float:
    """Weighted distance of two numbers that both count up from one."""
    if published is None:
        return UNKNOWN
    return weight * abs(log(max(asked, 1.0) / max(published, 1.0)))
