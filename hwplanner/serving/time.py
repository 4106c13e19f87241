"""Time of serving as a function of the batch: steps, waiting and throughput.

For each device (rows) and layout (columns) a decode step over a batch of B sequences takes

    step(B) = fixed + per_sequence B + experts touched(B)

so that any batch, and the largest batch within a latency target, costs a few array operations.
All coefficients are for one whole copy of the model, pipeline stages included; `serving_steps`
works them out.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

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
    prefill: TimeParts
    first_token_seconds: Array
    stages: Array
    output_tokens: float
    expert_count: float
    experts_per_token: float
    routing_skew: float

    def touched_share(self, batch: Quantity) -> Quantity:
        """Share of the experts that one step over a batch has to read. [1]"""
        if not self.expert_count:
            return 0.0
        return touched_expert_share(
            tokens=np.maximum(batch / self.stages, 1.0),
            experts=self.expert_count,
            experts_per_token=self.experts_per_token,
            routing_skew=self.routing_skew,
        )

    def step_seconds(self, batch: Quantity) -> Array:
        """Time of one decode step over a batch of sequences; there is one in every step. [s]"""
        batch = np.maximum(batch, 1.0)
        line = self.fixed.total + self.per_sequence.total * batch
        if not self.expert_count:
            return line
        return np.asarray(line + self.experts.total * self.touched_share(batch))

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

        The inverse of `requests_per_s`. For a dense model the first round is exact; experts are
        touched the more the larger the batch, so further rounds come nearer from below.
        """
        tokens_per_s = requests_per_s * self.output_tokens
        prompts = requests_per_s * self.prefill.total
        alone = 1 - prompts - tokens_per_s * self.per_sequence.total
        batch = np.ones_like(alone)
        for _ in range(rounds if self.expert_count else 1):
            shared = self.fixed.total + self.experts.total * self.touched_share(batch)
            batch = np.asarray(tokens_per_s * shared / alone)
        return batch

    def decode(self, batch: Quantity) -> TimeParts:
        """Device time in which one request of a batch writes its tokens. [s]

        Steps are shared by the batch, so one request takes 1/batch of each.
        """
        step = self.fixed + self.per_sequence * batch + self.experts * self.touched_share(batch)
        return step * (self.output_tokens / batch)

    def take(self, layout: NDArray[np.intp]) -> ServingTimes:
        """Keep one layout per device: the same times with one column."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in ("fixed", "per_sequence", "experts", "prefill"):
            values[name] = values[name].take(layout)
        rows = np.arange(len(layout))
        values["first_token_seconds"] = self.first_token_seconds[rows, layout][:, None]
        values["stages"] = self.stages[layout][:, None]
        return ServingTimes(**values)
