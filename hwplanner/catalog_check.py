"""What is wrong with a data file that no single cell shows, and the check of a whole file."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from hwplanner.assumptions import assumption_faults
from hwplanner.csv_files import (
    DATA_DIR,
    Row,
    check_rows,
    read_rows,
    shipped_dictionary,
)
from hwplanner.csv_text import read_bytes, records
from hwplanner.errors import CatalogError


def check_catalog(path: Path) -> list[str]:
    """All faults of a data file; none means that the planner can use it.

    The header tells which of the data files it is. Sources and prices are held against the
    devices of the `devices.csv` beside them or, where there is none, of the planner's own.
    """
    try:
        content = read_bytes(path)
        header = next(records(content))[1]
        kind = _kind_of_file([name.strip() for name in header])
    except ValueError as fault:
        return [f"{path.name} {fault}"]
    rows, faults = check_rows(content, file=path.name, columns=shipped_dictionary()[kind])
    if faults:
        return faults
    match kind:
        case "devices.csv":
            return device_faults(rows, file=path.name)
        case "device_sources.csv":
            return source_faults(rows, _devices_beside(path), file=path.name)
        case "prices.csv":
            return price_faults(rows, _devices_beside(path), file=path.name)
        case "assumptions.csv":
            return assumption_faults(rows, file=path.name)
        case _:
            return []


def device_faults(rows: Iterable[Row], *, file: str = "devices.csv") -> list[str]:
    """Rows whose own figures contradict each other."""
    faults = []
    for row in rows:
        place = f"{file} line {row.line}, {row.text('device_id')}"
        for smaller, larger in _NEVER_MORE:
            low, high = row.number(smaller), row.number(larger)
            if low is not None and high is not None and low > high:
                faults.append(
                    f"{place}: {smaller} is {low:g}, more than {larger} {high:g}; correct one"
                )
        if row.text("link_class") in ("none", "pcie") and row.text("link_gb_per_s_per_direction"):
            faults.append(
                f"{place}: link_gb_per_s_per_direction is "
                f"{row.text('link_gb_per_s_per_direction')!r} but link_class is "
                f"{row.text('link_class')!r}; leave the first blank or name the link"
            )
    return faults


_NEVER_MORE = (
    ("usable_memory_gib", "memory_gib"),
    ("pairwise_link_gb_per_s_per_direction", "link_gb_per_s_per_direction"),
)


def source_faults(
    rows: Iterable[Row], devices: Mapping[str, Row], *, file: str = "device_sources.csv"
) -> list[str]:
    """Witnesses of a figure that the catalogue does not have, or has differently."""
    faults = []
    for row in rows:
        device_id, column, value = row.text("device_id"), row.text("column"), row.text("value")
        place = f"{file} line {row.line}, {device_id} / {column}"
        if device_id not in devices:
            faults.append(_unknown_device(place, device_id))
        elif column not in devices[device_id].cells:
            faults.append(f"{place}: column is {column!r}; write a column of devices.csv")
        elif value != (listed := devices[device_id].text(column)):
            faults.append(f"{place}: value is {value!r}; devices.csv has {listed!r}, correct one")
    return faults


def price_faults(
    rows: Iterable[Row], devices: Collection[str], *, file: str = "prices.csv"
) -> list[str]:
    """Prices of unknown devices, and rents and purchases in the wrong column."""
    faults = []
    for row in rows:
        device_id, kind = row.text("device_id"), row.text("kind")
        place = f"{file} line {row.line}, {device_id}"
        if device_id not in devices:
            faults.append(_unknown_device(place, device_id))
        right, wrong = ("usd_per_device", "usd_per_device_hour")
        if kind != "purchase":
            right, wrong = wrong, right
        if not row.text(right):
            faults.append(f"{place}: {right} is blank; a price of kind {kind} stands there")
        if row.text(wrong):
            faults.append(
                f"{place}: {wrong} is {row.text(wrong)!r}; leave it blank for the kind {kind}"
            )
    return faults


def _unknown_device(place: str, device_id: str) -> str:
    return f"{place}: device_id is {device_id!r}; write one of devices.csv, or add it there"


def _devices_beside(path: Path) -> dict[str, Row]:
    beside = path.with_name("devices.csv")
    devices = beside if beside.exists() else DATA_DIR / "devices.csv"
    return {row.text("device_id"): row for row in read_rows(devices, error=CatalogError)}


def _kind_of_file(header: Collection[str]) -> str:
    """Name of the data file that shares most columns with a header."""
    shared = {
        file: len({column.name for column in columns} & set(header)) / len(columns)
        for file, columns in shipped_dictionary().items()
    }
    kind = max(shared, key=shared.__getitem__)
    if shared[kind] < 0.5:
        raise ValueError(
            f"line 1: the columns fit none of {', '.join(sorted(shared))}; "
            "data/columns.csv lists the columns of each"
        )
    return kind
