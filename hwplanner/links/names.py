"""What a link can name besides numbers and words: the models and devices that exist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from hwplanner.catalog.catalog import Catalog, load_catalog
from hwplanner.catalog.device import device_name
from hwplanner.model.presets import Models, load_models


@dataclass(frozen=True)
class LinkNames:
    """Names of models and devices by id, the one on the screen first, and the catalogue's day."""

    models: Mapping[str, Sequence[str]]
    devices: Mapping[str, Sequence[str]]
    catalogue_date: str

    def of_field(self, field: str) -> Mapping[str, Sequence[str]]:
        """Names that an input of the scenario can hold; none where it holds no id."""
        if field == "model":
            return self.models
        return self.devices if field in ("devices", "serve_on", "train_on") else {}

    def ids_of(self, field: str, text: str) -> Sequence[str]:
        """Ids that a text can name, in any spelling."""
        return (self._models if field == "model" else self._devices).get(slug(text), ())

    @cached_property
    def _models(self) -> Mapping[str, Sequence[str]]:
        return _ids_by_slug(self.models)

    @cached_property
    def _devices(self) -> Mapping[str, Sequence[str]]:
        return _ids_by_slug(self.devices)


def link_names(catalog: Catalog, models: Models) -> LinkNames:
    """Names of all models and devices.

    A device is called after its id, since a name in the catalogue may be put right one day and
    links must outlive that; it also answers to what tables and the catalogue call it. A model
    keeps its former names as aliases.
    """
    return LinkNames(
        models={shape.id: (shape.name, shape.id, *shape.aliases) for shape in models.shapes},
        devices={
            device.id: (
                device_words(device.id),
                device_name(device),
                device.name,
                f"{device.vendor} {device.name}",
            )
            for device in catalog.devices
        },
        catalogue_date=catalog.date,
    )


@lru_cache(maxsize=1)
def shipped_names() -> LinkNames:
    """Names of the models and devices that come with the planner."""
    return link_names(load_catalog(), load_models())


def device_words(device_id: str) -> str:
    """Say a device's id in words.

    Examples
    --------
    >>> device_words("nvidia-h200-sxm"), device_words("intel-gaudi3-pcie")
    ('NVIDIA H200 SXM', 'Intel Gaudi3 PCIE')
    """
    words = device_id.split("-")
    names = [re.match("[a-z]{5}", word) and word != "nvidia" for word in words]
    return " ".join(w.capitalize() if n else w.upper() for w, n in zip(words, names, strict=True))


def slug(text: str) -> str:
    """Letters and digits alone, so that case, spaces and punctuation make no difference."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))


def _ids_by_slug(names: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Find ids by any name; an id's own spelling and the screen's go before all others."""
    own = _grouped((slug(name), key) for key, spoken in names.items() for name in (key, spoken[0]))
    others = _grouped((slug(name), key) for key, spoken in names.items() for name in spoken[1:])
    return others | own


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    ids_by_slug: dict[str, tuple[str, ...]] = {}
    for name, key in dict.fromkeys(pairs):
        ids_by_slug[name] = (*ids_by_slug.get(name, ()), key)
    return ids_by_slug
