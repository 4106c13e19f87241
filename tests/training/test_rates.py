"""What devices reach: power, precision, gaps in the catalogue."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.training.rates import (
    clock_share,
    model_flop_utilization,
    saturation,
)
from hwplanner.units import SECONDS_PER_HOUR
from tests.devices import arrays
from tests.training_runs import ASSUMPTIONS, rates_of


def test_half_of_the_peak_at_the_half_power() -> None:
    assert clock_share(watts=286, peak_flop_per_s=1000e12, half_watts=0.286e-12) == 0.5


def test_saturation_reaches_half_at_the_half_size() -> None:
    assert saturation(size=300, half_size=300) == 0.5
    assert saturation(size=900, half_size=300) == 0.75


@given(watts=st.floats(10, 2000), peak=st.floats(1e12, 1e16), factor=st.floats(1, 10))
def test_more_peak_in_the_same_power_never_computes_slower(
    watts: float, peak: float, factor: float
) -> None:
    def sustained(flop_per_s: float) -> float:
        share = clock_share(watts=watts, peak_flop_per_s=flop_per_s, half_watts=0.286e-12)
        return share * flop_per_s

    assert sustained(peak * factor) >= sustained(peak) * (1 - 1e-12)


def test_8_bit_speeds_up_linear_layers_where_the_device_has_it() -> None:
    devices = arrays({}, {"fp8_flop_per_s": None})
    rates = rates_of(devices, training_precision="fp8")
    doubled = 2 * ASSUMPTIONS.typical("narrow_matmul_factor", "8")
    assert rates.linear_speedup[:, 0].tolist() == [doubled, 1]
    assert rates.is_low_precision[:, 0].tolist() == [1, 0]
    assert rates.peak_flop_per_s[:, 0].tolist() == [1000e12, 1000e12]


def test_16_bit_training_ignores_the_8_bit_rate() -> None:
    rates = rates_of(arrays(), training_precision="bf16")
    assert rates.linear_speedup[0, 0] == 1


@pytest.mark.parametrize(
    ("precision", "published", "peak"),
    [
        ("bf16", {"bf16_flop_per_s": None, "fp16_flop_per_s": 125e12}, 125e12),
        ("fp16", {"fp16_flop_per_s": None}, 1000e12),
        ("fp32", {}, 60e12),
        ("fp32", {"fp32_flop_per_s": None}, math.nan),
    ],
)
def test_a_missing_format_is_replaced_by_one_as_wide_or_left_open(
    precision: str, published: dict[str, object], peak: float
) -> None:
    rates = rates_of(arrays(published), training_precision=precision)
    np.testing.assert_equal(rates.peak_flop_per_s[0, 0], peak)


def test_unpublished_power_takes_the_assumed_share() -> None:
    rates = rates_of(arrays({"tdp_watts": None}))
    assert rates.clock[0, 0] == ASSUMPTIONS.typical("unpublished_power_factor")


def test_405_billion_parameters_on_16384_h100_at_40_percent() -> None:
    # 15.6e12 tokens: 67.69 days, 26.6 million device-hours.
    seconds = 67.69255511801694 * 24 * SECONDS_PER_HOUR
    mfu = model_flop_utilization(
        tokens_per_s_per_device=15.6e12 / (16384 * seconds),
        active_parameters=405e9,
        peak_flop_per_s=989e12,
    )
    assert mfu == pytest.approx(0.40)
    assert 16384 * seconds / SECONDS_PER_HOUR == pytest.approx(26_617_795.75)


def test_reported_hours_of_405_billion_parameters_imply_less() -> None:
    # 30.84 million device-hours, interruptions included.
    mfu = model_flop_utilization(
        tokens_per_s_per_device=15.6e12 / (30.84e6 * SECONDS_PER_HOUR),
        active_parameters=405e9,
        peak_flop_per_s=989e12,
    )
    assert mfu == pytest.approx(0.3452372990050084)


def test_an_8b_model_on_8_h100_as_torchtitan_measured_it() -> None:
    """Without attention; the repository, which counts it, states 33 to 39 %.

    pytorch/torchtitan, benchmarks/llama3_h100_202412_torchtitan.md: 5,762 tokens/s a device.
    """
    mfu = model_flop_utilization(
        tokens_per_s_per_device=5762, active_parameters=8.03e9, peak_flop_per_s=989e12
    )
    assert mfu == pytest.approx(0.2807008695652174)
