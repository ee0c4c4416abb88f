"""`tapwright tasks check`: the defects of definitions, templates and task files."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from tapwright.cli.output import Cell, Format, format_option, print_message, print_rows
from tapwright.cli.tasks.options import templates_option
from tapwright.errors import NothingFoundError


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks check definitions\n"
    "  tapwright tasks check tasks -p templates       check what the task files expand to\n"
    "  tapwright tasks check search.textproto.template"
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@templates_option
@format_option
def check(paths: tuple[Path, ...], templates: Path, format_: Format) -> None:
    """Find defects in task definitions, task files, templates and conf files.

    A directory stands for all of them below it. Errors: unknown and duplicate ids, invalid
    patterns, selectors and transformations, circular events, tasks that never end, and whatever
    keeps a task file from being expanded. Warnings: unused events. Ends with 1 when there is an
    error.
    """
    from tapwright.tasks.check_file import SUFFIXES, check_file
    from tapwright.tasks.templates.expand import Expander

    files = [file for path in paths for file in _find_files(path, SUFFIXES)]
    if not files:
        raise NothingFoundError("nothing to check", hint=f"expected files {', '.join(SUFFIXES)}")
    expander = Expander(templates)
    # A defect of a template is found again with each task file that names it.
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
    print_message(f"{len(files)} files: {errors} errors, {len(rows) - errors} warnings")
    sys.exit(1 if errors else 0)


def _find_files(path: Path, suffixes: Iterable[str]) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from sorted(one for one in path.rglob("*") if one.name.endswith(tuple(suffixes)))
