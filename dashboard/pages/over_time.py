import streamlit as st

from dashboard import downloads, parts, state
from dashboard.figures import cash, job_spend, unit_cost
from hwplanner.finance.life import Life, life
from hwplanner.report import cash_tables, explain_life, fleet_tables, over_time, story
from hwplanner.report.cautions import cautions


def crossing(found: Life) -> None:
    if found.runs:
        downloads.facts(
            "crossing",
            "Where serving passes training",
            over_time.crossing_facts(found),
            "In cost, and in arithmetic as in arXiv 2401.00448. Tokens served are read or written; "
            "what is found in the cache is left out.",
        )


plan = state.plan()
months = life(plan)
parts.heading(story.eyebrow(plan), over_time.finding(plan, months), cautions(plan))

if months is not None:
    left, right = st.columns(2, gap="medium")
    with left:
        downloads.chart(
            job_spend, over_time.job_spend_rows(months), crossing_months=months.crossing.months
        )
    if months.is_steady:
        with right:
            crossing(months)
        parts.empty("Nothing changes from month to month", over_time.growth_remedy(months))
    else:
        with right:
            downloads.chart(unit_cost, over_time.unit_cost_rows(months))
        crossing(months)
    fleet = fleet_tables.fleet_table(months)
    parts.section(fleet.title, fleet_tables.fleet_note(plan, months))
    parts.records(*fleet_tables.fleet_cells(months, fleet))
    downloads.table_button(fleet)

parts.section("Cash", "Purchases are paid at the start of a month, the rest at its end.")
downloads.chart(cash, cash_tables.cash_rows(plan))
parts.records(cash_tables.year_headings(plan), cash_tables.year_records(plan))
worth = cash_tables.worth_table(plan)
parts.section(
    worth.title,
    "Later money counts less, by the cost of capital. Value left is what purchases are not paid "
    "off yet at the end. An option has paid back once it has cost less cash than renting. It has "
    "no rate of return where it falls behind renting more than once.",
)
parts.records(cash_tables.WORTH_HEADINGS, cash_tables.worth_records(plan))
downloads.table_button(worth)
parts.explanations(explain_life.explanations(plan, months))
