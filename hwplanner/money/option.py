"""One of the four ways to do both jobs, worked out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from hwplanner.money.ledger import Ledger
from hwplanner.scenario import Job
from hwplanner.units import Array, Interval

OptionKey = Literal["own_and_rent", "shared", "two_owned", "rent_all"]

LABELS: Mapping[OptionKey, str] = {
    "own_and_rent": "Own serving, rent training",
    "shared": "One shared family, owned",
    "two_owned": "Two families, both owned",
    "rent_all": "Rent everything",
}
NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Option:
    """One way to do both jobs, worked out; without figures where a reason forbids it.

    Attributes
    ----------
    key
        Which of the four.
    reason
        Why there is no such option, in words; '' where there is one.
    serving_device, training_device
        Places of the devices in the comparison; None where there is none, or no run is planned.
    serving_devices, training_devices
        Devices of each job. In a shared fleet both are parts of `owned_devices`.
    owned_devices
        Devices that are bought. [devices]
    parts_usd_per_year
        Cost by job and way of paying; sums to the total. [USD/year]
    usd_per_year
        Total, with the range that holds 8 of 10 draws. [USD/year]
    usd_draws
        Total in every draw of how fast devices are. [USD/year, (draws,)]
    base_devices, rented_peaks
        Devices of a base that is owned in the first month, and most that is rented above it in
        any hour of the plan; 0 without a mix. [devices]
    cheapest_share
        Share of the draws in which no other option costs less, of those that do as well on the
        targets. Options that cost the same share a draw. [1]
    ledger
        Its money month by month; None where there is no such option.
    idle_share, idle_device_hours
        Paid hours without work: of all paid hours, and in a year. [1], [device-hours/year]
    finish_hours
        Time from the start of a run to its end; NaN where none is planned. [h]
    meets_serving, meets_training
        Whether latency targets and window are met.
    """

    key: OptionKey
    reason: str = ""
    serving_device: int | None = None
    training_device: int | None = None
    serving_devices: float = NAN
    training_devices: float = NAN
    owned_devices: float = NAN
    parts_usd_per_year: Mapping[str, float] = field(default_factory=dict)
    usd_per_year: Interval = Interval(NAN, NAN, NAN)
    usd_draws: Array = field(default_factory=lambda: np.array([NAN]), repr=False, compare=False)
    base_devices: float = 0.0
    rented_peaks: float = 0.0
    cheapest_share: float = 0.0
    ledger: Ledger | None = field(default=None, repr=False, compare=False)
    idle_share: float = NAN
    idle_device_hours: float = NAN
    finish_hours: float = NAN
    meets_serving: bool = False
    meets_training: bool = False

    @property
    def label(self) -> str:
        """Name on the screen."""
        return LABELS[self.key]

    @property
    def exists(self) -> bool:
        """Whether there are devices and prices for it."""
        return not self.reason

    @property
    def purchase_usd(self) -> float:
        """Paid at the start of the first month; NaN where there is no such option. [USD]"""
        if self.ledger is None:
            return NAN
        return float(sum(fleet.purchase_usd[0] for fleet in self.ledger.fleets))

    @property
    def grown_devices(self) -> float:
        """Serving devices that are owned in the last month, or for both jobs. [devices]"""
        fleets = self.ledger.fleets if self.ledger else ()
        owned = (f for f in fleets if f.way == "owned" and f.job != "training")
        return float(sum(fleet.devices[-1] for fleet in owned))

    @property
    def meets_both(self) -> bool:
        """Whether both jobs meet their targets."""
        return self.exists and self.meets_serving and self.meets_training

    def owns(self, job: Job) -> bool:
        """Whether the devices of a job are bought."""
        return owns(self.key, job)


def owns(key: OptionKey, job: Job) -> bool:
    """Whether an option buys the devices of a job."""
    return key != "rent_all" and not (key == "own_and_rent" and job == "training")
