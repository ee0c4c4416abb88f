"""The WebDriver servers that tests start: chromedriver and Appium, each gone afterwards."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest

from tapwright.devices.chromium import DEBIAN_CHROMIUM
from tests.scripts import ROOT

APPIUM = ROOT / ".make" / "appium-server"
_LIMIT_S = 120.0


def skip(what: str, remedy: str) -> None:
    """Skips the test, but on CI."""
    if "CI" in os.environ:
        pytest.fail(f"there is no {what}: {remedy}")
    pytest.skip(f"there is no {what}: {remedy}")


def chrome_options(*arguments: str) -> dict[str, object]:
    """The capabilities of the Chromium that Debian's driver is of one version with."""
    return {
        "browserName": "chrome",
        "goog:chromeOptions": {
            "binary": str(DEBIAN_CHROMIUM),
            "args": ["--headless=new", "--no-sandbox", "--window-size=800,600", *arguments],
        },
    }


def chromedriver_program() -> str:
    """Debian's chromedriver; skips the test where it is not."""
    found = shutil.which("chromedriver")
    if found is None or not DEBIAN_CHROMIUM.exists():
        skip("chromedriver of Debian", "make .make/programs")
    return str(found)


@contextmanager
def chromedriver() -> Iterator[str]:
    """A chromedriver while the block lasts: its address."""
    port = free_port()
    with _running([chromedriver_program(), f"--port={port}"], f"http://127.0.0.1:{port}") as url:
        yield url


@contextmanager
def appium() -> Iterator[str]:
    """An Appium with the drivers of this machine's Chromium and of fake phones: its address."""
    program = APPIUM / "node_modules" / ".bin" / "appium"
    if not program.exists():
        skip("Appium", "make .make/appium")
    port = free_port()
    command = [str(program), "--address", "127.0.0.1", "--port", str(port), "--log-level", "error"]
    with _running(command, f"http://127.0.0.1:{port}") as url:
        yield url


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


@contextmanager
def _running(command: Sequence[str], url: str) -> Iterator[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "APPIUM_HOME": str(APPIUM), "PATH": path}
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(
            command, stdout=log, stderr=log, env=environment, start_new_session=True
        )
        try:
            end_s = monotonic() + _LIMIT_S
            while not _is_ready(url):
                if server.poll() is not None or monotonic() > end_s:
                    log.seek(0)
                    said = log.read().decode("utf-8", "replace")
                    pytest.fail(f"{command[0]} did not start: {said[-2000:]}")
                sleep(0.05)
            yield url
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                server.wait(30)
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _is_ready(url: str) -> bool:
    try:
        answer = httpx.get(f"{url}/status", timeout=5.0, trust_env=False)
    except httpx.HTTPError:
        return False
    return re.search(r'"ready":\s*true', answer.text) is not None
