import streamlit as st

from dashboard import downloads, parts, state
from dashboard.figures import day, week
from hwplanner.report import chart_rows, energy, facts, findings, story
from hwplanner.report.cautions import cautions

plan = state.plan()
parts.heading(story.eyebrow(plan), findings.utilization(plan), cautions(plan))

place = plan.serving_choice
if place is None:
    parts.empty("Nothing to load", "Choose a device that holds the model, under Devices.")
else:
    over_week, over_day = st.columns(2, gap="medium")
    with over_week:
        downloads.chart(week, chart_rows.week_rows(plan, place))
    with over_day:
        downloads.chart(day, chart_rows.day_rows(plan, place))
    downloads.facts(
        "busy",
        "How busy each part is at the peak",
        facts.busy(plan, place),
        "On the device that serves in this plan.",
    )
    downloads.facts(
        "energy",
        "Power and energy",
        energy.energy_facts(plan),
        f"{energy.BOUNDARY} In brackets the range of 8 of 10 cases.",
    )
about = plan.shape
parts.note(". ".join(filter(None, (about.title, about.note, f"Source: {about.source}"))) + ".")
