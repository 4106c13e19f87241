import streamlit as st

from dashboard import downloads, parts, state
from dashboard.figures import frontier, limits, scaling
from hwplanner.report import chart_rows, findings, story
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
downloads.chart(scaling, chart_rows.scale_rows(plan, chart_rows.leaders(plan, "training")))
parts.note(
    "Times are means at the busiest hour. Percentiles under changing load are wider; the Method "
    "page says what the estimates rest on."
)
