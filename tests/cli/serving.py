"""Runs `tapwright serve` as people do: as a process of its own, asked over the network."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

_PROGRAM = ("-W", "error", "-m", "tapwright")


@dataclass
class Served:
    """A server that runs; `url` is the line that it printed."""

    url: str
    process: subprocess.Popen[str]

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    @property
    def cookie(self) -> dict[str, str]:
        """The header of who opened the address that was printed."""
        place = urlsplit(self.url)
        answer, _ = ask(place.netloc, f"{place.path}?{place.query}")
        return {"Cookie": str(answer.getheader("set-cookie")).partition(";")[0]}

    def end(self) -> tuple[int, str]:
        """Press Ctrl-C; the exit code and all that was said on stderr."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def serving(
    *words: str, cwd: Path, program: Sequence[str] = _PROGRAM, **environment: str
) -> Iterator[Served]:
    """`tapwright` with these words, while the block lasts; or what else `program` is of Python."""
    process = subprocess.Popen(
        [sys.executable, *program, *words],
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background may have it ignored, and children inherit that.
        preexec_fn=_heed_ctrl_c,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url, process.stderr and process.stderr.read()
        yield Served(url, process)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def ask(
    host: str,
    path: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: object = None,
) -> tuple[HTTPResponse, bytes]:
    """One request to host:port, and the answer's body."""
    connection = HTTPConnection(host, timeout=30)
    sent = None if body is None else json.dumps(body)
    ours = {"Origin": f"http://{host}", "X-Tapwright": "1", "Content-Type": "application/json"}
    connection.request(method, path, sent, {**(ours if sent else {}), **(headers or {})})
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer, data
