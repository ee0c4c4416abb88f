"""What `tapwright.toml` may say, and how it is read.

Keys at the top are shared by every command that has such an option, a table `[models.NAME]` is a
model under a short name, and a table named like a command (`[eval.run]`) has that command's own
options. A file of another user's is refused, and so is a key that looks like a secret: projects
are shared, and keys belong in the environment.
"""

import hashlib
import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from tapwright.cli.errors import ProjectFileError
from tapwright.errors import suggest
from tapwright.files.regular import read_regular
from tapwright.files.urls import is_url

if TYPE_CHECKING:
    from pydantic import ValidationError

    from tapwright.cli.project.keys import ProjectFile

UNSET: Mapping[str, object] = {
    "store": None, "runs": None, "suite": None, "device": None, "convention": None, "model": None,
    "annotator": None, "base_url": None, "settings": {}, "prices": None, "max_cost": None,
    "envs": None, "network": None, "models": {},
}  # fmt: skip
"""The keys that commands share (`keys.ProjectFile`), as a file without one has them."""

_NO_TEXTS = frozenset({"settings", "max_cost", "envs", "models"})
_SECRET = re.compile(r"api_?key|password|secret|authorization|(?<!max)_?token$", re.IGNORECASE)
_OF_TYPES = re.compile(r"str$|list\[|constrained")  # which of several types, in a place
_LOGIN = re.compile(r"://[^/\s@]+@")


class Project:
    """One `tapwright.toml`: its keys, the tables of commands, and the hash of its content."""

    def __init__(
        self, file: Path, keys: "ProjectFile", tables: Mapping[str, object], sha256: str
    ) -> None:
        self.file = file
        self.keys = keys
        self.tables = tables
        self.sha256 = sha256

    def saying(self, keys: "ProjectFile", tables: Mapping[str, object]) -> "Project":
        """The same file as if it said this."""
        return Project(self.file, keys, tables, self.sha256)

    def path(self, value: str) -> str:
        """A path as the file gives it, from the directory of the file; a URL stays as it is."""
        if is_url(value):
            return value
        return os.path.relpath(self.file.parent / Path(value).expanduser())

    def table(self, words: Collection[str]) -> Mapping[str, object]:
        """The options of the command that these words call; empty if the file has none.

        Raises:
            ProjectFileError: there is something else under this name.
        """
        found: object = self.tables
        for word in words:
            found = found.get(word, {}) if isinstance(found, Mapping) else found
        if not isinstance(found, Mapping):
            raise self.fault(".".join(words), "expected a table of options")
        return found

    def place(self, key: str) -> str:
        """Where a key stands: the file, its line, and the key with its table."""
        return f"{os.path.relpath(self.file)}{_line_of(self.file, key)}: {key}"

    def fault(self, key: str, why: str, hint: str = "") -> ProjectFileError:
        """The error that a key is wrong, with its line."""
        return _fault(self.file, key, why, hint)


def read_project(file: Path, commands: Collection[str]) -> Project:
    """Read a `tapwright.toml`; `commands` are the names that a table of options may have.

    Raises:
        ProjectFileError: it is not TOML, has a key that is none, a value that cannot be, or a
            secret; or belongs to another user.
    """
    shown = os.path.relpath(file)
    try:
        if hasattr(os, "getuid") and file.stat().st_uid not in (os.getuid(), 0):
            raise ProjectFileError(
                f"{shown}: belongs to another user", hint="copy it, or work in another directory"
            )
        content = read_regular(file)
        data = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise ProjectFileError(f"{shown}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ProjectFileError(
            f"{shown}: {error}", hint="https://toml.io has the format"
        ) from error
    for key in _secrets(data):
        raise _fault(
            file,
            key,
            "secrets are not kept in this file",
            "export it, such as OPENAI_API_KEY=…, and take it out",
        )
    tables = {name: data.pop(name) for name in commands if name in data}
    # To import pydantic takes longer than most commands do to start; `init` writes texts alone.
    texts = UNSET.keys() - _NO_TEXTS
    if not all(name in texts and isinstance(one, str) for name, one in data.items()):
        data = _check(file, data, commands)
    return Project(file, as_keys(data), tables, hashlib.sha256(content).hexdigest())


def as_keys(given: Mapping[str, object]) -> "ProjectFile":
    """The keys of a file that gives these, which were checked."""
    return cast("ProjectFile", SimpleNamespace(**{**UNSET, **given}))


def _check(file: Path, data: Mapping[str, Any], commands: Collection[str]) -> dict[str, Any]:
    from pydantic import ValidationError

    from tapwright.cli.project.keys import ProjectFile

    try:
        return dict(ProjectFile.model_validate(data))
    except ValidationError as error:
        raise _invalid(file, error, commands) from error


def _secrets(data: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """The keys whose name or value is a secret's."""
    for name, value in data.items():
        key = f"{above}{name}"
        if isinstance(value, Mapping):
            yield from _secrets(value, f"{key}.")
        elif _SECRET.search(name) or (isinstance(value, str) and _LOGIN.search(value)):
            yield key


def _invalid(file: Path, error: "ValidationError", commands: Collection[str]) -> ProjectFileError:
    """The first thing that is wrong, in words."""
    from tapwright.cli.project.keys import NamedModel

    # A misspelt key is also a missing one: the spelling is what to mend.
    first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    place = [str(part) for part in first["loc"] if not _OF_TYPES.match(str(part))]
    key = ".".join(place)
    if first["type"] != "extra_forbidden":
        return _fault(file, key, f"{first['msg']}, not {first['input']!r}")
    in_model = len(place) > 1
    known = list(NamedModel.model_fields if in_model else [*UNSET, *commands])
    return unknown_key(file, key, place[-1], known)


def unknown_key(file: Path, key: str, name: str, known: Collection[str]) -> ProjectFileError:
    """The error that a key is none, with the nearest one."""
    return _fault(file, key, "no such key", suggest(name, known, cutoff=0.5))


def _fault(file: Path, key: str, why: str, hint: str = "") -> ProjectFileError:
    return ProjectFileError(
        f"{os.path.relpath(file)}{_line_of(file, key)}: {key}: {why}", hint=hint
    )


def _line_of(file: Path, key: str) -> str:
    """`, line N` where the key stands, as far as a search for its last part finds it."""
    table, _, last = key.rpartition(".")
    name, above = re.escape(last), re.escape(table)
    wanted = re.compile(rf"""^\s*(\[.*\b{name}\b.*\]|["']?{name}["']?\s*=)""")
    lines = file.read_text("utf-8", "replace").splitlines()
    head = re.compile(rf"^\s*\[\s*{above}\s*\]")
    start = next((at for at, line in enumerate(lines) if table and head.match(line)), 0)
    for number, line in enumerate(lines[start:], start + 1):
        if wanted.match(line):
            return f", line {number}"
    return ""
