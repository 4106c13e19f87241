"""Figures as the browser draws them: no text over another and none cut off, at any width."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import plotly.io
import pytest
from playwright.sync_api import Page
from plotly.offline import get_plotlyjs

from benchmarks.harness import PROJECT
from tests.dashboard.examples import FIGURES, FRAME, renamed

FONT = PROJECT / "static" / "inter-latin-wght-normal.woff2"
DRAW = """async ([figures, width]) => {
  await document.fonts.load('13px Inter'); await document.fonts.load('bold 13px Inter');
  document.body.replaceChildren();
  const boxes = {};
  for (const [name, figure] of Object.entries(figures)) {
    const home = document.body.appendChild(document.createElement('div'));
    home.style.width = width + 'px';
    await Plotly.newPlot(home, figure.data, figure.layout, {responsive: true, displayModeBar: false});
    const frame = home.getBoundingClientRect();
    boxes[name] = [...home.querySelectorAll('svg text')].filter(t => t.textContent.trim()).map(t => {
      const b = t.getBoundingClientRect();
      return [t.textContent, b.left - frame.left, b.right - frame.left, b.top - frame.top,
              b.bottom - frame.top];
    });
  }
  return boxes;
}"""  # noqa: E501
Box = tuple[str, float, float, float, float]


@pytest.fixture
def drawing_page(page: Page) -> Page:
    font = base64.b64encode(FONT.read_bytes()).decode()
    page.set_content(
        "<style>@font-face {font-family: Inter; font-weight: 100 900; "
        f"src: url(data:font/woff2;base64,{font})}} body {{margin: 0}}</style>"
    )
    page.add_script_tag(content=get_plotlyjs())
    return page


@pytest.mark.parametrize("width", [358, 560, 1200])
@pytest.mark.parametrize("label", [None, "NVIDIA RTX PRO 6000 Blackwell Workstation ×16"])
def test_texts_keep_apart_and_inside(drawing_page: Page, width: int, label: str | None) -> None:
    figures: dict[str, Any] = {
        name: json.loads(plotly.io.to_json(draw(renamed(rows, label) if label else rows, FRAME)))
        for name, (rows, draw) in FIGURES.items()
    }
    drawing_page.set_viewport_size({"width": width, "height": 800})
    boxes = drawing_page.evaluate(DRAW, [figures, width])
    assert list(boxes) == list(FIGURES)
    faults = [f"{name}: {fault}" for name in boxes for fault in _faults(boxes[name], width)]
    assert not faults, "\n".join(faults)


def _faults(boxes: list[Box], width: int) -> Iterator[str]:
    for text, left, right, _, _ in boxes:
        if left < -1 or right > width + 1:
            yield f"{text!r} is cut off"
    for one, two in combinations(boxes, 2):
        across = min(one[2], two[2]) - max(one[1], two[1])
        down = min(one[4], two[4]) - max(one[3], two[3])
        if across > 1 and down > 3:  # line boxes are taller than their letters
            yield f"{one[0]!r} stands on {two[0]!r}"
