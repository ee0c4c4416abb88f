"""Writes docs/reference.md out of the code: commands, members, public names, errors.

And docs/tapwright.schema.json, of a project's file, and `listed.json` of conventions and tasks, by
which they are listed. Run: python scripts/write_reference.py. Tests compare all with what this
would write.
"""

import argparse
import inspect
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import click

import tapwright
from tapwright.agents import agents
from tapwright.annotate import annotators
from tapwright.benchmarks import benchmarks
from tapwright.cli.init import project_schema
from tapwright.cli.main import cli
from tapwright.conventions import conventions
from tapwright.core.registry import Registry
from tapwright.datasets import datasets
from tapwright.devices import devices
from tapwright.errors import every_error
from tapwright.formats import formats
from tapwright.models import models
from tapwright.tasks import suites
from tapwright.workflows.conventions import describe_convention
from tapwright.workflows.listing import TaskRow

PAGE = Path(__file__).parents[1] / "docs/reference.md"
SCHEMA = PAGE.with_name("tapwright.schema.json")
LISTED_CONVENTIONS = Path(tapwright.__path__[0], "conventions/listed.json")
LISTED_TASKS = Path(tapwright.__path__[0], "tasks/listed.json")
FAMILIES: tuple[Registry[object], ...] = (
    devices, suites, agents, models, conventions, annotators, formats, benchmarks,
    datasets,
)  # fmt: skip


def reference() -> str:
    """The whole page."""
    return "\n".join(
        [
            "# Reference",
            "",
            "Written from the code by `scripts/write_reference.py`; a test compares the two.",
            "",
            "## Commands",
            "",
            *_commands(),
            "",
            "## Members",
            "",
            "What `--device`, `--suite`, `--agent` and the like take. Other packages add to them",
            "under the entry-point group `tapwright.<family>`. Devices, agents, model clients,",
            "conventions and benchmarks of your own may also be named `module:attribute`.",
            "",
            "| family | members |",
            "|---|---|",
            *(f"| {one.family} | {', '.join(map(_code, one.names()))} |" for one in FAMILIES),
            "",
            "## Public names",
            "",
            "What a module lists in `__all__`; everything else may change without notice.",
            *_modules(),
            "",
            "## Errors",
            "",
            "| code | name | when | exit code |",
            "|---|---|---|---|",
            *(
                f"| {code} | `{one.kind.__name__}` | {one.meaning.splitlines()[0]} "
                f"| {one.exit_code} |"
                for code, one in every_error().items()
            ),
            "",
        ]
    )


def _commands() -> Iterator[str]:
    context = click.Context(cli, info_name="tapwright")
    yield "| command | |"
    yield "|---|---|"
    assert isinstance(cli, click.Group)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            for verb in sorted(command.list_commands(context)):
                inner = command.get_command(context, verb)
                assert inner is not None
                yield f"| `tapwright {name} {verb}` | {inner.get_short_help_str(90)} |"
        else:
            yield f"| `tapwright {name}` | {command.get_short_help_str(90)} |"


def _modules() -> Iterator[str]:
    found = [info.name for info in walk_packages(tapwright.__path__, "tapwright.")]
    for path in sorted([*found, "tapwright_adb_simulator"]):
        if path.startswith(("tapwright.cli", "tapwright.__main__")):
            continue
        module = import_module(path)
        names = getattr(module, "__all__", ())
        if not names:
            continue
        yield ""
        yield f"### {path}"
        yield ""
        for name in names:
            about = _first_line(getattr(module, name))
            yield f"- `{name}`" + (f": {about}" if about else "")


def _first_line(thing: object) -> str:
    is_named = inspect.isclass(thing) or inspect.isroutine(thing)
    text = inspect.getdoc(thing) if is_named else None
    return (text or "").partition("\n")[0]


def _code(name: str) -> str:
    return f"`{name}`"


def listed_conventions() -> str:
    """The rows of our conventions, by name."""
    return _one_a_line(
        (name, list(astuple(describe_convention(conventions.get(name), name))[1:]))
        for name in conventions.table
    )


def listed_tasks() -> str:
    """The rows of our suites' tasks, by suite; without miniwob's, which are many and soon made."""
    return _one_a_line(
        (name, [list(astuple(TaskRow.of(task))) for task in suites.get(name)()])
        for name in suites.table
        if name != "miniwob"
    )


def _one_a_line(rows: Iterable[tuple[str, list[object]]]) -> str:
    lines = []
    for name, row in sorted(rows):
        inner = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in row)
        nested = isinstance(row[0], list)
        text = f"[\n  {inner}\n ]" if nested else json.dumps(row, ensure_ascii=False)
        lines.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    """Write the files."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    assert isinstance(cli, click.Group)
    for path, text in (
        (PAGE, reference()),
        (SCHEMA, json.dumps(project_schema(cli), indent=2) + "\n"),
        (LISTED_CONVENTIONS, listed_conventions()),
        (LISTED_TASKS, listed_tasks()),
    ):
        path.write_text(text, encoding="utf-8", newline="\n")
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
