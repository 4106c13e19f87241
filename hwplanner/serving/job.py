"""A serving job on many devices: requests, model, layouts and what the devices reach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.model.numbers import ModelNumbers
from hwplanner.model.precision import WeightBytes
from hwplanner.serving.layouts import ServingLayouts, stage_share
from hwplanner.serving.links import ServingLinks
from hwplanner.serving.rates import ServingRates
from hwplanner.units import Array, Quantity


@dataclass(frozen=True, slots=True)
class Requests:
    """What the requests of a scenario are like, on average.

    Attributes
    ----------
    context_tokens
        Tokens that a sequence holds at its end: prompt and answer. [tokens]
    output_tokens
        Tokens of the answer. [tokens]
    reused_share
        Share of the prompt that is in the cache already. [1]
    chunk_tokens
        Prompt tokens that one step takes at most. [tokens]
    """

    context_tokens: Quantity
    output_tokens: Quantity
    reused_share: Quantity
    chunk_tokens: Quantity

    @property
    def prompt_tokens(self) -> Quantity:
        """Tokens before the answer. [tokens]"""
        return np.maximum(self.context_tokens - self.output_tokens, 1.0)

    @property
    def new_tokens(self) -> Quantity:
        """Tokens of the prompt that have to be read. [tokens]"""
        return np.maximum(self.prompt_tokens * (1 - self.reused_share), 1.0)

    @property
    def held_tokens(self) -> Quantity:
        """Tokens in the cache of a sequence while it writes its answer, on average. [tokens]"""
        return self.context_tokens - self.output_tokens / 2


@dataclass(frozen=True, slots=True)
class ServingJob:
    """Everything that the time of a step depends on."""

    model: ModelNumbers
    weights: WeightBytes
    requests: Requests
    cache_bytes_per_value: Quantity
    layouts: ServingLayouts
    rates: ServingRates
    links: ServingLinks
    assumptions: Assumptions

    @property
    def imbalance(self) -> Array:
        """Time of stages that wait for the fullest one, against layers split evenly. [1]"""
        stages = self.layouts.pipeline
        return np.asarray(stages * stage_share(layers=self.model.layers, stages=stages))

    @property
    def device_share(self) -> Array:
        """Part of a token's work for which each device needs time. [1]"""
        return self.imbalance / self.layouts.devices

    @property
    def slowdown(self) -> Array:
        """Decode products where every rank runs attention of its own, against the rest. [1]"""
        factor = self.assumptions.typical("attention_dp_compute_factor")
        return np.where(self.layouts.attention_parallel > 0, factor, 1.0)

    @property
    def body_flop(self) -> Quantity:
        """Matrix products of one token outside experts and head. [FLOP]"""
        return 2 * self.model.body_parameters

    @property
    def expert_flop(self) -> Quantity:
        """Matrix products of one token in one expert of every layer. [FLOP]

        Counted as the dense products that take as long: those of experts are slower, narrow ones
        the most.
        """
        model, get = self.model, self.assumptions.typical
        matrices = 3 * model.hidden * np.maximum(model.moe_layers, 1.0)
        width = model.expert_each_parameters / matrices
        split = np.where(self.layouts.attention_parallel > 0, 1.0, self.layouts.tensor)
        on_device = np.where(np.greater(width, 0), width / split, 1.0)  # 0 in dense models
        slower = get("moe_compute_factor") * on_device / (on_device + get("moe_half_width"))
        return 2 * model.expert_each_parameters / slower

    @property
    def token_flop(self) -> Quantity:
        """Matrix products of one token between embedding and head. [FLOP]"""
        return self.body_flop + self.model.experts_per_token * self.expert_flop

    @property
    def decode_flop_per_s(self) -> Array:
        """Matrix products of a decode step outside the head, as its engine has them. [FLOP/s]"""
        of_mixtures = np.where(self.model.is_moe, self.rates.mixture_factor, 1.0)
        return np.asarray(self.rates.decode_flop_per_s * of_mixtures)

    def read_seconds(self, traffic_bytes: Quantity) -> Array:
        """Time of moving bytes of the device's memory. [s]"""
        return np.asarray(traffic_bytes / self.rates.memory_bytes_per_s)
