"""How near the measurements are that the estimates of published runs rest on."""

from collections.abc import Sequence

from hwplanner.catalog.catalog import Catalog
from hwplanner.evidence.intervals import Tier
from hwplanner.evidence.measurements import Kind
from hwplanner.evidence.nearby import neighbours, serving_features, training_features
from hwplanner.evidence.rows import RunRow


def run_tiers(kind: Kind, rows: Sequence[RunRow], catalog: Catalog) -> tuple[Tier, ...]:
    """Tier of each run.

    Parameters
    ----------
    kind
        Kind of measurement. Memory is arithmetic, and no nearer for one device than for another.
    rows
        Runs.
    catalog
        Tells the classes of the devices.
    """
    if kind not in ("serving", "training"):
        of_memory: Tier = "calibrated"
        return (of_memory,) * len(rows)
    features_of = serving_features if kind == "serving" else training_features
    published = neighbours(kind)
    found = (features_of(row, catalog) for row in rows)
    return tuple(
        "extrapolated" if features is None else published.tiers([features])[0] for features in found
    )
