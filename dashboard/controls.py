"""The sidebar: every input of the scenario, drawn from its description.

Each widget is bound to the address under the key of its input. One that is not drawn would lose
its value, so the headline is drawn on every page, and so is each group that is open or holds
anything but defaults; the others cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from dashboard import theme
from hwplanner.links.names import shipped_names
from hwplanner.links.texts import LONGEST_NAME, UnusableError, clean_name, text_of, value_of
from hwplanner.model.numbers import model_numbers
from hwplanner.model.presets import load_models
from hwplanner.scenario import SCHEMA_VERSION, Control, Group, Scenario, controls, controls_of
from hwplanner.units import BILLION

GROUPS: dict[Group, tuple[str, str]] = {
    "serving": ("Serving details", ":material/dns:"),
    "demand": ("Demand", ":material/calendar_view_week:"),
    "training": ("Training job", ":material/model_training:"),
    "money": ("Money", ":material/payments:"),
    "devices": ("Devices", ":material/memory:"),
}
NOTHING = {"model": "By size", "serve_on": "Cheapest", "train_on": "Cheapest"}


def draw() -> Scenario:
    """Draw all controls and build the scenario that they show."""
    _keep_in_address()
    with st.sidebar:
        shown, unseen = st.container(), st.container(key="unseen")
    with unseen:
        _marks()
        theme.follow_switch()
        tables = {name: _table(name, item) for name, item in controls().items() if item.is_table}
    with shown:
        values = {}
        for name, control in controls_of("headline"):
            if name == "parameters_billion" and values["model"]:
                _size_of_model(control, values["model"])
                with unseen:  # keeps its place in the address
                    values[name] = _widget(name, control)
            else:
                values[name] = _widget(name, control)
        for group, (title, icon) in GROUPS.items():
            panel = st.expander(title, icon=icon, key=f"group_{group}", on_change="rerun")
            if panel.open or not _is_at_defaults(group):
                with panel:
                    values |= {name: _widget(name, item) for name, item in _widgets_of(group)}
    return Scenario.model_validate(
        values
        | tables
        | {"name": clean_name(values["name"]), "devices": tuple(values.get("devices", ()))}
    )


def _is_at_defaults(group: Group) -> bool:
    """Whether neither the address nor the last run holds anything for a group."""
    return not any(
        control.key in st.query_params or _held(name, control) != _default(name)
        for name, control in _widgets_of(group)
    )


def _widgets_of(group: Group) -> Iterator[tuple[str, Control]]:
    """Inputs that the sidebar shows; tables are edited on pages."""
    return ((name, item) for name, item in controls_of(group) if not item.is_table)


def _table(name: str, control: Control) -> Any:
    """Keep a table in the address as a text; what pages write there is always readable."""
    text = st.text_input(control.label, key=control.key, bind="query-params")
    return value_of(name, text, shipped_names())[0]


def write_table(name: str, value: Any) -> None:
    """Let a page's editor change a table of the scenario; for callbacks."""
    st.session_state[controls()[name].key] = text_of(name, value, shipped_names())


def write(name: str, value: Any) -> None:
    """Let a page change an input; for callbacks."""
    key = controls()[name].key
    st.session_state[key] = value
    # A widget that is drawn writes its own parameter; one in a shut group would be late.
    with suppress(StreamlitAPIException):
        st.query_params[key] = text_of(name, value, shipped_names())


def _held(name: str, control: Control) -> Any:
    """Value that the last run left for an input, else its default."""
    default = "" if control.is_table else _default(name)
    value = st.session_state.get(control.key, default)
    return tuple(value) if isinstance(default, tuple) else value


def _default(name: str) -> Any:
    return Scenario.model_fields[name].default


def _keep_in_address() -> None:
    """Set again what the address has lost, which writes it back.

    A reader who changes the page while it still loads drops the parameters of all widgets that
    have not yet appeared, and these would then appear with their defaults.
    """
    for name, control in controls().items():
        empty = "" if control.is_table else _default(name)
        if control.key not in st.query_params and _held(name, control) != empty:
            st.session_state[control.key] = st.session_state[control.key]


def _marks() -> None:
    """Keep the version and the day of the catalogue in the address, as bound widgets do."""
    st.session_state["v"] = str(SCHEMA_VERSION)
    st.session_state["date"] = shipped_names().catalogue_date
    for key in ("v", "date"):
        st.text_input(key, key=key, bind="query-params")


def _widget(name: str, control: Control) -> Any:
    """Draw one control and return its value."""
    default = _default(name)
    common: dict[str, Any] = {
        "label": control.label,
        "key": control.key,
        "help": control.help,
        "bind": "query-params",
    }
    names = shipped_names()

    def spoken(value: Any) -> str:
        return text_of(name, value, names) or NOTHING[name]

    ids = ["", *names.of_field(name)]
    if isinstance(default, tuple):
        return st.multiselect(
            options=ids[1:], format_func=spoken, placeholder="The shortlist", **common
        )
    if isinstance(default, bool):
        return st.toggle(value=default, **common)
    if len(ids) > 1:
        return st.selectbox(options=ids, format_func=spoken, **common)
    if control.is_slider or (control.options and control.group == "headline"):
        return st.select_slider(
            options=control.options, value=default, format_func=spoken, **common
        )
    if control.options:
        place = control.options.index(default)
        return st.selectbox(options=control.options, index=place, format_func=spoken, **common)
    if name == "plan_date":
        return _day(name, common)
    if control.bounds is None:
        return st.text_input(value=default, max_chars=LONGEST_NAME, **common)
    number = Scenario.model_fields[name].annotation
    return st.number_input(
        value=number(default),
        min_value=number(control.low),
        max_value=number(control.high),
        step=number(control.step),
        format="%d" if number is int else "%g",
        **common,
    )


def _day(name: str, common: dict[str, Any]) -> str:
    """Ask for a day; what is none counts as no answer, and is said below it."""
    text = st.text_input(placeholder=shipped_names().catalogue_date, max_chars=10, **common)
    try:
        day, _ = value_of(name, text, shipped_names())
    except UnusableError as fault:
        st.caption(f"{fault}; that of the catalogue is used.")
        return ""
    return str(day)


def _size_of_model(control: Control, model: str) -> None:
    """Show the size of a published model where the slider for any size would stand."""
    size = model_numbers(load_models().get(model)).total_parameters / BILLION
    st.select_slider(
        control.label,
        options=sorted({*control.options, size}),
        value=size,
        format_func=lambda billion: f"{billion:.3g}",
        disabled=True,
        help="The published model above sets it.",
    )
