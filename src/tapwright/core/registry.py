"""From a short name to a member of a family, importing it only when it is used.

A family's `__init__` holds a table, name -> "module:attribute". Other packages add the same pair
under the entry-point group `tapwright.<family>`; a table entry wins over a plug-in of its name.

A member of one's own needs neither: `admit` takes "module:attribute", from whoever runs the command
and from nobody else. Names in files (run logs, episodes, packs) go to `get`, which imports nothing
that is not registered or admitted.
"""

import inspect
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from tapwright.errors import BrokenPluginError, MissingExtraError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["Registry", "missing_extra", "tell_fault"]


T_co = TypeVar("T_co", covariant=True)

_PATH = re.compile(r"(?P<module>[^\W\d][\w.]*):(?P<attribute>[^\W\d][\w.]*)")
# Importing a module of somebody's own runs it, and it may raise whatever its libraries define.
_ANY_FAULT: tuple[type[Exception], ...] = (Exception,)


class Registry(Generic[T_co]):
    """The members of one family, by short name.

    `family` is the name of the package ("devices"), `kind` the word for one member ("device"),
    `protocol` what a member is, as "module:attribute", so that the table alone costs no import of
    it: a protocol with `__call__` for what makes a thing of the family.
    `renamed` has the names of today by those that members had before: they still work, and who
    uses one is told with a `FutureWarning`.
    """

    def __init__(
        self,
        family: str,
        kind: str,
        table: Mapping[str, str],
        protocol: str = "",
        *,
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        self.family = family
        self.kind = kind
        self.table = dict(table)
        """The members that come with tapwright, name -> "module:attribute"."""
        self._protocol = protocol
        self._renamed = dict(renamed or {})
        self._admitted: dict[str, T_co] = {}

    @cached_property
    def _plugins(self) -> "dict[str, EntryPoint]":
        from importlib.metadata import entry_points

        return {point.name: point for point in entry_points(group=f"tapwright.{self.family}")}

    @property
    def admitted(self) -> Sequence[str]:
        """The names of members of one's own, in the order in which they came."""
        return tuple(self._admitted)

    def names(self) -> list[str]:
        """All names, sorted; costs no import of a member."""
        return sorted({*self.table, *self._plugins, *self._admitted})

    def has(self, name: str) -> bool:
        """Whether `get` knows a name; costs no import of a member."""
        return name in self._renamed or name in self.names()

    def get(self, name: str) -> T_co:
        """The member called `name`, imported now.

        Raises:
            UnknownNameError: there is none; the error suggests the nearest name.
            MissingExtraError: it needs an optional dependency that is not installed.
            BrokenPluginError: it is another package's, and importing it fails.
        """
        if name in self._renamed and name not in self._plugins:
            today = self._renamed[name]
            warnings.warn(
                f"the {self.kind} {name!r} is called {today!r} now", FutureWarning, stacklevel=2
            )
            name = today
        try:
            if name in self.table:
                return cast(T_co, _load(self.table[name]))
            if name in self._plugins:
                return cast(T_co, self._load_plugin(name))
        except ModuleNotFoundError as error:
            missing = missing_extra(f"the {self.kind} {name!r}", error)
            if missing is None:
                raise
            raise missing from error
        if name in self._admitted:
            return self._admitted[name]
        unknown = UnknownNameError(self.kind, name, self.names())
        if _PATH.fullmatch(name):
            unknown.hint = "a module:attribute is imported only when you name it yourself"
        raise unknown

    def _load_plugin(self, name: str) -> object:
        what, point = f"the {self.kind} {name!r}", self._plugins[name]
        try:
            return point.load()
        except MemoryError:
            raise
        except _ANY_FAULT as error:
            if isinstance(error, ModuleNotFoundError) and missing_extra(what, error):
                raise
            package = point.dist.name if point.dist else point.value
            raise BrokenPluginError(
                f"{what} of the package {package} cannot be imported: "
                f"{type(error).__name__}: {error}",
                hint=f"install a version of {package} that is made for this one, or remove it",
            ) from error

    def installed(self) -> Iterator[tuple[str, T_co]]:
        """Name and member, sorted by name, without those whose optional dependency is missing.

        Without other packages' that cannot be imported, too; these are told by a warning.
        """
        for name in self.names():
            try:
                member = self.get(name)
            except MissingExtraError:
                continue
            except BrokenPluginError as error:
                warnings.warn(f"{error}; {error.hint}", stacklevel=2)
                continue
            yield name, member

    def admit(self, path: str) -> None:
        """Import the member at "module:attribute", which has this text for its name from now on.

        Only for names that the user gave, on the command line or in a config file of their own:
        importing a module runs it. A name without a colon is left as it is.

        Raises:
            UsageError: there is no such module or attribute, or it is no member of the family.
        """
        found = _PATH.fullmatch(path)
        if found is None or path in self.table or path in self._plugins:
            return
        module, attribute = found["module"], found["attribute"]
        try:
            imported: object = import_module(module)
        except MemoryError:
            raise
        except _ANY_FAULT as error:
            raise UsageError(
                f"{self.kind} {path}: importing {module} failed: {tell_fault(error)[0]}",
                hint="the module must be installed, or lie where the command is started"
                if isinstance(error, ModuleNotFoundError)
                else "",
            ) from error
        try:
            member = attrgetter(attribute)(imported)
        except AttributeError as error:
            from difflib import get_close_matches

            near = get_close_matches(attribute, dir(imported), n=1)
            raise UsageError(
                f"{self.kind} {path}: {module} has no attribute {attribute!r}",
                hint=f"did you mean {module}:{near[0]}?" if near else "",
            ) from error
        if self._protocol and (why := _misfit(member, cast(type, _load(self._protocol)))):
            raise UsageError(f"{self.kind} {path}: {why}")
        self._admitted[path] = cast(T_co, member)


def _load(path: str) -> object:
    module, _, attribute = path.partition(":")
    found: object = attrgetter(attribute)(import_module(module))
    return found


def _misfit(member: object, protocol: type) -> str:
    """Why something is no member of a family with this protocol; "" when it is one."""
    name = type(member).__name__
    if "__call__" not in vars(protocol):
        if isinstance(member, type):
            return f"the class {member.__name__}; expected an object of it"
        public = (one for one in dir(protocol) if not one.startswith("_"))
        missing = [one for one in public if not hasattr(member, one)]
        return f"{name} without {', '.join(missing)}" if missing else ""
    parameters = [*inspect.signature(vars(protocol)["__call__"]).parameters.values()][1:]
    names = ", ".join(str(one.name) for one in parameters)
    wanted = f"expected a function of ({names})"
    if isinstance(member, type):
        wanted += f", such as: def make({names}): return {member.__name__}()"
    if not callable(member):
        return f"{name}; {wanted}"
    given = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    named = {one.name: "" for one in parameters if one.kind is one.KEYWORD_ONLY}
    try:
        inspect.signature(member).bind(*given, **named)
    except TypeError as error:
        return f"{error}; {wanted}"
    except ValueError:  # a function of a C library need not have a signature
        return ""
    return ""


def tell_fault(error: Exception) -> tuple[str, bool]:
    """What an exception says, and whether it went through code of one's own, with the place there.

    The place is the last one that is neither in this package nor in an installed one.
    """
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if not one.filename.startswith(("<", *_installed()))]
    place = f"{own[-1].filename}, line {own[-1].lineno}: " if own else ""
    return f"{place}{type(error).__name__}: {error}", bool(own)


@cache
def _installed() -> Sequence[str]:
    import sysconfig

    paths = map(sysconfig.get_path, ("stdlib", "purelib", "platlib"))
    return (str(Path(__file__).parents[1]), *paths)


_OF_AN_EXTRA = re.compile(r"(?P<name>[\w.-]+).*;\s*extra == ['\"](?P<extra>[\w-]+)['\"]", re.ASCII)


def missing_extra(what: str, error: ModuleNotFoundError) -> MissingExtraError | None:
    """The error that names the extra which `what` needs; None when no extra brings the module."""
    extra = _extra_with((error.name or "").partition(".")[0])
    return None if extra is None else MissingExtraError(what, extra)


def _extra_with(module: str) -> str | None:
    """The extra that installs a module and least besides, as tapwright's own metadata says.

    The module's distribution is taken to have its name, but for case, the kind of dash and a
    "python-" before it; what is not installed has no metadata that could tell.
    """
    from importlib.metadata import requires

    sizes: Counter[str] = Counter()
    fitting: list[str] = []
    for requirement in requires("tapwright") or ():
        if match := _OF_AN_EXTRA.match(requirement):
            sizes[match["extra"]] += 1
            if _folded(match["name"]) == _folded(module):
                fitting.append(match["extra"])
    return min(fitting, key=lambda extra: sizes[extra], default=None)


def _folded(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower().removeprefix("python-")
