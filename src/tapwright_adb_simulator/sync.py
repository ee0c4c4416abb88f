"""The service `sync:`: files to and from the phone.

Follows AOSP's SYNC.TXT and file_sync_protocol.h, the second version of stat and list included:
https://android.googlesource.com/platform/packages/modules/adb/+/refs/tags/android-13.0.0_r1/SYNC.TXT
"""

import struct
from collections.abc import Callable

from tapwright_adb_simulator.connection import Stream, StreamGone
from tapwright_adb_simulator.shell import WriteBytes
from tapwright_adb_simulator.storage import MAX_STORED, FileNode, FileProblem, Storage

__all__ = ["serve_files"]

_HEAD = struct.Struct("<4sI")
_STAT = struct.Struct("<III")
_STAT_2 = struct.Struct("<IQQIIIIQqqq")
_CHUNK = 64 * 1024
_MAX_PATH = 1024


async def serve_files(
    stream: Stream, write: WriteBytes, storage: Storage, on_request: Callable[[str], None]
) -> None:
    """Serve requests until QUIT; `on_request` receives each as "sync: RECV /sdcard/a.png".

    Raises:
        StreamGone: the other side stopped in the middle of a request.
    """
    source = _Source(stream)
    while True:
        word, length = _HEAD.unpack(await source.take(_HEAD.size))
        if word == b"QUIT":
            return
        if length > _MAX_PATH:
            await _fail(write, "path too long")
            return
        path = (await source.take(length)).decode("utf-8", "surrogateescape")
        on_request(f"sync: {word.decode('ascii', 'replace')} {path}")
        match word:
            case b"STAT":
                await write(b"STAT" + _stat(storage, path))
            case b"STA2" | b"LST2":
                await write(word + _stat_2(storage, path))
            case b"LIST":
                await _list(write, storage, path, b"DENT", _dent)
            case b"LIS2":
                await _list(write, storage, path, b"DNT2", _dent_2)
            case b"RECV":
                await _send(write, storage, path)
            case b"SEND":
                if not await _receive(source, write, storage, path):
                    return
            case _:
                await _fail(write, f"unknown command {word.decode('ascii', 'replace')}")
                return


class _Source:
    """Reads a stream in requested amounts."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._rest = b""

    async def take(self, size: int) -> bytes:
        """Exactly `size` bytes.

        Raises:
            StreamGone: the other side stopped before them.
        """
        parts, have = [self._rest], len(self._rest)
        while have < size:
            data = await self._stream.read()
            if not data:
                raise StreamGone
            parts.append(data)
            have += len(data)
        whole = b"".join(parts)
        self._rest = whole[size:]
        return whole[:size]


async def _fail(write: WriteBytes, reason: str) -> None:
    message = reason.encode("utf-8", "surrogateescape")
    await write(_HEAD.pack(b"FAIL", len(message)) + message)


def _stat(storage: Storage, path: str) -> bytes:
    try:
        return _dent(storage.find(path))
    except FileProblem:
        return _STAT.pack(0, 0, 0)


def _stat_2(storage: Storage, path: str) -> bytes:
    try:
        return _dent_2(storage.find(path))
    except FileProblem as problem:
        return _STAT_2.pack(problem.number, *[0] * 10)


def _dent(node: FileNode) -> bytes:
    return _STAT.pack(node.mode, len(node.data), node.time_s)


def _dent_2(node: FileNode) -> bytes:
    times = [node.time_s] * 3
    return _STAT_2.pack(0, 1, id(node) & 0xFFFFFFFF, node.mode, 1, 0, 0, len(node.data), *times)


async def _list(
    write: WriteBytes, storage: Storage, path: str, word: bytes, encode: Callable[[FileNode], bytes]
) -> None:
    try:
        folder = storage.find(path)
        entries = [(".", folder), ("..", folder), *storage.list(path)] if folder.is_folder else []
    except FileProblem:
        entries = []
    listing = b""
    for name, node in entries:
        raw = name.encode("utf-8", "surrogateescape")
        listing += word + encode(node) + struct.pack("<I", len(raw)) + raw
    size = len(encode(FileNode(0)))
    await write(listing + b"DONE" + bytes(size + 4))


async def _send(write: WriteBytes, storage: Storage, path: str) -> None:
    try:
        data = storage.read(path)
    except FileProblem as problem:
        await _fail(write, f"open failed: {problem}")
        return
    for start in range(0, len(data), _CHUNK):
        part = data[start : start + _CHUNK]
        await write(_HEAD.pack(b"DATA", len(part)) + part)
    await write(_HEAD.pack(b"DONE", 0))


async def _receive(source: _Source, write: WriteBytes, storage: Storage, order: str) -> bool:
    """Receive a file; False if the stream cannot be parsed any further."""
    path, _, mode = order.rpartition(",")
    parts: list[bytes] = []
    size = 0
    while True:
        word, number = _HEAD.unpack(await source.take(_HEAD.size))
        if word == b"DONE":
            break
        if word != b"DATA" or number > _CHUNK:
            await _fail(write, "invalid data message")
            return False
        size += number
        part = await source.take(number)
        if size <= MAX_STORED:
            parts.append(part)
    try:
        if size > MAX_STORED:
            raise FileProblem(28, "No space left on device")
        storage.write(path, b"".join(parts), mode=_mode(mode), time_s=number)
    except FileProblem as problem:
        await _fail(write, f"couldn't create file: {problem}")
        return True
    await write(_HEAD.pack(b"OKAY", 0))
    return True


def _mode(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0o660
