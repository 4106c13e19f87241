"""Published rows about the memory of serving, estimated with the formulas of the planner."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.catalog import Catalog
from hwplanner.evidence.memory_columns import MemoryColumns
from hwplanner.evidence.memory_inputs import NEEDS_NO_DEVICE, MemoryRow, read_memory_row
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.runs import Outcome, RunStatus
from hwplanner.evidence.training_memory_runs import TrainingMemoryRuns

FIGURE = "value"
NOT_ENOUGH = "the row does not say enough for this quantity"
TRAINERS = re.compile(
    r"(?i)fine-?tun|peft|\btrl\b|axolotl|torchtune|fsdp|unsloth$|llama-?factory|megatron|\bfms\b"
)


@dataclass(frozen=True, slots=True, eq=False)
class ServingMemoryRuns:
    """Rows about the memory of serving: engine logs, files, counts, a few peaks of training.

    Attributes
    ----------
    rows
        What each row asks for.
    places, columns, meanings
        Rows that are estimated, their inputs and what they mean.
    training_places, training
        Rows that are about training after all.
    """

    rows: tuple[MemoryRow, ...]
    places: NDArray[np.intp]
    columns: MemoryColumns | None
    meanings: NDArray[np.str_]
    units: NDArray[np.float64]
    training_places: NDArray[np.intp]
    training: TrainingMemoryRuns | None

    @classmethod
    def prepare(cls, rows: Sequence[RunRow], catalog: Catalog) -> ServingMemoryRuns:
        """Read rows: names, formats, layouts, and what engines do if not told."""
        found = tuple(read_memory_row(row, catalog) for row in rows)
        is_training = [
            one.asked.meaning in ("total", "training_peak")
            and bool(TRAINERS.search(row.text("engine")))
            for one, row in zip(found, rows, strict=True)
        ]
        places = [place for place, one in enumerate(found) if one.inputs and not is_training[place]]
        inputs = [one.inputs for place, one in enumerate(found) if one.inputs and place in places]
        trained = [_training_row(row) for row, told in zip(rows, is_training, strict=True) if told]
        return cls(
            rows=found,
            places=np.array(places, dtype=np.intp),
            columns=MemoryColumns.of(inputs) if inputs else None,
            meanings=np.array([found[place].asked.meaning for place in places]),
            units=np.array([found[place].asked.unit for place in places]),
            training_places=np.flatnonzero(is_training),
            training=TrainingMemoryRuns.prepare(trained, catalog) if trained else None,
        )

    @property
    def device_ids(self) -> tuple[str, ...]:
        """Rows of the catalogue, '' where a name is not known."""
        return tuple(row.device_id for row in self.rows)

    @property
    def model_ids(self) -> tuple[str, ...]:
        """Rows of the models, '' where a name is not known."""
        return tuple(row.model_id for row in self.rows)

    @property
    def regimes(self) -> Mapping[str, tuple[str, ...]]:
        """What is asked, since arithmetic and guesses at settings differ in kind."""
        return {FIGURE: tuple(regime(row.asked.meaning) for row in self.rows)}

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """By heading: quantity, device, engine and kind of model of each row."""
        return {
            "mode": tuple(row.asked.meaning for row in self.rows),
            "device": self.device_ids,
            "engine": tuple(row.engine for row in self.rows),
            "kind_of_model": tuple(row.kind_of_model for row in self.rows),
        }

    def outcome(self, assumptions: Assumptions) -> Outcome:
        """Estimate all rows, each in its own unit.

        Whether something fits is the share of the memory that it needs: a yes up to 1.
        """
        values = np.full(len(self.rows), np.nan)
        reasons = [row.reason for row in self.rows]
        if self.columns:
            values[self.places] = self._values(self.columns, assumptions)
        if self.training:
            trained = self.training.outcome(assumptions)
            values[self.training_places] = trained.figures[FIGURE]
            for place, reason in zip(self.training_places, trained.reasons, strict=True):
                reasons[place] = reason
        statuses: list[RunStatus] = ["ok" if ok else "unsupported" for ok in np.isfinite(values)]
        return Outcome(
            statuses=tuple(statuses),
            reasons=tuple(
                "" if status == "ok" else reason or NOT_ENOUGH
                for status, reason in zip(statuses, reasons, strict=True)
            ),
            figures={FIGURE: values},
        )

    def _values(self, columns: MemoryColumns, assumptions: Assumptions) -> NDArray[np.float64]:
        known = columns.quantities(assumptions)
        values = np.full((len(self.meanings), 1), np.nan)
        for meaning in set(self.meanings.tolist()) & known.keys():
            np.copyto(values, known[meaning], where=(self.meanings == meaning)[:, None])
        return values[:, 0] / self.units


def regime(meaning: str) -> str:
    """Class of a quantity, for intervals."""
    if meaning in ("blocks", "tokens", "pool", "concurrency", "longest"):
        return "room for cache"
    if meaning in ("weights", "file", "weights_and_context"):
        return "weights"
    if meaning in ("activations", "non_torch", "graphs", "overhead", "compute_buffer"):
        return "overhead"
    if meaning in ("fits", "total", "process"):
        return meaning
    return "exact" if meaning in NEEDS_NO_DEVICE else "device"


def _training_row(row: RunRow) -> RunRow:
    """Row of a training run: adapters, unless the engine's name says another method."""
    given = {
        "framework": row.text("engine"),
        "seq_len": row.text("max_model_len"),
        "micro_batch": row.text("max_num_seqs"),
        "precision": row.text("weight_precision"),
        "method": "full" if "full" in row.text("engine").lower() else "lora",
    }
    return replace(row, cells={**row.cells, **given})
