"""Interruptions and checkpoints against published numbers, and the laws they obey."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.training.goodput import (
    Interruptions,
    goodput,
    hours_between_interruptions,
    most_available_interval_seconds,
    youngs_interval_seconds,
)
from tests.training_runs import ASSUMPTIONS

LLAMA_3_DEVICE_HOURS = 54 * 24 * 16_384 / 419  # 419 interruptions in 54 days on 16,384 devices
RSC_1_DEVICE_HOURS = 8 * 24 / 0.0065  # 0.0065 failures a day in a server of 8 devices
RESTART_SECONDS = 600

positive = st.floats(1, 1e6)


@pytest.mark.parametrize(
    ("device_hours", "devices", "hours"),
    [
        (LLAMA_3_DEVICE_HOURS, 8, 6334.625298329355),
        (LLAMA_3_DEVICE_HOURS, 64, 791.8281622911694),
        (LLAMA_3_DEVICE_HOURS, 256, 197.95704057279235),
        (LLAMA_3_DEVICE_HOURS, 1024, 49.48926014319809),
        (LLAMA_3_DEVICE_HOURS, 16_384, 3.0930787589498805),
        (RSC_1_DEVICE_HOURS, 8, 3692.3076923076924),
        (RSC_1_DEVICE_HOURS, 64, 461.53846153846155),
        (RSC_1_DEVICE_HOURS, 256, 115.38461538461539),
        (RSC_1_DEVICE_HOURS, 1024, 28.846153846153847),
        (RSC_1_DEVICE_HOURS, 4096, 7.211538461538462),
        (RSC_1_DEVICE_HOURS, 16_384, 1.8028846153846154),
    ],
)
def test_hours_between_interruptions(device_hours: float, devices: int, hours: float) -> None:
    found = hours_between_interruptions(devices=devices, device_hours_between_failures=device_hours)
    assert found == pytest.approx(hours)


@pytest.mark.parametrize(
    ("checkpoint_seconds", "interval", "share"),
    [
        (10, 471.91277864070537, 0.9108668470869012),
        (60, 1155.9455107687163, 0.8597077931009234),
        (300, 2584.772740364565, 0.7658507820564069),
    ],
)
def test_goodput_of_llama_3_by_the_time_of_a_checkpoint(
    checkpoint_seconds: float, interval: float, share: float
) -> None:
    run = Interruptions(LLAMA_3_DEVICE_HOURS, checkpoint_seconds, RESTART_SECONDS)
    assert run.interval_seconds(16_384) == pytest.approx(interval)
    assert run.goodput(16_384) == pytest.approx(share)


def test_what_is_assumed_is_what_llama_3_saw() -> None:
    assumed = Interruptions.of(ASSUMPTIONS)
    assert assumed.device_hours_between_failures == pytest.approx(LLAMA_3_DEVICE_HOURS, rel=1e-5)
    assert assumed.goodput(16_384) == pytest.approx(0.8597, abs=1e-4)
    low, _, _ = ASSUMPTIONS.range("device_hours_between_failures")
    assert low == pytest.approx(0.3 * LLAMA_3_DEVICE_HOURS, rel=0.01)


def test_the_range_goes_from_the_worst_to_the_best() -> None:
    worst, typical, best = Interruptions.range_of(ASSUMPTIONS)
    assert typical == Interruptions.of(ASSUMPTIONS)
    # By hand: one interruption in 3340 s, 300 s for a checkpoint every 1416 s, 1800 s to restart.
    assert worst.seconds_between(16_384) == pytest.approx(15_200 / 16_384 * 3600)
    assert worst.interval_seconds(16_384) == pytest.approx((2 * 300 * 3339.84) ** 0.5, rel=1e-4)
    assert worst.goodput(16_384) == pytest.approx(0.4713, abs=1e-4)
    assert worst.goodput(16_384) < typical.goodput(16_384) < best.goodput(16_384)


def test_reported_hours_of_llama_3_405b_are_its_steps_over_its_goodput() -> None:
    # 26.6 million device-hours at an MFU of 0.40 against 30.84 million that were reported.
    assumed = Interruptions.of(ASSUMPTIONS)
    assert 26_617_796 / assumed.goodput(16_384) == pytest.approx(30.84e6, rel=0.01)


def test_an_interval_with_the_restart_in_steps() -> None:
    # changlan.org/posts/optimal-checkpointing: 6000 s, 600 s to recover, steps of 15 s: about 24.
    interval = youngs_interval_seconds(
        checkpoint_seconds=10, seconds_between_interruptions=6000 + 600
    )
    assert interval / 15 == pytest.approx(24.22120283277993)


def test_intervals_agree_where_checkpoints_and_restarts_are_short() -> None:
    # arXiv 2410.18124: "for Ts << Tr and Tr << Tf asymptotically the same".
    young = youngs_interval_seconds(checkpoint_seconds=1, seconds_between_interruptions=1e8)
    available = most_available_interval_seconds(
        checkpoint_seconds=1, seconds_between_interruptions=1e8, restart_seconds=100
    )
    assert available == pytest.approx(young, rel=1e-4)


@given(checkpoint=positive, between=positive, restart=positive, factor=st.floats(0.1, 10))
def test_no_interval_is_better_than_the_best(
    checkpoint: float, between: float, restart: float, factor: float
) -> None:
    def share(interval: float) -> float:
        return float(
            goodput(
                checkpoint_seconds=checkpoint,
                interval_seconds=interval,
                seconds_between_interruptions=between,
                restart_seconds=restart,
            )
        )

    best = most_available_interval_seconds(
        checkpoint_seconds=checkpoint,
        seconds_between_interruptions=between,
        restart_seconds=restart,
    )
    with_restart = youngs_interval_seconds(
        checkpoint_seconds=checkpoint, seconds_between_interruptions=between + restart
    )
    assert 0 < share(factor * with_restart) <= share(with_restart) * (1 + 1e-12) < 1
    # The other formula counts the checkpoint as part of the interval, half of which is lost.
    lost = between / (between + restart + best / 2) * (1 - checkpoint / best)
    other = best * max(factor, 1.01 * checkpoint / best)
    assert between / (between + restart + other / 2) * (1 - checkpoint / other) <= lost * (
        1 + 1e-12
    )


@given(
    devices=st.integers(1, 100_000),
    more=st.integers(1, 100_000),
    taken_back=st.floats(0, 1),
)
def test_more_interruptions_never_leave_more(devices: int, more: int, taken_back: float) -> None:
    failures = Interruptions.of(ASSUMPTIONS)
    spot = Interruptions(
        failures.device_hours_between_failures,
        failures.checkpoint_seconds,
        failures.restart_seconds,
        interruptions_per_hour=taken_back,
    )
    assert failures.goodput(devices + more) < failures.goodput(devices)
    assert spot.goodput(devices) <= failures.goodput(devices)


def test_failures_hardly_matter_on_64_devices() -> None:
    assert Interruptions.of(ASSUMPTIONS).goodput(64) > 0.99


def test_rates_of_several_devices_broadcast() -> None:
    spot = Interruptions(1000.0, 60.0, 600.0, interruptions_per_hour=np.array([[0.0], [0.5]]))
    share = spot.goodput(np.array([1.0, 8.0, 64.0]))
    assert np.shape(share) == (2, 3)
    # One device: an interruption in 1000 h, or, taken back twice an hour, every 1.996 h.
    assert spot.seconds_between(1.0)[:, 0] / 3600 == pytest.approx([1000, 1 / 0.501])
