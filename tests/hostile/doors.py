"""Requests that attack the doors of a server, over raw sockets, and the process behind them."""

import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from tests.faces.environments import face_python, with_sources

VALUES: Mapping[str, bytes] = {
    "nothing": b"null", "depth": b"[" * 100_000, "closed depth": b"[" * 5_000 + b"]" * 5_000,
    "digits": b"9" * 1_000_000, "4,000 digits": b"9" * 4_000, "NaN": b"NaN", "infinity": b"1e999",
    "minus one": b"-1", "half": b"0.5", "a truth": b"true", "a text": b'"x"', "bytes": b"\xff\xfe",
    "a surrogate": b'"\\ud800"', "control": b'"\\u0000\\u001b[2J\\u202e"',
    "an object": b'{"a": {}}', "a list": b'[1, "a"]', "a path": b'"../../../../etc/passwd"',
    "a long text": b'"%s"' % (b"x" * 900_000), "too long a text": b'"%s"' % (b"x" * 3_000_000),
    "many keys": b"{%s}" % b",".join(b'"%d":0' % number for number in range(80_000)),
}  # fmt: skip
"""What stands where a client may say something, as bytes of JSON or of none."""


def hosts(own: str) -> list[str]:
    """Other spellings of a server's name and port, and names that only look alike."""
    port = own.rpartition(":")[2]
    return [
        "", "localhost", "127.0.0.1", f"[::1]evil:{port}", f"[::1]:{port}", f"localhost.:{port}",
        f"localhost.evil.example:{port}", f"127.0.0.1:{port}@evil", f"evil@127.0.0.1:{port}",
        f"LOCALHOST:{port}", f"127。0。0。1:{port}", f"127.1:{port}", f"0x7f000001:{port}",
        f"2130706433:{port}", f"127.0.0.1:0{port}", f"{own}, evil", f"{own}/", f"{own}#",
        f"http://{own}", f"{own}\x00",
    ]  # fmt: skip


def origins(own: str) -> list[str]:
    """Origins that are not the server's own."""
    return [
        "", "null", "http://evil", "http://[", "http://[::1]evil", f"http://{own}@evil", f"file://{own}",
        f"http://evil@{own}", f"http://{own}.evil", f"http://{own}/x", "http://127.0.0.1", "x://",
    ]  # fmt: skip


class Door:
    """A server of a face in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]", url: str, told: Path) -> None:
        self.process = process
        self.host = url.removeprefix("http://").removesuffix("/mcp")
        self._told = told

    @classmethod
    @contextmanager
    def open(cls, where: Path, face: str, *words: str) -> Iterator[Self]:
        """`tapwright WORDS --port 0` in the environment of a face."""
        told = where / "told.txt"
        with told.open("w") as errors:
            process = subprocess.Popen(
                [face_python(face), "-m", "tapwright", *words, "--port", "0"],
                env=with_sources(), cwd=where, stdout=subprocess.PIPE, stderr=errors, text=True,
            )  # fmt: skip
        try:
            assert process.stdout is not None
            yield cls(process, process.stdout.readline().strip(), told)
        finally:
            process.terminate()
            process.communicate(timeout=30)

    @property
    def memory_mb(self) -> float:
        """What it holds now."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    @property
    def tracebacks(self) -> int:
        """How many of its own or a library's it has printed; undecodable frames are uvicorn's."""
        told = self._told.read_text()
        return told.count("Traceback") - told.count("Invalid UTF-8 sequence received")

    def send(self, request: bytes, *, within_s: float = 10.0) -> bytes:
        """The beginning of the answer to raw bytes; "" where the server hangs up."""
        name, port = self.host.split(":")
        answer = b""
        with (
            socket.create_connection((name, int(port)), within_s) as connection,
            suppress(ConnectionError),
        ):
            with suppress(ConnectionError):  # it need not read all before it refuses
                connection.sendall(request)
            while not re.search(rb"\r\n\r\n", answer) and (part := connection.recv(1 << 16)):
                answer += part
            until = time.monotonic() + within_s
            while len(answer) < 1 << 20 and time.monotonic() < until:
                if b"HTTP/1.1 101" in answer or not (part := connection.recv(1 << 16)):
                    break
                answer += part
        return answer

    def post(self, path: str, body: bytes, *headers: str) -> bytes:
        """The answer to a body that claims to be JSON."""
        head = [
            f"POST {path} HTTP/1.1", f"Host: {self.host}", "Content-Type: application/json",
            "Accept: application/json, text/event-stream", f"Content-Length: {len(body)}",
            "Connection: close", *headers,
        ]  # fmt: skip
        return self.send("\r\n".join([*head, "", ""]).encode() + body)


def rpc(method: str, params: bytes) -> bytes:
    """A call of JSON-RPC with raw bytes as its parameters."""
    return b'{"jsonrpc": "2.0", "id": 7, "method": %s, "params": %s}' % (
        json.dumps(method).encode(),
        params,
    )
