"""The root of every error that tapwright raises on purpose, and the kinds that callers catch.

    TapwrightError                  root: message, `hint`, `values`, `code`, `exit_code`, `fatal`
    ├── UsageError                  values that do not go together          exit code 2
    │   ├── UnknownNameError        no such member of a family
    │   ├── MissingExtraError       an optional dependency is not installed
    │   └── BrokenPluginError       what another package or the user adds fails
    ├── NothingFoundError           a selection matched nothing             exit code 5
    ├── OffScreenError              a place outside the screen
    ├── BadImageError               a picture that cannot be read
    ├── BadTreeError                a view hierarchy that cannot be read
    ├── StoreError                  an episode cannot be read or written
    │   ├── CorruptEpisodeError     a file of an episode is damaged
    │   └── DiskError               the disk is full or not writable
    ├── DeviceError                 a device cannot do it                   exit code 3
    │   ├── DeviceLostError         it crashed or stopped responding
    │   ├── UnsupportedActionError  it has no such action
    │   └── UnknownAppError         it has no such app
    ├── ModelError                  a model cannot be queried               exit code 4
    ├── BadAnswerError              an answer outside its convention's grammar
    │   └── UngroundedAnswerError   an answer that names a target and no place
    ├── UnsupportedByConventionError  a convention has no words for an action
    │   └── SeveralActionsError     more actions in a decision than one, or than there may be
    └── TaskError                   a task is malformed or cannot be set up

More specific kinds are subclasses, in `<package>/errors.py` beside the code that raises them; what
nobody catches alone is a row there, an `ErrorCode`, which is called as a class is.
`code` is stable and unique, and is what `tapwright explain CODE` takes; `exit_code` is the command
line's; a `fatal` error would meet every further item of a job too, so it ends the job. A message
names what was found, where, and what was expected; `hint` is the way out. `values` are the parts
of the message that a page needs to write it in another language. A model's bad answer is not an
error of ours: it is data, kept raw and scored.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from inspect import getdoc
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = [
    "BadAnswerError", "BadImageError", "BadTreeError", "BrokenPluginError", "CorruptEpisodeError",
    "DeviceError",
    "DeviceLostError", "DiskError", "ErrorCode", "MissingExtraError", "ModelError",
    "NothingFoundError", "OffScreenError", "SeveralActionsError", "StoreError", "TapwrightError",
    "TaskError", "UngroundedAnswerError", "UnknownAppError", "UnknownNameError",
    "UnsupportedActionError", "UnsupportedByConventionError", "UsageError", "every_error",
    "install_command", "known_codes", "own_program", "suggest",
]  # fmt: skip


def install_command(extra: str) -> str:
    """The command, for a shell, that installs what an extra of tapwright names."""
    requirement = quote(f"tapwright[{extra}]")
    if find_spec("pip") is None:  # uv makes such environments
        return f"uv pip install --python {quote(sys.executable)} {requirement}"
    return f"{own_program('pip')} install {requirement}"


def own_program(name: str) -> str:
    """How a program of this environment is called: by its name alone, where a shell finds it."""
    from shutil import which

    found = which(name)
    if found is not None and Path(found).parent == Path(sys.executable).parent:
        return name
    return f"{quote(sys.executable)} -m {name}"


_by_code: "dict[str, ErrorCode[TapwrightError]]" = {}


class TapwrightError(Exception):
    """Something could not be done; the root of all errors of tapwright."""

    code: str = "TW000"
    exit_code: int = 1
    fatal: bool = False

    def __init_subclass__(
        cls, *, code: str, exit_code: int | None = None, fatal: bool | None = None
    ) -> None:
        """Registers a new kind; it exits and ends jobs as its base, unless its head says how.

        Raises:
            TypeError: the kind has no code of its own, or that of another one.
        """
        cls.code = code
        cls.exit_code = cls.exit_code if exit_code is None else exit_code
        cls.fatal = cls.fatal if fatal is None else fatal
        ErrorCode(code, cls, getdoc(cls) or "")

    def __init__(
        self, message: str, *, hint: str = "", values: Mapping[str, str | int] | None = None
    ) -> None:
        super().__init__(message)
        self.hint = hint
        self.values = dict(values or {})

    def __reduce__(self) -> "tuple[object, ...]":
        # Constructors differ between kinds; the attributes are the same in another process.
        return _restore, (type(self), self.args, self.__dict__)


_K_co = TypeVar("_K_co", bound=TapwrightError, covariant=True)


def _restore(
    kind: type[TapwrightError], args: tuple[object, ...], attributes: dict[str, object]
) -> TapwrightError:
    """Recreates an error that was pickled."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class ErrorCode(Generic[_K_co]):
    """A code, and when its errors come; `kind` is the class by which they are caught.

    Called as that class is, it makes such an error. Where nobody catches these alone, a code is all
    there is: a class is for who catches it.

    Raises:
        TypeError: another error has the code.
    """

    def __init__(
        self,
        code: str,
        kind: type[_K_co],
        meaning: str,
        *,
        fatal: bool | None = None,
        exit_code: int | None = None,
    ) -> None:
        self.code, self.kind, self.meaning = code, kind, meaning
        self.fatal = kind.fatal if fatal is None else fatal
        self.exit_code = kind.exit_code if exit_code is None else exit_code
        other = _by_code.setdefault(code, self)
        if (other.kind.__qualname__, other.meaning) != (kind.__qualname__, meaning):
            raise TypeError(f"{kind.__name__} has the code of {other.kind.__name__}, {code}")

    def __call__(
        self, message: str, *, hint: str = "", values: Mapping[str, str | int] | None = None
    ) -> _K_co:
        """The error with a message, which has no other parts: the kind may take those, too."""
        error = self.kind.__new__(self.kind)
        TapwrightError.__init__(error, message, hint=hint, values=values)
        error.code, error.fatal, error.exit_code = self.code, self.fatal, self.exit_code
        return error


ErrorCode(TapwrightError.code, TapwrightError, getdoc(TapwrightError) or "")


class UsageError(TapwrightError, code="TW100", exit_code=2, fatal=True):
    """A command or function was called with values that do not go together."""


_MOST_SHOWN = 200
"""Characters of a name that nobody has; a stranger's may have a million."""


_MOST_LISTED = 40
_INITIAL = 2  # so few letters begin many names


def suggest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """The way out of a name that is not known: the nearest one, in any case of its letters.

    Where none is near, the first that begins so; else all that are known, or the first of many.
    `cutoff`, from 0 to 1, is how like it must be.
    """
    from difflib import get_close_matches

    names = sorted(set(known))
    folded = {one.casefold(): one for one in names}
    given = name[:_MOST_SHOWN].casefold()
    near = get_close_matches(given, folded, n=1, cutoff=cutoff)
    if near or (near := [one for one in folded if one.startswith(given) and len(given) > _INITIAL]):
        return f"did you mean {folded[near[0]]!r}?"
    more = f", and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"known: {', '.join(names[:_MOST_LISTED]) or 'none'}{more}"


class UnknownNameError(UsageError, code="TW101"):
    """A name was given that no member of its family has."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        hint, name = suggest(name, known), name[:_MOST_SHOWN]
        values = {"kind": kind, "name": name}
        super().__init__(f"no {kind} is called {name!r}", hint=hint, values=values)


class MissingExtraError(UsageError, code="TW102"):
    """An optional dependency is needed and not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs an optional dependency that is not installed",
            hint=install_command(extra),
        )


class BrokenPluginError(UsageError, code="TW106"):
    """What another package or you add to a family cannot be imported, or fails at its work."""


class NothingFoundError(TapwrightError, code="TW103", exit_code=5):
    """A selection matched nothing, so there is nothing to do."""


class OffScreenError(TapwrightError, ValueError, code="TW110"):
    """A pixel or a fraction lies outside its screen."""


class BadImageError(TapwrightError, code="TW111"):
    """An image is truncated, of an unknown kind, or too large to be a screenshot."""


class BadTreeError(TapwrightError, code="TW112"):
    """A view hierarchy is not the XML that uiautomator writes, or tries to expand entities."""


class StoreError(TapwrightError, code="TW200"):
    """An episode could not be written or read."""


class CorruptEpisodeError(StoreError, code="TW204"):
    """A file of an episode does not say what it should; the message names file and line."""


class DiskError(StoreError, code="TW206", fatal=True):
    """The disk is full or refuses to be written; what was written before is intact."""


class DeviceError(TapwrightError, code="TW300", exit_code=3):
    """A device cannot do something."""


class DeviceLostError(DeviceError, code="TW302"):
    """The device went away, crashed, or stopped answering within its time limit."""


class UnsupportedActionError(DeviceError, code="TW303"):
    """The device has no way to perform an action of this type."""


class UnknownAppError(DeviceError, code="TW304"):
    """The device has no app of this name."""


class ModelError(TapwrightError, code="TW400", exit_code=4):
    """A model could not be queried, or its server did not respond."""


class BadAnswerError(TapwrightError, ValueError, code="TW410"):
    """A model's answer is not in the grammar of its convention.

    Raised by `Convention.parse`; the caller catches it and keeps the answer as data.
    """


class UngroundedAnswerError(BadAnswerError, code="TW421"):
    """A model's answer names what is tapped and not where, as the half of a pair of models does.

    Who has the other half asks it for the place of `target`.
    """

    def __init__(self, message: str, *, reasoning: str, target: str) -> None:
        super().__init__(message)
        self.reasoning = reasoning
        self.target = target


class UnsupportedByConventionError(TapwrightError, code="TW420"):
    """A convention's grammar has no words for an action."""


class SeveralActionsError(UnsupportedByConventionError, ValueError, code="TW105"):
    """A decision has another number of actions than is allowed where it is used.

    A convention that reads `Decision.action` refuses several with it.
    """


class TaskError(TapwrightError, code="TW500"):
    """A task is not well formed, or its set-up cannot be done."""


def known_codes() -> Sequence[str]:
    """The codes of the errors whose packages are imported."""
    return sorted(_by_code)


def every_error() -> "dict[str, ErrorCode[TapwrightError]]":
    """All errors of tapwright by their codes, after importing every `<package>/errors.py`."""
    # By their files: to ask Python for a module is to import the package that it would be in.
    for path in sorted(Path(__file__).parent.glob("*/errors.py")):
        import_module(f"tapwright.{path.parent.name}.errors")
    return dict(sorted(_by_code.items()))


def first_problem(error: "ValidationError") -> str:
    """The first thing that pydantic found wrong, as "place: what", for our own messages."""
    detail = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in detail["loc"])
    what = detail["msg"].removeprefix("Value error, ")
    return f"{place}: {what}" if place else what


def quote_path(path: Path | str) -> str:
    """A path as it stands in the command of a hint: quoted where the shell would read it wrong."""
    return quote(str(path))
