"""Speed of published serving runs, and the constants that are fitted to it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hwplanner.assumptions import Place, load_priors
from hwplanner.calibration.study import Observations, Study, sweep_weights
from hwplanner.catalog.catalog import load_catalog
from hwplanner.evidence.measurements import Measurement, load_measurements
from hwplanner.evidence.serving_runs import ServingRuns

YARDSTICK = "fp8_tables"  # predicted, never fitted

# Scatter of a figure that no formula knows of: repeats of a configuration differ by 5 to 8 % in
# throughput, and by a quarter or twice in the latency of runs whose schedule is not published.
SPREADS = {"throughput": 0.12, "tpot_ms_mean": 0.15, "ttft_ms_mean": 0.4}
UNSCHEDULED_SPREADS = {"throughput": 0.3, "tpot_ms_mean": 0.5, "ttft_ms_mean": 0.8}
UNSCHEDULED = {
    "throughput": ("server_rate",),
    "tpot_ms_mean": ("server_rate", "offline_max"),
    "ttft_ms_mean": ("server_rate", "offline_max"),
}

FITTED = (
    "bandwidth_efficiency",
    "gemm_efficiency",
    "prefill_efficiency",
    "prefill_half_tokens",
    "attention_efficiency",
    "cache_read_efficiency",
    "activation_traffic_factor",
    "desktop_engine_hbm_factor",
    "allreduce_latency_seconds",
    "link_efficiency",
    "layer_seconds",
    "step_seconds",
    "sequence_step_seconds",
    "stream_step_seconds",
    "request_seconds",
    "moe_layer_seconds",
    "moe_compute_factor",
    "moe_half_width",
    "moe_half_tokens",
    "routing_skew",
    "held_output_share",
    "benchmark_memory_utilization",
    "prompt_wait_share",
    "weight_only_compute_factor",
    "attention_dp_compute_factor",
    "attention_dp_traffic_share",
    "engine_factor_bandwidth",
    "engine_factor_gemm",
    "engine_factor_mixture",
    "engine_factor_prefill",
    "engine_factor_layer_seconds",
    "class_factor_prefill",
)
NOT_FITTED: tuple[Place, ...] = (("held_output_share", "llamacpp"), ("held_output_share", "vendor"))


def serving_study() -> Study:
    """Gather the published serving runs, what was measured in them, and what is fitted."""
    runs = [
        run for file in ("serving", "serving_latency", YARDSTICK) for run in load_measurements(file)
    ]
    priors = load_priors()
    prepared = ServingRuns.prepare(runs, load_catalog())
    return Study(
        kind="serving",
        runs=prepared,
        observations=_observations(runs, prepared),
        constants=tuple(
            (name, key)
            for name in FITTED
            for key in priors.keys(name)
            if (name, key) not in NOT_FITTED
        ),
    )


def _observations(runs: list[Measurement], prepared: ServingRuns) -> Observations:
    yardstick = {_configuration(run) for run in load_measurements(YARDSTICK)}
    seen = [
        (place, figure, kind) for place, run in enumerate(runs) for figure, kind in _figures(run)
    ]
    places = np.array([place for place, _, _ in seen], dtype=np.intp)
    figures = np.array([figure for _, figure, _ in seen])
    kinds = np.array([kind for _, _, kind in seen])
    device, model = (
        np.array([known or text for known, text in zip(ids, texts, strict=True)])
        for ids, texts in (
            (prepared.device_ids, [run.text("device") for run in runs]),
            (prepared.model_ids, [run.text("model") for run in runs]),
        )
    )
    source = np.array([run.source for run in runs])
    sweep = np.array([" | ".join(words) for words in zip(source, device, model, strict=True)])
    spread = [
        (UNSCHEDULED_SPREADS if runs[place].text("mode") in UNSCHEDULED[kind] else SPREADS)[kind]
        for place, _, kind in seen
    ]
    return Observations(
        run=places,
        ids=np.array([run.id for run in runs])[places],
        figure=figures,
        measured=np.array([runs[place].measured[figure] for place, figure, _ in seen]),
        spread=np.array(spread),
        weight=sweep_weights(np.char.add(sweep[places], kinds)),
        is_fitted=np.array([_configuration(runs[place]) not in yardstick for place in places]),
        source=source[places],
        device=device[places],
        sweep=sweep[places],
        regime=np.array([prepared.regimes[figure][place] for place, figure, _ in seen]),
    )


def _figures(run: Measurement) -> Iterator[tuple[str, str]]:
    """Measured columns that say something of their own: one throughput is enough."""
    of_prompts = ("total_tokens_per_s",) if run.number("output_tokens") == 0 else ()
    for name in (*of_prompts, "output_tokens_per_s", "total_tokens_per_s", "requests_per_s"):
        if run.measured.get(name, 0.0) > 0:
            yield name, "throughput"
            break
    for name in ("tpot_ms_mean", "ttft_ms_mean"):
        if run.measured.get(name, 0.0) > 0:
            yield name, name


def _configuration(run: Measurement) -> tuple[str, ...]:
    """What two publications of the same measurement have in common."""
    columns = ("engine", "engine_version", "model", "device", "tp", "input_tokens", "output_tokens")
    return tuple(run.text(column) for column in columns)
