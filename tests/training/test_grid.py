"""The grid: recomputation that fits, links that reach, steps of a run."""

import numpy as np
import pytest

from hwplanner.training.grid import TrainingGrid, room_bytes, steps, training_grid
from hwplanner.training.layouts import TrainingLayout, as_arrays
from hwplanner.training.memory import RECOMPUTE_KINDS
from tests.devices import NO_FAST_LINK, arrays
from tests.training_runs import ASSUMPTIONS, assumed, published_model, scenario, small_model

MODEL = published_model("llama-3.1-8b")


def grid_of(*layouts: TrainingLayout, usable_gb: float = 80, **changes: object) -> TrainingGrid:
    question = scenario(**changes)
    return training_grid(
        question,
        MODEL,
        arrays({"usable_memory_bytes": usable_gb * 1e9}),
        as_arrays(layouts, batch_sequences=question.batch_sequences),
        ASSUMPTIONS,
    )


def test_a_run_takes_its_tokens_over_those_of_a_step() -> None:
    run = scenario(training_tokens_million=500, batch_sequences=128, sequence_tokens=4096)
    assert steps(run) == pytest.approx(953.67, abs=0.01)


@pytest.mark.parametrize("usable_gb", [40, 44, 50, 60, 80, 200])
def test_automatic_recomputation_is_the_least_that_leaves_room_to_spare(usable_gb: float) -> None:
    grid = grid_of(TrainingLayout(replicas=8), usable_gb=usable_gb, batch_sequences=8)
    total = grid.memory.total_bytes[:, 0]
    comfortable, barely, _ = ASSUMPTIONS.range("training_fit_share")
    expected = next(
        (
            kind
            for share in (comfortable, barely)
            for kind in range(len(RECOMPUTE_KINDS))
            if total[kind] <= share * usable_gb * 1e9
        ),
        2,
    )
    assert grid.recompute[0, 0] == expected
    assert grid.fits[0, 0] == (total[expected] <= usable_gb * 1e9)


def test_each_kind_of_recomputation_is_the_automatic_choice_of_some_memory() -> None:
    chosen = {
        int(grid_of(TrainingLayout(replicas=8), usable_gb=gb, batch_sequences=8).recompute[0, 0])
        for gb in range(20, 100, 4)
    }
    assert chosen == {0, 1, 2}


@pytest.mark.parametrize("kind", RECOMPUTE_KINDS)
def test_a_kind_that_is_asked_for_is_taken_whether_it_fits_or_not(kind: str) -> None:
    grid = grid_of(TrainingLayout(), usable_gb=1, recompute=kind)
    assert RECOMPUTE_KINDS[grid.recompute[0, 0]] == kind
    assert not grid.fits[0, 0]


def test_a_run_over_an_unpublished_network_has_no_time() -> None:
    layouts = as_arrays(
        [TrainingLayout(replicas=8), TrainingLayout(replicas=16), TrainingLayout(pipeline=16)],
        batch_sequences=128,
    )
    devices = arrays(NO_FAST_LINK | {"scale_out_bytes_per_s": None})
    grid = training_grid(scenario(), small_model(), devices, layouts, ASSUMPTIONS)
    assert np.isnan(grid.work_seconds).tolist() == [[False, True, True]]


def test_room_is_the_assumed_share_of_usable_memory() -> None:
    devices = arrays({"usable_memory_bytes": 100.0})
    assert room_bytes(devices, assumed(training_fit_share=0.9)).tolist() == [90]
