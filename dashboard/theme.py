"""What a figure takes from the screen: its colours, its texts, and how it is downloaded."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from dashboard.figures.palette import Palette, palette
from hwplanner.wording import day

IMAGE_WIDTH_PX = 640
IMAGE_SCALE = 3  # a slide is 1,920 pixels wide


def colours() -> Palette:
    """Colours of the theme that the reader's browser shows."""
    return palette(st.context.theme.type)


def file_stem(what: str, scenario: str, date: str) -> str:
    """Name a download after its content, the scenario and the day of the catalogue.

    Examples
    --------
    >>> file_stem("memory", "Support assistant, 70B", "2026-11-30")
    'memory-support-assistant-70b-2026-11-30'
    """
    words = re.findall(r"\w+", f"{what} {scenario}".lower())
    return "-".join([*words, date])
