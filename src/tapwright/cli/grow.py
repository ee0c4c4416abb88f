"""`tapwright tasks init-conf` and `expand`: task definitions out of templates."""

import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tapwright.cli.errors import OutputExistsError
from tapwright.cli.output import stage
from tapwright.errors import NothingFoundError, TaskError, UsageError
from tapwright.files.atomic import atomic_files, write_atomically
from tapwright.tasks.errors import UpstreamFailureError

if TYPE_CHECKING:
    from tapwright.tasks.events.graph import Compat
    from tapwright.tasks.templates.batch import ExpansionItem
    from tapwright.tasks.templates.expand import Expander

F = TypeVar("F", bound=Callable[..., Any])


def compat_option(command: F) -> F:
    """`--compat mobile-env`."""
    return click.option(
        "--compat",
        type=click.Choice(["mobile-env"]),
        help="Do as Mobile-Env's own tool does, what it loses and where it fails included.",
    )(command)


def templates_option(command: F) -> F:
    """`-p/--template-path DIR`."""
    return click.option(
        "-p",
        "--template-path",
        "templates",
        type=click.Path(path_type=Path, file_okay=False),
        default="templates",
        show_default=True,
        help="The directory of the templates.",
    )(command)


@click.command(
    name="init-conf",
    epilog="\b\nExample:\n"
    "  tapwright tasks init-conf templates/search.textproto.template lobster tasks\n"
    "writes tasks/search-lobster.conf.",
)
@click.argument("template", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("stepname")
@click.argument("dumpdir", type=click.Path(path_type=Path, file_okay=False))
@click.option("--force", is_flag=True, help="Replace a conf file that is there.")
@compat_option
def init_conf(
    template: Path, stepname: str, dumpdir: Path, force: bool, compat: "Compat | None"
) -> None:
    """Write a conf file to fill in: DUMPDIR/<template>-STEPNAME.conf.

    It has a line for each identifier of TEMPLATE, in the order in which they stand there. A conf
    file that is there already is left alone.
    """
    from tapwright.tasks.templates.init_conf import make_conf, make_conf_like_upstream

    if Path(stepname).name != stepname:
        raise UsageError(f"the step name {stepname!r} cannot be part of a file's name")
    if compat:
        name, text = make_conf_like_upstream(template, stepname)
        _refuse_missing_directory(dumpdir / name)
    else:
        name, text = make_conf(template, stepname, _warn)
        if (dumpdir / name).exists() and not force:
            raise OutputExistsError(
                f"{dumpdir / name} is there already", hint="--force replaces it"
            )
    write_atomically(dumpdir / name, text.encode())
    click.echo(dumpdir / name)


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks expand --task tasks/lobster.task -p templates -o lobster.textproto\n"
    "  tapwright tasks expand tasks -p templates -o definitions\n"
    "  tapwright tasks expand dishes.csv --task search.task -p templates -o definitions"
)
@click.argument("source", required=False, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--task",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A task file: a step per line. Of a table it names the steps of every row.",
)
@templates_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file for one task, the directory for many.  [default: stdout, for one]",
)
@click.option(
    "--no-autocat-commands",
    is_flag=True,
    help="Tell the agent the first step's commands alone, and those of steps with option c.",
)
@click.option(
    "--ordered", is_flag=True, help="A step earns nothing before the steps before it have ended."
)
@compat_option
@click.option("--limit", type=click.IntRange(1), help="At most so many tasks.")
@click.option("--seed", type=int, help="Draw the --limit tasks by chance, the same for one seed.")
@click.option("--distinct", is_flag=True, help="Leave out a task whose commands another one has.")
@click.option("--strict", is_flag=True, help="Write nothing if any task fails.")
def expand(
    source: Path | None,
    task: Path | None,
    templates: Path,
    output: Path | None,
    no_autocat_commands: bool,
    ordered: bool,
    compat: "Compat | None",
    limit: int | None,
    seed: int | None,
    distinct: bool,
    strict: bool,
) -> None:
    """Make task definitions out of templates.

    Without SOURCE, --task is made into one definition. SOURCE is a directory, of which each task
    file is made into one, or a table (.csv, .jsonl, .parquet), of which each row is made into one
    with the steps of --task; its columns are the identifiers of the slots.
    Of many, ids are made unique; a task that fails is told and left out, and it ends with 1.
    """
    from tapwright.tasks.templates.expand import Expander

    if compat and ordered:
        raise UsageError("--ordered and --compat do not go together: the original has no order")
    if seed is not None and limit is None:
        raise UsageError("--seed draws the tasks of a --limit", hint="--limit N --seed S")
    make = partial(
        Expander, templates, autocat=not no_autocat_commands, ordered=ordered, compat=compat
    )
    if source is None and task is None:
        raise UsageError("nothing to expand", hint="tapwright tasks expand --task FILE")
    if source is None:
        assert task is not None  # as looked at above
        _expand_one(make(), task, output, compat=compat)
        return
    if output is None:
        raise UsageError("many tasks need a directory to go to", hint="-o DIRECTORY")
    items = _items(source, task)
    total = sum(1 for _ in items())
    if not total:
        raise NothingFoundError(f"{source}: no {'task files' if source.is_dir() else 'rows'}")
    from tapwright.tasks.templates.batch import (
        drop_duplicates,
        expand_all,
        make_ids_unique,
        sample_items,
        write_all,
    )

    chosen = items() if limit is None else sample_items(items(), total, limit, seed)
    count = total if limit is None else min(total, limit)
    found = expand_all(chosen, count, make)
    if distinct:
        found = drop_duplicates(found)
    if compat is None:
        found = make_ids_unique(found)
    failed = written = 0
    told: set[str] = set()
    with stage("expand", count) as advance, atomic_files(output) as beside:
        for one in write_all(found, beside):
            advance(1)
            for line in one.warnings:
                if line not in told:
                    told.add(line)
                    _warn(line)
            if one.failure is None:
                written += 1
            else:
                failed += 1
                click.echo(f"{one.name}: {one.failure.message} [{one.failure.code}]", err=True)
        if failed and strict:
            raise TaskError(
                f"{failed} of {count} tasks failed; nothing is written, as --strict asks"
            )
    click.echo(f"{written} definitions in {output}, {failed} failed", err=True)
    click.echo(output)
    sys.exit(1 if failed else 0)


def _expand_one(
    expander: "Expander", task: Path, output: Path | None, *, compat: "Compat | None"
) -> None:
    try:
        text = expander.format(expander.expand(task))
    finally:
        for line in expander.take_warnings():
            _warn(line)
    if output is None:
        click.echo(text, nl=False)
        return
    if compat:
        _refuse_missing_directory(output)
    write_atomically(output, text.encode())


def _items(source: Path, task: Path | None) -> "Callable[[], Iterable[ExpansionItem]]":
    """What gives the items of a directory or a table, from their first on at each call."""
    from tapwright.tasks.templates.batch import list_row_items, list_task_file_items

    if source.is_dir():
        if task is not None:
            raise UsageError(f"{source} is a directory of task files, so --task has no meaning")
        return partial(list_task_file_items, source)
    if source.suffix == ".task":
        raise UsageError(f"{source} is one task", hint=f"tapwright tasks expand --task {source}")
    if task is None:
        raise UsageError(
            f"{source}: the rows of a table need steps", hint="--task FILE names them, one per line"
        )
    return partial(list_row_items, source, task)


def _refuse_missing_directory(path: Path) -> None:
    if not path.parent.is_dir():
        what = f"[Errno 2] No such file or directory: {str(path)!r}"
        raise UpstreamFailureError("FileNotFoundError", what, str(path))


def _warn(line: str) -> None:
    click.secho("warning: ", fg="yellow", bold=True, nl=False, err=True)
    click.echo(line, err=True)
