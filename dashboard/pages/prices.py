import streamlit as st

from dashboard import downloads, parts, price_editor, state
from hwplanner.links.names import shipped_names
from hwplanner.report import price_tables, story, term_tables
from hwplanner.report.cautions import cautions
from hwplanner.report.own_prices import KIND_NAMES

plan = state.plan()
parts.heading(story.eyebrow(plan), price_tables.price_finding(plan), cautions(plan))

parts.section(
    "Your own prices",
    "They take the place of published prices of their kind, and the link carries them. Type into "
    "the last row to add one; mark rows to delete them.",
)
price_editor.draw()
with st.container(horizontal=True, vertical_alignment="bottom"):
    device = st.selectbox(
        "Device",
        plan.arrays.ids,
        format_func=lambda device_id: shipped_names().devices[device_id][0],
        key="price_of",
        width=260,
    )
    kind = st.selectbox(
        "Way to pay", KIND_NAMES, format_func=KIND_NAMES.__getitem__, key="price_kind", width=200
    )
    published = price_tables.published_quote(plan, device, kind)
    st.button(
        "Edit the published price",
        on_click=price_editor.add,
        args=(published,),
        disabled=published is None,
        help="Adds it to the table, to be changed there."
        if published
        else "Nobody publishes it; add a row of your own.",
    )

parts.section(
    "Prices in use",
    "Purchases for a device alone, rents for a device-hour; the median of the providers. What "
    "nobody publishes of a reserved or spot rent is the rent on demand less an assumed discount.",
)
ways = st.pills(
    "Ways to pay",
    list(price_tables.WAYS),
    format_func=price_tables.WAYS.__getitem__,
    selection_mode="multi",
    default=price_tables.ways_in_use(plan),
    key=f"price_ways_{plan.scenario.market}",
    label_visibility="collapsed",
)
shown = tuple(way for way in price_tables.WAYS if way in ways)
parts.records(price_tables.price_headings(shown), price_tables.price_records(plan, shown))
downloads.table_button(price_tables.price_table(plan))

parts.section(
    "Terms",
    "One set of assumptions for all pages. You set yours in the sidebar, under Serving details, "
    "Demand, Training job and Money.",
)
terms = term_tables.terms_table(plan)
parts.records(term_tables.TERM_HEADINGS, term_tables.term_records(terms))
downloads.table_button(terms)
