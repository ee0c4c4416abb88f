"""Pickles that hold objects: their attributes are read as data, and no class is looked up.

What an object's class is called is kept, what it would do is not known here. A call that a pickle
asks for is never made: it is kept as an object of the function's name, with the arguments.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tapwright.formats.limits import MAX_OBJECT_PICKLE_OPCODES
from tapwright.formats.pickles.allowed_names import ALLOWED_NAMES
from tapwright.formats.pickles.unpickler import Unpickler

__all__ = ["ObjectUnpickler", "PickledObject"]

_REBUILD = frozenset(
    {
        "copyreg._reconstructor", "copy_reg._reconstructor", "copyreg.__newobj__",
        "builtins.getattr", "__builtin__.getattr",
    }
)  # fmt: skip
"""Calls whose first argument is the class of the object.

The first releases of Python 3.11 write a member of an enumeration by its name: as `getattr`.
"""


@dataclass(slots=True, eq=False)
class PickledObject:
    """An object: the full name of its class, what it was made of, and its attributes by name.

    A container's items are `items`; those of a mapping are pairs.
    """

    name: str
    arguments: tuple[Any, ...] = ()
    attributes: dict[str, Any] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)

    @property
    def short_name(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class _ClassName:
    """The name of a class or function, which nobody looks up."""

    name: str


class ObjectUnpickler(Unpickler):
    """Reads one pickle with objects in it; raises as `Unpickler` does, such as TypeError."""

    most_opcodes: ClassVar[int] = MAX_OBJECT_PICKLE_OPCODES

    def _handler(self, code: bytes) -> Callable[[Unpickler], None] | None:
        return _OBJECT_HANDLERS.get(code) or super()._handler(code)

    def global_(self, module: str, name: str) -> None:
        """Keep a name."""
        if (module, name) in ALLOWED_NAMES:
            super().global_(module, name)
        else:
            self.push(_ClassName(f"{module}.{name}"))

    def reduce(self) -> None:
        """Keep a call as an object."""
        if isinstance(self._stack[-2], _ClassName):
            self.new_object()
        else:
            super().reduce()

    def new_object(self) -> None:
        """Make an object of a class and its arguments."""
        arguments, made = self._stack.pop(), self._stack.pop()
        if not isinstance(made, _ClassName) or not isinstance(arguments, tuple):
            raise TypeError("an object that has no class")
        if made.name in _REBUILD and arguments and isinstance(arguments[0], _ClassName):
            made, arguments = arguments[0], arguments[1:]
        self.push(PickledObject(made.name, tuple(self._resolve(one) for one in arguments)))

    def new_object_with_keywords(self) -> None:
        """The same, with arguments by name."""
        keywords = self._stack.pop()
        self.new_object()
        if isinstance(keywords, dict):
            self._stack[-1].attributes.update(keywords)

    def build(self) -> None:
        """Give an object its attributes."""
        built = self._stack[-2]
        if not isinstance(built, PickledObject):
            super().build()
            return
        state = self._resolve(self._stack.pop())
        # A class with slots has two of them: without and with.
        for part in state if isinstance(state, tuple) else (state,):
            if isinstance(part, dict):
                built.attributes.update(
                    (name, value) for name, value in part.items() if isinstance(name, str)
                )

    def append(self, values: list[Any]) -> None:
        """Append to a list, or to an object that is one."""
        into = self._stack[-1]
        if isinstance(into, PickledObject):
            into.items.extend(self._resolve(value) for value in values)
        else:
            super().append(values)

    def set_items(self, values: list[Any]) -> None:
        """Set items of a dictionary, or of an object that is one."""
        into = self._stack[-1]
        if isinstance(into, PickledObject):
            resolved = [self._resolve(value) for value in values]
            into.items.extend(zip(resolved[::2], resolved[1::2], strict=True))
        else:
            super().set_items(values)

    def _resolve(self, value: object) -> object:
        return (
            PickledObject(value.name) if isinstance(value, _ClassName) else super()._resolve(value)
        )

    def pop(self) -> None:
        """Drop a value, or a mark."""
        self._stack.pop()

    def drop_to_mark(self) -> None:
        """Drop all above the last mark, and the mark."""
        self._pop_to_mark()

    def frozen_set(self) -> None:
        """A frozen set, as a list: its elements need not have hashes here."""
        self.push([self._resolve(value) for value in self._pop_to_mark()])


def _handle(method: Callable[[ObjectUnpickler], None]) -> Callable[[Unpickler], None]:
    def handler(machine: Unpickler) -> None:
        assert isinstance(machine, ObjectUnpickler)
        method(machine)

    return handler


_OBJECT_HANDLERS: Mapping[bytes, Callable[[Unpickler], None]] = {
    b"\x81": _handle(ObjectUnpickler.new_object),
    b"\x92": _handle(ObjectUnpickler.new_object_with_keywords),
    b"\x8f": lambda machine: machine.push([]),
    b"\x90": lambda machine: machine.append(machine._pop_to_mark()),
    b"\x91": _handle(ObjectUnpickler.frozen_set),
    b"0": _handle(ObjectUnpickler.pop),
    b"1": _handle(ObjectUnpickler.drop_to_mark),
}
