"""An owned device: the study's worked server, its parts, and what a scenario sets."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.assumptions import load_assumptions
from hwplanner.money.cost import usd_per_useful_hour
from hwplanner.money.ownership import OwnedCost, OwnershipTerms, owned_cost, ownership_terms
from hwplanner.physics.power import PowerLevels
from hwplanner.scenario import Scenario
from tests.published import published

DEVICES = 8
WORKED_SHARE = 0.7

# The server of published/owned_server.csv, bought whole: nothing is added to an eighth of it.
TERMS = OwnershipTerms(
    years=4,
    residual_share=0.20,
    rate_per_year=0.10,
    server_share=0.0,
    network_share=0.0,
    install_share=0.0,
    server_power_ratio=1.0,
    server_draw_ratio=1.0,
    power_levels=PowerLevels(idle=0.1, waiting=0.5, memory=0.8, compute=1.0),
    pue=1.54,
    electricity_usd_per_kwh=0.0876,
    colocation_usd_per_kw_month=0.0,
    colocation_has_power=True,
    maintenance_share_per_year=0.05,
    staff_usd_per_device_year=15_000 / DEVICES,
    licence_usd_per_device_year=0.0,
    availability_share=1.0,
)


def eighth_of_the_server(terms: OwnershipTerms, power_share: float = 0.76) -> OwnedCost:
    return owned_cost(
        terms,
        device_usd=380_000 / DEVICES,
        device_watts=10_200 / DEVICES,
        drawn_watts=power_share * 10_200 / DEVICES,
    )


@pytest.mark.parametrize("case", published("owned_server.csv"), ids=lambda case: case["case"])
def test_parts_and_hours_of_the_worked_server(case: dict[str, str]) -> None:
    colocation = float(case["colocation_usd_per_kw_month"])
    cost = eighth_of_the_server(replace(TERMS, colocation_usd_per_kw_month=colocation))
    yearly = {name: text for name, text in case.items() if name.endswith("usd_per_year")}
    assert {name: DEVICES * getattr(cost, name) for name in yearly} == pytest.approx(
        {name: float(text) for name, text in yearly.items()}
    )
    assert cost.usd_per_device_hour == pytest.approx(float(case["usd_per_device_hour"]))
    assert usd_per_useful_hour(
        usd_per_hour=cost.usd_per_device_hour, useful_share=WORKED_SHARE
    ) == pytest.approx(float(case["usd_per_worked_device_hour"]))


def test_the_capital_is_no_running_cost() -> None:
    cost = eighth_of_the_server(TERMS)
    # energy 9,161 + maintenance 19,000 + staff 15,000
    assert DEVICES * cost.running_usd_per_year == pytest.approx(43_161, abs=0.1)


def test_hours_that_a_device_is_down_make_the_others_dearer() -> None:
    cost = eighth_of_the_server(replace(TERMS, availability_share=0.95))
    assert cost.usd_per_device_hour == pytest.approx(2.092809937 / 0.95)


def test_a_lower_draw_saves_energy_only() -> None:
    idle, full = (eighth_of_the_server(TERMS, power_share) for power_share in (0.4, 0.8))
    assert idle.energy_usd_per_year == pytest.approx(full.energy_usd_per_year / 2)
    assert idle.capital_usd_per_year == full.capital_usd_per_year


def test_energy_is_paid_once_in_somebody_elses_hall() -> None:
    all_in = replace(TERMS, colocation_usd_per_kw_month=184.06)
    metered = replace(all_in, colocation_has_power=False)
    included, apart = eighth_of_the_server(all_in), eighth_of_the_server(metered)
    assert included.energy_usd_per_year == 0
    assert DEVICES * apart.energy_usd_per_year == pytest.approx(9161, abs=0.1)
    assert apart.colocation_usd_per_year == included.colocation_usd_per_year


def test_a_server_is_bought_around_a_card_but_not_around_a_computer() -> None:
    terms = replace(
        TERMS,
        server_share=0.3,
        network_share=0.15,
        install_share=0.05,
        server_power_ratio=1.8,
        server_draw_ratio=1.5,
    )
    for colocation, part, ratio in ((0.0, "energy", 1.5), (200.0, "colocation", 1.8)):
        cost = owned_cost(
            replace(terms, colocation_usd_per_kw_month=colocation),
            device_usd=np.array([1000.0, 1000.0]),
            device_watts=np.array([100.0, 100.0]),
            drawn_watts=np.array([50.0, 50.0]),
            is_whole_machine=np.array([False, True]),
        )
        assert cost.purchase_usd == pytest.approx([1500, 1000])
        card_usd, computer_usd = cost.running_parts_usd_per_year[part]
        assert card_usd == pytest.approx(ratio * computer_usd)


def test_without_interest_a_server_costs_its_price_over_the_years_licences_and_hosting() -> None:
    """Yearly server cost as in NVIDIA's post on the costs of inference.

    320,000 USD over 4 years, 8 licences of 4,500 USD, 250 USD a month for 10 kW in a hall.
    """
    terms = replace(
        TERMS,
        rate_per_year=0.0,
        residual_share=0.0,
        maintenance_share_per_year=0.0,
        staff_usd_per_device_year=0.0,
        licence_usd_per_device_year=4500.0,
        colocation_usd_per_kw_month=25.0,
    )
    cost = owned_cost(terms, device_usd=40_000, device_watts=1250, drawn_watts=800)
    assert DEVICES * cost.usd_per_year == pytest.approx(80_000 + 36_000 + 3000)


def test_a_missing_price_or_power_leaves_the_cost_unknown() -> None:
    cost = owned_cost(
        TERMS,
        device_usd=np.array([1000.0, np.nan, 1000.0]),
        device_watts=np.array([100.0, 100.0, np.nan]),
        drawn_watts=np.array([50.0, 50.0, np.nan]),
    )
    assert [math.isnan(usd) for usd in cost.usd_per_year] == [False, True, True]
    assert [math.isnan(usd) for usd in cost.energy_usd_per_year] == [False, False, True]


@given(
    device_usd=st.floats(1, 1e6),
    device_watts=st.floats(1, 1e5),
    power_share=st.floats(0, 1),
    colocation=st.sampled_from([0.0, 200.0]),
    availability_share=st.floats(0.5, 1),
)
def test_parts_sum_to_the_total(
    device_usd: float,
    device_watts: float,
    power_share: float,
    colocation: float,
    availability_share: float,
) -> None:
    terms = replace(
        TERMS, colocation_usd_per_kw_month=colocation, availability_share=availability_share
    )
    cost = owned_cost(
        terms,
        device_usd=device_usd,
        device_watts=device_watts,
        drawn_watts=power_share * device_watts,
    )
    parts_usd = cost.parts_usd_per_device_hour
    assert list(parts_usd) == [
        "capital", "energy", "colocation", "maintenance", "staff", "licences",
    ]  # fmt: skip
    assert sum(parts_usd.values()) == pytest.approx(cost.usd_per_device_hour)
    assert cost.usd_per_year == pytest.approx(cost.usd_per_device_hour * 8760 * availability_share)


def test_percents_of_the_scenario_become_shares() -> None:
    scenario = Scenario(
        depreciation_years=5,
        residual_percent=10,
        cost_of_capital_percent=8,
        server_percent=40,
        network_percent=12,
        install_percent=3,
        maintenance_percent=3,
        colocation_usd_per_kw_month=150,
    )
    terms = ownership_terms(scenario, load_assumptions())
    assert (terms.years, terms.colocation_usd_per_kw_month) == (5, 150)
    assert (
        terms.residual_share,
        terms.rate_per_year,
        terms.server_share,
        terms.network_share,
        terms.install_share,
        terms.maintenance_share_per_year,
    ) == pytest.approx((0.10, 0.08, 0.40, 0.12, 0.03, 0.03))
    assert terms.around_share == pytest.approx(0.55)
    levels = terms.power_levels
    assert 0 < levels.idle < levels.waiting < levels.memory < levels.compute <= 1
    assert 1 < terms.server_draw_ratio < terms.server_power_ratio
    assert 0.9 < terms.availability_share < 1


def test_the_default_terms_cost_about_what_the_worked_server_does() -> None:
    # A third of the server's price is what stands around devices of 31,667 USD and 700 W.
    cost = owned_cost(
        ownership_terms(Scenario(), load_assumptions()),
        device_usd=380_000 / DEVICES / 1.5,
        device_watts=700,
        drawn_watts=0.64 * 700,
    )
    assert cost.usd_per_device_hour == pytest.approx(2.09, rel=0.05)
