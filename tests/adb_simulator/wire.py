"""The least that speaks to a phone as an adb server does, and can misbehave as none would."""

import socket
import struct
from collections.abc import Iterator
from typing import Self

from tapwright_adb_simulator import AdbPhone
from tapwright_adb_simulator.frames import HEADER, MAX_DATA, UNCHECKED_VERSION, AdbFrame


class Wire:
    """A connection; every wait ends within ten seconds."""

    def __init__(self, phone: AdbPhone) -> None:
        host, port = phone.address.split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._streams = iter(range(1, 1000))

    @classmethod
    def greeted(
        cls, phone: AdbPhone, version: int = UNCHECKED_VERSION, max_data: int = MAX_DATA
    ) -> Self:
        wire = cls(phone)
        wire.send(AdbFrame(b"CNXN", version, max_data, b"host::features=shell_v2"))
        assert wire.receive().word == b"CNXN"
        return wire

    def send(self, frame: AdbFrame) -> None:
        self.socket.sendall(frame.encode())

    def receive(self) -> AdbFrame:
        word, arg0, arg1, length, _, _ = HEADER.unpack(self._exactly(HEADER.size))
        return AdbFrame(word, arg0, arg1, self._exactly(length))

    def open(self, service: str) -> tuple[int, int]:
        """The stream's number here and there; 0 there if it was refused."""
        here = next(self._streams)
        self.send(AdbFrame(b"OPEN", here, 0, service.encode() + b"\0"))
        answer = self.receive()
        assert answer.arg1 == here
        return here, answer.arg0 if answer.word == b"OKAY" else 0

    def ask(self, service: str) -> bytes:
        """All that a service says."""
        here, there = self.open(service)
        return b"".join(self.said(here, there))

    def said(self, here: int, there: int) -> Iterator[bytes]:
        while (frame := self.receive()).word != b"CLSE":
            assert (frame.word, frame.arg0, frame.arg1) == (b"WRTE", there, here)
            yield frame.payload
            self.send(AdbFrame(b"OKAY", here, there))

    def shell(self, line: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of a line."""
        data = self.ask(f"shell,v2,raw:{line}")
        told = {1: b"", 2: b"", 3: b""}
        while data:
            kind, length = struct.unpack_from("<BI", data)
            told[kind] += data[5 : 5 + length]
            data = data[5 + length :]
        return told[3][0], told[1].decode(), told[2].decode()

    @property
    def closed(self) -> bool:
        """Whether nothing more comes; waits for it, or for the next message."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise ConnectionResetError
            data += part
        return data
