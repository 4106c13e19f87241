"""What capital, power, tokens and requests cost.

A missing price is NaN, and every cost built on it is NaN: never zero, never ranked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.units import (
    HOURS_PER_YEAR,
    MILLION,
    MONTHS_PER_YEAR,
    SECONDS_PER_HOUR,
    Quantity,
)

WATTS_PER_KW = 1000


def capital_recovery_factor(*, rate_per_year: Quantity, years: Quantity) -> Quantity:
    """Share of a sum that is due each year to pay it off with interest.

    Parameters
    ----------
    rate_per_year
        Cost of capital. [1/year]
    years
        Number of equal payments, one at the end of each year. [years]

    Returns
    -------
    float or ndarray
        r / (1 - (1 + r)^-n), and its limit 1 / n without interest. [1/year]

    References
    ----------
    .. [1] "Assumptions", inferecon.com (read 2026-11), levelized cost of inference.

    Examples
    --------
    >>> round(float(capital_recovery_factor(rate_per_year=0.10, years=4)), 6)
    0.315471
    >>> float(capital_recovery_factor(rate_per_year=0.0, years=4))
    0.25
    """
    interest_free = np.equal(rate_per_year, 0)
    # Any rate will do where the limit is taken; 1 keeps the division clean.
    rate = np.where(interest_free, 1.0, rate_per_year)
    # expm1 and log1p keep their digits where the rate is tiny.
    with_interest = rate / -np.expm1(-years * np.log1p(rate))
    factor: Quantity = np.where(interest_free, 1 / np.asarray(years), with_interest)[()]
    return factor


def annualized_capital_usd_per_year(
    *, purchase_usd: Quantity, residual_usd: Quantity, rate_per_year: Quantity, years: Quantity
) -> Quantity:
    """Purchase as equal yearly payments, less what a sale at the end returns.

    Parameters
    ----------
    purchase_usd
        Device with its share of server, network and installation. [USD]
    residual_usd
        Proceeds of the sale at the end of its life. [USD]
    rate_per_year
        Cost of capital. [1/year]
    years
        Useful life. [years]

    Returns
    -------
    float or ndarray
        (P - S / (1 + r)^n) times the capital recovery factor. [USD/year]

    Notes
    -----
    The payment holds depreciation and interest; neither is to be added again. Taxes are left out.

    Examples
    --------
    >>> round(float(annualized_capital_usd_per_year(
    ...     purchase_usd=380_000, residual_usd=76_000, rate_per_year=0.10, years=4)))
    103503
    """
    residual_today_usd = residual_usd / (1 + rate_per_year) ** years
    recovery_per_year = capital_recovery_factor(rate_per_year=rate_per_year, years=years)
    return (purchase_usd - residual_today_usd) * recovery_per_year


def capital_left_usd(
    *,
    purchase_usd: Quantity,
    residual_usd: Quantity,
    rate_per_year: Quantity,
    years: Quantity,
    age_years: Quantity,
) -> Quantity:
    """Part of a purchase that its yearly payments have not paid off yet.

    Parameters
    ----------
    purchase_usd, residual_usd, rate_per_year, years
        As in `annualized_capital_usd_per_year`.
    age_years
        Time since the purchase, at most its life. [years]

    Returns
    -------
    float or ndarray
        Payments and sale still to come, discounted: the purchase at first, the proceeds of the
        sale at the end. [USD]

    Notes
    -----
    Cash paid, less this, plus interest is exactly the yearly payments so far.

    Examples
    --------
    >>> terms = dict(purchase_usd=380_000, residual_usd=76_000, rate_per_year=0.10, years=4)
    >>> [round(float(capital_left_usd(age_years=age, **terms))) for age in (0, 3, 4)]
    [380000, 163185, 76000]
    """
    remaining_years = np.subtract(years, age_years)
    discount = (1 + np.asarray(rate_per_year)) ** -remaining_years
    yearly_usd = annualized_capital_usd_per_year(
        purchase_usd=purchase_usd,
        residual_usd=residual_usd,
        rate_per_year=rate_per_year,
        years=years,
    )
    interest_free = np.equal(rate_per_year, 0)
    rate = np.where(interest_free, 1.0, rate_per_year)
    # expm1 and log1p keep their digits where the rate is tiny.
    with_interest = -np.expm1(-remaining_years * np.log1p(rate)) / rate
    payments = np.where(interest_free, remaining_years, with_interest)
    left: Quantity = (yearly_usd * payments + residual_usd * discount)[()]
    return left


def energy_usd_per_year(*, drawn_watts: Quantity, pue: Quantity, usd_per_kwh: Quantity) -> Quantity:
    """Electricity of hardware on one's own site.

    Parameters
    ----------
    drawn_watts
        Mean draw of the device with its share of the server. [W]
    pue
        Power of the facility over power of the computers. [ratio]
    usd_per_kwh
        Price of a kilowatt-hour. [USD/kWh]

    Returns
    -------
    float or ndarray
        Bill of a year. [USD/year]

    Examples
    --------
    >>> round(energy_usd_per_year(drawn_watts=0.76 * 10_200, pue=1.54, usd_per_kwh=0.0876))
    9161
    """
    kwh_per_year = drawn_watts * pue / WATTS_PER_KW * HOURS_PER_YEAR
    return kwh_per_year * usd_per_kwh


def colocation_usd_per_year(*, rated_watts: Quantity, usd_per_kw_month: Quantity) -> Quantity:
    """Rent of space, cooling and power in somebody else's hall.

    Parameters
    ----------
    rated_watts
        Rating: contracts count what may be drawn, not what is drawn. [W]
    usd_per_kw_month
        Price, energy included. [USD/kW/month]

    Returns
    -------
    float or ndarray
        Bill of a year. [USD/year]

    Examples
    --------
    >>> round(colocation_usd_per_year(rated_watts=10_200, usd_per_kw_month=184.06))
    22529
    """
    return rated_watts / WATTS_PER_KW * usd_per_kw_month * MONTHS_PER_YEAR


def usd_per_useful_hour(*, usd_per_hour: Quantity, useful_share: Quantity) -> Quantity:
    """Cost of an hour that serves its purpose, where all hours are paid for.

    Parameters
    ----------
    usd_per_hour
        Cost of an hour, owned or rented. [USD/h]
    useful_share
        Of the hours paid for, those in which something is done that lasts: the utilization of a
        fleet, the goodput of a run, what interruptions leave of a copy. [share]

    Returns
    -------
    float or ndarray
        What hours without use cost is borne by the others. [USD/h]

    Examples
    --------
    >>> round(usd_per_useful_hour(usd_per_hour=2.28356, useful_share=0.7), 3)
    3.262
    """
    return usd_per_hour / useful_share


def usd_per_million_tokens(*, usd_per_hour: Quantity, tokens_per_s: Quantity) -> Quantity:
    """Cost of a million tokens of hardware that is paid by the hour.

    Parameters
    ----------
    usd_per_hour
        Price of all devices that serve, together. [USD/h]
    tokens_per_s
        Tokens that they deliver, on average over the hours paid for. [tokens/s]

    Returns
    -------
    float or ndarray
        Cost of a million of whatever tokens were counted. [USD/million tokens]

    Notes
    -----
    With the peak speed instead of the delivered one, idle hours would come free of charge. Where
    only output tokens are counted they bear the prompts as well; `RequestCost` parts the two.

    References
    ----------
    .. [1] NVIDIA blog of 2026-04, cost per million tokens (read through
       vainsoftgames.com/article/20204).

    Examples
    --------
    >>> usd_per_million_tokens(usd_per_hour=3.6, tokens_per_s=1000)
    1.0
    """
    return usd_per_hour / (tokens_per_s * SECONDS_PER_HOUR) * MILLION


@dataclass(frozen=True, slots=True)
class RequestCost:
    """Cost of an average request, parted between its prompt and its answer.

    The split goes by time: the prompt bears the share of the device time that prefill takes, the
    answer that of decoding. Idle time is spread in the same proportion. Prompt tokens that were
    found in the cache count as input tokens, which is why a reused prompt is cheap per token.

    Parameters
    ----------
    prefill_usd, decode_usd
        Cost of reading the prompt and of writing the answer. [USD/request]
    input_tokens, output_tokens
        Length of prompt and answer. [tokens/request]
    """

    prefill_usd: Quantity
    decode_usd: Quantity
    input_tokens: Quantity
    output_tokens: Quantity

    def on(self, place: int) -> RequestCost:
        """Cost on one device of several."""
        prefill_usd, decode_usd = np.asarray(self.prefill_usd), np.asarray(self.decode_usd)
        return RequestCost(
            float(prefill_usd[place]),
            float(decode_usd[place]),
            self.input_tokens,
            self.output_tokens,
        )

    @property
    def usd(self) -> Quantity:
        """Whole request. [USD/request]"""
        return self.prefill_usd + self.decode_usd

    @property
    def usd_per_million_input_tokens(self) -> Quantity:
        """What the prompts cost. [USD/million input tokens]"""
        return self.prefill_usd / self.input_tokens * MILLION

    @property
    def usd_per_million_output_tokens(self) -> Quantity:
        """What the answers cost, prompts apart. [USD/million output tokens]"""
        return self.decode_usd / self.output_tokens * MILLION


def request_cost(
    *,
    usd_per_year: Quantity,
    requests_per_year: Quantity,
    prefill_seconds: Quantity,
    decode_seconds: Quantity,
    input_tokens: Quantity,
    output_tokens: Quantity,
) -> RequestCost:
    """Cost of an average request of a fleet.

    Parameters
    ----------
    usd_per_year
        Cost of the fleet, idle hours included. [USD/year]
    requests_per_year
        Requests that it answers. [requests/year]
    prefill_seconds, decode_seconds
        Device time that a request takes in each phase; in a batch, its share of each step, not
        the time that its user waits. [s/request]
    input_tokens, output_tokens
        Length of prompt and answer. [tokens/request]

    Examples
    --------
    >>> cost = request_cost(usd_per_year=1000, requests_per_year=1000, prefill_seconds=1,
    ...                     decode_seconds=3, input_tokens=5000, output_tokens=500)
    >>> cost.usd_per_million_input_tokens, cost.usd_per_million_output_tokens
    (50.0, 1500.0)
    """
    usd = usd_per_year / requests_per_year
    prefill_usd = usd * (prefill_seconds / (prefill_seconds + decode_seconds))
    return RequestCost(prefill_usd, usd - prefill_usd, input_tokens, output_tokens)
