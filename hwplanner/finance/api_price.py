"""Serving on one's own devices against an API that is paid by the token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.finance.request_cost import worked_share
from hwplanner.finance.traffic import serving_at
from hwplanner.plan import Plan
from hwplanner.units import MILLION, MONTHS_PER_YEAR, Array, Quantity

TRAFFIC = 2.0 ** (np.arange(-96, 97) / 16)
"""Traffic looked at, over that of the first month: from a 64th to 64 times, in steps of 4 %."""


def api_request_usd(
    *,
    input_tokens: Quantity,
    output_tokens: Quantity,
    input_usd_per_million: Quantity,
    output_usd_per_million: Quantity,
) -> Quantity:
    """What an API asks for a request.

    Parameters
    ----------
    input_tokens, output_tokens
        Length of prompt and answer. [tokens/request]
    input_usd_per_million, output_usd_per_million
        Prices. [USD/million tokens]

    Returns
    -------
    float or ndarray
        [USD/request]

    Notes
    -----
    The whole prompt is paid in full. Many providers ask less for the part that they find in their
    cache.

    Examples
    --------
    >>> api_request_usd(input_tokens=8000, output_tokens=400, input_usd_per_million=0.5,
    ...                 output_usd_per_million=2.5)
    0.005
    """
    usd = input_tokens * input_usd_per_million + output_tokens * output_usd_per_million
    return usd / MILLION


def stays_at_most(values: Array, limit: Quantity) -> int | None:
    """Place from which values stay at or below a limit up to their end, None if they do not.

    Parameters
    ----------
    values
        Values in order; they may fall below the limit and rise again.
    limit
        One for all, or one for each.

    Examples
    --------
    >>> stays_at_most(np.array([9.0, 4.0, 6.0, 5.0, 3.0]), 5.0)
    3
    >>> stays_at_most(np.array([9.0, 4.0, 6.0]), 5.0) is None
    True
    """
    above = np.flatnonzero(~(values <= limit))
    first = int(above[-1]) + 1 if above.size else 0
    return first if first < len(values) else None


@dataclass(frozen=True, slots=True, eq=False)
class ApiComparison:
    """Serving on a device against an API, as the requests of the scenario are on average.

    Attributes
    ----------
    place
        Device, by its place in the comparison.
    is_owned
        Whether the plan owns it; peaks may be rented.
    api_usd, own_usd
        A request from the API, and on the device at the plan's traffic. [USD/request]
    requests_per_year
        At the plan's traffic, as a mean over its months. [requests/year]
    worked_share
        Worked hours of the device over the hours paid for. [1]
    requests_per_month
        Traffic looked at, in steps. [requests/month, (levels,)]
    own_usd_by_traffic, other_usd_by_traffic
        A request on the device at each traffic: paid as in the plan, and in the other way, owned
        or rented. NaN without a price. [USD/request, (levels,)]
    own_usd_by_month, api_usd_by_month
        Both in the months of the plan, as its traffic grows. [USD/month, (months,)]
    """

    place: int
    is_owned: bool
    api_usd: float
    own_usd: float
    requests_per_year: float
    worked_share: float
    requests_per_month: Array
    own_usd_by_traffic: Array
    other_usd_by_traffic: Array
    own_usd_by_month: Array
    api_usd_by_month: Array

    @property
    def cost_ratio(self) -> float:
        """A request on the device over one from the API: on both prices, what makes them even.

        [ratio]
        """
        return self.own_usd / self.api_usd

    @property
    def break_even_utilization(self) -> float:
        """Worked share of the paid hours at which both cost the same; above 1 there is none. [1]

        Notes
        -----
        A fleet that is paid for costs the same however much it works, so that a request costs the
        less the more it works.
        """
        return self.worked_share * self.cost_ratio

    @property
    def _cheaper_from(self) -> int | None:
        return stays_at_most(self.own_usd_by_traffic, self.api_usd)

    @property
    def is_never_cheaper(self) -> bool:
        """Whether the device is dearer at the most traffic that was looked at."""
        return self._cheaper_from is None

    @property
    def is_always_cheaper(self) -> bool:
        """Whether the device is cheaper at all traffic that was looked at."""
        return self._cheaper_from == 0

    @property
    def break_even_requests_per_month(self) -> float | None:
        """Least traffic from which the device stays cheaper. [requests/month]

        None if it never or always is, as far as was looked. Where one more copy of the model is
        needed a request becomes dearer, so it may be cheaper below for a while.
        """
        first = self._cheaper_from
        return float(self.requests_per_month[first]) if first else None

    @property
    def planned_requests_per_month(self) -> float:
        """Traffic of the plan, as a mean over its months. [requests/month]"""
        return self.requests_per_year / MONTHS_PER_YEAR

    @property
    def first_cheaper_month(self) -> int | None:
        """Month from which the device stays cheaper as the traffic grows; None if it never is."""
        first = stays_at_most(self.own_usd_by_month, self.api_usd_by_month)
        return None if first is None else first + 1


def api_comparison(plan: Plan) -> ApiComparison | None:
    """Compare the device that serves in a plan with an API.

    Parameters
    ----------
    plan
        The plan. Its scenario names the prices of the API.

    Returns
    -------
    ApiComparison or None
        None without both prices of an API, or without a device that serves at a known cost.
    """
    scenario, place = plan.scenario, plan.serving_choice
    has_prices = scenario.api_input_usd_per_million and scenario.api_output_usd_per_million
    fleet = plan.fleet("serving")
    if place is None or not has_prices or not np.isfinite(fleet.usd_per_year[place]):
        return None
    cost = plan.request_cost.on(place)
    api_usd = float(
        api_request_usd(
            input_tokens=cost.input_tokens,
            output_tokens=cost.output_tokens,
            input_usd_per_million=scenario.api_input_usd_per_million,
            output_usd_per_million=scenario.api_output_usd_per_million,
        )
    )
    growth = plan.market.calendar.growth
    first_month = plan.requests_per_year / MONTHS_PER_YEAR / growth.mean()
    is_owned = bool(plan.is_owned("serving")[place])
    money, monthly = serving_at(plan, place, TRAFFIC), TRAFFIC * first_month
    own, other = (
        money.paid(owned=owned).usd_per_year / MONTHS_PER_YEAR / monthly
        for owned in (is_owned, not is_owned)
    )
    by_month = (usd[place] for usd in fleet.parts_usd_by_month.values())
    return ApiComparison(
        place=place,
        is_owned=is_owned,
        api_usd=api_usd,
        own_usd=float(cost.usd),
        requests_per_year=plan.requests_per_year,
        worked_share=float(worked_share(plan)[place]),
        requests_per_month=monthly,
        own_usd_by_traffic=own,
        other_usd_by_traffic=other,
        own_usd_by_month=sum(by_month, np.zeros(len(growth))),
        api_usd_by_month=api_usd * first_month * growth,
    )
