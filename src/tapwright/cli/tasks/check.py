"""`tapwright tasks check`: the defects of definitions, templates and task files."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import EXISTING
from tapwright.cli.output import Cell, Format, format_option, print_message, print_rows
from tapwright.cli.tasks.group import templates_option
from tapwright.core.language import counted
from tapwright.errors import NothingFoundError, TaskError

if TYPE_CHECKING:
    from tapwright.tasks.templates.expand import Expander


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks check definitions\n"
    "  tapwright tasks check tasks -p templates       check what the task files expand to\n"
    "  tapwright tasks check search.textproto.template"
)
@click.argument("paths", nargs=-1, required=True, type=EXISTING)
@templates_option
@click.option(
    "--device",
    type=click.Choice(["phone"]),
    help="Warn of tags, messages, state paths and element ids that this device never has, and of "
    "goals that can therefore, or by what contradicts itself, never be reached.",
)
@format_option
def check(paths: tuple[Path, ...], templates: Path, device: str | None, format_: Format) -> None:
    """Find defects in task definitions, task files, templates and conf files.

    A directory stands for all of them below it. Errors: unknown and duplicate ids, invalid
    patterns, selectors and transformations, circular events, tasks that never end, and whatever
    keeps a task file from being expanded. Warnings: unused events, conditions that never hold,
    ids of two files, missing pictures of icons (on stderr). YAML without nodes is passed over. Ends
    with 1 when there is an error.
    """
    from tapwright.tasks.check_file import SUFFIXES, check_file, find_duplicates, find_task_files
    from tapwright.tasks.templates.expand import Expander

    found = dict(one for path in paths for one in find_task_files(path))
    if not found:
        raise NothingFoundError("nothing to check", hint=f"expected files {', '.join(SUFFIXES)}")
    for file, is_checked in found.items():
        if not is_checked:
            print_message(f"note: {file}: has no nodes, so it is no rule; passed over")
    files = [file for file, is_checked in found.items() if is_checked]
    expander = Expander(templates)
    # A defect of a template is found again with each task file that names it.
    problems = dict.fromkeys(one for file in files for one in check_file(file, expander))
    problems |= dict.fromkeys(find_duplicates(files))
    rows: list[dict[str, Cell]] = []
    for problem in problems:
        what = f"{problem.what}; {problem.hint}" if problem.hint else problem.what
        if problem.level == "note":
            print_message(f"warning: {problem.place}: {what}")
            continue
        rows.append(
            {"place": problem.place, "level": problem.level, "rule": problem.rule, "what": what}
        )
    strange = list(_find_strangers(files, expander)) if device else []
    rows += strange
    if rows or format_ == "json":
        print_rows(rows, format_, key="place")
    errors = sum(problem.level == "error" for problem in problems)
    warnings = len(problems) - errors + len(strange)
    levels = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    print_message(f"{counted(len(files), 'file')}: {levels}")
    sys.exit(1 if errors else 0)


def _find_strangers(files: Sequence[Path], expander: "Expander") -> Iterator[dict[str, Cell]]:
    """What the definitions ask of the built-in phone that it never has."""
    from tapwright.tasks.definitions.device_words import find_strangers
    from tapwright.tasks.definitions.textproto import read_task
    from tapwright.workflows.devices import open_device
    from tapwright.workflows.phone_words import phone_words

    with open_device("phone", read_host()) as phone:
        phone.reset()
        words = phone_words(phone.state(""))
    for file in files:
        try:
            match file.suffix:
                case ".textproto":
                    definition = read_task(file)
                case ".task":
                    definition = expander.join(expander.steps(file))
                case _:
                    continue
        except TaskError:  # told already
            continue
        for what in find_strangers(definition, words):
            yield {"place": str(file), "level": "warning", "rule": "not on the phone", "what": what}
