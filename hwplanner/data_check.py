"""What is wrong with a data file that no single cell shows, and the check of a whole file."""

import datetime
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from hwplanner.assumptions import assumption_faults
from hwplanner.catalog.software_support import family_names, support_faults
from hwplanner.demand.shapes import demand_faults
from hwplanner.errors import CatalogError, DataFileError
from hwplanner.evidence.device_names import device_name_faults
from hwplanner.evidence.model_names import model_name_faults
from hwplanner.files.columns import Column, first_day
from hwplanner.files.csv_files import (
    DATA_DIR,
    MAX_FAULTS,
    Row,
    check_rows,
    load_dictionary,
    read_rows,
    shipped_dictionary,
)
from hwplanner.files.csv_text import UnreadableError, one_line, quoted, read_bytes, records, shown
from hwplanner.model.presets import model_faults


def check_catalog(path: Path, *, today: datetime.date | None = None) -> list[str]:
    """All faults of a data file, a line each; none means that the planner can use it.

    The header tells which of the data files it is. A file that speaks of the rows of another, as
    prices do of devices, is held against the one beside it or, where there is none, against the
    planner's own.

    Parameters
    ----------
    path
        File.
    today
        Day after which nothing can have been seen yet; the clock's by default.

    Raises
    ------
    CatalogError
        When there is no ordinary file to read, or the one beside it is at fault itself.
    """
    try:
        content = read_bytes(path)
        kind = _kind_of_file([name.strip().lower() for name in next(records(content))[1]])
    except UnreadableError as fault:
        raise CatalogError(one_line(f"{path} {fault}")) from fault
    except ValueError as fault:
        return [one_line(f"{path.name} {fault}")]
    columns = shipped_dictionary()[kind]
    rows, faults = check_rows(content, file=path.name, columns=columns)
    if not faults:
        faults = _faults_of_rows(rows, kind, path)
        # East of here it may be tomorrow already.
        latest = (today or datetime.date.today()) + datetime.timedelta(days=1)
        faults += future_faults(rows, columns, latest, file=path.name)
    if len(faults) > MAX_FAULTS:
        faults[MAX_FAULTS:] = [f"{path.name}: only the first {MAX_FAULTS} faults are listed"]
    return [one_line(fault) for fault in faults]


def _faults_of_rows(rows: list[Row], kind: str, path: Path) -> list[str]:
    """What rows that are well one by one get wrong together."""
    match kind:
        case "devices.csv":
            return device_faults(rows, file=path.name)
        case "device_sources.csv":
            return source_faults(rows, _devices_beside(path), file=path.name)
        case "prices.csv":
            return price_faults(rows, _devices_beside(path), file=path.name)
        case "models.csv":
            return model_faults(rows, file=path.name)
        case "assumptions.csv" | "calibration.csv":
            return assumption_faults(rows, file=path.name)
        case "demand.csv":
            return demand_faults(_rows_beside(path, "demand_shapes.csv"), rows)
        case "demand_shapes.csv":
            return demand_faults(rows, _rows_beside(path, "demand.csv"))
        case "software_support.csv":
            kinds = [
                (row.text("device_id"), row.text("family"), row.text("efficiency_class"))
                for row in _devices_beside(path).values()
            ]
            return support_faults(rows, families=family_names(kinds), file=path.name)
        case "device_names.csv":
            return device_name_faults(rows, _devices_beside(path), file=path.name)
        case "model_names.csv":
            models = _rows_beside(path, "models.csv")
            return model_name_faults(rows, [row.text("id") for row in models], file=path.name)
        case "columns.csv":
            return _dictionary_faults(path)
        case _:
            return []


def future_faults(
    rows: Iterable[Row], columns: Iterable[Column], latest: datetime.date, *, file: str
) -> list[str]:
    """Sources and prices of a day that is still to come; a device may be announced for one."""
    seen = [column.name for column in columns if column.type == "date"]
    return [
        f"{file} line {row.line}: {name} is {row.text(name)!r}, a day still to come; "
        "write the day of the source"
        for row in rows
        for name in seen
        if name != "release_date" and row.text(name) and first_day(row.text(name)) > latest
    ]


def device_faults(rows: Iterable[Row], *, file: str = "devices.csv") -> list[str]:
    """Rows whose own figures contradict each other."""
    faults = []
    for row in rows:
        place = f"{file} line {row.line}, {shown(row.text('device_id'))}"
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
        place = f"{file} line {row.line}, {shown(device_id)} / {shown(column)}"
        if device_id not in devices:
            faults.append(_unknown_device(place, device_id))
        elif column not in devices[device_id].cells:
            faults.append(f"{place}: column is {quoted(column)}; write a column of devices.csv")
        elif value != (listed := devices[device_id].text(column)):
            faults.append(
                f"{place}: value is {quoted(value)}; devices.csv has {quoted(listed)}, correct one"
            )
    return faults


def price_faults(
    rows: Iterable[Row], devices: Collection[str], *, file: str = "prices.csv"
) -> list[str]:
    """Prices of unknown devices, and rents and purchases in the wrong column."""
    faults = []
    for row in rows:
        device_id, kind = row.text("device_id"), row.text("kind")
        place = f"{file} line {row.line}, {shown(device_id)}"
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
    return f"{place}: device_id is {quoted(device_id)}; write one of devices.csv, or add it there"


def _devices_beside(path: Path) -> dict[str, Row]:
    return {row.text("device_id"): row for row in _rows_beside(path, "devices.csv")}


def _rows_beside(path: Path, name: str) -> list[Row]:
    beside = path.with_name(name)
    try:
        return read_rows(beside if beside.exists() else DATA_DIR / name, error=CatalogError)
    except CatalogError as fault:
        raise CatalogError(
            one_line(f"{path} cannot be checked before {beside} is put right: {fault}")
        ) from fault


def _dictionary_faults(path: Path) -> list[str]:
    try:
        load_dictionary(path)
    except DataFileError as fault:
        return [str(fault)]
    return []


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
