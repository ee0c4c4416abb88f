"""The names that a pickle of plain data may hold, and the errors for everything else.

Those are the names with which NumPy's arrays, types and numbers are pickled, before and since its
version 2, and the one with which protocol 2 writes bytes. None of them is imported or called.
"""

import pickletools
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from tapwright.formats.errors import UNSAFE_PICKLE, BrokenPickleError, ForeignDataError

LOOK_AHEAD_BYTES = 1 << 20
OPCODES = {opcode.code.encode("latin-1"): opcode for opcode in pickletools.opcodes}
_OBJECT_OPCODES = frozenset(
    ["EXT1", "EXT2", "EXT4", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "PERSID", "BINPERSID"]
)


@dataclass(frozen=True, slots=True)
class AllowedName:
    """An allowed name, kept as data; `last_name` is its last part."""

    module: str
    last_name: str


ALLOWED_NAMES: Mapping[tuple[str, str], AllowedName] = {
    (module, name): AllowedName(module, name)
    for module, name in (
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy.core.multiarray", "scalar"),
        ("numpy.core.numeric", "_frombuffer"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "scalar"),
        ("numpy._core.numeric", "_frombuffer"),
        ("_codecs", "encode"),
    )
}


def unsafe_name_error(name: str, where: str) -> ForeignDataError:
    """Returns the error for a pickle that names what plain data does not need."""
    return UNSAFE_PICKLE(
        f"{where}: names {name[:160]}; only NumPy's arrays are allowed, and nothing was run",
        hint="do not load this file with Python's pickle unless you trust who made it",
    )


def refused_opcode_error(ahead: bytes, where: str) -> ForeignDataError:
    """Returns the error for an opcode that plain data does not use; `ahead` starts with it.

    Pickles of old protocols are searched for a name, so that the error names a hostile one.
    """
    opcode = OPCODES.get(ahead[:1])
    if opcode is None:
        return BrokenPickleError(f"{where}: {ahead[:1]!r} is not an opcode; this is not a pickle")
    name = _first_name(ahead)
    if name:
        return unsafe_name_error(name, where)
    if opcode.name in _OBJECT_OPCODES:
        return UNSAFE_PICKLE(
            f"{where}: {opcode.name} would make an object; expected plain data and NumPy arrays"
        )
    return BrokenPickleError(
        f"{where}: {opcode.name}, which plain data of protocol 2 to 5 does not need",
        hint="if you trust the file, load it in Python and dump it again with protocol=4",
    )


def _first_name(ahead: bytes) -> str:
    with suppress(ValueError):
        for opcode, argument, _ in pickletools.genops(ahead):
            if opcode.name in ("GLOBAL", "INST"):
                module, _, name = str(argument).partition(" ")
                if (module, name) not in ALLOWED_NAMES:
                    return f"{module}.{name}"
    return ""
