"""Published runs that are most like what is asked."""

from dataclasses import replace

import pytest

from hwplanner.evidence import nearest
from hwplanner.evidence.measurements import Measurement
from hwplanner.evidence.nearest import Asked, nearest_runs
from tests.evidence.test_nearby import RUN

ASKED = Asked(features=RUN, input_tokens=1000, output_tokens=200, requests=8, devices=1)
SAME = {"n_devices": "1", "input_tokens": "1000", "output_tokens": "200", "concurrency": "8"}


def run(name: str, source: str = "a page", **cells: str) -> Measurement:
    return Measurement(
        id=name,
        line=2,
        cells={"model": "m"} | SAME | cells,
        measured={"output_tokens_per_s": 100.0},
        source=source,
        address="https://example.org",
        date="2026-01-01",
        note="",
        is_reliable=True,
    )


@pytest.mark.parametrize(
    ("features", "cells", "distance"),
    [
        ({}, {}, 0.0),
        ({"device_id": "h200"}, {}, 1.0),
        ({"device_id": "mi", "device_class": "mi"}, {}, 3.0),
        ({"software": "sglang", "weight_bits": 16}, {}, 1.2),
        ({"is_moe": True}, {}, 1.5),
        ({"active_parameters": 16e9, "total_parameters": 16e9}, {}, 1.5 * 0.6931),
        ({}, {"input_tokens": "2000"}, 0.3 * 0.6931),
        ({}, {"concurrency": "32", "n_devices": "2"}, 0.2 * 1.3863 + 0.2 * 0.6931),
        ({}, {"concurrency": ""}, 0.3),
        ({}, {"input_tokens": "0"}, 0.3 * 6.9078),  # decoding alone counts as one token
    ],
)
def test_distances_by_hand(
    monkeypatch: pytest.MonkeyPatch,
    features: dict[str, object],
    cells: dict[str, str],
    distance: float,
) -> None:
    published = ((run("one", **cells), replace(RUN, **features)),)
    monkeypatch.setattr(nearest, "published_features", lambda job: published)
    (found,) = nearest_runs("serving", ASKED, 3)
    assert found.distance == pytest.approx(distance, abs=1e-3)


def test_the_nearest_come_first_and_two_of_a_sweep_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = [(run(f"sweep {n}", concurrency=str(8 + n)), RUN) for n in range(4)]
    other = (run("other", source="another page", concurrency="64"), RUN)
    monkeypatch.setattr(nearest, "published_features", lambda job: [other, *reversed(sweep)])
    found = nearest_runs("serving", ASKED, 5)
    assert [near.run.id for near in found] == ["sweep 0", "sweep 1", "other"]
    assert len(nearest_runs("serving", ASKED, 1)) == 1


def test_of_training_only_the_sequence_and_the_devices_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    published = ((run("one", seq_len="2000", input_tokens="7"), RUN),)
    monkeypatch.setattr(nearest, "published_features", lambda job: published)
    (found,) = nearest_runs("training", ASKED, 3)
    assert found.distance == pytest.approx(0.3 * 0.6931, abs=1e-3)
