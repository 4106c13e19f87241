"""Rented hardware that its owner may take back at any time: what interruptions cost.

A training run pays for them in goodput, see `training.goodput`, a copy that serves in the time in
which it starts again. Spot rents are low enough to bear much of it; targets of latency may not.
"""

from __future__ import annotations

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
