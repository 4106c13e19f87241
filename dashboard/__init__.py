"""The screen: Streamlit and plotly live here, numbers come from `hwplanner`."""
