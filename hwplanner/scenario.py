"""Every question that the planner asks: one description per input, and their checked values.

Widgets, links, the command line and the checks all read the same descriptions, so an input is
written once. A link leaves out what equals the default; defaults are therefore frozen for each
schema version ``SCHEMA_VERSION`` and a changed default means a new version.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from hwplanner.errors import ScenarioError

SCHEMA_VERSION = 1

Job = Literal["training", "serving"]
Group = Literal["headline", "serving", "training", "money", "devices"]
WeightFormat = Literal[
    "fp32", "bf16", "fp16", "fp8", "int8", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q4_0", "nvfp4",
    "mxfp4", "int4",
]  # fmt: skip
CacheFormat = Literal["bf16", "fp8", "int8"]
ArithmeticFormat = Literal["auto", "fp32", "bf16", "fp16", "fp8", "int8", "nvfp4", "mxfp4"]
Engine = Literal["vllm", "trtllm", "sglang", "llamacpp", "vendor"]
Method = Literal["pretrain", "full", "lora", "qlora"]
Optimizer = Literal["adamw", "adam8bit", "adafactor", "muon", "sgd"]
TrainingPrecision = Literal["bf16", "fp16", "fp8", "fp32"]
Recompute = Literal["auto", "none", "selective", "full"]
Sharding = Literal["auto", "zero0", "zero1", "zero2", "zero3"]
Market = Literal["neocloud", "hyperscaler", "reserved_1y", "spot"]
DemandShape = Literal["flat", "office", "azure_conv", "azure_code"]

PARAMETERS_BILLION = (
    0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.2, 1.5, 1.7, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9,
    10, 12, 13, 14, 16, 18, 20, 22, 24, 27, 30, 32, 35, 40, 45, 50, 56, 60, 65, 70, 72, 80, 90,
    100, 110, 120, 140, 160, 180, 200, 235, 270, 300, 340, 355, 405, 450, 480, 530, 600, 671, 750,
    850, 1000, 1200, 1400, 1600, 1800, 2000,
)  # fmt: skip
CONTEXT_TOKENS = (
    512, 1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536, 98304,
    131072, 196608, 262144, 393216, 524288, 786432, 1048576,
)  # fmt: skip
USERS = (
    1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256,
    320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 4096, 6144, 8192,
    12288, 16384,
)  # fmt: skip
TPOT_MS = (
    5, 6, 8, 10, 12, 15, 18, 20, 22, 25, 28, 30, 33, 36, 40, 45, 50, 55, 60, 70, 80, 90, 100, 120,
    150, 175, 200, 250, 300, 400, 500,
)  # fmt: skip
TRAINING_TOKENS_MILLION = (
    1, 2, 5, 10, 20, 50, 100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 20_000,
    50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 15_000_000,
    20_000_000,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Control:
    """How one input is asked for, checked and written in a link.

    Parameters
    ----------
    key
        Name in the link. Public and stable.
    label
        What the screen calls it, unit included.
    group
        Part of the sidebar that shows it.
    help
        One or two sentences on what it means and what to choose.
    low, high
        Smallest and largest number accepted, for inputs that are numbers.
    step
        Step of a plain number field.
    options
        Steps of a slider, or the words to choose from.
    names
        What the screen calls each option, when the option itself does not say it.
    """

    key: str
    label: str
    group: Group
    help: str
    low: float | None = None
    high: float | None = None
    step: float | None = None
    options: tuple[Any, ...] = ()
    names: Mapping[str, str] | None = None

    @property
    def is_slider(self) -> bool:
        """Whether it is a slider over fixed numbers."""
        return bool(self.options) and not isinstance(self.options[0], str)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Smallest and largest number accepted, or nothing for words. [unit of the input]"""
        if self.is_slider:
            return self.options[0], self.options[-1]
        return None if self.low is None or self.high is None else (self.low, self.high)

    def fault(self, value: object) -> str | None:
        """Say why a value is refused, or nothing when it is fine."""
        if self.bounds is not None:
            low, high = self.bounds
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return f"{self.label} is {value!r}; give a number from {low:g} to {high:g}"
            if not (math.isfinite(value) and low <= value <= high):
                return f"{self.label} is {value!r}; it must lie from {low:g} to {high:g}"
        elif self.options and value not in self.options:
            return f"{self.label} is {value!r}; choose one of {', '.join(map(str, self.options))}"
        return None


def _slider(key: str, label: str, group: Group, help: str, options: tuple[float, ...]) -> Control:
    return Control(key, label, group, help, options=options)


def _number(
    key: str, label: str, group: Group, help: str, low: float, high: float, step: float
) -> Control:
    return Control(key, label, group, help, low=low, high=high, step=step)


def _choice(
    key: str, label: str, group: Group, help: str, kind: Any, names: Mapping[str, str]
) -> Control:
    return Control(key, label, group, help, options=get_args(kind), names=names)


class Scenario(BaseModel):
    """One complete question: a model, its users, a training job, prices and devices.

    The defaults are the worked example: a team fine-tunes its 70 B model once a month and serves
    it on working days. Numbers are in the units of their labels; `serving`, `training` and `plan`
    turn them into base units once.

    Raises
    ------
    ScenarioError
        From `Scenario.checked`, when a value lies outside what its control accepts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Control(
        "name", "Scenario name", "headline", "Shown above every page and in file names.",
    )] = "Support assistant"  # fmt: skip
    model: Annotated[str, Control(
        "model", "Model", "headline",
        "A published architecture, or any size from the slider below.",
    )] = ""  # fmt: skip
    parameters_billion: Annotated[float, _slider(
        "params", "Parameters (billion)", "headline",
        "Total parameters. A plausible architecture is derived from it and shown on the Memory "
        "page. Choosing a published model sets it.", PARAMETERS_BILLION,
    )] = 70  # fmt: skip
    weight_format: Annotated[WeightFormat, _choice(
        "weights", "Weight precision", "headline",
        "How the weights are stored for serving. Anything below 16 bit changes the model's "
        "answers a little: test the quality on your own data.", WeightFormat, {
            "fp32": "32-bit", "bf16": "16-bit (bf16)", "fp16": "16-bit (fp16)",
            "fp8": "8-bit (fp8)", "int8": "8-bit (int8)", "q8_0": "8-bit GGUF (Q8_0)",
            "q6_k": "6-bit GGUF (Q6_K)", "q5_k_m": "5-bit GGUF (Q5_K_M)",
            "q4_k_m": "4-bit GGUF (Q4_K_M)", "q4_0": "4-bit GGUF (Q4_0)",
            "nvfp4": "4-bit (NVFP4)", "mxfp4": "4-bit (MXFP4)",
            "int4": "4-bit (int4 AWQ/GPTQ)",
        },
    )] = "fp8"  # fmt: skip
    context_tokens: Annotated[int, _slider(
        "context", "Context (tokens)", "headline",
        "Tokens that each user holds at once: prompt, history and answer.", CONTEXT_TOKENS,
    )] = 8192  # fmt: skip
    users: Annotated[int, _slider(
        "users", "Users at once", "headline",
        "People who use it together in the busiest hour. Each holds a cache of the context and "
        "has at most one request in flight.", USERS,
    )] = 128  # fmt: skip
    tpot_ms: Annotated[float, _slider(
        "tpot", "Latency target (ms per token)", "headline",
        "Time per output token that a user may wait, on average. 40 ms is 25 tokens a second, "
        "faster than reading. The Speed page adds percentiles.", TPOT_MS,
    )] = 40  # fmt: skip

    kind: Annotated[Literal["dense", "moe"], _choice(
        "kind", "Architecture by size", "serving",
        "For a model by size: dense, or a mixture of experts of which each token uses a few.",
        Literal["dense", "moe"], {"dense": "Dense", "moe": "Mixture of experts"},
    )] = "dense"  # fmt: skip
    active_percent: Annotated[float, _number(
        "active", "Active share of a mixture (%)", "serving",
        "Part of the parameters that each token uses, for a mixture of experts by size. "
        "DeepSeek-V3 has 5.5, Mixtral 28.", 2, 50, 1,
    )] = 6  # fmt: skip
    engine: Annotated[Engine, _choice(
        "engine", "Serving software", "serving",
        "The engine class decides memory rules and overheads.", Engine, {
            "vllm": "vLLM-like", "trtllm": "TensorRT-LLM", "sglang": "SGLang",
            "llamacpp": "llama.cpp", "vendor": "The vendor's own",
        },
    )] = "vllm"  # fmt: skip
    cache_format: Annotated[CacheFormat, _choice(
        "kv", "Cache precision", "serving",
        "How keys and values are kept. It does not follow the weights by itself.", CacheFormat,
        {"bf16": "16-bit", "fp8": "8-bit (fp8)", "int8": "8-bit (int8)"},
    )] = "bf16"  # fmt: skip
    arithmetic: Annotated[ArithmeticFormat, _choice(
        "arith", "Arithmetic", "serving",
        "Format of the matrix products. Automatic follows the weights where the device can.",
        ArithmeticFormat, {
            "auto": "Automatic", "fp32": "32-bit", "bf16": "16-bit (bf16)",
            "fp16": "16-bit (fp16)", "fp8": "8-bit (fp8)", "int8": "8-bit (int8)",
            "nvfp4": "4-bit (NVFP4)", "mxfp4": "4-bit (MXFP4)",
        },
    )] = "auto"  # fmt: skip
    output_tokens: Annotated[int, _number(
        "out", "Answer length (tokens)", "serving", "Tokens generated for a request, on average.",
        1, 32768, 50,
    )] = 400  # fmt: skip
    prefix_reuse_percent: Annotated[float, _number(
        "reuse", "Prompt already in cache (%)", "serving",
        "Share of the prompt that an earlier turn or a common prefix has left in the cache.",
        0, 95, 5,
    )] = 60  # fmt: skip
    request_interval_seconds: Annotated[float, _number(
        "every", "A user asks every (s)", "serving",
        "Seconds from one request of a user to the next in the busiest hour, or until the answer "
        "has come if that takes longer. It sets the requests per second.", 1, 86400, 5,
    )] = 20  # fmt: skip
    ttft_ms: Annotated[float, _number(
        "ttft", "First token within (ms)", "serving",
        "Longest wait before the first token, on average. The Speed page adds percentiles.",
        50, 120000, 100,
    )] = 2000  # fmt: skip
    headroom_percent: Annotated[float, _number(
        "headroom", "Headroom at the peak (%)", "serving",
        "Share of the capacity kept free in the busiest hour.", 0, 60, 5,
    )] = 15  # fmt: skip
    demand_percent: Annotated[float, _number(
        "surge", "Latency at (% of the demand)", "serving",
        "The Speed page shows latencies when this share of the planned demand arrives at the "
        "planned devices: 150 is half as many users again. The plan itself stays.", 10, 1000, 10,
    )] = 100  # fmt: skip
    prefill_chunk_tokens: Annotated[int, _slider(
        "chunk", "Tokens per batch step", "serving",
        "Largest number of prompt tokens that one step takes. Activation memory grows with it.",
        (512, 1024, 2048, 4096, 8192, 16384, 32768),
    )] = 8192  # fmt: skip
    max_copy_devices: Annotated[int, _slider(
        "smax", "Most devices for a copy", "serving",
        "No layout that spreads one copy of the model over more devices is considered.",
        (1, 2, 4, 8, 16, 32, 64),
    )] = 64  # fmt: skip
    shape: Annotated[DemandShape, _choice(
        "shape", "Demand over the week", "serving",
        "How requests spread over the hours. The busiest hour carries the users set above.",
        DemandShape, {
            "flat": "Flat", "office": "Office hours", "azure_conv": "Azure chat trace, 2024",
            "azure_code": "Azure code trace, 2024",
        },
    )] = "azure_conv"  # fmt: skip

    method: Annotated[Method, _choice(
        "method", "Training job", "training",
        "What a run does. LoRA and QLoRA train small added matrices only.", Method, {
            "pretrain": "Pretraining", "full": "Full fine-tuning", "lora": "LoRA",
            "qlora": "QLoRA (4-bit base)",
        },
    )] = "full"  # fmt: skip
    training_tokens_million: Annotated[float, _slider(
        "tokens", "Tokens per run (million)", "training",
        "Tokens that one run reads, epochs included.", TRAINING_TOKENS_MILLION,
    )] = 2000  # fmt: skip
    runs_per_month: Annotated[float, _number(
        "runs", "Runs per month", "training", "How often the run is repeated.", 0, 60, 1,
    )] = 1  # fmt: skip
    window_hours: Annotated[float, _number(
        "window", "Finish a run within (h)", "training", "Time that one run may take.",
        1, 8760, 12,
    )] = 72  # fmt: skip
    sequence_tokens: Annotated[int, _slider(
        "seq", "Sequence length (tokens)", "training", "Tokens in one training sequence.",
        (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144),
    )] = 4096  # fmt: skip
    batch_sequences: Annotated[int, _slider(
        "batch", "Global batch (sequences)", "training",
        "Sequences that one optimizer step averages over.",
        (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384),
    )] = 128  # fmt: skip
    optimizer: Annotated[Optimizer, _choice(
        "opt", "Optimizer", "training", "Decides the bytes of state per parameter.", Optimizer, {
            "adamw": "AdamW (32-bit state)", "adam8bit": "AdamW (8-bit state)",
            "adafactor": "Adafactor", "muon": "Muon", "sgd": "SGD with momentum",
        },
    )] = "adamw"  # fmt: skip
    training_precision: Annotated[TrainingPrecision, _choice(
        "tprec", "Training precision", "training",
        "Format of the large matrix products; master weights stay 32-bit.", TrainingPrecision, {
            "bf16": "16-bit (bf16) mixed", "fp16": "16-bit (fp16) mixed", "fp8": "8-bit (fp8)",
            "fp32": "32-bit",
        },
    )] = "bf16"  # fmt: skip
    recompute: Annotated[Recompute, _choice(
        "recompute", "Recompute activations", "training",
        "Less memory for more arithmetic. Automatic takes the least that fits.", Recompute, {
            "auto": "Automatic", "none": "None", "selective": "Selective", "full": "Full",
        },
    )] = "auto"  # fmt: skip
    sharding: Annotated[Sharding, _choice(
        "shard", "Shard states over replicas", "training",
        "ZeRO stage or FSDP (stage 3). Automatic: stage 3, or stage 1 with a pipeline.", Sharding,
        {
            "auto": "Automatic", "zero0": "None", "zero1": "Stage 1: optimizer",
            "zero2": "Stage 2: and gradients", "zero3": "Stage 3 / FSDP: and weights",
        },
    )] = "auto"  # fmt: skip
    offload: Annotated[bool, Control(
        "offload", "Offload optimizer to host", "training",
        "Keep optimizer state in host memory. Saves device memory, costs time on the host link.",
    )] = False  # fmt: skip
    lora_rank: Annotated[int, _slider(
        "rank", "LoRA rank", "training", "Width of the added matrices.",
        (4, 8, 16, 32, 64, 128, 256),
    )] = 16  # fmt: skip
    max_training_devices: Annotated[int, _slider(
        "tmax", "Most devices for a run", "training",
        "No layout with more devices is considered.",
        (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768),
    )] = 1024  # fmt: skip

    market: Annotated[Market, _choice(
        "market", "Rent from", "money",
        "Where rented hours are priced. Neoclouds ask about a third of hyperscaler list prices; "
        "what none of them offers is priced at its own maker's cloud.",
        Market, {
            "neocloud": "Neocloud, else hyperscaler", "hyperscaler": "Hyperscaler, on demand",
            "reserved_1y": "Reserved, 1 year", "spot": "Spot",
        },
    )] = "neocloud"  # fmt: skip
    depreciation_years: Annotated[float, _number(
        "years", "Depreciate over (years)", "money", "Useful life of bought hardware.", 1, 8, 1,
    )] = 4  # fmt: skip
    residual_percent: Annotated[float, _number(
        "residual", "Residual value (%)", "money",
        "Share of the purchase that a sale returns at the end.", 0, 80, 5,
    )] = 20  # fmt: skip
    cost_of_capital_percent: Annotated[float, _number(
        "capital", "Cost of capital (% a year)", "money", "Interest on the money bound.",
        0, 40, 1,
    )] = 10  # fmt: skip
    server_percent: Annotated[float, _number(
        "server", "Server, network, install (% of devices)", "money",
        "What is bought with the devices, as a share of their price.", 0, 200, 5,
    )] = 50  # fmt: skip
    electricity_usd_per_kwh: Annotated[float, _number(
        "kwh", "Electricity ($/kWh)", "money", "Price of a kilowatt-hour.", 0, 1, 0.01,
    )] = 0.09  # fmt: skip
    pue: Annotated[float, _number(
        "pue", "PUE", "money", "Facility power over computer power.", 1, 3, 0.05,
    )] = 1.5  # fmt: skip
    colocation_usd_per_kw_month: Annotated[float, _number(
        "colo", "Colocation ($/kW-month)", "money",
        "Rent of rated power, energy included; 0 means one's own site, paid by energy and PUE.",
        0, 1000, 10,
    )] = 0  # fmt: skip
    maintenance_percent: Annotated[float, _number(
        "maintenance", "Maintenance (% a year)", "money", "Of the purchase price.", 0, 30, 1,
    )] = 5  # fmt: skip
    staff_usd_per_device_year: Annotated[float, _number(
        "staff", "Staff ($ per device-year)", "money",
        "People who run owned hardware, shared over the devices.", 0, 100000, 125,
    )] = 1875  # fmt: skip
    horizon_months: Annotated[int, _number(
        "horizon", "Plan over (months)", "money", "Length of the comparison.", 12, 120, 6,
    )] = 36  # fmt: skip
    quote_device: Annotated[str, Control(
        "quote", "Your own quote for", "money",
        "A device that you have a price for. It replaces the published price.",
    )] = ""  # fmt: skip
    quote_rent_usd_per_hour: Annotated[float, _number(
        "qrent", "Quoted rent ($ per device-hour)", "money", "0 means no quote.", 0, 1000, 0.1,
    )] = 0  # fmt: skip
    quote_purchase_usd: Annotated[float, _number(
        "qbuy", "Quoted purchase ($ per device)", "money", "0 means no quote.", 0, 10_000_000, 500,
    )] = 0  # fmt: skip

    power_cap_watts: Annotated[float, _number(
        "cap", "Power cap (W per device)", "devices",
        "Limit set on each board, such as 330 for an A100 or 500 for an H100; 0 means none. "
        "Training slows down, since clocks follow the power; decoding is hardly slowed as long as "
        "it draws less than the cap.", 0, 20000, 10,
    )] = 0  # fmt: skip

    all_devices: Annotated[bool, Control(
        "all", "Compare the whole catalogue", "devices",
        "Every device of the catalogue, not only the chosen ones.",
    )] = False  # fmt: skip
    devices: Annotated[tuple[str, ...], Control(
        "devices", "Devices to compare", "devices",
        "Empty means the shortlist of devices that people usually consider.",
    )] = ()  # fmt: skip

    @field_validator("*")
    @classmethod
    def _within_its_control(cls, value: object, info: ValidationInfo) -> object:
        fault = controls()[str(info.field_name)].fault(value)
        if fault:
            raise ValueError(fault)
        return value


@cache
def controls() -> Mapping[str, Control]:
    """Describe every input, by field name, in the order of the screen."""
    return {
        name: next(item for item in field.metadata if isinstance(item, Control))
        for name, field in Scenario.model_fields.items()
    }


def controls_of(group: Group) -> Iterator[tuple[str, Control]]:
    """Walk through the inputs of one part of the sidebar, field name first."""
    return ((name, item) for name, item in controls().items() if item.group == group)


def checked(**values: Any) -> Scenario:
    """Build a scenario from plain values.

    Raises
    ------
    ScenarioError
        When a name is unknown or a value is outside its control, naming all such inputs.
    """
    try:
        return Scenario(**values)
    except ValueError as error:
        raise ScenarioError(str(error)) from error
