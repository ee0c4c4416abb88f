"""Writes pickles as a stream, so that one of any length takes the memory of one value.

Protocol 4 without a memo. NumPy's names are those of version 1, which every later NumPy reads.
"""

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, TypeAlias

import numpy as np

__all__ = ["Picklable", "write_pickle"]

Picklable: TypeAlias = Any
"""None, a number, text, list, dictionary, an array or number of NumPy; an iterator is a list."""

_CORE = b"cnumpy.core.multiarray\n"


def write_pickle(value: Picklable, file: BinaryIO) -> None:
    """Write `value`; the items of an iterator in it are written one by one, as a list.

    Raises:
        TypeError: it holds a value of another type.
    """
    file.write(b"\x80\x04")
    _write(value, file)
    file.write(b".")


def _write(value: Picklable, file: BinaryIO) -> None:
    match value:
        case None:
            file.write(b"N")
        case bool():
            file.write(b"\x88" if value else b"\x89")
        case np.generic():
            file.write(_CORE + b"scalar\n")
            _write_dtype(value.dtype, file)
            _write_bytes(value.tobytes(), file)
            file.write(b"\x86R")
        case int():
            data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
            file.write(b"\x8b" + struct.pack("<i", len(data)) + data)
        case float():
            file.write(b"G" + struct.pack(">d", value))
        case str():
            text = value.encode("utf-8", "surrogatepass")
            file.write(b"X" + struct.pack("<I", len(text)) + text)
        case np.ndarray():
            file.write(_CORE + b"_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01(")
            for side in value.shape:
                _write(side, file)
            file.write(b"t")
            _write_dtype(value.dtype, file)
            file.write(b"\x89")
            _write_bytes(value.tobytes(), file)
            file.write(b"tb")
        case dict():
            file.write(b"}(")
            for key, one in value.items():
                _write(key, file)
                _write(one, file)
            file.write(b"u")
        case list() | Iterator():
            file.write(b"](")
            for one in value:
                _write(one, file)
            file.write(b"e")
        case _:
            raise TypeError(f"a {type(value).__name__} is not written to a pickle")


def _write_bytes(data: bytes, file: BinaryIO) -> None:
    file.write(b"B" + struct.pack("<I", len(data)))
    file.write(data)


def _write_dtype(dtype: "np.dtype[Any]", file: BinaryIO) -> None:
    """Write a type of plain numbers, as (code, no alignment, copied) and its byte order."""
    order, code = dtype.str[0], dtype.str[1:]
    file.write(b"cnumpy\ndtype\n")
    _write(code, file)
    file.write(b"\x89\x88\x87R(K\x03")
    _write(order, file)
    file.write(b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb")
