import streamlit as st

from dashboard import downloads, parts, sheets, state
from dashboard.figures import cost, request_cost, spend, traffic, ways
from hwplanner.finance.api_price import api_comparison
from hwplanner.finance.ways import ways_to_pay
from hwplanner.report import (
    api_price,
    chart_rows,
    device_tables,
    energy,
    findings,
    option_tables,
    request_parts,
    story,
)
from hwplanner.report import ways as ways_report
from hwplanner.report.cautions import cautions
from hwplanner.report.facts import facts_table

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
with st.container(horizontal=True):
    downloads.table_button(cash)
    downloads.workbook_button()

parts.section(
    "Ways to pay",
    "Each job on its device of the plan, in every market. Choose where to rent under Money, and "
    "put in prices of your own on the Prices page.",
)
for column, job in zip(st.columns(2, gap="medium"), ("serving", "training"), strict=True):
    place = plan.choice(job)
    if place is not None and not (job == "training" and not plan.scenario.all_runs_per_month):
        found_ways = ways_to_pay(plan, job, place)
        with column:
            parts.note(ways_report.finding(plan, job, place, found_ways))
            downloads.chart(ways, ways_report.way_rows(plan, found_ways), job=job)
            panel = st.expander(
                "Idle hours, price and target of each way",
                on_change="rerun",
                key=f"ways_{job}_panel",
            )
            if panel.open:
                with panel:
                    listed = ways_report.ways_table(plan, job, place, found_ways)
                    sheets.sheet(listed)
                    downloads.table_button(listed)

parts.section("Cost of a request", request_parts.finding(plan))
by_device, by_part = st.columns([57, 43], gap="medium")
with by_device:
    downloads.chart(request_cost, request_parts.request_rows(plan))
with by_part:
    parts.records(request_parts.RECORD_HEADINGS, request_parts.part_records(plan))
    parts.note(f"{request_parts.RULE} {request_parts.by_tokens(plan)}")

found = api_comparison(plan)
if found is None:
    parts.section("Against an API price")
    parts.empty(*api_price.remedy(plan))
else:
    parts.section("Against an API price", api_price.finding(plan, found))
    by_traffic, even = st.columns([57, 43], gap="medium")
    with by_traffic:
        downloads.chart(
            traffic,
            api_price.traffic_rows(plan, found),
            break_even=found.break_even_requests_per_month,
            planned=found.planned_requests_per_month,
        )
    with even:
        facts = api_price.facts(plan, found)
        parts.facts(facts)
        parts.note(api_price.NOTE)
        downloads.table_button(facts_table("api_price", "Against an API price", facts))

parts.section("Every device", "Open a table; each can be sorted, searched and downloaded.")
for title, build, remark in (
    (
        "Requests and tokens",
        device_tables.token_cost_table,
        "By the cheapest way of paying. A prompt bears the share of device time that reading it "
        "takes.",
    ),
    (
        "A year of serving, owned and rented",
        device_tables.yearly_cost_table,
        "A missing price stays missing and is never ranked. Add one of your own on the Prices "
        "page.",
    ),
    (
        "Power and energy",
        energy.energy_table,
        f"{energy.BOUNDARY} Idle hours that are paid for count in requests and years, not in runs.",
    ),
):
    panel = st.expander(title, on_change="rerun", key=f"cost_{title}")
    if panel.open:
        with panel:
            table = build(plan)
            parts.note(remark)
            sheets.sheet(table)
            downloads.table_button(table)
