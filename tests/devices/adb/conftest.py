import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any, TypeAlias

import pytest

from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.device import AndroidPhone
from tapwright.devices.adb.live import open_phone
from tapwright.devices.device import Device
from tapwright.devices.fake import FakeDevice
from tapwright_adb_simulator import AdbPhone, AdbServer

Said: TypeAlias = bytes | Callable[[socket.socket], None]
OKAY = b"OKAY"


def block(text: str) -> bytes:
    said = text.encode()
    return b"OKAY%04x%s" % (len(said), said)


def refused(text: str) -> bytes:
    return b"FAIL%04x%s" % (len(text.encode()), text.encode())


class Pretended:
    """What listens where an adb server should: it answers each request as it was told to.

    An answer is bytes, or a function that talks to the client itself. The connection ends after a
    request that nothing is known for.
    """

    def __init__(self) -> None:
        self.answers: dict[str, Said] = {}
        self.asked: list[str] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = Thread(target=self._listen, daemon=True)
        self._thread.start()

    @property
    def client(self) -> AdbClient:
        return AdbClient(port=self.port, timeout_s=60.0)

    @property
    def hasty_client(self) -> AdbClient:
        """For answers that never come."""
        return AdbClient(port=self.port, timeout_s=0.5)

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            while digits := client.recv(4, socket.MSG_WAITALL):
                request = client.recv(int(digits, 16), socket.MSG_WAITALL).decode()
                self.asked.append(request)
                answer = self.answers.get(request, self.answers.get(request.partition(":")[0]))
                if answer is None:
                    return
                if isinstance(answer, bytes):
                    client.sendall(answer)
                else:
                    answer(client)


@pytest.fixture
def pretended() -> Iterator[Pretended]:
    made = Pretended()
    yield made
    made.close()


@pytest.fixture(scope="session")
def adb() -> Iterator[AdbServer]:
    """The real adb, with a server of its own."""
    with AdbServer() as server:
        yield server


@contextmanager
def wired(
    adb: AdbServer, device: Device | None = None, *, timeout_s: float = 60.0, **given: Any
) -> Iterator[tuple[AdbPhone, AndroidPhone]]:
    """A phone on the wire, a fake one unless it is given, and our device at the other end."""
    with AdbPhone(device or FakeDevice(), **given) as phone:
        client = AdbClient(port=adb.port, program=Path(adb.program), timeout_s=timeout_s)
        try:
            with open_phone(phone.address, client=client) as ours:
                yield phone, ours
        finally:
            adb.run("disconnect", phone.address)
