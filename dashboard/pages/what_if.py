import streamlit as st

from dashboard import downloads, parts, sheets, state
from dashboard.figures import break_even, cases, tornado
from hwplanner.finance.monte_carlo import CASES, monte_carlo
from hwplanner.finance.what_if import what_if
from hwplanner.links.link import write_link
from hwplanner.report import story
from hwplanner.report import what_if as report
from hwplanner.report.cautions import cautions

DRAWN = "drawn_cases"

plan = state.plan()
found = what_if(plan)
parts.heading(story.eyebrow(plan), report.finding(plan, found), cautions(plan))

if found is not None:
    effects = report.effect_rows(found)
    inputs, drawn = st.columns([57, 43], gap="medium")
    with inputs:
        downloads.chart(tornado, effects)
    with drawn:
        link = write_link(state.scenario())
        parts.section("How often each option is the cheapest", report.CASES_RULE)
        if st.button(f"Draw {CASES:,} cases", icon=":material/casino:"):
            st.session_state[DRAWN] = link, monte_carlo(plan)
        drawn_for, of_cases = st.session_state.get(DRAWN, (None, None))
        if of_cases is not None and drawn_for == link:
            parts.note(report.cases_finding(plan, of_cases))
            downloads.chart(cases, report.case_rows(plan, of_cases))
        elif drawn_for is not None:
            parts.note("The cases were drawn for other inputs. Draw them again for these.")

    parts.section("Break-even", report.use_note(found))
    with st.container(key="three"):
        by_use, by_rent, by_users = st.columns(3, gap="small")
    with by_use:
        downloads.chart(
            break_even,
            report.use_rows(found),
            job="use",
            planned=report.planned_use(found),
            crossings=report.use_marks(found),
        )
    with by_rent:
        downloads.chart(
            break_even,
            report.curve_rows(found, found.rents),
            job="rent",
            planned=1.0,
            crossings=report.rent_marks(found),
        )
    with by_users:
        downloads.chart(
            break_even,
            report.curve_rows(found, found.users),
            job="users",
            planned=float(plan.scenario.users),
            crossings=report.user_marks(found),
        )
    parts.note(report.MONTHS)

    table = tornado.data_table(effects)
    panel = st.expander(f"{table.title}: {len(table.rows)}", on_change="rerun", key="all_inputs")
    if panel.open:
        with panel:
            parts.note(report.RULE)
            sheets.sheet(table)
