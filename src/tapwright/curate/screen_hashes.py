"""Perceptual hashes of screens: near-same pictures have hashes that differ in few bits.

A hash is the difference hash of `dhash` (https://github.com/benhoyt/dhash), 16 x 16 in rows and in
columns, so that a line of text counts and the noise of JPEG hardly does. It is made once for a
picture, and kept beside the catalog's tables; without them it is made again.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

import dhash
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadImageError
from tapwright.files.regular import read_regular
from tapwright.jobs.processes import MapBatches
from tapwright.store.catalog_file import CatalogFile

__all__ = ["HASH_BITS", "ScreenHashes", "hash_screen", "share_of_bits"]

T = TypeVar("T")
R = TypeVar("R")

_SIZE = 16
HASH_BITS = 2 * _SIZE * _SIZE
"""The number of bits of a hash."""

_BATCH = 64
_TABLE = "CREATE TABLE IF NOT EXISTS screens (frame BLOB PRIMARY KEY, hash BLOB) WITHOUT ROWID"


class ScreenHashes:
    """The hashes of the screens of the store at `root`."""

    def __init__(self, root: Path) -> None:
        self._file = CatalogFile(root)

    def find(
        self,
        pictures: Mapping[bytes, str],
        advance: Callable[[int], object] = lambda _: None,
        mapping: MapBatches | None = None,
    ) -> dict[bytes, bytes]:
        """The hashes of pictures: SHA-256 of the file -> hash; one that is broken has none.

        `pictures` are the paths of the files without their extensions. Those that are not known are
        made by `mapping`, or on all cores; `advance` is called with how many are done.
        """
        found = self._file.use(lambda connection: _read(connection, pictures))
        advance(len(found))
        missing = [(frame, path) for frame, path in pictures.items() if frame not in found]
        for batch, made in (mapping or _map_here)(_hash_files, missing, _BATCH):
            self._file.use(partial(_write, new=made))
            found.update(made)
            advance(len(batch))
        return found


def hash_screen(image: Image.Image) -> bytes:
    """The hash of a picture, of `HASH_BITS` bits."""
    side = _SIZE + 1
    grey = image.convert("L").resize((side, side), Image.Resampling.BOX)
    row, column = dhash.dhash_row_col(np.asarray(grey).ravel().tolist(), size=_SIZE)
    return bytes(dhash.format_bytes(row, column, size=_SIZE))


def share_of_bits(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The share of bits in which hashes differ, 0 to 1; the last axis is that of their bytes."""
    counts = np.bitwise_count(one ^ other).sum(axis=-1, dtype=np.float64)
    return np.asarray(counts / HASH_BITS)


def _map_here(
    work: Callable[[Sequence[T]], R], items: Sequence[T], size: int, /
) -> Iterator[tuple[Sequence[T], R]]:
    for start in range(0, len(items), size):
        batch = items[start : start + size]
        yield batch, work(batch)


def _hash_files(pictures: Sequence[tuple[bytes, str]]) -> list[tuple[bytes, bytes]]:
    """The hashes of pictures that are not broken, made in threads: Pillow leaves them the cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = pool.map(_hash_file, (Path(path) for _, path in pictures))
        return [
            (frame, one) for (frame, _), one in zip(pictures, made, strict=True) if one is not None
        ]


def _hash_file(path: Path) -> bytes | None:
    for extension in (".png", ".jpg", ".webp"):
        try:
            data = read_regular(path.with_suffix(extension))
            return hash_screen(Screenshot(data, origin=path.name).image())
        except FileNotFoundError:
            continue
        except (BadImageError, OSError):
            return None
    return None


def _read(connection: sqlite3.Connection, frames: Iterable[bytes]) -> dict[bytes, bytes]:
    connection.execute(_TABLE)
    query = "SELECT hash FROM screens WHERE frame = ?"
    found = ((frame, connection.execute(query, (frame,)).fetchone()) for frame in frames)
    return {frame: row[0] for frame, row in found if row is not None}


def _write(connection: sqlite3.Connection, *, new: Iterable[tuple[bytes, bytes]]) -> None:
    connection.execute(_TABLE)
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany("INSERT OR REPLACE INTO screens VALUES (?, ?)", new)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
