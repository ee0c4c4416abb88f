"""From a short name to a member of a family, importing it only when it is used.

A family's `__init__` holds a table, name -> "module:attribute". Other packages add the same pair
under the entry-point group `tapwright.<family>`; a table entry wins over a plug-in of its name.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points, requires
from operator import attrgetter
from typing import Generic, TypeVar, cast

from tapwright.errors import MissingExtraError, UnknownNameError

__all__ = [
    "Registry",
]

T_co = TypeVar("T_co", covariant=True)

_OF_AN_EXTRA = re.compile(r"(?P<name>[\w.-]+).*;\s*extra == ['\"](?P<extra>[\w-]+)['\"]", re.ASCII)


class Registry(Generic[T_co]):
    """The members of one family, by short name.

    `family` is the name of the package ("devices"), `kind` the word for one member ("device").
    """

    def __init__(self, family: str, kind: str, table: Mapping[str, str]) -> None:
        self.family = family
        self.kind = kind
        self._table = dict(table)

    @cached_property
    def _plugins(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=f"tapwright.{self.family}")}

    def names(self) -> list[str]:
        """All names, sorted; costs no import of a member."""
        return sorted({*self._table, *self._plugins})

    def get(self, name: str) -> T_co:
        """The member called `name`, imported now.

        Raises:
            UnknownNameError: there is none; the error suggests the nearest name.
            MissingExtraError: it needs an optional dependency that is not installed.
        """
        try:
            if name in self._table:
                module, _, attribute = self._table[name].partition(":")
                return cast(T_co, attrgetter(attribute)(import_module(module)))
            if name in self._plugins:
                return cast(T_co, self._plugins[name].load())
        except ModuleNotFoundError as error:
            extra = _extra_with((error.name or "").partition(".")[0])
            if extra is None:
                raise
            raise MissingExtraError(f"the {self.kind} {name!r}", extra) from error
        raise UnknownNameError(self.kind, name, self.names())


def _extra_with(module: str) -> str | None:
    """The extra of tapwright that installs a module and least besides, as its own metadata says.

    The module's distribution is taken to have its name, but for case and the kind of dash; what
    is not installed has no metadata that could tell.
    """
    sizes: Counter[str] = Counter()
    fitting: list[str] = []
    for requirement in requires("tapwright") or ():
        if match := _OF_AN_EXTRA.match(requirement):
            sizes[match["extra"]] += 1
            if _folded(match["name"]) == _folded(module):
                fitting.append(match["extra"])
    return min(fitting, key=lambda extra: sizes[extra], default=None)


def _folded(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
