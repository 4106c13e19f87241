"""Figures: rows of `hwplanner.tables` and a `Frame` in, a plotly figure out.

Every figure comes with two companions: one sentence for screen readers (`…_alt`) and the numbers
behind it as a table (`…_table`). Nothing here computes an estimate, and nothing knows Streamlit.
"""
