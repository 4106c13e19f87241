import numpy as np
import pytest

from hwplanner.assumptions import Assumptions
from hwplanner.serving.rates import ServingRates, serving_rates
from tests.devices import arrays
from tests.serving_jobs import ASSUMPTIONS
from tests.training_runs import assumed

PEAKS = ("linear_peak_flop_per_s", "half_peak_flop_per_s")


def rates(
    engine: str = "vllm", *several: dict[str, object], assumptions: Assumptions = ASSUMPTIONS
) -> ServingRates:
    devices = arrays(*several)
    return serving_rates(
        devices=devices,
        engines=(engine,) * len(devices),
        linear_peak_flop_per_s=devices.peak_flop_per_s["fp8"],
        half_peak_flop_per_s=devices.peak_flop_per_s["bf16"],
        assumptions=assumptions,
    )


def test_bandwidth_times_the_shares_of_hardware_and_engine() -> None:
    chosen = assumed(bandwidth_efficiency=0.9, engine_factor_bandwidth__vllm=0.8)
    assert rates(assumptions=chosen).memory_bytes_per_s[0, 0] == pytest.approx(
        0.72 * 3e12, rel=2e-3
    )


def test_no_device_reads_faster_than_its_data_sheet() -> None:
    chosen = assumed(bandwidth_efficiency=0.95, engine_factor_bandwidth__tt=1.1)
    assert 0.95 * 3e12 < rates("tt", assumptions=chosen).memory_bytes_per_s[0, 0] < 3e12


def test_prefill_multiplies_engine_and_class_up_to_a_limit() -> None:
    chosen = assumed(
        prefill_efficiency=0.5,
        engine_factor_prefill__vllm=1.2,
        class_factor_prefill__hopper=1.1,
        class_factor_prefill__gddr=2.0,
        prefill_efficiency_limit=0.9,
    )
    both = rates(
        "vllm", {"efficiency_class": "hopper"}, {"efficiency_class": "gddr"}, assumptions=chosen
    )
    assert both.prefill_flop_per_s[:, 0] / 2000e12 == pytest.approx([0.66, 0.9], rel=4e-3)


def test_attention_and_logits_compute_at_16_bit() -> None:
    chosen = assumed(gemm_efficiency=0.7, engine_factor_gemm__vllm=1.0)
    assert rates(assumptions=chosen).decode_flop_per_s[0, 0] == pytest.approx(1400e12, rel=5e-3)
    assert rates(assumptions=chosen).decode_half_flop_per_s[0, 0] == pytest.approx(700e12, rel=5e-3)


def test_weights_that_are_widened_compute_slower() -> None:
    chosen = assumed(weight_only_compute_factor=0.7)
    devices = arrays()
    peaks = {name: devices.peak_flop_per_s["bf16"] for name in PEAKS}
    plain, widened = (
        serving_rates(
            devices=devices, engines=("vllm",), weight_bits=bits, assumptions=chosen, **peaks
        )
        for bits in (16.0, 4.0)
    )
    assert widened.decode_flop_per_s == pytest.approx(0.7 * plain.decode_flop_per_s)
    assert widened.decode_half_flop_per_s == pytest.approx(plain.decode_half_flop_per_s)


def test_only_served_answers_are_streamed() -> None:
    chosen = assumed(sequence_step_seconds=2e-6, stream_step_seconds__vllm=5e-6)
    devices = arrays()
    peaks = {name: devices.peak_flop_per_s["bf16"] for name in PEAKS}
    for is_served, expected in ((False, 2e-6), (True, 7e-6)):
        found = serving_rates(
            devices=devices, engines=("vllm",), is_served=is_served, assumptions=chosen, **peaks
        )
        assert found.sequence_seconds == pytest.approx(expected)


def test_an_unpublished_figure_stays_unknown() -> None:
    unknown = rates("vllm", {"memory_bandwidth_bytes_per_s": None})
    assert np.isnan(unknown.memory_bytes_per_s).all()


@pytest.mark.parametrize("engine", ASSUMPTIONS.keys("engine_factor_prefill"))
def test_nothing_shipped_passes_its_peak(engine: str) -> None:
    classes = ASSUMPTIONS.keys("class_factor_prefill")
    reached = rates(engine, *({"efficiency_class": name} for name in classes))
    assert np.all(reached.memory_bytes_per_s <= 3e12)
    assert np.all(reached.decode_flop_per_s <= 2000e12)
    assert np.all(reached.prefill_flop_per_s < 2000e12)
    assert np.all(reached.prefill_half_flop_per_s < 1000e12)
