"""Scores: worked by hand, and what they say of a file."""

import csv
import json
import math
from pathlib import Path

import pytest

from hwplanner.__main__ import main
from hwplanner.evidence.measurements import FOLDER, load_measurements
from hwplanner.evidence.score import Observed, kind_of_file, score, score_file, score_stored

KEYS = ("n", "answered", "mdape", "in20", "in25", "in30", "bias", "cover80", "width")


def observed(predicted: float, low: float = 0.5, high: float = 2.0) -> Observed:
    return Observed(0, "x", 100.0, predicted, predicted * low, predicted * high)


def test_a_score_worked_by_hand() -> None:
    # Errors 10 %, 22 %, 28 %, 60 %; ratios 1.1, 0.78, 1.28, 0.4; the last is outside 20 .. 80.
    seen = [observed(110), observed(78), observed(128), observed(40)]
    found = score(seen)
    assert (found.n, found.answered) == (4, 1.0)
    assert found.mdape == pytest.approx(0.25)
    assert (found.in20, found.in25, found.in30) == (0.25, 0.5, 0.75)
    assert found.bias == pytest.approx((1.1 + 0.78) / 2 - 1)
    assert (found.cover80, found.width) == (0.75, 4.0)
    assert found.mean == pytest.approx((0.1 + 0.22 + 0.28 + 0.6) / 4)


def test_what_is_not_answered_counts_as_wrong() -> None:
    found = score([observed(100), observed(math.nan), observed(math.nan)])
    assert found.answered == pytest.approx(1 / 3)
    assert found.in30 == pytest.approx(1 / 3)
    assert found.mdape == math.inf
    assert (found.bias, found.cover80) == (0.0, 1.0)


def test_nothing_measured_is_no_score() -> None:
    found = score([])
    assert found.n == 0
    assert math.isnan(found.mdape)


def test_questions_are_told_right_or_wrong() -> None:
    answers = [(1.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, math.nan)]
    seen = [Observed(0, "fits", measured, told, told, told) for measured, told in answers]
    found = score(seen, is_yes_or_no=True)
    assert (found.n, found.answered, found.right) == (4, 0.75, 0.5)
    assert math.isnan(found.mdape)


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def serving_rows() -> list[dict[str, str]]:
    with (FOLDER / "serving.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_throughput_counts_once_for_a_row_and_without_arrivals(tmp_path: Path) -> None:
    rows = [row for row in serving_rows() if row["output_tokens_per_s"]][:40]
    driven = [row for row in serving_rows() if row["mode"] == "server_rate"][:5]
    for row in rows:
        row |= {"total_tokens_per_s": "5", "requests_per_s": "7"}
    groups = score_file("serving", write(tmp_path / "rows.csv", rows + driven)).groups
    steady = sum(row["mode"] != "server_rate" for row in rows)
    assert groups["overall"]["throughput"].n == steady
    assert groups["measured_field"]["total_tokens_per_s"].n >= 40
    assert groups["mode"]["server_rate"].n >= 5
    assert sum(group.n for group in groups["device"].values()) == steady


def test_prefill_alone_is_scored_by_its_total(tmp_path: Path) -> None:
    rows = [row for row in serving_rows() if row["output_tokens"] == "0"][:5]
    groups = score_file("serving", write(tmp_path / "rows.csv", rows)).groups
    assert groups["overall"]["throughput"] == groups["measured_field"]["total_tokens_per_s"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("serving_latency", "serving"),
        ("training", "training"),
        ("training_memory", "training-memory"),
        ("serving_memory", "serving-memory"),
    ],
)
def test_columns_tell_the_kind(name: str, kind: str) -> None:
    assert kind_of_file(FOLDER / f"{name}.csv") == kind


def test_json_has_the_same_keys_for_every_group(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "rows.csv", serving_rows()[200:240])
    assert main(["score", str(path), "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out).values()
    assert report["overall"]["figure"] == "throughput"
    groups = [report.pop("overall")]
    groups += [cells for named in report.values() for cells in named.values()]
    assert len(groups) > 5
    assert all(set(KEYS) <= set(cells) for cells in groups)


def test_the_table_names_every_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "rows.csv", serving_rows()[200:240])
    assert main(["score", "--kind", "serving", str(path)]) == 0
    out = capsys.readouterr().out
    for heading in ("overall", "mode", "device", "engine", "kind of model", "measured field"):
        assert f"\n  {heading}" in out


def test_stored_predictions_are_held_against_the_shipped_measurements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = load_measurements("fp8_tables")[:4]
    lines = [
        f"serving,{run.id},output_tokens_per_s,group,measured,{1.1 * measured}"
        for run in runs
        for measured in (run.measured["output_tokens_per_s"],)
    ]
    text = "\n".join(["kind,id,figure,scheme,tier,predicted", *lines]) + "\n"
    (tmp_path / "cross_validation.csv").write_text(text, encoding="utf-8")
    monkeypatch.setattr("hwplanner.evidence.score.DATA_DIR", tmp_path)
    groups = score_stored("serving", "group").groups
    told = groups["file"]["fp8_tables"]
    assert told.n == len(load_measurements("fp8_tables"))
    assert told.answered == pytest.approx(4 / told.n)
    assert told.bias == pytest.approx(0.1)
    assert groups["file"]["serving"].answered == 0.0


def test_a_file_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(tmp_path / "none.csv")]) == 2
    assert "none.csv cannot be read" in capsys.readouterr().err
