"""Memory of published training runs, all rows at once, in whatever quantity a row asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.catalog import Catalog
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.runs import Outcome, ResolvedRuns
from hwplanner.evidence.training_columns import TrainingColumns
from hwplanner.evidence.training_groups import device_id, memory_regime, run_groups
from hwplanner.evidence.training_inputs import TrainingInputs, read_training_run
from hwplanner.training.activations import megatron_layer_activation_bytes
from hwplanner.training.memory import RECOMPUTE_KINDS, TrainingMemory, training_memory
from hwplanner.units import GB, GIB, MB, MIB, Array

EDGE = 1.1  # how far an estimate may lie above the memory of a run that had room

Meaning = Literal["peak", "total", "average", "states", "activations", "per_parameter", "share"]
Kept = Literal["none", "selective", "full"]

# Words of a quantity to what it means; the first pattern that is found decides.
_MEANINGS: tuple[tuple[str, Meaning], ...] = (
    (r"% of", "share"),
    (r"per parameter", "per_parameter"),
    (r"optimizer state|^model states|^steady", "states"),
    (r"^activation", "activations"),
    (r"^average|^mean", "average"),
    (r"^total", "total"),
    (r"peak|^max|^fits|memory", "peak"),
)
_UNITS: Mapping[str, float] = {"gb": GB, "gib": GIB, "mb": MB, "mib": MIB, "bytes/param": 1.0}


@dataclass(frozen=True, eq=False)
class TrainingMemoryRuns(ResolvedRuns):
    """Published memory of training runs; see `runs.Runs`."""

    columns: TrainingColumns | None
    meanings: NDArray[np.str_]
    unit_bytes: Array
    shares: Array

    @classmethod
    def prepare(cls, rows: Sequence[RunRow], catalog: Catalog) -> TrainingMemoryRuns:
        """Resolve names and quantities, and fill in what rows do not say."""
        found = [_read(row, catalog) for row in rows]
        places = [place for place, run in enumerate(found) if not isinstance(run, str)]
        runs = [run for run in found if isinstance(run, TrainingInputs)]
        return cls(
            device_ids=tuple(device_id(run) for run in found),
            model_ids=tuple("" if isinstance(run, str) else run.model_id for run in found),
            reasons=tuple(run if isinstance(run, str) else "" for run in found),
            regimes={"value": tuple(memory_regime(run) for run in found)},
            groups=run_groups(found),
            places=np.array(places, dtype=np.intp),
            columns=TrainingColumns.of(runs) if runs else None,
            meanings=np.array([[_meaning(rows[place])] for place in places]),
            unit_bytes=np.array([[_unit_bytes(rows[place])] for place in places]),
            shares=np.array(
                [[_kept_share(rows[place], run)] for place, run in zip(places, runs, strict=True)]
            ),
        )

    def outcome(self, assumptions: Assumptions) -> Outcome:
        """Estimate all runs."""
        values = np.full(len(self.reasons), np.nan)
        if self.columns is not None:
            values = self.on_rows(self._values(self.columns, assumptions)[:, 0])
        return Outcome(
            statuses=tuple("unsupported" if reason else "ok" for reason in self.reasons),
            reasons=self.reasons,
            figures={"value": values},
        )

    def _values(self, columns: TrainingColumns, assumptions: Assumptions) -> Array:
        """What every row asks for, in its own unit."""
        memory = run_memory(columns, assumptions)
        states = memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes
        passing = memory.activations_bytes + memory.logits_bytes + memory.buffers_bytes
        idle = 1 - assumptions.typical("average_activation_share")
        width = columns.run(assumptions).width
        peak = _shown_peak(columns, memory, assumptions)
        asked: Mapping[Meaning, Array] = {
            "total": memory.total_bytes * columns.named_devices,
            "average": peak - idle * passing,
            "states": states,
            "activations": memory.activations_bytes,
            "per_parameter": np.asarray(width.value + width.gradient + width.optimizer),
        }
        values = peak
        for meaning, amount in asked.items():
            values = np.where(self.meanings == meaning, amount, values)
        return np.where(self.meanings == "share", self.shares, values / self.unit_bytes)


def run_memory(columns: TrainingColumns, assumptions: Assumptions) -> TrainingMemory:
    """Memory of each run with its own kind of recomputation, by part. [bytes/device]

    Where that is not known, a run is taken to repeat only as much as makes it fit. Large runs of
    Megatron repeat some layers: half way between that and everything.
    """
    memory = training_memory(columns.run(assumptions), assumptions)
    total = memory.total_bytes
    most = len(RECOMPUTE_KINDS) - 1
    kind = np.full(total.shape[1:], most)
    for place in reversed(range(most)):
        kind = np.where(total[place] <= EDGE * columns.devices.memory_bytes[:, None], place, kind)
    for place, word in enumerate(RECOMPUTE_KINDS):
        kind = np.where(columns.recompute.is_in(word), place, kind)
    rows = np.arange(len(kind))[:, None]
    chosen, least = memory.take(kind, rows, 0), memory.take(most, rows, 0)
    is_between = columns.recompute.is_in("unknown") & columns.recipe.stack.is_in("megatron")
    share = np.where(is_between, 0.5, 0.0)
    return TrainingMemory(
        *(
            (1 - share) * getattr(chosen, part.name) + share * getattr(least, part.name)
            for part in fields(chosen)
        )
    )


def peak_bytes(columns: TrainingColumns, assumptions: Assumptions) -> Array:
    """Peak memory that each run shows. [bytes/device]"""
    return _shown_peak(columns, run_memory(columns, assumptions), assumptions)


def _shown_peak(
    columns: TrainingColumns, memory: TrainingMemory, assumptions: Assumptions
) -> Array:
    """Peak that a run shows: no more than its device has, near it where the batch was free.

    A published run took place, so it had room; who may choose the batch uses it.
    """
    size = columns.memory_bytes
    within = np.fmin(memory.total_bytes, size)
    weight = assumptions.typical("free_batch_fill_weight")
    filled = assumptions.typical("free_batch_fill_share") * size
    drawn = within ** (1 - weight) * filled**weight
    return np.where(columns.is_batch_stated | np.isnan(size), within, drawn)


def _read(row: RunRow, catalog: Catalog) -> TrainingInputs | str:
    if not _meaning(row):
        return f"the quantity {row.text('quantity')!r} is none that is estimated"
    if np.isnan(_unit_bytes(row)):
        return f"the unit {row.text('unit')!r} is not known; write GB or GiB"
    return read_training_run(row, catalog, needs_device=False)


def _meaning(row: RunRow) -> str:
    words = row.text("quantity").lower() or "peak"
    return next((meaning for pattern, meaning in _MEANINGS if re.search(pattern, words)), "")


def _unit_bytes(row: RunRow) -> float:
    unit = row.text("unit").lower()
    return 1.0 if unit == "%" else _UNITS.get(unit, float("nan"))


def _kept_share(row: RunRow, run: TrainingInputs) -> float:
    """Activations as the row names them over those of tensor parallelism alone. [%]"""
    words = row.text("quantity").lower()
    kinds: tuple[Kept, ...] = ("selective", "full")
    recompute: Kept = next((kind for kind in kinds if kind in words), "none")

    def kept(*, sequence_parallel: bool, recompute: Kept) -> float:
        return float(
            megatron_layer_activation_bytes(
                sequence_tokens=run.sequence_tokens,
                micro_batch=1,
                hidden=run.model.hidden,
                heads=run.model.heads,
                tensor=run.tensor,
                sequence_parallel=sequence_parallel,
                recompute=recompute,
            )
        )

    share = kept(sequence_parallel="sequence parallel" in words, recompute=recompute)
    return 100 * share / kept(sequence_parallel=False, recompute="none")
