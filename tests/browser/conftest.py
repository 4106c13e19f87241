"""The app as people meet it: one server for all tests here, opened in Debian's Chromium."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Page

from benchmarks.harness import CHROMIUM, PROJECT, Server, serve

COMPLAINT = re.compile(r"Traceback|warning|error|deprecated", re.IGNORECASE)
# Opened at /memory, Streamlit looks for its server below that path first, then at the root.
STREAMLIT_PROBE = re.compile(r"/\w+/_stcore/(health|host-config)$")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the app as it is shipped."""
    with serve(PROJECT / "app.py", tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(autouse=True)
def _quiet_server(server: Server) -> Iterator[None]:
    """Fail a test during which the server prints a traceback or a warning."""
    printed_before = len(server.log.read_text())
    yield
    printed = server.log.read_text()[printed_before:]
    assert not COMPLAINT.search(printed), printed


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Use Debian's Chromium; nothing is downloaded."""
    return CHROMIUM


@pytest.fixture(scope="session")
def base_url(server: Server) -> str:
    """Let a test open `/memory` without knowing the port."""
    return server.url


@pytest.fixture
def console_complaints(page: Page) -> list[str]:
    """Collect the errors and warnings of the browser's console while a test runs."""
    complaints: list[str] = []

    def keep(message: ConsoleMessage) -> None:
        probe = STREAMLIT_PROBE.search(message.location["url"])
        if message.type in {"error", "warning"} and not probe:
            complaints.append(message.text)

    page.on("console", keep)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints
