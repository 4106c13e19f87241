"""One training run, split in every layout: the sizes that its memory and its time share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.model.numbers import ModelNumbers
from hwplanner.serving.layouts import stage_share
from hwplanner.training.layouts import TrainingLayouts
from hwplanner.training.recipe import TrainingRecipe
from hwplanner.units import BITS_PER_BYTE, Array, Quantity


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

    value: Quantity
    linear: Quantity
    gradient: Quantity
    optimizer: Quantity
    table_optimizer: Quantity


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
    """A run with one entry per layout, or several runs with one row each.

    Attributes
    ----------
    recipe, model, layouts
        How what is trained, and how it is spread.
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

    recipe: TrainingRecipe
    model: ModelNumbers
    layouts: TrainingLayouts
    width: StateWidths
    stage: Array
    held: DeviceParameters
    trained: DeviceParameters
    layers: Array
    tokens: Array

    @property
    def layer_share(self) -> Array:
        """Share of all layers' work on one device of the fullest stage. [1]"""
        return self.layers / self.model.layers / self.layouts.tensor


def training_run(
    *,
    recipe: TrainingRecipe,
    model: ModelNumbers,
    layouts: TrainingLayouts,
    assumptions: Assumptions,
) -> TrainingRun:
    """Split a run.

    Parameters
    ----------
    recipe
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
    added = share * lora_parameters(model=model, rank=recipe.lora_rank) / layouts.tensor
    trained = DeviceParameters(
        linear=np.where(recipe.is_adapter, added, held.linear),
        tables=np.where(recipe.is_adapter, 0.0, held.tables),
        experts=np.where(recipe.is_adapter, 0.0, held.experts),
    )
    return TrainingRun(
        recipe=recipe,
        model=model,
        layouts=layouts,
        width=_state_widths(recipe, assumptions),
        stage=_sharding_stage(recipe, layouts),
        held=held,
        trained=trained,
        layers=np.asarray(model.layers * share),
        tokens=layouts.micro_batch * recipe.sequence_tokens / layouts.context,
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
    products = np.where(model.gated_mlp, 3, 2)
    dense_layers = model.layers - model.moe_layers
    return rank * (attention + products * dense_layers * (model.hidden + model.ffn))


def _device_parameters(
    model: ModelNumbers, layouts: TrainingLayouts, share: Quantity
) -> DeviceParameters:
    """Split a model over tensor, pipeline and expert groups."""
    tables = np.where(
        layouts.pipeline > 1,
        np.maximum(model.embedding_parameters, model.head_read_parameters),
        model.embedding_parameters + model.head_parameters,
    )
    experts = model.experts * model.expert_each_parameters / layouts.expert
    return DeviceParameters(
        linear=share * model.body_parameters / layouts.tensor,
        tables=tables / layouts.tensor,
        experts=share * experts / layouts.tensor,
    )


def _sharding_stage(recipe: TrainingRecipe, layouts: TrainingLayouts) -> Array:
    """ZeRO stage of every layout.

    Automatic is stage 3, which saves most; a pipeline would have to gather the weights anew for
    each micro-batch and takes stage 1.
    """
    automatic = np.where(layouts.pipeline > 1, 1.0, 3.0)
    return np.where(np.isnan(recipe.stage), automatic, recipe.stage)


def _state_widths(recipe: TrainingRecipe, assumptions: Assumptions) -> StateWidths:
    """Look up the widths of a run."""
    get = assumptions.typical
    is_32_bit = recipe.precision.is_in("fp32")

    def by_kind(name: str) -> Quantity:
        return np.where(is_32_bit, get(name, "fp32"), get(name, "mixed"))

    value, master = by_kind("weight_bytes_per_parameter"), by_kind("master_bytes_per_parameter")
    states = recipe.optimizer.typical(assumptions, "optimizer_bytes_per_parameter")
    # Muon is for the matrices of layers; tables take AdamW beside it.
    is_muon = recipe.optimizer.is_in("muon")
    table_states = np.where(is_muon, get("optimizer_bytes_per_parameter", "adamw"), states)
    quantized = recipe.base_bits / BITS_PER_BYTE + get("quantized_base_overhead_bytes")
    # Kept like the weights, everything has half of the 32-bit width.
    pure = np.asarray(recipe.keeps_no_master)
    master, half = np.where(pure, 0.0, master), np.where(pure, 0.5, 1.0)
    return StateWidths(
        value=value,
        linear=np.where(recipe.is_quantized, quantized, value),
        gradient=np.where(
            pure,
            value,
            np.where(
                is_32_bit,
                get("gradient_bytes_per_parameter", "fp32"),
                recipe.stack.typical(assumptions, "gradient_bytes_per_parameter"),
            ),
        ),
        optimizer=master + half * states,
        table_optimizer=master + half * table_states,
    )
