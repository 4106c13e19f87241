"""How far estimates are from measurements: ranges that hold 8 of 10, from `data/intervals.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, cast, get_args

from hwplanner.errors import EvidenceError
from hwplanner.files.csv_files import DATA_DIR, read_rows

Tier = Literal["measured", "calibrated", "extrapolated"]
"""How near the measurements are that an estimate rests on; see `hwplanner.evidence.nearby`."""

TIERS: tuple[Tier, ...] = get_args(Tier)
ALL_REGIMES = ""


@dataclass(frozen=True, slots=True)
class Intervals:
    """Ranges of measured over estimated by kind of measurement, figure, regime and tier."""

    ranges: Mapping[tuple[str, str, str, Tier], tuple[float, float]]

    def range(self, kind: str, figure: str, regime: str, tier: Tier) -> tuple[float, float]:
        """Factors by which an estimate becomes the ends of its 80 % interval. [ratio]

        Parameters
        ----------
        kind, figure
            Kind of measurement and name of the estimate, as `predict` has them.
        regime
            Runs like which the estimate is; one that was never measured takes the range of all.
        tier
            How near the measurements are.

        Raises
        ------
        EvidenceError
            When there is no such figure.
        """
        for known in (regime, ALL_REGIMES):
            if (kind, figure, known, tier) in self.ranges:
                return self.ranges[kind, figure, known, tier]
        figures = sorted({" ".join(names) for *names, _, _ in self.ranges})
        raise EvidenceError(
            f"intervals.csv has no {kind} {figure}; it has {', '.join(figures)}: "
            "run scripts/calibrate"
        )


@lru_cache
def load_intervals(path: Path = DATA_DIR / "intervals.csv") -> Intervals:
    """Read the ranges; a file is read once.

    Raises
    ------
    EvidenceError
        When the file is faulty.
    """
    return Intervals(
        {
            (
                row.text("kind"),
                row.text("figure"),
                row.text("regime"),
                cast(Tier, row.text("tier")),
            ): (float(row.text("low")), float(row.text("high")))
            for row in read_rows(path, error=EvidenceError)
        }
    )
