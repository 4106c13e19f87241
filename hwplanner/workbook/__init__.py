"""A plan as a workbook that a finance manager can trace: live formulas on inputs and prices."""

from hwplanner.workbook.book import workbook

__all__ = ["workbook"]
