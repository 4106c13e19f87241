"""Published training runs, estimated with the formulas of the planner, all rows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.catalog import Catalog
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.runs import Outcome, ResolvedRuns
from hwplanner.evidence.training_columns import TrainingColumns
from hwplanner.evidence.training_groups import device_id, memory_regime, run_groups, speed_regime
from hwplanner.evidence.training_inputs import TrainingInputs, read_training_run
from hwplanner.evidence.training_memory_runs import peak_bytes
from hwplanner.training.links import training_links
from hwplanner.training.rates import training_rates
from hwplanner.training.time import recompute_passes, step_time
from hwplanner.units import GB, Array


@dataclass(frozen=True, eq=False)
class TrainingRuns(ResolvedRuns):
    """Published training runs; see `runs.Runs`."""

    columns: TrainingColumns | None

    @classmethod
    def prepare(cls, rows: Sequence[RunRow], catalog: Catalog) -> TrainingRuns:
        """Resolve names and fill in what rows do not say."""
        found = [read_training_run(row, catalog) for row in rows]
        runs = [run for run in found if isinstance(run, TrainingInputs)]
        return cls(
            device_ids=tuple(device_id(run) for run in found),
            model_ids=tuple("" if isinstance(run, str) else run.model_id for run in found),
            reasons=tuple(run if isinstance(run, str) else "" for run in found),
            regimes={
                "tokens_per_s_per_device": (speed := tuple(speed_regime(run) for run in found)),
                "step_time_s": speed,
                "peak_memory_gb": tuple(memory_regime(run) for run in found),
            },
            groups=run_groups(found),
            places=np.array(
                [place for place, run in enumerate(found) if not isinstance(run, str)],
                dtype=np.intp,
            ),
            columns=TrainingColumns.of(runs) if runs else None,
        )

    def outcome(self, assumptions: Assumptions) -> Outcome:
        """Estimate all runs."""
        figures = {name: np.full(len(self.reasons), np.nan) for name in self.regimes}
        if self.columns is not None:
            estimated = _estimates(self.columns, assumptions)
            figures |= {name: self.on_rows(values[:, 0]) for name, values in estimated.items()}
        return Outcome(
            statuses=tuple("unsupported" if reason else "ok" for reason in self.reasons),
            reasons=self.reasons,
            figures=figures,
        )


def _estimates(columns: TrainingColumns, assumptions: Assumptions) -> Mapping[str, Array]:
    """Speed, time of a step and peak memory of every run, in the units of their columns."""
    run, layouts = columns.run(assumptions), columns.layouts
    step = step_time(
        run,
        training_rates(columns.peaks, assumptions),
        training_links(columns.devices, assumptions),
        recompute_passes(columns.recompute, columns.recipe, assumptions),
        assumptions,
    ).total
    tokens = layouts.sequences * columns.recipe.sequence_tokens
    return {
        "tokens_per_s_per_device": tokens / step / columns.named_devices,
        "step_time_s": step,
        "peak_memory_gb": peak_bytes(columns, assumptions) / GB,
    }
