"""The least that a Streamlit page of this kind can cost: the floor that the Plan page is held to.

Five sidebar sliders, three bar charts of 40 bars and a table of 60 rows. Every number shown
follows the first slider, so that a change of it repaints everything.
"""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

BARS = 40
ROWS = 60
DEVICES = [f"device {number}" for number in range(ROWS)]

st.set_page_config(page_title="Floor", layout="wide")
first, *others = (st.sidebar.slider(f"Input {number}", 0, 1000, 500) for number in range(1, 6))

st.write(f"Input 1 is {first}")
for chart in range(1, 4):
    heights = [(7 * bar + 13 * chart + first + sum(others)) % 100 + 1 for bar in range(BARS)]
    bars = go.Bar(x=DEVICES[:BARS], y=heights)
    st.plotly_chart(go.Figure(bars, {"title": f"Chart {chart} at {first}", "height": 320}))
columns = {f"Figure {column}": [column * row + first for row in range(ROWS)] for column in range(7)}
st.dataframe(pd.DataFrame({"Device": DEVICES, **columns}))
