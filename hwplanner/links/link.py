"""A scenario as the query of a link, and any query as a scenario.

A link is plain ``name=value``: ``context=16k&users=48``. An input that stands at its default is
left out, since defaults are frozen for each schema version; the version `v` and the day of the
catalogue, `date`, are always written. The text is the one that the browser's address bar shows.

Reading never fails. What cannot be used becomes the default, and a note says so.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from hwplanner.links.former import former_quotes
from hwplanner.links.names import LinkNames, shipped_names
from hwplanner.links.texts import (
    AmbiguousError,
    UnusableError,
    listed,
    quoted,
    text_of,
    value_of,
)
from hwplanner.quote import MOST_QUOTES
from hwplanner.scenario import SCHEMA_VERSION, Scenario, controls, defaults_of

LONGEST_LINK = 8000
NOT_OURS = frozenset({"embed", "embed_options"})
"""Parameters that the page itself understands."""

Query = str | Mapping[str, str | Collection[str]]


@dataclass(frozen=True, slots=True)
class ReadLink:
    """What a link asks for, and in plain words what of it could not be used."""

    scenario: Scenario
    notes: tuple[str, ...]


def write_link(scenario: Scenario, names: LinkNames | None = None) -> str:
    """Write the part of a link after the `?`.

    Examples
    --------
    >>> write_link(Scenario(context_tokens=16384, users=48))  # doctest: +ELLIPSIS
    'context=16k&date=...&users=48&v=2'
    """
    return urlencode(link_parameters(scenario, names), doseq=True, errors="replace")


def link_parameters(scenario: Scenario, names: LinkNames | None = None) -> dict[str, list[str]]:
    """Texts that a link holds, by key, in the order of the address bar."""
    names = names or shipped_names()
    parameters = {"v": [str(SCHEMA_VERSION)], "date": [names.catalogue_date]}
    for name, control in controls().items():
        value = getattr(scenario, name)
        if value != Scenario.model_fields[name].default:
            is_list = isinstance(value, tuple) and not control.is_table
            items = value if is_list else (value,)
            parameters[control.key] = [text_of(name, item, names) for item in items]
    return dict(sorted(parameters.items()))


def read_link(query: Query, names: LinkNames | None = None) -> ReadLink:
    """Read any text as a link.

    Parameters
    ----------
    query
        The part after the `?`, a whole address, or parameters by name.
    names
        Models and devices that exist, and the day of the catalogue; the shipped ones by default.

    Returns
    -------
    ReadLink
        A scenario in which every value is one that its control can hold, and the notes.

    Examples
    --------
    >>> read_link("?context=16k&users=47").notes
    ('Users at once: “47” lies between two steps; 48 is used.',)
    """
    names = names or shipped_names()
    texts_by_key = _texts_by_key(query)
    if sum(len(key) + len("".join(texts)) for key, texts in texts_by_key.items()) > LONGEST_LINK:
        note = f"The link is longer than {LONGEST_LINK:,} characters and was not read."
        return ReadLink(Scenario(), (note,))
    version, notes = _version(texts_by_key.pop("v", []))
    notes += _date_notes(texts_by_key.pop("date", []), names.catalogue_date)
    values: dict[str, Any] = {}
    for name, control in controls().items():
        if control.key in texts_by_key:
            values[name], note = _input(name, texts_by_key.pop(control.key), names)
            notes += [f"{control.label}: {note}."] if note else []
    former, faults = former_quotes(texts_by_key, values.get("market", ""), names)
    if former:
        values["quotes"] = (*values.get("quotes", ()), *former)[:MOST_QUOTES]
    notes += [f"Your own prices: {fault}." for fault in faults]
    unknown = [key for key in texts_by_key if key.lower() not in NOT_OURS]
    notes += [f"Not an input of the planner: {listed(unknown)}."] if unknown else []
    return ReadLink(Scenario.model_validate({**defaults_of(version), **values}), tuple(notes))


def _texts_by_key(query: Query) -> dict[str, list[str]]:
    if not isinstance(query, str):
        return {key: [t] if isinstance(t, str) else list(t) for key, t in query.items()}
    before, mark, after = query.strip().partition("?")
    text = after if mark and "=" not in before else query.strip()
    texts_by_key: dict[str, list[str]] = {}
    for key, value in parse_qsl(text.partition("#")[0], keep_blank_values=True):
        texts_by_key.setdefault(key, []).append(value)
    return texts_by_key


def _input(name: str, texts: list[str], names: LinkNames) -> tuple[Any, str]:
    """Read the texts of one input; where that fails, its default and the reason."""
    default = Scenario.model_fields[name].default
    if isinstance(default, tuple) and not controls()[name].is_table:
        return _several(name, texts, names)
    try:
        if len(texts) != 1:
            raise UnusableError(f"it is given {len(texts)} times")
        return value_of(name, texts[0], names)
    except UnusableError as fault:
        return default, f"{fault}; {text_of(name, default, names) or 'none'} is used"


def _several(name: str, texts: list[str], names: LinkNames) -> tuple[tuple[Any, ...], str]:
    values: dict[Any, None] = {}
    unknown, reasons = [], []
    for text in filter(str.strip, texts):
        try:
            values[value_of(name, text, names)[0]] = None
        except AmbiguousError as fault:
            reasons.append(str(fault))
        except UnusableError:
            unknown.append(text)
    if unknown:
        reasons.append(f"not in the catalogue: {listed(unknown)}")
    return tuple(values), "; ".join(reasons)


def _version(texts: list[str]) -> tuple[int, list[str]]:
    """Version whose defaults a link means, and what is to be said about it."""
    version = texts[-1] if texts else str(SCHEMA_VERSION)
    if not (version.isascii() and version.isdigit() and len(version) < 5 and int(version) > 0):
        note = f"The link's version {quoted(version)} does not exist; it is ignored."
        return SCHEMA_VERSION, [note]
    if int(version) <= SCHEMA_VERSION:
        return int(version), []
    return SCHEMA_VERSION, [
        f"The link was made by a newer planner (version {version}, here {SCHEMA_VERSION}); what "
        "this one does not know is left out."
    ]


def _date_notes(texts: list[str], catalogue_date: str) -> list[str]:
    date = texts[-1] if texts else catalogue_date
    if not catalogue_date or date == catalogue_date:
        return []
    try:
        datetime.date.fromisoformat(date)
    except ValueError:
        return [f"The link's date {quoted(date)} is not a day; it is ignored."]
    return [
        f"The link was made with the catalogue of {date}; the numbers here rest on that of "
        f"{catalogue_date} and can differ."
    ]
