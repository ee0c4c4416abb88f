"""The values that `tapwright.toml` has for the options of one command.

The command's own table comes first, then what a model's short name brings, then the keys that
commands share.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

import click

from tapwright.cli.plan_option import every_option, spell
from tapwright.cli.project.file import Project, unknown_key

if TYPE_CHECKING:
    from tapwright.cli.project.keys import NamedModel

Value: TypeAlias = str | int | float | bool | list[str]

# Option -> key. A key that means something else to a command is left out below.
_KEYS = {
    "--with": "annotator", "--annotator": "annotator", "--base-url": "base_url",
    "--convention": "convention", "--device": "device", "--envs": "envs", "--max-cost": "max_cost",
    "--network": "network", "--price": "prices", "--set": "settings", "--suite": "suite",
}  # fmt: skip
_MORE: Mapping[str, Mapping[str, str]] = {
    "eval run": {"--model": "model"},
    "serve": {"--episodes": "store", "--runs": "runs"},
    "record": {"--out": "store"},
    "episodes import": {"--out": "store"},
    "episodes unpack": {"--out": "store"},
}
_LESS: Mapping[str, frozenset[str]] = {
    "eval run": frozenset({"--device", "--annotator"}),  # the benchmark's own, and for few of them
    "eval resume": frozenset({"--device", "--convention"}),  # as the run was begun
    "eval score": frozenset({"--convention"}),  # likewise
    "serve": frozenset({"--suite"}),  # it offers all
    "env serve": frozenset({"--device"}),  # the suite's own
    "suites check": frozenset({"--device"}),  # likewise
    "sft check": frozenset({"--device"}),  # no screen, but what a model is trained on
    "annotate paraphrase": frozenset({"--with"}),  # required: rules cannot do it
}
_OF_MODELS = frozenset({"base_url", "max_cost", "prices", "settings"})  # an agent refuses them
_PATHS = frozenset({"suite", "prices"})  # a name, or a path
_PLAIN = (click.IntRange, click.FloatRange, click.Choice, type(click.INT), type(click.FLOAT))
"""Types of which a value is right or wrong by itself, without a file or a device."""
# They import code or start programs, which only words on the command line do.
_NEVER = frozenset({"--hook", "--config", "--suite-python", "--suite-option", "--ray-address"})


def find_defaults(
    project: Project,
    words: Sequence[str],
    command: click.Command,
    called: "NamedModel | None" = None,
    *,
    asks: bool = True,
) -> Iterator[tuple[click.Option, tuple[str, Value]]]:
    """Each option that the file has a value for, as it is spelled, with the value.

    `called` is the model that is asked by a short name, and `asks` whether any model is.
    """
    path, table = " ".join(words), project.table(words)
    plan = called.plan if called is not None else {}
    short = next((name for name, one in project.keys.models.items() if one == called), "")
    keys = {
        one: [opt[2:].replace("-", "_") for opt in one.opts if opt.startswith("--")]
        for one in every_option(command)
    }
    known = [name for names in keys.values() for name in names]
    for name in table:
        if name not in known:
            raise unknown_key(project.file, ".".join((*words, name)), name, known)
    of_plan = [keys[one][0] for one in keys if one not in command.params]
    for name in plan:
        if name not in of_plan and path == "eval run":  # which has every key of a plan
            raise unknown_key(project.file, f"models.{short}.plan.{name}", name, of_plan)
    for one, names in keys.items():
        label = spell(command, one)
        own = next((name for name in names if name in table), None)
        if own is not None:
            if label in _NEVER:
                raise project.fault(own, f"{label} runs code, and is for the command line alone")
            yield one, (label, _own_value(project, own, table[own], one))
        elif names[0] in plan and names[0] in of_plan:
            place = f"models.{short}.plan.{names[0]}"
            yield one, (label, _own_value(project, place, plan[names[0]], one))
        elif (key := key_of(path, one)) and (asks or key not in _OF_MODELS):
            value = _shared(project, key, one, called)
            if value is not None:
                yield one, (label, value)


def key_of(path: str, option: click.Option) -> str:
    """The shared key that is an option's default; "" for one that has none."""
    keys = {**_KEYS, **_MORE.get(path, {})}
    name = next((opt for opt in keys if opt in option.opts), "")
    return "" if name in _LESS.get(path, ()) else keys.get(name, "")


def _own_value(project: Project, key: str, value: object, option: click.Option) -> Value:
    """The value of an option in its command's table."""
    single = isinstance(value, (str, int, float, bool))
    several = isinstance(value, list) and all(isinstance(one, (str, int, float)) for one in value)
    if not (single or (several and option.multiple)):
        expected = "a list, or one of its values" if option.multiple else "one value"
        raise project.fault(key, f"expected {expected}, not {value!r}")
    if isinstance(value, bool) != option.is_flag:
        raise project.fault(key, f"expected {'true or false' if option.is_flag else 'no truth'}")
    if isinstance(option.type, _PLAIN):
        for each in value if isinstance(value, list) else [value]:
            try:
                cast("click.ParamType[object]", option.type).convert(each, option, None)
            except click.BadParameter as error:
                raise project.fault(key, error.message) from error
    if isinstance(value, list) or option.multiple:
        return [_placed(project, option, str(one)) for one in as_list(value)]
    return _placed(project, option, value) if isinstance(value, str) else value  # type: ignore[return-value]


def _placed(project: Project, option: click.Option, value: str) -> str:
    return project.path(value) if isinstance(option.type, click.Path) else value


def _shared(
    project: Project, key: str, option: click.Option, called: "NamedModel | None"
) -> Value | None:
    """The value of a key that commands share, or of the model that is asked."""
    keys = project.keys
    if called is not None:
        match key:
            case "convention" | "base_url" if getattr(called, key) is not None:
                return _fit(getattr(called, key), option)
            case "prices" if called.price is not None:
                return ",".join(map(str, called.price))
            case _:
                pass
    match key:
        case "settings":
            settings = {**keys.settings, **(called.settings if called is not None else {})}
            return [f"{name}={_text(value)}" for name, value in settings.items()] or None
        case "model" | "annotator":
            names = as_list(getattr(keys, key))
            full = [keys.models[one].model if one in keys.models else one for one in names]
            return _fit(full, option) if full else None
        case "store" | "runs":
            value = getattr(keys, key)
            return None if value is None else _fit(project.path(value), option)
        case _:
            found: str | int | float | list[str] | None = getattr(keys, key)
            if isinstance(found, str) and key in _PATHS and (project.file.parent / found).exists():
                found = project.path(found)
            return None if found is None else _fit(found, option)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _fit(value: Value, option: click.Option) -> Value:
    """One value for an option that takes one, else a list."""
    if option.multiple:
        return [str(one) for one in as_list(value)]
    return value[0] if isinstance(value, list) else value


def as_list(value: object) -> list[str]:
    """The values of an option or a key as texts; none of None, or of what click has for none."""
    if isinstance(value, (list, tuple)):
        return [str(one) for one in value]
    return [str(value)] if isinstance(value, (str, int, float)) else []


def check_project(project: Project, root: click.Group) -> None:
    """Check a project's keys and values against the options of each command.

    Raises:
        ProjectFileError: a key or a value is wrong.
    """
    for words, command in each_command(project, root):
        list(find_defaults(project, words, command))
    group = root.get_command(click.Context(root), "eval")
    assert isinstance(group, click.Group)
    run = group.get_command(click.Context(group), "run")
    assert run is not None
    for model in project.keys.models.values():
        list(find_defaults(project, ("eval", "run"), run, model))


def each_command(
    project: Project, root: click.Group
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """The commands that the file has tables for, with the words that call them; `root` first.

    Raises:
        ProjectFileError: there is no such command.
    """
    pending: list[tuple[tuple[str, ...], click.Command]] = [((), root)]
    while pending:
        words, command = pending.pop()
        if not isinstance(command, click.Group):
            yield words, command
            continue
        names = command.list_commands(click.Context(command))
        for name in project.table(words):
            if name not in names:
                raise unknown_key(project.file, ".".join((*words, name)), name, names)
            found = command.get_command(click.Context(command), name)
            assert found is not None
            pending.append(((*words, name), found))
