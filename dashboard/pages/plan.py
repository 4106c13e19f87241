import streamlit as st

from dashboard import downloads, parts, state
from dashboard.figures import cost
from hwplanner.report import (
    chart_rows,
    device_tables,
    explain,
    job_table,
    option_tables,
    risks,
    story,
)
from hwplanner.report.cautions import cautions

plan = state.plan()
parts.heading(story.eyebrow(plan), story.plan_finding(plan), cautions(plan))

table, chart = st.columns([57, 43], gap="medium")
with table:
    parts.two_jobs(job_table.job_rows(plan))
    downloads.table_button(job_table.job_table(plan))
with chart:
    downloads.chart(cost, chart_rows.cost_rows(plan, "serving"), job="serving")
parts.key_figures(job_table.key_figures(plan))
parts.note(
    "Ranges hold 8 of 10 cases, going by published runs that the estimates had not seen: see "
    "Evidence. In a draw each device is faster or slower by as much as those runs were."
)

months = plan.scenario.horizon_months
parts.section(
    "Four ways to do it",
    f"Totals over {months} months with the range of 8 of 10 cases; today's money is net present "
    "cost. Choose a pair of your own under Devices: Serve on, Train on.",
)
parts.records(option_tables.OPTION_HEADINGS, option_tables.option_records(plan))
with st.container(horizontal=True):
    downloads.table_button(option_tables.options_table(plan))
    downloads.workbook_button()

families = story.one_family_or_two(plan)
if families:
    parts.section("One hardware family or two?")
    parts.remarks(families)

flips = story.flips(plan)
if flips:
    parts.section("Closest rival, and what would flip this")
    parts.remarks(flips)

parts.section("What to watch for", "Risks that no figure above holds.")
parts.facts(risks.risk_facts(plan))
downloads.table_button(risks.risk_table(plan))

parts.section("Every device, tested for both jobs", "Memory, precision, interconnect, software.")
for job, label in (("serving", "Serving"), ("training", "Training")):
    tested = st.expander(f"{label}: all {len(plan.devices)} compared devices", on_change="rerun")
    if tested.open:
        with tested:
            parts.records(device_tables.DEVICE_HEADINGS, device_tables.device_records(plan, job))
            downloads.table_button(device_tables.device_table(plan, job))

parts.explanations(explain.explanations(plan))
