"""Plans for tests: of the shipped catalogue, of a few devices made up, and of any question."""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from hypothesis import strategies as st

from hwplanner.catalog.catalog import Catalog, PricePoint, load_catalog
from hwplanner.catalog.device import Device, DeviceArrays
from hwplanner.money.calendar import Calendar
from hwplanner.money.device_prices import DevicePrices, Prices
from hwplanner.money.fleets import Market
from hwplanner.money.option import Option
from hwplanner.money.ownership import OwnershipTerms
from hwplanner.money.rent_terms import RentTerms
from hwplanner.physics.power import PowerLevels
from hwplanner.plan import Plan, make_plan
from hwplanner.scenario import CONTEXT_TOKENS, PARAMETERS_BILLION, TPOT_MS, USERS, Scenario
from tests.devices import arrays, device

SHIPPED = load_catalog()
SMALL = {"model": "llama-3.1-8b", "method": "lora", "training_tokens_million": 10}
"""A model that one device holds, and a run that takes it less than an hour."""
PLAIN = OwnershipTerms(
    years=4,
    residual_share=0.0,
    rate_per_year=0.0,
    server_share=0.0,
    network_share=0.0,
    install_share=0.0,
    server_power_ratio=1.0,
    server_draw_ratio=1.0,
    power_levels=PowerLevels(idle=0.5, waiting=1.0, memory=1.0, compute=1.0),
    pue=1.0,
    electricity_usd_per_kwh=0.1,
    colocation_usd_per_kw_month=0.0,
    colocation_has_power=True,
    maintenance_share_per_year=0.05,
    staff_usd_per_device_year=1000.0,
    licence_usd_per_device_year=0.0,
    availability_share=1.0,
)
"""Terms that one can work out by hand."""


@cache
def plan_of(**changes: object) -> Plan:
    """Plan of the worked example, with changes, on shipped devices."""
    return make_plan(Scenario(**changes))


def place_of(plan: Plan, device_id: str) -> int:
    """Place of a device in a comparison."""
    return plan.arrays.ids.index(device_id)


def option(plan: Plan, key: str) -> Option:
    """One of the four options of a plan."""
    (found,) = (option for option in plan.options if option.key == key)
    return found


def price(device_id: str, usd: float, kind: str = "on_demand", **changes: object) -> PricePoint:
    """Price of today, by default of a neocloud."""
    point = PricePoint(
        device_id=device_id,
        provider="Somebody",
        instance="",
        kind=kind,
        market="" if kind == "purchase" else "neocloud",
        term="",
        usd=usd,
        devices_per_offer=None,
        region="",
        date="2026-11-01",
        use=True,
        source="a page",
        note="",
    )
    return point._replace(**changes)


def catalog(devices: Iterable[Device], *prices: PricePoint) -> Catalog:
    """Catalogue of devices made up, with these prices and no others."""
    return Catalog(devices=tuple(devices), sources=(), prices=prices)


def small_plan(
    *, purchase: float | None = None, rent: float | None = None, **changes: object
) -> Plan:
    """Small jobs of one user on one device made up, for sale and for rent at these prices."""
    prices = []
    if purchase is not None:
        prices.append(price("round", purchase, "purchase"))
    if rent is not None:
        prices.append(price("round", rent))
    known = catalog([device(tdp_watts=1000, devices_per_server=1)], *prices)
    question = {"devices": ("round",), "users": 1} | SMALL | changes
    return make_plan(Scenario(**question), catalog=known)


# Plans that no change of a constant can turn: one way to pay, or one that is far too dear.
def owning_and_renting() -> Plan:
    """A plan that owns for serving, of an even demand, and rents for a run of minutes."""
    return small_plan(purchase=10_000.0, rent=5.0, shape="flat")


def renting() -> Plan:
    """A plan that rents everything."""
    return small_plan(purchase=10_000_000.0, rent=1.0)


def sharing() -> Plan:
    """A plan of one shared fleet."""
    return small_plan(purchase=10_000.0)


def prices_of(*, purchase: list[float], rent: list[float], kept: list[bool]) -> DevicePrices:
    """Prices of a few devices; NaN where there is none."""
    return DevicePrices(
        purchase=_certain(purchase), rent=_certain(rent), rent_is_kept=np.array(kept)
    )


def _certain(usd: list[float]) -> Prices:
    """Prices of one offer each, for a single device."""
    no = np.zeros(len(usd), dtype=bool)
    return Prices(
        low_usd=np.array(usd),
        typical_usd=np.array(usd),
        high_usd=np.array(usd),
        basis=("",) * len(usd),
        providers=((),) * len(usd),
        date=("",) * len(usd),
        unit_devices=np.ones(len(usd)),
        is_own=no,
        is_assumed=no,
        is_stale=no,
    )


def market_of(
    *,
    purchase: list[float],
    rent: list[float] | None = None,
    kept: list[bool] | None = None,
    devices: DeviceArrays | None = None,
    terms: OwnershipTerms = PLAIN,
    rents: RentTerms = RentTerms(),  # noqa: B008  it cannot change
    growth: Sequence[float] = (1.0,),
    trend: Sequence[float] | None = None,
) -> Market:
    """A market of a few devices that are sold one by one, of one month unless more are given."""
    rent = rent or [float("nan")] * len(purchase)
    prices = prices_of(purchase=purchase, rent=rent, kept=kept or [False] * len(purchase))
    return Market(
        arrays=devices or arrays(*[{"devices_per_server": 1}] * len(purchase)),
        prices=prices,
        peak_prices=prices,
        terms=terms,
        rents=rents,
        calendar=Calendar(np.array(growth), np.array(trend or [1.0] * len(growth))),
    )


def questions() -> st.SearchStrategy[dict[str, object]]:
    """Any question of a team that serves a model and trains it now and then."""
    return st.fixed_dictionaries(
        {
            "parameters_billion": st.sampled_from(PARAMETERS_BILLION),
            "kind": st.sampled_from(["dense", "moe"]),
            "weight_format": st.sampled_from(["bf16", "fp8", "int4"]),
            "context_tokens": st.sampled_from(CONTEXT_TOKENS),
            "users": st.sampled_from(USERS),
            "tpot_ms": st.sampled_from(TPOT_MS),
            "ttft_ms": st.sampled_from([500.0, 2000.0, 10_000.0]),
            "engine": st.sampled_from(["vllm", "trtllm", "vendor"]),
            "shape": st.sampled_from(["flat", "office", "azure_conv", "azure_code"]),
            "method": st.sampled_from(["full", "lora"]),
            "training_tokens_million": st.sampled_from([1, 100, 2000, 50_000]),
            "runs_per_month": st.sampled_from([0, 1, 4, 60]),
            "window_hours": st.sampled_from([12.0, 72.0, 720.0]),
            "market": st.sampled_from(["neocloud", "hyperscaler", "reserved_1y", "spot"]),
        }
    )
