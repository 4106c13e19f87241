"""The planner from a terminal: `python -m hwplanner compare` and `check-catalog`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from hwplanner.answer import plan_answer
from hwplanner.catalog_check import check_catalog
from hwplanner.device_tables import device_table
from hwplanner.errors import PlannerError
from hwplanner.link import read_link
from hwplanner.plan import make_plan
from hwplanner.story import plain, plan_finding
from hwplanner.tables import Job, Table
from hwplanner.wording import significant

FAULTS_FOUND = 1
CANNOT_READ = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    options = _parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    try:
        code: int = options.run(options)
    except PlannerError as error:
        print(error, file=sys.stderr)
        return CANNOT_READ
    return code


def _joined(arguments: Sequence[str]) -> list[str]:
    """Join --link and what follows, which may begin with a dash as any text may."""
    joined = list(arguments)
    if "--link" in joined[:-1]:
        place = joined.index("--link")
        joined[place : place + 2] = [f"--link={joined[place + 1]}"]
    return joined


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hwplanner", description="Plan hardware for training and serving."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    compare = commands.add_parser("compare", help="work out a scenario")
    compare.add_argument(
        "--link", default="", metavar="QUERY", help="the part of a shared link after the ?"
    )
    compare.add_argument("--json", action="store_true", help="print everything as JSON")
    compare.set_defaults(run=_compare)

    check = commands.add_parser("check-catalog", help="look for faults in a data file")
    check.add_argument("file", type=Path, metavar="FILE", help="any file of the data folder's kind")
    check.set_defaults(run=_check)
    return parser


def _compare(options: argparse.Namespace) -> int:
    read = read_link(options.link)
    plan = make_plan(read.scenario)
    if options.json:
        print(json.dumps(plan_answer(plan, read.notes), indent=1))
        return 0
    for note in read.notes:
        print(f"note: {note}")
    finding = plan_finding(plan)
    print(f"{plain(finding.headline)}\n{finding.detail}\n")
    jobs: tuple[Job, ...] = ("serving", "training")
    for job in jobs:
        _print_table(device_table(plan, job), _SHOWN[job])
    return 0


_SHOWN = {
    "serving": ("device", "devices", "tpot_ms", "usd_per_million", "reason"),
    "training": ("device", "devices", "run_hours", "usd_per_run", "reason"),
}


def _print_table(table: Table, names: Sequence[str]) -> None:
    columns = [column for column in table.columns if column.name in names]
    heads = [
        f"{column.label} ({column.unit})" if column.unit else column.label for column in columns
    ]
    lines = [heads, *([_said(row[column.name]) for column in columns] for row in table.rows)]
    widths = [max(map(len, texts)) for texts in zip(*lines, strict=True)]
    print(table.title)
    for line in lines:
        cells = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        print("  ".join(cells).rstrip())
    print()


def _said(value: object) -> str:
    return significant(value) if isinstance(value, float) else str(value)


def _check(options: argparse.Namespace) -> int:
    faults = check_catalog(options.file)
    for fault in faults:
        print(fault)
    if not faults:
        print(f"{options.file}: no faults found")
    return FAULTS_FOUND if faults else 0


if __name__ == "__main__":
    sys.exit(main())
