"""Runs Python in a served desktop without starting one, by `programs/fork_server.py`."""

import json
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import RLock

from tapwright.devices.desktop.device import Desktop
from tapwright.devices.desktop.session import Session, last_line
from tapwright.errors import DeviceLostError

__all__ = ["ForkServer"]

_LOOK_S = 0.005
_START_S = 30.0
_LOG = "python.log"


class ForkServer:
    """The fork server of a desktop's session; it ends with the session, and a new one gets its own.

    `lock` is held by whoever uses the desktop, never while code runs. `argv` starts the server.
    """

    def __init__(
        self,
        desktop: Desktop,
        lock: RLock,
        argv: Sequence[str],
        environment: Callable[[], Mapping[str, str]],
    ) -> None:
        self._desktop, self._lock = desktop, lock
        self._argv, self._environment = argv, environment
        self._session: Session | None = None
        self._pid = 0

    def start(self) -> Path:
        """Let it start, if it has not or was killed; returns where its socket is, or will be."""
        with self._lock:
            machine = self._desktop.machine
            address = machine.session.home.runtime / "python"
            if self._session is machine.session and machine.children.status(self._pid) is None:
                return address
            address.unlink(missing_ok=True)
            self._pid = machine.children.start(
                [*self._argv, str(address)],
                environment=self._environment(),
                folder=machine.session.home.path,
                log=address.with_name(_LOG),
            )
            self._session = machine.session
            return address

    def run(
        self,
        code: str,
        argv: Sequence[str],
        *,
        folder: Path,
        out: Path,
        err: Path,
        limit_s: float,
        kill: Callable[[int], None],
    ) -> int | None:
        """Run code; what it ended with, minus the signal's number, None if it was too late.

        Raises:
            DeviceLostError: the server does not start.
        """
        asked = {
            "code": code, "argv": list(argv), "folder": str(folder), "out": str(out),
            "err": str(err),
        }  # fmt: skip
        until = time.monotonic() + limit_s
        pid: int | None = None
        status: int | None = None
        try:
            with self._connect() as connection, connection.makefile("rb") as answers:
                connection.settimeout(max(until - time.monotonic(), _LOOK_S))
                connection.sendall(json.dumps(asked).encode() + b"\n")
                pid = _number(answers.readline())
                connection.settimeout(max(until - time.monotonic(), _LOOK_S))
                status = _number(answers.readline())
        except TimeoutError:
            if pid is not None:
                kill(pid)
            return None
        except ConnectionError:
            pass
        # A server that is killed, as at a reset, has killed what it ran.
        return -signal.SIGKILL if status is None else status

    def _connect(self) -> socket.socket:
        until = time.monotonic() + _START_S
        while True:
            address = self.start()
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(_START_S)
            try:
                connection.connect(str(address))
            except (FileNotFoundError, ConnectionRefusedError) as error:
                connection.close()
                if time.monotonic() > until:
                    said = last_line(address.with_name(_LOG)) or "it printed nothing"
                    raise DeviceLostError(
                        f"the Python of the desktop does not start: {said}"
                    ) from error
                time.sleep(_LOOK_S)
            except BaseException:
                connection.close()
                raise
            else:
                return connection


def _number(line: bytes) -> int | None:
    told: dict[str, int] = json.loads(line or b"{}")
    return next(iter(told.values()), None)
