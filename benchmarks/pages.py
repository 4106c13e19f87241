"""Measure the script of every page after a slider was moved. [ms, median]

Usage: python benchmarks/pages.py [--json] [--changes N]

Every change asks another scenario, so that no answer is remembered from the one before.
"""

from __future__ import annotations

import argparse
import json
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from harness import CHROMIUM, PROJECT
from playwright.sync_api import Page, sync_playwright

from app import PLAN, VIEWPORT, WALK, TimedServer, timed_server

SETTLED_MS = 250


def page_paths() -> list[str]:
    """Addresses of all pages below the first, as their files are called."""
    files = sorted(Path(PROJECT / "dashboard" / "pages").glob("*.py"))
    return ["" if file.stem == "plan" else file.stem for file in files]


def change_ms(page: Page, server: TimedServer, key: str) -> float:
    """Move the slider by one step and wait for the end of the script. [ms]"""
    before = len(server.runs())
    page.get_by_test_id("stSidebar").get_by_role("slider", name=PLAN.slider).press(key)
    while len(server.runs()) == before:
        page.wait_for_timeout(20)
    page.wait_for_timeout(SETTLED_MS)
    return 1000 * sum(run.seconds for run in server.runs()[before:])


def measure(changes: int) -> dict[str, float]:
    """Median time of the script of each page. [ms]"""
    found = {}
    with timed_server(PLAN) as server, sync_playwright() as driver:
        browser = driver.chromium.launch(**CHROMIUM)
        for path in page_paths():
            page = browser.new_context(viewport=VIEWPORT).new_page()
            page.goto(f"{server.url}/{path}")
            page.locator(".hp-heading h1").wait_for()
            page.wait_for_timeout(1000)
            steps = [change_ms(page, server, key) for key in islice(cycle(WALK), changes)]
            found[path or "plan"] = median(steps)
            page.context.close()
        browser.close()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Script time of every page.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--changes", type=int, default=20, help="slider moves on each page")
    options = parser.parse_args()
    rounded = {name: round(value, 1) for name, value in measure(options.changes).items()}
    if options.json:
        print(json.dumps(rounded))
    else:
        for name, value in rounded.items():
            print(f"{name:14} {value:8.1f}")


if __name__ == "__main__":
    main()
