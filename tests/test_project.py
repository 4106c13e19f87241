"""What the project promises as a whole."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit import config

PROJECT = Path(__file__).resolve().parents[1]
IMPORT_ALL = """
import importlib, pkgutil, sys
import hwplanner

for module in pkgutil.walk_packages(hwplanner.__path__, "hwplanner."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(*{name.partition(".")[0] for name in sys.modules})
"""


def test_engine_imports_no_screen_library_and_no_pandas() -> None:
    command = [sys.executable, "-c", IMPORT_ALL]
    run = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=True)
    imported = set(run.stdout.split())
    assert "hwplanner" in imported
    assert imported.isdisjoint({"streamlit", "plotly", "pandas", "dashboard"})


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_pinned(file: str) -> None:
    lines = (PROJECT / file).read_text().splitlines()
    requirements = [line for line in lines if line and not line.startswith(("#", "-r "))]
    assert requirements
    assert [line for line in requirements if "==" not in line] == []


def test_collection_after_each_run_is_off() -> None:
    # A hidden option of Streamlit: an update may drop it, and each change would take 70 ms more.
    assert config.get_option("runner.postScriptGC") is False


def test_example_of_the_readme_prints_a_comparison() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (PROJECT / "README.md").read_text(), re.DOTALL)
    command = [sys.executable, "-c", example]
    run = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=True)
    assert len(re.findall(r"^ *\d+ .* \d+\.\d ms a token$", run.stdout, re.MULTILINE)) == 5
