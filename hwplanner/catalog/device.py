"""A device, alone or as one entry of arrays over many devices, in base units.

A figure that is not published is None in a `Device` and NaN in `DeviceArrays`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from hwplanner.assumptions import Assumptions
from hwplanner.files.csv_files import Row
from hwplanner.units import BITS_PER_BYTE, GB, GIB, MB, TERA, Array, Quantity

FORMATS = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp6", "fp4", "int8", "int4")
"""Number formats whose peak rate the catalogue gives."""

Support = Literal["yes", "limited", "no"]


class Device(BaseModel):
    """One device as its maker and its witnesses describe it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    vendor: str
    family: str
    form_factor: str
    release_date: str
    segment: str
    shortlist: bool
    efficiency_class: str
    memory_bytes: float
    """Memory on the label, whose GB behave like GiB."""
    usable_memory_bytes: float
    usable_memory_basis: Literal["measured", "assumed"]
    memory_type: str
    memory_kind: str
    memory_bandwidth_bytes_per_s: float | None
    fp64_flop_per_s: float | None
    fp32_flop_per_s: float | None
    tf32_flop_per_s: float | None
    fp16_flop_per_s: float | None
    bf16_flop_per_s: float | None
    fp8_flop_per_s: float | None
    fp6_flop_per_s: float | None
    fp4_flop_per_s: float | None
    int8_flop_per_s: float | None
    int4_flop_per_s: float | None
    cache_bytes: float | None
    tdp_watts: float | None
    devices_per_server: int | None
    link_class: str
    scale_up_link: str
    link_bytes_per_s: float | None
    """All fast links of one device together, in each direction."""
    pairwise_link_bytes_per_s: float | None
    """Between two joined devices of a mesh; None where a switch joins them, or unknown."""
    scale_up_domain: int
    """Devices that the fast link joins; 1 where no wider domain is published."""
    host_link: str
    host_link_bytes_per_s: float | None
    scale_out_bytes_per_s: float | None
    training_supported: Support
    inference_supported: Support
    software_stack: str
    frameworks: tuple[str, ...]
    confidence: str
    note: str

    def peak_flop_per_s(self, number_format: str) -> float | None:
        """Dense peak rate in one of `FORMATS`; None if not published or not supported."""
        peak: float | None = getattr(self, f"{number_format}_flop_per_s")
        return peak


# Number columns of devices.csv: field, column, size of the column's unit in base units.
_QUANTITIES = (
    *((f"{name}_flop_per_s", f"{name}_tflops", TERA) for name in FORMATS if name[0] != "i"),
    *((f"{name}_flop_per_s", f"{name}_tops", TERA) for name in FORMATS if name[0] == "i"),
    ("memory_bandwidth_bytes_per_s", "memory_bandwidth_gb_per_s", GB),
    ("cache_bytes", "cache_mb", MB),
    ("tdp_watts", "tdp_w", 1),
    ("link_bytes_per_s", "link_gb_per_s_per_direction", GB),
    ("pairwise_link_bytes_per_s", "pairwise_link_gb_per_s_per_direction", GB),
    ("host_link_bytes_per_s", "host_link_gb_per_s_per_direction", GB),
    ("scale_out_bytes_per_s", "scale_out_gbit_per_s", GB / BITS_PER_BYTE),
)
_SAME_TEXTS = (
    *("name", "vendor", "family", "form_factor", "release_date", "segment", "efficiency_class"),
    *("memory_type", "memory_kind", "link_class", "scale_up_link", "host_link"),
    *("training_supported", "inference_supported", "software_stack", "confidence", "note"),
)


def device_name(device: Device) -> str:
    """Say a device with its maker, once, and without remarks in brackets."""
    name = device.name.partition(" (")[0]
    return name if name.startswith(device.vendor) else f"{device.vendor} {name}"


def device_from_row(row: Row, assumptions: Assumptions) -> Device:
    """Device of one row of devices.csv."""
    label_bytes = float(row.text("memory_gib")) * GIB
    measured_gib = row.number("usable_memory_gib")
    share = assumptions.typical("usable_memory_share", row.text("memory_kind"))
    values: dict[str, object] = {column: row.text(column) for column in _SAME_TEXTS}
    for field, column, unit in _QUANTITIES:
        value = row.number(column)
        values[field] = None if value is None else value * unit
    return Device.model_validate(
        values
        | {
            "id": row.text("device_id"),
            "shortlist": row.flag("shortlist"),
            "memory_bytes": label_bytes,
            "usable_memory_bytes": label_bytes * share
            if measured_gib is None
            else measured_gib * GIB,
            "usable_memory_basis": "assumed" if measured_gib is None else "measured",
            "devices_per_server": row.integer("devices_per_server"),
            "scale_up_domain": row.integer("scale_up_domain") or 1,
            "frameworks": row.names("frameworks"),
        }
    )


@dataclass(frozen=True, slots=True)
class DeviceArrays:
    """The figures of many devices, one entry each, for formulas that broadcast."""

    ids: tuple[str, ...]
    vendor: tuple[str, ...]
    family: tuple[str, ...]
    efficiency_class: tuple[str, ...]
    link_class: tuple[str, ...]
    memory_kind: tuple[str, ...]
    training_supported: tuple[Support, ...]
    inference_supported: tuple[Support, ...]
    frameworks: tuple[tuple[str, ...], ...]
    memory_bytes: Array
    usable_memory_bytes: Array
    memory_bandwidth_bytes_per_s: Array
    peak_flop_per_s: Mapping[str, Array]
    """Dense peak rates by number format."""
    rated_watts: Array
    """Board power on the data sheet."""
    tdp_watts: Array
    """What the board may draw: its rating, or a smaller cap."""
    devices_per_server: Array
    link_bytes_per_s: Array
    pairwise_link_bytes_per_s: Array
    scale_up_domain: Array
    host_link_bytes_per_s: Array
    scale_out_bytes_per_s: Array

    def __len__(self) -> int:
        """Count the devices."""
        return len(self.ids)

    @property
    def is_whole_machine(self) -> NDArray[np.bool_]:
        """Whether a device is bought as a complete computer: those with unified memory are."""
        return np.array([kind == "unified" for kind in self.memory_kind])


def device_arrays(devices: Sequence[Device]) -> DeviceArrays:
    """Figures of several devices as arrays, in the order given."""

    def numbers(field: str) -> Array:
        return _array(getattr(device, field) for device in devices)

    return DeviceArrays(
        ids=tuple(device.id for device in devices),
        vendor=tuple(device.vendor for device in devices),
        family=tuple(device.family for device in devices),
        efficiency_class=tuple(device.efficiency_class for device in devices),
        link_class=tuple(device.link_class for device in devices),
        memory_kind=tuple(device.memory_kind for device in devices),
        training_supported=tuple(device.training_supported for device in devices),
        inference_supported=tuple(device.inference_supported for device in devices),
        frameworks=tuple(device.frameworks for device in devices),
        memory_bytes=numbers("memory_bytes"),
        usable_memory_bytes=numbers("usable_memory_bytes"),
        memory_bandwidth_bytes_per_s=numbers("memory_bandwidth_bytes_per_s"),
        peak_flop_per_s={name: numbers(f"{name}_flop_per_s") for name in FORMATS},
        rated_watts=numbers("tdp_watts"),
        tdp_watts=numbers("tdp_watts"),
        devices_per_server=numbers("devices_per_server"),
        link_bytes_per_s=numbers("link_bytes_per_s"),
        pairwise_link_bytes_per_s=numbers("pairwise_link_bytes_per_s"),
        scale_up_domain=numbers("scale_up_domain"),
        host_link_bytes_per_s=numbers("host_link_bytes_per_s"),
        scale_out_bytes_per_s=numbers("scale_out_bytes_per_s"),
    )


def with_power_cap(devices: DeviceArrays, watts: Quantity) -> DeviceArrays:
    """Devices whose boards are set to draw no more than a cap.

    Parameters
    ----------
    devices
        The devices.
    watts
        Cap of each device, one for all or one each; 0 or NaN for none. [W]

    Returns
    -------
    DeviceArrays
        The same, allowed the smaller of rating and cap. A rating that is not published stays
        unknown: the board may draw less than the cap by itself.
    """
    cap = np.where(np.greater(watts, 0), watts, np.inf)
    return replace(devices, tdp_watts=np.minimum(devices.rated_watts, cap))


def _array(values: Iterable[float | None]) -> Array:
    """Numbers as an array, with NaN for None."""
    array: Array = np.array([np.nan if value is None else value for value in values], dtype=float)
    array.flags.writeable = False
    return array
