"""The planner from a terminal."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.__main__ import main
from hwplanner.errors import PlannerError
from hwplanner.files.csv_files import DATA_DIR
from hwplanner.links.link import write_link
from hwplanner.scenario import Scenario

PROJECT = Path(__file__).resolve().parents[1]
KEYS = {"scenario", "notes", "devices", "plan"}


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    """JSON of one command, which must succeed and print nothing else."""
    assert main(["compare", "--json", *arguments]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out)


# compare


def test_compare_without_a_link_is_the_worked_example(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys)
    assert set(found) >= KEYS
    assert found["scenario"] == Scenario().model_dump(mode="json")
    assert found["notes"] == []
    assert len(found["devices"]) == 24


@pytest.mark.parametrize(
    "arguments",
    [
        ["--link", "context=16k&users=48"],
        ["--link=context=16k&users=48"],
        ["--link", "?context=16k&users=48"],
        ["--link=?context=16k&users=48"],
        ["--link", "https://example.org/plan?context=16k&users=48"],
    ],
)
def test_a_link_is_read_with_and_without_its_question_mark(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = answer(capsys, *arguments)["scenario"]
    assert (scenario["context_tokens"], scenario["users"]) == (16384, 48)


@pytest.mark.parametrize("text", ["-", "--", "--json", "-h", "--help", "-x=1", "--link", "-1"])
def test_a_link_may_begin_with_a_dash(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--link", text], [f"--link={text}"]):
        found = answer(capsys, *arguments)
        assert found["scenario"] == Scenario().model_dump(mode="json")


def test_the_order_of_the_options_does_not_matter(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--link", "users=48", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scenario"]["users"] == 48


def test_what_of_a_link_cannot_be_used_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "--link", "users=lots&model=nonesuch&colour=red")
    assert len(found["notes"]) == 3
    assert found["scenario"]["users"] == 128


@given(text=st.text(max_size=300) | st.text("&=?+-%#;\x00\n\"'\\{}0123456789aeiou", max_size=300))
@settings(max_examples=60)
def test_any_text_as_a_link_gives_a_valid_answer(text: str) -> None:
    for arguments in (["--link", text], [f"--link={text}"]):
        with redirect_stdout(StringIO()) as printed:
            assert main(["compare", "--json", *arguments]) == 0
        found = json.loads(printed.getvalue(), parse_constant=pytest.fail)
        assert set(found) >= KEYS
        assert isinstance(found["devices"], list)
        Scenario.model_validate(found["scenario"])


def test_a_link_reproduces_its_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    scenario = Scenario(
        name="Nächste Runde & mehr", users=512, devices=("nvidia-l4", "amd-mi300x"), offload=True
    )
    found = answer(capsys, "--link", write_link(scenario))
    assert Scenario.model_validate(found["scenario"]) == scenario
    assert found["notes"] == []


def test_in_words_the_finding_comes_first_and_every_device_has_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["compare", "--link", "users=lots"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("note: Users at once: ")
    assert lines[1].endswith(".")
    serving, training = lines.index("Devices for serving"), lines.index("Devices for training")
    assert serving < training
    for start in (serving, training):
        assert lines[start + 1].startswith("Device ")
        table = lines[start + 2 : start + 2 + 24]
        assert len(table) == 24
        assert all(line.strip() for line in table)
    assert "nan" not in " ".join(lines)


def test_a_device_that_does_not_fit_has_its_reason_in_words(
    capsys: pytest.CaptureFixture[str],
) -> None:
    link = "model=llama-3.1-405b&weights=bf16&devices=nvidia-h100-sxm&smax=1&tmax=1"
    assert main(["compare", "--link", link]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("No plan yet: ")
    assert printed.count("does not fit: ") == 2
    assert "needs 12 devices" in printed


# check-catalog


@pytest.mark.parametrize(
    "file", ["devices.csv", "device_sources.csv", "prices.csv", "models.csv", "assumptions.csv"]
)
def test_the_shipped_files_have_no_faults(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-catalog", str(DATA_DIR / file)]) == 0
    assert capsys.readouterr().out == f"{DATA_DIR / file}: no faults found\n"


def test_faults_are_listed_one_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (DATA_DIR / "devices.csv").read_text(encoding="utf-8")
    broken = tmp_path / "devices.csv"
    broken.write_text(text.replace("nvidia-h100-sxm,", "nvidia-l4,", 1), encoding="utf-8")
    assert main(["check-catalog", str(broken)]) == 1
    faults = capsys.readouterr().out.splitlines()
    assert faults
    assert all(fault.startswith("devices.csv") for fault in faults)
    assert any("nvidia-l4" in fault for fault in faults)


@pytest.mark.parametrize("name", ["", "nonesuch.csv"])
def test_a_file_that_cannot_be_read_is_said_in_a_line_without_a_traceback(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["check-catalog", str(tmp_path / name)])
    printed = capsys.readouterr()
    assert code in (1, 2)
    assert len((printed.out + printed.err).splitlines()) == 1
    assert "Traceback" not in printed.out + printed.err


def test_a_file_of_another_kind_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "shopping.csv"
    other.write_text("what,how many\nmilk,2\n")
    assert main(["check-catalog", str(other)]) == 1
    assert "shopping.csv" in capsys.readouterr().out


# Errors and the process


def test_an_error_of_ours_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(scenario: Scenario) -> None:
        raise PlannerError("devices.csv line 3: memory_gib is 'x'; write a number")

    monkeypatch.setattr("hwplanner.__main__.make_plan", refuse)
    assert main(["compare"]) == 2
    printed = capsys.readouterr()
    assert printed.err == "devices.csv line 3: memory_gib is 'x'; write a number\n"
    assert printed.out == ""


@pytest.mark.parametrize("arguments", [[], ["nonesuch"], ["check-catalog"], ["compare", "--link"]])
def test_a_wrong_command_is_explained(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: python -m hwplanner" in capsys.readouterr().err


def run(arguments: list[str | bytes], **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "hwplanner", *arguments]
    return subprocess.run(
        command, cwd=PROJECT, capture_output=True, env=os.environ | environment, check=False
    )


def test_as_a_process() -> None:
    done = run(["compare", "--link", "-users=1", "--json"])
    assert (done.returncode, done.stderr) == (0, b"")
    assert set(json.loads(done.stdout)) >= KEYS


def test_a_terminal_that_does_not_know_every_letter() -> None:
    done = run(["compare", "--link", b"\xff=1"], PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Devices for training" in done.stdout


def test_a_reader_that_has_seen_enough() -> None:
    command = [sys.executable, "-m", "hwplanner", "compare", "--json", "--link", "all=1"]
    with subprocess.Popen(
        command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1) == b"{"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_count_is_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    # 1,024 devices in three significant digits would be 1,020.
    assert (
        main(["compare", "--link", "method=pretrain&params=405&tokens=15000000&window=1000"]) == 0
    )
    assert "  1,024  " in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [["--link", "users=1", "--link", "--"], ["--link", "--", "--link=users=48"], ["--link=--"]],
)
def test_of_several_links_the_last_counts(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    users = 48 if "--link=users=48" in arguments else 128
    assert answer(capsys, *arguments)["scenario"]["users"] == users


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink(path, path)])
def test_what_is_no_file_is_refused_at_once(make: Callable[[str], None], tmp_path: Path) -> None:
    make(str(tmp_path / "devices.csv"))
    done = run(["check-catalog", str(tmp_path / "devices.csv")])
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(str(tmp_path / "devices.csv").encode() + b" cannot be read: ")
    assert done.stderr.count(b"\n") == 1


def test_an_endless_device_is_refused_at_once() -> None:
    assert run(["check-catalog", "/dev/zero"]).returncode == 2


def test_a_reader_of_faults_that_has_seen_enough(tmp_path: Path) -> None:
    broken = tmp_path / "devices.csv"
    broken.write_text("device_id\n")
    done = subprocess.run(
        f"{sys.executable} -m hwplanner check-catalog {broken} | true; echo ${{PIPESTATUS[0]}}",
        cwd=PROJECT, capture_output=True, check=False, shell=True, executable="/bin/bash",
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (b"1\n", b"")


def test_a_full_disk_is_said_in_a_line() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "hwplanner", "compare"]
        done = subprocess.run(
            command, cwd=PROJECT, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr == b"The answer cannot be written: No space left on device\n"
