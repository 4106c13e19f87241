"""Rent, buy or mix: break-even, payback, the cheapest mix and the money spent over time.

An owned hour costs the same whether it works or not; a rented one is paid when it is taken.
Arrays by hour carry the hours of a week on their last axis, arrays by month the months; prices
and other figures of devices lie on the axes before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.units import HOURS_PER_YEAR, MONTHS_PER_YEAR, Array, Quantity


def break_even_utilization(
    *, owned_usd_per_device_hour: Quantity, rent_usd_per_device_hour: Quantity
) -> Quantity:
    """Share of the hours that must be worked for buying to cost as little as renting.

    Parameters
    ----------
    owned_usd_per_device_hour
        Cost of an owned hour, worked or not; or a reserved rent, which is due at all hours just
        the same: reserving pays above 1 less its discount. [USD/h]
    rent_usd_per_device_hour
        Rent, paid for worked hours only. [USD/h]

    Returns
    -------
    float or ndarray
        Above 1, renting is cheaper however much is worked. [share of the hours]

    Examples
    --------
    >>> break_even_utilization(owned_usd_per_device_hour=1.5, rent_usd_per_device_hour=3.0)
    0.5
    """
    return owned_usd_per_device_hour / rent_usd_per_device_hour


def payback_months(
    *, purchase_usd: Quantity, rent_usd_per_year: Quantity, running_usd_per_year: Quantity
) -> Quantity:
    """Months until the rent saved has paid for the purchase, interest aside.

    Parameters
    ----------
    purchase_usd
        All that is bought. [USD]
    rent_usd_per_year
        Rent that the purchase replaces. [USD/year]
    running_usd_per_year
        What is paid out for owned hardware: power, maintenance, staff. Depreciation has no place
        here; the purchase that it spreads is on the other side already. [USD/year]

    Returns
    -------
    float or ndarray
        Infinite where nothing is saved. [months]

    Examples
    --------
    >>> float(payback_months(purchase_usd=20, rent_usd_per_year=15, running_usd_per_year=5))
    24.0
    """
    saving_usd_per_year = np.subtract(rent_usd_per_year, running_usd_per_year)
    never = saving_usd_per_year <= 0
    years = purchase_usd / np.where(never, 1.0, saving_usd_per_year)
    months: Quantity = np.where(never, np.inf, years * MONTHS_PER_YEAR)[()]
    return months


def elastic_rent_usd_per_year(
    *, devices_by_hour: Array, rent_usd_per_device_hour: Quantity
) -> Quantity:
    """Rent of a fleet that is scaled to the demand every hour.

    Parameters
    ----------
    devices_by_hour
        Devices rented in each hour of the week. [devices, (…, hours)]
    rent_usd_per_device_hour
        Rent. [USD/h]

    Returns
    -------
    float or ndarray
        Rent of a year of such weeks. [USD/year]

    Examples
    --------
    >>> float(elastic_rent_usd_per_year(devices_by_hour=np.array([1.0, 3.0]),
    ...                                 rent_usd_per_device_hour=2.0))
    35040.0
    """
    mean_devices: Quantity = devices_by_hour.mean(axis=-1)
    return mean_devices * HOURS_PER_YEAR * rent_usd_per_device_hour


def standing_rent_usd_per_year(
    *, devices: Quantity, rent_usd_per_device_hour: Quantity
) -> Quantity:
    """Rent of a fleet that is kept at all hours, as reserved hardware is.

    Parameters
    ----------
    devices
        Devices kept. [devices]
    rent_usd_per_device_hour
        Rent, due for idle hours too. [USD/h]

    Returns
    -------
    float or ndarray
        Rent of a year. [USD/year]
    """
    return devices * HOURS_PER_YEAR * rent_usd_per_device_hour


@dataclass(frozen=True, slots=True)
class Mix:
    """A fleet of which a base is owned and the peaks are rented.

    Parameters
    ----------
    owned_devices
        The base. [devices]
    owned_usd_per_year, rented_usd_per_year
        Cost of the base, and rent of the hours above it. [USD/year]
    """

    owned_devices: Quantity
    owned_usd_per_year: Quantity
    rented_usd_per_year: Quantity

    @property
    def usd_per_year(self) -> Quantity:
        """Base and peaks. [USD/year]"""
        return self.owned_usd_per_year + self.rented_usd_per_year


def ideal_base(
    *,
    devices_by_hour: Array,
    owned_usd_per_device_hour: Quantity,
    rent_usd_per_device_hour: Quantity,
) -> Array:
    """Devices that are worth owning beside rented ones, were they sold one by one.

    Parameters
    ----------
    devices_by_hour, owned_usd_per_device_hour, rent_usd_per_device_hour
        As in `own_base_rent_peaks`.

    Returns
    -------
    ndarray
        The demand of some hour; 0 where an owned hour costs more than a rented one, NaN where a
        price is not known. [devices]

    Notes
    -----
    One more owned device costs c_own in every hour and saves c_rent in the hours that need it. It
    pays as long as these are more than the share c_own / c_rent, so the base is the quantile of
    the hourly demand at 1 - c_own / c_rent: the newsvendor's rule.

    Examples
    --------
    >>> float(ideal_base(devices_by_hour=np.array([1.0, 4.0, 2.0, 3.0]),
    ...                  owned_usd_per_device_hour=1.0, rent_usd_per_device_hour=2.0))
    2.0
    """
    by_size = np.sort(devices_by_hour, axis=-1)
    hours = by_size.shape[-1]
    pays_below_share = np.divide(owned_usd_per_device_hour, rent_usd_per_device_hour)
    # The smallest demand that at most that share of the hours exceeds; none if it is all of them.
    rank = np.ceil(hours * (1 - np.nan_to_num(pays_below_share, nan=1.0, posinf=1.0))) - 1
    rank = np.broadcast_to(rank, by_size.shape[:-1])
    index = np.clip(rank, 0, hours - 1).astype(np.intp)
    base = np.take_along_axis(by_size, index[..., None], axis=-1)[..., 0]
    base = np.where(rank < 0, 0.0, base)
    return np.where(np.isnan(pays_below_share), np.nan, base)


def own_base_rent_peaks(
    *,
    devices_by_hour: Array,
    owned_usd_per_device_hour: Quantity,
    rent_usd_per_device_hour: Quantity,
    devices_per_server: Quantity = 1.0,
) -> Mix:
    """Cheapest mix of owned and rented devices for a week of demand.

    Parameters
    ----------
    devices_by_hour
        Devices needed in each hour of the week. [devices, (…, hours)]
    owned_usd_per_device_hour
        Cost of an owned hour, worked or not. [USD/h]
    rent_usd_per_device_hour
        Rent of an hour, taken only when needed. [USD/h]
    devices_per_server
        Devices that are bought at once: a board, a rack, or as many of them as hold a copy of
        the model. [devices]

    Returns
    -------
    Mix
        All rented where an owned hour costs more than a rented one.

    Notes
    -----
    The cost is convex in the base, so the best whole number of servers is next to `ideal_base`.
    The server that straddles it pays if its devices are needed, on average, in more of the hours
    than c_own / c_rent.

    Examples
    --------
    Of three servers of two devices, the second is needed in three quarters of the hours or half of
    them; on average that is more than three fifths.

    >>> week = np.array([1.0, 3.0, 4.0, 5.0])
    >>> float(own_base_rent_peaks(devices_by_hour=week, owned_usd_per_device_hour=3.0,
    ...                           rent_usd_per_device_hour=5.0,
    ...                           devices_per_server=2.0).owned_devices)
    4.0
    """
    each = np.asarray(devices_per_server, dtype=float)
    base = each * np.floor(
        ideal_base(
            devices_by_hour=devices_by_hour,
            owned_usd_per_device_hour=owned_usd_per_device_hour,
            rent_usd_per_device_hour=rent_usd_per_device_hour,
        )
        / each
    )
    above = np.maximum(devices_by_hour - base[..., None], 0.0)
    needed_share = np.minimum(above, each[..., None]).mean(axis=-1) / each
    pays_below_share = np.divide(owned_usd_per_device_hour, rent_usd_per_device_hour)
    base = base + each * (needed_share > pays_below_share)
    return Mix(
        owned_devices=base,
        owned_usd_per_year=standing_rent_usd_per_year(
            devices=base, rent_usd_per_device_hour=owned_usd_per_device_hour
        ),
        rented_usd_per_year=elastic_rent_usd_per_year(
            devices_by_hour=np.maximum(devices_by_hour - base[..., None], 0.0),
            rent_usd_per_device_hour=rent_usd_per_device_hour,
        ),
    )
