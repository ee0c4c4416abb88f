"""What a pickle of plain data may name, and how everything else is refused.

Those are the names that NumPy's arrays, types and numbers are pickled with, before and since its
version 2, and the one with which protocol 2 spells bytes. None of them is imported or called.
"""

import pickletools
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from tapwright.formats.errors import BrokenPickleError, ForeignDataError, UnsafePickleError

LOOK_AHEAD_BYTES = 1 << 20
OPCODES = {opcode.code.encode("latin-1"): opcode for opcode in pickletools.opcodes}
_OBJECT_OPCODES = frozenset(
    ["EXT1", "EXT2", "EXT4", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "PERSID", "BINPERSID"]
)


@dataclass(frozen=True, slots=True)
class AllowedName:
    """A name that stands for itself; `what` is its last part."""

    module: str
    what: str


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


def unsafe_name_error(named: str, where: str) -> UnsafePickleError:
    """The error about a pickle that names what data does not need."""
    return UnsafePickleError(
        f"{where}: names {named[:160]}; only NumPy's arrays are admitted, and nothing was run",
        hint="do not load this file with Python's pickle unless you trust who made it",
    )


def refused_opcode_error(ahead: bytes, where: str) -> ForeignDataError:
    """The error about an opcode that plain data has no use for; `ahead` begins with it.

    Pickles of old protocols are looked through for a name, so that a hostile one is told by it.
    """
    opcode = OPCODES.get(ahead[:1])
    if opcode is None:
        return BrokenPickleError(f"{where}: {ahead[:1]!r} is no opcode; this is not a pickle")
    named = _first_name(ahead)
    if named:
        return unsafe_name_error(named, where)
    if opcode.name in _OBJECT_OPCODES:
        return UnsafePickleError(
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
