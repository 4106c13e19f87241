import streamlit as st

from dashboard import downloads, parts, sheets, state
from dashboard.figures import cost, spend
from hwplanner.report import (
    chart_rows,
    device_tables,
    energy,
    findings,
    option_tables,
    story,
)
from hwplanner.report.cautions import cautions

plan = state.plan()
parts.heading(story.eyebrow(plan), findings.cost(plan), cautions(plan))

over_time, by_run = st.columns([57, 43], gap="medium")
with over_time:
    rows = chart_rows.spend_rows(plan)
    downloads.chart(spend, rows, break_even_month=chart_rows.break_even_month(rows))
with by_run:
    downloads.chart(cost, chart_rows.cost_rows(plan, "training"), job="training")

cash = option_tables.cash_table(plan)
parts.table(cash)
parts.note(
    "The lines above are cash. Hardware that is still owned at the end has a value, and money that "
    "is bound costs interest; with both, cash becomes the cost on the Plan page."
)
downloads.table_button(cash)

for table, remark in (
    (
        device_tables.token_cost_table(plan),
        "By the cheaper way of paying. A prompt bears the share of device time that reading it "
        "takes.",
    ),
    (
        device_tables.yearly_cost_table(plan),
        "A missing price stays missing and is never ranked. Add a quote of your own under Money.",
    ),
    (
        energy.energy_table(plan),
        f"{energy.BOUNDARY} Idle hours that are paid for count in requests and years, not in runs.",
    ),
):
    parts.section(table.title, remark)
    sheets.sheet(table)
    downloads.table_button(table)
