import streamlit as st

from dashboard import downloads, parts, state
from dashboard.figures import cost, spend
from hwplanner import chart_rows, page_tables, story

plan = state.plan()
parts.heading(story.eyebrow(plan), story.cost_finding(plan))

over_time, by_run = st.columns([57, 43], gap="medium")
with over_time:
    rows = chart_rows.spend_rows(plan)
    downloads.chart(spend, rows, break_even_month=chart_rows.break_even_month(rows))
with by_run:
    downloads.chart(cost, chart_rows.cost_rows(plan, "training"), job="training")

parts.section(
    "Cost of a request and of tokens",
    "By the cheaper way of paying. A prompt bears the share of device time that reading it takes.",
)
tokens = page_tables.token_cost_table(plan)
parts.table(tokens)
downloads.table_button(tokens)

parts.section(
    "Serving for a year, owned and rented",
    "A missing price stays missing and is never ranked. Add a quote of your own under Money.",
)
yearly = page_tables.yearly_cost_table(plan)
parts.table(yearly)
downloads.table_button(yearly)
