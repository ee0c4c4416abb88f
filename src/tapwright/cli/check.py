"""`tapwright tasks check`: what is wrong with definitions, templates and what they make."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from tapwright.cli.grow import templates_option
from tapwright.cli.output import Cell, Format, format_option, print_rows
from tapwright.errors import NothingFoundError


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks check definitions\n"
    "  tapwright tasks check tasks -p templates       what the task files would make\n"
    "  tapwright tasks check search.textproto.template"
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@templates_option
@format_option
def check(paths: tuple[Path, ...], templates: Path, format_: Format) -> None:
    """Say what is wrong with task definitions, task files, templates and conf files.

    A directory stands for all of them below it. Looked for are ids that nothing or two events
    have, patterns, selectors and transformations that mean nothing, events that stand on
    themselves or that nothing asks for, tasks that never end, and whatever keeps a task file from
    being expanded. Ends with 1 when there is an error; an event that nothing asks for is none.
    """
    from tapwright.tasks.check_file import SUFFIXES, check_file
    from tapwright.tasks.templates.expand import Expander

    files = [file for path in paths for file in _files(path, SUFFIXES)]
    if not files:
        raise NothingFoundError("nothing to check", hint=f"expected files {', '.join(SUFFIXES)}")
    expander = Expander(templates)
    # What is wrong with a template is met with each task file that names it.
    problems = dict.fromkeys(one for file in files for one in check_file(file, expander))
    rows: list[dict[str, Cell]] = [
        {
            "place": problem.place,
            "level": "error" if problem.is_error else "warning",
            "rule": problem.rule,
            "what": f"{problem.what}; {problem.hint}" if problem.hint else problem.what,
        }
        for problem in problems
    ]
    if rows:
        print_rows(rows, format_, key="place")
    errors = sum(problem.is_error for problem in problems)
    click.echo(f"{len(files)} files: {errors} errors, {len(rows) - errors} warnings", err=True)
    sys.exit(1 if errors else 0)


def _files(path: Path, suffixes: Iterable[str]) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from sorted(one for one in path.rglob("*") if one.name.endswith(tuple(suffixes)))
