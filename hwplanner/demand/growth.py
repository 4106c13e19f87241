"""Growth of demand from month to month."""

from __future__ import annotations

import numpy as np

from hwplanner.units import Array


def growth_factors(percent_per_month: float, months: int) -> Array:
    """Demand of each month over that of the first, compounded.

    Parameters
    ----------
    percent_per_month
        Growth from one month to the next; below 0 demand shrinks. [%/month]
    months
        Length of the plan. [months]

    Returns
    -------
    ndarray
        The first month has 1. [ratio, (months,)]

    Examples
    --------
    >>> growth_factors(10, 3).round(4)
    array([1.  , 1.1 , 1.21])
    """
    factors: Array = (1 + percent_per_month / 100) ** np.arange(months, dtype=np.float64)
    return factors
