"""Run an app as `streamlit` does, and log each run of its script: seconds, and CPU so far.

Usage: python timed_streamlit.py LOG run APP [OPTION...]

The time is taken around the call with which Streamlit executes a script, so the app itself needs
no code for it.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from streamlit.runtime.scriptrunner import script_runner
from streamlit.web import cli

log = Path(sys.argv.pop(1))
execute = script_runner.exec_func_with_error_handling


def execute_and_log(*arguments: Any) -> Any:
    """Execute a script run and append its line to the log."""
    start = time.perf_counter()
    result = execute(*arguments)
    line = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time()}
    with log.open("a") as lines:
        lines.write(json.dumps(line) + "\n")
    return result


script_runner.exec_func_with_error_handling = execute_and_log
cli.main(prog_name="streamlit")
