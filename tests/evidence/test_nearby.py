"""How near published runs are to what is asked."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.catalog.catalog import load_catalog
from hwplanner.evidence.intervals import TIERS
from hwplanner.evidence.nearby import (
    Neighbours,
    RunFeatures,
    bits_class,
    engine_family,
    published_features,
    serving_features,
    training_features,
)
from hwplanner.evidence.rows import RunRow
from tests.plans import place_of, plan_of

RUN = RunFeatures(
    device_id="h100",
    device_class="hopper",
    software="vllm",
    is_moe=False,
    active_parameters=8e9,
    total_parameters=8e9,
    weight_bits=8,
)
KNOWN = Neighbours([RUN, replace(RUN, device_id="odd", device_class="other")])


@pytest.mark.parametrize(
    ("changes", "tier"),
    [
        ({}, "measured"),
        ({"active_parameters": 24e9}, "measured"),  # three times as many
        ({"active_parameters": 25e9}, "calibrated"),
        ({"active_parameters": 2.6e9}, "calibrated"),
        ({"is_moe": True}, "calibrated"),
        ({"weight_bits": 16}, "calibrated"),
        ({"software": "sglang"}, "calibrated"),
        ({"device_id": "h200"}, "calibrated"),  # of the same class
        ({"device_id": "mi300x", "device_class": "mi"}, "extrapolated"),
        ({"device_id": "rare", "device_class": "other"}, "extrapolated"),  # a class of leftovers
        ({"device_id": "odd", "device_class": "other"}, "measured"),
        ({"device_id": "odd", "device_class": "other", "is_moe": True}, "calibrated"),
    ],
)
def test_tiers(changes: dict[str, object], tier: str) -> None:
    assert KNOWN.tiers([replace(RUN, **changes)]) == (tier,)


def test_without_runs_everything_is_extrapolated() -> None:
    assert Neighbours([]).tiers([RUN]) == ("extrapolated",)


@given(keep=st.sets(st.integers(0, 60)), asked=st.integers(0, 60))
def test_more_runs_never_make_an_estimate_less_sure(keep: set[int], asked: int) -> None:
    runs = [features for _, features in published_features("serving")][::40]
    run = runs[asked % len(runs)]
    fewer = Neighbours(runs[place] for place in keep if place < len(runs))
    (before,), (after,) = fewer.tiers([run]), Neighbours(runs).tiers([run])
    assert after == "measured"
    assert TIERS.index(after) <= TIERS.index(before)


def row(**cells: str) -> RunRow:
    return RunRow(id="x", line=2, cells=cells)


def test_features_of_a_serving_run() -> None:
    found = serving_features(
        row(
            device="NVIDIA H100 SXM 80GB",
            model="meta-llama/Llama-3.1-70B-Instruct",
            engine="vLLM",
            engine_version="0.6.3",
            weight_precision="fp8",
        ),
        load_catalog(),
    )
    assert found is not None
    assert (found.device_id, found.device_class) == ("nvidia-h100-sxm", "hopper")
    assert (found.software, found.weight_bits, found.is_moe) == ("vllm", 8, False)
    assert found.active_parameters == pytest.approx(70.6e9, rel=0.02)
    assert serving_features(row(device="ZX81", model="Llama-3.1-8B"), load_catalog()) is None


def test_features_of_a_training_run_of_a_model_without_a_name() -> None:
    known = {"device": "A100-80GB", "model": "GPT-1024B", "params_b": "1008"}
    found = training_features(row(**known, method="pretrain", precision="bf16"), load_catalog())
    assert found is not None
    assert (found.software, found.weight_bits, found.is_moe) == ("full", 16, False)
    assert found.active_parameters == 1008e9
    mixture = training_features(row(**known, active_params_b="30"), load_catalog())
    assert mixture is not None
    assert mixture.is_moe
    assert training_features(row(device="A100-80GB", model="GPT-1024B"), load_catalog()) is None


def test_words() -> None:
    assert [bits_class(bits) for bits in (4, 4.9, 5.7, 8.5, 16, 32)] == [4, 4, 8, 8, 16, 32]
    assert engine_family("trtllm_cpp") == "trtllm"


def test_tiers_of_the_shipped_runs() -> None:
    plan = plan_of(model="llama-3.1-70b", engine="vllm", weight_format="fp8")
    assert plan.ranges.serving.tiers[place_of(plan, "amd-mi300x")] == "measured"
    assert len(plan.ranges.training.tiers) == len(plan.devices)
