import streamlit as st

from dashboard import downloads, parts, state
from dashboard.figures import cost
from hwplanner import chart_rows, explain, page_tables, story

plan = state.plan()
parts.heading(story.eyebrow(plan), story.plan_finding(plan))

table, chart = st.columns([57, 43], gap="medium")
with table:
    parts.two_jobs(page_tables.job_rows(plan))
    downloads.table_button(page_tables.job_table(plan))
with chart:
    downloads.chart(cost, chart_rows.cost_rows(plan, "serving"), job="serving")
parts.key_figures(page_tables.key_figures(plan))

months = plan.scenario.horizon_months
parts.section(
    "Four ways to do it", f"Totals over {months} months, typical case; the range holds 8 of 10."
)
parts.records(page_tables.OPTION_HEADINGS, page_tables.option_records(plan))
downloads.table_button(page_tables.options_table(plan))

flips = story.flips(plan)
if flips:
    parts.section("Closest rival, and what would flip this")
    parts.remarks(flips)

parts.section("Every device, tested for both jobs", "Memory, precision, interconnect, software.")
for job, label in (("serving", "Serving"), ("training", "Training")):
    tested = st.expander(f"{label}: all {len(plan.devices)} compared devices", on_change="rerun")
    if tested.open:
        with tested:
            parts.records(page_tables.DEVICE_HEADINGS, page_tables.device_records(plan, job))
            downloads.table_button(page_tables.device_table(plan, job))

parts.section("Open a number", "Formula, values with units, and source.")
for path in explain.explanations(plan):
    parts.explanation(path)
