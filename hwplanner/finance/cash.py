"""Cash of an option month by month, and what it is worth against renting everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hwplanner.money.ledger import Ledger
from hwplanner.units import MONTHS_PER_YEAR, Array

RUNNING_PARTS = ("energy", "colocation", "maintenance", "staff", "licences")
LEAST_WORTH, MOST_WORTH = 0.5, 2.0
"""Worth of a dollar due in a month between which rates of return are sought."""
HALVINGS = 60
NAN = float("nan")


def cash_parts_usd(ledger: Ledger) -> Mapping[str, Array]:
    """Cash by what it is paid for; sales are received. The parts sum to `Ledger.cash_usd`.

    [USD/month]
    """
    none = np.zeros(ledger.months)
    fleets = ledger.fleets
    parts = {
        "purchases": sum((fleet.purchase_usd for fleet in fleets), none),
        "sales": -sum((fleet.sale_usd for fleet in fleets), none),
        "rent": sum((fleet.rent_usd for fleet in fleets), none),
    }
    for part in RUNNING_PARTS:
        parts[part] = sum((fleet.running_usd.get(part, none) for fleet in fleets), none)
    return parts


def by_year_usd(usd: Array) -> Array:
    """Sum months to years; the last may be shorter. [USD/year, (years,)]

    Examples
    --------
    >>> by_year_usd(np.ones(18)).tolist()
    [12.0, 6.0]
    """
    return np.add.reduceat(usd, np.arange(0, len(usd), MONTHS_PER_YEAR))


@dataclass(frozen=True, slots=True)
class Worth:
    """An option in today's money, and against renting everything.

    Attributes
    ----------
    cost_usd, cash_usd, left_usd
        Cost and cash over the plan, and what is still owned at its end. [USD]
    net_present_cost_usd
        Cash less what is left, in today's money. [USD]
    net_present_value_usd
        How much less that is than for renting; NaN where nothing can be rented. [USD]
    payback_months
        Time at which it has first cost less cash than renting; NaN if it never has. [months]
    rate_per_year
        Internal rate of return of what it pays first in the rent that it saves; NaN where there is
        none, or more than one. [1/year]
    """

    cost_usd: float
    cash_usd: float
    left_usd: float
    net_present_cost_usd: float
    net_present_value_usd: float = NAN
    payback_months: float = NAN
    rate_per_year: float = NAN


def worth(ledger: Ledger, renting: Ledger | None = None) -> Worth:
    """Work out what an option is worth against renting everything, if that is possible."""
    alone = Worth(
        cost_usd=ledger.total_cost_usd,
        cash_usd=ledger.total_cash_usd,
        left_usd=ledger.left_usd,
        net_present_cost_usd=ledger.net_present_cost_usd,
    )
    if renting is None or ledger is renting:
        return alone
    saved_usd = renting.flows_usd - ledger.flows_usd
    with_left_usd = saved_usd.copy()
    with_left_usd[-1] += ledger.left_usd - renting.left_usd
    return replace(
        alone,
        net_present_value_usd=renting.net_present_cost_usd - ledger.net_present_cost_usd,
        payback_months=payback_months(np.cumsum(saved_usd)),
        rate_per_year=internal_rate_per_year(with_left_usd),
    )


def payback_months(saved_so_far_usd: Array) -> float:
    """Time at which an option has first cost less cash than renting.

    Devices that are renewed later may put it behind again.

    Parameters
    ----------
    saved_so_far_usd
        Cash saved at the start and by the end of each month; below 0 at the start. [USD]

    Returns
    -------
    float
        NaN if it never does, or has nothing to pay back. [months]

    Examples
    --------
    >>> payback_months(np.array([-20.0, -10.0, 10.0]))
    1.5
    """
    ahead = np.flatnonzero(saved_so_far_usd >= 0)
    if not ahead.size or ahead[0] == 0:
        return NAN
    first = int(ahead[0])
    before, after = saved_so_far_usd[first - 1], saved_so_far_usd[first]
    return float(first - after / (after - before))


def internal_rate_per_year(flows_usd: Array) -> float:
    """Rate at which money paid first and received later is worth nothing today.

    Parameters
    ----------
    flows_usd
        Received, below 0 where paid: at the start, and at the end of each month. [USD]

    Returns
    -------
    float
        NaN where the money does not go out first and come in afterwards: there may be no such
        rate, or several. [1/year]

    Notes
    -----
    The present value is a polynomial in the worth today of a dollar that is due in a month. As its
    signs change once, it has one positive root (Descartes), which is found by halving.

    Examples
    --------
    A hundred that is worth 121 after two years has earned a tenth a year.

    >>> flows = np.zeros(25)
    >>> flows[0], flows[24] = -100, 121
    >>> round(internal_rate_per_year(flows), 9)
    0.1
    """
    signs = np.sign(flows_usd[np.abs(flows_usd) > 0])
    if not signs.size or signs[0] > 0 or np.count_nonzero(np.diff(signs)) != 1:
        return NAN
    months = np.arange(len(flows_usd))
    low, high = LEAST_WORTH, MOST_WORTH
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if flows_usd @ middle**months < 0:
            low = middle
        else:
            high = middle
    return float(low**-MONTHS_PER_YEAR - 1)
