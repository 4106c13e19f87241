"""Serve an app and open it in a browser: what the browser tests and the benchmarks share."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
CHROMIUM: dict[str, Any] = {
    "executable_path": "/usr/bin/chromium",
    "args": [
        "--no-sandbox",  # Chromium refuses to start as root inside its sandbox
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ],
}


@dataclass(frozen=True)
class Server:
    """A running app: its address, and the file that holds what it prints."""

    url: str
    log: Path


@contextmanager
def serve(
    app: Path,
    home: Path,
    *,
    launcher: Sequence[str] = ("-m", "streamlit"),
    options: Sequence[str] = (),
) -> Iterator[Server]:
    """Run an app on a free port until the block ends.

    Parameters
    ----------
    app
        Script of the app; it is started in its own folder, as its settings stand there.
    home
        Empty folder that takes the place of the home folder, so that no one's settings count.
    launcher
        Arguments of Python that start Streamlit.
    options
        Further options of `streamlit run`.
    """
    port = _free_port()
    server = Server(f"http://127.0.0.1:{port}", home / "server.log")
    address = ["--server.address=127.0.0.1", f"--server.port={port}", "--server.headless=true"]
    with (
        server.log.open("wb") as output,
        subprocess.Popen(
            [sys.executable, *launcher, "run", app.name, *address, *options],
            cwd=app.parent,
            env={**os.environ, "HOME": str(home)},
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        try:
            _wait_until_healthy(server, process)
            yield server
        finally:
            process.terminate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(server: Server, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            # Streamlit answers any unknown path with its page, so only the body tells.
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=2) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"the app did not start:\n{server.log.read_text()}")
