"""Models by the names that people give them: `data/models.csv` and `data/model_names.csv`.

A name is split into words and numbers. Words that say a number format, and words that change the
training but not the architecture, are left out; the rest must be a known name to the letter.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from hwplanner.errors import ModelFileError
from hwplanner.files.columns import did_you_mean
from hwplanner.files.csv_files import DATA_DIR, Row, read_rows, refuse
from hwplanner.files.csv_text import quoted, shown
from hwplanner.model.presets import load_models

FILE = "model_names.csv"

Words: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelMatch:
    """Architecture that a name means, and the number format where the name says it."""

    model_id: str
    weight_format: str | None = None


@dataclass(frozen=True, slots=True)
class _Names:
    """What names are made of."""

    models: Mapping[Words, str]
    formats: Mapping[Words, str]
    variants: Mapping[Words, str]


@lru_cache(maxsize=4096)
def resolve_model(text: str) -> ModelMatch | None:
    """Architecture that a name means; None where it is not known to the letter.

    Examples
    --------
    >>> resolve_model("RedHatAI/Meta-Llama-3.1-70B-Instruct-quantized.w4a16")
    ModelMatch(model_id='llama-3.1-70b', weight_format='int4')
    >>> resolve_model("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B").model_id
    'qwen2.5-32b'
    >>> resolve_model("Llama-3.1-9B") is None
    True
    """
    names = _names()
    for words in _readings(text):
        bare, formats = _without(words, names.formats)
        core, _ = _without(bare, names.variants)
        # Of "W4A16-AWQ" or "GGUF-Q4_K_M" the first that is a format says it.
        weight_format = next(filter(None, formats), None)
        for candidate in (words, bare, core):
            if model_id := names.models.get(candidate):
                return ModelMatch(model_id, weight_format)
    return None


def unknown_model(text: str) -> str:
    """Say that a name is not known, with the known ones that look like it."""
    if not text.strip():
        return "no model is named"
    near = did_you_mean("-".join(_words(text)), {shape.id for shape in load_models().shapes})
    return f"the model {quoted(text)} is not known{near}"


def model_name_faults(rows: Sequence[Row], models: Iterable[str], *, file: str = FILE) -> list[str]:
    """Find what no single cell shows: an unknown model, words that are used twice."""
    known = set(models)
    faults = []
    seen: dict[Words, int] = {}
    for row in rows:
        place = f"{file} line {row.line}, {shown(row.text('names'))}"
        kind, model_id = row.text("kind"), row.text("model_id")
        if kind == "model" and model_id not in known:
            faults.append(
                f"{place}: model_id is {quoted(model_id)}; write one of models.csv, or add it there"
            )
        if kind != "model" and model_id:
            faults.append(f"{place}: model_id is {quoted(model_id)}; leave it blank for a {kind}")
        if kind != "format" and row.text("weight_format"):
            faults.append(f"{place}: weight_format belongs to a format; leave it blank for {kind}")
        for name in row.names("names"):
            first = seen.setdefault(_words(name), row.line)
            if first != row.line:
                faults.append(f"{place}: {quoted(name)} repeats line {first}; keep one of the two")
    return faults


@lru_cache
def _names() -> _Names:
    """Names of the two files, also without the words of variants where that leaves no doubt.

    Not without those of fine-tunes: R1-Distill-Qwen-14B must not make a Qwen-14B of Qwen2.5.
    """
    rows = read_rows(DATA_DIR / FILE, error=ModelFileError)
    shapes = load_models().shapes
    refuse(model_name_faults(rows, {shape.id for shape in shapes}), ModelFileError)
    formats, variants, tunes = (
        {
            _words(name): row.text("weight_format")
            for row in rows
            if row.text("kind") == kind
            for name in row.names("names")
        }
        for kind in ("format", "variant", "fine-tune")
    )
    told = [
        (_words(name), row.text("model_id"))
        for row in rows
        if row.text("kind") == "model"
        for name in row.names("names")
    ]
    told += [
        (words, shape.id)
        for shape in shapes
        for name in (shape.id, shape.name, *shape.aliases)
        for words in _readings(name)
    ]
    models = dict(told)
    shortened: dict[Words, set[str]] = {}
    for words, model_id in told:
        core, _ = _without(_without(words, formats)[0], variants)
        shortened.setdefault(core, set()).add(model_id)
    models |= {
        core: next(iter(meant))
        for core, meant in shortened.items()
        if core and core not in models and len(meant) == 1
    }
    return _Names(models=models, formats=formats, variants=variants | tunes)


_ORGANISATION = re.compile(r"^[\w.-]+/(?=\S+)")
_WORD = re.compile(r"\d+(?:\.\d+)*|[a-z]+")
_REMARK = re.compile(r"\([^()]*\)")


def _readings(text: str) -> Iterator[Words]:
    """Words of a name, with and without its remarks."""
    yield _words(text)
    if (short := _REMARK.sub(" ", text)) != text:
        yield _words(short)


def _words(text: str) -> Words:
    """Words and numbers of a name, without the organisation before it.

    Examples
    --------
    >>> _words("Qwen/Qwen1_8B-Chat:q4_0")
    ('qwen', '1.8', 'b', 'chat', 'q', '4.0')
    """
    plain = unicodedata.normalize("NFKC", text).casefold().strip()
    plain = re.sub(r"(?<=\d)_(?=\d)", ".", _ORGANISATION.sub("", plain))
    return tuple(_WORD.findall(plain))


def _without(words: Words, phrases: Mapping[Words, str]) -> tuple[Words, list[str]]:
    """Words that belong to no phrase, longest phrases first, and what the phrases say."""
    kept: list[str] = []
    said: list[str] = []
    longest = max(map(len, phrases), default=0)
    place = 0
    while place < len(words):
        for length in range(min(longest, len(words) - place), 0, -1):
            phrase = words[place : place + length]
            if phrase in phrases:
                said.append(phrases[phrase])
                place += length
                break
        else:
            kept.append(words[place])
            place += 1
    return tuple(kept), said
