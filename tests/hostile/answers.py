"""A server on this machine whose every answer is an attack, and which keeps what it was sent."""

import gzip
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import repeat
from time import sleep
from typing import Self

Attack = Callable[[str], Iterator[bytes]]
_BOMB = gzip.compress(bytes(64 << 20), 9)


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """One whole response."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def _whole(body: bytes, *headers: str, status: str = "200 OK") -> Attack:
    return lambda other: iter([answer(body, *headers, status=status)])


def _redirect(status: str) -> Attack:
    return lambda other: iter([answer(b"", f"Location: {other}/stolen", status=status)])


def _drip(other: str) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
    while True:
        yield b" "
        sleep(0.05)


def _endless(other: str) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    for chunk in repeat(b"100000\r\n" + bytes(1 << 20) + b"\r\n"):
        yield chunk
        sleep(0.01)  # its own work is not the reader's


def _headers(other: str) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\n"
    yield from repeat(b"X: " + b"y" * 4000 + b"\r\n", 20_000)


ATTACKS: Mapping[str, Attack] = {
    **{
        f"redirect {status[:3]}": _redirect(status)
        for status in (
            "301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent",
        )
    },
    "redirect to a file": _whole(b"", "Location: file:///etc/passwd", status="302 Found"),
    "redirect to itself": _whole(b"", "Location: ?", status="302 Found"),
    "authenticate": _whole(b"", "WWW-Authenticate: Basic realm=x", status="401 No"),
    "bomb": _whole(_BOMB, "Content-Encoding: gzip"),
    "bomb twice": _whole(gzip.compress(_BOMB), "Content-Encoding: gzip, gzip"),
    "not gzip": _whole(b"plain", "Content-Encoding: gzip"),
    "unknown encoding": _whole(b"plain", "Content-Encoding: zebra"),
    "drip": _drip,
    "endless": _endless,
    "endless headers": _headers,
    "depth": _whole(b"[" * 100_000),
    "digits": _whole(b'{"value": ' + b"9" * 1_000_000 + b"}"),
    "digits within": _whole(
        b'{"choices": [{"message": {"content": "A"}}], "usage": {"prompt_tokens": '
        + b"9" * 1_000_000 + b"}}"
    ),
    "infinity": _whole(b'{"value": Infinity, "items": [{"name": "a", "size": NaN}]}'),
    "surrogates": _whole(b'{"value": "\\ud800", "choices": [{"message": {"content": "\\udfff"}}]}'),
    "control": _whole(b'{"value": "\x1b]0;owned\x07", "error": {"message": "\x1b[2J\x9b"}}'),
    "no status": lambda other: iter([b"hello\r\n\r\n"]),
    "negative length": lambda other: iter([b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx"]),
    "two lengths": lambda other: iter(
        [b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\nx"]
    ),
    "broken chunks": lambda other: iter(
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n"]
    ),
    "huge chunk": lambda other: iter(
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\nx"]
    ),
    "continue for ever": lambda other: repeat(b"HTTP/1.1 100 Continue\r\n\r\n", 20_000),
    "retry much later": _whole(b"", "Retry-After: 1e9", status="503 No"),
    "retry in vain": _whole(b"", "Retry-After: -5", status="429 No"),
    "nothing": lambda other: iter([b""]),
}  # fmt: skip


class Attacker:
    """Answers each connection with the `attack` of the moment; `other` is where it redirects to."""

    def __init__(self, other: str = "") -> None:
        self.attack: Attack = ATTACKS["nothing"]
        self.requests: list[bytes] = []
        self._other = other
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(10)
        with connection, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head and (part := connection.recv(1 << 16)):
                head += part
            self.requests.append(head)
            for part in self.attack(self._other):
                connection.sendall(part)
