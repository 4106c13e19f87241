"""One training run, split in every layout: the sizes that its memory and its time share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.model.numbers import ModelNumbers
from hwplanner.scenario import Scenario
from hwplanner.serving.layouts import stage_share
from hwplanner.training.layouts import TrainingLayouts
from hwplanner.units import Array, Quantity


@dataclass(frozen=True, slots=True)
class StateWidths:
    """Width of every state. [bytes/parameter]

    Attributes
    ----------
    value
        Weights that a step multiplies with, and activations.
    linear
        Weights of the layers as they are kept: fewer bytes under QLoRA.
    gradient
        Gradients of what is trained.
    optimizer
        Master copy and optimizer state of what is trained.
    table_optimizer
        The same for embedding and head.
    """

    value: float
    linear: float
    gradient: float
    optimizer: float
    table_optimizer: float


@dataclass(frozen=True, slots=True)
class DeviceParameters:
    """Parameters that the fullest device works with, before ZeRO divides them. [parameters]

    Attributes
    ----------
    linear
        Layers without their experts.
    tables
        Embedding and head, or the larger one where a pipeline parts them.
    experts
        Experts.
    """

    linear: Array
    tables: Array
    experts: Array

    @property
    def total(self) -> Array:
        """All of them. [parameters]"""
        return self.linear + self.tables + self.experts


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A scenario's run, with one entry per layout.

    Attributes
    ----------
    scenario, model, layouts
        What is trained, and how it is spread.
    width
        Bytes of every state.
    stage
        ZeRO stage.
    held, trained
        Parameters on the fullest device, and of these what has gradients.
    layers
        Layers on the fullest stage.
    tokens
        Tokens of a micro-batch on one device.
    """

    scenario: Scenario
    model: ModelNumbers
    layouts: TrainingLayouts
    width: StateWidths
    stage: Array
    held: DeviceParameters
    trained: DeviceParameters
    layers: Array
    tokens: Array

    @property
    def is_adapter(self) -> bool:
        """Whether small added matrices are trained and the model itself is not."""
        return self.scenario.method in ("lora", "qlora")

    @property
    def layer_share(self) -> Array:
        """Share of all layers' work on one device of the fullest stage. [1]"""
        return self.layers / self.model.layers / self.layouts.tensor


def training_run(
    *,
    scenario: Scenario,
    model: ModelNumbers,
    layouts: TrainingLayouts,
    assumptions: Assumptions,
) -> TrainingRun:
    """Split a run.

    Parameters
    ----------
    scenario
        Method, optimizer, precision, sharding and lengths.
    model
        The model.
    layouts
        Layouts, one entry each.
    assumptions
        Widths.
    """
    share = stage_share(layers=model.layers, stages=layouts.pipeline)
    held = _device_parameters(model, layouts, share)
    trained = held
    if scenario.method in ("lora", "qlora"):
        added = share * lora_parameters(model=model, rank=scenario.lora_rank) / layouts.tensor
        none = np.zeros_like(added)
        trained = DeviceParameters(linear=added, tables=none, experts=none)
    return TrainingRun(
        scenario=scenario,
        model=model,
        layouts=layouts,
        width=_state_widths(scenario, assumptions),
        stage=_sharding_stage(scenario, layouts),
        held=held,
        trained=trained,
        layers=np.asarray(model.layers * share),
        tokens=layouts.micro_batch * scenario.sequence_tokens / layouts.context,
    )


def lora_parameters(*, model: ModelNumbers, rank: Quantity) -> Quantity:
    """Parameters of low-rank matrices beside every dense product.

    Parameters
    ----------
    model
        The model. Attention and dense feed-forward layers are adapted, experts are not.
    rank
        Width of the added matrices. [values]

    Returns
    -------
    float or ndarray
        Added parameters. [parameters]

    Notes
    -----
    A product from m to n values gains rank x (m + n). The factors of latent attention count as if
    they were multiplied out.

    References
    ----------
    .. [1] Hu et al. 2021, "LoRA: low-rank adaptation of large language models", section 4.1.

    Examples
    --------
    Llama-3.1-8B at rank 16 trains 41,943,040 parameters.
    """
    attention_layers = model.full_layers + model.sliding_layers
    key_values = (
        model.full_layers * model.full_kv_heads * model.full_kv_values
        + model.sliding_layers * model.kv_heads * model.sliding_kv_values
    )
    attention = (
        4 * attention_layers * model.hidden
        + 2 * (model.attention_width + model.sliding_attention_width)
        + key_values
    )
    products = 3 if model.gated_mlp else 2
    dense_layers = model.layers - model.moe_layers
    return rank * (attention + products * dense_layers * (model.hidden + model.ffn))


def _device_parameters(
    model: ModelNumbers, layouts: TrainingLayouts, share: Quantity
) -> DeviceParameters:
    """Split a model over tensor, pipeline and expert groups."""
    tables = np.where(
        layouts.pipeline > 1,
        max(model.embedding_parameters, model.head_read_parameters),
        model.embedding_parameters + model.head_parameters,
    )
    experts = model.experts * model.expert_each_parameters / layouts.expert
    return DeviceParameters(
        linear=share * model.body_parameters / layouts.tensor,
        tables=tables / layouts.tensor,
        experts=share * experts / layouts.tensor,
    )


def _sharding_stage(scenario: Scenario, layouts: TrainingLayouts) -> Array:
    """ZeRO stage of every layout.

    Automatic is stage 3, which saves most; a pipeline would have to gather the weights anew for
    each micro-batch and takes stage 1.
    """
    if scenario.sharding == "auto":
        return np.where(layouts.pipeline > 1, 1.0, 3.0)
    return np.full(layouts.pipeline.shape, float(scenario.sharding.removeprefix("zero")))


def _state_widths(scenario: Scenario, assumptions: Assumptions) -> StateWidths:
    """Look up the widths of a run."""
    get = assumptions.typical
    kind = "fp32" if scenario.training_precision == "fp32" else "mixed"
    value = get("weight_bytes_per_parameter", kind)
    is_qlora = scenario.method == "qlora"
    # Muon is for the matrices of layers; tables take AdamW beside it.
    table_optimizer = "adamw" if scenario.optimizer == "muon" else scenario.optimizer
    master = get("master_bytes_per_parameter", kind)
    return StateWidths(
        value=value,
        linear=get("weight_bytes_per_parameter", "qlora") if is_qlora else value,
        gradient=get("gradient_bytes_per_parameter", kind),
        optimizer=master + get("optimizer_bytes_per_parameter", scenario.optimizer),
        table_optimizer=master + get("optimizer_bytes_per_parameter", table_optimizer),
    )
