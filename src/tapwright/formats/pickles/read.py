"""Files of pickles of plain data and NumPy arrays, read without running anything that they say."""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tapwright.files.regular import open_regular
from tapwright.formats.errors import BrokenPickleError, ForeignDataError
from tapwright.formats.pickles.unpickler import Unpickler
from tapwright.formats.pickles.values import LargeValueStore

__all__ = ["read_pickles"]


def read_pickles(
    path: Path, large_values: LargeValueStore, machine: type[Unpickler] = Unpickler
) -> Iterator[object]:
    """Yields the values of all pickles in a file, in order: plain data of Python and NumPy.

    Lists, dictionaries, tuples, texts, bytes, numbers, None; NumPy's arrays and numbers. A file of
    the suffix .gz is unpacked as it is read. `machine` reads more than plain data.

    Raises:
        ForeignDataError: it names anything else, which is not looked up; the message has the name.
        BrokenPickleError: it is empty, truncated, malformed, or not a pickle.
        ForeignDataError: the file cannot be read.
    """
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size == 0:
                raise BrokenPickleError(f"{path}: the file is empty; expected a pickle")
            if path.suffix == ".gz":
                yield from _read_packed(file, path, large_values, machine)
                return
            at = 0
            while at < size:
                one = machine(file, at, size, path, large_values)
                yield one.run()
                at = one.at
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BrokenPickleError(f"{path}: is not whole: {error}") from error
    except OSError as error:
        raise ForeignDataError(f"{path}: cannot be read: {error.strerror or error}") from error


def _read_packed(
    file: BinaryIO, path: Path, large_values: LargeValueStore, machine: type[Unpickler]
) -> Iterator[object]:
    with gzip.GzipFile(fileobj=file) as stream:
        packed = io.BufferedReader(stream)
        at = 0
        while packed.peek(1):
            one = machine(packed, at, None, path, large_values)
            yield one.run()
            at = one.at
