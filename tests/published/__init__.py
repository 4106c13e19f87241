"""Numbers that others published or worked out, one CSV file per subject with its source."""

import csv
from pathlib import Path


def published(file: str) -> list[dict[str, str]]:
    """Rows of a file beside this one."""
    with (Path(__file__).parent / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
