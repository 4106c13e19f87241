"""Runs in idle hours of a serving fleet, on weeks worked out by hand and on plans."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from hwplanner.demand.shapes import load_demand_shapes
from hwplanner.finance.nights import NightRun, Nights, night_run, nights
from hwplanner.units import Array
from tests.plans import option, plan_of, questions, small_plan

# Eight owned devices: serving takes all from 8:00 to 24:00, two of them at night.
FREE = np.tile(np.repeat([6.0, 0.0], [8, 16]), 7)


def run_on(
    free: Array, *layouts: tuple[float, float], restart: float = 0.2, checkpoint: float = 0.05
) -> NightRun | None:
    devices, hours = np.array(layouts).T
    return night_run(
        free_devices=free,
        layout_devices=devices,
        layout_hours=hours,
        restart_hours=restart,
        checkpoint_hours=checkpoint,
    )


def nights_of(run: NightRun | None, **changes: object) -> Nights:
    figures = {
        "place": 0,
        "owned_devices": 8.0,
        "free_devices": FREE,
        "run": run,
        "window_hours": 72.0,
        "planned_runs_per_month": 2.0,
        "rented_hours": 20.0,
        "rent_usd_per_year": 24_000.0,
        "energy_usd_per_run": 10.0,
        "rent_is_kept": False,
    }
    return Nights(**(figures | changes))


def test_six_devices_are_free_for_eight_hours_a_night() -> None:
    run = run_on(FREE, (4, 31), (8, 16))
    assert run is not None
    assert run.devices == 4  # eight are never free
    assert run.open_hours == 56
    # A night is worth 8 hours less a start and a checkpoint: four of them make 31.
    assert run.end_hours[0] == pytest.approx(3 * 24 + 8 - 1 + 1)
    assert run.end_hours[8] == pytest.approx(run.end_hours[0] + 16)
    found = nights_of(run)
    assert found.free_device_hours_per_week == 6 * 56
    assert found.used_device_hours_per_week == pytest.approx(4 * 7 * 7.75)
    # 730 hours of a month hold 30.4 nights of 7.75 hours.
    assert run.runs_per_month == pytest.approx(730 / 24 * 7.75 / 31)
    assert found.delay_hours == pytest.approx(run.end_hours.mean() - 20)


def test_without_a_start_to_pay_for_nights_add_up_to_the_run() -> None:
    run = run_on(FREE, (4, 32), restart=0, checkpoint=0)
    assert run is not None
    assert run.end_hours[0] == 80
    # Asked for from 1:00 to 8:00 it needs a fifth night; later in the day it only waits.
    assert run.end_hours[:9].tolist() == [80] + 8 * [96]
    assert run.end_hours[9] == 95
    assert nights_of(run, window_hours=95).in_time_share == pytest.approx(16 / 24)


def test_the_layout_that_ends_soonest_is_taken() -> None:
    run = run_on(FREE, (2, 60), (4, 31), (6, 25), (8, 16))
    assert run is not None
    assert run.devices == 6


def test_where_devices_are_never_free_together_there_is_no_run() -> None:
    assert run_on(FREE, (8, 16)) is None
    assert run_on(FREE, (4, math.inf)) is None
    found = nights_of(None)
    assert (found.used_device_hours_per_week, found.done_runs_per_month) == (0, 0)
    assert found.in_time_share == 0
    assert found.left_usd_per_year == 24_000
    assert found.saved_usd_per_year == 0


def test_what_rent_is_saved_and_what_remains() -> None:
    run = run_on(FREE, (4, 31))
    assert run is not None
    all_done = nights_of(run)
    assert all_done.done_runs_per_month == 2
    assert all_done.left_usd_per_year == 0
    assert all_done.saved_usd_per_year == 24_000 - 24 * 10
    # Of 20 runs a month 7.6 find room.
    fit = run.runs_per_month
    some = nights_of(run, planned_runs_per_month=20.0)
    assert some.left_usd_per_year == pytest.approx(24_000 * (1 - fit / 20))
    assert some.saved_usd_per_year == pytest.approx(24_000 * fit / 20 - 12 * fit * 10)
    # What is reserved is due all year as long as a single run needs it.
    kept = nights_of(run, planned_runs_per_month=20.0, rent_is_kept=True)
    assert kept.left_usd_per_year == 24_000


@pytest.mark.parametrize(("shape", "idle"), [("azure_code", 11_200), ("azure_conv", 6_640)])
def test_idle_hours_of_a_hundred_devices_on_public_traces(shape: str, idle: float) -> None:
    needed = 100 * load_demand_shapes()[shape].relative_load
    found = nights_of(None, free_devices=100 - needed, owned_devices=100.0)
    assert found.free_device_hours_per_week == pytest.approx(idle, abs=17)


def test_a_plan_that_serves_at_night_with_few_devices() -> None:
    plan = plan_of(users=4096, devices=("nvidia-h100-sxm",), training_tokens_million=10)
    found = nights(plan)
    assert found is not None
    assert found.run is not None
    layout = plan.jobs.training.layout_devices[found.run.layout]
    assert found.run.devices == layout
    assert found.run.open_hours == (found.free_devices >= layout).sum()
    rented = option(plan, "own_and_rent")
    assert found.rented_hours == rented.finish_hours
    assert found.rent_usd_per_year == pytest.approx(
        plan.training_cost.rented.usd_per_year[rented.training_device]
    )
    # Electricity: at most 700 W a device beyond idling, by server, facility and price.
    device_hours = found.run.devices * found.run.run_hours
    assert 0 < found.energy_usd_per_run < 0.7 * device_hours * 2 * 1.5 * 0.09


def test_a_shared_fleet_is_looked_at_as_it_is() -> None:
    plan = small_plan(purchase=10_000.0)
    found = nights(plan)
    assert found is not None
    assert found.owned_devices == plan.best.owned_devices


def test_without_runs_or_serving_there_is_nothing_to_ask() -> None:
    assert nights(plan_of(runs_per_month=0)) is None
    assert nights(plan_of(model="llama-3.1-405b", devices=("nvidia-t4",))) is None


@given(question=questions())
@settings(max_examples=20, deadline=None)
def test_idle_hours_never_do_more_than_there_are(question: dict[str, object]) -> None:
    found = nights(plan_of(**question))
    if found is None:
        return
    assert (found.free_devices >= 0).all()
    assert found.used_device_hours_per_week <= found.free_device_hours_per_week * (1 + 1e-9)
    if found.run:
        assert (found.run.end_hours >= found.run.run_hours * (1 - 1e-9)).all()
        assert found.run.devices <= found.owned_devices
        assert 0 <= found.in_time_share <= 1


def test_devices_draw_no_more_than_idling_while_a_run_is_set_up() -> None:
    short, long = (
        nights(
            plan_of(
                users=4096,
                devices=("nvidia-h100-sxm",),
                training_tokens_million=10,
                setup_hours=hours,
                max_training_devices=16,  # the fewest that hold it: one layout for both
            )
        )
        for hours in (0, 6)
    )
    assert short is not None
    assert long is not None
    assert short.run is not None
    assert long.run is not None
    assert long.run.run_hours == pytest.approx(short.run.run_hours + 6)
    assert long.energy_usd_per_run == pytest.approx(short.energy_usd_per_run)
