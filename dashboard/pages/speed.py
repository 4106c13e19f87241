import streamlit as st

from dashboard import downloads, parts, state
from dashboard.figures import frontier, limits, load, scaling
from hwplanner.report import chart_rows, explain_latency, findings, latency, story
from hwplanner.report.cautions import cautions

plan = state.plan()
parts.heading(story.eyebrow(plan), findings.speed(plan), cautions(plan))

lines, shares = st.columns([57, 43], gap="medium")
with lines:
    leaders = chart_rows.leaders(plan, "serving")
    downloads.chart(
        frontier, chart_rows.frontier_rows(plan, leaders), target_ms=plan.scenario.tpot_ms
    )
with shares:
    rows = chart_rows.limit_rows(plan, plan.serving_choice, plan.training_choice)
    downloads.chart(limits, rows, device="each job")

parts.section("Under load: requests that come at random", latency.load_sentence(plan))
for column, row in zip(st.columns(2, gap="medium"), latency.load_rows(plan), strict=False):
    with column:
        downloads.chart(load, [row])
parts.records(latency.HEADINGS, latency.latency_records(plan))
downloads.table_button(latency.latency_table(plan))
parts.note(
    "The plan, its targets and the curves at the top of this page take requests to come evenly: "
    "targets are means. Here they come at random, to the copies of the plan; batches are uneven, "
    "prompts come in bunches, and who finds no place waits. 8 of 10 cases lie in the ranges under "
    "99 in 100. To see a busier minute, change “Latency at (% of the demand)” under Serving "
    "details."
)
parts.explanations(explain_latency.explanations(plan))

downloads.chart(scaling, chart_rows.scale_rows(plan, chart_rows.leaders(plan, "training")))
