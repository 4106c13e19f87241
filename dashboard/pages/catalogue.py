from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from dashboard import downloads, parts, sheets, state
from dashboard.figures import catalogue
from hwplanner.data_check import check_catalog
from hwplanner.report import chart_rows, findings, reference_tables, story
from hwplanner.report.cautions import cautions

plan = state.plan()
parts.heading(story.eyebrow(plan), findings.catalogue(plan), cautions(plan))

downloads.chart(catalogue, chart_rows.catalogue_rows(plan))

parts.section("All devices", "A dash is a figure that is not published.")
listed = reference_tables.catalogue_table(plan)
sheets.sheet(listed)
downloads.table_button(listed)

parts.section("Says who", "Every figure of one device, with the place where it was read.")
device = st.selectbox(
    "Device",
    plan.catalog.devices,
    format_func=chart_rows.device_name,
    index=plan.catalog.devices.index(plan.devices[plan.serving_choice or 0]),
    key="witness",
    persist_state="session",
)
for table in (
    reference_tables.witness_table(plan, device.id),
    reference_tables.price_table(plan, device.id),
):
    sheets.sheet(table)
    downloads.table_button(table)

parts.section(
    "Software",
    "What sources say runs on which devices, by number format. What no row says is unknown.",
)
names = reference_tables.software_names()
of_job, of_engine, of_device = st.columns(3, gap="medium")
job = of_job.selectbox(
    "Job",
    ("", "serving", "training"),
    format_func=lambda job: job.capitalize() or "Both jobs",
    key="software_job",
    persist_state="session",
)
engine = of_engine.selectbox(
    "Software",
    ("", *names),
    format_func=lambda engine: names.get(engine, "All"),
    key="software_engine",
    persist_state="session",
)
runs_on = of_device.selectbox(
    "On",
    (None, *plan.catalog.devices),
    format_func=lambda device: chart_rows.device_name(device) if device else "All devices",
    key="software_device",
    persist_state="session",
)
software = reference_tables.software_table(job=job, engine=engine, device=runs_on)
if software.rows:
    sheets.sheet(software)
    downloads.table_button(software)
else:
    parts.empty("No statement", "No source that was read speaks of this; choose another.")

parts.section("Models", "Published architectures that the planner knows.")
models = reference_tables.models_table()
sheets.sheet(models)
downloads.table_button(models)

parts.section("Check a data file", "A catalogue, price, model or demand file of your own.")
upload = st.file_uploader("CSV file", type="csv", key="check")
if upload is not None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / Path(upload.name).name
        file.write_bytes(upload.getvalue())
        faults = check_catalog(file)
    if faults:
        parts.error("\n".join(faults), title=f"{len(faults)} faults found")
    else:
        parts.note(f"{upload.name}: no faults found.")

parts.section("Columns of the data files")
described = reference_tables.dictionary_table()
sheets.sheet(described)
downloads.table_button(described)
parts.note(
    "Device figures rest in part on Epoch AI's machine learning hardware data (CC BY 4.0). "
    "Demand traces are Microsoft Azure's public traces (CC BY)."
)
