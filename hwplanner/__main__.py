"""The planner from a terminal: `compare`, `predict`, `score` and `check-catalog`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from math import isfinite
from pathlib import Path

from hwplanner.data_check import check_catalog
from hwplanner.errors import PlannerError
from hwplanner.evidence.commands import predict_lines, score_answer, score_lines, score_reports
from hwplanner.evidence.measurements import KINDS
from hwplanner.files.csv_text import one_line
from hwplanner.links.link import read_link
from hwplanner.plan import make_plan
from hwplanner.report.answer import plan_answer
from hwplanner.report.cautions import cautions
from hwplanner.report.device_tables import device_table
from hwplanner.report.story import plain, plan_finding
from hwplanner.report.tables import Table
from hwplanner.scenario import Job
from hwplanner.wording import significant

FAULTS_FOUND = 1
CANNOT_READ = 2

Outcome = tuple[int, list[str]]
"""Exit code of a command, and the lines that it prints."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    asked, link = _without_link(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(asked)
    try:
        outcome: Outcome = options.run(options, link)
        code, lines = outcome
        _print(lines)
    except PlannerError as error:
        print(error, file=sys.stderr)
        return CANNOT_READ
    return code


def _print(lines: Sequence[str]) -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # not every terminal knows every letter
    try:
        print("\n".join(lines), flush=True)
    except OSError as fault:
        # What is left in the buffer must not be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(fault, BrokenPipeError):  # whose reader has just seen enough
            raise PlannerError(f"The answer cannot be written: {fault.strerror}") from fault


def _without_link(arguments: Sequence[str]) -> tuple[list[str], str]:
    """Take the link out: it may be any text, also one that the parser would take for an option."""
    asked, link = [], ""
    words = iter(arguments)
    for word in words:
        if word.startswith("--link="):
            link = word.removeprefix("--link=")
        elif word == "--link" and (following := next(words, None)) is not None:
            link = following
        else:
            asked.append(word)
    return asked, link


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hwplanner", description="Plan hardware for training and serving."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    compare = commands.add_parser("compare", help="work out a scenario", allow_abbrev=False)
    compare.add_argument("--link", metavar="QUERY", help="the part of a shared link after the ?")
    compare.add_argument("--json", action="store_true", help="print everything as JSON")
    compare.set_defaults(run=_compare)

    forecast = commands.add_parser("predict", help="estimate a file of published runs")
    forecast.add_argument("--kind", choices=KINDS, required=True, help="what was run")
    forecast.add_argument("rows", type=Path, metavar="ROWS", help="runs, e.g. of data/measurements")
    forecast.add_argument("--out", type=Path, required=True, help="CSV to write the estimates to")
    forecast.set_defaults(run=_predict)

    score = commands.add_parser("score", help="hold estimates against measurements")
    score.add_argument("--kind", choices=KINDS, help="what was run; else what ROWS has, or all")
    score.add_argument(
        "rows", type=Path, nargs="?", metavar="ROWS", help="runs; else the stored cross-validation"
    )
    score.add_argument("--json", action="store_true", help="print the scores as JSON")
    score.set_defaults(run=_score)

    check = commands.add_parser("check-catalog", help="look for faults in a data file")
    check.add_argument("file", type=Path, metavar="FILE", help="any file of the data folder's kind")
    check.set_defaults(run=_check)
    return parser


def _compare(options: argparse.Namespace, link: str) -> Outcome:
    read = read_link(link)
    plan = make_plan(read.scenario)
    notes = (*read.notes, *cautions(plan))
    if options.json:
        return 0, [json.dumps(plan_answer(plan, notes), indent=1)]
    finding = plan_finding(plan)
    lines = [*(f"note: {note}" for note in notes), plain(finding.headline), finding.detail]
    jobs: tuple[Job, ...] = ("serving", "training")
    for job in jobs:
        lines += ["", *_table_lines(device_table(plan, job), _SHOWN[job])]
    return 0, lines


_SHOWN = {
    "serving": ("device", "devices", "tpot_ms", "usd_per_million", "reason"),
    "training": ("device", "devices", "run_hours", "usd_per_run", "reason"),
}


def _table_lines(table: Table, names: Sequence[str]) -> Iterator[str]:
    columns = [column for column in table.columns if column.name in names]
    heads = [
        f"{column.label} ({column.unit})" if column.unit else column.label for column in columns
    ]
    said = [[_said(row[column.name], column.unit) for column in columns] for row in table.rows]
    lines = [heads, *said]
    widths = [max(map(len, texts)) for texts in zip(*lines, strict=True)]
    yield table.title
    for line in lines:
        cells = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _said(value: object, unit: str) -> str:
    if unit == "count" and isinstance(value, float) and isfinite(value):
        return f"{value:,.0f}"
    return significant(value) if isinstance(value, float) else str(value)


def _predict(options: argparse.Namespace, _: str) -> Outcome:
    return 0, list(predict_lines(options))


def _score(options: argparse.Namespace, _: str) -> Outcome:
    reports = score_reports(options)
    if options.json:
        return 0, [json.dumps(score_answer(reports), indent=1)]
    return 0, list(score_lines(reports))


def _check(options: argparse.Namespace, _: str) -> Outcome:
    faults = check_catalog(options.file)
    if faults:
        return FAULTS_FOUND, faults
    return 0, [one_line(f"{options.file}: no faults found")]


if __name__ == "__main__":
    sys.exit(main())
