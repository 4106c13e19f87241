"""Speed of published training runs, and the constants that are fitted to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from hwplanner.assumptions import Place
from hwplanner.calibration.study import Observations, Study, sweep_weights
from hwplanner.catalog.catalog import load_catalog
from hwplanner.evidence.measurements import Measurement, load_measurements
from hwplanner.evidence.training_memory_runs import TrainingMemoryRuns
from hwplanner.evidence.training_runs import TrainingRuns

# Repeats of a configuration, and what no formula knows of a stack. [natural log]
SPEED_SPREAD, MEMORY_SPREAD = 0.12, 0.15
SPEEDS = ("tokens_per_s_per_device", "step_time_s")
PEAK = "peak_memory_gb"

FITTED_CLASSES = ("a100", "hopper", "blackwell", "gddr", "mi", "gaudi", "tpu", "aws")
CONSTANTS: tuple[Place, ...] = (
    *(
        (name, "")
        for name in (
            "training_gemm_efficiency",
            "power_half_watts_per_tflop",
            "training_half_width",
            "training_attention_efficiency",
            "old_attention_factor",
            "elementwise_traffic_bytes",
            "adapter_compute_factor",
            "dequantize_traffic_bytes",
            "expert_compute_factor",
            "expert_half_width",
        )
    ),
    ("narrow_matmul_factor", "8"),
    ("narrow_matmul_factor", "4"),
    ("elementwise_cast_share", "megatron"),
    ("elementwise_cast_share", "pytorch"),
    ("training_stack_factor", "deepspeed"),
    ("training_host_layer_seconds", "megatron"),
    ("training_host_layer_seconds", "transformers"),
    ("recompute_passes", "selective"),
    ("recompute_passes", "unknown"),
    ("training_link_efficiency", "host"),
    *(("training_class_factor", key) for key in FITTED_CLASSES),
)


def training_study() -> Study:
    """Gather the published training runs, what was measured in them, and what is fitted."""
    rows = load_measurements("training")
    runs = TrainingRuns.prepare(rows, load_catalog())
    return Study("training", runs, training_observations(rows, runs), CONSTANTS)


def training_observations(
    rows: Sequence[Measurement], runs: TrainingRuns | TrainingMemoryRuns
) -> Observations:
    """Measured figures of runs.

    Of one run's speed the first figure is fitted; the other follows from it. Peak memory that
    stands beside speeds is predicted alone: the same peaks are fitted as measurements of memory.
    """
    seen = [(place, *figure) for place, row in enumerate(rows) for figure in _figures(row)]
    places = np.array([place for place, _, _ in seen], dtype=np.intp)
    figures = np.array([figure for _, figure, _ in seen])
    source = np.array([publication(row.address) for row in rows])
    device, model = (
        np.array([known or row.text(name) for known, row in zip(ids, rows, strict=True)])
        for ids, name in ((runs.device_ids, "device"), (runs.model_ids, "model"))
    )
    sweep = np.array([" | ".join(words) for words in zip(source, device, model, strict=True)])
    spread = np.where(np.isin(figures, SPEEDS), SPEED_SPREAD, MEMORY_SPREAD)
    return Observations(
        run=places,
        ids=np.array([row.id for row in rows])[places],
        figure=figures,
        measured=np.array([rows[place].measured[figure] for place, figure, _ in seen]),
        spread=spread,
        weight=sweep_weights(np.char.add(sweep[places], figures)),
        is_fitted=np.array([is_fitted for _, _, is_fitted in seen]),
        source=source[places],
        device=device[places],
        sweep=sweep[places],
        regime=np.array([runs.regimes[figure][place] for place, figure, _ in seen]),
    )


def _figures(row: Measurement) -> Iterator[tuple[str, bool]]:
    """Measured figures of a row, and whether each is fitted."""
    if not row.is_reliable:
        return
    known = {figure for figure, value in row.measured.items() if value > 0}
    for place, figure in enumerate(figure for figure in SPEEDS if figure in known):
        yield figure, place == 0
    if PEAK in known:
        yield PEAK, False
    if "value" in known:
        yield "value", "peak" in row.text("quantity")


def publication(address: str) -> str:
    """Repository or page that measurements were read from, of whatever version.

    Rows of one publication err together, whoever submitted them.

    Examples
    --------
    >>> publication("https://github.com/mlcommons/training_results_v5.0/tree/main/NVIDIA")
    'github.com/mlcommons/training_results'
    """
    words = address.partition("//")[2].lower().split("/")
    parts = 3 if words[0] == "github.com" else 2
    return re.sub(r"[_-]v[\d.]+$", "", "/".join(words[:parts]))
