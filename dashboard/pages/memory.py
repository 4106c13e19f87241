import streamlit as st

from dashboard import downloads, parts, state
from dashboard.figures import memory
from hwplanner.report import chart_rows, facts, findings, story
from hwplanner.report.cautions import cautions

plan = state.plan()
parts.heading(story.eyebrow(plan), findings.memory(plan), cautions(plan))

for column, job in zip(st.columns(2, gap="medium"), ("training", "serving"), strict=True):
    with column:
        downloads.chart(memory, chart_rows.memory_rows(plan, job), job=job)

downloads.facts(
    "growth",
    "What grows with what",
    facts.growth(plan),
    "Memory of serving all users, before any split.",
)
downloads.facts("model", "The model that is planned for", facts.model(plan))
