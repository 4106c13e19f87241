"""Money of later months in today's money, and what buying is worth against renting.

A dollar that is due in a year is worth less than one that is due now, by the cost of capital.
Purchases count at the start of a month; rents and running costs at its end.
"""

from __future__ import annotations

import numpy as np

from hwplanner.units import MONTHS_PER_YEAR, Array, Quantity


def discount_factors(rate_per_year: Quantity, months: int) -> Array:
    """Worth today of a dollar that is due after so many months.

    Parameters
    ----------
    rate_per_year
        Cost of capital. [1/year]
    months
        Length of the plan. [months]

    Returns
    -------
    ndarray
        (1 + r)^(-m / 12) for m = 0, 1, … months: the start of month m + 1 and the end of month m.
        [ratio, (…, months + 1)]

    Examples
    --------
    >>> discount_factors(0.21, 12)[[0, 6, 12]].round(6).tolist()
    [1.0, 0.909091, 0.826446]
    """
    years = np.arange(months + 1) / MONTHS_PER_YEAR
    return np.asarray((1 + np.asarray(rate_per_year)[..., None]) ** -years)


def net_present_value_usd(
    *, start_usd: Array, end_usd: Array, rate_per_year: Quantity, left_usd: Quantity = 0.0
) -> Quantity:
    """Sum of a plan's money in today's money.

    Parameters
    ----------
    start_usd
        Due at the start of each month. [USD, (…, months)]
    end_usd
        Due at the end of each month. [USD, (…, months)]
    rate_per_year
        Cost of capital. [1/year]
    left_usd
        Value at the end of the plan of what is owned then. [USD]

    Returns
    -------
    float or ndarray
        Of the same sign as the money: a value of receipts, a cost of payments. [USD]

    References
    ----------
    .. [1] R. A. Brealey, S. C. Myers and F. Allen, "Principles of Corporate Finance", ch. 2.

    Examples
    --------
    A hundred now and 121 in a year at 21 %.

    >>> start_usd, end_usd = np.zeros(12), np.zeros(12)
    >>> start_usd[0], end_usd[-1] = 100, 121
    >>> round(float(net_present_value_usd(start_usd=start_usd, end_usd=end_usd,
    ...                                   rate_per_year=0.21)), 6)
    200.0
    """
    factors = discount_factors(rate_per_year, np.shape(start_usd)[-1])
    by_month = start_usd * factors[..., :-1] + end_usd * factors[..., 1:]
    value: Quantity = by_month.sum(axis=-1) + left_usd * factors[..., -1]
    return value


def buying_over_renting_usd(
    *,
    purchase_usd: Quantity,
    residual_usd: Quantity,
    running_usd: Array,
    rent_usd: Array,
    rate_per_year: Quantity,
) -> Quantity:
    """What a purchase is worth today against renting the same hardware all along.

    Parameters
    ----------
    purchase_usd
        Paid at the start. [USD]
    residual_usd
        Received at the end of the plan. [USD]
    running_usd
        Paid out for owned hardware: power, maintenance, staff; depreciation has no place here,
        the purchase counts in full. [USD/month, (…, months)]
    rent_usd
        Rent that the purchase replaces, which may rise or fall. [USD/month, (…, months)]
    rate_per_year
        Cost of capital. [1/year]

    Returns
    -------
    float or ndarray
        Above 0, buying is cheaper. [USD]

    References
    ----------
    .. [1] legitlads.com (read 2026-11), rent-or-buy calculator with net present value.

    Examples
    --------
    A rent of 10 a month that is 2 more than running costs pays for 20 in ten months.

    >>> terms = dict(purchase_usd=20.0, residual_usd=0.0, rate_per_year=0.0)
    >>> float(buying_over_renting_usd(running_usd=np.full(10, 8.0), rent_usd=np.full(10, 10.0),
    ...                               **terms))
    0.0
    """
    saved_usd = net_present_value_usd(
        start_usd=np.zeros(np.shape(rent_usd)[-1]),
        end_usd=np.subtract(rent_usd, running_usd),
        rate_per_year=rate_per_year,
        left_usd=residual_usd,
    )
    return saved_usd - purchase_usd
