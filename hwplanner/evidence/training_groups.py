"""Parts of the published training runs: for intervals, and for the lines of a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hwplanner.assumptions import load_priors
from hwplanner.evidence.training_inputs import TrainingInputs


def device_id(run: TrainingInputs | str) -> str:
    """Device of the catalogue, '' where it is not known."""
    return "" if isinstance(run, str) or not run.is_device_known else run.device.id


def speed_regime(run: TrainingInputs | str) -> str:
    """Runs whose speed is estimated about equally well: dense, moe, long."""
    if isinstance(run, str):
        return "dense"
    if run.model.is_moe:
        return "moe"
    is_long = run.sequence_tokens >= load_priors().typical("long_sequence_tokens")
    return "long" if is_long else "dense"


def memory_regime(run: TrainingInputs | str) -> str:
    """Whether a run states what decides its memory."""
    is_stated = not isinstance(run, str) and run.is_batch_stated
    return "batch stated" if is_stated else "batch inferred"


def run_groups(found: Sequence[TrainingInputs | str]) -> Mapping[str, tuple[str, ...]]:
    """Parts by which a score is split."""

    def words(run: TrainingInputs | str) -> tuple[str, str, str, str]:
        if isinstance(run, str):
            return "", "", "", ""
        kind = "moe" if run.model.is_moe else "dense"
        return run.method, device_id(run), run.stack, kind

    headings = ("mode", "device", "engine", "kind_of_model")
    parts = list(zip(*(words(run) for run in found), strict=True)) or [()] * len(headings)
    return dict(zip(headings, parts, strict=True))
