"""On what terms hardware is rented in each market."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hwplanner.assumptions import Assumptions
from hwplanner.scenario import Market, Scenario

RESERVED_MONTHS: Mapping[Market, int] = {"reserved_1y": 12, "reserved_3y": 36}
SECONDS_PER_MINUTE = 60


@dataclass(frozen=True, slots=True)
class RentTerms:
    """On what terms hardware is rented.

    Attributes
    ----------
    market
        Where it is rented.
    cold_start_seconds
        Time to bring a copy of the model into service, which is paid for. [s]
    idle_seconds
        Time without a request after which the last copy is given back, where that is done. [s]
    interruptions_per_hour
        How often a run or a copy is taken back. [1/h]
    billing_block_hours
        A run is billed in whole blocks of so many hours. [h]
    queue_hours
        Wait for the devices of a run. [h]
    """

    market: Market = "neocloud"
    cold_start_seconds: float = 0.0
    idle_seconds: float = 0.0
    interruptions_per_hour: float = 0.0
    billing_block_hours: float = 1.0
    queue_hours: float = 0.0

    @property
    def term_months(self) -> int:
        """Months for which a rent is agreed. [months]"""
        return RESERVED_MONTHS.get(self.market, 1)

    @property
    def falls_to_zero(self) -> bool:
        """Whether the last copy is given back in quiet hours."""
        return self.market == "scale_to_zero"


def rent_terms(
    scenario: Scenario, assumptions: Assumptions, market: Market | None = None
) -> RentTerms:
    """Take the terms of renting from a scenario, in its market or another."""
    market = market or scenario.market
    is_spot = market == "spot"
    return RentTerms(
        market=market,
        cold_start_seconds=scenario.cold_start_minutes * SECONDS_PER_MINUTE,
        idle_seconds=assumptions.typical("scale_to_zero_idle_seconds"),
        interruptions_per_hour=is_spot * assumptions.typical("spot_interruptions_per_hour"),
        billing_block_hours=scenario.billing_block_hours,
        queue_hours=scenario.queue_hours,
    )
