"""The published architectures of `data/models.csv`, found by any of their usual names."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from hwplanner.errors import ModelFileError
from hwplanner.files.columns import ColumnType, did_you_mean
from hwplanner.files.csv_files import DATA_DIR, Row, read_rows, refuse, shipped_dictionary
from hwplanner.files.csv_text import quoted, shown
from hwplanner.model.shape import ModelShape

FILE = "models.csv"


@dataclass(frozen=True, slots=True)
class Models:
    """Architectures in the order of the file."""

    shapes: tuple[ModelShape, ...]
    by_name: Mapping[str, ModelShape]

    def get(self, name: str) -> ModelShape:
        """Architecture of an id, a name on the screen or one on Hugging Face, in any case."""
        try:
            return self.by_name[_key(name)]
        except KeyError:
            near = did_you_mean(_key(name), self.by_name)
            raise ModelFileError(f"{FILE}: there is no model {name!r}{near}") from None


@lru_cache
def load_models(path: Path = DATA_DIR / FILE) -> Models:
    """Read the architectures, or refuse the file with the place, the value and the remedy."""
    models, faults = _read(read_rows(path, error=ModelFileError), FILE)
    refuse(faults, ModelFileError)
    return models


def model_faults(rows: Iterable[Row], *, file: str = FILE) -> list[str]:
    """Find what no single cell shows: sizes that contradict each other, a name used twice."""
    return _read(rows, file)[1]


def _read(rows: Iterable[Row], file: str) -> tuple[Models, list[str]]:
    """Architectures and all that is wrong with them; they count only without faults."""
    shapes: list[ModelShape] = []
    by_name: dict[str, ModelShape] = {}
    faults: list[str] = []
    for row in rows:
        place = f"{file} line {row.line}, {shown(row.text('id'))}"
        try:
            shape = _shape(row)
        except ValidationError as error:
            faults.extend(f"{place}: {_words(fault)}" for fault in error.errors())
            continue
        shapes.append(shape)
        for name in {_key(name) for name in (shape.id, shape.name, *shape.aliases)}:
            if name in by_name:
                owner = shown(by_name[name].id)
                faults.append(f"{place}: the name {quoted(name)} belongs to {owner}; keep one")
            by_name[name] = shape
    return Models(shapes=tuple(shapes), by_name=by_name), faults


def _key(name: str) -> str:
    """Name in small letters, without the organisation before it."""
    return name.strip().rpartition("/")[2].casefold()


def _shape(row: Row) -> ModelShape:
    """Architecture of a row; blank cells keep the defaults of `ModelShape`."""
    readers: Mapping[ColumnType, Callable[[str], object]] = {
        "integer": row.integer,
        "number": row.number,
        "flag": row.flag,
        "list": row.names,
    }
    return ModelShape.model_validate(
        {
            column.name: readers.get(column.type, row.text)(column.name)
            for column in shipped_dictionary()[FILE]
            if row.text(column.name)
        }
    )


def _words(fault: ErrorDetails) -> str:
    """One complaint of pydantic, with the column that it is about."""
    place = f"{fault['loc'][0]} is {quoted(str(fault['input']))}; " if fault["loc"] else ""
    return place + fault["msg"].removeprefix("Value error, ")
