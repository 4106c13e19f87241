"""Figures of the chosen layouts: speed, times, limits."""

from dataclasses import fields

import numpy as np
import pytest

from hwplanner.physics.time_parts import LIMITS
from hwplanner.training.candidates import estimate_training
from tests.devices import arrays
from tests.training_runs import ASSUMPTIONS, estimate, scenario, small_model


def test_speed_times_devices_times_time_of_the_steps_is_the_run() -> None:
    found = estimate(training_tokens_million=500)
    tokens = found.tokens_per_s_per_device * found.devices * found.work_seconds
    assert tokens == pytest.approx(500e6)
    assert found.device_hours == pytest.approx(found.devices * found.run_seconds / 3600)


def test_time_to_the_end_is_set_up_and_steps_over_goodput() -> None:
    found = estimate(model="llama-3.1-8b", window_hours=8760, setup_hours=3)
    assert found.goodput[0] < 1
    steps_hours = found.work_seconds[0] / 3600 / found.goodput[0]
    assert found.run_hours[0] == pytest.approx(3 + steps_hours)
    assert found.held_hours[0] == pytest.approx(found.run_hours[0])


def test_shares_of_the_limits_sum_to_one() -> None:
    found = estimate({}, {"link_bytes_per_s": 10e9})
    assert found.limit_shares.shape == (len(LIMITS), 2)
    assert found.limit_shares.sum(axis=0) == pytest.approx(1)


def test_an_estimate_has_one_entry_a_device() -> None:
    found = estimate_training(scenario(), small_model(), arrays({}, {}, {}), ASSUMPTIONS)
    plain = (getattr(found, field.name) for field in fields(found))
    assert {len(values) for values in plain if isinstance(values, np.ndarray)} == {3}
