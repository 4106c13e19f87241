"""How a model is trained, in the words of the formulas: one run, or many with one row each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.scenario import Scenario
from hwplanner.units import Array, Flag, Quantity

ADAPTER_METHODS = ("lora", "qlora")
PRESENT_YEAR = 2026.9
QLORA_BITS, FULL_BITS = 4.0, 16.0
USUAL_STACK = {
    "pretrain": "pytorch",
    "full": "pytorch",
    "lora": "transformers",
    "qlora": "transformers",
}
"""Software that a scenario is taken to use: compiled PyTorch, or libraries for fine-tuning."""
AUTOMATIC_STAGE = float("nan")


@dataclass(frozen=True, slots=True)
class Choice:
    """A word, or one word for each row: the key under which a constant is looked up.

    Attributes
    ----------
    words
        Different words.
    place
        Which of them: a single place, or a column.

    Examples
    --------
    >>> Choice.column(["lora", "full", "lora"]).words
    ('full', 'lora')
    """

    words: tuple[str, ...]
    place: NDArray[np.intp]

    @classmethod
    def of(cls, word: str) -> Choice:
        """Choose one word for everything."""
        return cls((word,), np.array(0))

    @classmethod
    def column(cls, words: Sequence[str]) -> Choice:
        """Choose a word for each row."""
        different = tuple(sorted(set(words)))
        place_of = {word: place for place, word in enumerate(different)}
        return cls(different, np.array([[place_of[word]] for word in words], dtype=np.intp))

    def typical(self, assumptions: Assumptions, name: str) -> Quantity:
        """Constant of each row."""
        found: Array = np.array([assumptions.typical(name, word) for word in self.words])
        return found[self.place]

    def is_in(self, *words: str) -> NDArray[np.bool_]:
        """Whether each row has one of some words."""
        found = np.array([word in words for word in self.words])
        return np.asarray(found[self.place])


@dataclass(frozen=True, slots=True)
class TrainingRecipe:
    """How a model is trained.

    Attributes
    ----------
    method, optimizer, precision
        Words of the scenario.
    stack
        Family of the software: megatron, pytorch, jax or transformers.
    software_year
        When it was released. [year]
    sequence_tokens
        Length of a sequence. [tokens]
    lora_rank
        Width of added matrices. [values]
    base_bits
        Width of a frozen model's matrices: 4 under QLoRA; else 16. [bits]
    sequence_parallel
        Whether a tensor group also shares what lies between the matrix products.
    fused_attention
        Whether attention keeps no scores.
    keeps_no_master
        Whether weights, gradients and moments are all 16 bit, without a 32-bit copy.
    stage
        ZeRO stage, NaN where it is chosen with the layout.
    offload
        Whether the optimizer works on the host.
    """

    method: Choice
    optimizer: Choice
    precision: Choice
    stack: Choice
    software_year: Quantity
    sequence_tokens: Quantity
    lora_rank: Quantity
    base_bits: Quantity
    sequence_parallel: Flag
    fused_attention: Flag
    keeps_no_master: Flag
    stage: Quantity
    offload: Flag

    @property
    def is_adapter(self) -> NDArray[np.bool_]:
        """Whether small added matrices are trained and the model itself is not."""
        return self.method.is_in(*ADAPTER_METHODS)

    @property
    def is_quantized(self) -> NDArray[np.bool_]:
        """Whether the frozen model is kept in fewer bits than it is multiplied in."""
        return np.asarray(np.less(self.base_bits, FULL_BITS))


def scenario_recipe(scenario: Scenario) -> TrainingRecipe:
    """Recipe that a scenario asks for."""
    is_open = scenario.sharding == "auto"
    return TrainingRecipe(
        method=Choice.of(scenario.method),
        optimizer=Choice.of(scenario.optimizer),
        precision=Choice.of(scenario.training_precision),
        stack=Choice.of(USUAL_STACK[scenario.method]),
        software_year=PRESENT_YEAR,
        sequence_tokens=float(scenario.sequence_tokens),
        lora_rank=float(scenario.lora_rank),
        base_bits=QLORA_BITS if scenario.method == "qlora" else FULL_BITS,
        sequence_parallel=True,
        fused_attention=True,
        keeps_no_master=False,
        stage=AUTOMATIC_STAGE if is_open else float(scenario.sharding.removeprefix("zero")),
        offload=scenario.offload,
    )
