"""Published runs like the scenario, in words and tables."""

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest

from hwplanner.evidence.nearby import RunFeatures
from hwplanner.evidence.nearest import NearRun
from hwplanner.report import evidence_tables
from hwplanner.report.near_runs import near_records, near_table, runs_like
from tests.plans import plan_of
from tests.report.published_sample import sample


@pytest.fixture(autouse=True)
def _sample(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(evidence_tables, "stored", sample)
    evidence_tables.checks.cache_clear()
    yield
    evidence_tables.checks.cache_clear()


FEATURES = RunFeatures("amd-mi300x", "mi", "vllm", False, 8e9, 8e9, 16)


def test_a_near_run_says_what_was_measured_and_what_we_say() -> None:
    run = sample("serving", "group").runs[1]
    near = (NearRun(run, FEATURES, 0.4),)
    (record,) = near_records(near, "serving")
    words = [f"{cell.text} | {cell.note}" for cell in record.cells]
    assert words == [
        "meta-llama/Llama-3.1-8B on H100 | page 1, 2026-01-01",
        "everything queued | vLLM",
        "20 | output tokens/s",
        "22 | 17.6–27.5",
        "+10% | ",
    ]
    rows = near_table(near, "serving").rows
    assert [row["figure"] for row in rows] == [
        "Serving throughput",
        "Time per token",
        "First token",
    ]
    assert rows[0]["predicted"] == pytest.approx(22)


def test_a_near_run_that_is_not_checked_says_so() -> None:
    run = replace(sample("serving", "group").runs[1], id="elsewhere")
    (record,) = near_records((NearRun(run, FEATURES, 0.4),), "serving")
    assert record.reason == "not among the figures that are checked"


@pytest.mark.parametrize("job", ["serving", "training"])
def test_runs_like_the_worked_example(job: str) -> None:
    found = runs_like(plan_of(), job)
    assert len(found) == 6
    assert [near.distance for near in found] == sorted(near.distance for near in found)
    assert all(math.isfinite(near.distance) for near in found)
    assert runs_like(plan_of(devices=("nvidia-l4",)), "training") == ()
