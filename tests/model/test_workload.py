import pytest

from hwplanner.errors import ModelFileError
from hwplanner.model.workload import model_shape, workload
from hwplanner.scenario import Scenario


def test_a_named_model_is_taken_as_published() -> None:
    assert workload(Scenario(model="deepseek-v3")).numbers.total_parameters == 671_026_419_200


def test_a_size_is_given_an_architecture() -> None:
    by_size = workload(Scenario(parameters_billion=30, kind="moe", active_percent=10)).numbers
    assert by_size.total_parameters == pytest.approx(30e9, rel=0.02)
    assert by_size.active_parameters == pytest.approx(3e9, rel=0.15)


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(ModelFileError, match="nonesuch"):
        model_shape(Scenario(model="nonesuch"))


@pytest.mark.parametrize(
    ("weights", "chosen", "computes"),
    [("fp8", "auto", "fp8"), ("int4", "auto", "bf16"), ("fp8", "bf16", "bf16")],
)
def test_arithmetic_follows_the_weights_unless_it_is_chosen(
    weights: str, chosen: str, computes: str
) -> None:
    assert workload(Scenario(weight_format=weights, arithmetic=chosen)).arithmetic == computes


def test_the_cache_does_not_follow_the_weights() -> None:
    # configiq issue 112: 4-bit weights were taken to halve the cache, which stayed at 16 bit.
    assert workload(Scenario(weight_format="nvfp4")).cache_bytes_per_value == 2
    assert workload(Scenario(cache_format="fp8")).cache_bytes_per_value == 1


def test_any_reduction_asks_for_a_test() -> None:
    assert not workload(Scenario(weight_format="bf16")).quality_note
    assert workload(Scenario(weight_format="bf16", cache_format="fp8")).quality_note
    assert workload(Scenario(weight_format="bf16", arithmetic="fp8")).quality_note
    assert workload(Scenario(weight_format="int4")).quality_note
