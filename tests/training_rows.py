"""Published training runs for tests: rows of a file, made up."""

from hwplanner.catalog.catalog import load_catalog
from hwplanner.evidence.rows import RunRow
from hwplanner.evidence.training_inputs import TrainingInputs, read_training_run

EIGHT_H100 = {
    "id": "run-1",
    "framework": "torchtitan",
    "source_date": "2026-03",
    "model": "Llama-3.1-8B",
    "seq_len": "8192",
    "micro_batch": "2",
    "global_batch": "16",
    "device": "H100-80GB",
    "n_devices": "8",
    "tp": "1",
    "pp": "1",
    "cp": "1",
    "sharding": "fsdp",
    "precision": "bf16",
    "recompute": "full",
    "method": "pretrain",
}


def training_row(**changes: str) -> RunRow:
    """Row of Llama-3.1-8B on eight H100, with changes."""
    cells = EIGHT_H100 | changes
    return RunRow(id=cells["id"], line=2, cells=cells)


def inputs_of(**changes: str) -> TrainingInputs:
    """The same, filled in."""
    found = read_training_run(training_row(**changes), load_catalog())
    assert isinstance(found, TrainingInputs)
    return found
