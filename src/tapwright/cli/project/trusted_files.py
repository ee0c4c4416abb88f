"""Which `tapwright.toml` this user made or has trusted, and what is taken from any other.

A file that was only found may be a stranger's: it comes with a folder of data, or changes with a
pull. What it says is taken as a whole once this user trusted it, path and content; before, what
cannot do harm is taken: stores and runs below it, a suite, an annotator or a convention by name,
counts, and what agents are kept from. Addresses, devices, models and what they cost are asked for
by `tapwright trust`. That is how direnv and mise treat what they find.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from tapwright.cli.plan_option import every_option
from tapwright.cli.project.file import UNSET, Project, as_keys
from tapwright.cli.project.values import as_list, find_defaults, key_of
from tapwright.errors import quote_path
from tapwright.files.atomic import write_atomically
from tapwright.files.urls import is_url

_BELOW = frozenset({"store", "runs"})
_NAMES = frozenset({"suite", "annotator", "convention"})
_COUNTS = frozenset({"envs"})
_NAME = re.compile(r"\w[\w.+-]*")
_LISTENS = frozenset({"--port"})  # a count, and an address


def remember(project: Project) -> None:
    """Remember the file as this user's, with the content that was read."""
    record = _record(project.file)
    record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    said = {"file": str(project.file.resolve()), "sha256": project.sha256}
    write_atomically(record, json.dumps(said).encode())


def forget(file: Path) -> bool:
    """Trust the file no more; whether it was trusted with any content."""
    record = _record(file)
    known = record.exists()
    record.unlink(missing_ok=True)
    return known


def is_trusted(project: Project) -> bool:
    """Whether this user trusted the file with the content that was read."""
    return _trusted_content(project.file) == project.sha256


def way_out(file: Path) -> str:
    """Why a file is not trusted, and the command that trusts it."""
    why = "changed since you trusted it" if _trusted_content(file) else "is not trusted"
    where = "" if file.parent == Path.cwd() else f" {quote_path(file.parent)}"
    return f"{why}: read it, then `tapwright trust{where}`"


def take_harmless_part(project: Project, words: Sequence[str], command: click.Command) -> Project:
    """The project with nothing but what may be taken from a stranger, for one command."""
    told = {name: getattr(project.keys, name) for name in UNSET}
    dropped = {name for name, value in told.items() if not _is_harmless(project, name, value)}
    table = project.table(words)
    options = {
        name.removeprefix("--").replace("-", "_"): one
        for one in every_option(command)
        for name in one.opts
    }
    kept = {
        name: value
        for name, value in table.items()
        if name not in options or _is_harmless_option(project, words, options[name], value)
    }
    tables: Mapping[str, object] = kept
    for word in reversed(words):
        tables = {word: tables}
    keys = {name: value for name, value in told.items() if name not in dropped}
    return project.saying(as_keys(keys), tables)


def asked_keys(project: Project, words: Sequence[str], command: click.Command) -> Iterator[str]:
    """The keys, of all commands and of this one, that are asked for before they are taken."""
    safe = take_harmless_part(project, words, command)
    for name in UNSET:
        if getattr(safe.keys, name) != getattr(project.keys, name):
            yield name
    for name in project.table(words):
        if name not in safe.table(words):
            yield ".".join((*words, name))


def changes_defaults(
    project: Project, safe: Project, words: Sequence[str], command: click.Command
) -> bool:
    """Whether a command's defaults are others without what is asked for."""
    if (project.keys.store, project.keys.runs) != (safe.keys.store, safe.keys.runs):
        return True
    return dict(find_defaults(project, words, command)) != dict(find_defaults(safe, words, command))


def _record(file: Path) -> Path:
    name = hashlib.sha256(str(file.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
    return Path(click.get_app_dir("tapwright"), "trusted", f"{name}.json")


def _trusted_content(file: Path) -> str:
    """The hash of the content that was trusted; "" if none was."""
    try:
        said = json.loads(_record(file).read_bytes())
    except (OSError, ValueError):
        return ""
    known = isinstance(said, dict) and said.get("file") == str(file.resolve())
    return str(said.get("sha256", "")) if known else ""


def _is_harmless(project: Project, key: str, value: object) -> bool:
    texts = as_list(value)
    if key in _BELOW:
        return all(_is_below(project.file.parent, text) for text in texts)
    if key in _NAMES:
        here = project.file.parent
        return all(
            _NAME.fullmatch(text) is not None
            if not (key == "suite" and (here / text).exists())
            else _is_below(here, text)
            for text in texts
        )
    return key in _COUNTS or not value


def _is_harmless_option(
    project: Project, words: Sequence[str], option: click.Option, value: object
) -> bool:
    key = key_of(" ".join(words), option)
    if key:
        return _is_harmless(project, key, value)
    if "--allow" in option.opts:  # it only takes away; dropped, an agent would be free
        return True
    counts = isinstance(option.type, (click.IntRange, type(click.INT)))
    return counts and not option.is_flag and _LISTENS.isdisjoint(option.opts)


def _is_below(directory: Path, path: str) -> bool:
    """Whether a path lies in the directory, links followed."""
    if is_url(path):
        return False
    return (directory / Path(path).expanduser()).resolve().is_relative_to(directory.resolve())
