"""The money inputs of the scenario rest on the ranges in the data folder."""

import pytest

from hwplanner.assumptions import load_assumptions
from hwplanner.scenario import Scenario, controls

WITH_RANGE = [name for name in controls() if load_assumptions().keys(name)]


def test_every_input_of_an_owner_has_a_range_with_its_source() -> None:
    assert set(WITH_RANGE) >= {
        "depreciation_years",
        "residual_percent",
        "cost_of_capital_percent",
        "server_percent",
        "electricity_usd_per_kwh",
        "pue",
        "colocation_usd_per_kw_month",
        "maintenance_percent",
        "staff_usd_per_device_year",
        "headroom_percent",
    }


# No range holds the default of colocation: 0 says that hardware stands on one's own site.
@pytest.mark.parametrize("name", sorted(set(WITH_RANGE) - {"colocation_usd_per_kw_month"}))
def test_defaults_lie_in_their_range(name: str) -> None:
    low, _, high = load_assumptions().range(name)
    assert low <= getattr(Scenario(), name) <= high
