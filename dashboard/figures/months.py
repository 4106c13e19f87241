"""The axis of months that several figures share."""

from __future__ import annotations

import math
from typing import Any

MONTH_STEPS = (1, 2, 3, 6, 12, 24)


def axis(months: float, start: int = 0) -> dict[str, Any]:
    """Mark few enough months for a phone, the last one by name."""
    step = next((step for step in MONTH_STEPS if months / step <= 5), MONTH_STEPS[-1])
    ticks = [max(tick, start) for tick in range(0, math.floor(months) + 1, step)]
    return dict(
        tickvals=ticks,
        ticktext=[f"month {tick}" if tick == ticks[-1] else f"{tick}" for tick in ticks],
    )
