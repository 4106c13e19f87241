"""What engines and training frameworks are said to run, by device family and number format.

`data/software_support.csv` has one row for each statement of a source. What no row says is
unknown, which is not the same as no.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from hwplanner.errors import CatalogError
from hwplanner.files.csv_files import DATA_DIR, Row, read_rows, refuse
from hwplanner.scenario import Job

Status = Literal["no", "unknown", "limited", "yes"]
RANKS: Mapping[Status, int] = {"no": 0, "unknown": 1, "limited": 2, "yes": 3}
"""The statuses from worst to best."""

DeviceKind: TypeAlias = tuple[str, str, str]
"""Id, family and efficiency class of a device."""
_Place: TypeAlias = tuple[str, str, str, str]

# Formats of the scenario under the names of the table; every GGUF file is read alike.
GGUF_FORMATS = ("q8_0", "q6_k", "q5_k_m", "q4_k_m", "q4_0")
CACHE_FORMATS = {"fp8": "kv_fp8", "int8": "kv_int8"}


@dataclass(frozen=True, slots=True)
class Statement:
    """What one source says about engines, families and formats."""

    engine: str
    families: tuple[str, ...]
    formats: tuple[str, ...]
    job: Job
    status: Status
    since: str
    note: str
    source: str
    address: str
    date: str

    @property
    def witness(self) -> str:
        """Site and day, for a remark in brackets."""
        return f"{urlsplit(self.address).netloc}, {self.date}"


@dataclass(frozen=True, eq=False)
class SoftwareSupport:
    """All statements, found by engine, device, format and job."""

    statements: tuple[Statement, ...]

    @cached_property
    def _by_place(self) -> Mapping[_Place, Statement]:
        return {
            (one.engine, family, number_format, one.job): one
            for one in self.statements
            for family in one.families
            for number_format in one.formats
        }

    @cached_property
    def training_engines(self) -> tuple[str, ...]:
        """Frameworks of which a row says something on training."""
        found = (one.engine for one in self.statements if one.job == "training")
        return tuple(dict.fromkeys(found))

    def find(
        self, engine: str, device: DeviceKind, number_format: str, job: Job
    ) -> Statement | None:
        """Statement on a device: of itself, of its class in its family, or of its family."""
        device_id, family, efficiency_class = device
        for name in (device_id, f"{family}/{efficiency_class}", family):
            found = self._by_place.get((engine, name, number_format, job))
            if found is not None:
                return found
        return None


def table_format(weight_format: str) -> str:
    """Name of a weight format in the table.

    Examples
    --------
    >>> table_format("q4_k_m"), table_format("fp8")
    ('gguf', 'fp8')
    """
    return "gguf" if weight_format in GGUF_FORMATS else weight_format


@lru_cache
def load_software_support(path: Path = DATA_DIR / "software_support.csv") -> SoftwareSupport:
    """Read the statements; a file is read once."""
    rows = read_rows(path, error=CatalogError)
    refuse(support_faults(rows, file=path.name), CatalogError)
    return SoftwareSupport(tuple(_statement(row) for row in rows))


def support_faults(
    rows: Iterable[Row],
    *,
    families: frozenset[str] | None = None,
    file: str = "software_support.csv",
) -> list[str]:
    """Find what no single cell shows: a case stated twice, a family that no device has.

    Parameters
    ----------
    rows
        Rows that are well one by one.
    families
        Names that devices answer to; not checked if left out.
    file
        Name of the file.
    """
    faults = []
    seen: dict[_Place, int] = {}
    for row in rows:
        place = f"{file} line {row.line}, {row.text('engine')}"
        for family in row.names("families"):
            if families is not None and family not in families:
                faults.append(f"{place}: no device is of family {family!r}; see devices.csv")
            for number_format in row.names("formats"):
                key = (row.text("engine"), family, number_format, row.text("job"))
                first = seen.setdefault(key, row.line)
                if first != row.line:
                    case = f"{number_format} on {family}"
                    faults.append(f"{place}: {case} repeats line {first}; keep one of the two")
    return faults


def family_names(devices: Iterable[DeviceKind]) -> frozenset[str]:
    """Names that devices answer to in the table: id, family/class, family."""
    return frozenset(
        name
        for device_id, family, efficiency_class in devices
        for name in (device_id, family, f"{family}/{efficiency_class}")
    )


def _statement(row: Row) -> Statement:
    return Statement(
        engine=row.text("engine"),
        families=row.names("families"),
        formats=row.names("formats"),
        job="training" if row.text("job") == "training" else "serving",
        status=next(status for status in RANKS if status == row.text("status")),
        since=row.text("since"),
        note=row.text("note"),
        source=row.text("source"),
        address=row.text("address"),
        date=row.text("date"),
    )
