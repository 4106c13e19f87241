"""Devices by the names that people give them: `data/device_names.csv`.

A name is taken apart into what only qualifies it (vendor, form factor, memory, count, power limit)
and what is left, which must be a known name to the letter. Nothing is matched by likeness.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from hwplanner.errors import CatalogError
from hwplanner.files.columns import did_you_mean
from hwplanner.files.csv_files import DATA_DIR, Row, read_rows, refuse
from hwplanner.files.csv_text import quoted, shown

FILE = "device_names.csv"
MEMORY_TOLERANCE = 0.10  # labels, what the driver leaves of them, and GB taken for GiB
MIB_PER_GIB = 1024.0


@dataclass(frozen=True, slots=True)
class DeviceMatch:
    """Device of the catalogue that a name means."""

    device_id: str
    devices_each: float = 1.0
    """Devices of the catalogue in one that is named: 2 for a card of two or a two-socket node."""
    power_cap_watts: float | None = None
    """Limit below the usual one that the name states."""
    devices_named: int | None = None
    """Devices that the name counts: 8 in 8xH100 or in the machine p5.48xlarge."""
    memory_gib: float | None = None
    """Memory that the name states."""

    def devices(self, n_devices: float | None, *, parallel: float = 1.0) -> float:
        """Devices of the catalogue in a run.

        Parameters
        ----------
        n_devices
            Devices as the row counts them; None where it does not. [devices]
        parallel
            Devices that one copy of the model is split over; where these are more than the row
            counts, it counts machines. [devices]

        Examples
        --------
        >>> DeviceMatch("nvidia-h100-sxm", devices_named=8).devices(2, parallel=16)
        16.0
        """
        counted = n_devices or self.devices_named or 1
        if self.devices_named and counted < parallel:
            counted *= self.devices_named
        return float(counted * self.devices_each)


@dataclass(frozen=True, slots=True)
class _Known:
    """One line of the file: a device under conditions of form factor and memory."""

    device_id: str
    form_factors: frozenset[str]
    memory_gib: tuple[float, ...]
    devices_each: float
    machine_devices: int | None


@dataclass(frozen=True, slots=True)
class _Parts:
    """A name taken apart."""

    core: str
    form_factors: frozenset[str]
    memory_gib: tuple[float, ...]
    count: int | None
    power_cap_watts: float | None


@lru_cache(maxsize=4096)
def resolve_device(text: str) -> DeviceMatch | None:
    """Device that a name means; None where it is not known to the letter.

    Examples
    --------
    >>> resolve_device("NVIDIA H100-PCIe-80GB").device_id
    'nvidia-h100-pcie'
    >>> resolve_device("A100 SXM 80GB (330 W limit)").power_cap_watts
    330.0
    >>> resolve_device("2x Intel Xeon 6980P").devices_each
    2.0
    >>> resolve_device("H1000") is None
    True
    """
    matches = (_match(reading) for reading in _readings(text))
    return next((match for match in matches if match), None)


def resolve_system(text: str) -> DeviceMatch | None:
    """Accelerator, or else processor, in the name that MLPerf gives to a whole system.

    Examples
    --------
    >>> resolve_system("C240M7_L40Sx2_TRT").devices_named
    2
    """
    words = re.split(r"[_-]", text)
    spans = sorted(
        ((start, end) for end in range(1, len(words) + 1) for start in range(end)),
        key=lambda span: span[0] - span[1],
    )
    matches = (resolve_device(" ".join(words[start:end])) for start, end in spans)
    return min(
        (match for match in matches if match),
        key=lambda match: (match.device_id.startswith("cpu-"), match.memory_gib is None),
        default=None,
    )


def unknown_device(text: str) -> str:
    """Say that a name is not known, with the known ones that look like it."""
    if not text.strip():
        return "no device is named"
    near = did_you_mean(_parts(text).core, _known())
    return f"the device {quoted(text)} is not known{near}"


def device_name_faults(
    rows: Sequence[Row], devices: Mapping[str, object], *, file: str = FILE
) -> list[str]:
    """Find what no single cell shows: an unknown device, a name that means two devices."""
    faults = []
    seen: dict[tuple[object, ...], int] = {}
    for row in rows:
        place = f"{file} line {row.line}, {shown(row.text('names'))}"
        if row.text("device_id") not in devices:
            faults.append(
                f"{place}: device_id is {quoted(row.text('device_id'))}; "
                "write one of devices.csv, or add it there"
            )
        for memory in row.names("memory_gib"):
            if not re.fullmatch(r"\d+(\.\d+)?", memory):
                faults.append(f"{place}: memory_gib has {quoted(memory)}; write numbers of GiB")
        for name in row.names("names"):
            conditions = (row.names("form_factors"), row.names("memory_gib"))
            first = seen.setdefault((_squeezed(name), *conditions), row.line)
            if first != row.line:
                faults.append(f"{place}: {quoted(name)} repeats line {first}; keep one of the two")
    return faults


@lru_cache
def _known() -> Mapping[str, tuple[_Known, ...]]:
    """Devices by name, the id of the catalogue included, in the order of the file."""
    rows = read_rows(DATA_DIR / FILE, error=CatalogError)
    refuse(device_name_faults(rows, {row.text("device_id"): row for row in rows}), CatalogError)
    known: dict[str, list[_Known]] = {}
    for row in rows:
        device = _Known(
            device_id=row.text("device_id"),
            form_factors=frozenset(row.names("form_factors")),
            memory_gib=tuple(map(float, row.names("memory_gib"))),
            devices_each=row.number("devices_each") or 1.0,
            machine_devices=row.integer("machine_devices"),
        )
        for name in row.names("names"):
            known.setdefault(_squeezed(name), []).append(device)
    for row in rows:
        itself = _Known(row.text("device_id"), frozenset(), (), 1.0, None)
        known.setdefault(_squeezed(row.text("device_id")), [itself])
    return {name: tuple(devices) for name, devices in known.items()}


def _match(parts: _Parts) -> DeviceMatch | None:
    """Device of a name that is known, in the form factor and nearest to the memory that it says."""
    fitting = [
        (distance, device)
        for device in _known().get(parts.core, ())
        if not device.form_factors or parts.form_factors <= device.form_factors
        if (distance := _distance(parts.memory_gib, device.memory_gib)) <= MEMORY_TOLERANCE
    ]
    if not fitting:
        return None
    _, device = min(fitting, key=lambda pair: pair[0])
    return DeviceMatch(
        device_id=device.device_id,
        devices_each=device.devices_each,
        power_cap_watts=parts.power_cap_watts,
        devices_named=parts.count or device.machine_devices,
        memory_gib=min(parts.memory_gib, default=None),
    )


def _distance(said: Sequence[float], labels: Sequence[float]) -> float:
    """Relative difference of the memory that a name says from a label; 0 where either is open."""
    if not said or not labels:
        return 0.0
    return min(abs(memory / label - 1) for memory in said for label in labels)


# Words that are not part of the name: who makes it, what it is.
_NOISE = re.compile(
    r"\b(?:nvidia|amd|intel|apple|google|cloud|aws|amazon|huawei|qualcomm|tenstorrent|tesla"
    r"|geforce|instinct|radeon|habana|quadro|tensor core|gpus?|npu|cpu|chips?|cards?|accelerators?"
    r"|graphics|generation|edition|class|superchip|server|node|usable|mac (?:studio|mini|pro)"
    r"|macbook (?:pro|air)|aarch64|unified|memory|v?ram|hbm[23]?e?"
    r"|gddr[567]x?|lpddr[45]x?|nvlink|thread)\b"
)
_FORM_FACTOR = re.compile(r"(?<![a-z])(?:sxm\d?|pcie|nvl\d*|oam|hgx|dgx)(?![a-z])")
_POWER = re.compile(r"(\d+(?:\.\d+)?)\s*w(?:atts?)?\b(?:\s*(?:power\s*)?(?:limit|cap|tdp)\b)?")
_MEMORY = re.compile(r"(?<![a-z\d.])(\d+(?:\.\d+)?)\s*(gi?b?|mi?b)\b")
_COUNT = re.compile(
    r"^(\d+)\s*(?:[x*]\s*(?=[a-z])|gpus?\b)|\(?(?<![a-z\d])(?:[x*]\s*(\d+)|(\d+)\s*x)\)?$"
)
_COUNT_AT_END = re.compile(r"(?<=[a-z\d])[x*](\d+)$")
_BARE_MEMORY = re.compile(r"(?<=[a-z\d])[\s_-]+(\d{2,3})$")
_REMARK = re.compile(r"\((?![^()]*\d[ -]core\b)[^()]*\)")  # the number of cores tells devices apart


def _readings(text: str) -> Iterator[_Parts]:
    """Ways to read a name, the most literal first."""
    plain = _plain(text)
    yield _Parts(_squeezed(plain), frozenset(), (), None, None)  # a machine's or a catalogue's name
    shortened = re.sub(r",[^()]*\)", ")", plain)
    without_remarks = _REMARK.sub(" ", plain).strip()
    for version in dict.fromkeys((plain, shortened, without_remarks)):
        parts = _parts(version)
        if parts.count:  # a node of two sockets has a name of its own
            yield replace(parts, core=f"{parts.count}x{parts.core}", count=None)
        yield parts
        # "A100-80": the memory without its unit.
        if bare := _BARE_MEMORY.search(_FORM_FACTOR.sub("", version).strip()):
            shorter = _parts(version.replace(bare[1], " "))
            if not shorter.memory_gib:
                yield replace(shorter, memory_gib=(float(bare[1]),))


def _parts(text: str) -> _Parts:
    """Take a name apart."""
    rest = re.sub(r"[_/]", " ", _plain(text))
    count = None
    if found := _COUNT.search(rest) or _COUNT_AT_END.search(rest):
        count = int(next(group for group in found.groups() if group))
        rest = rest[: found.start()] + " " + rest[found.end() :]
    power = _POWER.search(rest)
    rest = _POWER.sub(" ", rest)
    memory = tuple(
        float(size) / (MIB_PER_GIB if unit.startswith("m") else 1)
        for size, unit in _MEMORY.findall(rest)
    )
    rest = _MEMORY.sub(" ", rest)
    form_factors = frozenset(
        re.sub(r"sxm\d", "sxm", form) for form in _FORM_FACTOR.findall(rest.replace("-", " "))
    )
    rest = _FORM_FACTOR.sub(" ", rest.replace("-", " "))
    return _Parts(
        core=_squeezed(_NOISE.sub(" ", rest)),
        form_factors=form_factors,
        memory_gib=memory,
        count=count,
        power_cap_watts=float(power[1]) if power else None,
    )


def _plain(text: str) -> str:
    """Small letters, one kind of dash and multiplication sign, no marks of trade."""
    normal = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[™®©~]|\((?:tm|r|c)\)|\bw/", " ", normal).replace("×", "x").strip()


def _squeezed(text: str) -> str:
    """Letters, digits and plus signs only: spelling of blanks and dashes does not matter."""
    return re.sub(r"[^a-z\d+]", "", text.casefold())
