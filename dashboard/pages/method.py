from pathlib import Path

import streamlit as st

from dashboard import downloads, parts, sheets, state
from hwplanner.report import findings, reference_tables, story
from hwplanner.report.cautions import cautions

plan = state.plan()
parts.heading(story.eyebrow(plan), findings.method(plan), cautions(plan))
st.markdown((Path(__file__).parent.parent / "method.md").read_text(encoding="utf-8"))

parts.section("Assumptions", "Every number that no data sheet gives, with its range and source.")
assumptions = reference_tables.assumptions_table(plan)
sheets.sheet(assumptions)
downloads.table_button(assumptions)
