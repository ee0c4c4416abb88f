"""Temporary storage on disk for the pictures and texts of foreign files, so memory holds few.

Pictures become PNG of the lowest compression effort, in a few threads: of all lossless encodings it
is the fastest on screens, and takes a twentieth to a fifth of the raw pixels.
"""

import io
import os
import tempfile
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tapwright.core.geometry import Size
from tapwright.core.screenshot import MAX_PIXELS, Screenshot
from tapwright.errors import BadImageError
from tapwright.files.atomic import wrap_disk_errors

_THREADS = min(4, os.cpu_count() or 1)


class TemporaryStorage:
    """An unnamed file to append bytes to; it is deleted when nothing refers to its contents."""

    def __init__(self) -> None:
        with wrap_disk_errors(tempfile.gettempdir()):
            self._file = tempfile.TemporaryFile(prefix="tapwright-", buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._lock = threading.Lock()

    def add(self, data: bytes) -> Callable[[], bytes]:
        """Store bytes; returns the function that reads them back.

        Raises:
            DiskError: the disk of temporary files is full.
        """
        with self._lock, wrap_disk_errors(tempfile.gettempdir()):
            start = self._file.seek(0, os.SEEK_END)
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]
        return lambda: self._read(start, len(data))

    def _read(self, start: int, length: int) -> bytes:
        with self._lock:
            self._file.seek(start)
            return self._file.read(length)


@dataclass(frozen=True, slots=True)
class StoredText:
    """A text in temporary storage."""

    load: Callable[[], str]


def load_text(value: object) -> str:
    """A text, wherever it is; "" for what is none."""
    if isinstance(value, StoredText):
        return value.load()
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """A picture in temporary storage, perhaps still being encoded."""

    _work: "Future[tuple[Screenshot, Size]]"

    def screenshot(self) -> tuple[Screenshot, Size]:
        """Wait for the picture, and return it with its size.

        Raises:
            BadImageError: the array is not a picture; names its shape or values.
        """
        return self._work.result()


class TemporaryValues:
    """Moves a pickle's large texts and arrays to disk while it is read (a `LargeValueStore`)."""

    def __init__(self, origin: Path, pool: ThreadPoolExecutor, storage: TemporaryStorage) -> None:
        self._origin, self._pool, self._storage = origin, pool, storage
        self._free = threading.Semaphore(2 * _THREADS)

    def store_text(self, text: str) -> StoredText:
        """Store a text."""
        load = self._storage.add(text.encode("utf-8", "surrogatepass"))
        return StoredText(lambda: load().decode("utf-8", "surrogatepass"))

    def store_array(self, array: NDArray[Any]) -> StoredPicture:
        """Start encoding a picture, shape (height, width, 3); waits while many are in progress."""
        self._free.acquire()
        work = self._pool.submit(self._encode, array)
        work.add_done_callback(lambda _: self._free.release())
        return StoredPicture(work)

    def _encode(self, array: NDArray[Any]) -> tuple[Screenshot, Size]:
        data, size = encode_png(array, str(self._origin))
        encoded = Screenshot(data)
        load = self._storage.add(data)
        return Screenshot.lazy(load, sha256=encoded.sha256, origin=str(self._origin)), size


def open_encoder_pool() -> ThreadPoolExecutor:
    """Returns threads to encode in; Pillow's encoder releases Python's lock."""
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="frames")


def encode_png(array: NDArray[Any], origin: str) -> tuple[bytes, Size]:
    """Encodes a picture of shape (height, width, 3) as PNG; returns it with its size.

    Bytes are kept. Floats are shares from 0 to 1, or levels from 0 to 255 when one is
    above 1; they are rounded to the nearest of the 256 levels that a screen has.

    Raises:
        BadImageError: another shape or type, or a value out of range; names `origin`.
    """
    if array.ndim != 3 or array.shape[2] != 3 or 0 in array.shape:
        raise BadImageError(
            f"{origin}: a picture of shape {array.shape}; expected (height, width, 3)"
        )
    height, width = array.shape[:2]
    if height * width > MAX_PIXELS:
        raise BadImageError(
            f"{origin}: a picture of {width}x{height}; a screen has at most {MAX_PIXELS:,} pixels"
        )
    buffer = io.BytesIO()
    pixels = _to_levels(array, origin)
    image = Image.frombuffer("RGB", (width, height), pixels.tobytes(), "raw", "RGB", 0, 1)
    image.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue(), Size(width, height)


def _to_levels(array: NDArray[Any], origin: str) -> NDArray[np.uint8]:
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind != "f":
        raise BadImageError(f"{origin}: a picture of {array.dtype}; expected uint8 or float32")
    low, high = float(array.min()), float(array.max())
    if not (low >= 0.0 and high <= 255.0):  # so that NaN is refused, too
        raise BadImageError(
            f"{origin}: a picture with values from {low:g} to {high:g}; "
            "expected 0 to 1, or 0 to 255"
        )
    levels: NDArray[np.uint8] = np.rint(array * (255 if high <= 1.0 else 1)).astype(np.uint8)
    return levels
