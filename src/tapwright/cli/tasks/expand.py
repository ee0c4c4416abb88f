"""`tapwright tasks expand`: task definitions out of templates."""

import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.options import EXISTING, FILE, PATH, out_option
from tapwright.cli.output import print_data, print_failure, print_line, print_message, show_progress
from tapwright.cli.tasks import group
from tapwright.core.language import counted
from tapwright.errors import NothingFoundError, TaskError, UsageError, quote_path
from tapwright.files.atomic import atomic_files, write_atomically

if TYPE_CHECKING:
    from tapwright.tasks.events.graph import Compat
    from tapwright.tasks.templates.batch import ExpansionItem
    from tapwright.tasks.templates.expand import Expander


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks expand --task tasks/lobster.task -p templates -o lobster.textproto\n"
    "  tapwright tasks expand tasks -p templates -o definitions\n"
    "  tapwright tasks expand dishes.csv --task search.task -p templates -o definitions"
)
@click.argument("source", required=False, type=EXISTING)
@click.option(
    "--task",
    type=FILE,
    help="A task file: a step per line. Of a table it names the steps of every row.",
)
@group.templates_option
@out_option("The file for one task, the directory for many.  [default: stdout, for one]", kind=PATH)
@click.option(
    "--no-autocat-commands",
    is_flag=True,
    help="Give the agent only the commands of the first step and of steps with option c.",
)
@click.option(
    "--ordered", is_flag=True, help="A step earns no reward before the previous steps have ended."
)
@group.compat_option
@click.option("--limit", type=click.IntRange(1), help="Maximum number of tasks.")
@click.option("--seed", type=int, help="Draw the --limit tasks at random, reproducibly.")
@click.option("--distinct", is_flag=True, help="Skip tasks with the commands of another task.")
@click.option("--strict", is_flag=True, help="Write nothing if any task fails.")
def expand(
    source: Path | None,
    task: Path | None,
    templates: Path,
    out: Path | None,
    no_autocat_commands: bool,
    ordered: bool,
    compat: "Compat | None",
    limit: int | None,
    seed: int | None,
    distinct: bool,
    strict: bool,
) -> None:
    """Expand templates into task definitions.

    Without SOURCE, --task becomes one definition. SOURCE is a directory, whose task files become
    one each, or a table (.csv, .jsonl, .parquet), whose rows become one each with the steps of
    --task; its columns are the identifiers of the slots. Ids are made unique. A task that fails is
    reported and skipped; the command then ends with 1.
    """
    from tapwright.tasks.templates.expand import Expander

    if compat and ordered:
        raise UsageError("--ordered and --compat do not go together: the original has no order")
    if seed is not None and limit is None:
        raise UsageError("--seed selects the tasks of a --limit", hint="--limit N --seed S")
    make = partial(
        Expander, templates, autocat=not no_autocat_commands, ordered=ordered, compat=compat
    )
    if source is None and task is None:
        raise UsageError("nothing to expand", hint="tapwright tasks expand --task FILE")
    if source is None:
        assert task is not None  # checked above
        _expand_one(make(), task, out, compat=compat)
        return
    if out is None:
        raise UsageError("many tasks need an output directory", hint="-o DIRECTORY")
    items = _items(source, task)
    total = sum(1 for _ in items())
    if not total:
        raise NothingFoundError(f"{source}: no {'task files' if source.is_dir() else 'rows'}")
    from tapwright.tasks.templates import batch

    selected = items() if limit is None else batch.sample_items(items(), total, limit, seed)
    count = total if limit is None else min(total, limit)
    tasks = batch.expand_all(selected, count, make)
    if distinct:
        tasks = batch.drop_duplicates(tasks)
    if compat is None:
        tasks = batch.make_ids_unique(tasks)
    failed = written = 0
    printed: set[str] = set()
    with show_progress("expand", count) as advance, atomic_files(out) as beside:
        for one in batch.write_all(tasks, beside):
            advance(1)
            for line in one.warnings:
                if line not in printed:
                    printed.add(line)
                    group.print_warning(line)
            if one.failure is None:
                written += 1
            else:
                failed += 1
                print_failure(one.name, one.failure.message, one.failure.code)
        if failed and strict:
            raise TaskError(
                f"{failed} of {count} tasks failed; nothing is written, because of --strict"
            )
    print_message(f"{counted(written, 'definition')} in {out}, {failed} failed")
    print_line(out)
    sys.exit(1 if failed else 0)


def _expand_one(
    expander: "Expander", task: Path, out: Path | None, *, compat: "Compat | None"
) -> None:
    try:
        text = expander.format(expander.expand(task))
    finally:
        for line in expander.take_warnings():
            group.print_warning(line)
    if out is None:
        print_data(text)
        return
    if compat:
        group.check_directory(out)
    write_atomically(out, text.encode())


def _items(source: Path, task: Path | None) -> "Callable[[], Iterable[ExpansionItem]]":
    """Returns a function that lists the items of a directory or a table."""
    from tapwright.tasks.templates.batch import list_row_items, list_task_file_items

    if source.is_dir():
        if task is not None:
            raise UsageError(f"{source} is a directory of task files, so --task has no effect")
        return partial(list_task_file_items, source)
    if source.suffix == ".task":
        raise UsageError(
            f"{source} is one task", hint=f"tapwright tasks expand --task {quote_path(source)}"
        )
    if task is None:
        raise UsageError(
            f"{source}: the rows of a table need steps", hint="--task FILE names them, one per line"
        )
    return partial(list_row_items, source, task)
