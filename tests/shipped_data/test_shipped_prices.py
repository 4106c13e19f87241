"""The shipped prices: machines divide into devices, which come as their providers rent them."""

import re

import pytest

from hwplanner.catalog.catalog import PricePoint
from hwplanner.money.device_prices import device_prices
from hwplanner.scenario import Scenario
from tests.plans import SHIPPED

PER_MACHINE = re.compile(r"instance \$(?P<usd>[\d.]+)/h / (?P<devices>\d+)")
NOTED = [point for point in SHIPPED.prices if PER_MACHINE.search(point.note)]


@pytest.mark.parametrize(
    "point", NOTED, ids=lambda point: f"{point.instance} {point.kind} {point.date}"
)
def test_the_price_of_a_machine_is_that_of_its_devices(point: PricePoint) -> None:
    machine = PER_MACHINE.search(point.note)
    assert machine is not None
    assert point.devices_per_offer == int(machine["devices"])
    assert point.usd * int(machine["devices"]) == pytest.approx(float(machine["usd"]), rel=1e-3)


def test_one_machine_of_a_provider_has_one_size() -> None:
    sizes: dict[tuple[str, str], set[int | None]] = {}
    for point in SHIPPED.prices:
        if point.instance and point.instance != "tracker median per GPU":
            sizes.setdefault((point.provider, point.instance), set()).add(point.devices_per_offer)
    assert len(sizes) > 50
    assert all(len(found) == 1 for found in sizes.values())


@pytest.mark.parametrize(
    ("device_id", "market", "devices"),
    [  # AWS p5, Azure ND, GCP a3 and OCI BM rent 8 at once; RunPod and Vast.ai single devices
        ("nvidia-h100-sxm", "hyperscaler", 8),
        ("nvidia-h100-sxm", "neocloud", 1),
        ("nvidia-l4", "hyperscaler", 1),
        ("nvidia-a100-80-sxm", "reserved_1y", 8),
        ("nvidia-gb200-nvl72", "neocloud", 72),
        ("google-tpu-v6e", "neocloud", 1),
    ],
)
def test_devices_come_as_their_providers_rent_them(
    device_id: str, market: str, devices: int
) -> None:
    found = device_prices(Scenario(), (device_id,), SHIPPED, market=market)
    assert found.rent_unit_devices.tolist() == [devices]


def test_nobody_asks_more_for_a_reservation_or_spot_than_on_demand_in_the_same_machine() -> None:
    def offer(point: PricePoint) -> tuple[str, ...]:
        return point.device_id, point.provider, point.instance, point.date

    used = [point for point in SHIPPED.prices if point.use]
    on_demand = {offer(point): point.usd for point in used if point.kind == "on_demand"}
    compared = [
        (point.usd, on_demand[offer(point)])
        for point in used
        if point.kind in ("reserved", "spot")
        and point.instance != "tracker median per GPU"
        and offer(point) in on_demand
    ]
    assert len(compared) > 25
    assert all(less < usd for less, usd in compared)
