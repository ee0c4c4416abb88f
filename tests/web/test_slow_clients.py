"""Clients that never finish what they begin, on a real server."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn

from tapwright.web.app import create_app
from tapwright.web.config import WebConfig
from tapwright.web.connections import BoundedProtocol


class Impatient(BoundedProtocol):
    header_s = 0.5


@contextmanager
def serving(config: WebConfig) -> Iterator[int]:
    server = uvicorn.Server(
        uvicorn.Config(create_app(config), port=0, log_level="error", http=Impatient)
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def said_until_closed(port: int, *parts: bytes) -> bytes:
    """What the server answers to these parts, sent one after the other, until it hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        for part in parts:
            line.sendall(part)
        heard = b""
        while more := line.recv(4096):
            heard += more
        return heard


@pytest.mark.parametrize(
    "parts",
    [
        (b"",),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",),
        (b"GET /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"GET /api/me HT"),
    ],
)
@pytest.mark.slow_but_one
def test_who_never_finishes_a_request_is_dropped(parts: tuple[bytes, ...], tmp_path: Path) -> None:
    with serving(WebConfig(episodes=tmp_path)) as port:
        said_until_closed(port, *parts)


def test_a_request_that_comes_in_pieces_is_answered(tmp_path: Path) -> None:
    with serving(WebConfig(episodes=tmp_path)) as port:
        heard = said_until_closed(
            port, b"GET /api/me HTTP/1.1\r\nHost: 127.", b"0.0.1\r\nConnection: close\r\n\r\n"
        )
    assert heard.startswith(b"HTTP/1.1 200")
