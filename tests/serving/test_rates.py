import numpy as np
import pytest

from hwplanner.assumptions import Assumptions
from hwplanner.serving.rates import ServingRates, serving_rates
from tests.devices import arrays
from tests.serving_jobs import ASSUMPTIONS
from tests.training_runs import assumed


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
    assert rates(assumptions=chosen).memory_bytes_per_s[0, 0] == pytest.approx(0.72 * 3e12)


def test_no_device_reads_faster_than_its_data_sheet() -> None:
    chosen = assumed(bandwidth_efficiency=0.95, engine_factor_bandwidth__tt=1.1)
    assert rates("tt", assumptions=chosen).memory_bytes_per_s[0, 0] == 3e12


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
    assert both.prefill_flop_per_s[:, 0] / 2000e12 == pytest.approx([0.66, 0.9])


def test_attention_and_logits_compute_at_16_bit() -> None:
    chosen = assumed(gemm_efficiency=0.7)
    assert rates(assumptions=chosen).decode_flop_per_s[0, 0] == pytest.approx(1400e12)
    assert rates(assumptions=chosen).decode_half_flop_per_s[0, 0] == pytest.approx(700e12)


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
