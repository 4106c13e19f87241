"""The devices one can buy or rent: their figures, the witness of each figure, and prices."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from hwplanner.assumptions import load_assumptions
from hwplanner.catalog.device import FORMATS, Device, DeviceArrays, device_arrays, device_from_row
from hwplanner.data_check import check_catalog, device_faults, price_faults, source_faults
from hwplanner.errors import CatalogError
from hwplanner.files.columns import did_you_mean
from hwplanner.files.csv_files import DATA_DIR, Row, read_rows, refuse

__all__ = [
    "DATA_DIR",
    "FORMATS",
    "Catalog",
    "Device",
    "DeviceArrays",
    "FigureSource",
    "PricePoint",
    "check_catalog",
    "device_arrays",
    "load_catalog",
]


class FigureSource(NamedTuple):
    """Witness of one figure: where it was read, and how far it can be trusted."""

    device_id: str
    column: str
    value: str
    title: str
    address: str
    date: str
    kind: str
    note: str


class PricePoint(NamedTuple):
    """One price seen on one day."""

    device_id: str
    provider: str
    instance: str
    kind: str
    market: str
    term: str
    usd: float
    """For one device to buy, for one device and hour to rent."""
    devices_per_offer: int | None
    """Devices that the offer comes with; None where its source does not say."""
    region: str
    date: str
    use: bool
    source: str
    note: str


@dataclass(frozen=True, eq=False)  # equal only to itself, so that it can key a cache
class Catalog:
    """Devices, the witness of every figure, and prices."""

    devices: tuple[Device, ...]
    sources: tuple[FigureSource, ...]
    prices: tuple[PricePoint, ...]

    @cached_property
    def date(self) -> str:
        """Day of the newest witness or price, which a shared link remembers."""
        dates = [source.date for source in self.sources] + [price.date for price in self.prices]
        return max((date for date in dates if len(date) == len("2026-11-30")), default="")

    @property
    def shortlist(self) -> tuple[Device, ...]:
        """Devices compared by default."""
        return tuple(device for device in self.devices if device.shortlist)

    def device(self, device_id: str) -> Device:
        """Device of that id."""
        try:
            return self._device_by_id[device_id]
        except KeyError:
            near = did_you_mean(device_id, self._device_by_id)
            raise CatalogError(f"no device {device_id!r} in the catalogue{near}") from None

    def source(self, device_id: str, column: str) -> FigureSource | None:
        """Witness of a figure, by its column in devices.csv."""
        return self._source_by_figure.get((device_id, column))

    def prices_for(self, device_id: str) -> tuple[PricePoint, ...]:
        """All price points of a device, also those that the planner leaves out."""
        return self._prices_by_device.get(device_id, ())

    @cached_property
    def _device_by_id(self) -> Mapping[str, Device]:
        return {device.id: device for device in self.devices}

    @cached_property
    def _source_by_figure(self) -> Mapping[tuple[str, str], FigureSource]:
        return {(source.device_id, source.column): source for source in self.sources}

    @cached_property
    def _prices_by_device(self) -> Mapping[str, tuple[PricePoint, ...]]:
        by_device: dict[str, tuple[PricePoint, ...]] = {}
        for price in self.prices:
            by_device[price.device_id] = (*by_device.get(price.device_id, ()), price)
        return by_device


@lru_cache
def load_catalog(directory: Path = DATA_DIR) -> Catalog:
    """Read the devices, sources and prices of a folder; a folder is read once."""
    device_rows, source_rows, price_rows = (
        read_rows(directory / file, error=CatalogError)
        for file in ("devices.csv", "device_sources.csv", "prices.csv")
    )
    row_by_id = {row.text("device_id"): row for row in device_rows}
    refuse(device_faults(device_rows), CatalogError)
    refuse(source_faults(source_rows, row_by_id), CatalogError)
    refuse(price_faults(price_rows, row_by_id), CatalogError)
    assumptions = load_assumptions()
    return Catalog(
        devices=tuple(device_from_row(row, assumptions) for row in device_rows),
        sources=tuple(FigureSource(**row.cells) for row in source_rows),
        prices=tuple(_price(row) for row in price_rows),
    )


def _price(row: Row) -> PricePoint:
    usd = row.text("usd_per_device") or row.text("usd_per_device_hour")
    read = ("usd", "devices_per_offer", "use")
    texts = {column: row.text(column) for column in PricePoint._fields if column not in read}
    return PricePoint(
        **texts,
        usd=float(usd),
        devices_per_offer=row.integer("devices_per_offer"),
        use=row.flag("use"),
    )
