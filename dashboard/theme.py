"""What a figure takes from the screen: its colours, and how it is downloaded."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from dashboard.figures.palette import Palette, palette

IMAGE_FORMATS = ("PNG", "SVG")
IMAGE_WIDTH_PX, IMAGE_SCALE = 640, 3  # 1,920 pixels, the width of a slide


# Streamlit repaints its own parts when the reader changes the theme, but does not run the page
# again, and a figure's colours are fixed when it is drawn. A switch while the page loads counts
# too, so what is shown is held against what was drawn; each difference is reported once.
_WATCH = """
let reported = null;
export default function ({ data, setTriggerValue }) {
  const app = document.querySelector('[data-testid="stApp"]');
  const check = () => {
    const shown = getComputedStyle(app).colorScheme;
    if (shown === data.drawn) reported = null;
    else if (shown !== reported) {
      reported = shown;
      setTriggerValue("switched_to", shown);
    }
  };
  const observer = new MutationObserver(check);
  observer.observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  check();
  return () => observer.disconnect();
}
"""


@cache
def _watcher() -> Callable[..., Any]:
    return st.components.v2.component("theme_watcher", js=_WATCH)


def follow_switch() -> None:
    """Run the page again when the reader switches between light and dark."""
    _watcher()(
        key="theme_watcher",
        data={"drawn": "dark" if is_dark() else "light"},
        on_switched_to_change=lambda: None,
    )


def is_dark() -> bool:
    """Whether the reader's browser shows the dark theme."""
    return st.context.theme.type == "dark"


def colours() -> Palette:
    """Colours of the theme that the reader's browser shows."""
    return palette("dark" if is_dark() else "light")


def figure_config(*, file_stem: str, image_format: str, height_px: int) -> dict[str, Any]:
    """Leave one button on a figure, always visible since touch cannot hover: the download.

    The reader's browser draws the image.
    """
    return {
        "displayModeBar": True,
        "displaylogo": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {
            "format": image_format.lower(),
            "filename": file_stem,
            "width": IMAGE_WIDTH_PX,
            "height": height_px,
            "scale": IMAGE_SCALE,
        },
    }
