"""The section in which a reader draws a week of demand, or uploads one.

What is used goes to the address as a table of the scenario, so the link keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from zlib import crc32

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard import controls, downloads, parts, state
from dashboard.figures import week as week_figure
from hwplanner.demand.uploads import MOST_BYTES, UploadedDemand, read_demand
from hwplanner.errors import DemandError
from hwplanner.links.tables import scaled_week
from hwplanner.plan import Plan
from hwplanner.report import own_week
from hwplanner.scenario import Scenario
from hwplanner.units import MB

DRAW, UPLOAD = "Draw a week", "Upload a log or counts"
FOUND, EDITOR = "uploaded_demand", "own_week_editor"
TITLE, SHARE = "Mean week of the file", "Share of the busiest hour"
Week = tuple[float, ...]


def draw(plan: Plan) -> None:
    """Show both ways; the tables cost nothing until one is chosen."""
    parts.section(
        "Your own week",
        "Draw the demand of your week, or upload a log. The link keeps what you use.",
    )
    way = st.segmented_control(
        "Your own week", (DRAW, UPLOAD), key="own_week_way", label_visibility="collapsed"
    )
    if way == DRAW:
        _draw_table(plan)
    elif way == UPLOAD:
        _upload(plan)


def _draw_table(plan: Plan) -> None:
    """Let a reader edit the week on the screen."""
    parts.note(
        "In percent of the busiest hour, or in any other unit: only proportions count. Cells can "
        "be pasted from a spreadsheet. To begin with another shape, choose it under Demand."
    )
    columns = own_week.editor_columns(plan.shape.relative_load)
    edited = st.data_editor(
        columns,
        # Edits belong to the week that they were made to.
        key=f"{EDITOR}_{crc32(plan.shape.relative_load.tobytes())}",
        disabled=["Hour"],
        hide_index=True,
        height="content",
        column_config={
            name: st.column_config.NumberColumn(name, min_value=0.0, required=True, width="small")
            for name in columns
            if name != "Hour"
        },
    )
    try:
        week = own_week.edited_week(edited)
    except ValueError as fault:
        parts.notices([str(fault)])
    else:
        _button(plan, "use_drawn", week, {})


def _upload(plan: Plan) -> None:
    """Read a file and offer what it holds."""
    parts.note(
        "CSV with a time for each request, or with times and counts, hours of the week and counts, "
        "weekdays, hours and counts, or 24 or 168 numbers. Times are ISO 8601 or Unix; without an "
        f"offset they are read in {plan.scenario.time_zone}, the time zone set under Demand."
    )
    file = st.file_uploader(
        "Log or counts",
        type=["csv", "txt", "tsv", "log"],
        key="demand_file",
        max_upload_size=MOST_BYTES // MB,
    )
    if file is None:
        return
    found = _read(file, plan.scenario.time_zone)
    if isinstance(found, str):
        parts.error(found, title="This file cannot be used")
        return
    rows = own_week.week_rows(found)
    left, right = st.columns(2, gap="medium")
    with left:
        downloads.figure(
            week_figure.figure(rows, state.frame(), title=TITLE, share=SHARE),
            alt=week_figure.alt_text(rows, title=TITLE, share=SHARE),
            data=own_week.week_table(found),
        )
    with right:
        parts.remarks(own_week.sentences(found, plan.scenario.time_zone))
        inputs = dict(_offers(plan.scenario, found))
        _button(plan, "use_uploaded", scaled_week(found.week.tolist()), inputs)


def _read(file: UploadedFile, time_zone: str) -> UploadedDemand | str:
    """Read a file once, also if the page is drawn many times."""
    key = (file.file_id, time_zone)
    if st.session_state.get(FOUND, ("", ""))[0] != key:
        with st.spinner("Reading the file"):
            try:
                found: UploadedDemand | str = read_demand(file.getvalue(), time_zone)
            except DemandError as fault:
                found = str(fault)
        st.session_state[FOUND] = (key, found)
    read: UploadedDemand | str = st.session_state[FOUND][1]
    return read


def _offers(scenario: Scenario, found: UploadedDemand) -> Iterator[tuple[str, float]]:
    """Ask which other inputs are to follow the file; yield these with their values."""
    if found.peak_requests_per_s is not None:
        users = own_week.matching_users(scenario, found.peak_requests_per_s)
        if users is None:
            parts.note("No number of users that can be chosen asks as often as this file.")
        elif st.checkbox(own_week.users_offer(scenario, users), key="use_users"):
            yield "users", users
    if found.minute_over_hour is not None:
        burst = own_week.matching_burst(found.minute_over_hour)
        if st.checkbox(f"Set the burst inside the hour to {burst:g}", key="use_burst"):
            yield "burst_factor", burst


def _button(plan: Plan, key: str, week: Week, inputs: Mapping[str, float]) -> None:
    """Let a reader use a week, or say that it is in use."""
    used = plan.scenario.model_dump(include={"shape", "own_week", *inputs})
    if used == {"shape": "own", "own_week": week, **inputs}:
        parts.note("The plan uses this week.")
    else:
        st.button("Use this week", key=key, type="primary", on_click=_use, args=(week, inputs))


def _use(week: Week, inputs: Mapping[str, float]) -> None:
    controls.write_table("own_week", week)
    for name, value in {"shape": "own", **inputs}.items():
        controls.write(name, value)
