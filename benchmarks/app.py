"""Measure the Plan page beside the floor app, in one run on one machine.

Usage: python benchmarks/app.py [--json] [--changes N] [--loads N] [--starts N]

script_ms_p50      the Plan page's script, after a slider was moved [ms]
repaint_ms_p50     from the key press on a slider to the frame in which the charts are redrawn [ms]
repaint_ratio_p50  the same, Plan page over floor
server_cpu_ratio   server CPU of one change, Plan page over floor
first_load_ratio   from an empty browser cache to drawn charts, on a running server
first_script_ratio from starting the server to the end of its first script

The two apps take turns at every step, so that a busy moment of the machine meets both. Their
ratio is what a change of the code moves; milliseconds differ between machines.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import TypeVar

from harness import CHROMIUM, PROJECT, serve
from playwright.sync_api import Browser, Page, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

OPTIONS = ("--runner.postScriptGC=false", "--server.fileWatcherType=none")
VIEWPORT = {"width": 1440, "height": 900}
WALK = ("ArrowRight",) * 20 + ("ArrowLeft",) * 20

# Keeps the time of the last key press (or the start of the page) and of the first frame after the
# last change inside a chart. The charts count as redrawn once they have been quiet for a while.
WATCH = """
window.watch = {from: 0, painted: null};
document.addEventListener("keydown", () => {
  window.watch = {from: performance.now(), painted: null};
}, true);
new MutationObserver((changes) => {
  if (changes.some(({target}) => target.parentElement?.closest(".js-plotly-plot")))
    requestAnimationFrame(() => { window.watch.painted = performance.now(); });
}).observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
"""
REDRAWN = """
() => {
  const {from, painted} = window.watch;
  const app = document.querySelector("[data-testid=stApp]");
  const finished = app?.dataset.testScriptState === "notRunning";
  const quiet = painted !== null && performance.now() - painted > 400;
  return finished && quiet ? painted - from : null;
}
"""


@dataclass(frozen=True)
class App:
    """One of the two apps, and the sidebar slider that is moved in it."""

    script: Path
    slider: str


FLOOR = App(PROJECT / "benchmarks" / "floor_app.py", "Input 1")
PLAN = App(PROJECT / "app.py", "Users at once")
Reading = TypeVar("Reading")


@dataclass(frozen=True)
class Run:
    """One run of an app's script: its time, and the CPU time of the server until then."""

    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class TimedServer:
    """A running app and the log of its script runs, a line each."""

    url: str
    log: Path

    def runs(self) -> list[Run]:
        """Read the script runs so far."""
        return [Run(**json.loads(line)) for line in self.log.read_text().splitlines()]


@dataclass(frozen=True)
class Change:
    """What one step of a slider took. [ms]"""

    repaint_ms: float
    script_ms: float
    cpu_ms: float


@contextmanager
def timed_server(app: App) -> Iterator[TimedServer]:
    """Serve an app and log its script runs."""
    with tempfile.TemporaryDirectory() as home:
        log = Path(home) / "runs.jsonl"
        log.touch()
        launcher = (str(PROJECT / "benchmarks" / "timed_streamlit.py"), str(log))
        with serve(app.script, Path(home), launcher=launcher, options=OPTIONS) as server:
            yield TimedServer(server.url, log)


def first_script_s(app: App) -> float:
    """Start a server, connect as a browser does and wait for the end of the script. [s]"""
    start = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as home,
        serve(app.script, Path(home), options=OPTIONS) as server,
        connect(
            server.url.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=["streamlit"],
            max_size=None,
        ) as socket,
    ):
        request = BackMsg()
        request.rerun_script.query_string = ""
        socket.send(request.SerializeToString())
        while not _is_end_of_script(ForwardMsg.FromString(socket.recv())):
            pass
        return time.perf_counter() - start


def _is_end_of_script(message: ForwardMsg) -> bool:
    """Whether a script has run to its end, not only up to a rerun of itself."""
    ended = message.WhichOneof("type") == "script_finished"
    return ended and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY


def redrawn_ms(page: Page) -> float:
    """Wait until the charts are redrawn; time since the key press, or since the start. [ms]"""
    return float(page.wait_for_function(REDRAWN, polling=50).json_value())


def opened(browser: Browser, server: TimedServer) -> tuple[Page, float]:
    """Open an app with an empty browser cache; the page and the time it took. [ms]"""
    page = browser.new_context(viewport=VIEWPORT).new_page()
    page.add_init_script(WATCH)
    page.goto(server.url)
    return page, redrawn_ms(page)


def load_ms(browser: Browser, server: TimedServer) -> float:
    """Open an app with an empty browser cache, and close it again. [ms]"""
    page, elapsed_ms = opened(browser, server)
    page.context.close()
    return elapsed_ms


def change(page: Page, slider: str, server: TimedServer, key: str) -> Change:
    """Move a slider by one step and wait until the charts are redrawn."""
    before = server.runs()
    page.get_by_test_id("stSidebar").get_by_role("slider", name=slider).press(key)
    while len(server.runs()) == len(before):
        page.wait_for_timeout(20)
    repaint_ms = redrawn_ms(page)
    after = server.runs()
    return Change(
        repaint_ms=repaint_ms,
        script_ms=1000 * sum(run.seconds for run in after[len(before) :]),
        cpu_ms=1000 * (after[-1].cpu_seconds - before[-1].cpu_seconds),
    )


def in_turn(times: int, measure: Callable[[App], Reading]) -> dict[App, list[Reading]]:
    """Measure the two apps one after the other, several times."""
    readings: dict[App, list[Reading]] = {FLOOR: [], PLAN: []}
    for _ in range(times):
        for app, values in readings.items():
            values.append(measure(app))
    return readings


def over_floor(readings: dict[App, list[float]]) -> float:
    """Divide the median of the Plan page by that of the floor. [ratio]"""
    return median(readings[PLAN]) / median(readings[FLOOR])


def measure_all(changes: int, loads: int, starts: int) -> dict[str, float]:
    """Take all measurements."""
    first_scripts = in_turn(starts, first_script_s)
    with ExitStack() as stack:
        servers = {app: stack.enter_context(timed_server(app)) for app in (FLOOR, PLAN)}
        browser = stack.enter_context(sync_playwright()).chromium.launch(**CHROMIUM)
        first_loads = in_turn(loads, lambda app: load_ms(browser, servers[app]))
        pages = {app: opened(browser, server)[0] for app, server in servers.items()}
        keys = {app: cycle(WALK) for app in pages}
        moved = in_turn(
            changes, lambda app: change(pages[app], app.slider, servers[app], next(keys[app]))
        )
        browser.close()
    repaints = {app: [step.repaint_ms for step in steps] for app, steps in moved.items()}
    cpu = {app: [step.cpu_ms for step in steps] for app, steps in moved.items()}
    return {
        "script_ms_p50": median(step.script_ms for step in moved[PLAN]),
        "repaint_ms_p50": median(repaints[PLAN]),
        "repaint_ratio_p50": over_floor(repaints),
        "server_cpu_ratio": over_floor(cpu),
        "first_load_ratio": over_floor(first_loads),
        "first_script_ratio": over_floor(first_scripts),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The Plan page beside the floor app.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--changes", type=int, default=40, help="slider moves in each app")
    parser.add_argument("--loads", type=int, default=7, help="first loads of each app")
    parser.add_argument("--starts", type=int, default=5, help="server starts of each app")
    options = parser.parse_args()
    results = measure_all(options.changes, options.loads, options.starts)
    rounded = {name: round(value, 3) for name, value in results.items()}
    if options.json:
        print(json.dumps(rounded))
    else:
        for name, value in rounded.items():
            print(f"{name:20} {value:10.3f}")


if __name__ == "__main__":
    main()
