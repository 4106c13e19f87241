"""Published serving runs, estimated with the formulas of the planner, all rows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.catalog.catalog import Catalog
from hwplanner.catalog.device import Device, DeviceArrays, device_arrays
from hwplanner.evidence.device_names import resolve_device, unknown_device
from hwplanner.evidence.engines import Engine, resolve_engine
from hwplanner.evidence.model_names import resolve_model, unknown_model
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.run_formats import RunFormats, run_formats
from hwplanner.evidence.run_layouts import RunLayout, run_layout
from hwplanner.evidence.run_lengths import run_lengths
from hwplanner.evidence.runs import Outcome, ResolvedRuns, RunStatus
from hwplanner.model.numbers import ModelNumbers, model_numbers, stacked
from hwplanner.model.precision import FORMATS, WeightBytes, arithmetic_peaks, weight_bytes
from hwplanner.model.presets import load_models
from hwplanner.serving.job import Requests, ServingJob
from hwplanner.serving.layouts import ServingLayouts
from hwplanner.serving.links import serving_links
from hwplanner.serving.load import Load, under_load
from hwplanner.serving.memory import cache_pool_bytes, serving_memory
from hwplanner.serving.rates import by_key, serving_rates
from hwplanner.serving.steps import serving_times
from hwplanner.units import Array

Mask = NDArray[np.bool_]
MODES = ("single_stream", "fixed_concurrency", "offline_max", "server_rate")
FIGURES = (
    "output_tokens_per_s",
    "total_tokens_per_s",
    "requests_per_s",
    "ttft_ms_mean",
    "tpot_ms_mean",
)
UNKNOWN_LINK_BYTES_PER_S = 32e9  # PCIe 4.0 x16: a run that was published had some link
ALL_AT_ONCE_PER_S = 1e6  # no server takes so many: as good as unlimited
UNKNOWN_NETWORK_BYTES_PER_S = 12.5e9


@dataclass(frozen=True, slots=True)
class _Run:
    """One row, resolved."""

    device: Device
    numbers: ModelNumbers
    weights: WeightBytes
    formats: RunFormats
    engine: Engine
    layout: RunLayout
    input_tokens: float
    output_tokens: float
    mode: str
    concurrency: float
    request_rate: float
    date: str


@dataclass(frozen=True, eq=False)
class ServingRuns(ResolvedRuns):
    """Published serving runs; see `runs.Runs`."""

    columns: Columns | None

    @classmethod
    def prepare(cls, rows: Sequence[RunRow], catalog: Catalog) -> ServingRuns:
        """Resolve names and fill what rows do not say."""
        found = [_resolve(row, catalog) for row in rows]
        places = [place for place, run in enumerate(found) if isinstance(run.run, _Run)]
        runs = [found[place].run for place in places]
        return cls(
            device_ids=tuple(one.device_id for one in found),
            model_ids=tuple(one.model_id for one in found),
            reasons=tuple(one.reason for one in found),
            regimes=_regimes(found),
            groups=_groups(found),
            places=np.array(places, dtype=np.intp),
            columns=Columns.of_runs([run for run in runs if run is not None]) if runs else None,
        )

    def outcome(self, assumptions: Assumptions) -> Outcome:
        """Estimate all runs."""
        figures = {name: np.full(len(self.reasons), np.nan) for name in FIGURES}
        fits = np.ones(len(self.reasons), dtype=bool)
        if self.columns is not None:
            estimated, holds = self.columns.estimate(assumptions)
            figures |= {name: self.on_rows(values) for name, values in estimated.items()}
            fits[self.places] = holds
        statuses: list[RunStatus] = [
            "unsupported" if reason else "ok" if fit else "does_not_fit"
            for reason, fit in zip(self.reasons, fits.tolist(), strict=True)
        ]
        too_large = "the weights alone are larger than the memory of the devices"
        return Outcome(
            statuses=tuple(statuses),
            reasons=tuple(
                reason or ("" if fit else too_large)
                for reason, fit in zip(self.reasons, fits.tolist(), strict=True)
            ),
            figures=figures,
        )


@dataclass(frozen=True, slots=True)
class _Found:
    device_id: str
    model_id: str
    reason: str
    run: _Run | None
    mode: str
    engine: str
    kind: str


def _column(values: Sequence[float]) -> Array:
    return np.array(values, dtype=float)[:, None]


@dataclass(frozen=True, eq=False)
class Columns:
    """All rows as columns: what the formulas take."""

    numbers: ModelNumbers
    weights: WeightBytes
    devices: DeviceArrays
    engines: tuple[str, ...]
    memory_engines: NDArray[np.str_]
    linear_peak: Array
    half_peak: Array
    weight_bits: Array
    is_served: Mask
    cache_bytes_per_value: Array
    layouts: ServingLayouts
    copies: Array
    requests: Requests
    is_static: Mask
    decode_only: Mask
    prefill_only: Mask
    input_tokens: Array
    output_tokens: Array
    load: Load
    large_device: Mask
    wait_keys: tuple[str, ...]

    @classmethod
    def of_runs(cls, runs: Sequence[_Run]) -> Columns:
        """Stack resolved runs."""
        devices = device_arrays([run.device for run in runs])
        known = np.isfinite(devices.host_link_bytes_per_s)
        devices = replace(
            devices,
            host_link_bytes_per_s=np.where(
                known, devices.host_link_bytes_per_s, UNKNOWN_LINK_BYTES_PER_S
            ),
            scale_out_bytes_per_s=np.where(
                np.isfinite(devices.scale_out_bytes_per_s),
                devices.scale_out_bytes_per_s,
                UNKNOWN_NETWORK_BYTES_PER_S,
            ),
        )
        peaks = devices.peak_flop_per_s
        by_format = {
            name: arithmetic_peaks(arithmetic=name, peaks=peaks).flop_per_s
            for name in {run.formats.arithmetic for run in runs}
        }
        linear = np.array([by_format[run.formats.arithmetic][n] for n, run in enumerate(runs)])
        half = arithmetic_peaks(arithmetic="bf16", peaks=peaks).flop_per_s
        layouts = [run.layout for run in runs]
        memory_bytes = devices.memory_bytes
        large = memory_bytes >= 75 * 2**30
        static = np.array([run.engine.is_static for run in runs])
        llama = np.array([run.engine.memory == "llamacpp" for run in runs])
        chunk = np.where(llama, 512.0, np.where(static | large, 8192.0, 2048.0))[:, None]
        input_tokens = _column([run.input_tokens for run in runs])
        output_tokens = _column([run.output_tokens for run in runs])
        answer = np.maximum(output_tokens, 1.0)
        return cls(
            numbers=stacked([run.numbers for run in runs]),
            weights=stacked([run.weights for run in runs]),
            devices=devices,
            engines=tuple(run.engine.key for run in runs),
            memory_engines=np.array([run.engine.memory for run in runs])[:, None],
            linear_peak=linear,
            half_peak=half,
            weight_bits=_column([run.formats.weights.bits for run in runs]),
            # A run that queues everything in one program streams nothing; one that is sent to a
            # server says at which rate.
            is_served=np.array(
                [
                    not run.engine.is_static
                    and not (run.mode == "offline_max" and np.isnan(run.request_rate))
                    for run in runs
                ]
            ),
            cache_bytes_per_value=_column([run.formats.cache_bytes_per_value for run in runs]),
            layouts=ServingLayouts(
                tensor=_column([one.tensor for one in layouts]),
                pipeline=_column([one.pipeline for one in layouts]),
                attention_parallel=_column([one.attention_parallel for one in layouts]),
                attention_tensor=_column([one.attention_tensor for one in layouts]),
            ),
            copies=_column([one.copies for one in layouts]),
            requests=Requests(
                context_tokens=np.maximum(input_tokens + answer, 2.0),
                output_tokens=answer,
                reused_share=0.0,
                chunk_tokens=chunk,
            ),
            is_static=static[:, None],
            decode_only=(input_tokens == 0) | llama[:, None],
            prefill_only=output_tokens == 0,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            load=Load(
                mode=np.array([run.mode for run in runs])[:, None],
                concurrency=_column([run.concurrency for run in runs]),
                request_rate=_column([run.request_rate for run in runs]),
                copies=_column([one.copies for one in layouts]),
                wait_share=np.zeros(1),
            ),
            large_device=large[:, None],
            wait_keys=tuple(
                key if key in ("trtllm", "vllm", "sglang") else "other"
                for key in (run.engine.key for run in runs)
            ),
        )

    def estimate(self, assumptions: Assumptions) -> tuple[dict[str, Array], Mask]:
        """Figures of all runs, and whether the weights of each are held at all."""
        with np.errstate(all="ignore"):
            return self._estimate(assumptions)

    def _estimate(self, assumptions: Assumptions) -> tuple[dict[str, Array], Mask]:
        get = assumptions.typical
        links = serving_links(devices=self.devices, layouts=self.layouts, assumptions=assumptions)
        rates = serving_rates(
            devices=self.devices,
            engines=self.engines,
            linear_peak_flop_per_s=self.linear_peak,
            half_peak_flop_per_s=self.half_peak,
            weight_bits=self.weight_bits,
            is_served=self.is_served,
            assumptions=assumptions,
        )
        times = serving_times(
            ServingJob(
                model=self.numbers,
                weights=self.weights,
                requests=self.requests,
                cache_bytes_per_value=self.cache_bytes_per_value,
                layouts=self.layouts,
                rates=rates,
                links=links,
                assumptions=assumptions,
            )
        )
        keys = ("vllm", "trtllm", "sglang", "llamacpp", "vendor")
        held = self.input_tokens + self.output_tokens * np.select(
            [self.memory_engines == key for key in keys],
            [get("held_output_share", key) for key in keys],
        )
        admitted = np.select(
            [self.memory_engines == key for key in keys],
            [get("most_sequences", key) for key in keys],
        )
        a100 = np.array([c == "a100" for c in self.devices.efficiency_class])[:, None]
        admitted = np.where(
            (self.memory_engines == "vllm") & self.large_device & ~a100, 1024.0, admitted
        )
        admitted = np.where(self.memory_engines == "vendor", 4096.0, admitted)
        memory = serving_memory(
            model=self.numbers,
            weights=self.weights,
            layouts=self.layouts,
            context_tokens=np.maximum(held, 1.0),
            cache_bytes_per_value=self.cache_bytes_per_value,
            chunk_tokens=self.requests.chunk_tokens,
            most_sequences=np.minimum(admitted, 1024.0),
            assumptions=assumptions,
        )
        utilization = np.select(
            [self.memory_engines == key for key in keys],
            [
                *(get("benchmark_memory_utilization", key) for key in keys[:2]),
                *(get("memory_utilization", key) for key in keys[2:]),
            ],
        )
        pool = cache_pool_bytes(
            engine=self.memory_engines,
            usable_bytes=self.devices.usable_memory_bytes[:, None],
            memory=memory,
            utilization=utilization,
        )
        least = get("least_pool_share") * self.devices.usable_memory_bytes[:, None]
        pool = np.maximum(pool, least)
        on_rank = np.minimum(
            pool / memory.cache_bytes_per_sequence, admitted * self.layouts.pipeline
        )
        room = np.maximum(self.layouts.ranks * on_rank, 1.0)
        clear = 1.1 * self.devices.usable_memory_bytes[:, None] < memory.weights_bytes
        figures = under_load(
            times,
            replace(self.load, wait_share=by_key(assumptions, "prompt_wait_share", self.wait_keys)),
            room=room,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            decode_only=self.decode_only,
            prefill_only=self.prefill_only,
            is_static=self.is_static,
            assumptions=assumptions,
        )
        return {k: v[:, 0] for k, v in figures.items()}, ~clear[:, 0]


def _resolve(row: RunRow, catalog: Catalog) -> _Found:
    mode = row.text("mode")
    device_match = resolve_device(row.text("device"))
    model_match = resolve_model(row.text("model"))
    device_id = device_match.device_id if device_match else ""
    model_id = model_match.model_id if model_match else ""

    def without(reason: str) -> _Found:
        return _Found(device_id, model_id, reason, None, mode, "", "")

    if row.fault:
        return without(row.fault)
    if device_match is None:
        return without(unknown_device(row.text("device")))
    if model_match is None:
        return without(unknown_model(row.text("model")))
    if mode not in MODES:
        return without(f"unknown mode {mode!r}; write one of {', '.join(MODES)}")
    device = catalog.device(device_id)
    if device.memory_bandwidth_bytes_per_s is None:
        return without("no published memory bandwidth for this device")
    numbers = model_numbers(load_models().get(model_id))
    engine = resolve_engine(
        name=row.text("engine"),
        version=row.text("engine_version"),
        date=row.text("source_date"),
        device_class=device.efficiency_class,
    )
    formats = run_formats(
        weights=row.text("weight_precision"),
        activations=row.text("activation_precision"),
        cache=row.text("kv_precision"),
        named=model_match.weight_format or "",
        model_id=model_id,
        engine=engine,
    )
    weights = weight_bytes(model=numbers, weight_format=formats.weights)
    if formats.weights.name == "mxfp4" and engine.memory == "llamacpp":
        rest = weight_bytes(model=numbers, weight_format=FORMATS["q8_0"])
        weights = replace(rest, expert_each_bytes=weights.expert_each_bytes)
    if formats.width_factor != 1.0:
        weights = WeightBytes(
            **{
                name: getattr(weights, name) * formats.width_factor
                for name in WeightBytes.__dataclass_fields__
            }
        )
    parallel = (row.number("tp") or 1.0) * (row.number("pp") or 1.0)
    devices = device_match.devices(row.number("n_devices"), parallel=parallel)
    concurrency = row.number("concurrency")
    is_one = mode == "single_stream" or (mode == "fixed_concurrency" and concurrency == 1)
    output = row.number("output_tokens")
    input_tokens, output_tokens = run_lengths(
        input_tokens=row.number("input_tokens"),
        output_tokens=output,
        model=row.text("model"),
        is_single=is_one,
    )
    layout = run_layout(
        devices=devices,
        tensor=row.number("tp"),
        pipeline=row.number("pp"),
        data=row.number("dp"),
        expert=row.number("ep"),
        device_class=device.efficiency_class,
        weights_bytes=float(weights.total_bytes),
        usable_bytes=device.usable_memory_bytes,
        is_moe=bool(numbers.is_moe),
        is_one_request=is_one,
        spreads_attention=engine.key == "trtllm" and mode == "offline_max",
    )
    run = _Run(
        device=device,
        numbers=numbers,
        weights=weights,
        formats=formats,
        engine=engine,
        layout=layout,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        mode="single_stream" if is_one else mode,
        concurrency=concurrency if concurrency is not None else np.nan,
        request_rate=_rate(row),
        date=row.text("source_date"),
    )
    return _Found(
        device_id, model_id, "", run, mode, engine.key, "moe" if numbers.is_moe else "dense"
    )


def _rate(row: RunRow) -> float:
    """Arrivals of a run; infinite where all requests come at once, NaN where not said."""
    if row.text("request_rate").casefold() in ("inf", "unlimited"):
        return np.inf
    rate = row.number("request_rate") or np.nan
    return np.inf if rate >= ALL_AT_ONCE_PER_S else rate


def _regimes(found: Sequence[_Found]) -> Mapping[str, tuple[str, ...]]:
    words = tuple(f"{one.mode} {one.kind}" for one in found)
    return {name: words for name in FIGURES}


def _groups(found: Sequence[_Found]) -> Mapping[str, tuple[str, ...]]:
    return {
        "mode": tuple(one.mode for one in found),
        "device": tuple(one.device_id for one in found),
        "engine": tuple(one.engine for one in found),
        "kind_of_model": tuple(one.kind for one in found),
    }
