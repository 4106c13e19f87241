"""Published runs made up, with estimates of a fit that had not seen them."""

from hwplanner.evidence.measurements import Measurement
from hwplanner.evidence.score import Observed, Scheme, Stored

DEVICES = ("nvidia-h100-sxm", "amd-mi300x")
FIGURES = {
    "serving": ("output_tokens_per_s", "ttft_ms_mean", "tpot_ms_mean"),
    "training": ("tokens_per_s_per_device",),
    "training-memory": ("value",),
    "serving-memory": ("value",),
}
OFF = {"group": (0.9, 1.1, 1.25, 1.4), "source": (0.5, 1.5, 1.5, 1.5), "device": (1.0,) * 4}
"""Estimate over measurement of every fourth run, by scheme."""


def sample(kind: str, scheme: Scheme) -> Stored:
    """Forty runs on two devices; ranges reach from 0.8 to 1.25 times the estimate."""
    runs, observed = [], []
    for row in range(40):
        measured = 10.0 * (row + 1)
        figures = FIGURES[kind]
        runs.append(
            Measurement(
                id=f"{kind}-{row}",
                line=row + 2,
                cells={
                    "model": "meta-llama/Llama-3.1-8B",
                    "device": "H100" if row % 2 else "MI300X",
                    "mode": "offline_max" if row < 20 else "single_stream",
                    "engine": "vLLM",
                },
                measured=dict.fromkeys(figures, measured),
                source=f"page {row % 4}",
                address="https://example.org",
                date="2026-01-01",
                note="",
                is_reliable=True,
            )
        )
        estimate = measured * OFF[scheme][row % 4]
        seen = [
            Observed(row, name, measured, estimate, 0.8 * estimate, 1.25 * estimate)
            for name in figures
        ]
        observed += seen
        if kind == "serving":
            observed.append(seen[0]._replace(figure="throughput"))
    groups = {
        "device": tuple(DEVICES[1 - row % 2] for row in range(40)),
        "engine": ("vllm",) * 40,
        "mode": tuple(run.text("mode") for run in runs),
        "kind_of_model": ("dense",) * 40,
    }
    return Stored(tuple(runs), groups, tuple(observed))
