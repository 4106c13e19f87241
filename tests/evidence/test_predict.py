"""`predict`: every row answered in order, and by its inputs alone."""

import csv
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.__main__ import main
from hwplanner.evidence import rows
from hwplanner.evidence.measurements import FOLDER, MEASURED, Kind
from hwplanner.evidence.predict import predict
from hwplanner.evidence.rows import read_run_rows

Cells = dict[str, str]
KINDS: tuple[tuple[Kind, str], ...] = (
    ("serving", "serving"),
    ("training", "training"),
    ("training-memory", "training_memory"),
    ("serving-memory", "serving_memory"),
)
UNREAD = ("source", "source_url", "note", "kind", "measured_or_estimated", "tflops_per_device")


def rows_of(name: str, step: int = 7) -> list[Cells]:
    with (FOLDER / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))[::step]


@pytest.fixture
def answered(tmp_path: Path) -> Callable[[Kind, list[Cells]], bytes]:
    """Write rows, predict them from the command line, and return the bytes of the answer."""

    def answer(kind: Kind, rows: list[Cells]) -> bytes:
        path, out = tmp_path / "rows.csv", tmp_path / "out.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        assert main(["predict", "--kind", kind, str(path), "--out", str(out)]) == 0
        return out.read_bytes()

    return answer


@pytest.mark.parametrize(("kind", "name"), KINDS)
@pytest.mark.parametrize("filling", ["", "garbage", "1e9"])
def test_measured_columns_and_notes_have_no_influence(
    kind: Kind, name: str, filling: str, answered: Callable[[Kind, list[Cells]], bytes]
) -> None:
    full = rows_of(name)
    hidden = (*UNREAD, *MEASURED[kind], "ttft_ms_p99", "tpot_ms_p99", "mfu_pct", "hfu_pct")
    blanked = [row | {column: filling for column in hidden if column in row} for row in full]
    assert answered(kind, full) == answered(kind, blanked)


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_columns_may_come_in_any_order_with_others_between(
    kind: Kind, name: str, answered: Callable[[Kind, list[Cells]], bytes]
) -> None:
    rows = rows_of(name, 31)
    columns = [*rows[0], "a remark", "score"]
    random.Random(1).shuffle(columns)
    shuffled = [{column: row.get(column, "?") for column in columns} for row in rows]
    assert answered(kind, rows) == answered(kind, shuffled)


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_a_row_does_not_depend_on_its_neighbours(kind: Kind, name: str) -> None:
    rows = read_run_rows(FOLDER / f"{name}.csv")[:60]
    together, alone = predict(kind, rows), predict(kind, rows[17:18])
    for figure, estimates in alone.figures.items():
        whole = together.figures[figure].typical[17]
        assert estimates.typical[0] == pytest.approx(whole, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_figures_of_ok_rows_lie_inside_their_intervals(kind: Kind, name: str) -> None:
    predictions = predict(kind, read_run_rows(FOLDER / f"{name}.csv"))
    assert set(predictions.figures) == set(MEASURED[kind])
    for estimates in predictions.figures.values():
        for place, status in enumerate(predictions.statuses):
            typical = estimates.typical[place]
            if status != "ok":
                assert typical != typical  # NaN
            elif typical == typical:
                assert estimates.low[place] <= typical <= estimates.high[place]
    assert predictions.statuses.count("ok") >= 0.8 * len(predictions.statuses)


def test_fits_is_a_yes_or_a_no() -> None:
    rows = [
        row
        for row in read_run_rows(FOLDER / "serving_memory.csv")
        if row.text("quantity") == "fits"
    ]
    values = predict("serving-memory", rows).figures["value"]
    told = values.typical[values.typical == values.typical]
    assert set(told.tolist()) <= {0.0, 1.0}
    assert len(told) >= 10


def test_out_has_a_line_for_every_row_in_order(
    answered: Callable[[Kind, list[Cells]], bytes],
) -> None:
    rows = [
        {"id": "b", "model": "Llama-3.1-8B", "device": "H100", "n_devices": "1", "tp": "1",
         "input_tokens": "1000", "output_tokens": "200", "mode": "fixed_concurrency",
         "concurrency": "8", "engine": "vLLM"},
        {"id": "a", "model": "Llama-9.9-8B", "device": "H100", "mode": "single_stream"},
        {"id": "c", "model": "Llama-3.1-8B", "device": "Z999", "mode": "single_stream"},
        {"id": "d", "model": "Llama-3.1-8B", "device": "H100", "tp": "many", "mode": "offline_max"},
    ]  # fmt: skip
    full = [{column: row.get(column, "") for column in rows[0]} for row in rows]
    lines = list(csv.DictReader(answered("serving", full).decode().splitlines()))
    assert [line["id"] for line in lines] == ["b", "a", "c", "d"]
    assert [line["status"] for line in lines] == ["ok", *["unsupported"] * 3]
    assert list(lines[0])[:8] == [
        *("id", "status", "reason", "device_id", "model_id"),
        *("output_tokens_per_s", "output_tokens_per_s_low", "output_tokens_per_s_high"),
    ]
    assert lines[0]["device_id"] == "nvidia-h100-sxm"
    assert "Llama-9.9-8B" in lines[1]["reason"]
    assert "Z999" in lines[2]["reason"]
    assert "line 5, tp is 'many'; write a number" in lines[3]["reason"]
    assert all(not line["tpot_ms_mean"] for line in lines[1:])


def test_an_answer_that_cannot_be_written_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = str(FOLDER / "fp8_tables.csv")
    out = str(tmp_path / "no such folder" / "out.csv")
    assert main(["predict", "--kind", "serving", rows, "--out", out]) == 2
    assert "cannot be written: No such file" in capsys.readouterr().err


NUMBERS = st.sampled_from(["", "0", "1", "8", "0.5", "-3", "1e9", "inf", "nan", "many", "8 (two)"])
WORDS = st.sampled_from(["", "fp8", "none", "zero3", "bf16", "lora", "qlora", "fits", "GiB", "??"])
MODES = st.sampled_from(["", "single_stream", "offline_max", "fixed_concurrency", "server_rate"])
NAMED = st.sampled_from(["", "H100", "8xH100", "2x Intel Xeon 6980P", "TPU v5e", "M3 Max", "none"])
MODELS = st.sampled_from(["Llama-3.1-8B", "DeepSeek-V3", "gpt-oss-120b", "bloom", "Nemotron-H-8B"])


@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_whatever_a_row_says_it_is_answered(kind: Kind, data: st.DataObject) -> None:
    own = {"mode": MODES, "device": NAMED, "model": MODELS, "id": st.just("a")}
    cells = {
        column: data.draw(own.get(column, NUMBERS if column in rows.NUMBERS else WORDS), column)
        for column in sorted(rows.INPUTS)
    }
    row = rows.RunRow(id="a", line=2, cells=cells)
    predictions = predict(kind, [row])
    assert predictions.statuses[0] in ("ok", "does_not_fit", "unsupported")
    if predictions.statuses[0] != "ok":
        assert predictions.reasons[0]
