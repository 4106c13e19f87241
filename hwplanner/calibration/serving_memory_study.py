"""Memory of published serving runs, and the constants that are fitted to it."""

from __future__ import annotations

import numpy as np

from hwplanner.assumptions import Place
from hwplanner.calibration.study import Observations, Study, sweep_weights
from hwplanner.calibration.training_study import publication
from hwplanner.catalog.catalog import load_catalog
from hwplanner.evidence.measurements import load_measurements
from hwplanner.evidence.serving_memory_runs import FIGURE, ServingMemoryRuns

# Settings that logs do not print move the room for the cache; overheads differ by build.
SPREADS = {"room for cache": 0.1, "overhead": 0.4}
OTHER_SPREAD = 0.03
FITTED = ("room for cache", "overhead")

CONSTANTS: tuple[Place, ...] = (
    ("context_bytes", ""),
    ("communication_buffer_bytes", "pair"),
    ("communication_buffer_bytes", "group"),
    ("graph_bytes_per_layer", ""),
    ("moe_workspace_bytes_per_token", ""),
    ("logit_bytes_per_entry", ""),
    ("working_tensors", ""),
    ("tower_bytes", ""),
)


def serving_memory_study() -> Study:
    """Gather the published memory of serving runs, and what is fitted to it.

    Files, counts and bytes of a cache are arithmetic: they are predicted, not fitted.
    """
    rows = load_measurements("serving_memory")
    runs = ServingMemoryRuns.prepare(rows, load_catalog())
    regimes = np.array(runs.regimes[FIGURE])
    places = np.array(
        [
            place
            for place, row in enumerate(rows)
            if row.is_reliable and row.measured.get(FIGURE, 0) > 0 and regimes[place] != "fits"
        ],
        dtype=np.intp,
    )
    source = np.array([publication(row.address) for row in rows])
    device, model = (
        np.array([known or row.text(name) for known, row in zip(ids, rows, strict=True)])
        for ids, name in ((runs.device_ids, "device"), (runs.model_ids, "model"))
    )
    sweep = np.array([" | ".join(words) for words in zip(source, device, model, strict=True)])
    regime = regimes[places]
    return Study(
        "serving-memory",
        runs,
        Observations(
            run=places,
            ids=np.array([row.id for row in rows])[places],
            figure=np.full(len(places), FIGURE),
            measured=np.array([rows[place].measured[FIGURE] for place in places]),
            spread=np.array([SPREADS.get(word, OTHER_SPREAD) for word in regime]),
            weight=sweep_weights(sweep[places]),
            is_fitted=np.isin(regime, FITTED),
            source=source[places],
            device=device[places],
            sweep=sweep[places],
            regime=regime,
        ),
        CONSTANTS,
    )
