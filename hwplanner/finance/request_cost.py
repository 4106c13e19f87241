"""The cost of an average request, split by what its hardware does or waits for.

Every hour that is paid for costs the same, worked or not. Worked hours go to what takes the time of
a request in the largest batch within memory and targets; the others are idle, or hold caches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

import numpy as np

from hwplanner.plan import Plan
from hwplanner.serving.estimates import ServingEstimates, copies_by_hour, whole_servers
from hwplanner.units import Array, Quantity

TIME_DRIVEN = (
    'R. S. Kaplan and S. R. Anderson, "Time-Driven Activity-Based Costing", Harvard Business '
    "Review, November 2004"
)


@dataclass(frozen=True, slots=True)
class RequestParts:
    """Cost of an average request by part; the parts sum to it. [USD/request]

    Attributes
    ----------
    weights_usd
        Reading the weights for the tokens of the answer, shared by the batch.
    cache_read_usd, cache_held_usd
        Reading the request's cache for each token, and devices that only hold caches.
    prefill_usd
        Reading the prompt, with the weights that this takes.
    decode_usd
        The rest of writing the answer: arithmetic, communication, overhead, activations.
    idle_usd
        Hours that are paid for without work.
    """

    weights_usd: Quantity
    cache_read_usd: Quantity
    cache_held_usd: Quantity
    prefill_usd: Quantity
    decode_usd: Quantity
    idle_usd: Quantity

    def on(self, place: int) -> RequestParts:
        """Parts on one device of several."""
        return RequestParts(*_on(self, place))

    @property
    def cache_usd(self) -> Quantity:
        """Reading and holding caches. [USD/request]"""
        return self.cache_read_usd + self.cache_held_usd

    @property
    def by_name(self) -> Mapping[str, Quantity]:
        """The five parts in the order in which they are shown. [USD/request]"""
        return {
            "weights": self.weights_usd,
            "kv_cache": self.cache_usd,
            "prefill": self.prefill_usd,
            "decode": self.decode_usd,
            "idle": self.idle_usd,
        }

    @property
    def usd(self) -> Quantity:
        """Whole request. [USD/request]"""
        return sum(self.by_name.values(), np.float64(0.0))


@dataclass(frozen=True, slots=True)
class RequestSeconds:
    """Time that one request takes of a copy of the model, its share of each step. [s/request]

    Attributes
    ----------
    weights, cache
        Writing the answer: reading the weights, and the request's own cache.
    decode
        The rest of writing it.
    prefill
        Reading the prompt.
    """

    weights: Quantity
    cache: Quantity
    decode: Quantity
    prefill: Quantity

    def on(self, place: int) -> RequestSeconds:
        """Time on one device of several."""
        return RequestSeconds(*_on(self, place))

    @property
    def total(self) -> Quantity:
        """All of it. [s/request]"""
        return self.weights + self.cache + self.decode + self.prefill


def _on(structure: RequestParts | RequestSeconds, place: int) -> Iterator[float]:
    """Fields of a structure on one device."""
    for field in fields(structure):
        yield float(getattr(structure, field.name)[place])


def split_request_cost(
    *,
    usd: Quantity,
    seconds: RequestSeconds,
    worked_share: Quantity,
    held_share: Quantity,
) -> RequestParts:
    """Split the cost of a request.

    Parameters
    ----------
    usd
        Cost of the request, idle hours included. [USD/request]
    seconds
        Time that it takes, by what it is spent on. [s/request]
    worked_share
        Worked hours over paid ones. [1]
    held_share
        Hours of devices that are there for caches alone, over paid ones. [1]

    Returns
    -------
    RequestParts
        [USD/request]

    Notes
    -----
    Each worked second bears the same cost, so that twice the time is twice the cost: time-driven
    costing [1]_. The price of hours without work is set apart instead of spread, since it falls
    with use, not with a faster device.

    References
    ----------
    .. [1] R. S. Kaplan and S. R. Anderson, "Time-Driven Activity-Based Costing", Harvard Business
       Review, November 2004: practical capacity at one rate, unused capacity apart.

    Examples
    --------
    >>> seconds = RequestSeconds(weights=3.0, cache=1.0, decode=0.0, prefill=4.0)
    >>> parts = split_request_cost(usd=1.0, seconds=seconds, worked_share=0.4, held_share=0.25)
    >>> {name: round(float(usd), 2) for name, usd in parts.by_name.items()}
    {'weights': 0.15, 'kv_cache': 0.3, 'prefill': 0.2, 'decode': 0.0, 'idle': 0.35}
    """
    worked = np.clip(worked_share, 0.0, 1.0)
    held = np.clip(held_share, 0.0, 1.0 - worked)
    usd_per_s = usd * worked / seconds.total
    return RequestParts(
        weights_usd=usd_per_s * seconds.weights,
        cache_read_usd=usd_per_s * seconds.cache,
        cache_held_usd=usd * held,
        prefill_usd=usd_per_s * seconds.prefill,
        decode_usd=usd_per_s * seconds.decode,
        idle_usd=usd * (1.0 - worked - held),
    )


def request_parts(plan: Plan) -> RequestParts:
    """Parts of what a request costs on each device, by the way of paying that is shown.

    Parameters
    ----------
    plan
        The plan; the parts sum to its `request_cost`.

    Returns
    -------
    RequestParts
        [USD/request, (devices,)]
    """
    return split_request_cost(
        usd=plan.request_cost.usd,
        seconds=request_seconds(plan.serving),
        worked_share=worked_share(plan),
        held_share=held_share(plan),
    )


def worked_share(plan: Plan) -> Array:
    """Worked hours of each device's fleet over the hours paid for. [1]"""
    fleet = plan.fleet("serving")
    return np.asarray(fleet.worked_device_hours / fleet.paid_device_hours)


def request_seconds(serving: ServingEstimates) -> RequestSeconds:
    """Time of a request in the largest batch of each device. [s/request]

    What a smaller batch wastes, such as reading the weights for few requests at night, is capacity
    that is not used: idle.
    """
    times, decode = serving.times, serving.full_decode
    # Of the memory's time for a request, all that is not its own goes to the weights.
    own = (times.per_sequence.memory * times.output_tokens)[:, 0]
    cache = (times.cache_seconds * times.output_tokens)[:, 0]
    weights = decode.memory - own
    return RequestSeconds(
        weights=weights,
        cache=cache,
        decode=decode.total - weights - cache,
        prefill=serving.prefill.total,
    )


def held_share(plan: Plan) -> Array:
    """Hours of devices that only hold caches, over the hours that are needed. [1]

    Requests alone would need fewer copies of the model than the caches of all users fill. A fleet
    that is kept counts its busiest hour, in whole servers where it is owned; one that follows the
    demand counts every hour. Both at the demand of the first month.
    """
    serving = plan.serving
    needed, by_requests = (
        (copies_by_hour(load, plan.shape.relative_load) + serving.spare_copies[:, None])
        * serving.layout_devices[:, None]
        for load in (serving.load_in_copies, serving.requests_load)
    )
    peak, peak_by_requests = needed.max(axis=1), by_requests.max(axis=1)
    is_owned = plan.is_owned("serving")
    follows = by_requests.mean(axis=1) / needed.mean(axis=1)
    owned = whole_servers(peak_by_requests, plan.arrays) / whole_servers(peak, plan.arrays)
    kept = np.where(is_owned, owned, peak_by_requests / peak)
    is_mix = is_owned & plan.serving_cost.is_mixed
    is_kept = np.where(is_owned, ~is_mix, plan.prices.rent_is_kept)
    return np.asarray(1 - np.where(is_kept, kept, follows))
