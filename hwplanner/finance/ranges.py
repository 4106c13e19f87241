"""How far the inputs of a scenario and the prices of devices may be off.

Ranges hold 8 of 10 cases, as far as anybody knows: they are those of the data folder, with their
sources, or half and double of what only the team itself can know.
"""

from __future__ import annotations

import numpy as np

from hwplanner.assumptions import Assumptions
from hwplanner.money.device_prices import Prices
from hwplanner.scenario import Scenario, controls
from hwplanner.units import Array

HALVED_AND_DOUBLED = (
    "users", "output_tokens", "context_tokens", "tpot_ms", "training_tokens_million",
    "runs_per_month", "window_hours",
)  # fmt: skip
"""Inputs that are a team's own: nobody else knows their range."""
FROM_DATA = (
    "prefix_reuse_percent", "headroom_percent", "burst_factor", "growth_percent_per_month",
    "setup_hours", "depreciation_years", "residual_percent", "cost_of_capital_percent",
    "server_percent", "network_percent", "install_percent", "electricity_usd_per_kwh", "pue",
    "maintenance_percent", "staff_usd_per_device_year", "rent_change_percent_per_year",
    "cold_start_minutes",
)  # fmt: skip
"""Inputs whose ranges are in the data folder, with their sources."""
ONLY_IF_PAID = ("colocation_usd_per_kw_month", "licence_usd_per_device_year")
"""Such inputs too, of which a 0 says that there is no such cost, not that it is low."""


def uncertain_inputs(scenario: Scenario) -> tuple[str, ...]:
    """Names of all inputs that have a range in a scenario."""
    paid = (name for name in ONLY_IF_PAID if getattr(scenario, name))
    return (*HALVED_AND_DOUBLED, *FROM_DATA, *paid)


def input_range(scenario: Scenario, name: str, assumptions: Assumptions) -> tuple[float, float]:
    """Both ends of the range of an input, within what its control accepts.

    A value outside of the range in the data folder stretches it.

    Examples
    --------
    >>> from hwplanner.assumptions import load_assumptions
    >>> input_range(Scenario(users=10_000), "users", load_assumptions())
    (5000, 16384)
    """
    value = getattr(scenario, name)
    if name in HALVED_AND_DOUBLED:
        low, high = value / 2, value * 2
    else:
        low, _, high = assumptions.range(name)
    bounds = controls()[name].bounds
    assert bounds is not None
    low, high = max(min(low, value), bounds[0]), min(max(high, value), bounds[1])
    is_count = Scenario.model_fields[name].annotation is int
    return (round(low), round(high)) if is_count else (float(low), float(high))


def offer_range(prices: Prices, assumptions: Assumptions) -> tuple[Array, Array]:
    """Lowest and highest price of each device.

    Known offers bound it. Where there is one alone, others may ask less or more, by an assumption;
    a price of one's own is certain. [USD/device or USD/device/h]
    """
    least, _, most = assumptions.range("single_offer_price")
    is_alone = (prices.low_usd == prices.high_usd) & ~prices.is_own
    return (
        np.where(is_alone, prices.typical_usd * least, prices.low_usd),
        np.where(is_alone, prices.typical_usd * most, prices.high_usd),
    )
