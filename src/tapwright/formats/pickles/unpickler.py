"""Reads one pickle of plain data and NumPy arrays, without running anything that it says.

Follows the opcodes that `pickletools` documents, protocols 2 to 5
(https://github.com/python/cpython/blob/v3.11.7/Lib/pickletools.py). It is a reader of our own for
two reasons. Python's unpickler imports and calls what a pickle names; this one knows the form of
NumPy's arrays, types and numbers, and calls nothing. And every unpickler keeps all values that it
has read in memory until the end; this one passes large ones to a `LargeValueStore` as soon as they
are complete, so that a pickle of any length takes little memory.
"""

import math
import re
import struct
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np

from tapwright.formats import limits
from tapwright.formats.errors import UNSAFE_PICKLE, BrokenPickleError
from tapwright.formats.pickles import allowed_names
from tapwright.formats.pickles.values import (
    LARGE_BYTES,
    LargeData,
    LargeValueStore,
    NumberKind,
    RawArray,
)

__all__ = ["Unpickler"]

_MAX_NUMBER_BYTES = 256
_DTYPE = re.compile(r"[biuf][1248]|U\d{1,4}", re.ASCII)


_MARK = object()


class Unpickler:
    """Reads one pickle: a stack of values, a memo, and an opcode at a time.

    `size` is the whole file's, None while that is not known, as it is being unpacked. A method that
    does what an opcode says raises ValueError, TypeError, IndexError or KeyError where the file has
    nothing for it to work on; `run` raises BrokenPickleError of them, or ForeignDataError where a
    name may not be called.
    """

    most_opcodes: ClassVar[int] = limits.MAX_PICKLE_OPCODES

    def __init__(
        self, file: BinaryIO, at: int, size: int | None, origin: Path, large_values: LargeValueStore
    ) -> None:
        self.at = at
        self._file, self._size, self._origin, self._large_values = file, size, origin, large_values
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        self._tuples: dict[int, tuple[tuple[Any, ...], int]] = {}
        self._number_keys = 0

    def run(self) -> object:
        """Read the pickle at `at`, which is then the place after it."""
        for opcodes in count(1):
            if opcodes > self.most_opcodes:
                raise self._above(self.most_opcodes, "opcodes")
            here = self.at
            code = self._read(1)
            handler = self._handler(code)
            if handler is None and code != b".":
                ahead = code + self._file.read(allowed_names.LOOK_AHEAD_BYTES)
                raise allowed_names.refused_opcode_error(ahead, f"{self._origin}, byte {here}")
            try:
                if handler is None:
                    (value,) = self._stack
                    return self._resolve(value)
                handler(self)
            except (LookupError, TypeError, ValueError, RecursionError, struct.error) as error:
                raise BrokenPickleError(
                    f"{self._origin}, byte {here}: {allowed_names.OPCODES[code].name} "
                    f"lacks what it needs: {error}; the pickle is malformed"
                ) from error

        raise AssertionError  # the count has no end

    def _handler(self, code: bytes) -> "Callable[[Unpickler], None] | None":
        return _OPCODE_HANDLERS.get(code)

    def _above(self, limit: int, what: str) -> BrokenPickleError:
        return BrokenPickleError(
            f"{self._origin}, byte {self.at}: more than {limit:,} {what}",
            hint="if you trust who made the file, split it into several pickles",
        )

    def _read(self, count: int) -> bytes:
        if self._size is None:
            if count > limits.MAX_FILE_BYTES:
                raise self._above(limits.MAX_FILE_BYTES, "bytes of one value")
        elif count > self._size - self.at:
            raise BrokenPickleError(
                f"{self._origin}: ends too early: {count} bytes are expected at byte {self.at}, "
                f"and {self._size - self.at} are left"
            )
        data = self._file.read(count)
        if len(data) != count:
            raise BrokenPickleError(f"{self._origin}: was truncated while it was read")
        self.at += count
        return data

    def _number(self, form: str) -> int:
        number: int = struct.unpack(f"<{form}", self._read(struct.calcsize(f"<{form}")))[0]
        return number

    def _line(self) -> str:
        line = self._file.readline(1024)
        self.at += len(line)
        if not line.endswith(b"\n"):
            raise ValueError("a name without an end")
        return line[:-1].decode()

    def proto(self) -> None:
        """PROTO: check the version."""
        version = self._number("B")
        if not 2 <= version <= 5:
            raise ValueError(f"protocol {version}; expected 2 to 5")

    def frame(self) -> None:
        """FRAME: skip its length."""
        self._number("Q")

    def push(self, value: object) -> None:
        """Push a value onto the stack."""
        self._stack.append(value)

    def long(self, form: str) -> None:
        """LONG1, LONG4: an integer of any size."""
        count = self._number(form)
        if not 0 <= count <= _MAX_NUMBER_BYTES:
            raise ValueError(f"a number of {count} bytes")
        self.push(int.from_bytes(self._read(count), "little", signed=True))

    def float_(self) -> None:
        """BINFLOAT: a number."""
        self.push(struct.unpack(">d", self._read(8))[0])

    def text(self, form: str) -> None:
        """A text; a long one may be stored elsewhere."""
        text = self._read(self._number(form)).decode("utf-8", "surrogatepass")
        self.push(text if len(text) < LARGE_BYTES else LargeData(text))

    def bytes_(self, form: str) -> None:
        """Bytes; long ones may be stored elsewhere."""
        data = self._read(self._number(form))
        self.push(data if len(data) < LARGE_BYTES else LargeData(data))

    def put(self, form: str) -> None:
        """BINPUT: name the value on top in the memo."""
        self._memo[self._number(form)] = self._stack[-1]

    def memoize(self) -> None:
        """MEMOIZE: the same, by the next number."""
        self._memo[len(self._memo)] = self._stack[-1]

    def get(self, form: str) -> None:
        """BINGET: push a value of the memo."""
        self.push(self._memo[self._number(form)])

    def _pop_to_mark(self) -> list[Any]:
        """Pop the last mark and everything above it; returns what was above it."""
        for place in range(len(self._stack) - 1, -1, -1):
            if self._stack[place] is _MARK:
                values = self._stack[place + 1 :]
                del self._stack[place:]
                return values
        raise IndexError("no mark on the stack")

    def _resolve(self, value: object) -> object:
        """Return the final value, with large values stored."""
        match value:
            case LargeData(data=data):
                if isinstance(data, str):
                    value.stored = self._large_values.store_text(data)
                elif data is not None:
                    value.stored = data
                value.data = None
                return value.stored
            case RawArray(stored=stored):
                if stored is None:
                    raise ValueError("an array without data")
                return stored
            case NumberKind() | allowed_names.AllowedName():
                raise ValueError("a name where data is expected")
            case tuple():
                return tuple(self._resolve(one) for one in value)
        if value is _MARK:
            raise ValueError("a mark where data is expected")
        return value

    def tuple_(self, count: int) -> None:
        """TUPLE1 to TUPLE3: a tuple of the last values."""
        if len(self._stack) < count:
            raise IndexError("too few values")
        values = tuple(self._stack[-count:])
        del self._stack[-count:]
        self.push_tuple(values)

    def push_tuple(self, values: tuple[Any, ...]) -> None:
        """Push a tuple whose contents, written out, are not too large.

        The memo lets a few bytes double a tuple, and whoever walks through it would walk for ever.
        """
        size = len(values)
        for one in values:
            if isinstance(one, tuple):
                size += self._tuples[id(one)][1] if id(one) in self._tuples else len(one)
        if size > limits.MAX_PICKLE_TUPLE:
            raise self._above(limits.MAX_PICKLE_TUPLE, "elements of tuples in each other")
        if size > len(values):
            self._tuples[id(values)] = values, size
        self.push(values)

    def append(self, values: list[Any]) -> None:
        """APPENDS: append values to the list below them."""
        into = self._stack[-1]
        if type(into) is not list:
            raise TypeError(f"a {type(into).__name__} where a list is expected")
        into.extend(self._resolve(value) for value in values)

    def set_items(self, values: list[Any]) -> None:
        """SETITEMS: set keys of the dictionary below them to values."""
        into = self._stack[-1]
        if type(into) is not dict:
            raise TypeError(f"a {type(into).__name__} where a dictionary is expected")
        for key, value in zip(values[::2], values[1::2], strict=True):
            resolved = self._resolve(key)
            if not isinstance(resolved, str):
                self._number_keys += 1
                if self._number_keys > limits.MAX_PICKLE_NUMBER_KEYS:
                    raise self._above(limits.MAX_PICKLE_NUMBER_KEYS, "keys that are no texts")
            into[resolved] = self._resolve(value)

    def global_(self, module: str, name: str) -> None:
        """GLOBAL: keep a name that is allowed."""
        allowed = allowed_names.ALLOWED_NAMES.get((module, name))
        if allowed is None:
            raise allowed_names.unsafe_name_error(
                f"{module}.{name}", f"{self._origin}, byte {self.at}"
            )
        self.push(allowed)

    def stack_global(self) -> None:
        """STACK_GLOBAL: the same, with the name on the stack."""
        name, module = self._stack.pop(), self._stack.pop()
        if not (isinstance(name, str) and isinstance(module, str)):
            raise TypeError("a name that is no text")
        self.global_(module, name)

    def reduce(self) -> None:
        """REDUCE: what NumPy's names would be called to make."""
        arguments, function = self._stack.pop(), self._stack.pop()
        match function, arguments:
            case allowed_names.AllowedName(last_name="_reconstruct"), (
                allowed_names.AllowedName(last_name="ndarray"),
                tuple(),
                _,
            ):
                self.push(RawArray())
            case allowed_names.AllowedName(last_name="dtype"), (str(code), *_) if _DTYPE.fullmatch(
                code
            ):
                self.push(NumberKind(code))
            case allowed_names.AllowedName(last_name="scalar"), (NumberKind() as kind, bytes(data)):
                self.push(np.frombuffer(data, kind.dtype(), 1)[0])
            case allowed_names.AllowedName(last_name="encode"), (text, "latin1" | "latin-1"):
                self.push(self._encode_bytes(text))
            case allowed_names.AllowedName(last_name="_frombuffer"), (
                data,
                NumberKind() as kind,
                tuple(shape),
                str(order),
            ):
                self.push(RawArray(self._array(shape, kind, order == "F", data)))
            case allowed_names.AllowedName(module=module, last_name=last_name), _:
                raise ValueError(
                    f"{module}.{last_name} of something else than an array of numbers or texts"
                )
            case _:
                raise UNSAFE_PICKLE(
                    f"{self._origin}, byte {self.at - 1}: would call a {type(function).__name__}"
                )

    def _encode_bytes(self, text: object) -> LargeData | bytes:
        """Encode bytes that protocol 2 writes as a text."""
        content = text
        if isinstance(text, LargeData):
            content, text.data = text.data, None
        if not isinstance(content, str):
            raise TypeError("bytes that are not written as a text")
        data = content.encode("latin-1")
        return data if len(data) < LARGE_BYTES else LargeData(data)

    def build(self) -> None:
        """BUILD: give an array or a type its state."""
        state, built = self._stack.pop(), self._stack[-1]
        match built, state:
            case RawArray(stored=None), (
                int(),
                tuple(shape),
                NumberKind() as kind,
                bool(fortran),
                data,
            ):
                built.stored = self._array(shape, kind, fortran, data)
            case NumberKind(), (int(), "<" | ">" | "|" | "=" as order, None, None, None, *_):
                built.order = order
            case _:
                raise ValueError("a state that is neither an array's nor a type's")

    def _array(
        self, shape: tuple[Any, ...], kind: NumberKind, fortran: bool, data: object
    ) -> object:
        raw = data
        if isinstance(data, LargeData):
            raw, data.data = data.data, None
        if not isinstance(raw, bytes):
            raise TypeError(f"an array's data is {type(raw).__name__}; expected bytes")
        dtype = kind.dtype()
        if any(type(side) is not int or side < 0 for side in shape):
            raise ValueError(f"an array of shape {shape}")
        if math.prod(shape) * dtype.itemsize != len(raw):
            raise ValueError(f"an array of shape {shape} and {dtype} in {len(raw)} bytes")
        array = np.frombuffer(raw, dtype).reshape(shape, order="F" if fortran else "C")
        return self._large_values.store_array(array) if len(raw) >= LARGE_BYTES else array


_OPCODE_HANDLERS: Mapping[bytes, Callable[[Unpickler], None]] = {
    b"\x80": Unpickler.proto,
    b"\x95": Unpickler.frame,
    b"(": lambda machine: machine.push(_MARK),
    b"N": lambda machine: machine.push(None),
    b"\x88": lambda machine: machine.push(True),
    b"\x89": lambda machine: machine.push(False),
    b"J": lambda machine: machine.push(machine._number("i")),
    b"K": lambda machine: machine.push(machine._number("B")),
    b"M": lambda machine: machine.push(machine._number("H")),
    b"\x8a": lambda machine: machine.long("B"),
    b"\x8b": lambda machine: machine.long("i"),
    b"G": Unpickler.float_,
    b"\x8c": lambda machine: machine.text("B"),
    b"X": lambda machine: machine.text("I"),
    b"\x8d": lambda machine: machine.text("Q"),
    b"C": lambda machine: machine.bytes_("B"),
    b"B": lambda machine: machine.bytes_("I"),
    b"\x8e": lambda machine: machine.bytes_("Q"),
    b"\x96": lambda machine: machine.bytes_("Q"),
    b"q": lambda machine: machine.put("B"),
    b"r": lambda machine: machine.put("I"),
    b"\x94": Unpickler.memoize,
    b"h": lambda machine: machine.get("B"),
    b"j": lambda machine: machine.get("I"),
    b"]": lambda machine: machine.push([]),
    b"}": lambda machine: machine.push({}),
    b")": lambda machine: machine.push(()),
    b"t": lambda machine: machine.push_tuple(tuple(machine._pop_to_mark())),
    b"\x85": lambda machine: machine.tuple_(1),
    b"\x86": lambda machine: machine.tuple_(2),
    b"\x87": lambda machine: machine.tuple_(3),
    b"a": lambda machine: machine.append([machine._stack.pop()]),
    b"e": lambda machine: machine.append(machine._pop_to_mark()),
    b"s": lambda machine: machine.set_items([machine._stack.pop(-2), machine._stack.pop()]),
    b"u": lambda machine: machine.set_items(machine._pop_to_mark()),
    b"c": lambda machine: machine.global_(machine._line(), machine._line()),
    b"\x93": Unpickler.stack_global,
    b"R": lambda machine: machine.reduce(),
    b"b": lambda machine: machine.build(),
}
