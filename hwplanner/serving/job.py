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

    context_tokens: float
    output_tokens: float
    reused_share: float
    chunk_tokens: float

    @property
    def prompt_tokens(self) -> float:
        """Tokens before the answer. [tokens]"""
        return max(self.context_tokens - self.output_tokens, 1.0)

    @property
    def new_tokens(self) -> float:
        """Tokens of the prompt that have to be read. [tokens]"""
        return max(self.prompt_tokens * (1 - self.reused_share), 1.0)

    @property
    def held_tokens(self) -> float:
        """Tokens in the cache of a sequence while it writes its answer, on average. [tokens]"""
        return self.context_tokens - self.output_tokens / 2


@dataclass(frozen=True, slots=True)
class ServingJob:
    """Everything that the time of a step depends on."""

    model: ModelNumbers
    weights: WeightBytes
    requests: Requests
    cache_bytes_per_value: float
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
    def body_flop(self) -> float:
        """Matrix products of one token outside experts and head. [FLOP]"""
        return 2 * self.model.body_parameters

    @property
    def expert_flop(self) -> float:
        """Matrix products of one token in one expert of every layer. [FLOP]

        Counted as the dense products that take as long: those of experts are slower.
        """
        slower = self.assumptions.typical("moe_compute_factor")
        return 2 * self.model.expert_each_parameters / slower

    @property
    def token_flop(self) -> float:
        """Matrix products of one token between embedding and head. [FLOP]"""
        return self.body_flop + self.model.experts_per_token * self.expert_flop

    def read_seconds(self, traffic_bytes: Quantity) -> Array:
        """Time of moving bytes of the device's memory. [s]"""
        return np.asarray(traffic_bytes / self.rates.memory_bytes_per_s)
