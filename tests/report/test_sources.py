import pytest

from hwplanner.errors import AssumptionError
from hwplanner.report.sources import assumed, witness
from tests.plans import place_of, plan_of


def test_a_figure_names_its_witness_and_day() -> None:
    plan = plan_of()
    place = place_of(plan, "nvidia-h100-sxm")
    source = plan.catalog.source("nvidia-h100-sxm", "memory_bandwidth_gb_per_s")
    assert source is not None
    words = witness(plan, place, "memory_bandwidth_gb_per_s")
    assert words == ", ".join(filter(None, (source.title or source.kind, source.date)))


def test_a_figure_without_a_witness_has_none() -> None:
    assert witness(plan_of(), 0, "nonesuch") == ""


def test_an_assumption_names_its_source_and_one_that_is_missing_is_a_fault() -> None:
    assert "2026" in assumed(plan_of(), "pcie_server_devices") or assumed(
        plan_of(), "pcie_server_devices"
    )
    with pytest.raises(AssumptionError, match="nonesuch"):
        assumed(plan_of(), "nonesuch")
