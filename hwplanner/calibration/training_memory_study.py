"""Memory of published training runs, and the constants that are fitted to it."""

from __future__ import annotations

from hwplanner.assumptions import Place
from hwplanner.calibration.study import Study
from hwplanner.calibration.training_study import training_observations
from hwplanner.catalog.catalog import load_catalog
from hwplanner.evidence.measurements import load_measurements
from hwplanner.evidence.training_memory_runs import TrainingMemoryRuns

CONSTANTS: tuple[Place, ...] = (
    *(
        (name, "")
        for name in (
            "quantized_base_overhead_bytes",
            "adapter_activation_share",
            "live_layer_share",
            "logit_chunk_tokens",
            "training_memory_slack",
            "collective_buffer_bytes",
            "gathered_layers",
            "free_batch_fill_share",
            "free_batch_fill_weight",
        )
    ),
    ("logit_bytes", "full"),
    ("logit_bytes", "adapter"),
    ("selective_activation_share", "pytorch"),
    *(
        (name, stack)
        for name in ("training_context_bytes", "activation_stack_factor")
        for stack in ("megatron", "pytorch", "transformers")
    ),
)


def training_memory_study() -> Study:
    """Gather the published memory of training runs, and what is fitted to it."""
    rows = load_measurements("training_memory")
    runs = TrainingMemoryRuns.prepare(rows, load_catalog())
    return Study("training-memory", runs, training_observations(rows, runs), CONSTANTS)
