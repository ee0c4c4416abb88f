"""The apps' state that a task's check reads: each large value is recorded once, in its own file.

A check reads the same lists of mails or orders after every action, so a step's line holds small
values as they are, and for a large one the hash of its JSON. The file `state/<sha256>.json.zst`
is written before the line that names it, as pictures and trees are.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import partial
from pathlib import Path
from typing import TypeAlias

from pydantic import ConfigDict, JsonValue, TypeAdapter

from tapwright.errors import CorruptEpisodeError, StoreError

__all__ = [
    "MAX_STATE_BYTES", "Load", "StoredState", "check_size", "compress", "decompress", "pack_state",
    "state_file", "unpack_state",
]  # fmt: skip

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_STATE_BYTES = 32_000_000
"""Bytes of a value of an app's state, or of a view hierarchy, when it is unpacked."""
_MAX_INLINE_BYTES = 256
"""The longest JSON that stands in a line; a file of its own costs a block of the disk."""

_STATE = TypeAdapter(dict[str, JsonValue], config=ConfigDict(allow_inf_nan=False))

Load: TypeAlias = Callable[[str], bytes]
"""Reads a file of an episode by its path."""


class StoredState(Mapping[str, JsonValue]):
    """A state in a store: `inline` values, and those of `hashes`, read when they are looked at.

    `load` reads the file at a path below `directory`. A value is read anew each time, so that what
    a caller does to it changes no other step.
    """

    __slots__ = ("_directory", "_load", "hashes", "inline")

    def __init__(
        self,
        inline: Mapping[str, JsonValue],
        hashes: Mapping[str, str],
        directory: Path | str,
        load: Load,
    ) -> None:
        self.inline = inline
        self.hashes = hashes
        self._directory = directory
        self._load = load

    def load_file(self, sha256: str) -> bytes:
        """The bytes of a value's file, as the store has them."""
        return self._load(f"{self._directory}/{state_file(sha256)}")

    def __getitem__(self, path: str) -> JsonValue:
        if path in self.inline:
            return self.inline[path]
        sha256 = self.hashes[path]
        return unpack_state(self.load_file(sha256), f"{self._directory}/{state_file(sha256)}")

    def __contains__(self, path: object) -> bool:
        return path in self.inline or path in self.hashes

    def __iter__(self) -> Iterator[str]:
        yield from self.inline
        yield from self.hashes

    def __len__(self) -> int:
        return len(self.inline) + len(self.hashes)

    def __repr__(self) -> str:
        return f"StoredState({', '.join(map(repr, self))})"


def state_file(sha256: str) -> str:
    """The path of a value's file below the episode's directory."""
    return f"state/{sha256}.json.zst"


def pack_state(
    state: Mapping[str, JsonValue], files: MutableMapping[str, Callable[[], bytes]]
) -> tuple[Mapping[str, JsonValue], Mapping[str, str]]:
    """The values of a state for a line, and the hashes of the others, whose files go to `files`.

    Raises:
        ValidationError: a value is not JSON, such as a number that is not finite.
        StoreError: a value is too large to be read again.
    """
    if isinstance(state, StoredState):
        for sha256 in state.hashes.values():
            files[state_file(sha256)] = partial(state.load_file, sha256)
        return state.inline, state.hashes
    inline: dict[str, JsonValue] = {}
    hashes: dict[str, str] = {}
    for path, value in _STATE.validate_python(dict(state)).items():
        data = json.dumps(value, separators=(",", ":")).encode()
        check_size(data, f"state {path}")
        if len(data) <= _MAX_INLINE_BYTES:
            inline[path] = value
        else:
            hashes[path] = hashlib.sha256(data).hexdigest()
            files[state_file(hashes[path])] = partial(compress, data)
    return inline, hashes


def unpack_state(data: bytes, path: str) -> JsonValue:
    """The value that the file at `path` holds.

    Raises:
        CorruptEpisodeError: it is not JSON compressed with zstd.
    """
    try:
        value: JsonValue = json.loads(decompress(data, path))
    except (ValueError, RecursionError) as error:
        raise CorruptEpisodeError(f"{path}: not JSON: {error}") from error
    return value


def check_size(data: bytes, what: str) -> None:
    """Refuse a value that could not be read again.

    Raises:
        StoreError: it is too large; `what` names it.
    """
    if len(data) > MAX_STATE_BYTES:
        raise StoreError(
            f"{what}: {len(data):,} bytes; at most {MAX_STATE_BYTES:,} are stored",
            hint="record less of the state, or smaller view hierarchies",
        )


def compress(data: bytes) -> bytes:
    """The bytes of a view hierarchy or of a state as a store keeps them."""
    return zstd.compress(data, level=3)


def decompress(data: bytes, path: str, *, largest: int = MAX_STATE_BYTES) -> bytes:
    """What `compress` was given, of the file at `path`; at most `largest` bytes.

    Raises:
        CorruptEpisodeError: it is not compressed with zstd, or unpacks to too much.
    """
    unpacker = zstd.ZstdDecompressor()
    try:
        unpacked = unpacker.decompress(data, max_length=largest + 1)
    except zstd.ZstdError as error:
        raise CorruptEpisodeError(f"{path}: not compressed with zstd: {error}") from error
    if len(unpacked) > largest:
        raise CorruptEpisodeError(
            f"{path}: unpacks to more than {largest:,} bytes, which no screen needs",
            hint="tapwright episodes check names the steps that need it",
        )
    if not unpacker.eof or unpacker.unused_data:
        problem = "goes on after its end" if unpacker.eof else "cut off"
        raise CorruptEpisodeError(f"{path}: not compressed with zstd: {problem}")
    return unpacked
