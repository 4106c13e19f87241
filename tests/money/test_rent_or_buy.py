"""Rent, buy or mix: the study's worked numbers, a public example put right, and laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hwplanner.demand.hours import requests_per_year
from hwplanner.demand.shapes import load_demand_shapes
from hwplanner.money.cost import energy_usd_per_year
from hwplanner.money.rent_or_buy import (
    break_even_utilization,
    elastic_rent_usd_per_year,
    own_base_rent_peaks,
    payback_months,
    standing_rent_usd_per_year,
)
from hwplanner.units import Array
from tests.published import published

HOURS_PER_YEAR = 8760
OWNED_USD_PER_DEVICE_HOUR = {
    row["case"]: float(row["usd_per_device_hour"]) for row in published("owned_server.csv")
}

prices = st.floats(0.05, 20)
weeks = arrays(float, 168, elements=st.integers(0, 500).map(float))


@pytest.mark.parametrize("case", published("break_even_utilization.csv"))
def test_break_even_of_the_worked_server(case: dict[str, str]) -> None:
    utilization = break_even_utilization(
        owned_usd_per_device_hour=OWNED_USD_PER_DEVICE_HOUR[case["case"]],
        rent_usd_per_device_hour=float(case["rent_usd_per_device_hour"]),
    )
    assert utilization == pytest.approx(float(case["break_even_utilization"]))


@given(discount=st.floats(0.01, 0.99), rent=prices)
def test_reserving_pays_above_one_less_the_discount(discount: float, rent: float) -> None:
    reserved_usd_per_hour = rent * (1 - discount)
    assert break_even_utilization(
        owned_usd_per_device_hour=reserved_usd_per_hour, rent_usd_per_device_hour=rent
    ) == pytest.approx(1 - discount)


def test_payback_of_the_worked_server() -> None:
    # Own site, 70 % of the hours worked, against 3.93 USD: published as 30.475 months
    months = payback_months(
        purchase_usd=380_000,
        rent_usd_per_year=3.93 * 8 * HOURS_PER_YEAR * 0.7,
        running_usd_per_year=9160.996 + 19_000 + 15_000,
    )
    assert months == pytest.approx(30.475, abs=0.001)


def test_a_public_calculator_put_right() -> None:
    """Example of randomcalculators.com, whose text calls the cloud cheaper and pays back in 137.

    8 devices of 35,000 USD at 1.4 times for the server, 4 years, 0.7 kW, PUE 1.4, 0.12 USD/kWh,
    400 hours a month, 3,000 USD a month for the hall; 4.50 USD an hour in the cloud.
    """
    purchase_usd = 8 * 35_000 * 1.4
    running_usd_per_year = 12 * 3000 + energy_usd_per_year(
        drawn_watts=8 * 700 * 400 * 12 / HOURS_PER_YEAR, pue=1.4, usd_per_kwh=0.12
    )
    rent_usd_per_month = 8 * 400 * 4.50
    own_usd_per_month = purchase_usd / 48 + running_usd_per_year / 12
    assert own_usd_per_month == pytest.approx(11_543, abs=0.5)
    assert rent_usd_per_month == 14_400
    assert own_usd_per_month < rent_usd_per_month

    def months(running_usd_per_year: float) -> float:
        return float(
            payback_months(
                purchase_usd=purchase_usd,
                rent_usd_per_year=12 * rent_usd_per_month,
                running_usd_per_year=running_usd_per_year,
            )
        )

    assert months(running_usd_per_year) == pytest.approx(35.6, abs=0.05)
    # Its answer comes from counting the purchase twice: once more as depreciation.
    assert months(running_usd_per_year + purchase_usd / 4) == pytest.approx(137, abs=0.5)


def test_a_purchase_that_saves_nothing_never_pays_back() -> None:
    months = payback_months(
        purchase_usd=1000.0,
        rent_usd_per_year=np.array([50.0, 100.0, np.nan]),
        running_usd_per_year=100.0,
    )
    assert months[:2].tolist() == [math.inf, math.inf]
    assert math.isnan(months[2])


def test_rent_by_the_hour_and_rent_at_all_hours() -> None:
    devices_by_hour = np.array([0.0, 4.0, 8.0, 4.0])
    assert elastic_rent_usd_per_year(
        devices_by_hour=devices_by_hour, rent_usd_per_device_hour=2.0
    ) == pytest.approx(4 * 2 * HOURS_PER_YEAR)
    assert standing_rent_usd_per_year(devices=8, rent_usd_per_device_hour=2.0) == pytest.approx(
        8 * 2 * HOURS_PER_YEAR
    )


@pytest.mark.parametrize(
    "case", published("own_base_rent_peaks.csv"), ids=lambda case: case["shape"]
)
def test_best_mix_of_the_azure_weeks(case: dict[str, str]) -> None:
    devices_by_hour = 100 * load_demand_shapes()[case["shape"]].relative_load
    mix = own_base_rent_peaks(
        devices_by_hour=devices_by_hour,
        owned_usd_per_device_hour=2.09,
        rent_usd_per_device_hour=3.93,
    )
    all_owned_usd_per_year = standing_rent_usd_per_year(
        devices=devices_by_hour.max(), rent_usd_per_device_hour=2.09
    )
    all_rented_usd_per_year = elastic_rent_usd_per_year(
        devices_by_hour=devices_by_hour, rent_usd_per_device_hour=3.93
    )
    assert mix.owned_devices == float(case["owned_devices"])
    usd_per_year = {
        "all_owned_usd_per_hour": all_owned_usd_per_year,
        "all_rented_usd_per_hour": all_rented_usd_per_year,
        "mix_usd_per_hour": mix.usd_per_year,
    }
    for name, usd in usd_per_year.items():
        assert usd / HOURS_PER_YEAR == pytest.approx(float(case[name]), abs=0.1)


def test_a_mix_for_each_device_in_one_call() -> None:
    mix = own_base_rent_peaks(
        devices_by_hour=np.array([[1.0, 2.0, 3.0, 4.0]] * 4),
        owned_usd_per_device_hour=np.array([1.0, 3.0, np.nan, 1.0]),
        rent_usd_per_device_hour=np.array([2.0, 2.0, 2.0, np.nan]),
    )
    # Owning pays for what more than half of the hours need; not at all where it costs more.
    assert mix.owned_devices[:2].tolist() == [2, 0]
    # 2 owned at 1 USD; of 4 hours, two need 1 and 2 more at 2 USD
    assert mix.usd_per_year[0] == pytest.approx((2 + 1.5) * HOURS_PER_YEAR)
    assert mix.usd_per_year[1] == pytest.approx(2.5 * 2 * HOURS_PER_YEAR)
    assert np.isnan(mix.usd_per_year[2:]).all()
    assert np.isnan(mix.owned_devices[2:]).all()


def test_servers_are_owned_whole() -> None:
    week = np.array([3.0] * 84 + [11.0] * 84)
    # A server of 8 works 3/8 of half the week and 8/8 of the other half: 0.6875 of its hours.
    for rent, owned in ((1 / 0.69, 0), (1 / 0.68, 8), (1 / 0.19, 8), (1 / 0.18, 16)):
        mix = own_base_rent_peaks(
            devices_by_hour=week,
            owned_usd_per_device_hour=1.0,
            rent_usd_per_device_hour=rent,
            devices_per_server=8,
        )
        assert mix.owned_devices == owned


def test_servers_of_several_sizes_in_one_call() -> None:
    mix = own_base_rent_peaks(
        devices_by_hour=np.array([[5.0, 10.0], [5.0, 10.0]]),
        owned_usd_per_device_hour=1.0,
        rent_usd_per_device_hour=1.5,
        devices_per_server=np.array([1.0, 4.0]),
    )
    # Two servers of 4 are needed for 4, and for 1 and 4 devices; a third for 2 in half the hours.
    assert mix.owned_devices.tolist() == [5, 4]


@given(devices_by_hour=weeks, owned=prices, rent=prices, each=st.integers(1, 100))
def test_no_number_of_servers_beats_the_mix(
    devices_by_hour: Array, owned: float, rent: float, each: int
) -> None:
    """Brute force; among the fleets tried are nothing and everything, the pure options."""
    mix = own_base_rent_peaks(
        devices_by_hour=devices_by_hour,
        owned_usd_per_device_hour=owned,
        rent_usd_per_device_hour=rent,
        devices_per_server=each,
    )
    fleets = each * np.arange(math.ceil(devices_by_hour.max() / each) + 1)
    rented = np.maximum(devices_by_hour - fleets[:, None], 0).mean(axis=1)
    usd_per_year = (fleets * owned + rented * rent) * HOURS_PER_YEAR
    assert mix.owned_devices in fleets
    assert mix.usd_per_year == pytest.approx(usd_per_year.min(), rel=1e-9)


@given(
    devices_by_hour=weeks,
    owned=prices,
    rent=prices,
    factor=st.floats(1, 5),
    each=st.integers(1, 100),
)
def test_a_higher_rent_never_makes_renting_more_attractive(
    devices_by_hour: Array, owned: float, rent: float, factor: float, each: int
) -> None:
    low, high = (
        own_base_rent_peaks(
            devices_by_hour=devices_by_hour,
            owned_usd_per_device_hour=owned,
            rent_usd_per_device_hour=usd,
            devices_per_server=each,
        )
        for usd in (rent, rent * factor)
    )
    assert high.owned_devices >= low.owned_devices
    assert high.rented_usd_per_year / (rent * factor) <= low.rented_usd_per_year / rent * (1 + 1e-9)
    assert high.usd_per_year >= low.usd_per_year * (1 - 1e-12)
    assert break_even_utilization(
        owned_usd_per_device_hour=owned, rent_usd_per_device_hour=rent * factor
    ) <= break_even_utilization(owned_usd_per_device_hour=owned, rent_usd_per_device_hour=rent)


@given(devices_by_hour=weeks, owned=prices, rent=prices, factor=st.integers(1, 50))
def test_demand_and_fleet_scaled_together_keep_the_unit_cost(
    devices_by_hour: Array, owned: float, rent: float, factor: int
) -> None:
    def usd_per_request(scale: int) -> float:
        usd_per_year = own_base_rent_peaks(
            devices_by_hour=scale * devices_by_hour,
            owned_usd_per_device_hour=owned,
            rent_usd_per_device_hour=rent,
        ).usd_per_year
        return usd_per_year / requests_per_year(requests_per_s=scale * (1 + devices_by_hour))

    assert usd_per_request(factor) == pytest.approx(usd_per_request(1))
