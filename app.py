"""Front door: page settings, the link, the shared controls, and the list of pages."""

from pathlib import Path

import streamlit as st

from dashboard import controls, downloads, parts, state

PAGE_PX = 1008
STATIC = Path(__file__).parent / "static"
PAGES = {
    "Plan": "table_chart",
    "Memory": "memory",
    "Speed": "speed",
    "Cost": "payments",
    "What if": "tune",
    "Over time": "timeline",
    "Utilization": "calendar_view_week",
    "Prices": "sell",
    "Evidence": "fact_check",
    "Catalogue": "list_alt",
    "Method": "menu_book",
}

st.set_page_config(page_title="Hardware planner", page_icon=str(STATIC / "icon.png"), layout="wide")
st.logo(str(STATIC / "logo.svg"))
# Before the links between pages appear: one that is followed earlier would lose the scenario.
with state.calm():
    state.warm_up()
page = st.navigation(
    [
        st.Page(
            f"dashboard/pages/{title.lower().replace(' ', '_')}.py",
            title=title,
            icon=f":material/{icon}:",
            default=title == "Plan",
        )
        for title, icon in PAGES.items()
    ],
    position="top",
)

parts.style()
with state.calm():
    state.follow_link()
    state.use(controls.draw())
    with st.sidebar:
        downloads.image_format()
    with st.container(horizontal_alignment="center"), st.container(width=PAGE_PX):
        state.show_notices()
        page.run()
