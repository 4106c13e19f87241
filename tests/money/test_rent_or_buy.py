"""Rent, buy or mix: the study's worked numbers, a public example put right, and laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hwplanner.money.cost import energy_usd_per_year
from hwplanner.money.demand import load_demand_shapes, requests_per_year
from hwplanner.money.rent_or_buy import (
    break_even_utilization,
    elastic_rent_usd_per_year,
    own_base_rent_peaks,
    payback_months,
    spend_by_month_usd,
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
    assert payback_months(
        purchase_usd=purchase_usd,
        rent_usd_per_year=12 * rent_usd_per_month,
        running_usd_per_year=running_usd_per_year,
    ) == pytest.approx(35.6, abs=0.05)


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
    assert mix.owned_devices == pytest.approx(float(case["owned_devices"]), abs=0.5)
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


@given(devices_by_hour=weeks, owned=prices, rent=prices, base=st.integers(0, 500))
def test_no_base_beats_the_mix(
    devices_by_hour: Array, owned: float, rent: float, base: int
) -> None:
    """Among the bases tried are nothing and everything: the pure options."""
    mix = own_base_rent_peaks(
        devices_by_hour=devices_by_hour,
        owned_usd_per_device_hour=owned,
        rent_usd_per_device_hour=rent,
    )
    for other in (0, base, devices_by_hour.max()):
        rented = np.maximum(devices_by_hour - other, 0).mean()
        other_usd_per_year = (other * owned + rented * rent) * HOURS_PER_YEAR
        assert mix.usd_per_year <= other_usd_per_year * (1 + 1e-12) + 1e-9


@given(devices_by_hour=weeks, owned=prices, rent=prices, factor=st.floats(1, 5))
def test_a_higher_rent_never_makes_renting_more_attractive(
    devices_by_hour: Array, owned: float, rent: float, factor: float
) -> None:
    low, high = (
        own_base_rent_peaks(
            devices_by_hour=devices_by_hour,
            owned_usd_per_device_hour=owned,
            rent_usd_per_device_hour=usd,
        )
        for usd in (rent, rent * factor)
    )
    assert high.owned_devices >= low.owned_devices
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


def test_rent_grows_evenly_and_hardware_is_bought_again() -> None:
    months = np.array([0.0, 24.0, 48.0, 49.0])
    assert spend_by_month_usd(months=months, running_usd_per_month=10.0).tolist() == [
        0, 240, 480, 490,
    ]  # fmt: skip
    # After 48 months the old hardware returns 200 and the new one costs 1,000.
    assert spend_by_month_usd(
        months=months,
        running_usd_per_month=1.0,
        purchase_usd=1000.0,
        residual_usd=200.0,
        life_months=48.0,
    ).tolist() == [1000, 1024, 1048, 1849]


def test_spend_of_many_devices_keeps_unknown_prices_unknown() -> None:
    spent = spend_by_month_usd(
        months=np.arange(3.0),
        running_usd_per_month=np.array([1.0, np.nan]),
        purchase_usd=np.array([100.0, 100.0]),
        life_months=48.0,
    )
    assert spent[0].tolist() == [100, 101, 102]
    assert np.isnan(spent[1]).all()
