import streamlit as st

from dashboard import downloads, own_week, parts, state
from dashboard.figures import day, fleet, week
from hwplanner.finance.fleet_week import fleet_week
from hwplanner.report import chart_rows, energy, facts, nights, story, utilization
from hwplanner.report.cautions import cautions

plan = state.plan()
place = plan.serving_choice
found = None if place is None else fleet_week(plan, place)
parts.heading(story.eyebrow(plan), utilization.finding(plan, found), cautions(plan))

if place is None or found is None:
    parts.empty("Nothing to load", "Choose a device that holds the model, under Devices.")
else:
    over_week, over_day = st.columns(2, gap="medium")
    with over_week:
        downloads.chart(week, chart_rows.week_rows(plan, place))
    with over_day:
        downloads.chart(day, chart_rows.day_rows(plan, place, found.is_free))
    parts.key_figures(utilization.key_figures(plan, found))
    downloads.chart(fleet, utilization.fleet_rows(found))
    downloads.facts("demand", "Demand and the fleet", utilization.facts(plan, found))

own_week.draw(plan)
parts.note(utilization.shape_note(plan))

if place is not None and found is not None:
    if found.nights:
        downloads.facts(
            "nights",
            "Training in idle hours",
            nights.facts(plan, found.nights),
            nights.finding(plan, found.nights),
        )
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
