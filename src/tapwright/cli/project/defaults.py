"""How `tapwright.toml` becomes the defaults of a command, before its words are parsed.

An option that is given comes first, then the command's own table in the file, then what a model's
short name brings, then the keys that commands share. STORE may be left out: where it is, the
project's store is put in its place.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.errors import ProjectFileError
from tapwright.cli.output import print_labelled, print_message
from tapwright.cli.project.file import Project, read_project
from tapwright.cli.project.trusted_files import (
    asked_keys,
    changes_defaults,
    is_trusted,
    take_harmless_part,
    way_out,
)
from tapwright.cli.project.values import Value, as_list, find_defaults
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.cli.project.keys import NamedModel

_META = "tapwright.project"
_RUNS = frozenset({"report", "eval table", "eval view"})
_NAMES_A_MODEL = ("--model", "--agent", "--with")


def apply_project(
    ctx: click.Context, file: Path, name: str, command: click.Command, args: list[str]
) -> tuple[click.Command, list[str]]:
    """The command with a project's defaults, and its words with what they leave out.

    The defaults are set as the `default_map` of the context above, where click looks for them.
    """
    words = (*_words_above(ctx), name)
    root = ctx.find_root().command
    assert isinstance(root, click.Group)
    wants_help = not {"-h", "--help"}.isdisjoint(args)
    try:
        project = read_project(file, root.list_commands(ctx))
        ignored = _ignored(project, words, command, args)
        if not is_trusted(project):
            project = take_harmless_part(project, words, command)
        ctx.meta[_META] = project
        given = _parse(ctx, name, command, args)
        asked = _asked(project, words, command, given)
        called = _called(project, asked)
        args = _expand_models(project, command, args)
        asks = _asks_a_model(project, command, asked)
        defaults = dict(find_defaults(project, words, command, called, asks=asks))
    except ProjectFileError as error:
        if not wants_help:
            raise
        return _with_note(command, f"tapwright.toml is not used: {error}"), args
    ctx.default_map = {name: {one.name: value for one, (_, value) in defaults.items()}}
    left_out = _left_out(project, words, command, args, given)
    if not wants_help:
        if ignored:
            print_labelled("note", ignored)
        args = [*left_out, *args]
        _tell_server(defaults.values())
    shown = [f"{label} {_shown(value)}" for label, value in defaults.values()]
    shown += [f"{label} {value}" for label, value in _arguments(project, words, command)]
    notes = [f"Defaults from {project.path(project.file.name)}:\n  " + "\n  ".join(shown)]
    notes = [*(notes if shown else []), *([ignored] if ignored else [])]
    return _with_note(command, "\n".join(notes)) if notes else command, args


def project_runs() -> Path:
    """The project's directory of runs; `runs` where there is no project."""
    project: Project | None = click.get_current_context().meta.get(_META)
    runs = None if project is None else project.keys.runs
    return Path("runs") if project is None or runs is None else Path(project.path(runs))


def _words_above(ctx: click.Context) -> Iterator[str]:
    if ctx.parent is not None:
        yield from _words_above(ctx.parent)
        yield ctx.info_name or ""


def _parse(
    ctx: click.Context, name: str, command: click.Command, args: Sequence[str]
) -> Mapping[str, object]:
    """What the words give, by parameter; what cannot be parsed is told by the command itself."""
    inner = click.Context(command, parent=ctx, info_name=name, resilient_parsing=True)
    try:
        return command.make_parser(inner).parse_args(list(args))[0]
    except click.UsageError:
        return {}


def _expand_models(project: Project, command: click.Command, args: list[str]) -> list[str]:
    """The words with the full names of models in place of the short ones."""
    spellings = {
        opt
        for one in command.params
        if isinstance(one, click.Option) and not set(_NAMES_A_MODEL).isdisjoint(one.opts)
        for opt in one.opts
    }
    models = project.keys.models
    expanded = list(args)
    for at, word in enumerate(args):
        option, equals, value = word.partition("=")
        if equals and option in spellings and value in models:
            expanded[at] = f"{option}={models[value].model}"
        elif at and args[at - 1] in spellings and word in models:
            expanded[at] = models[word].model
        elif option in ("grounder", "planner") and args[at - 1] == "--plan" and value in models:
            expanded[at] = f"{option}={models[value].model}"
    return expanded


def _asked(
    project: Project, words: Sequence[str], command: click.Command, given: Mapping[str, object]
) -> list[str]:
    """The models and agents that a command asks: as typed, or by the file's key."""
    asked = []
    for one in command.params:
        if set(_NAMES_A_MODEL).isdisjoint(one.opts):
            continue
        names = as_list(given.get(one.name or ""))
        if not names and "--with" in one.opts:
            names = as_list(project.keys.annotator)
        elif not names and words == ("eval", "run"):
            names = as_list(project.keys.model)
        asked += names
    return asked


def _called(project: Project, asked: Sequence[str]) -> "NamedModel | None":
    """The model that the command asks by a short name, which brings how it is asked.

    Raises:
        UsageError: there is another model beside it, which would be asked in the same way.
    """
    known = project.keys.models
    models = [one for one in asked if one in known or "/" in one]  # an agent asks no server
    named = [one for one in models if one in known]
    if named and len(models) > 1:
        raise UsageError(
            f"{', '.join(models)}: a short name says how a model is asked, for one at a time",
            hint=f"a command for each: -m {named[0]}; or `eval run --config`",
        )
    return known[named[0]] if named else None


def _asks_a_model(project: Project, command: click.Command, asked: Sequence[str]) -> bool:
    """Whether a model is asked, and not agents alone; where neither can be named, it may be."""
    nameable = any(not set(_NAMES_A_MODEL).isdisjoint(one.opts) for one in command.params)
    return not nameable or any(one in project.keys.models or "/" in one for one in asked)


def _ignored(
    project: Project, words: Sequence[str], command: click.Command, args: Sequence[str]
) -> str:
    """What a command would be given by a file that nobody here trusts, in one line; "" if nothing.

    A short name of a model counts, which the words have and only such a file explains.
    """
    if is_trusted(project):
        return ""
    asked = list(asked_keys(project, words, command))
    safe = take_harmless_part(project, words, command)
    named = not {word.rpartition("=")[2] for word in args}.isdisjoint(project.keys.models)
    if not asked or not (named or changes_defaults(project, safe, words, command)):
        return ""
    return (
        f"{project.path(project.file.name)} {way_out(project.file)}; "
        f"until then without its {', '.join(asked)}"
    )


def _tell_server(defaults: Iterable[tuple[str, Value]]) -> None:
    """Tell where models are queried: screens go there, and texts."""
    for label, value in defaults:
        if label == "--base-url":
            print_message(f"models are queried at {_shown(value)}, says tapwright.toml")


def _arguments(
    project: Project, words: Sequence[str], command: click.Command
) -> Iterator[tuple[str, str]]:
    """The arguments that may be left out, with what stands for them."""
    store, runs = project.keys.store, project.keys.runs
    for one in command.params:
        if isinstance(one, click.Argument):
            label = one.make_metavar(click.Context(command)).strip("[].{}")
            if store is not None and one.name in ("store", "stores"):
                yield label, project.path(store)
            if runs is not None and (" ".join(words) in _RUNS or words == ("eval", "ls")):
                yield label, project.path(runs)


def _left_out(
    project: Project,
    words: Sequence[str],
    command: click.Command,
    args: Sequence[str],
    given: Mapping[str, object],
) -> list[str]:
    """The store or the runs, where the words have none and the project does."""
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    counts = [len(as_list(given.get(one.name or ""))) for one in arguments]
    store, runs = project.keys.store, project.keys.runs
    if not arguments or (not given and args):
        return []
    if runs is not None and not sum(counts):
        root = Path(project.path(runs))
        if words == ("eval", "ls"):
            return [str(root)]
        if " ".join(words) in _RUNS:
            return [str(one.parent) for one in sorted(root.rglob("run.jsonl"))]
    first = arguments[0]
    if store is None or first.name not in ("store", "stores"):
        return []
    if not sum(counts) and any(one.name == "episode_id" for one in arguments):
        return []  # of one episode, which nothing names
    needed = sum(one.required and one.nargs == 1 for one in arguments[1:])
    missing = sum(counts) <= needed if first.name == "store" else not sum(counts)
    if not missing and first.name == "store" and len(arguments) > 1 and _has_more(arguments):
        missing = not _looks_like_a_store(given.get("store"))
    return [project.path(store)] if missing else []


def _has_more(arguments: Sequence[click.Argument]) -> bool:
    """Whether words may follow the store, so that the first may be one of them."""
    return any(one.nargs == -1 or not one.required for one in arguments[1:])


def _looks_like_a_store(word: object) -> bool:
    return isinstance(word, str) and ("/" in word or Path(word).is_dir())


def _shown(value: Value) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


def _with_note(command: click.Command, note: str) -> click.Command:
    """A copy of the command that says this at the end of its help."""
    noted = copy.copy(command)
    noted.epilog = f"{command.epilog or ''}\n\n\b\n{note}"
    return noted
