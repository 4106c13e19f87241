"""What the planner knows: devices, witnesses, prices, models, assumptions, columns."""

from __future__ import annotations

from hwplanner.catalog.device import Device
from hwplanner.catalog.software import software_name
from hwplanner.catalog.software_support import family_names, load_software_support
from hwplanner.files.csv_files import shipped_dictionary
from hwplanner.model.kv_cache import cache_bytes_per_token
from hwplanner.model.numbers import model_numbers
from hwplanner.model.presets import load_models
from hwplanner.money.device_prices import device_prices
from hwplanner.plan import Plan
from hwplanner.report.tables import Column, Table
from hwplanner.units import BILLION, GIB


def catalogue_table(plan: Plan) -> Table:
    """Every device with its published figures; what is not published stays empty."""
    columns = (
        Column("device", "Device"),
        Column("vendor", "Vendor"),
        Column("memory_gib", "Memory", "GiB"),
        Column("usable_gib", "Usable", "GiB"),
        Column("bandwidth_gb_per_s", "Bandwidth", "GB/s"),
        Column("bf16_tflops", "bf16", "TFLOP/s"),
        Column("fp8_tflops", "fp8", "TFLOP/s"),
        Column("fp4_tflops", "fp4", "TFLOP/s"),
        Column("tdp_w", "Power", "W"),
        Column("link", "Link"),
        Column("domain", "Fast domain", "devices"),
        Column("training", "Training"),
        Column("purchase_usd", "Purchase", "USD"),
        Column("rent_usd", "Rent", "USD/h"),
        Column("price_basis", "Price from"),
    )
    ids = tuple(device.id for device in plan.catalog.devices)
    prices = device_prices(plan.scenario, ids, plan.catalog)

    def in_unit(value: float | None, unit: float) -> float:
        return float("nan") if value is None else value / unit

    rows = tuple(
        {
            "device": device.name,
            "vendor": device.vendor,
            "memory_gib": device.memory_bytes / GIB,
            "usable_gib": device.usable_memory_bytes / GIB,
            "bandwidth_gb_per_s": in_unit(device.memory_bandwidth_bytes_per_s, 1e9),
            "bf16_tflops": in_unit(device.bf16_flop_per_s, 1e12),
            "fp8_tflops": in_unit(device.fp8_flop_per_s, 1e12),
            "fp4_tflops": in_unit(device.fp4_flop_per_s, 1e12),
            "tdp_w": in_unit(device.tdp_watts, 1),
            "link": device.scale_up_link,
            "domain": device.scale_up_domain,
            "training": device.training_supported,
            "purchase_usd": float(prices.purchase_usd[index]),
            "rent_usd": float(prices.rent_usd_per_hour[index]),
            "price_basis": "; ".join(
                filter(None, (prices.purchase_basis[index], prices.rent_basis[index]))
            ),
        }
        for index, device in enumerate(plan.catalog.devices)
    )
    return Table("catalogue", "Devices of the catalogue", columns, rows)


def witness_table(plan: Plan, device_id: str) -> Table:
    """Every figure of a device with where it was read, and its prices."""
    columns = (
        Column("figure", "Figure"),
        Column("value", "Value"),
        Column("source", "Source"),
        Column("date", "Date"),
        Column("kind", "Kind"),
        Column("note", "Note"),
    )
    figures = tuple(
        {
            "figure": source.column,
            "value": source.value,
            "source": " ".join(filter(None, (source.title, source.address))) or source.kind,
            "date": source.date,
            "kind": source.kind,
            "note": source.note,
        }
        for source in plan.catalog.sources
        if source.device_id == device_id
    )
    return Table("witnesses", "Figures and where they were read", columns, figures)


def price_table(plan: Plan, device_id: str) -> Table:
    """Every price point of a device."""
    columns = (
        Column("kind", "Kind"),
        Column("provider", "Provider"),
        Column("market", "Market"),
        Column("term", "Term"),
        Column("usd", "Price", "USD, a device or a device-hour"),
        Column("devices_per_offer", "Comes with", "devices"),
        Column("date", "Date"),
        Column("used", "Used"),
        Column("source", "Source"),
    )
    rows = tuple(
        {
            "kind": point.kind.replace("_", " "),
            "provider": point.provider,
            "market": point.market,
            "term": point.term,
            "usd": point.usd,
            "devices_per_offer": point.devices_per_offer,
            "date": point.date,
            "used": point.use,
            "source": point.source,
        }
        for point in plan.catalog.prices_for(device_id)
    )
    return Table("prices", "Price points", columns, rows)


def models_table() -> Table:
    """Published architectures."""
    columns = (
        Column("name", "Model"),
        Column("parameters", "Parameters", "billion"),
        Column("active", "Used by a token", "billion"),
        Column("layers", "Layers"),
        Column("hidden", "Width"),
        Column("kv_heads", "Key-value heads"),
        Column("cache", "Cache of a token", "bytes at 16 bit"),
        Column("context", "Longest context", "tokens"),
        Column("confidence", "Confidence"),
        Column("source", "Source"),
    )
    rows = []
    for shape in load_models().shapes:
        numbers = model_numbers(shape)
        rows.append(
            {
                "name": shape.name,
                "parameters": round(float(numbers.total_parameters) / BILLION, 3),
                "active": round(float(numbers.active_parameters) / BILLION, 3),
                "layers": shape.layers,
                "hidden": shape.hidden,
                "kv_heads": shape.kv_heads,
                "cache": float(cache_bytes_per_token(model=numbers, bytes_per_value=2.0)),
                "context": shape.max_context,
                "confidence": shape.confidence,
                "source": shape.source,
            }
        )
    return Table("models", "Models", columns, tuple(rows))


def assumptions_table(plan: Plan) -> Table:
    """Every hand-set number with its range and source."""
    columns = tuple(
        Column(name, name.capitalize())
        for name in ("name", "key", "low", "typical", "high", "unit", "meaning", "source", "date")
    )
    rows = tuple(
        {column.name: getattr(item, column.name) for column in columns}
        for item in plan.assumptions.by_name_and_key.values()
    )
    return Table("assumptions", "Assumptions", columns, rows)


def dictionary_table() -> Table:
    """What each column of each data file holds."""
    columns = (
        Column("file", "File"),
        Column("column", "Column"),
        Column("unit", "Unit"),
        Column("holds", "Holds"),
        Column("meaning", "Meaning"),
    )
    rows = tuple(
        {
            "file": file,
            "column": column.name,
            "unit": column.unit,
            "holds": column.wanted,
            "meaning": column.meaning,
        }
        for file, described in shipped_dictionary().items()
        for column in described
    )
    return Table("columns", "Columns of the data files", columns, rows)


def software_table(*, job: str = "", engine: str = "", device: Device | None = None) -> Table:
    """What sources say of engines and frameworks by device family and number format.

    Parameters
    ----------
    job, engine, device
        Keep only what is said of these; '' and None keep all.
    """
    names = family_names([(device.id, device.family, device.efficiency_class)] if device else [])
    columns = (
        Column("engine", "Software"),
        Column("job", "Job"),
        Column("families", "Device families"),
        Column("formats", "Formats"),
        Column("status", "Runs"),
        Column("since", "Since"),
        Column("note", "Note"),
        Column("source", "Source"),
        Column("address", "Address"),
        Column("date", "Read"),
    )
    rows = tuple(
        {
            "engine": software_name(one.engine),
            "job": one.job,
            "families": ", ".join(one.families),
            "formats": ", ".join(one.formats),
            "status": one.status,
            "since": one.since,
            "note": one.note,
            "source": one.source,
            "address": one.address,
            "date": one.date,
        }
        for one in load_software_support().statements
        if job in ("", one.job)
        and engine in ("", one.engine)
        and (not names or names.intersection(one.families))
    )
    return Table("software", "Software by device and format", columns, rows)


def software_names() -> dict[str, str]:
    """Engines and frameworks of which sources speak, by key, in words."""
    return {one.engine: software_name(one.engine) for one in load_software_support().statements}
