"""Servers of screens elsewhere: real ones, and one that says whatever it is told to."""

import os
import shutil
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import Popen
from threading import Thread

import pytest

from tapwright.devices.desktop.device import Desktop

PASSWORD = "s3cret12"
LIMIT_S = 60.0
ENDED_S = 5.0
INSTALL = "apt-get install --no-install-recommends tigervnc-standalone-server x11vnc"


def needed(program: str) -> str:
    """Where a server is; skips what needs it where there is none."""
    found = shutil.which(program)
    if found is None:
        if "CI" in os.environ:
            pytest.fail(f"{program}: {INSTALL}")
        pytest.skip(f"{program} is not installed; as root: {INSTALL}")
    return found


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def x11vnc(desktop: Desktop) -> Iterator[int]:
    """The port of a server of this desktop's own screen."""
    screen, port = desktop.machine.screen, free_port()
    argv = [
        needed("x11vnc"), "-display", screen.name, "-auth", str(screen.authority), "-rfbport",
        str(port), "-localhost", "-forever", "-shared", "-passwd", PASSWORD, "-no6",
    ]  # fmt: skip
    with _serving(argv, port):
        yield port


@contextmanager
def tigervnc(folder: Path, *, size: str = "640x480") -> Iterator[tuple[int, dict[str, str]]]:
    """The port of a server that is a screen itself, and the environment for its programs."""
    server, port, password = needed("Xtigervnc"), free_port(), folder / "passwd"
    subprocess.run(
        [needed("x11vnc"), "-storepasswd", PASSWORD, str(password)], check=True, capture_output=True
    )
    display = f":{port % 10_000 + 1000}"
    argv = [
        server, display, "-geometry", size, "-depth", "24", "-rfbport", str(port), "-localhost",
        "-SecurityTypes", "VncAuth", "-rfbauth", str(password), "-nolisten", "tcp",
    ]  # fmt: skip
    with _serving(argv, port):
        yield port, {**os.environ, "DISPLAY": display}


@contextmanager
def running(
    argv: list[str], environment: Mapping[str, str] | None = None
) -> Iterator[Popen[bytes]]:
    """A program that ends with the block."""
    quiet = subprocess.DEVNULL
    process = Popen(argv, stdout=quiet, stderr=quiet, env=environment)
    try:
        yield process
    finally:
        process.terminate()  # x11vnc gives its shared memory back at once, and may hang then
        try:
            process.wait(ENDED_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def _serving(argv: list[str], port: int) -> Iterator[None]:
    with running(argv) as process:
        until = time.monotonic() + LIMIT_S
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, f"{argv[0]} ended"
            assert time.monotonic() < until
            time.sleep(0.05)
        yield


def hello(width: int = 64, height: int = 48, *, name: bytes = b"far", length: int = -1) -> bytes:
    """All that a server without a password says until its first picture."""
    count = len(name) if length < 0 else length
    start = b"RFB 003.008\n" + b"\1\1" + bytes(4)
    return start + struct.pack(">HH16xI", width, height, count) + name


def update(*rectangles: tuple[int, int, int, int, int, bytes]) -> bytes:
    """One message of pictures, each with its place, encoding and data."""
    parts = [struct.pack(">4Hi", *one[:5]) + one[5] for one in rectangles]
    return struct.pack(">BxH", 0, len(parts)) + b"".join(parts)


def heard(client: socket.socket) -> Iterator[tuple[int, bytes]]:
    """What a client says after it was let in without a password: each message's kind and body."""
    with client.makefile("rb") as stream:
        stream.read(14)
        while kind := stream.read(1):
            match kind[0]:
                case 2:
                    (count,) = struct.unpack(">xH", stream.read(3))
                    body = stream.read(4 * count)
                case 6:
                    (length,) = struct.unpack(">3xi", stream.read(7))
                    body = stream.read(abs(length))
                case number:
                    body = stream.read({0: 19, 3: 9, 4: 7, 5: 5}[number])
            yield kind[0], body


@contextmanager
def saying(*said: bytes, then: Callable[[socket.socket], None] | None = None) -> Iterator[int]:
    """The port of a server that sends this to each client, whatever it says, and stays."""
    server = socket.create_server(("127.0.0.1", 0))
    clients: list[socket.socket] = []

    def serve() -> None:
        with suppress(OSError):
            while True:
                client, _ = server.accept()
                clients.append(client)
                for part in said:
                    client.sendall(part)
                if then is not None:
                    then(client)

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        for client in clients:
            client.close()
        thread.join(LIMIT_S)
