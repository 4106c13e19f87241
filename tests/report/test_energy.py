"""Energy of a plan: parts agree with each other and with the bill, and say their range."""

import numpy as np
import pytest

from hwplanner.money.energy import energy_of
from hwplanner.report import energy
from hwplanner.report.cautions import cautions
from hwplanner.units import Interval
from hwplanner.wording import SPACE
from tests.plans import place_of, plan_of, small_plan


def test_boundaries_by_hand() -> None:
    found = energy_of(
        100.0,
        most_joules=110.0,
        power_band=(0.8, 1.25),
        server_draw_ratio=Interval(1.2, 1.5, 1.5),
        pue=2.0,
    )
    assert (found.devices.low, found.devices.typical) == (80, 100)
    assert found.devices.high == 110  # never more than the rating
    # Both ends lie as far off as ln 1.25: together the root of 2 as far.
    assert found.servers.low == pytest.approx(150 / 1.25**2**0.5)
    assert found.servers.high == pytest.approx(150 * 1.25)
    assert found.facility.typical == pytest.approx(300)
    assert found.each(4).facility.typical == pytest.approx(75)


def test_tokens_requests_and_years_are_one_energy() -> None:
    plan = plan_of()
    place = plan.serving_choice
    year = energy.year_energy(plan, place, "serving")
    request, token = energy.request_energy(plan, place), energy.token_energy(plan, place)
    assert request.facility.typical * plan.requests_per_year == pytest.approx(year.facility.typical)
    assert token.devices.typical * 400 == pytest.approx(request.devices.typical)
    # 8,192 tokens of context with an answer of 400 on a 70B model: tenths of a watt-hour.
    assert 0.05 < request.devices.typical / 3600 < 2


def test_the_bill_is_the_facility_s_energy_of_an_owned_fleet() -> None:
    plan = small_plan(purchase=10_000.0, electricity_usd_per_kwh=0.2)
    kwh = energy.year_energy(plan, 0, "serving").facility.typical / 3.6e6
    assert plan.is_owned("serving")[0]
    bill = plan.serving_cost.owned.parts_usd_per_year["energy"][0]
    assert bill == pytest.approx(0.2 * kwh)


def test_a_run_takes_what_its_devices_draw_while_it_lasts() -> None:
    plan = plan_of()
    h100 = place_of(plan, "nvidia-h100-sxm")
    run = energy.run_energy(plan, h100).devices.typical
    share = energy.run_share(plan, h100)
    training = plan.training
    seconds = training.devices[h100] * training.work_seconds[h100] / training.goodput[h100]
    assert run == pytest.approx(share * 700 * seconds)
    # A node in heavy training was seen to draw 76 % of its 10.2 kW (0.70 to 0.85).
    node_watts = 8 * 700 * share * plan.terms.server_draw_ratio
    assert 0.70 < node_watts / 10_200 < 0.85


def test_every_row_has_its_range_and_unknown_ratings_stay_unknown() -> None:
    plan = plan_of(all_devices=True)
    table = energy.energy_table(plan)
    names = [column.name for column in table.columns]
    assert all(column.unit for column in table.columns[1:])
    assert len(table.rows) == int((plan.fits("serving") | plan.fits("training")).sum())
    for row in table.rows:
        assert set(row) <= set(names)
        for name in ("token", "request", "year", "run"):
            if np.isfinite(row.get(name, np.nan)):
                assert row[f"{name}_low"] < row[name] <= row[f"{name}_high"]


def test_facts_and_steps_agree() -> None:
    plan = plan_of()
    place = plan.serving_choice
    facts = {name: fact.replace(SPACE, " ") for name, fact in energy.energy_facts(plan)}
    assert list(facts) == [
        *("Draw of a device", "Output token", "Request", "Year of serving", "Training run"),
    ]
    explained = energy.energy_per_token(plan, place)
    assert explained.value == pytest.approx(energy.token_energy(plan, place).devices.typical)
    assert explained.result.replace(SPACE, " ") in facts["Output token"]
    assert explained.steps[-1].result == explained.result


def test_a_deep_cap_is_cautioned_and_a_high_one_is_not() -> None:
    said = [text for text in cautions(plan_of(power_cap_watts=200)) if "without the cap" in text]
    assert len(said) == 1
    assert not any("without the cap" in text for text in cautions(plan_of(power_cap_watts=5000)))
    capped = plan_of(power_cap_watts=200)
    place = capped.serving_choice
    assert energy.free_peak_watts(capped, place) > 200
    assert energy.peak_share(capped, place) * capped.arrays.rated_watts[place] <= 200 + 1e-6
