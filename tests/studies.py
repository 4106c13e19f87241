"""Small studies whose answer is known."""

from dataclasses import dataclass

import numpy as np

from hwplanner.assumptions import Assumption, Assumptions
from hwplanner.calibration.study import Observations, Study, sweep_weights
from hwplanner.evidence.runs import Outcome
from hwplanner.units import Array


def prior(name: str, low: float, typical: float, high: float) -> Assumption:
    return Assumption(name, "", low, typical, high, "", "", "", "")


PRIORS = Assumptions(
    {
        ("slope", ""): prior("slope", 0.1, 1.0, 10.0),
        ("level", ""): prior("level", 0.1, 1.0, 10.0),
        ("unused", ""): prior("unused", 0.5, 1.0, 2.0),
    }
)


@dataclass(frozen=True)
class Lines:
    """Runs on a straight line: y = slope x + level."""

    x: Array

    @property
    def device_ids(self) -> tuple[str, ...]:
        return ("device",) * len(self.x)

    @property
    def model_ids(self) -> tuple[str, ...]:
        return ("model",) * len(self.x)

    @property
    def regimes(self) -> dict[str, tuple[str, ...]]:
        return {"y": ("all",) * len(self.x)}

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        return {}

    def outcome(self, assumptions: Assumptions) -> Outcome:
        y = assumptions.typical("slope") * self.x + assumptions.typical("level")
        return Outcome(("ok",) * len(self.x), ("",) * len(self.x), {"y": y})


def line_study(
    measured: Array, x: Array, *, sources: list[str], is_fitted: Array | None = None
) -> Study:
    names = np.array(sources)
    count = len(x)
    return Study(
        kind="serving",
        runs=Lines(x),
        observations=Observations(
            run=np.arange(count),
            ids=np.array([f"row-{place}" for place in range(count)]),
            figure=np.full(count, "y"),
            measured=measured,
            spread=np.full(count, 0.1),
            weight=sweep_weights(np.array([f"row {place}" for place in range(count)])),
            is_fitted=np.ones(count, dtype=bool) if is_fitted is None else is_fitted,
            source=names,
            device=names,
            sweep=names,
            regime=np.full(count, "all"),
        ),
        constants=(("slope", ""), ("level", ""), ("unused", "")),
    )
