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
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from tapwright.cli.errors import ProjectFileError
from tapwright.errors import suggest
from tapwright.files.regular import read_regular
from tapwright.files.urls import is_url

Strings: TypeAlias = Annotated[list[str], Field(min_length=1)]
Scalar: TypeAlias = str | int | float | bool
Price: TypeAlias = Annotated[list[Annotated[float, Field(ge=0)]], Field(min_length=2, max_length=2)]

_SECRET = re.compile(r"api_?key|password|secret|authorization|(?<!max)_?token$", re.IGNORECASE)
_OF_TYPES = re.compile(r"str$|list\[|constrained")  # which of several types, in a place
_LOGIN = re.compile(r"://[^/\s@]+@")


class NamedModel(BaseModel):
    """A model under a short name: `-m NAME` stands for it and for how it is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(description="The model, such as openai/qwen2.5-vl-7b.")
    convention: str | None = Field(None, description="--convention where this model is asked.")
    base_url: str | Strings | None = Field(None, description="--base-url of its server.")
    settings: dict[str, JsonValue] = Field({}, description="--set KEY=VALUE of its requests.")
    plan: dict[str, Scalar] = Field({}, description="--plan KEY=VALUE where this model is asked.")
    price: Price | None = Field(None, description="--price: of a million tokens, input and output.")


class ProjectFile(BaseModel):
    """The keys of `tapwright.toml` that are shared by commands."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    store: str | None = Field(
        None, description="The store of episodes: STORE, and where episodes are recorded."
    )
    runs: str | None = Field(None, description="The directory of evaluation runs.")
    suite: str | None = Field(None, description="--suite: the suite of tasks, or their directory.")
    device: str | Strings | None = Field(
        None, description="--device; the first of several where a command takes one."
    )
    convention: str | None = Field(None, description="--convention of models.")
    model: str | Strings | None = Field(
        None, description="-m of `eval run`: models and agents, or names of [models]."
    )
    annotator: str | None = Field(
        None, description="The annotator: --with of `annotate`, --annotator of `sft`."
    )
    base_url: str | Strings | None = Field(None, description="--base-url of model servers.")
    settings: dict[str, JsonValue] = Field({}, description="--set KEY=VALUE of every request.")
    prices: str | None = Field(None, description='--price: "IN,OUT", or a JSON file of prices.')
    max_cost: float | None = Field(None, gt=0, description="--max-cost of a command.")
    envs: int | None = Field(None, ge=1, le=64, description="--envs: parallel devices.")
    network: str | None = Field(None, description="--network of the device `web`.")
    models: dict[str, NamedModel] = Field({}, description="Models under short names.")


class Project:
    """One `tapwright.toml`: its keys, the tables of commands, and the hash of its content."""

    def __init__(
        self, file: Path, keys: ProjectFile, tables: Mapping[str, object], sha256: str
    ) -> None:
        self.file = file
        self.keys = keys
        self.tables = tables
        self.sha256 = sha256

    def saying(self, keys: ProjectFile, tables: Mapping[str, object]) -> "Project":
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
    try:
        keys = ProjectFile.model_validate(data)
    except ValidationError as error:
        raise _invalid(file, error, commands) from error
    return Project(file, keys, tables, hashlib.sha256(content).hexdigest())


def _secrets(data: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """The keys whose name or value is a secret's."""
    for name, value in data.items():
        key = f"{above}{name}"
        if isinstance(value, Mapping):
            yield from _secrets(value, f"{key}.")
        elif _SECRET.search(name) or (isinstance(value, str) and _LOGIN.search(value)):
            yield key


def _invalid(file: Path, error: ValidationError, commands: Collection[str]) -> ProjectFileError:
    """The first thing that is wrong, in words."""
    # A misspelt key is also a missing one: the spelling is what to mend.
    first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    place = [str(part) for part in first["loc"] if not _OF_TYPES.match(str(part))]
    key = ".".join(place)
    if first["type"] != "extra_forbidden":
        return _fault(file, key, f"{first['msg']}, not {first['input']!r}")
    in_model = len(place) > 1
    known = list(NamedModel.model_fields if in_model else [*ProjectFile.model_fields, *commands])
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
