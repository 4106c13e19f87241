"""Rented hardware that its owner may take back at any time: what interruptions cost.

A training run pays for them in goodput, see `training.goodput`, a copy that serves in the time in
which it starts again. Spot rents are low enough to bear much of it; targets of latency may not.
"""

from __future__ import annotations

import numpy as np

from hwplanner.units import Quantity


def lost_share(*, interruptions_per_hour: Quantity, restart_hours: Quantity) -> Quantity:
    """Share of its paid time in which an interrupted copy of a model does not serve.

    Parameters
    ----------
    interruptions_per_hour
        Of a copy at work; instances of one zone are mostly taken back together, so that a copy
        on several is interrupted about as often as each of them. [1/h]
    restart_hours
        From an interruption until a new copy serves. [h]

    Returns
    -------
    float or ndarray
        [share]

    Notes
    -----
    Work of 1 / rate hours and a restart alternate. The restart counts as paid, which it is from
    the moment when a new instance is given out; where none is to be had, the copy is lost for
    longer but not paid for.

    Examples
    --------
    Three quarters of an hour of starting after every three hours of work.

    >>> lost_share(interruptions_per_hour=1 / 3, restart_hours=0.75)
    0.2
    """
    restarts = interruptions_per_hour * restart_hours
    return restarts / (1 + restarts)


def copies_to_rent(*, copies_needed: Quantity, lost_share: Quantity) -> Quantity:
    """Whole copies of a model of which enough serve on average, though some start again.

    Parameters
    ----------
    copies_needed
        Copies that the demand needs at work. [copies]
    lost_share
        Share of the time in which each does not serve. [share]

    Returns
    -------
    float or ndarray
        Needed and extra copies. [copies]

    Notes
    -----
    An average: copies in one zone may all be lost at once, and only copies elsewhere stand in.

    Examples
    --------
    >>> [float(copies_to_rent(copies_needed=needed, lost_share=0.2)) for needed in (0, 1, 8, 9)]
    [0.0, 2.0, 10.0, 12.0]
    """
    # What divides exactly must not round up over the last binary digit.
    copies: Quantity = np.ceil(copies_needed / (1 - lost_share) * (1 - 1e-9))
    return copies
