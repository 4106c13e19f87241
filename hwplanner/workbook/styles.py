"""How cells look: blue is an input that may be changed, black a formula, grey a result of the plan.

Number formats follow the habit of finance: negative amounts in brackets, a dash for nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from xlsxwriter import Workbook
from xlsxwriter.format import Format

Kind = Literal["input", "formula", "estimate"]
"""What a number is: asked of the reader, worked out in the file, or worked out by the planner."""

FONT = "Arial"
INK, SOFT_INK, LINE, INPUT_INK = "#161B22", "#5B6472", "#C9D0D8", "#0000FF"
HEAD_FILL, INPUT_FILL, TOTAL_FILL = "#1F3A5F", "#FFF9E5", "#F1F4F8"
SERIES = ("#2F6FDB", "#0F8B7E", "#8A4FB0", "#EDA35E")
"""Colours of the options, the best first."""
PARTS = {
    "capital": "#51565E",
    "energy": "#EDA35E",
    "colocation": "#CF6A9E",
    "maintenance": "#7BA7E0",
    "staff": "#2BC0B6",
    "licences": "#764B8C",
    "rent": "#2F6FDB",
}
"""Colours of the parts of a cost, in the order of the stack."""

NUMBERS = {
    "usd": '#,##0_);(#,##0);"–"_)',
    "cents": '#,##0.00_);(#,##0.00);"–"_)',
    "count": '#,##0_);(#,##0);"–"_)',
    "hours": "#,##0.0_)",
    "share": "0.0%_)",
    "factor": "0.0000_)",
    "small": "0.00000_)",
    "hour": "0_)",
    "general": "General_)",
    "flag": "General",
}
_BASE = {"font_name": FONT, "font_size": 10, "valign": "vcenter"}
_KINDS: dict[str, dict[str, Any]] = {
    "input": {"font_color": INPUT_INK, "bg_color": INPUT_FILL},
    "formula": {"font_color": INK},
    "estimate": {"font_color": SOFT_INK, "italic": True},
}
_TEXTS: dict[str, dict[str, Any]] = {
    "title": {"bold": True, "font_size": 16, "font_color": HEAD_FILL},
    "verdict": {"bold": True, "font_size": 12, "text_wrap": True},
    "section": {"bold": True, "font_size": 11, "font_color": HEAD_FILL, "bottom": 1},
    "head": {"bold": True, "font_color": "#FFFFFF", "bg_color": HEAD_FILL, "text_wrap": True},
    "text": {},
    "strong": {"bold": True},
    "part": {"indent": 1, "align": "left"},
    "unit": {"font_color": SOFT_INK},
    "wrapped": {"text_wrap": True},
    "small": {"font_color": SOFT_INK, "font_size": 9, "text_wrap": True},
    "input": {"font_color": INPUT_INK, "bg_color": INPUT_FILL},
    "result": {"font_color": SOFT_INK, "italic": True},
    "estimate": {"font_color": SOFT_INK, "italic": True, "align": "right", "text_wrap": True,
                 "indent": 1},
    "link": {"font_color": "#1F5BC4", "underline": 1},
}  # fmt: skip


class Styles:
    """Formats of one workbook, each made once."""

    def __init__(self, book: Workbook) -> None:
        """Remember the workbook that holds the formats."""
        self._made = cache(lambda items: book.add_format(dict(items)))

    def number(self, form: str = "usd", kind: Kind = "formula", *, total: bool = False) -> Format:
        """Format of a number; totals stand out."""
        sum_line = {"bold": True, "top": 1, "bg_color": TOTAL_FILL} if total else {}
        return self._format({"num_format": NUMBERS[form]} | _KINDS[kind] | sum_line)

    def text(
        self, name: str = "text", *, total: bool = False, right: bool = False, raw: bool = False
    ) -> Format:
        """Format of a text; one that looks like a formula stays a text even when it is edited."""
        more: dict[str, Any] = {"top": 1, "bold": True, "bg_color": TOTAL_FILL} if total else {}
        if right:
            more |= {"align": "right", "indent": 1}
        if raw:
            more["quote_prefix"] = True
        return self._format(_TEXTS[name] | more)

    def _format(self, properties: dict[str, Any]) -> Format:
        made: Format = self._made(tuple(sorted((_BASE | properties).items())))
        return made
