"""The real `adb` program, with a server, a key and a home of its own."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from select import select
from signal import SIGKILL
from time import monotonic, sleep
from typing import Self

from tapwright.devices.errors import AdbMissingError, AdbServerError
from tapwright.errors import DeviceError

__all__ = ["AdbServer"]

# It searches neither for emulators nor for phones in the network; those belong to another server.
_ALONE = {"ADB_LOCAL_TRANSPORT_MAX_PORT": "5553", "ADB_MDNS": "0", "ADB_MDNS_AUTO_CONNECT": "0"}

_POLL_S = 0.02


class AdbServer:
    """An adb server of its own on a free port; one that runs already is left alone.

    `program` is the `adb` to use, else the one on PATH. Key and settings are in a folder that goes
    with it. `environment` is what makes any program talk to this server. Every command ends within
    `timeout_s` seconds.

    Raises:
        AdbMissingError: there is no `adb`.
        AdbServerError: its server does not start.
    """

    def __init__(self, program: str | None = None, *, timeout_s: float = 30.0) -> None:
        found = program or shutil.which("adb")
        if found is None:
            raise AdbMissingError(
                "the program adb is not on PATH", hint="apt-get install adb, or make .make/programs"
            )
        self.program = found
        self._timeout_s = timeout_s

    def __enter__(self) -> Self:
        self.home = Path(tempfile.mkdtemp(prefix="tapwright-adb-"))
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        others = ("ADB", "ANDROID")
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(others)},
            **_ALONE,
            "ANDROID_ADB_SERVER_PORT": str(self.port),
            "ANDROID_USER_HOME": str(self.home),
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
        }
        try:
            self.start()
        except AdbServerError:
            shutil.rmtree(self.home, ignore_errors=True)
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def start(self) -> None:
        """Start the server again, after `kill`.

        Raises:
            AdbServerError: it ends, or does not say within the time limit that it runs.
        """
        ready, report = os.pipe()
        try:
            self._process = subprocess.Popen(
                [
                    self.program, "-L", f"tcp:localhost:{self.port}", "fork-server", "server",
                    "--reply-fd", str(report),
                ],
                env=self.environment,
                pass_fds=[report],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        finally:
            os.close(report)
        with open(ready, "rb", buffering=0) as answer:
            if not select([answer], [], [], self._timeout_s)[0] or answer.read(2) != b"OK":
                self.kill()
                raise AdbServerError(
                    f"{self.program}: its server does not start on port {self.port}",
                    hint="does `adb version` run?",
                )

    def kill(self) -> None:
        """End the server as if it had crashed, and one that a client started in its place.

        By a signal: a server that is asked to stop while a phone connects may wait for ever, and
        `adb kill-server` with it.
        """
        self._process.kill()
        self._process.wait()
        end = monotonic() + self._timeout_s
        while (others := _listeners(self.port)) and monotonic() < end:
            for process in others:
                with suppress(ProcessLookupError):
                    os.kill(process, SIGKILL)
            sleep(_POLL_S)

    def run(
        self, *words: str, stdin: bytes = b"", check: bool = False
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run `adb` with these words.

        Raises:
            subprocess.TimeoutExpired: it did not end within the time limit, and was ended.
            subprocess.CalledProcessError: with `check`, its exit code is not 0.
        """
        return subprocess.run(
            self.command(*words),
            input=stdin,
            env=self.environment,
            capture_output=True,
            timeout=self._timeout_s,
            check=check,
        )

    def command(self, *words: str) -> Sequence[str]:
        """The command line of `run`, to start it differently; it needs `environment`."""
        return [self.program, "-P", str(self.port), *words]

    def connect(self, address: str) -> str:
        """Connect to a phone; its serial here, which is its address.

        One that adb calls offline, as it was connected and ended, is connected anew.

        Raises:
            DeviceError: adb reports a failure.
        """
        if self.run("-s", address, "get-state").stderr.strip() == b"error: device offline":
            self.run("disconnect", address)
        output = self.run("connect", address).stdout.decode(errors="replace").strip()
        if "connected to" not in output:
            raise DeviceError(f"adb connect {address}: {output}")
        return address


def _listeners(port: int) -> list[int]:
    """The processes of this user, or of all for root, that listen on a TCP port; none off Linux."""
    # A row is "0: 0100007F:13AD 00000000:0000 0A ... inode"; 0A is the state "listening".
    row = re.compile(rf"\s*\d+: [0-9A-F]+:{port:04X} [0-9A-F]+:0000 0A (?:\S+ +){{5}}(\d+) ")
    sockets: set[str] = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with suppress(OSError), open(table, encoding="ascii") as rows:
            sockets.update(f"socket:[{match[1]}]" for match in map(row.match, rows) if match)
    found = set()
    for link in Path("/proc").glob("[0-9]*/fd/*") if sockets else ():
        with suppress(OSError):
            if os.readlink(link) in sockets:
                found.add(int(link.parts[2]))
    return sorted(found)
