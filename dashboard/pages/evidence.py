import streamlit as st

from dashboard import downloads, parts, state
from dashboard.figures import evidence
from hwplanner.report import evidence_tables, near_runs, story
from hwplanner.report.cautions import cautions

plan = state.plan()
heading = st.container()

figure = st.segmented_control(
    "Figure",
    list(evidence_tables.CHECKED),
    default="throughput",
    required=True,
    format_func=lambda key: evidence_tables.CHECKED[key].label,
    key="evidence_figure",
    persist_state="session",
)
everything = known = evidence_tables.checks(figure, evidence_tables.KNOWN_SOURCE)
new = evidence_tables.checks(figure, evidence_tables.NEW_SOURCE)
filters, chart = st.columns([36, 64], gap="medium")
with filters:
    wanted = {
        name: st.selectbox(
            evidence_tables.HEADINGS[name],
            ["", *evidence_tables.choices(known, name)],
            format_func=lambda group: group or "All",
            key=f"evidence_{figure}_{name}",
            persist_state="session",
        )
        for name in evidence_tables.headings(known)
        if name != "source"
    }
known = evidence_tables.filtered(known, wanted)
new = evidence_tables.filtered(new, wanted)
with heading:
    finding = evidence_tables.evidence_finding(figure, known, new)
    parts.heading(story.eyebrow(plan), finding, cautions(plan))
with chart:
    downloads.chart(
        evidence,
        evidence_tables.check_rows(known, plan),
        unit=evidence_tables.CHECKED[figure].unit,
    )

parts.section(
    "How well they agree",
    "Each run was left out of the fit with all runs of its source, device and model; in the last "
    "column with its whole source. A range of 80% should hold 80%.",
)
by = st.segmented_control(
    "Grouped by",
    evidence_tables.headings(everything) or ("device",),
    default="device",
    required=True,
    format_func=lambda name: evidence_tables.HEADINGS[name],
    key="evidence_by",
    persist_state="session",
)
parts.records(evidence_tables.SCORE_HEADINGS, evidence_tables.score_records(known, new, by))
downloads.table_button(evidence_tables.score_table(known, new, by))

for job in ("serving", "training"):
    near = near_runs.runs_like(plan, job)
    if near:
        parts.section(
            f"Runs like yours: {job}",
            "The nearest published runs: what was measured, and what we say of that very run "
            "without having seen it.",
        )
        parts.records(near_runs.NEAR_HEADINGS, near_runs.near_records(near, job))
        downloads.table_button(near_runs.near_table(near, job))

downloads.facts("badges", "What the badges mean", evidence_tables.badge_legend())
