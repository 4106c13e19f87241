"""Figures, one module each: rows of `hwplanner.report.tables` and a frame in, a plotly figure out.

Every module has the same three functions: `figure(rows, frame, …)`, `alt_text(rows, …)` for
screen readers, and `data_table(rows, …)` for the CSV file of the figure. Nothing here computes an
estimate, and nothing knows Streamlit.
"""
