"""Single rows about the memory of serving, estimated."""

from hwplanner.assumptions import load_assumptions
from hwplanner.catalog.catalog import load_catalog
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.serving_memory_runs import FIGURE, ServingMemoryRuns


def value(**cells: str) -> float:
    """Estimate of one row; of whether something fits, what is needed over what there is."""
    row = RunRow(id="one", line=2, cells={"id": "one", **cells})
    runs = ServingMemoryRuns.prepare([row], load_catalog())
    return float(runs.outcome(load_assumptions()).figures[FIGURE][0])
