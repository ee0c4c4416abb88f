"""How OSWorld's worker puts a VM back, without OSWorld: its command, and the wait after it."""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from types import ModuleType

import pytest

from tapwright.harnesses.suites import OSWORLD as SUITE
from tests.devices.desktop.far import free_port

PATIENCE_S = 60.0


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The worker's program, which finds its library beside itself."""
    monkeypatch.syspath_prepend(str(SUITE.program.parent))
    yield importlib.import_module(SUITE.program.stem)
    for name in (SUITE.program.stem, "tapwright_suite"):
        sys.modules.pop(name, None)


def has_ended(pid: str) -> bool:
    """Whether a process is gone, or waits to be read by who started it."""
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True


@contextmanager
def starting(*codes: int) -> Iterator[tuple[int, Callable[[], int]]]:
    """The port of a server that gives these answers in turn, and how many are left."""
    left = list(codes)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(left.pop(0))
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1], lambda: len(left)
        finally:
            server.shutdown()
            thread.join()


def test_a_command_that_does_not_end_is_ended_with_what_it_started(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = tmp_path / "pid"
    device = {"host": "127.0.0.1", "port": free_port()}
    for limit_s in (0.3, 3.0, PATIENCE_S):  # until it had the time to start one
        monkeypatch.setattr(program, "_REVERT_S", limit_s)
        with pytest.raises(program.SuiteError, match="revert has not ended after"):
            program.revert(f"sleep 600 & echo $! > {started}; wait", "os/one", device)
        if started.exists() and (pid := started.read_text().strip()):
            break
    until = monotonic() + PATIENCE_S
    while not has_ended(pid):
        assert monotonic() < until
        sleep(0.01)


@pytest.mark.parametrize("there", [200, 401, 403])
@pytest.mark.slow_but_one
def test_a_server_that_starts_is_waited_for_and_no_proxy_is_asked(
    there: int, program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setattr(program, "_REVERT_S", PATIENCE_S)
    with starting(503, there) as (port, left):
        program.revert("true", "os/one", {"host": "127.0.0.1", "port": port})
        assert left() == 0


@pytest.mark.slow
def test_a_server_that_stays_away_is_told(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_REVERT_S", 2)
    port = free_port()
    with pytest.raises(program.SuiteError, match=f"no server at 127.0.0.1:{port} .* after revert"):
        program.revert("true", "os/one", {"host": "127.0.0.1", "port": port})
