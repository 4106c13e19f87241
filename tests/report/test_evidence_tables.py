"""Estimates held against published measurements, in words and tables."""

from collections.abc import Iterator

import pytest

from hwplanner.report import evidence_tables
from hwplanner.report.evidence_tables import (
    CHECKED,
    badge_legend,
    check_rows,
    checks,
    choices,
    evidence_finding,
    filtered,
    score_records,
    score_table,
)
from hwplanner.report.story import plain
from tests.plans import plan_of
from tests.report.published_sample import sample


@pytest.fixture(autouse=True)
def _sample(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(evidence_tables, "stored", sample)
    checks.cache_clear()
    yield
    checks.cache_clear()


@pytest.mark.parametrize("figure", CHECKED)
def test_every_figure_has_its_runs(figure: str) -> None:
    assert len(checks(figure, "group")) == 40


def test_scores_by_hand() -> None:
    # Of four runs the estimates are 0.9, 1.1, 1.25 and 1.4 times the measurement; the range holds
    # the measurement up to 1.25 times.
    table = score_table(checks("throughput", "group"), checks("throughput", "source"), "device")
    overall = table.rows[0]
    assert overall["group"] == "All"
    assert overall["n"] == 40
    assert overall["mdape"] == pytest.approx(0.175)
    assert (overall["in20"], overall["in30"]) == pytest.approx((0.5, 0.75))
    assert overall["bias"] == pytest.approx(0.175)
    assert overall["cover80"] == pytest.approx(0.75)
    assert overall["width"] == pytest.approx(1.25 / 0.8)
    assert overall["source_mdape"] == pytest.approx(0.5)
    assert [row["n"] for row in table.rows[1:]] == [20, 20]
    words = [
        cell.text for cell in score_records(checks("throughput", "group"), (), "device")[0].cells
    ]
    assert words[:5] == ["All", "40", "18%", "50%", "75%"]


def test_small_groups_are_not_scored_by_themselves() -> None:
    known = filtered(checks("throughput", "group"), {"device": "AMD Instinct MI300X"})[:12]
    assert [row["group"] for row in score_table(known, known, "source").rows] == ["All"]


def test_filters_and_their_choices() -> None:
    known = checks("throughput", "group")
    assert choices(known, "mode") == ("everything queued", "one request at a time")
    one = filtered(known, {"mode": "everything queued", "engine": "", "device": None})
    assert len(one) == 20
    assert filtered(known, {"mode": "everything queued", "engine": "no such"}) == ()


def test_the_finding_says_error_and_coverage() -> None:
    finding = evidence_finding(
        "throughput", checks("throughput", "group"), checks("throughput", "source")
    )
    assert plain(finding.headline) == (
        "Serving throughput: half of 40 published figures lie within 18% of what we say, without "
        "having seen them."
    )
    assert finding.detail == (
        "Ranges that should hold 80% hold 75%. Against 4 sources of which nothing was seen at all, "
        "half lie within 50%."
    )
    assert "No published run" in plain(evidence_finding("throughput", (), ()).headline)


def test_rows_of_the_chart_mark_the_devices_of_the_plan() -> None:
    plan = plan_of(devices=("amd-mi300x",))
    rows = check_rows(checks("token", "group"), plan)
    assert [row.is_of_plan for row in rows[:2]] == [True, False]
    assert rows[0].label == "meta-llama/Llama-3.1-8B on MI300X"
    assert (rows[0].measured, rows[0].predicted) == (10.0, 9.0)


def test_every_badge_is_explained() -> None:
    assert [name[2:] for name, _ in badge_legend()] == [
        "measured nearby",
        "calibrated class",
        "extrapolated",
    ]
