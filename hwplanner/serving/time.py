"""Time of serving as a function of the batch: steps, waiting and throughput.

For each device (rows) and layout (columns) a decode step over a batch of B sequences takes

    step(B) = hypot(weights + experts touched(B), arithmetic B) + fixed + per_sequence B

so that any batch, and the largest batch within a latency target, costs a few array operations.
All coefficients are for one whole copy of the model, pipeline stages included; `serving_steps`
works them out.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from hwplanner.physics.roofline import queue_wait_seconds, touched_expert_share
from hwplanner.physics.time_parts import TimeParts
from hwplanner.units import Array, Quantity


@dataclass(frozen=True, slots=True)
class ServingTimes:
    """Coefficients of every device and layout; see the module's first lines.

    Attributes
    ----------
    fixed, per_sequence, experts
        Of a decode step: whatever the batch, for each sequence in it, and for all experts of
        which a batch touches a share. [s]
    cache_seconds
        Part of `per_sequence` in which the cache of one sequence is read for its next token. [s]
    prefill
        Device time of one request's prompt, which shares its steps with other work. [s]
    first_token_seconds
        Of one request that finds the devices free: host, prompt and pipeline. [s]
    stages
        Pipeline stages, over which a batch is dealt. [stages]
    output_tokens
        Tokens that a request generates. [tokens]
    expert_count, experts_per_token, routing_skew
        As in `touched_expert_share`; no experts for a dense model.
    """

    fixed: TimeParts
    per_sequence: TimeParts
    experts: TimeParts
    cache_seconds: Array
    prefill: TimeParts
    first_token_seconds: Array
    stages: Array
    output_tokens: Quantity
    expert_count: Quantity
    experts_per_token: Quantity
    routing_skew: float

    @property
    def has_experts(self) -> bool:
        """Whether any model here is a mixture of experts."""
        return bool(np.any(self.expert_count))

    def touched_share(self, batch: Quantity) -> Quantity:
        """Share of the experts that one step over a batch has to read. [1]"""
        if not self.has_experts:
            return 0.0
        return touched_expert_share(
            tokens=np.maximum(batch / self.stages, 1.0),
            experts=np.maximum(self.expert_count, 1.0),
            experts_per_token=self.experts_per_token,
            routing_skew=self.routing_skew,
        )

    def step_seconds(self, batch: Quantity) -> Array:
        """Time of one decode step over a batch of sequences; there is one in every step. [s]"""
        batch = np.maximum(batch, 1.0)
        read, products = self._read_and_products(batch)
        return np.asarray(self._other_fixed + self._other_slope * batch + np.hypot(read, products))

    @property
    def _other_fixed(self) -> Array:
        """Part of a step beside reading and arithmetic, whatever the batch. [s]"""
        return np.asarray(self.fixed.total - self.fixed.memory)

    @property
    def _other_slope(self) -> Array:
        """Part of a step beside reading and arithmetic, for each sequence. [s]"""
        return np.asarray(self.per_sequence.total - self.per_sequence.compute)

    def _read_and_products(self, batch: Quantity) -> tuple[Array, Array]:
        """Time of reading the weights that a step needs, and of its arithmetic. [s], [s]

        A device does both at once, never quite: together they take the root of the sum of their
        squares.
        """
        share = self.touched_share(batch)
        return (
            np.asarray(self.fixed.memory + self.experts.memory * share),
            np.asarray(self.per_sequence.compute * batch + self.experts.compute * share),
        )

    def tpot_seconds(self, batch: Quantity, step_seconds: Quantity) -> Array:
        """Time per output token: a step, and the share of the others' prompts that delay it. [s]

        While a request writes its tokens, each of the other batch - 1 sequences is replaced once
        and its prompt read.
        """
        others = np.maximum(batch - 1, 0.0) * self.prefill.total
        return np.asarray(step_seconds + others / self.output_tokens)

    def ttft_seconds(self, requests_per_s: Quantity, step_seconds: Quantity) -> Array:
        """Mean time to the first token: the prompt, a decode step, the wait for others. [s]

        Requests arrive at random. A benchmark that sends its requests all at once makes them wait
        longer.
        """
        wait = queue_wait_seconds(requests_per_s=requests_per_s, service_seconds=self.prefill.total)
        return np.asarray(self.first_token_seconds + step_seconds + wait)

    def requests_per_s(self, batch: Quantity, step_seconds: Quantity) -> Array:
        """Requests that one copy finishes when the batch is kept full. [requests/s]"""
        occupied = self.output_tokens * step_seconds + batch * self.prefill.total
        return np.asarray(batch / occupied)

    def batch_at(self, requests_per_s: Quantity, rounds: int = 20) -> Array:
        """Requests in flight on a copy that answers so many: the batch that finishes them. [1]

        The inverse of `requests_per_s`, by Newton's rounds along the tangent of a step's time.
        Experts are touched the more the larger the batch, which takes further rounds.
        """
        tokens_per_s = requests_per_s * self.output_tokens
        free = 1 - requests_per_s * self.prefill.total
        batch = np.ones_like(free)
        for _ in range(rounds if self.has_experts else 6):
            read, products = self._read_and_products(batch)
            together = np.hypot(read, products)
            slope = self._other_slope + self.per_sequence.compute * products / together
            step = self._other_fixed + self._other_slope * batch + together
            batch = np.asarray(
                tokens_per_s * (step - slope * batch) / (free - tokens_per_s * slope)
            )
        return batch

    def decode(self, batch: Quantity) -> TimeParts:
        """Device time in which one request of a batch writes its tokens. [s]

        Steps are shared by the batch, so one request takes 1/batch of each.
        """
        read, products = self._read_and_products(batch)
        together = np.hypot(read, products)
        # Each takes of the time together what its square is of theirs.
        step = TimeParts(
            compute=self.fixed.compute + products * (products / together),
            memory=self.per_sequence.memory * batch + read * (read / together),
            communication=self.fixed.communication + self.per_sequence.communication * batch,
            overhead=self.fixed.overhead + self.per_sequence.overhead * batch,
        )
        return step * (self.output_tokens / batch)

    def take(self, layout: NDArray[np.intp]) -> ServingTimes:
        """Keep one layout per device: the same times with one column."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in ("fixed", "per_sequence", "experts", "prefill"):
            values[name] = values[name].take(layout)
        rows = np.arange(len(layout))
        for name in ("cache_seconds", "first_token_seconds"):
            values[name] = getattr(self, name)[rows, layout][:, None]
        values["stages"] = self.stages[layout][:, None]
        return ServingTimes(**values)

    def of_device(self, place: int) -> ServingTimes:
        """Keep one device, after `take`: the same times with one row."""
        parts = {
            name: getattr(self, name).of_device(place)
            for name in ("fixed", "per_sequence", "experts", "prefill")
        }
        rows = slice(place, place + 1)
        return replace(
            self,
            cache_seconds=self.cache_seconds[rows],
            first_token_seconds=self.first_token_seconds[rows],
            stages=self.stages[rows],
            **parts,
        )
