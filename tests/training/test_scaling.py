"""Time of a run on more and more devices."""

import numpy as np
import pytest

from hwplanner.training.candidates import estimate_training
from hwplanner.training.scaling import training_time_by_devices
from tests.devices import arrays
from tests.training_runs import ASSUMPTIONS, estimate, published_model, scenario

LLAMA_70B = published_model("llama-3.1-70b")


def test_where_no_layout_is_in_time_the_fastest_is_shown() -> None:
    question = {"window_hours": 1, "training_tokens_million": 100_000}
    found = estimate(**question)
    assert found.fits[0]
    assert not found.meets_window[0]
    _, hours = training_time_by_devices(scenario(**question), LLAMA_70B, arrays(), 0, ASSUMPTIONS)
    assert found.run_hours[0] == pytest.approx(hours.min())


def test_time_by_devices_falls_and_holds_the_choice() -> None:
    question = scenario(window_hours=24)
    devices = arrays({"memory_bandwidth_bytes_per_s": 1e12}, {})
    found = estimate_training(question, LLAMA_70B, devices, ASSUMPTIONS)
    counts, hours = training_time_by_devices(question, LLAMA_70B, devices, 1, ASSUMPTIONS)
    assert counts[0] == found.fewest_devices[1]
    assert (np.diff(hours) < 0).all()
    assert hours[counts == found.devices[1]] == pytest.approx(found.run_hours[1])


def test_devices_that_must_be_waited_for_end_later_and_may_be_taken_back() -> None:
    devices = arrays()
    owned, rented = (
        training_time_by_devices(scenario(), LLAMA_70B, devices, 0, ASSUMPTIONS, **terms)
        for terms in ({}, {"queue_hours": 12, "interruptions_per_hour": 0.5})
    )
    assert (owned[0] == rented[0]).all()
    assert (rented[1] > owned[1] + 12).all()
