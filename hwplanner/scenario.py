"""Every question that the planner asks: one description per input, and their checked values.

Widgets, links, the command line and the checks all read the same descriptions, so an input is
written once. A link leaves out what equals the default; defaults are therefore frozen for each
schema version ``SCHEMA_VERSION`` and a changed default means a new version.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from hwplanner.control import Control, Group, choice, number, slider
from hwplanner.errors import ScenarioError
from hwplanner.quote import MOST_QUOTES, Quote
from hwplanner.units import HOURS_PER_MONTH, HOURS_PER_WEEK

SCHEMA_VERSION = 2

Job = Literal["training", "serving"]
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
Market = Literal[
    "neocloud", "hyperscaler", "reserved_1y", "reserved_3y", "spot", "scale_to_zero"
]  # fmt: skip
DemandShape = Literal["flat", "office", "azure_conv", "azure_code", "own"]
Schedule = Literal["per_month", "weekly", "continuous"]
TimeZone = Literal[
    "UTC", "America/Los_Angeles", "America/Denver", "America/Chicago", "America/New_York",
    "America/Toronto", "America/Mexico_City", "America/Bogota", "America/Sao_Paulo",
    "Europe/London", "Europe/Dublin", "Europe/Lisbon", "Europe/Paris", "Europe/Amsterdam",
    "Europe/Berlin", "Europe/Zurich", "Europe/Madrid", "Europe/Rome", "Europe/Stockholm",
    "Europe/Warsaw", "Europe/Helsinki", "Europe/Athens", "Europe/Istanbul", "Africa/Cairo",
    "Africa/Lagos", "Africa/Nairobi", "Africa/Johannesburg", "Asia/Jerusalem", "Asia/Dubai",
    "Asia/Karachi", "Asia/Kolkata", "Asia/Dhaka", "Asia/Bangkok", "Asia/Jakarta",
    "Asia/Singapore", "Asia/Hong_Kong", "Asia/Shanghai", "Asia/Taipei", "Asia/Tokyo",
    "Asia/Seoul", "Australia/Perth", "Australia/Sydney", "Pacific/Auckland",
]  # fmt: skip

WEEK_HOURS = 168
MOST_LOAD = 1000
"""Demand of the busiest hour in `Scenario.own_week`."""

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
    parameters_billion: Annotated[float, slider(
        "params", "Parameters (billion)", "headline",
        "Total parameters. A plausible architecture is derived from it and shown on the Memory "
        "page. Choosing a published model sets it.", PARAMETERS_BILLION,
    )] = 70  # fmt: skip
    weight_format: Annotated[WeightFormat, choice(
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
    context_tokens: Annotated[int, slider(
        "context", "Context (tokens)", "headline",
        "Tokens that each user holds at once: prompt, history and answer.", CONTEXT_TOKENS,
    )] = 8192  # fmt: skip
    users: Annotated[int, slider(
        "users", "Users at once", "headline",
        "People who use it together in the busiest hour. Each holds a cache of the context and "
        "has at most one request in flight.", USERS,
    )] = 128  # fmt: skip
    tpot_ms: Annotated[float, slider(
        "tpot", "Latency target (ms per token)", "headline",
        "Time per output token that a user may wait, on average. 40 ms is 25 tokens a second, "
        "faster than reading. The Speed page adds percentiles.", TPOT_MS,
    )] = 40  # fmt: skip

    kind: Annotated[Literal["dense", "moe"], choice(
        "kind", "Architecture by size", "serving",
        "For a model by size: dense, or a mixture of experts of which each token uses a few.",
        Literal["dense", "moe"], {"dense": "Dense", "moe": "Mixture of experts"},
    )] = "dense"  # fmt: skip
    active_percent: Annotated[float, number(
        "active", "Active share of a mixture (%)", "serving",
        "Part of the parameters that each token uses, for a mixture of experts by size. "
        "DeepSeek-V3 has 5.5, Mixtral 28.", 2, 50, 1,
    )] = 6  # fmt: skip
    engine: Annotated[Engine, choice(
        "engine", "Serving software", "serving",
        "The engine class decides memory rules and overheads.", Engine, {
            "vllm": "vLLM-like", "trtllm": "TensorRT-LLM", "sglang": "SGLang",
            "llamacpp": "llama.cpp", "vendor": "The vendor's own",
        },
    )] = "vllm"  # fmt: skip
    cache_format: Annotated[CacheFormat, choice(
        "kv", "Cache precision", "serving",
        "How keys and values are kept. It does not follow the weights by itself.", CacheFormat,
        {"bf16": "16-bit", "fp8": "8-bit (fp8)", "int8": "8-bit (int8)"},
    )] = "bf16"  # fmt: skip
    arithmetic: Annotated[ArithmeticFormat, choice(
        "arith", "Arithmetic", "serving",
        "Format of the matrix products. Automatic follows the weights where the device can.",
        ArithmeticFormat, {
            "auto": "Automatic", "fp32": "32-bit", "bf16": "16-bit (bf16)",
            "fp16": "16-bit (fp16)", "fp8": "8-bit (fp8)", "int8": "8-bit (int8)",
            "nvfp4": "4-bit (NVFP4)", "mxfp4": "4-bit (MXFP4)",
        },
    )] = "auto"  # fmt: skip
    output_tokens: Annotated[int, number(
        "out", "Answer length (tokens)", "serving", "Tokens generated for a request, on average.",
        1, 32768, 50,
    )] = 400  # fmt: skip
    prefix_reuse_percent: Annotated[float, number(
        "reuse", "Prompt already in cache (%)", "serving",
        "Share of the prompt that an earlier turn or a common prefix has left in the cache.",
        0, 95, 5,
    )] = 60  # fmt: skip
    request_interval_seconds: Annotated[float, number(
        "every", "A user asks every (s)", "serving",
        "Seconds from one request of a user to the next in the busiest hour, or until the answer "
        "has come if that takes longer. It sets the requests per second.", 1, 86400, 5,
    )] = 20  # fmt: skip
    ttft_ms: Annotated[float, number(
        "ttft", "First token within (ms)", "serving",
        "Longest wait before the first token, on average. The Speed page adds percentiles.",
        50, 120000, 100,
    )] = 2000  # fmt: skip
    headroom_percent: Annotated[float, number(
        "headroom", "Headroom at the peak (%)", "serving",
        "Share of the capacity kept free in the busiest hour.", 0, 60, 5,
    )] = 15  # fmt: skip
    demand_percent: Annotated[float, number(
        "surge", "Latency at (% of the demand)", "serving",
        "The Speed page shows latencies when this share of the planned demand arrives at the "
        "planned devices: 150 is half as many users again. The plan itself stays.", 10, 1000, 10,
    )] = 100  # fmt: skip
    prefill_chunk_tokens: Annotated[int, slider(
        "chunk", "Tokens per batch step", "serving",
        "Largest number of prompt tokens that one step takes. Activation memory grows with it.",
        (512, 1024, 2048, 4096, 8192, 16384, 32768),
    )] = 8192  # fmt: skip
    max_copy_devices: Annotated[int, slider(
        "smax", "Most devices for a copy", "serving",
        "No layout that spreads one copy of the model over more devices is considered.",
        (1, 2, 4, 8, 16, 32, 64),
    )] = 64  # fmt: skip
    spare_copies: Annotated[int, number(
        "spare", "Spare copies", "serving",
        "Copies of the model kept beside those that the demand needs, so that one may fail. With "
        "0 the headroom alone carries a failure.", 0, 100, 1,
    )] = 0  # fmt: skip

    shape: Annotated[DemandShape, choice(
        "shape", "Demand over the week", "demand",
        "How requests spread over the hours. The busiest hour carries the users set above. Your "
        "own week is drawn or uploaded on the Utilization page.",
        DemandShape, {
            "flat": "Flat", "office": "Office hours", "azure_conv": "Azure chat trace, 2024",
            "azure_code": "Azure code trace, 2024", "own": "Your own week",
        },
    )] = "azure_conv"  # fmt: skip
    own_week: Annotated[tuple[float, ...], Control(
        "week", "Your own week", "demand",
        "Demand of the 168 hours from Monday 0:00, the busiest at 1000.", is_table=True,
    )] = ()  # fmt: skip
    time_zone: Annotated[TimeZone, choice(
        "zone", "Time zone", "demand",
        "The clock of your users and of the charts. Shapes recorded in UTC are turned to it.",
        TimeZone, {},
    )] = "UTC"  # fmt: skip
    growth_percent_per_month: Annotated[float, number(
        "growth", "Growth (% a month)", "demand",
        "Growth of users and requests from month to month, compounded. Owned fleets grow when "
        "they no longer carry the peak.", -20, 50, 1,
    )] = 0  # fmt: skip
    burst_factor: Annotated[float, number(
        "burst", "Busiest minute over its hour", "demand",
        "Requests of the busiest minute over the mean of the busiest hour. 1.2 in both public "
        "week-long traces; single hours of code completion reached 3.9.", 1, 6, 0.1,
    )] = 1.2  # fmt: skip

    method: Annotated[Method, choice(
        "method", "Training job", "training",
        "What a run does. LoRA and QLoRA train small added matrices only.", Method, {
            "pretrain": "Pretraining", "full": "Full fine-tuning", "lora": "LoRA",
            "qlora": "QLoRA (4-bit base)",
        },
    )] = "full"  # fmt: skip
    training_tokens_million: Annotated[float, slider(
        "tokens", "Tokens per run (million)", "training",
        "Tokens that one run reads, epochs included.", TRAINING_TOKENS_MILLION,
    )] = 2000  # fmt: skip
    runs_per_month: Annotated[float, number(
        "runs", "Runs per month", "training", "How often the run is repeated.", 0, 60, 1,
    )] = 1  # fmt: skip
    schedule: Annotated[Schedule, choice(
        "schedule", "Schedule", "training",
        "When runs are repeated. Continuous: the next run starts as the time for one has passed.",
        Schedule, {
            "per_month": "As many a month as set", "weekly": "Once a week",
            "continuous": "Continuously, one after the other",
        },
    )] = "per_month"  # fmt: skip
    window_hours: Annotated[float, number(
        "window", "Finish a run within (h)", "training", "Time that one run may take.",
        1, 8760, 12,
    )] = 72  # fmt: skip
    sequence_tokens: Annotated[int, slider(
        "seq", "Sequence length (tokens)", "training", "Tokens in one training sequence.",
        (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144),
    )] = 4096  # fmt: skip
    batch_sequences: Annotated[int, slider(
        "batch", "Global batch (sequences)", "training",
        "Sequences that one optimizer step averages over.",
        (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384),
    )] = 128  # fmt: skip
    optimizer: Annotated[Optimizer, choice(
        "opt", "Optimizer", "training", "Decides the bytes of state per parameter.", Optimizer, {
            "adamw": "AdamW (32-bit state)", "adam8bit": "AdamW (8-bit state)",
            "adafactor": "Adafactor", "muon": "Muon", "sgd": "SGD with momentum",
        },
    )] = "adamw"  # fmt: skip
    training_precision: Annotated[TrainingPrecision, choice(
        "tprec", "Training precision", "training",
        "Format of the large matrix products; master weights stay 32-bit.", TrainingPrecision, {
            "bf16": "16-bit (bf16) mixed", "fp16": "16-bit (fp16) mixed", "fp8": "8-bit (fp8)",
            "fp32": "32-bit",
        },
    )] = "bf16"  # fmt: skip
    recompute: Annotated[Recompute, choice(
        "recompute", "Recompute activations", "training",
        "Less memory for more arithmetic. Automatic takes the least that fits.", Recompute, {
            "auto": "Automatic", "none": "None", "selective": "Selective", "full": "Full",
        },
    )] = "auto"  # fmt: skip
    sharding: Annotated[Sharding, choice(
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
    lora_rank: Annotated[int, slider(
        "rank", "LoRA rank", "training", "Width of the added matrices.",
        (4, 8, 16, 32, 64, 128, 256),
    )] = 16  # fmt: skip
    setup_hours: Annotated[float, number(
        "setup", "Set-up of a run (h)", "training",
        "Hours from getting the devices to the first step: images, data, a test run. They are "
        "paid for.", 0, 72, 0.5,
    )] = 1  # fmt: skip
    queue_hours: Annotated[float, number(
        "queue", "Wait for rented devices (h)", "training",
        "Hours from asking for rented devices to getting them. Not paid for, but they delay the "
        "run.", 0, 720, 1,
    )] = 0  # fmt: skip
    billing_block_hours: Annotated[float, number(
        "block", "Least billed time (h)", "training",
        "Rented time of a run is billed in whole blocks of so many hours; some providers rent by "
        "the day or the week.", 0.25, 720, 1,
    )] = 1  # fmt: skip
    max_training_devices: Annotated[int, slider(
        "tmax", "Most devices for a run", "training",
        "No layout with more devices is considered.",
        (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768),
    )] = 1024  # fmt: skip

    market: Annotated[Market, choice(
        "market", "Rent from", "money",
        "Where rented hours are priced. Neoclouds ask about a third of hyperscaler list prices; "
        "what none of them offers is priced at its own maker's cloud. The Cost page compares all.",
        Market, {
            "neocloud": "Neocloud, else hyperscaler", "hyperscaler": "Hyperscaler, on demand",
            "reserved_1y": "Reserved, 1 year", "reserved_3y": "Reserved, 3 years",
            "spot": "Spot", "scale_to_zero": "Neocloud, scaled to zero",
        },
    )] = "neocloud"  # fmt: skip
    depreciation_years: Annotated[float, number(
        "years", "Depreciate over (years)", "money", "Useful life of bought hardware.", 1, 8, 1,
    )] = 4  # fmt: skip
    residual_percent: Annotated[float, number(
        "residual", "Residual value (%)", "money",
        "Share of the purchase that a sale returns at the end.", 0, 80, 5,
    )] = 20  # fmt: skip
    cost_of_capital_percent: Annotated[float, number(
        "capital", "Cost of capital (% a year)", "money", "Interest on the money bound.",
        0, 40, 1,
    )] = 10  # fmt: skip
    server_percent: Annotated[float, number(
        "server", "Servers (% of devices)", "money",
        "Servers around the devices, as a share of the devices' price.", 0, 200, 5,
    )] = 30  # fmt: skip
    network_percent: Annotated[float, number(
        "network", "Network (% of devices)", "money",
        "Switches, cables and adapters, as a share of the devices' price.", 0, 100, 5,
    )] = 15  # fmt: skip
    install_percent: Annotated[float, number(
        "install", "Installation (% of devices)", "money",
        "Freight, racks, assembly and tests, as a share of the devices' price.", 0, 100, 1,
    )] = 5  # fmt: skip
    electricity_usd_per_kwh: Annotated[float, number(
        "kwh", "Electricity ($/kWh)", "money", "Price of a kilowatt-hour.", 0, 1, 0.01,
    )] = 0.09  # fmt: skip
    pue: Annotated[float, number(
        "pue", "PUE", "money", "Facility power over computer power.", 1, 3, 0.05,
    )] = 1.5  # fmt: skip
    colocation_usd_per_kw_month: Annotated[float, number(
        "colo", "Colocation ($/kW-month)", "money",
        "Rent of rated power, energy included; 0 means one's own site, paid by energy and PUE.",
        0, 1000, 10,
    )] = 0  # fmt: skip
    colocation_has_power: Annotated[bool, Control(
        "coloall", "Colocation includes energy", "money",
        "Many contracts bill energy apart: then it is paid by draw, PUE and price besides.",
    )] = True  # fmt: skip
    maintenance_percent: Annotated[float, number(
        "maintenance", "Maintenance (% a year)", "money", "Of the purchase price.", 0, 30, 1,
    )] = 5  # fmt: skip
    staff_usd_per_device_year: Annotated[float, number(
        "staff", "Staff ($ per device-year)", "money",
        "People who run owned hardware, shared over the devices.", 0, 100000, 125,
    )] = 1875  # fmt: skip
    licence_usd_per_device_year: Annotated[float, number(
        "licence", "Licences ($ per device-year)", "money",
        "Software licences for owned devices, such as 4500 for NVIDIA AI Enterprise at list "
        "price. Rents are taken to include what they need.", 0, 100000, 500,
    )] = 0  # fmt: skip
    rent_change_percent_per_year: Annotated[float, number(
        "trend", "Rents change by (% a year)", "money",
        "Change of rents over the plan. H100 rents fell by four fifths from 2023 to 2025, then "
        "rose by two fifths in half a year. Reserved rents change when their term ends.",
        -60, 60, 5,
    )] = 0  # fmt: skip
    cold_start_minutes: Annotated[float, number(
        "cold", "Cold start (min)", "money",
        "Time to bring a rented copy of the model into service, which is paid for: from half a "
        "minute with everything at hand to ten.", 0, 120, 1,
    )] = 5  # fmt: skip
    horizon_months: Annotated[int, number(
        "horizon", "Plan over (months)", "money", "Length of the comparison.", 12, 120, 6,
    )] = 36  # fmt: skip
    plan_date: Annotated[str, Control(
        "on", "Day of the plan", "money",
        "YYYY-MM-DD. Prices more than six months older are marked. Empty: the day of the "
        "catalogue.",
    )] = ""  # fmt: skip
    api_input_usd_per_million: Annotated[float, number(
        "apiin", "API price, input ($ per million tokens)", "money",
        "What a provider asks for reading prompts, to compare with. 0: no comparison.",
        0, 1000, 0.05,
    )] = 0  # fmt: skip
    api_output_usd_per_million: Annotated[float, number(
        "apiout", "API price, output ($ per million tokens)", "money",
        "What a provider asks for writing answers. 0: no comparison.", 0, 1000, 0.1,
    )] = 0  # fmt: skip
    quotes: Annotated[tuple[Quote, ...], Control(
        "quotes", "Your own prices", "money",
        "Prices of your own in the place of published ones, edited on the Prices page.",
        is_table=True,
    )] = ()  # fmt: skip

    power_cap_watts: Annotated[float, number(
        "cap", "Power cap (W per device)", "devices",
        "Limit set on each board, such as 330 for an A100 or 500 for an H100; 0 means none. "
        "Training slows down, since clocks follow the power; decoding is hardly slowed as long as "
        "it draws less than the cap.", 0, 20000, 10,
    )] = 0  # fmt: skip

    all_devices: Annotated[bool, Control(
        "all", "Compare the whole catalogue", "devices",
        "Every device of the catalogue, not only the chosen ones.",
    )] = False  # fmt: skip
    serve_on: Annotated[str, Control(
        "serveon", "Serve on", "devices",
        "Plan serving on this device; empty means the one that makes each option cheapest.",
    )] = ""  # fmt: skip
    train_on: Annotated[str, Control(
        "trainon", "Train on", "devices",
        "Plan training on this device; empty means the one that makes each option cheapest.",
    )] = ""  # fmt: skip
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

    @field_validator("own_week")
    @classmethod
    def _is_a_week(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        if value and (len(value) != WEEK_HOURS or not max(value) > 0):
            raise ValueError(f"a week has {WEEK_HOURS} hours with demand in one of them")
        if not all(0 <= load <= MOST_LOAD for load in value):
            raise ValueError(f"the demand of an hour lies from 0 to {MOST_LOAD}")
        return value

    @field_validator("quotes")
    @classmethod
    def _are_few(cls, value: tuple[Quote, ...]) -> tuple[Quote, ...]:
        if len(value) > MOST_QUOTES:
            raise ValueError(f"{len(value)} prices of one's own; at most {MOST_QUOTES} are kept")
        return value

    @field_validator("plan_date")
    @classmethod
    def _is_a_day(cls, value: str) -> str:
        return datetime.date.fromisoformat(value).isoformat() if value else value

    @property
    def all_runs_per_month(self) -> float:
        """Training runs of a month, as the schedule has them. [runs/month]"""
        if self.schedule == "weekly":
            return HOURS_PER_MONTH / HOURS_PER_WEEK
        if self.schedule == "continuous":
            return HOURS_PER_MONTH / self.window_hours
        return self.runs_per_month


FORMER_DEFAULTS: Mapping[int, Mapping[str, Any]] = {
    1: {
        "burst_factor": 1,
        "setup_hours": 0,
        "cold_start_minutes": 0,
        "server_percent": 50,
        "network_percent": 0,
        "install_percent": 0,
    }
}
"""Defaults of earlier versions where they differ from those above: what a link of them means."""


def defaults_of(version: int) -> dict[str, Any]:
    """Inputs that a link of a version means when it names none, where they differ from today's."""
    return {
        name: value
        for since in sorted(FORMER_DEFAULTS, reverse=True)
        if since >= version
        for name, value in FORMER_DEFAULTS[since].items()
    }


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
